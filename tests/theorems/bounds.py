"""Every bound object of `cdlab.theory` over the curves that its method really leaves behind.

Not the theorems as these tests write them down (the other files here do that), but the same objects that are typeset
and drawn: `bound.curve(problem, passes)` with the true constants of the start lies above the mean of the bounded
quantity over seeds, for every theorem, sampling and problem of a small grid that its assumptions admit.
"""

from functools import cache

import numpy as np
from claims import claim
from problems import problem

import cdlab
from cdlab import methods, theory
from cdlab.samplings import Bucket, Distributed, Independent, TauNice
from cdlab.theory import registry

SIZE = {"n": 16, "d": 6, "seed": 3, "density": 1.0}  # dense: a pass is the same number of iterations in every run
SETTINGS = (  # loss, l2, l1
    ("logistic", 0.1, 0.0),
    ("squared", 0.02, 0.0),
    ("smooth_hinge", 0.05, 0.02),
    ("hinge", 0.1, 0.0),
    ("logistic", 1e-4, 0.0),
    ("squared", 0.0, 0.05),
    ("squared", 0.0, 0.0),
)
PASSES = 60


@cache
def setting(loss, l2, l1):
    """A problem, its P* and w* to rounding, and its smallest curvature."""
    P = problem(loss, l2=l2, l1=l1, **SIZE)
    if l2 > 0:
        s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-15, max_passes=20_000)
        best, w = s.trace.records[-1].primal - s.gap / 2, s.w
    else:
        s = cdlab.solve(P, "fista", tol=0, max_passes=20_000)
        best, w = s.trace.records[-1].primal, s.w
    mu = float(np.linalg.eigvalsh(P.X.T @ P.X / P.n)[0]) + l2 if loss == "squared" else l2
    return P, best, w, mu


def true_constants(P, best, w, mu):
    """What the bounds replace by computable upper bounds, measured."""
    alpha = P.alpha(w)
    at_zero, dual = P.primal(np.zeros(P.d)), P.dual(np.zeros(P.n))
    each = P.X * (-alpha)[:, None] + P.l2 * w
    known = {"P0": at_zero - best, "w2": w @ w, "a2": alpha @ alpha, "g2": (each**2).sum(axis=1).mean()}
    return known | ({"D0": best - dual} if np.isfinite(dual) else {}) | ({"mu": mu} if mu > 0 else {})


def instance(b, P):
    """The sampling of a bound, as `solve` takes it."""
    m = P.n if b.side == "dual" else P.d
    return {
        "given": np.arange(1.0, m + 1.0),
        "tau_nice": TauNice(3),
        "independent": Independent(0.4),
        "bucket": Bucket([np.arange(0, m, 2), np.arange(1, m, 2)]),
        "distributed": Distributed(2, 2),
        "none": "uniform",
        "any": "uniform",
    }.get(b.sampling, b.sampling)


def bounded(b, run, record, best, w):
    return {
        "P(w)-P*": lambda: record.primal - best,
        "P-D": lambda: record.gap,
        "D*-D": lambda: best - record.dual,
        "|w-w*|^2": lambda: ((run.w - w) ** 2).sum(),
    }[b.bounded]()


def admits(b, P, known):
    """Whether the theorem's assumptions, and the method's, hold here."""
    try:
        theory.bound(b.method, "passes", instance(b, P), b.theorem).curve(P, [0.0], **known)
        method = methods.make(b.method, **dict(b.parameters))
        return method.refusal(P, cdlab.samplings.make(instance(b, P))) is None
    except ValueError:
        return False


def dominance(b, which):
    def measure(seeds):
        P, best, w, mu = setting(*which)
        known = true_constants(P, best, w, mu)
        promise = theory.bound(b.method, "passes", instance(b, P), b.theorem)
        rows = []
        for seed in seeds:
            run = cdlab.iterate(P, b.method, sampling=instance(b, P), seed=seed, **dict(b.parameters))
            row, passes = [], []
            for record in run:
                row.append(bounded(b, run, record, best, w))
                passes.append(record.passes)
                if len(row) > 1 and (record.passes >= PASSES or len(row) > PASSES):
                    break
            rows.append((passes, row))
        length = min(len(row) for _, row in rows)
        passes = np.mean([passes[:length] for passes, _ in rows], axis=0)
        measured = np.array([row[:length] for _, row in rows])
        # the start says nothing about the rate
        return measured[:, 1:], np.asarray(promise.curve(P, passes, **known))[1:]

    return measure


for theorem in registry.everything():
    # linear systems have their own file: their theorems are for consistent ones
    solves_problems = theorem.method in methods.METHODS and theorem.method not in ("kaczmarz", "acc_kaczmarz", "acc_cd")
    if theorem.counts and theorem.guarantee is not None and solves_problems:
        for which in SETTINGS:
            P, best, w, mu = setting(*which)
            if admits(theorem, P, true_constants(P, best, w, mu)):
                title = f"{theorem.theorem}, {theorem.sampling}; {which[0]}, l2 = {which[1]:g}, l1 = {which[2]:g}"
                claim(theorem.method, f"bound object {title}")(dominance(theorem, which))
