"""SPDC on perturbed problems: where the perturbed optimum lies, Corollary 2 and its like, runs below the curves."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from linear_programs import linear_program
from problems import problem
from spdc_runs import SIZE, dominated, measured, numbers, pick, solved

import cdlab
from cdlab.methods.spdc import SPDC
from cdlab.samplings import TauNice
from cdlab.theory import symbols as S
from cdlab.theory.derivations import spdc
from cdlab.theory.derivations.spdc import BATCH, NORMS


@cache
def unperturbed(loss, l2, l1):
    """P*, ||w*||^2 and ||alpha*||^2 of one optimum."""
    P = problem(loss, l2=l2, l1=l1, **SIZE)
    if l2 > 0:
        _, w, alpha = solved(loss, l2, l1)
    elif P.loss.gamma > 0:
        w = cdlab.solve(P, "fista", tol=1e-12, max_passes=50_000).w if l1 else np.linalg.lstsq(P.X, P.y, rcond=None)[0]
        alpha = P.alpha(w)
    else:
        w, alpha = linear_program(P)
        assert P.gap(w, alpha) <= 1e-9
    return P.primal(w), w @ w, alpha @ alpha


CASES = {  # a push takes the first of each
    spdc.LOSS: [("hinge", 0.1, 0.0), ("absolute", 0.05, 0.02)],
    spdc.REGULARISER: [("squared", 0.0, 0.0), ("logistic", 0.0, 0.05)],
    spdc.BOTH: [("hinge", 0.0, 0.05), ("absolute", 0.0, 0.02)],
}
ALL_CASES = [
    pytest.param(case, *each, marks=() if each is among[0] else pytest.mark.full)
    for case, among in CASES.items()
    for each in among
]


def known(case, loss, l2, l1, **more):
    P = problem(loss, l2=l2, l1=l1, **SIZE)
    _, w2, a2 = unperturbed(loss, l2, l1)
    c = {name: P.constants()[name] for name in ("n", "d", "gamma", "R", "L")}
    L_f = np.linalg.norm(P.X, 2) ** 2 / (P.n * P.loss.gamma) if P.loss.gamma else 1.0
    return c | {"l2": l2, "l1": l1, "m": 1, "w2": w2, "a2": a2, "L_f": L_f} | more


@pytest.mark.parametrize(("case", "loss", "l2", "l1"), ALL_CASES)
def test_where_the_perturbed_optimum_lies_and_what_it_costs(case, loss, l2, l1):
    best, _, _ = unperturbed(loss, l2, l1)
    rng = np.random.default_rng(0)
    for delta in (0.05, 0.5):
        P, x, y = solved(loss, l2, l1, delta)
        values = known(case, loss, l2, l1, delta=delta)
        slope, curvature, y2 = (numbers(spdc.in_vocabulary(e), **values) for e in (case.slope, case.curvature, case.y))
        assert P.primal(x) - best <= numbers(spdc.perturbation_cost(case), **values) + 1e-9
        if case.x is None:
            assert P.n * x @ x + y @ y <= y2
        else:
            assert x @ x <= numbers(spdc.in_vocabulary(case.x), **values)
            assert y @ y <= y2
        for scale in (1e-3, 0.1, 1.0):
            other = x + scale * rng.standard_normal(x.size)
            far = np.linalg.norm(other - x)
            assert P.primal(other) - P.primal(x) <= slope * far + curvature / 2 * far**2 + 1e-9


@given(st.floats(0.1, 10), st.floats(0, 3), st.floats(1e-4, 1))
def test_the_allowed_distance_costs_half_of_eps(slope, curvature, eps):
    case = spdc.BOTH._replace(slope=sp.Float(slope), curvature=sp.Float(curvature))
    q = numbers(spdc.reachable_distance(case), eps=eps)
    assert slope * q + curvature / 2 * q**2 == pytest.approx(eps / 2)


def test_corollary_2_by_hand_printed_and_corrected():
    n, d, m, R, L, l1, w2, a2, eps = 40, 9, 4, 2.0, 1.0, 0.1, 3.0, 7.0, 0.05
    values = {"n": n, "d": d, "m": m, "R": R, "L": L, "l1": l1, "w2": w2, "a2": a2, "eps": eps}
    C1 = w2 + L**2
    delta = eps / C1
    tau, s = np.sqrt(m / n) / (2 * R), np.sqrt(n / m) / (2 * R)
    ratio = (1 / (2 * s) + delta) / (1 / (2 * tau) + delta)
    assert ratio <= 1  # so the printed C_2 is the larger one: not wrong, but not what the proof gives
    G2 = (L * R + l1 * np.sqrt(d)) ** 2
    found = {}
    for theorem, r in (("perturbed both", ratio), ("perturbed both, as printed", 1.0)):
        # n ||x_d||^2 + ||y_d||^2 <= n ||x*||^2 + ||y*||^2, all of it on y, which weighs more
        C2 = G2 * r * (n * w2 + a2) / m
        T = (n / m + C1 * R / eps * np.sqrt(n / m)) * np.log(4 * C2 / eps**2)
        assert pick(theorem).at(**values) == pytest.approx(T)
        found[theorem] = T
    assert found["perturbed both"] <= found["perturbed both, as printed"]


@pytest.mark.parametrize("scheme", [BATCH, NORMS])
def test_perturbing_both_all_of_the_distance_may_sit_on_y(scheme):
    """A_x <= n A_y for gamma = l2 = delta: of x and y with the same n ||x||^2 + ||y||^2 the worst start is y alone."""
    at = spdc.weights(scheme)
    beyond, batches = sp.Symbol("x", nonnegative=True), sp.Symbol("b", positive=True)  # b = n/m = 1 + x
    excess = (S.n * at.y - at.x).subs({S.gamma: S.delta, S.l2: S.delta, S.m: S.n / batches})
    assert sp.factor(sp.simplify(excess).subs(batches, 1 + beyond)).is_nonnegative


def test_a_problem_without_curvature_falls_back_to_the_perturbation_that_fits():
    b = pick("distance").per("passes")
    for (loss, l2, l1), theorem in (
        (("hinge", 0.1, 0.0), "perturbed loss"),
        (("logistic", 0.0, 0.02), "perturbed regulariser"),
        (("absolute", 0.0, 0.02), "perturbed both"),
    ):
        P = problem(loss, l2=l2, l1=l1, **SIZE)
        assert b.for_problem(P, 1e-3) == pytest.approx(pick(theorem).per("passes").for_problem(P, 1e-3))
        assert np.isfinite(b.for_problem(P, 1e-3))
        with pytest.raises(ValueError, match="delta"):
            b.curve(P, [0.0, 1.0])  # delta="auto" is not covered: a curve needs the delta that stays
    unregularised = problem("logistic", l2=0.0, **SIZE)
    with pytest.raises(ValueError, match="w2"):
        b.for_problem(unregularised)
    assert np.isfinite(b.for_problem(unregularised, w2=2.0))


# ------------------------------------------------------------ runs
@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(
    ("loss", "l2", "l1", "m", "delta"),
    [("hinge", 0.1, 0.0, 1, 0.02), ("absolute", 0.05, 0.02, 4, 0.05), ("squared", 0.0, 0.0, 1, 0.02),
     ("hinge", 0.0, 0.05, 4, 0.05)],
)  # fmt: skip
def test_runs_with_a_fixed_delta_stay_below_their_curve(loss, l2, l1, m, delta):
    P = problem(loss, l2=l2, l1=l1, **SIZE)
    best, w2, a2 = unperturbed(loss, l2, l1)
    case = next(case for case, among in CASES.items() if (loss, l2 > 0) in {(x[0], x[1] > 0) for x in among})
    t, rows = measured(P, SPDC(delta=delta), TauNice(m), 40, lambda x, at: P.primal(at.w) - best)
    dominated(pick(f"perturbed {case.what}"), P, t, rows, w2=w2, a2=a2, m=m, delta=delta)


@pytest.mark.full
@pytest.mark.parametrize(("loss", "l2", "l1"), [("hinge", 0.1, 0.0), ("logistic", 0.0, 0.05), ("hinge", 0.0, 0.05)])
def test_delta_auto_needs_no_more_than_the_best_fixed_delta_is_promised(loss, l2, l1):
    """No theorem covers delta="auto"; on these problems it keeps the promise of a delta made for each accuracy."""
    P = problem(loss, l2=l2, l1=l1, **SIZE)
    best, w2, a2 = unperturbed(loss, l2, l1)
    b = pick("distance").per("passes")
    t, rows = measured(P, SPDC(), TauNice(1), 260, lambda x, at: P.primal(at.w) - best)
    start = P.primal(np.zeros(P.d)) - best
    for eps in (0.1, 0.01):
        promised = b.for_problem(P, eps, w2=w2, a2=a2, P0=start)
        reached = np.argmax(rows.mean(axis=0) <= eps * start)
        assert 0 < t[reached] / P.n <= promised
