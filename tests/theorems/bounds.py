"""Every bound object of `cdlab.theory` over the curves that its method really leaves behind.

Not the theorems as these tests write them down (the other files here do that), but the same objects that are typeset
and drawn: `bound.curve(problem, passes)` with the true constants of the start lies above the mean of the bounded
quantity over seeds, for every theorem and sampling. Each is followed until the bound itself has fallen by FALL: while
a bound hardly falls, staying below it says nothing about a rate. A push takes the problem of the grid that asks most of
the rate within PUSHED passes, a release all of them (test_every_problem.py). Nothing is solved before a test runs.
"""

from dataclasses import fields
from functools import cache
from typing import NamedTuple

import numpy as np
from claims import claim
from linear_programs import linear_program
from multiclass import softmax_problem
from problems import problem

import cdlab
from cdlab import methods, theory
from cdlab.samplings import Bucket, Distributed, Independent, Norms, NormsBlocks, TauNice
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
    ("hinge", 0.0, 0.05),
    ("logistic", 1.0, 0.0),
    ("logistic", 60.0, 0.0),
    ("huber", 0.0, 0.0),
    ("softmax", 0.1, 0.0),
    ("softmax", 1.0, 0.02),
)
FALL = 1e3
SLOW = {
    ("rda", "convex"): 100.0,  # 1/sqrt(t): a thousandth would take a million times as long
    ("sgd", "root steps"): 100.0,
    ("sdca", "last point"): 10.0,  # 1/sqrt(t), too, and at first the gap may be twice D* - D(0) and more
    ("spdc", "perturbed both, delta given"): 100.0,  # it ends at what delta costs
}
PUSHED, LONGEST, LONGEST_OF_CLASSES = 150, 20_000, 600  # passes
RECORDS = 60
EARLY = 10  # epochs recorded one by one, before a method that is far ahead of its bound is at the optimum
DELTA = 0.01
STEP = 0.3


def key(b):
    return b.method, b.theorem


class Case(NamedTuple):
    bound: theory.Bound
    which: tuple  # a setting
    passes: float  # until the bound has fallen

    @property
    def fall(self):
        return SLOW.get(key(self.bound), FALL)

    @property
    def title(self):
        loss, l2, l1 = self.which
        return f"bound object {self.bound.theorem}, {self.bound.sampling}; {loss}, l2 = {l2:g}, l1 = {l1:g}"


@cache
def posed(loss, l2, l1):
    """A problem and its strong convexity."""
    P = softmax_problem(l2, l1, **SIZE) if loss == "softmax" else problem(loss, l2=l2, l1=l1, **SIZE)
    return P, float(np.linalg.eigvalsh(P.X.T @ P.X / P.n)[0]) + l2 if loss == "squared" else l2


@cache
def solved(loss, l2, l1):
    """P*, w* and alpha* to rounding."""
    P, _ = posed(loss, l2, l1)
    if l2 > 0:
        s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-13, max_passes=20_000)
        return s.trace.records[-1].primal - s.gap / 2, s.w, s.alpha
    if P.loss.gamma > 0:
        s = cdlab.solve(P, "fista", tol=0, max_passes=20_000)
        return s.trace.records[-1].primal, s.w, P.alpha(s.w)
    w, alpha = linear_program(P)
    return P.primal(w), w, alpha


def true_constants(which):
    """What the bounds replace by computable upper bounds, measured."""
    (P, mu), (best, w, alpha) = posed(*which), solved(*which)
    at_zero, dual = P.primal(P.zeros(P.d)), P.dual(P.zeros(P.n))
    rows = alpha.reshape(P.n, -1)
    each = P.X[:, :, None] * -rows[:, None] + P.l2 * w.reshape(P.d, -1)
    squares = (rows**2).sum(axis=1)
    known = {"P0": at_zero - best, "w2": (w**2).sum(), "a2": squares.sum(), "g2": (each**2).sum(axis=(1, 2)).mean()}
    known["a2_p"] = (squares / (P.n * Norms().probabilities(P.coordinates("dual")))).sum()
    return known | ({"D0": best - dual} if np.isfinite(dual) else {}) | ({"mu": mu} if mu > 0 else {})


def rough_constants(which):
    """Numbers in their place, for the shape of a bound: nothing is solved."""
    P, mu = posed(*which)
    ones = dict.fromkeys(("P0", "w2", "g2", "D0"), 1.0) | dict.fromkeys(("a2", "a2_p"), float(P.n))
    return ones | ({"mu": mu} if mu > 0 else {})


def names(expr):
    return {symbol.name for symbol in expr.free_symbols}


def sampling_of(b, P):
    """The sampling of a bound, as `solve` takes it."""
    m = P.n if b.side == "dual" else P.d
    return {
        "given": np.arange(1.0, m + 1.0),
        "tau_nice": TauNice(3),
        "norms_blocks": NormsBlocks(3),
        "independent": Independent(0.4),
        "bucket": Bucket([np.arange(0, m, 2), np.arange(1, m, 2)]),
        "distributed": Distributed(2, 2),
        "none": "uniform",
        "any": "uniform",
    }.get(b.sampling, b.sampling)


