"""The APPA family: what it is in special cases, and un-regularised problems."""

import numpy as np
import pytest
from appa_stages import ends_of_stages, least_squares, prox_point
from cases import each_of
from problems import optimum, problem
from scipy.optimize import minimize

import cdlab
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.accprox_sdca import AccProxSDCA
from cdlab.methods.apcg import APCG
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA
from cdlab.methods.svrg import SVRG


def test_with_exact_inner_solves_appa_is_the_proximal_point_method():
    P = problem("squared", l2=0.0)
    found = ends_of_stages(P, APPA(prox_weight=1.0, epochs=120), 12)
    x = np.zeros(P.d)
    for ours in found:
        x = prox_point(P, 1.0, x)
        np.testing.assert_allclose(ours, x, atol=1e-12)


def test_the_same_for_the_logistic_loss():
    P = problem(l2=0.0, l1=0.0)
    x = np.zeros(P.d)
    for ours in ends_of_stages(P, APPA(prox_weight=0.2, accuracy=1e14), 5):
        Q = cdlab.problems.proximal.ProximalProblem(P, 0.2, x)
        x = minimize(Q.primal, x, jac=Q.gradient, method="BFGS", options={"gtol": 1e-10}).x
        np.testing.assert_allclose(ours, x, atol=1e-6)


@each_of("method, epochs", [(DualAPPA, 1), (APPA, 3)])
@each_of("l1", [0.0, 0.02])
def test_without_prox_weight_it_is_its_inner_method(method, epochs, l1):
    P = problem(l1=l1)
    ours, plain = (
        cdlab.solve(P, m, tol=1e-9, sampling="permutation") for m in (method(prox_weight=0.0, epochs=epochs), "sdca")
    )
    assert np.array_equal(ours.w, plain.w)
    assert np.array_equal(ours.trace.column("passes"), plain.trace.column("passes"))


# ------------------------------------------------------------ un-regularised problems
UNREGULARISED = [
    APPA(),
    APPA(inner=SVRG()),
    APPA(decreasing=True),
    APPA(decreasing=True, inner=SVRG()),
    DualAPPA(),
    DualAPPA(decreasing=True),
    AccAPPA(mu=0.05),
    AccAPPA(mu=0.05, inner=APCG()),
    APPA(mu=0.05, inner=APCG()),
    DualAPPA(mu=0.05, inner=APCG()),
    DualAPPA(mu=0.05, inner=AccProxSDCA()),
]


@pytest.mark.parametrize("method", UNREGULARISED, ids=lambda m: m.label)
def test_least_squares(method):
    P, mu, best = least_squares(condition=20)
    s = cdlab.solve(P, method, tol=1e-10, max_passes=5000, strong_convexity=mu)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - P.primal(best) <= s.gap + 1e-15 <= 1e-9 * P.primal(np.zeros(P.d))
    np.testing.assert_allclose(s.alpha, P.y - P.X @ s.w, atol=1e-15)  # -phi'(Xw)


def not_separable():
    """Logistic loss with a minimiser: as many noise labels as it takes."""
    P = problem(n=60, l2=0.0)
    found = minimize(P.primal, np.zeros(P.d), jac=P.gradient, method="BFGS", options={"gtol": 1e-10})
    assert (P.y * (P.X @ found.x)).min() < -1
    z = P.X @ found.x
    curvature = np.linalg.eigvalsh(P.X.T * (1 / (2 + 2 * np.cosh(z))) @ P.X / P.n)[0]
    return P, found, curvature


@pytest.mark.parametrize("cls", [APPA, AccAPPA, DualAPPA])
@pytest.mark.parametrize("inner", [cdlab.methods.SDCA(), APCG()], ids=lambda m: m.name)
def test_logistic_regression_without_regulariser(cls, inner):
    P, found, curvature = not_separable()
    s = cdlab.solve(P, cls(inner=inner, mu=curvature), tol=1e-5, max_passes=10_000)
    assert s.status == "gradient small"
    assert P.primal(s.w) - found.fun <= 1e-8 * (P.primal(np.zeros(P.d)) - found.fun)


