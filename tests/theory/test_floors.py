"""Floors: golden numbers, against enumeration, and never above the mean of runs."""

from itertools import permutations, product

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.theory.floors import SEES

N_CHAIN = 8


def chain(n, Q, l2=0.05):
    """The chain, and its solution."""
    d, q, s = n - 1, (np.sqrt(Q) - 1) / (np.sqrt(Q) + 1), np.sqrt(n * l2 * (Q - 1) / 4)
    X = np.zeros((n, d))
    X[0, 0] = s
    for i in range(1, d):
        X[i, i - 1], X[i, i] = s, -s
    X[d, d - 1] = s * np.sqrt(1 - q)
    y = np.zeros(n)
    y[0] = s
    return cdlab.Problem(X, y, loss="squared", l2=l2), q ** np.arange(1.0, d + 1)


def golden_problem():
    """The 5 x 4 example of the face-off, and its dual solution."""
    i, j = np.indices((5, 4))
    X, y = (((3 * j + 5 * i) % 7) - 3) / 2, np.array([1.0, -1, 1, 1, -1])
    return cdlab.Problem(X, y, loss="squared", l2=0.2), np.linalg.solve(np.eye(5) + X @ X.T, y)


# ------------------------------------------------------------ the chain
@each_of(
    "n, kappa, access, factor, passes",
    [
        (20, 80.0, "uniform row", 0.4656019211, 1.308174082),
        (20, 80.0, "permutation", 0.1479237499, 0.5232702626),
        (20, 80.0, "full gradient", 0.25, 0.7213475204),
        (1000, 1e5, "uniform row", 0.7817543366, 4.06149534),
        (1000, 1e5, "permutation", 0.6325621425, 2.183516652),
        (1000, 1e5, "full gradient", 0.753815573, 3.538476021),
    ],
)
def test_golden_floors(n, kappa, access, factor, passes):
    found = theory.floor(n, kappa, access)
    assert found.factor == pytest.approx(factor, rel=2e-9)
    assert -1 / np.log(found.factor) == pytest.approx(passes, rel=2e-9)
    assert 1 - found.q**2 == pytest.approx(0.75 if n == 20 else 0.246184427, abs=5e-10)


def test_the_solution_of_the_chain_is_a_power_and_its_condition_is_kappa():
    for n, Q in ((3, 2.0), (N_CHAIN, 9.0), (20, 201.0)):
        P, w = chain(n, Q)
        assert np.abs(P.gradient(w)).max() < 1e-13
        assert P.kappa == pytest.approx((Q - 1) * n / 2)
        assert theory.floor(n, P.kappa, "uniform row").Q == pytest.approx(Q)
        columns = P.column_profile.norms2.max() / n / P.l2 + 1
        assert theory.floor(n - 1, columns, "column").Q == pytest.approx(Q) if n > 3 else True


def test_the_floor_of_uniform_rows_for_large_n_is_one_formula():
    for Q in (4.0, 100.0, 1e4):
        found = theory.floor(10**7, (Q - 1) * 10**7 / 2, "uniform row").passes  # as -1/log(factor): no end in sight
        assert found == pytest.approx(0.5 + (np.sqrt(Q) + 1 / np.sqrt(Q)) / 4, rel=1e-5)


@each_of("access", SEES)
def test_the_passes_of_a_floor_are_where_its_curve_leaves_a_factor_e(access):
    for n, Q, beside in ((10, 200001.0, 0), (10, 200001.0, 3), (N_CHAIN, 9.0, 0), (40, 25.0, 1), (3, 1e6, 0)):
        found = theory.floor(n, (Q + 1) / 2 if access == "column" else (Q - 1) * n / 2, access, beside)
        before, after = found.curve([found.passes * (1 - 1e-9), found.passes + 1e-6]).values
        assert before > np.exp(-1) or found.passes == 0
        assert after <= np.exp(-1) + 1e-6
        assert f"{found.passes:.4g} passes" in str(found)


