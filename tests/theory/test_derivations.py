"""The derivations, each against an independent referee: plain enumeration, brute force, or a run of the method."""

import itertools

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from cdlab import theory
from cdlab.theory import symbols as S
from cdlab.theory.derivations import counts
from cdlab.theory.theorems import sdca


# ------------------------------------------------------------ contraction -> count
@given(st.floats(1.01, 1e4), st.floats(1e-3, 1e3), st.floats(1e-9, 0.9))
def test_exact_count_is_the_first_t_at_which_the_guarantee_is_eps(K, constant, relative):
    eps = relative * constant
    b = theory.bound("rcd", "iterations", "given")
    t = int(np.ceil(b.sharper().at(K=K, P0=constant, eps=eps)))
    assert constant * (1 - 1 / K) ** t <= eps * (1 + 1e-9)
    if t >= 1:
        assert constant * (1 - 1 / K) ** (t - 1) >= eps * (1 - 1e-9)
    assert b.at(K=K, P0=constant, eps=eps) >= b.sharper().at(K=K, P0=constant, eps=eps)


def test_the_logarithm_inequality_that_gives_the_printed_form():
    rho = sp.Symbol("rho", positive=True)
    difference = sp.log(1 / (1 - rho)) - rho
    assert difference.subs(rho, 0) == 0
    assert sp.simplify(sp.diff(difference, rho) - rho / (1 - rho)) == 0  # > 0 on (0, 1)


