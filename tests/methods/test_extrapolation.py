"""Anderson extrapolation, and what it makes of iterations whose answer is known."""

from itertools import pairwise

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods import SAGA, Anderson, Averaged, Points, Quartz, WorkingSet
from cdlab.methods.rcd import RCD
from cdlab.methods.sdca import SDCA
from cdlab.methods.shared.anderson import weights

ROW, COLUMN = np.indices((5, 4))
X, y = (((3 * COLUMN + 5 * ROW) % 7) - 3) / 2, np.array([1.0, -1, 1, 1, -1])  # 5x4


def test_the_weights_are_of_sum_1_and_make_the_combined_residual_least():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((5, 9))
    c, residuals = weights(points), np.diff(points, axis=0)
    assert c.sum() == pytest.approx(1, rel=1e-12)
    for other in rng.standard_normal((50, 4)):
        moved = c + 0.1 * (other - other.mean())
        assert np.linalg.norm(c @ residuals) < np.linalg.norm(moved @ residuals)


def test_iterates_that_rest_or_are_not_finite_do_no_harm():
    rest = np.ones((4, 3))
    assert weights(rest) @ rest[1:] == pytest.approx(np.ones(3))
    assert np.isnan(weights(np.full((4, 3), np.inf))).all()


def test_dual_points_of_cyclic_sweeps_extrapolate_to_the_optimum():
    """5x4, squared loss: D* - D of alpha(w_k), k = 1..5, and of their extrapolation from 2..5 differences."""
    P, method = cdlab.Problem(X, y, loss="squared", l2=0.2), RCD()
    S = method.init(P, "cyclic")
    alphas = [P.alpha(S.w)]
    for _ in range(5):
        S = method.epoch(method.view(P), S, np.arange(4, dtype=np.uint64))
        alphas.append(P.alpha(S.w))
    best = P.dual(np.linalg.solve(np.eye(5) + X @ X.T / (P.l2 * P.n), y))
    plain = [best - P.dual(alpha) for alpha in alphas[1:]]
    np.testing.assert_allclose(
        plain, [0.0776375048, 0.002742350502, 0.0002200244217, 4.990459843e-05, 1.090392351e-05], rtol=1e-6
    )
    found = []
    for K in (2, 3, 4, 5):
        points = np.array(alphas[: K + 1])
        found.append(best - P.dual(weights(points) @ points[1:]))
    np.testing.assert_allclose(found, [0.005167389186, 0.000161959504, 8.021830609e-07, 0], rtol=1e-9, atol=1e-12)
    assert all(a > b for a, b in pairwise(found))


# ------------------------------------------------------------ sweeps as linear maps
def family(n=24, s0=0.05):
    """XX' = s0 I + (1 - s0) 11' and l2 n = s0: G = sigma I + (1 - sigma) 11', sigma = 2/21."""
    X = np.linalg.cholesky(s0 * np.eye(n) + (1 - s0))
    return cdlab.Problem(X, np.where(np.arange(n) % 3 == 0, 1.0, -1.0), loss="squared", l2=s0 / n)


def five_by_four():
    return cdlab.Problem(X, y, loss="squared", l2=0.2)


def swept(P, orders):
    """One repetition of sdca as a matrix in energy coordinates: the error's factor A^(1/2) T A^(-1/2)."""
    method, n = SDCA(), P.n
    values, vectors = np.linalg.eigh(np.eye(n) + P.X @ P.X.T / (P.l2 * n))
    root, inverse = (vectors * values**p @ vectors.T for p in (0.5, -0.5))
    at_zero, columns = None, []
    for start in (np.zeros(n), *np.eye(n)):
        S = method.init(P, "cyclic", Points(None, start))
        for order in orders:
            S = method.epoch(method.view(P), S, np.array(order, np.uint64))
        at_zero = S.alpha.copy() if at_zero is None else at_zero
        columns.append(S.alpha - at_zero)
    return root @ np.array(columns[1:]).T @ inverse


def radius(T):
    return np.abs(np.linalg.eigvals(T)).max()