def test_a_short_chain_promises_no_more_than_methods_take():
    """With n = 10 and Q = 200001 sdca is below 1/e after 37.4 passes: no floor can ask for 112."""
    assert theory.floor(10, 10**6, "uniform row").passes < 37.4


def test_the_best_point_of_so_many_coordinates():
    P, w = chain(N_CHAIN, 9.0)
    H, b = P.X.T @ P.X / P.n + P.l2 * np.eye(P.d), P.X.T @ P.y / P.n
    start, best, x = P.primal(np.zeros(P.d)), P.primal(w), (1 / 2) ** 2
    curve = theory.floor(N_CHAIN, P.kappa, "full gradient").curve(np.arange(P.d + 1.0), "P(w)-P*").values
    for N in range(1, P.d):
        at = np.append(np.linalg.solve(H[:N, :N], b[:N]), np.zeros(P.d - N))
        share = (P.primal(at) - best) / (start - best)
        assert curve[N] <= share * (1 + 1e-9)
        assert share == pytest.approx(x**N * (1 - x) / (1 - x ** (N + 1)), rel=1e-10)
    assert curve[P.d] == 0


def reached(orders, d):
    """E (q^2N - q^2d)/(1 - q^2d), N how far these equally likely orders of rows come, with q = 1/2."""
    found = []
    for order in orders:
        N = 0
        for row in order:
            N += row == N and N < d
        found.append((0.25**N - 0.25**d) / (1 - 0.25**d))
    return np.mean(found)


def test_each_access_against_all_orders_of_rows():
    n, Q = 4, 9.0
    kappa, x = (Q - 1) * n / 2, 0.25
    at = {access: theory.floor(n, kappa, access).curve([0.0, 1.0, 2.0]).values for access in SEES}
    for curve in at.values():
        assert curve[0] == 1
    assert at["uniform row"][1] <= reached(product(range(n), repeat=n), n - 1)
    assert at["permutation"][1] <= reached(permutations(range(n)), n - 1)
    twice = (a + b for a in permutations(range(n)) for b in permutations(range(n)))
    assert at["permutation"][2] <= reached(twice, n - 1)
    assert at["cyclic"][1] == reached([range(n)], n - 1) == 0
    assert at["reversed"][1] == pytest.approx(reached([range(n)[::-1]], n - 1))
    assert at["reversed"][2] == pytest.approx(reached([[*range(n)[::-1]] * 2], n - 1))
    for t in range(1, 7):  # no end in sight: d = 7
        one = theory.floor(8, 32.0, "uniform row").curve([t / 8]).values[0]
        assert one == pytest.approx(reached(product(range(8), repeat=t), 7), rel=1e-9) if t < 5 else one > 0
    many = theory.floor(8, 32.0, "permutation").curve([1.0]).values[0]
    assert many == pytest.approx(reached(permutations(range(8)), 7), rel=1e-3)
    assert theory.floor(n, kappa, "uniform row", 1).curve([0.0]).values[0] == pytest.approx((x - x**3) / (1 - x**3))


@each_of("method, sampling, access", [
    ("sdca", "uniform", "uniform row"), ("sdca", "permutation", "permutation"), ("spdc", "uniform", "uniform row"),
    ("gd", "uniform", "full gradient"), ("agd", "uniform", "full gradient"), ("rcd", "uniform", "column"),
])  # fmt: skip
def test_no_method_is_below_its_floor(method, sampling, access):
    """Means of runs plus three standard errors."""
    P, w = chain(12, 9.0)
    n, kappa = (12, P.kappa) if access != "column" else (P.d, P.column_profile.norms2.max() / P.n / P.l2 + 1)
    floor, seeds = theory.floor(n, kappa, access), 40
    start = P.primal(np.zeros(P.d)) - P.primal(w)
    distance, error, passes = [], [], []
    for seed in range(seeds if access not in ("full gradient",) else 1):
        run = cdlab.iterate(P, method, sampling=sampling, seed=seed)
        distance.append([])
        error.append([])
        for record in (next(run) for _ in range(8)):
            distance[-1].append(((run.w - w) ** 2).sum() / (w @ w))
            error[-1].append((record.primal - P.primal(w)) / start)
            passes.append(record.passes)
    passes = np.reshape(passes, (len(distance), -1)).max(axis=0)
    for measured, bounded in ((distance, "|w-w*|^2"), (error, "P(w)-P*")):
        spread = np.std(measured, axis=0) / np.sqrt(len(measured))
        below = floor.curve(passes, bounded).values
        assert (np.mean(measured, axis=0) + 3 * spread >= below * (1 - 1e-9)).all()
    assert floor.curve([3.0]).values[0] > 1e-3


