"""APPA and its relatives on problems: runs and stages below their bounds, and what no theorem covers."""

from functools import cache

import numpy as np
import pytest
from appa_theorems import MAIN, METHODS, method_of
from cases import each_of
from formulas import pick
from multiclass import softmax_problem
from problems import data, optimum, problem

import cdlab
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA

SEEDS = range(30)


SIZES = {"n": 24, "d": 5, "seed": 1}


@cache
def without_l2():
    """Least squares: mu from the smallest eigenvalue, P* from the normal equations."""
    X, y = data(**SIZES)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    mu_ = float(np.linalg.eigvalsh(X.T @ X / y.size)[0])
    return cdlab.Problem(X, y, loss="squared", l2=0.0), mu_, np.mean((X @ w - y) ** 2) / 2


@cache
def regularised(loss, l2, l1):
    return problem(loss, l2=l2, l1=l1, **SIZES), l2, optimum(loss, l2, l1, **SIZES)


CASES = {
    "squared, l2 = 0": without_l2,
    "logistic": lambda: regularised("logistic", 0.02, 0.0),
    "smooth hinge, l1": lambda: regularised("smooth_hinge", 0.05, 0.02),
}


def covers(b, case):
    """All of them but accelerated APPA by relative gaps, which leaves l1 to accuracy="theory"."""
    return (b.method, b.theorem, case) != ("acc_appa", "relative gap", "smooth hinge, l1")


def measured(P, mu_, best):
    return {"mu": mu_, "P0": P.primal(P.zeros(P.d)) - best}


@cache
def runs(case, method, parameters, sampling):
    """(passes, P(w) - P*) at every epoch, one run a seed, until P(w) - P* is 1e-4 of what it was."""
    P, mu_, best = CASES[case]()
    floor, found = 1e-4 * (P.primal(P.zeros(P.d)) - best), []
    for seed in SEEDS:
        rows = []
        for record in cdlab.iterate(P, METHODS[method](mu=mu_, **dict(parameters)), sampling=sampling, seed=seed):
            rows.append((record.passes, record.primal - best))
            if rows[-1][1] <= floor:
                break
        found.append(np.array(rows).T)
    return found


@pytest.mark.parametrize(
    ("b", "case"),
    [
        pytest.param(b, case, marks=() if (b.sampling, case) == ("uniform", "logistic") else pytest.mark.full)
        for b in MAIN
        for case in CASES
        if covers(b, case) and (b.sampling == "uniform" or case == "logistic")
    ],
    ids=lambda part: part if isinstance(part, str) else f"{part.method}-{part.theorem}-{part.sampling}",
)
def test_runs_stay_below_the_curve_and_end_before_the_count(b, case):
    P, mu_, best = CASES[case]()
    known, found = measured(P, mu_, best), runs(case, b.method, b.parameters, b.sampling)
    grid = np.linspace(0, min(passes[-1] for passes, _ in found), 50)
    errors = np.array([error[np.searchsorted(passes, grid, side="right") - 1] for passes, error in found])
    mean, noise = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (mean - 3 * noise <= b.curve(P, grid, **known) * (1 + 1e-12)).all()
    assert np.mean([passes[-1] for passes, _ in found]) <= b.per("passes").for_problem(P, eps=1e-4, **known)


def ends_of_stages(P, method, seed, count):
    """Nonzeros visited and w at the end of each of the first stages."""
    S_ = method.init(P, "uniform")
    orders = method.orders(P, cdlab.samplings.Uniform(), np.random.default_rng(seed))
    visited = 0.0
    while count > 0:
        order = next(orders)
        S_ = method.epoch(method.view(P), S_, order)
        visited += method.count(P, S_, order)[1]
        if S_.stage.solved:
            count -= 1
            yield visited, method.points(P, S_).w


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("b", [b for b in MAIN if b.sampling == "uniform"], ids=lambda b: f"{b.method}-{b.theorem}")
def test_every_stage_contracts_as_promised_and_costs_what_it_may(b, case):
    P, mu_, best = CASES[case]()
    if not covers(b, case):
        with pytest.raises(ValueError, match="l1 = 0"):
            b.for_problem(P)
        return
    known, t = measured(P, mu_, best), np.arange(1, 9)
    W = b.per("cost per iteration").for_problem(P, **known)
    promised = b.curve(P, t * W / P.nnz, **known)  # after t stages
    visited = []
    for seed in range(10):
        ends = list(ends_of_stages(P, method_of(b, mu_), seed, t.size))
        assert (np.array([P.primal(w) for _, w in ends]) - best <= promised * (1 + 1e-9) + 1e-14).all()
        visited.append(ends[-1][0])
    assert np.mean(visited) <= t.size * W