def method_of(b, mu):
    """The method that the theorem is about; where it counts on a mu, the method is told the same."""
    needs = {symbol.name for symbol in b.symbols}
    values = {"mu": mu} if "mu" in needs else {}
    if "delta" in names(b.count):
        values["delta"] = DELTA
    if "step" in names(b.count):
        values["step"] = STEP
    has = {f.name for f in fields(methods.METHODS[b.method])}
    told = {name: value for name, value in values.items() if name in has and value > 0}
    return methods.resolve(b.method, **dict(b.parameters), **told)


def admitted(b, which):
    """The method and the bound of its run, or None where the theorem's assumptions, or the method's, fail."""
    P, mu = posed(*which)
    try:
        method = method_of(b, mu)
        promise = theory.bound(method, "passes", sampling_of(b, P), b.theorem)
        promise.curve(P, [0.0], **rough_constants(which))
    except ValueError:
        return None
    return (method, promise) if method.refusal(P, cdlab.samplings.resolve(sampling_of(b, P))) is None else None


def length(promise, P, fall, constants):
    """Passes until the bound has fallen by so much; inf if that is beyond 2 LONGEST."""
    passes = np.concatenate([[0.0], np.geomspace(1, 2 * LONGEST, 400)])
    curve = np.asarray(promise.curve(P, passes, **constants))
    fallen = curve <= curve[0] / fall
    return passes[fallen.argmax()] if fallen.any() else np.inf


def bounded(b, run, record, best, w):
    return {
        "P(w)-P*": lambda: record.primal - best,
        "P-D": lambda: record.gap,
        "D*-D": lambda: best - record.dual,
        "|w-w*|^2": lambda: ((run.w - w) ** 2).sum(),
    }[b.bounded]()


class Runs(NamedTuple):
    passes: np.ndarray  # (records,), the first at the start
    measured: np.ndarray  # (seeds, records)
    promised: np.ndarray  # (records,)


def followed(case, method, seed, every, end=np.inf, epochs=np.inf):
    """Passes as the bound counts them and the bounded quantity (records, 2), of a run of so many passes or epochs."""
    (P, _), (best, w, _) = posed(*case.which), solved(*case.which)
    run, found = cdlab.iterate(P, method, sampling=sampling_of(case.bound, P), seed=seed, every=every), []
    # a primal step takes passes of its own, once, which no bound counts
    aside = method.init(P, "uniform").extra if getattr(method, "primal_step", False) else 0.0
    for record in run:
        found.append((getattr(record, case.bound.column), bounded(case.bound, run, record, best, w)))
        if len(found) > 1:
            found[-1] = (found[-1][0] - aside, found[-1][1])
        if found[-1][0] >= end or len(found) > epochs / every:
            return np.array(found)


def runs(case, seeds):
    """Runs of the method until the bound has fallen, and the bound along them."""
    (P, _), known = posed(*case.which), true_constants(case.which)
    method, promise = admitted(case.bound, case.which)
    # what a run visits is random, most of all where coins renew snapshots
    end = length(promise, P, case.fall, known) * (1.5 if case.bound.method == "lsvrg" else 1.1) + 2
    every = max(1, int(end / RECORDS))
    found = []
    for seed in seeds:
        one = followed(case, method, seed, every, end)
        if every > 1:
            one = np.concatenate([followed(case, method, seed, 1, epochs=EARLY), one[EARLY // every + 1 :]])
        found.append(one)
    records = min(map(len, found))
    passes, measured = np.moveaxis([one[:records] for one in found], 2, 0)
    passes = passes.mean(axis=0)
    return Runs(passes, measured, np.asarray(promise.curve(P, passes, **known)))


def dominance(case, seeds):
    _, measured, promised = runs(case, seeds)
    return measured[:, 1:], promised[1:], promised[0] / promised[-1]  # the start says nothing about the rate


def has_curve(b):
    """Whether a method's runs have a curve that they must stay below."""
    # linear systems have their own file: their theorems are for consistent ones
    solves_problems = b.method in methods.METHODS and b.method not in ("kaczmarz", "acc_kaczmarz", "acc_cd")
    if not (b.counts and b.guarantee is not None and solves_problems):
        return False
    return "delta" in names(b.count) or "delta" not in names(b.guarantee)  # else: the curve of "..., delta given"


@cache
def cases(b):
    """The problems on which a theorem is tested, the one that is pushed first."""
    found = []
    for which in SETTINGS:
        if (pair := admitted(b, which)) is not None:
            case = Case(b, which, 0.0)
            case = case._replace(passes=length(pair[1], posed(*which)[0], case.fall, rough_constants(which)))
            if case.passes <= (LONGEST_OF_CLASSES if which[0] == "softmax" else LONGEST):
                found.append(case)
    short = [case for case in found if case.passes <= PUSHED and case.which[0] != "softmax"]
    kinked = [case for case in found if posed(*case.which)[0].loss.gamma == 0]  # where a theorem speaks of kinks
    first = max(short, key=lambda c: c.passes) if short else min(kinked or found, key=lambda c: c.passes, default=None)
    return sorted(found, key=lambda case: case is not first)


THEOREMS = tuple(filter(has_curve, registry.all_theorems()))
for theorem in THEOREMS:
    title = f"bound object {theorem.theorem}, {theorem.sampling}"
    claim(theorem.method, title, fall=SLOW.get(key(theorem), FALL), case=lambda b=theorem: cases(b)[0])(
        lambda seeds, b=theorem: dominance(cases(b)[0], seeds)
    )
