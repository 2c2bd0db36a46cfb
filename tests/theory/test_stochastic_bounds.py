"""Runs of stochastic subgradient and gradient methods stay below their bounds, which need only the problem."""

from itertools import islice

import numpy as np
import pytest
from cases import each_of
from formulas import pick
from stochastic_runs import NUMBERS, SEEDS, setting

import cdlab
from cdlab import theory
from cdlab.theory.symbols import n, nnz


def dominated(b, which, epochs):
    """The mean over seeds, less 3 standard errors, stays below the curve; returns the largest later mean/curve."""
    P, w, star, known = setting(*which)
    quantity = {
        "P(w)-P*": lambda u: P.primal(u) - star,
        "|w-w*|^2": lambda u: ((u - w) ** 2).sum(),
    }[b.bounded]
    rows = []
    for seed in SEEDS:
        run = cdlab.iterate(P, b.method, sampling=b.sampling, seed=seed, **dict(b.parameters))
        rows.append([quantity(run.w) for _ in islice(run, epochs + 1)])
    records = run.trace.records
    # X is dense: passes are the same in every run. A stage counts its gradient; what a step costs is W
    step = float(b.W.subs({nnz: P.nnz, n: P.n})) / P.nnz if b.step == "iteration" else None
    passes = np.array([record.passes if step is None else record.iteration * step for record in records])
    curve = b.curve(
        P,
        passes,
        L_f=np.linalg.norm(P.X, 2) ** 2 / (P.n * max(P.loss.gamma, 1e-9)),
        **known,
    )
    rows, compared = np.array(rows), curve > 1e-12 * curve[0]
    mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
    assert (mean - 3 * error <= curve * (1 + 1e-12))[compared].all(), (mean / curve)[compared].max()
    return (mean / curve)[1:][compared[1:]].max()


CASES = [
    (("sgd", "average", "uniform"), ("hinge", 0.1, 0.0), 15),
    (("sgd", "average", "uniform"), ("logistic", 0.01, 0.0), 15),
    (("rda", "strongly convex", "uniform"), ("absolute", 0.1, 0.02), 15),
    (("rda", "convex", "uniform"), ("logistic", 0.0, 0.05), 15),
    (("sag", "l2 in the table", "uniform"), ("logistic", 0.05, 0.0), 60),
    (("sag", "l2 in the table", "uniform"), ("squared", 0.5, 0.0), 60),
    (("saga", "smooth", "uniform"), ("logistic", 0.05, 0.0), 60),
    (("saga", "smooth", "uniform"), ("squared", 0.5, 0.02), 60),
    (("saga", "l2 in g", "uniform"), ("logistic", 0.05, 0.0), 60),
    (("saga", "l2 in g", "uniform"), ("squared", 0.5, 0.02), 60),
    (("svrg", "averaged long stages", "uniform"), ("logistic", 0.5, 0.0), 120),
    (("svrg", "averaged long stages", "importance"), ("smooth_hinge", 1.0, 0.02), 120),
    (("svrg", "averaged stages", "uniform"), ("logistic", 80.0, 0.0), 20),
    (("svrg", "last points", "uniform"), ("logistic", 0.5, 0.0), 60),
    (("svrg", "last points", "uniform"), ("squared", 4.0, 0.02), 60),
]


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(
    ("key", "which", "epochs"),
    CASES,
    ids=lambda x: "-".join(map(str, np.atleast_1d(x))),
)
def test_the_mean_of_30_runs_stays_below_the_curve(key, which, epochs):
    assert dominated(pick(*key), which, epochs) > 1e-4  # and the curve says something


MAIN = (
    ("sgd", "hinge"),
    ("rda", "hinge"),
    ("sag", "logistic"),
    ("saga", "logistic"),
    ("svrg", "logistic"),
)


@each_of("method, loss", MAIN)
def test_main_theorems_need_nothing_but_the_problem(method, loss):
    P, _, _, known = setting(loss, 0.1, 0.0)
    b = theory.bound(method)
    assert 0 < b.for_problem(P) < np.inf
    assert b.for_problem(P, 1e-9) > b.for_problem(P)
    # upper bounds stand for what depends on the optimum, so at an absolute accuracy the count is no smaller
    unit = {"P(w)-P*": 1.0, "|w-w*|^2": 2 / P.l2}[b.bounded]
    gap = P.constants()["gap0"]
    values = P.constants() | known
    at = {name: values[name] for name in theory.MEANINGS if name in values} | {"eps": 1e-6 * gap * unit}
    assert b.per("iterations").for_problem(P) >= b.per("iterations").at(**at) * (1 - 1e-12)


def test_refusals_name_what_is_missing():
    for key, changes, words in (
        (("sgd", "average"), {"L": np.inf}, "L < infinity"),
        (("sgd", "average"), {"l1": 0.1}, "l1 = 0"),
        (("rda", "strongly convex"), {"l2": 0.0}, "l2 > 0"),
        (("saga", "smooth"), {"gamma": 0.0}, "gamma > 0"),
        (("svrg", "averaged long stages"), {"l2": 10.0}, r"gamma\*l2 <= R\*\*2"),
        (("svrg", "averaged stages"), {}, r"25\*R\*\*2 < gamma\*l2"),
    ):
        with pytest.raises(ValueError, match=f"needs {words}"):
            pick(*key).at(**NUMBERS | changes)