def test_without_l2_mu_must_be_passed():
    P, mu_, _ = without_l2()
    for b in MAIN:
        with pytest.raises(ValueError, match=r"needs .*mu.*: pass .*mu=\.\.\."):
            b.for_problem(P)
        assert b.for_problem(P, mu=mu_) > 0


def test_the_default_weight_and_accuracy_are_the_methods_own():
    for P, mu_, _ in (without_l2(), regularised("logistic", 0.02, 0.0), regularised("smooth_hinge", 0.05, 0.02)):
        for b in MAIN:
            method, values = method_of(b, mu_), P.constants() | {"mu": mu_}
            for symbol, formula in b.defaults:
                values[symbol.name] = float(formula.subs({s: values[s.name] for s in formula.free_symbols}))
            assert values["prox_weight"] == pytest.approx(method.weight(P), rel=1e-12)
            asked = method.stop(P)[1]
            assert values.get("accuracy") == (asked if asked is None else pytest.approx(asked, rel=1e-12))


def test_l1_takes_no_more_accurate_stages():
    """The gap of a dual point is at most 1 + R^2/(gamma (l2 + lambda)) times its error, for any l1."""
    P, mu_, _ = regularised("smooth_hinge", 0.05, 0.02)
    without = problem("smooth_hinge", l2=mu_, l1=0.0, **SIZES)
    W = pick("dual_appa", "dual oracle").per("cost per iteration")
    assert W.for_problem(P) == W.for_problem(without)
    theory = DualAPPA(accuracy="theory")
    assert theory.stop(P) == theory.stop(without)


def test_the_theory_s_accuracy_chooses_its_theorem_and_other_accuracies_have_none():
    for cls in METHODS.values():
        assert cdlab.theory.bound(cls()).theorem == "relative gap"
        assert not cdlab.theory.bound(cls()).parameters
        assert cdlab.theory.bound(cls(accuracy="theory")).parameters == (("accuracy", "theory"),)
        with pytest.raises(ValueError, match="no theorem covers"):
            cdlab.theory.bound(cls(accuracy=10.0))
    with pytest.raises(ValueError, match="no theorem covers"):
        cdlab.theory.bound(DualAPPA(dual_start="zero"))


def test_what_is_outside_is_refused():
    with pytest.raises(ValueError, match="gamma > 0"):
        pick("appa", "theorem 2.4").for_problem(problem("hinge", l2=0.1), prox_weight=0.1)
    with pytest.raises(ValueError, match="gamma > 0"):
        pick("appa", "relative gap").for_problem(problem("hinge", l2=0.1), prox_weight=0.1)
    with pytest.raises(ValueError, match="accuracy >="):
        pick("appa", "theorem 2.4").for_problem(problem("logistic", l2=0.1), accuracy=2.0)
    assert all(np.isfinite(b.for_problem(softmax_problem())) for b in MAIN)


@each_of(
    "method, beyond",
    [
        (APPA(epochs=3), "epochs=3"),
        (APPA(decreasing=True), "decreasing=True"),
        (AccAPPA(epochs=3), "epochs=3"),
        (DualAPPA(decreasing=True), "decreasing=True"),
    ],
)
def test_heuristics_have_no_theorem(method, beyond):
    with pytest.raises(ValueError, match=f"no theorem covers {method.name} with {beyond}"):
        cdlab.theory.bound(method)
    cdlab.theory.bound(type(method)())