def test_a_floor_says_what_it_is():
    found = theory.floor(20, 80.0, "uniform row", full_gradients=1)
    assert found.kind == "floor"
    assert str(found) == found.statement
    assert found.label == "no method of this kind can promise more"
    assert "one row, each equally likely, and 1 full gradients beside" in found.statement
    assert all(cited.kind == "asymptotic" and cited.source in str(cited) for cited in theory.CITED_FLOORS)


@each_of(
    "arguments, words",
    [
        ((20, 80.0, "rows"), "access must be '.*' or '"),
        ((2, 80.0, "cyclic"), "at least 3"),
        ((20, 0, "cyclic"), "above 0"),
        ((20, 1.0, "column"), "above 1"),
        ((20, np.nan, "cyclic"), "kappa must be a number"),
        ((20, 3.0, "cyclic", -1), "whole number"),
    ],
)
def test_floors_that_make_no_sense_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        theory.floor(*arguments)


def test_a_floor_is_about_two_quantities():
    with pytest.raises(ValueError, match="bounded must be"):
        theory.floor(20, 80.0, "cyclic").curve([1.0], "P-D")


# ------------------------------------------------------------ unseen examples
def test_golden_floors_of_unseen_examples():
    P, alpha = golden_problem()
    found = theory.unseen_floor(P, alpha)
    epochs = np.arange(4.0)
    exact = [0.06794090016, 0.02032452354, 0.006885921495, 0.002273275679]
    assert found.curve(epochs).values == pytest.approx(exact, rel=2e-9)
    simple = [0.02002737221, 0.006562569324, 0.002150422716, 0.0007046505156]
    assert found.simple_curve(epochs).values == pytest.approx(simple, rel=2e-9)


@each_of("sampling", ["uniform", "importance", "permutation", np.array([0.1, 0.3, 0.2, 0.2, 0.2])])
def test_the_chances_of_sets_are_those_of_all_sequences(sampling):
    P, alpha = golden_problem()
    found = theory.unseen_floor(P, alpha, sampling)
    left = np.array([(P.dual(alpha) - P.dual(best_of(P, alpha, S))) for S in range(2**5)])
    np.testing.assert_allclose(found.left, left, atol=1e-12)
    for t in range(5):
        mean, total = 0.0, 0.0
        sequences = permutations(range(5), t) if found.p is None else product(range(5), repeat=t)
        for sequence in sequences:
            chance = 1.0 if found.p is None else float(np.prod(found.p[list(sequence)]))
            mean += chance * left[sum(1 << i for i in set(sequence))]
            total += chance
        passes = found.earliest[t] if found.p is None else t * found.cost
        assert found.curve([passes]).values[0] == pytest.approx(mean / total, rel=1e-9)
        assert found.simple_curve([passes]).values[0] <= mean / total * (1 + 1e-12)


