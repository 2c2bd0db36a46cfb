"""Data on which rates are formulas: golden numbers, and each formula against the general operators."""

import numpy as np
import pytest
from cases import each_of
from golden_data import (
    DIGITS,
    arrow,
    equicorrelated_problem,
    equicorrelated_worst_epoch,
    five_by_four,
    gram_problem,
    homogeneous_decrease,
    identical_decrease,
    orthogonal_curve,
    separate_groups,
    two_clusters,
)

from cdlab.exact_rates.closed_forms import equicorrelated_radius, slowest_decrease
from cdlab.exact_rates.result import per_factor_e
from cdlab.theory import exact_rate

ORDERS = ("uniform", "permutation", "cyclic")


# ------------------------------------------------------------ the equicorrelated family
@each_of(
    "n, sigma, radii, epochs",
    [
        (24, 2 / 21, (0.8393483959, 0.8189109941, 0.9922327989), (5.71006329, 5.005509129, 128.2458552)),
        (24, 0.05, (0.9088193742, 0.9008043865, 0.9962626044), (10.45927593, 9.572386926, 267.06569)),
        (10, 0.1, (0.8310657776, 0.8002239649, 0.9561654308), (5.404051984, 4.487048787, 22.30930976)),
    ],
)
def test_equicorrelated_rates(n, sigma, radii, epochs):
    found = [equicorrelated_radius(n, sigma, sampling) for sampling in ORDERS]
    assert found == pytest.approx(radii, rel=DIGITS)
    assert [per_factor_e(radius) for radius in found] == pytest.approx(epochs, rel=DIGITS)


def test_equicorrelated_worst_epochs_and_limits():
    assert equicorrelated_worst_epoch(24, 2 / 21, "uniform") == pytest.approx(0.842163188, rel=DIGITS)
    assert equicorrelated_worst_epoch(24, 2 / 21, "permutation") == pytest.approx(0.8221515921, rel=DIGITS)
    cyclic = exact_rate(equicorrelated_problem(24, 2 / 21), "sdca", "cyclic")
    assert cyclic.worst_epoch == pytest.approx(0.9980304755, rel=DIGITS)
    sigma, many = 2 / 21, 10**6
    assert (1 + sigma) / (2 * sigma) == pytest.approx(5.75, rel=DIGITS)
    assert per_factor_e(equicorrelated_radius(many, sigma, "uniform")) == pytest.approx(5.75, rel=1e-5)
    limit = 1 / np.log((1 + sigma) / (1 - sigma))
    assert limit == pytest.approx(5.234088408, rel=DIGITS)
    assert per_factor_e(equicorrelated_radius(many, sigma, "permutation")) == pytest.approx(limit, rel=1e-5)


@pytest.mark.full
def test_cyclic_order_on_the_equicorrelated_family_slows_down_like_n_squared():
    sigma, n = 2 / 21, 1000
    epochs = per_factor_e(equicorrelated_radius(n, sigma, "cyclic"))
    assert epochs == pytest.approx(217789.9007, rel=1e-7)  # the radius is 1 - 5e-6
    assert (1 - sigma) ** 2 * n**2 / (4 * np.pi**2 * sigma) == pytest.approx(217719.9244, rel=DIGITS)


@each_of("n, sigma", [(2, 0.3), (5, 0.05), (9, 0.4), (12, 2 / 21)])
def test_the_family_is_what_the_operators_find(n, sigma):
    problem = equicorrelated_problem(n, sigma)
    for sampling in ORDERS:
        rate = exact_rate(problem, "sdca", sampling)
        assert rate.radius == pytest.approx(equicorrelated_radius(n, sigma, sampling), rel=1e-10)
    for sampling in ORDERS[:2]:
        worst = exact_rate(problem, "sdca", sampling).worst_epoch
        assert worst == pytest.approx(equicorrelated_worst_epoch(n, sigma, sampling), rel=1e-10)


def test_two_identical_rows_under_permutations():
    sigma = 0.3
    assert equicorrelated_radius(2, sigma, "permutation") == pytest.approx(0.7**2 * (1 + 0.7**2) / 2, rel=1e-14)


# ------------------------------------------------------------ worst cases and symmetric data
def test_worst_case_of_uniform_draws():
    assert slowest_decrease(2 / 21, 24 - 23 * 2 / 21) == pytest.approx(0.1744919940, rel=DIGITS)
    r = slowest_decrease(0.1882622795, 2.667788016)
    assert (r, 1 - r / 5) == pytest.approx((0.3319102017, 0.9336179597), rel=DIGITS)
    assert exact_rate(five_by_four()).radius ** (1 / 5) == pytest.approx(0.9297711956, rel=DIGITS)


