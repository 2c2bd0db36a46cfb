"""Runs of SPDC and the curves they must stay below, for the tests of its theorems."""

from functools import cache
from itertools import islice

import numpy as np
from problems import problem

import cdlab
from cdlab.methods.spdc import X, arrive_all
from cdlab.theory import SYMBOLS
from cdlab.theory.theorems import spdc

SEEDS = range(30)
SIZE = {"n": 20, "d": 6, "seed": 3}


def pick(theorem, sampling="uniform", method="spdc"):
    return next(b for b in spdc.BOUNDS if (b.method, b.theorem, b.sampling) == (method, theorem, sampling))


def numbers(expr, **values):
    return float(expr.subs({SYMBOLS[name]: value for name, value in values.items()}))


@cache
def solved(loss, l2, l1=0.0, delta=0.0):
    """A problem, and w*, alpha* to rounding of the problem perturbed by delta where it lacks curvature."""
    P = problem(loss, l2=l2, l1=l1, **SIZE)
    smooth = {"hinge": cdlab.losses.SmoothHinge, "absolute": cdlab.losses.Huber}
    Q = cdlab.Problem(P.X, P.y, smooth[loss](delta) if loss in smooth and delta else loss, l2=l2 or delta, l1=l1)
    s = cdlab.solve(Q, "sdca", sampling="permutation", tol=0, max_passes=6000)
    assert s.gap <= 1e-12
    return P, s.w, s.alpha


def measured(P, method, sampling, epochs, record):
    """Iterations, and what `record` says of (x, points) after each epoch, one row a seed."""
    rows, t = [], np.zeros(epochs)
    for seed in SEEDS:
        state, view = method.init(P, sampling), method.view(P)
        row = []
        for k, order in enumerate(islice(method.orders(P, sampling, np.random.default_rng(seed)), epochs)):
            state = method.epoch(view, state, order)
            t[k] = state.t
            lines = state.rows.copy()
            arrive_all(state, lines)
            row.append(record(lines[:, X], method.points(P, state)))
        rows.append(row)
    return t, np.array(rows)


def dominated(b, P, t, rows, **true):
    """The mean minus three standard errors is at most the curve, where that exceeds 1e-12 of its start."""
    cost = b.per("cost per iteration").for_problem(P, **true) / P.nnz
    curve = b.curve(P, t * cost, **true)
    mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    compared = curve > 1e-12 * b.curve(P, [0.0], **true)[0]
    assert compared.sum() >= min(10, t.size)
    assert (mean - 3 * error <= np.asarray(curve) * (1 + 1e-12))[compared].all()
