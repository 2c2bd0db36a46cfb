"""Exact rates of coordinate descent on 5 x 4, both sides and all orders: ten digits, and all sequences of draws."""

from itertools import permutations, product

import mpmath
import numpy as np
import pytest
from cases import each_of, pushed
from golden_data import DIGITS, five_by_four

import cdlab
from cdlab.theory import exact_rate

QUANTITY = {"sdca": "D*-D", "rcd": "P-P*"}
START = {"sdca": 0.06794090016, "rcd": 0.4320590998}


@each_of(
    "method, sampling, radius, epochs, worst, first, second, third",
    [
        ("sdca", "uniform", 0.6948330023, 2.746620823, 0.7560779264, 0.02439669858, 0.01231646443, 0.006468899427),
        ("sdca", "importance", 0.6859681293, 2.653053945, 0.7497408288, 0.0244895564, 0.01266379188, 0.006886977019),
        ("sdca", "permutation", 0.5632062232, 1.741828225, 0.6152564321, 0.01183763521, 0.004445656173, 0.001779400481),
        ("sdca", "cyclic", 0.3783898863, 1.028986371, 0.7586749827, 0.01405889718, 0.004829126419, 0.001760421483),
        ("rcd", "uniform", 0.5629281195, 1.740331012, 0.6353848584, 0.09772485825, 0.0402152757, 0.01791321391),
        ("rcd", "importance", 0.6253866068, 2.130446155, 0.6963471419, 0.08986439189, 0.03648411021, 0.01769214203),
        ("rcd", "permutation", 0.3676357791, 0.9993378772, 0.4285210171, 0.05262628188, 0.01306738527, 0.004200040942),
        ("rcd", "cyclic", 0.1382706266, 0.5054225644, 0.5793201679, 0.014320218, 0.0005001209791, 6.819975588e-05),
    ],
)
def test_rates_curves_and_worst_epochs_are_the_golden_ones(
    method, sampling, radius, epochs, worst, first, second, third
):
    rate = exact_rate(five_by_four(), method, sampling)
    assert rate.radius == pytest.approx(radius, rel=DIGITS)
    assert rate.epochs == pytest.approx(epochs, rel=DIGITS)
    assert rate.worst_epoch == pytest.approx(worst, rel=DIGITS)
    assert rate.curve(3, QUANTITY[method]) == pytest.approx([START[method], first, second, third], rel=DIGITS)
    assert rate.interval[0] <= rate.radius <= rate.interval[1] <= rate.radius * (1 + 1e-10)
    assert rate.kind == "exact"


@each_of(
    "sampling, values",
    [
        ("uniform", (0.06003892416, 0.02751925104, 0.0130834672)),
        ("permutation", (0.02632817962, 0.007709951801, 0.003083776139)),
    ],
)
def test_primal_errors_of_a_dual_method_are_the_golden_ones(sampling, values):
    rate = exact_rate(five_by_four(), "sdca", sampling)
    assert rate.curve([1, 2, 3], "P-P*") == pytest.approx(values, rel=DIGITS)
    assert rate.curve(3, "gap") == pytest.approx(rate.curve(3, "P-P*") + rate.curve(3, "D*-D"), rel=1e-12)


def errors_after(problem, method, order):
    """D* - D, P - P*, gap and ||w - w*||^2 after exact steps in this order from zero, by the problem's own formulas."""
    X, y, n, l2 = problem.X, problem.y, problem.n, problem.l2
    A, b = (np.eye(n) + X @ X.T / (l2 * n), y) if method == "sdca" else (X.T @ X / n + l2 * np.eye(4), X.T @ y / n)
    optimum = np.linalg.solve(X.T @ X / n + l2 * np.eye(4), X.T @ y / n)
    x = np.zeros(len(b))
    for i in order:
        x[i] += (b[i] - A[i] @ x) / A[i, i]
    w, alpha = (problem.w(x), x) if method == "sdca" else (x, problem.alpha(x))
    P, D, best = problem.primal(w), problem.dual(alpha), problem.primal(optimum)
    return np.array([best - D, P - best, P - D, (w - optimum) @ (w - optimum)])


@each_of("method, sampling", list(product(["sdca", "rcd"], ["uniform", "permutation", "importance"])))
def test_one_epoch_is_the_mean_over_all_sequences_of_draws(method, sampling):
    problem = five_by_four()
    N = 5 if method == "sdca" else 4
    side = "dual" if method == "sdca" else "primal"
    if sampling == "permutation":
        orders = list(permutations(range(N)))
        weights = np.full(len(orders), 1 / len(orders))
    else:
        s = problem.coordinates(side).smoothness
        p = s / s.sum() if sampling == "importance" else np.full(N, 1 / N)
        orders = list(product(range(N), repeat=N))
        weights = np.array([np.prod(p[list(order)]) for order in orders])
    mean = weights @ [errors_after(problem, method, order) for order in orders]
    rate = exact_rate(problem, method, sampling)
    for quantity, expected in zip(("D*-D", "P-P*", "gap", "|w-w*|^2"), mean, strict=True):
        assert rate.curve([1], quantity) == pytest.approx([expected], rel=1e-10)


def test_slow_modes_that_hardly_move_w_are_seen_later_than_the_radius_says():
    curve = exact_rate(five_by_four(), "sdca", "uniform").curve(10, "|w-w*|^2")  # n > d: they lie near null(X')
    assert (curve[10] / curve[4]) ** (1 / 6) == pytest.approx(0.5444090161, rel=DIGITS)


# ---------------------------------------------------------------- in 60 digits
def radius_in_60_digits(P, p, steps):
    """The radius of `steps` exact steps of sdca with probabilities p, from L as a matrix on vec(M)."""
    with mpmath.workdps(60):
        X, n = mpmath.matrix(P.X.tolist()), P.n
        G = X * X.T / (mpmath.mpf(P.l2) * n**2) + mpmath.eye(n) / n  # of D's quadratic, phi* has modulus 1
        L = mpmath.zeros(n * n)
        for i in range(n):
            T = mpmath.eye(n)
            for j in range(n):
                T[i, j] -= G[i, j] / G[i, i]
            for a, b, c, d in product(range(n), repeat=4):
                L[n * a + b, n * c + d] += mpmath.mpf(float(p[i])) * T[c, a] * T[d, b]
        values, _ = mpmath.eig(L)
        return max(abs(value) for value in values) ** steps


@pytest.mark.parametrize("seed", pushed(range(12), 0, 1, 2))
def test_the_interval_contains_the_radius_to_60_digits(seed):
    """Also where norms differ by 1e5, so that 1 - radius is 1e-10."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    X = rng.standard_normal((n, 3)) * 10.0 ** (rng.uniform(-2.5, 2.5, (n, 1)) * (seed % 3))
    P = cdlab.Problem(X, rng.standard_normal(n), loss="squared", l2=10.0 ** rng.uniform(-4, 1))
    rate = exact_rate(P, "sdca", "uniform")
    true = radius_in_60_digits(P, np.full(n, 1 / n), n)
    assert rate.interval[0] <= true <= rate.interval[1]