def test_within_a_permutation_of_uneven_rows_the_floor_holds_whenever_one_looks():
    """Over all orders, what is left when a share of the nonzeros has been visited; a row that is begun counts."""
    X = np.zeros((4, 9))
    for i, count in enumerate([1, 1, 2, 9]):
        X[i, :count] = 1.0 + i
    P = cdlab.Problem(X, [1.0, -2.0, 1.0, 3.0], loss="squared", l2=0.3)
    alpha = np.linalg.solve(np.eye(4) + X @ X.T / (P.l2 * P.n), P.y)
    found, counts = theory.unseen_floor(P, alpha, "permutation"), P.row_profile.counts
    for passes in np.linspace(0, 1.1, 23):
        left = []
        for order in permutations(range(4)):
            begun = np.searchsorted(np.append(0, counts[list(order)].cumsum()), passes * P.nnz - 1e-9)
            left.append(found.left[sum(1 << i for i in order[:begun])])
        assert found.curve([passes]).values[0] <= np.mean(left) * (1 + 1e-12)
        assert found.simple_curve([passes]).values[0] <= found.curve([passes]).values[0] * (1 + 1e-12)
    assert found.curve([0.1, 1.0]).values == pytest.approx([found.curve([2 / 13]).values[0], 0.0], abs=1e-12)


def best_of(P, alpha, seen):
    """The best point of the examples that were drawn."""
    S = [i for i in range(P.n) if seen >> i & 1]
    A = np.eye(P.n) + P.X @ P.X.T / (P.l2 * P.n)
    best = np.zeros(P.n)
    best[S] = np.linalg.solve(A[np.ix_(S, S)], P.y[S])
    return best


@each_of("sampling", ["uniform", "permutation"])
def test_empty_rows_are_at_their_optimum_before_they_are_drawn(sampling):
    X = np.array([[1.0, 0.5], [0, 0], [0.3, 1.0], [0, 0]])
    P = cdlab.Problem(X, [1.0, -1, 0.5, -3], loss="squared", l2=0.05)
    alpha = np.linalg.solve(np.eye(4) + X @ X.T / (P.l2 * P.n), P.y)
    floor = theory.unseen_floor(P, alpha, sampling)
    errors = theory.exact_rate(P, "sdca", sampling).curve(5, "D*-D")
    assert next(cdlab.iterate(P, "sdca")).dual == pytest.approx(P.dual(alpha) - errors[0], rel=1e-12)
    assert (floor.curve(np.arange(6.0)).values <= errors * (1 + 1e-12)).all()
    assert floor.curve([0.0]).values[0] == pytest.approx(errors[0], rel=1e-12)


@each_of("loss, sampling", [("squared", "uniform"), ("logistic", "importance"), ("smooth_hinge", "permutation")])
def test_no_dual_method_is_below_what_unseen_examples_leave(loss, sampling):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10, 4))
    P = cdlab.Problem(X, np.where(rng.random(10) < 0.5, -1.0, 1.0), loss=loss, l2=0.1)
    best = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-15, max_passes=10_000)
    floor, errors = theory.unseen_floor(P, best.alpha, sampling), []
    for seed in range(40):
        run = cdlab.iterate(P, "sdca", sampling=sampling, seed=seed)
        errors.append([P.dual(best.alpha) - next(run).dual for _ in range(4)])
    epochs = np.arange(4.0) * P.n * floor.cost
    allowed = np.mean(errors, axis=0) + 3 * np.std(errors, axis=0) / np.sqrt(40)
    assert (allowed >= floor.curve(epochs).values * (1 - 1e-6)).all()
    assert floor.curve(epochs).values[0] > 0
    assert (floor.left is None) == (loss != "squared")


def test_problems_and_points_without_such_a_floor_are_refused():
    P, alpha = golden_problem()
    with pytest.raises(ValueError, match="smooth loss and l2 > 0"):
        theory.unseen_floor(cdlab.Problem(P.X, P.y, loss="hinge", l2=0.1), alpha)
    with pytest.raises(ValueError, match="5 finite entries"):
        theory.unseen_floor(P, alpha[:3])
    with pytest.raises(ValueError, match="not drawn independently"):
        theory.unseen_floor(P, alpha, "cyclic")
