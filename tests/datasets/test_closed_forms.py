"""Data on which everything is known in closed form: what is known, for the squared loss and exact steps."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.datasets import chain, clusters, equicorrelated, identical, orthogonal, sun_ye


def normalised_gram(X, shift=1.0):
    """G, the matrix of a dual step's quadratic with unit diagonal; shift is l2 n."""
    X = X.toarray() if sp.issparse(X) else X
    A = shift * np.eye(len(X)) + X @ X.T
    return A / np.sqrt(np.outer(np.diag(A), np.diag(A)))


@given(st.integers(1, 60), st.floats(0, 1))
def test_equicorrelated_rows_have_the_gram_matrix_that_they_say(n, s0):
    X, y = equicorrelated(n, s0)
    np.testing.assert_allclose(X @ X.T, s0 * np.eye(n) + (1 - s0), atol=1e-12)
    assert set(y) <= {-1, 1}


def test_the_smallest_eigenvalue_of_the_sun_ye_example_is_2_of_21():
    """The others are one of n - (n - 1) sigma."""
    X, _ = equicorrelated(24, 0.05)
    np.testing.assert_allclose(X, sun_ye(24)[0], rtol=1e-12)
    values = np.linalg.eigvalsh(normalised_gram(X, 0.05))
    np.testing.assert_allclose(values[:-1], 2 / 21, rtol=1e-10)
    assert values[-1] == pytest.approx(24 - 23 * 2 / 21, rel=1e-10)


@each_of("n, q, d", [(20, 4.0, 1), (100, 9.0, 3)])
def test_identical_rows(n, q, d):
    """sigma = 1/(1 + q) at l2 = 1/n, and the same on columns, with their squared norms."""
    X, _ = identical(n, q, d)
    assert X.shape == (n, d)
    np.testing.assert_allclose(normalised_gram(X), np.eye(n) / (1 + q) + q / (1 + q), rtol=1e-12)
    of_columns = n * q / d
    np.testing.assert_allclose(
        normalised_gram(X.T), np.eye(d) / (1 + of_columns) + of_columns / (1 + of_columns), rtol=1e-12
    )


@each_of("m, q, c", [(6, 3.0, 0.5), (5, 9.0, -0.8), (4, 2.0, 0.0), (3, 1.0, 1.0)])
def test_the_eigenvalues_of_clusters(m, q, c):
    X, _ = clusters(m, q, c)
    sigma = 1 / (1 + q)
    expected = np.sort([*np.full(2 * m - 2, sigma), *(sigma + m * (1 - sigma) * (1 + np.array([-c, c])))])
    np.testing.assert_allclose(np.linalg.eigvalsh(normalised_gram(X)), expected, rtol=1e-10)


def test_orthogonal_rows_are_solved_by_one_step_on_each():
    X, y = orthogonal(30, row_spread=1.0, seed=3)
    gram = (X @ X.T).toarray()
    np.testing.assert_array_equal(gram, np.diag(np.diag(gram)))
    P = cdlab.Problem(X, y, loss="squared", l2=1 / 30)
    q = np.diag(gram)
    start = cdlab.solve(P, "sdca", sampling="cyclic", max_passes=0)
    end = cdlab.solve(P, "sdca", sampling="cyclic", max_passes=1)
    assert start.gap == pytest.approx((y**2).mean() / 2, rel=1e-10)
    assert end.gap == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(end.w, X.diagonal() * y / (1 + q), rtol=1e-10)
    logs = np.log(orthogonal(5000, row_spread=0.5)[0].data)
    assert logs.std() == pytest.approx(0.5, rel=0.05)


@each_of("n, Q, kappa_per_n, one_less_q2", [(20, 9.0, 4, 0.75), (1000, 201.0, 100, 0.246184427)])
def test_the_solution_of_a_chain_is_geometric(n, Q, kappa_per_n, one_less_q2):
    """w_j = q^j, and Q = 1 + 2 kappa/n."""
    X, y = chain(n, Q)
    assert X.shape == (n, n - 1)
    q = (np.sqrt(Q) - 1) / (np.sqrt(Q) + 1)
    assert 1 - q**2 == pytest.approx(one_less_q2, rel=1e-9)
    R2, l2 = X.multiply(X).sum(axis=1).max(), 1 / n
    assert R2 / l2 / n == pytest.approx(kappa_per_n, rel=1e-12)
    w = q ** np.arange(1.0, n)
    np.testing.assert_allclose(X.T @ (X @ w - y) / n + l2 * w, 0, atol=1e-15 * n)
    np.testing.assert_allclose(
        np.linalg.solve((X.T @ X / n + l2 * sp.eye(n - 1)).toarray(), X.T @ y / n), w, atol=1e-12
    )


def test_a_chain_for_another_weight():
    X, y = chain(8, 5.0, l2=0.3)
    w = ((np.sqrt(5) - 1) / (np.sqrt(5) + 1)) ** np.arange(1.0, 8)
    np.testing.assert_allclose(X.T @ (X @ w - y) / 8 + 0.3 * w, 0, atol=1e-14)
    assert chain(2, 5.0)[0].shape == (2, 1)


def test_a_chain_row_moves_nothing_before_its_neighbour_has_moved():
    """After a pass in reversed order only the first coordinate has moved; in order, all have."""
    X, y = chain(6, 9.0)
    reversed_rows = cdlab.Problem(X[::-1], y[::-1], loss="squared", l2=1 / 6)
    w = cdlab.solve(reversed_rows, "sdca", sampling="cyclic", max_passes=1).w
    assert np.flatnonzero(w).tolist() == [0]
    w = cdlab.solve(cdlab.Problem(X, y, loss="squared", l2=1 / 6), "sdca", sampling="cyclic", max_passes=1).w
    assert (w != 0).all()


@each_of(
    "call, words",
    [
        (lambda: equicorrelated(3, 1.5), "s0 must be a number from 0 to 1"),
        (lambda: identical(3, 0), "q must be a finite number above 0"),
        (lambda: clusters(3, 1, 1.1), "c must be a number from -1 to 1"),
        (lambda: clusters(0, 1, 0), "m must be a whole number >= 1"),
        (lambda: orthogonal(3, -1), "row_spread must be a number from 0 to 20"),
        (lambda: chain(1, 9), "n must be a whole number >= 2"),
        (lambda: chain(5, 1), "Q must be a finite number above 1"),
        (lambda: chain(5, 9, l2=0), "l2 must be a finite number above 0"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