@pytest.mark.parametrize(
    ("P", "cyclic", "symmetric", "extrapolated"),
    [
        (five_by_four(), 1.028986371, 3.620803254, 0.9298786934),
        (family(), 128.2458552, 507.2365981, 11.25910703),
    ],
    ids=["5x4", "n = 24, sigma = 2/21"],
)
def test_passes_that_orders_need_for_a_factor_e_of_the_dual_error(P, cyclic, symmetric, extrapolated):
    """The error is quadratic, and there and back are two passes; extrapolation of ever more points reaches zeta."""
    there, back = range(P.n), range(P.n)[::-1]
    forward, both = swept(P, [there]), swept(P, [there, back])
    rho = radius(both)
    assert -1 / np.log(radius(forward) ** 2) == pytest.approx(cyclic, rel=1e-8)
    assert -2 / np.log(rho**2) == pytest.approx(symmetric, rel=1e-8)
    assert rho == pytest.approx(np.linalg.norm(forward, 2) ** 2, rel=1e-9)
    np.testing.assert_allclose(both, both.T, atol=1e-9)
    zeta = (1 - np.sqrt(1 - rho)) / (1 + np.sqrt(1 - rho))
    assert -1 / np.log(zeta) == pytest.approx(extrapolated, rel=1e-8)


@each_of("K", [2, 5, 8])
def test_symmetric_sweeps_extrapolate_within_their_bound(K):
    """||sum c_k r_k||_A <= sqrt(cond A) 2 zeta^(K - 1)/(1 + zeta^(2K - 2)) ||r_1||_A with Euclidean weights."""
    P, method = family(), SDCA()
    S, points = method.init(P, "symmetric"), [np.zeros(P.n)]
    orders = cdlab.samplings.Symmetric().epochs(P.coordinates("dual"), None)
    for _ in range(K):
        for _ in range(2):
            S = method.epoch(method.view(P), S, next(orders))
        points.append(S.alpha.copy())
    A = np.eye(P.n) + P.X @ P.X.T / (P.l2 * P.n)
    residuals = np.diff(points, axis=0)
    combined = weights(np.array(points)) @ residuals
    rho = radius(swept(P, [range(P.n), range(P.n)[::-1]]))
    zeta = (1 - np.sqrt(1 - rho)) / (1 + np.sqrt(1 - rho))
    promised = 2 * zeta ** (K - 1) / (1 + zeta ** (2 * K - 2)) * np.sqrt(residuals[0] @ A @ residuals[0])
    assert np.sqrt(combined @ A @ combined) <= np.sqrt(np.linalg.cond(A)) * promised


# ------------------------------------------------------------ the option of sdca and rcd
@each_of("order", ["symmetric", "cyclic", "fixed_permutation"])
@each_of("method, l1", [("sdca", 0.0), ("sdca", 0.02), ("rcd", 0.0), ("rcd", 0.02)])
def test_what_a_method_minimises_never_rises_and_its_answer_is_the_same(method, order, l1):
    P = problem("logistic", l1=l1, l2=0.01)
    plain = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-12, max_passes=5000)
    s = cdlab.solve(P, method, sampling=order, anderson=5, tol=1e-10, max_passes=5000, every=1)
    assert s.status == "tolerance reached"
    np.testing.assert_allclose(s.w, plain.w, atol=1e-4)
    values = [-record.dual if method == "sdca" else record.primal for record in s.trace.records]
    assert all(after <= before + 1e-13 for before, after in pairwise(values))
    assert s.trace.records[1].passes == pytest.approx(1), "trials visit nothing"


@pytest.mark.parametrize("order", ["symmetric", "cyclic"])
def test_where_sweeps_are_slow_extrapolation_is_far_ahead_after_as_many_passes(order):
    P = family()
    best = P.dual(np.linalg.solve(np.eye(P.n) + P.X @ P.X.T / (P.l2 * P.n), P.y))
    extrapolated, plain = (
        best - cdlab.solve(P, method, sampling=order, tol=0, max_passes=200).trace.records[-1].dual
        for method in (Anderson(SDCA(), 5), SDCA())
    )
    assert extrapolated < 1e-3 * plain


def test_what_does_not_repeat_is_refused():
    for sampling in ("uniform", "permutation"):
        with pytest.raises(
            ValueError, match=f"extrapolates sweeps that repeat, and {sampling} does not: use symmetric"
        ):
            cdlab.solve(problem(), "rcd", sampling=sampling, anderson=5)
    with pytest.raises(ValueError, match="anderson must be a whole number >= 2, or None, not 1"):
        Anderson(SDCA(), 1)
    for other in (Averaged(SDCA(), "all"), WorkingSet(RCD()), Quartz(averaged_primal=True), SAGA()):
        with pytest.raises(ValueError, match="anderson goes with .* is none: leave anderson out"):
            Anderson(other, 5)
    with pytest.raises(ValueError, match="no theorem covers symmetric sampling"):
        cdlab.theory.bound("sdca", sampling="symmetric")