def test_no_unit_diagonal_matrix_is_slower_than_the_worst_case():
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = int(rng.integers(3, 7))
        rows = rng.standard_normal((n, n)) + rng.standard_normal() * rng.uniform(0, 2)
        rows *= np.sqrt(rng.uniform(0.5, 20)) / np.linalg.norm(rows, axis=1)[:, None]
        problem = gram_problem(rows @ rows.T)
        G = np.eye(n) + rows @ rows.T
        values = np.linalg.eigvalsh(G / G[0, 0])
        slowest = 1 - slowest_decrease(values[0], values[-1]) / n
        assert exact_rate(problem).radius ** (1 / n) <= slowest * (1 + 1e-12)


def test_circulant_rows():
    distance = np.minimum(k := np.arange(12), 12 - k)
    G = 0.5 ** distance[(k[:, None] - k) % 12]
    x = homogeneous_decrease(np.linalg.eigvalsh(G))
    assert x == pytest.approx(0.5978147197, rel=DIGITS)
    scale = 2 / np.linalg.eigvalsh(G)[0]  # G is that of I + K, up to a factor
    problem = gram_problem(scale * G - np.eye(12))
    assert exact_rate(problem).radius ** (1 / 12) == pytest.approx(1 - x / 12, rel=1e-10)


@each_of(
    "n, q, uniform, permutation, cyclic",
    [(20, 4, 2.953991806, 2.327474655, 34.36844801), (100, 9, 5.490449721, 4.929200717, 2059.766982)],
)
def test_identical_rows_and_columns(n, q, uniform, permutation, cyclic):
    assert identical_decrease(n, q) == pytest.approx(slowest_decrease(1 / (1 + q), n - (n - 1) / (1 + q)), rel=1e-14)
    for sampling, expected in zip(ORDERS, (uniform, permutation, cyclic), strict=True):
        assert per_factor_e(equicorrelated_radius(n, 1 / (1 + q), sampling)) == pytest.approx(expected, rel=DIGITS)
        rate = exact_rate(equicorrelated_problem(n, 1 / (1 + q)), "sdca", sampling)
        assert rate.epochs == pytest.approx(expected, rel=DIGITS)
    columns = gram_problem(q * np.ones((n, n)))  # X'X/n = l2 K with the roles of n and d exchanged
    assert columns.n == columns.d
    assert exact_rate(columns, "rcd", "permutation").radius < 1


@each_of(
    "m, q, cosine, uniform, permutation",
    [
        (6, 3, 0.5, 2.390458528, 1.638515684),
        (5, 9, -0.8, 5.357815632, 4.272306875),
        (50, 3, 0.5, 2.486984983, 1.911143825),
    ],
)
def test_two_clusters(m, q, cosine, uniform, permutation):
    x = homogeneous_decrease(two_clusters(m, q, cosine))
    assert per_factor_e((1 - x / (2 * m)) ** (2 * m)) == pytest.approx(uniform, rel=DIGITS)
    K = np.kron([[1, cosine], [cosine, 1]], np.full((m, m), float(q)))
    for sampling, expected in (("uniform", uniform), ("permutation", permutation)):
        assert exact_rate(gram_problem(K), "sdca", sampling).epochs == pytest.approx(expected, rel=DIGITS)


@pytest.mark.full
def test_two_clusters_of_five_hundred():
    rate = exact_rate(gram_problem(np.kron([[1, 0.5], [0.5, 1]], np.full((500, 500), 3.0))), "sdca", "permutation")
    assert rate.how == "counts"
    assert rate.epochs == pytest.approx(1.952858432, rel=DIGITS)


# ------------------------------------------------------------ orthogonal rows and groups
def test_orthogonal_rows_fall_by_what_is_still_unseen():
    q, p = np.array([3.0, 1.0, 0.5, 7.0]), np.array([0.4, 0.1, 0.3, 0.2])
    problem = gram_problem(np.diag(q))
    rate = exact_rate(problem, "sdca", p)
    expected = orthogonal_curve(1 / (2 * 4 * (1 + q)), p, 4 * np.arange(4))
    assert rate.curve(3, "D*-D") == pytest.approx(expected, rel=1e-10)
    assert rate.radius ** (1 / 4) == pytest.approx(1 - p.min(), rel=1e-12)
    for sampling in ("permutation", "cyclic"):
        assert exact_rate(problem, "sdca", sampling).radius == pytest.approx(0, abs=1e-14)


def test_importance_hurts_exact_steps_on_orthogonal_rows():
    problem = gram_problem(np.diag([99.0, *[1.0] * 9]))
    for sampling, steps, values in (
        ("uniform", 10, (0.3486784401, 0.04239115828, 2.656139889e-05)),
        ("importance", 59, (0.8409996036, 0.5974690728, 0.180565246)),
    ):
        rate = exact_rate(problem, "sdca", sampling)
        assert 1 / (1 - rate.radius ** (1 / 10)) == pytest.approx(steps, rel=DIGITS)
        curve = rate.curve([0, 1, 3, 10], "D*-D")
        assert curve[1:] / curve[0] == pytest.approx(values, rel=DIGITS)