def test_mu_need_not_be_known():
    P, found, _ = not_separable()
    for method in ("dual_appa", "appa"):
        cls = {"dual_appa": DualAPPA, "appa": APPA}[method]
        s = cdlab.solve(P, cls(), tol=1e-6, max_passes=5000)
        assert s.status == "gradient small"
        assert P.primal(s.w) - found.fun <= 1e-9


@pytest.mark.full
@pytest.mark.parametrize(
    "method",
    [APPA(), DualAPPA(), APPA(accuracy=10.0), DualAPPA(accuracy=100.0), DualAPPA(inner=APCG(), epochs=10)],
    ids=lambda m: m.label,
)
def test_the_lasso_kind(method):
    """l2 = 0 < l1: the feasible dual point certifies."""
    P = problem(l2=0.0, l1=0.02)
    s = cdlab.solve(P, method, tol=1e-8, max_passes=10_000)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - optimum("logistic", 0.0, 0.02)) <= s.gap + 1e-9


# ------------------------------------------------------------ when a stage ends
@pytest.mark.full
@pytest.mark.parametrize("cls", [APPA, DualAPPA, AccAPPA])
@pytest.mark.parametrize(("loss", "l2"), [("logistic", 0.02), ("squared", 0.1), ("smooth_hinge", 0.05)])
def test_stages_end_before_the_paper_s_oracles_would(cls, loss, l2):
    """Both certify every stage; for dual_appa the oracle's accuracy is a polynomial of the condition number. That of
    acc_appa is as much work."""
    P = problem(loss, l2=l2, n=60, d=8)
    default, oracle, epochs = (
        cdlab.solve(P, cls(**how), tol=1e-6, max_passes=3000).trace.records[-1].passes
        for how in ({}, {"accuracy": "theory"}, {"epochs": 1})
    )
    assert default < {DualAPPA: 0.5, APPA: 0.9, AccAPPA: 1.1}[cls] * oracle
    if cls is not AccAPPA:
        assert default < 2 * epochs


@each_of("cls", [APPA, DualAPPA])
@each_of("settings", [{}, {"l1": 0.02}, {"loss": "hinge"}])
def test_at_the_end_of_a_stage_p_is_at_most_its_dual_value(cls, settings):
    """P(x') <= D_x(alpha'), which is what the rate of exact steps takes: D_x(alpha') <= P* + q (P(x) - P*)."""
    P = problem(l2=0.05, **({"loss": "logistic"} | settings))
    method = cls(prox_weight=0.5)
    S, orders = method.init(P, "uniform"), method.orders(P, cdlab.samplings.Uniform(), np.random.default_rng(0))
    ends = 0
    while ends < 12:
        S = method.epoch(method.view(P), S, next(orders))
        if S.stage.solved:
            ends += 1
            Q, at = S.stage.problem, S.stage.at
            assert P.primal(at.w) <= Q.dual(at.alpha) + 1e-14
            np.testing.assert_array_equal(Q.center, S.outer.center)


@pytest.mark.parametrize("dual_start", ["warm", "zero"])
def test_dual_appa_arrives_from_any_alpha(dual_start):
    P, _, best = least_squares(condition=20)
    s = cdlab.solve(P, DualAPPA(dual_start=dual_start), tol=1e-6, max_passes=3000)
    assert P.primal(s.w) - P.primal(best) <= 1e-9


def test_dual_appa_can_begin_at_the_paper_s_dual_point():
    """alpha_i = -phi'(x_i'x_0), at x_0 = 0 and at any other start."""
    P = problem("logistic", l2=0.05)
    for w in (np.zeros(P.d), np.linspace(-1, 1, P.d)):
        S = DualAPPA(first_dual="primal").init(P, "uniform", cdlab.methods.Points(w, np.zeros(P.n)))
        np.testing.assert_allclose(S.stage.state.alpha, P.y / (1 + np.exp(P.y * (P.X @ w))), atol=1e-15)
        np.testing.assert_allclose(S.stage.state.v, P.X.T @ S.stage.state.alpha / P.n + S.weight * w, atol=1e-15)
