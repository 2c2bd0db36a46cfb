"""Extreme eigenvalues, against those of numpy."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import problem

import cdlab
from cdlab.numerics import eigenvalues, matrices
from cdlab.problems.convexity import smoothness

shapes = st.tuples(st.integers(1, 25), st.integers(1, 25))


def random_matrix(shape, seed, density=0.4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) * (rng.random(shape) < density) * 10.0 ** rng.integers(-6, 6)


@given(shapes, st.integers(0, 10**6))
def test_the_largest_comes_from_above_and_close(shape, seed):
    """A step 1/L needs L >= ||X||^2; a thousandth more costs a thousandth of the speed."""
    X = random_matrix(shape, seed)
    true = np.linalg.norm(X, 2) ** 2
    found, products = eigenvalues.largest_eigenvalue(X)
    assert true * (1 - 1e-9) <= found <= 1.002 * true
    assert products <= 30


@each_of("shape, seed", [((14, 14), 24686), ((12, 5), 145703), ((7, 5), 494005), ((4, 11), 425838), ((5, 8), 418543)])
def test_the_largest_is_found_also_from_a_start_that_hardly_points_there(shape, seed):
    """Where the residual alone would end at the second largest, 7% to 20% too low."""
    X = random_matrix(shape, seed)
    assert eigenvalues.largest_eigenvalue(X)[0] >= np.linalg.norm(X, 2) ** 2 * (1 - 1e-9)


def test_a_direction_that_the_start_has_to_a_millionth_is_seen():
    """Whatever is in the start at all grows until it is found, if it is no less likely than what is asked for."""
    d = 40
    start = np.random.default_rng(0).standard_normal(d)
    away = np.zeros(d)
    away[0] = 1.0
    hidden = away - (1 - 1e-4) * (away @ start) / (start @ start) * start  # next to orthogonal to the start
    hidden /= np.linalg.norm(hidden)
    X = np.vstack([np.diag(np.linspace(0.1, 1.0, d)), 2 * hidden])
    assert eigenvalues.largest_eigenvalue(X)[0] >= np.linalg.norm(X, 2) ** 2 * (1 - 1e-9)


def test_it_takes_few_products_where_one_direction_dominates():
    X = np.random.default_rng(0).standard_normal((200, 50)) + 2
    assert eigenvalues.largest_eigenvalue(X)[1] <= 5


def test_many_equal_eigenvalues_are_no_trouble():
    assert eigenvalues.largest_eigenvalue(np.eye(40)) == (pytest.approx(1.0), 1)


def test_sparse_and_dense_agree():
    X = random_matrix((30, 20), 1)
    assert eigenvalues.largest_eigenvalue(sp.csr_matrix(X))[0] == pytest.approx(
        eigenvalues.largest_eigenvalue(X)[0], rel=1e-12
    )
    assert eigenvalues.smallest_positive_eigenvalue(sp.csr_matrix(X)) == pytest.approx(
        eigenvalues.smallest_positive_eigenvalue(X), rel=1e-9
    )


@given(shapes, st.integers(0, 10**6))
def test_the_smallest_positive_is_that_of_the_rank(shape, seed):
    X = np.random.default_rng(seed).standard_normal(shape)
    rank = min(shape) // 2 + 1
    u, s, v = np.linalg.svd(X, full_matrices=False)
    s[rank:] = 0  # dependent rows and columns
    assert eigenvalues.smallest_positive_eigenvalue(u * s @ v) == pytest.approx(s[rank - 1] ** 2, rel=1e-6)


def test_a_matrix_of_zeros():
    assert eigenvalues.largest_eigenvalue(np.zeros((3, 2))) == (0.0, 1)
    assert eigenvalues.smallest_positive_eigenvalue(np.zeros((3, 2))) == 1.0


def test_smoothness_is_that_of_the_mean_loss():
    P = problem("logistic")
    L, passes = smoothness(P, tol=1e-12)
    assert L == pytest.approx(np.linalg.norm(P.X, 2) ** 2 / (4 * P.n), rel=1e-10)
    assert passes >= 2


def test_a_gram_matrix_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(eigenvalues, "MAX_GRAM_SIZE", 2)
    with pytest.raises(ValueError, match="X is 3 x 4: one side must be at most 2"):
        eigenvalues.smallest_positive_eigenvalue(np.ones((3, 4)))


# ------------------------------------------------------------ a bound that is certain
def blocks(*sizes, scale=1.0):
    return sp.csr_matrix(sp.block_diag([np.full((k, k), scale**i) for i, k in enumerate(sizes)]))


HARD = {
    "nothing": np.zeros((3, 2)),
    "no rows": np.zeros((0, 2)),
    "empty rows and columns": np.array([[0.0, 0, 0], [0, 2, 1], [0, 1, 0]]),
    "blocks that do not meet": blocks(450, 3, 50),
    "blocks of very different scale": blocks(450, 300, scale=1e-60),
    "signs that cancel": np.kron(np.ones((210, 210)), np.array([[1.0, 1], [1, -1]])),
    "huge entries": 1e150 * np.eye(450),
    "tiny entries": 1e-150 * np.ones((450, 450)),
    "sparse": sp.random_array((700, 600), density=0.01, rng=np.random.default_rng(0)).tocsr(),
}


@pytest.mark.parametrize("exact_size", [0, eigenvalues.MAX_EXACT_SIZE])
@pytest.mark.parametrize("name", HARD)
def test_the_certain_bound_is_above_the_largest_and_at_most_the_sum_of_squares(name, exact_size, monkeypatch):
    monkeypatch.setattr(eigenvalues, "MAX_EXACT_SIZE", exact_size)
    X = HARD[name]
    dense = X.toarray() if sp.issparse(X) else X
    true = np.linalg.norm(dense, 2) ** 2 if dense.size else 0.0
    found = eigenvalues.largest_eigenvalue_bound(X)
    assert true * (1 - 1e-14) <= found <= (dense**2).sum() * (1 + 1e-9)
    if (dense >= 0).all() and name != "sparse":  # where Collatz and Wielandt lose nothing
        assert found == pytest.approx(true, rel=2e-3)


@given(shapes, st.integers(0, 10**6))
def test_the_certain_bound_is_the_eigenvalue_on_small_data_and_never_below_it(shape, seed):
    X = random_matrix(shape, seed)
    true = np.linalg.norm(X, 2) ** 2
    assert true * (1 - 1e-15) <= eigenvalues.largest_eigenvalue_bound(X) <= true * (1 + 1e-12)


def test_the_bound_of_collatz_and_wielandt_is_met_by_data_without_negative_entries():
    X = sp.random_array((700, 600), density=0.05, rng=np.random.default_rng(0)).tocsr()
    true = eigenvalues.largest_eigenvalue(X)[0]
    assert eigenvalues.largest_eigenvalue_bound(X) <= 1.1 * true


@given(shapes, st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_positive_start_gives_a_bound_whatever_the_signs(shape, seed, other):
    X = random_matrix(shape, seed)
    u = np.random.default_rng(other).uniform(1e-3, 1.0, X.shape[1])
    true = np.linalg.norm(X, 2) ** 2
    for lines in (matrices.rows(np.ascontiguousarray(X)), matrices.rows(sp.csr_matrix(X))):
        assert eigenvalues.collatz_wielandt_bound(lines, X.shape[0], u.copy(), np.empty(u.size)) >= true * (1 - 1e-12)


def test_the_bound_is_that_of_the_power_method_by_numpy():
    X = np.abs(np.random.default_rng(0).standard_normal((30, 20))) + 30 * np.eye(30, 20)
    u, best = np.ones(20), np.inf
    for _ in range(eigenvalues.POWER_STEPS):
        product = X.T @ (X @ u)
        now = (product / u).max()
        if now >= best * (1 - eigenvalues.POWER_TOLERANCE):
            break
        best, u = now, product / product.max()
    found = eigenvalues.collatz_wielandt_bound(matrices.rows(X), 30, np.ones(20), np.empty(20))
    assert found == pytest.approx(min(best, now), rel=1e-12)


# ---------------------------------------------------------------- the smallest one of a quadratic with unit diagonal
GOLDEN = np.array([[((3 * j + 5 * i) % 7 - 3) / 2 for j in range(4)] for i in range(5)])


def smallest_by_numpy(Z, shift, p=None):
    Z = Z.toarray() if sp.issparse(Z) else Z
    A = shift * np.eye(len(Z)) + Z @ Z.T
    D = np.diag(A) / (1 if p is None else p)
    return np.linalg.eigvalsh(A / np.sqrt(np.outer(D, D)))[0]


@each_of(
    "Z, p, expected",
    [
        (GOLDEN, None, 0.1882622795),
        (GOLDEN.T, None, 0.3116589427),
        (GOLDEN, np.full(5, 0.2), 1 / 26.55869255),
        (cdlab.datasets.sun_ye(24)[0], None, 2 / 21),  # of the Sun-Ye example, at l2 n = 0.05
    ],
)
def test_the_golden_numbers(Z, p, expected):
    found = eigenvalues.smallest_normalised_eigenvalue(Z, 0.05 if len(Z) == 24 else 1.0, p)
    assert found.certified
    assert found.lower == pytest.approx(expected, rel=1e-9)
    assert found.upper == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("way", ["bisection", "Lanczos"])
@pytest.mark.parametrize("shape", [(30, 5), (40, 80), (200, 20)])
def test_the_interval_has_the_smallest_eigenvalue(shape, way, monkeypatch):
    monkeypatch.setattr(eigenvalues, "MAX_DENSE_SIZE", 0)
    monkeypatch.setattr(eigenvalues, "MAX_BISECTION_WORK", np.inf if way == "bisection" else 0)
    rng = np.random.default_rng(0)
    Z = rng.standard_normal(shape) * np.exp(rng.standard_normal((shape[0], 1)) / 2)
    p = rng.uniform(0.1, 1, shape[0])
    for lines in (Z, Z / np.linalg.norm(Z, axis=1)[:, None], sp.csr_matrix(Z * (rng.random(shape) < 0.3))):
        for shift in (1.0, 0.01):
            for probabilities in (None, p / p.sum()):
                found = eigenvalues.smallest_normalised_eigenvalue(lines, shift, probabilities)
                true = smallest_by_numpy(lines, shift, probabilities)
                assert found.lower * (1 - 1e-9) <= true <= found.upper * (1 + 1e-9)
                if way == "bisection" and shape[1] < shape[0]:
                    assert found.certified
                    assert found.upper <= found.lower * (1 + 2e-3)
                assert found.products <= eigenvalues.MAX_LANCZOS_PRODUCTS


@pytest.mark.parametrize("way", ["bisection", "Lanczos"])
def test_the_interval_has_it_where_rounding_matters(way, monkeypatch):
    """Rows of very different norms and a small shift, against sixty digits."""
    monkeypatch.setattr(eigenvalues, "MAX_DENSE_SIZE", 0)
    monkeypatch.setattr(eigenvalues, "LARGEST_DENSE_SIZE", 0)
    monkeypatch.setattr(eigenvalues, "MAX_BISECTION_WORK", np.inf if way == "bisection" else 0)
    for seed, shift in ((2, 1e-3), (5, 1e-5), (7, 1e-9), (10, 1e-11)):
        rng = np.random.default_rng(seed)
        Z = rng.standard_normal((12, 3)) * np.exp(3 * rng.standard_normal((12, 1)))
        found = eigenvalues.smallest_normalised_eigenvalue(Z, shift)
        with mpmath.workdps(60):
            A = mpmath.matrix(Z.tolist()) * mpmath.matrix(Z.tolist()).T + mpmath.mpf(shift) * mpmath.eye(12)
            roots = mpmath.diag([1 / mpmath.sqrt(A[i, i]) for i in range(12)])
            true = float(mpmath.eigsy(roots * A * roots, eigvals_only=True)[0])
        assert found.lower * (1 - 1e-15) <= true <= found.upper * (1 + 1e-15)