def test_the_best_mixture_for_coherent_groups():
    sizes, q = np.array([3, 5]), np.array([20.0, 1.0])
    x = separate_groups(sizes, q)
    assert x == pytest.approx((0.09226263045, 0.6972243623), rel=DIGITS)
    of = np.repeat([0, 1], sizes)
    problem = gram_problem(np.where(of[:, None] == of, q[of], 0.0))
    for weights, expected in (
        (np.ones(8), 86.70899541),
        (1 + q[of], 52.35043693),
        (2 + q[of], 39.90584448),
        (1 / x[of], 39.68716601),
    ):
        rate = exact_rate(problem, "sdca", weights)
        assert 1 / (1 - rate.radius ** (1 / 8)) == pytest.approx(expected, rel=DIGITS)
    assert sizes @ (1 / x) == pytest.approx(39.68716601, rel=DIGITS)


# ------------------------------------------------------------ arrow matrices
def steps(problem, method, sampling, **parameters):
    rate = exact_rate(problem, method, sampling, **parameters)
    return 1 / (1 - rate.radius ** (1 / rate.steps_per_epoch))


def test_arrow_without_the_corner():
    n, d, b, c, l2 = 12, 7, 0.8, 3.0, 0.1
    problem = arrow(n, d, 0.0, b, c, l2)
    x_b, x_c = identical_decrease(n - 1, b**2 / (l2 * n)), identical_decrease(d - 1, c**2 / (l2 * n))
    S = n + (problem.X**2).sum() / (l2 * n)
    closed = (n / x_b, S / ((1 + b**2 / (l2 * n)) * x_b), d / x_c)
    general = (
        steps(problem, "sdca", "uniform"),
        steps(problem, "sdca", "importance"),
        steps(problem, "rcd", "uniform"),
    )
    assert closed == pytest.approx((14.88343956, 50.85175183, 32.7206951), rel=DIGITS)
    assert general == pytest.approx(closed, rel=1e-10)


def test_arrow_with_all_samplings():
    problem = arrow(6, 5, 1.0, 0.3, 2.0, 1 / 6)
    dual = [
        steps(problem, "sdca", "uniform"),
        steps(problem, "sdca", "importance"),
        steps(problem, "quartz", "uniform"),
    ]
    primal = [steps(problem, "rcd", sampling) for sampling in ("uniform", "importance")]
    assert dual == pytest.approx((6.117156697, 21.88510899, 55.2597518), rel=DIGITS)
    assert primal == pytest.approx((14.35792829, 12.97404986), rel=DIGITS)
    assert exact_rate(problem, "sdca", "permutation").epochs == pytest.approx(0.2679814078, rel=DIGITS)
    assert exact_rate(problem, "rcd", "permutation").epochs == pytest.approx(1.914524655, rel=DIGITS)


@each_of(
    "shape, dual_uniform, dual_importance, primal_uniform, primal_importance",
    [
        ((1, 0.05, 1), 1.035247119, 914.1831843, 16.7218335, 17.92656104),
        ((1, 1, 0.05), 1.492501457, 1.547172491, 1.000417267, 31.11252778),
    ],
)
def test_exact_uniform_steps_turn_the_arrow_round(
    shape, dual_uniform, dual_importance, primal_uniform, primal_importance
):
    raw = arrow(60, 60, *shape, 1 / 60)
    problem = arrow(60, 60, *np.array(shape) / np.sqrt(raw.row_profile.norms2).mean(), 1 / 60)
    expected = {
        ("sdca", "uniform"): dual_uniform,
        ("sdca", "importance"): dual_importance,
        ("rcd", "uniform"): primal_uniform,
        ("rcd", "importance"): primal_importance,
    }
    for (method, sampling), passes in expected.items():
        rate = exact_rate(problem, method, sampling)
        assert rate.how == "counts"
        assert steps(problem, method, sampling) * rate.passes_per_epoch / 60 == pytest.approx(passes, rel=DIGITS)


@each_of("n, sigma, sampling", [(24, 2 / 21, "uniform"), (24, 2 / 21, "permutation"), (200, 0.01, "permutation")])
def test_the_interval_of_equal_coordinates_is_narrow_and_has_the_formula_in_it(n, sigma, sampling):
    found = exact_rate(equicorrelated_problem(n, sigma), "sdca", sampling)
    (low, high), true = found.interval, equicorrelated_radius(n, sigma, sampling)
    assert found.how == "counts"
    assert low * (1 - 1e-12) <= true <= high * (1 + 1e-12)
    assert high - low <= 1e-10 * high