# ------------------------------------------------------------ sampling -> K and W
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_closed_forms_of_K_and_W_are_the_maximum_and_the_sum(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    X[0, 0] = 1
    l2, gamma = rng.uniform(0.01, 1, 2)
    for method, axis in (("quartz", 1), ("rcd", 0)):
        v, c = (X**2).sum(axis), (X != 0).sum(axis)
        values = {
            "n": n,
            "d": d,
            "nnz": (X != 0).sum(),
            "l2": l2,
            "gamma": gamma,
            "F": (X**2).sum(),
            "R": np.sqrt((X**2).sum(1).max()),
            "R_col": np.sqrt((X**2).sum(0).max()),
            "C_P": v @ c,
            "C_D": v @ c,
        }
        s = v / gamma + l2 * n
        for sampling, p in (("uniform", np.full(v.size, 1 / v.size)), ("importance", s / s.sum())):
            K, W, T = (theory.bound(method, q, sampling).at(**values) for q in ("K", "cost per iteration", "T"))
            assert pytest.approx((s / (p * l2 * n)).max(), rel=1e-10) == K
            assert pytest.approx(p @ c, rel=1e-10) == W
            assert pytest.approx(K * W, rel=1e-10) == T


def test_sums_over_coordinates_agree_with_sympys_own_sum():
    f = (S.v[S.i] / S.gamma + S.l2 * S.n) * (S.c[S.i] + 3)
    summed = counts.sum_over_lines(f, counts.DUAL)
    v, c = sp.symbols("v1:4", positive=True), sp.symbols("c1:4", positive=True)
    concrete = sum(f.subs({S.v[S.i]: v[k], S.c[S.i]: c[k], S.n: 3}) for k in range(3))
    moments = {S.n: 3, S.F: sum(v), S.nnz: sum(c), S.C_D: sum(v[k] * c[k] for k in range(3))}
    assert sp.expand(concrete - summed.subs(moments)) == 0


def test_a_maximum_that_is_not_at_the_largest_norm_is_refused():
    with pytest.raises(ValueError, match="not at the largest"):
        counts.largest_over_lines(1 / (S.v[S.i] + 1), counts.DUAL)


# ------------------------------------------------------------ the theorems, against one enumerated step of the method
class Ridge:
    """Squared loss on random data: everything about one step is known in closed form."""

    def __init__(self, rng, l2):
        self.n, self.d, self.l2 = 6, 4, l2
        self.X = rng.standard_normal((self.n, self.d)) * rng.uniform(0.2, 3, (self.n, 1))
        self.y = np.where(rng.random(self.n) < 0.5, -1.0, 1.0)
        H = self.X.T @ self.X / self.n + l2 * np.eye(self.d)
        self.optimum = self.primal(np.linalg.solve(H, self.X.T @ self.y / self.n))

    def primal(self, w):
        return np.mean((self.X @ w - self.y) ** 2) / 2 + self.l2 / 2 * w @ w

    def w(self, alpha):
        return self.X.T @ alpha / (self.l2 * self.n)

    def dual(self, alpha):
        w = self.w(alpha)
        return -np.mean(alpha**2 / 2 - alpha * self.y) - self.l2 / 2 * w @ w


SAMPLINGS = ("uniform", "importance", "norms", "lipschitz")


def probabilities(sampling, v, l2n):
    s = v + l2n
    weights = {
        "uniform": np.ones_like(v),
        "importance": s,
        "norms": 1 / v.size + np.sqrt(v) / np.sqrt(v).sum(),
        "lipschitz": np.sqrt(s),
    }[sampling]
    return weights / weights.sum()


def problems(plain):
    rng = np.random.default_rng(7)
    for l2, sampling, _ in itertools.product((0.02, 0.5), SAMPLINGS, range(4)):
        ridge = Ridge(rng, l2)
        yield ridge, plain(ridge.X, "squared", l2), sampling, rng


def test_one_dual_step_gains_the_gap_over_K(plain):
    """E D(alpha+) - D(alpha) >= (P(w(alpha)) - D(alpha))/K: what the bounds of sdca and quartz (plain) rest on."""
    for ridge, P, sampling, rng in problems(plain):
        alpha = rng.standard_normal(ridge.n)
        w, before = ridge.w(alpha), ridge.dual(alpha)
        v = (ridge.X**2).sum(axis=1)
        q = probabilities(sampling, v, ridge.l2 * ridge.n)
        for method in ("sdca", "quartz"):
            K = theory.bound(method, "K", sampling).for_problem(P)
            gain = 0.0
            for i in range(ridge.n):
                t, c = ridge.X[i] @ w, v[i] / (ridge.l2 * ridge.n)
                after = alpha.copy()
                if method == "sdca":
                    after[i] = (ridge.y[i] - t + c * alpha[i]) / (1 + c)
                else:
                    after[i] -= (t - ridge.y[i] + alpha[i]) / (K * q[i])
                gain += q[i] * (ridge.dual(after) - before)
            assert gain >= (ridge.primal(w) - before) / K * (1 - 1e-12)


def test_one_averaged_quartz_step_contracts_the_gap(plain):
    """E[P(w+) - D(alpha+)] <= (1 - 1/K) (P(w) - D(alpha)) for any w."""
    for ridge, P, sampling, rng in problems(plain):
        K = theory.bound("quartz", "K", sampling, "averaged").for_problem(P)
        v = (ridge.X**2).sum(axis=1)
        q = probabilities(sampling, v, ridge.l2 * ridge.n)
        alpha, w = rng.standard_normal(ridge.n), rng.standard_normal(ridge.d)
        w_plus = (1 - 1 / K) * w + ridge.w(alpha) / K
        expected = 0.0
        for i in range(ridge.n):
            after = alpha.copy()
            after[i] -= (ridge.X[i] @ w_plus - ridge.y[i] + alpha[i]) / (K * q[i])
            expected += q[i] * (ridge.primal(w_plus) - ridge.dual(after))
        assert expected <= (1 - 1 / K) * (ridge.primal(w) - ridge.dual(alpha)) * (1 + 1e-12)


def test_one_primal_step_contracts_the_suboptimality(plain):
    """E P(w+) - P* <= (1 - 1/K) (P(w) - P*)."""
    for ridge, P, sampling, rng in problems(plain):
        K = theory.bound("rcd", "K", sampling).for_problem(P)
        v = (ridge.X**2).sum(axis=0)
        p = probabilities(sampling, v, ridge.l2 * ridge.n)
        w = rng.standard_normal(ridge.d)
        gradient = ridge.X.T @ (ridge.X @ w - ridge.y) / ridge.n + ridge.l2 * w
        expected = 0.0
        for j in range(ridge.d):
            after = w.copy()
            after[j] -= gradient[j] / (v[j] / ridge.n + ridge.l2)
            expected += p[j] * (ridge.primal(after) - ridge.optimum)
        assert expected <= (1 - 1 / K) * (ridge.primal(w) - ridge.optimum) * (1 + 1e-12)


def test_hinge_dual_error_stays_below_the_lipschitz_curve(plain):
    """Mean of 40 runs of SDCA, hinge loss, uniform sampling, minus three standard errors, at every iteration."""
    rng = np.random.default_rng(11)
    n, steps, l2 = 40, 400, 0.2
    X = rng.standard_normal((n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    Z = y[:, None] * X  # b = y alpha in [0, 1]

    def dual(b):
        return b.mean() - np.sum((Z.T @ b / n) ** 2) / (2 * l2)

    best = -minimize(
        lambda b: -dual(b), np.full(n, 0.5), jac=lambda b: -(1 / n - Z @ (Z.T @ b) / (l2 * n**2)),
        bounds=[(0, 1)] * n, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-12},
    ).fun  # fmt: skip
    errors = np.empty((40, steps + 1))
    for run in errors:
        b = np.zeros(n)
        run[0] = best - dual(b)
        for step in range(steps):
            i = rng.integers(n)
            q = Z[i] @ Z[i] / (l2 * n)
            b[i] = np.clip(b[i] + (1 - Z[i] @ (Z.T @ b) / (l2 * n)) / q, 0, 1)
            run[step + 1] = best - dual(b)
    mean, error = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    bound = theory.bound("sdca", theorem="lipschitz")
    curve = bound.curve(plain(X, "hinge", l2), np.arange(steps + 1) / n, D0=best)
    assert curve[0] == pytest.approx(best)  # t0 > 0: the early phase, then the 1/t rate
    assert (mean - 3 * error <= curve * (1 + 1e-12)).all()


# ------------------------------------------------------------ the Lipschitz theorem's algebra
def test_the_early_phase_solves_its_recursion():
    G = 4 * S.L**2 * S.R**2
    e = sdca.UNIFORM.early_error()
    assert e.subs(S.t, 0).expand() == S.D0
    step = e.subs(S.t, S.t + 1) - ((1 - 1 / S.n) * e + G / (2 * S.l2 * S.n**2))
    assert sp.simplify(step) == 0


@given(st.floats(1e-3, 1.0), st.integers(2, 500), st.floats(0.1, 3.0), st.floats(1e-3, 2.0))
def test_the_early_phase_ends_below_the_late_rate(l2, n, R, D0):
    values = {"n": n, "l2": l2, "L": 1.0, "R": R, "D0": D0}
    t0 = float(sdca.UNIFORM.start.subs({theory.SYMBOLS[k]: v for k, v in values.items()}))
    early = sdca.UNIFORM.early_error().subs({theory.SYMBOLS[k]: v for k, v in values.items()})
    late = 8 * R**2 / (l2 * 2 * n)  # at t0
    assert float(early.subs(S.t, t0)) <= late * (1 + 1e-9)


def test_the_averaged_count_brings_both_terms_to_half_of_eps():
    # T0 - t0 = 16 L^2 R^2/(l2 eps), T - T0 = n + 4 L^2 R^2/(l2 eps)
    beyond = sdca.UNIFORM.gap_count() - sdca.UNIFORM.start
    assert sp.simplify(beyond - S.n - 20 * S.L**2 * S.R**2 / (S.l2 * S.eps)) == 0
    G, T0 = 4 * S.L**2 * S.R**2, 16 * S.L**2 * S.R**2 / (S.l2 * S.eps)
    first, second = 2 * G / (S.l2 * (2 * S.n + T0)), G / (2 * S.l2 * (beyond - T0))
    numbers = {S.L: 1, S.R: 2, S.l2: sp.Rational(1, 10), S.n: 50}
    for eps in (sp.Rational(1), sp.Rational(1, 1000)):
        assert (first + second).subs(numbers).subs(S.eps, eps) <= eps
