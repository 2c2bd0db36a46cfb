"""The estimate of the expected gap, beside the whole second-moment equation, exact curves and measured runs."""

import numpy as np
import pytest
import scipy.linalg
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.exact_rates.gap_estimates import expected_gaps
from cdlab.exact_rates.quadratics import Curvature
from cdlab.numerics.eigenvalues import spectral_measure


def exact_gaps(A, D, pull, weights, times):
    """By the exponential of the N^2 x N^2 operator V' = -HV - VH + diag(H V H)."""
    scale = 1 / np.sqrt(D)
    H, N = A.matrix * np.outer(scale, scale), D.size
    e = np.linalg.solve(H, scale * pull)
    identity = np.eye(N)
    operator = -np.kron(H, identity) - np.kron(identity, H)
    for i in range(N):
        operator[i * N + i] += np.kron(H[i], H[i])
    form = (H * (weights * D)) @ H
    return np.array([form.ravel() @ scipy.linalg.expm(t * operator) @ np.outer(e, e).ravel() for t in times])


def circulant(seed, N=6):
    row = np.random.default_rng(seed).standard_normal(N)
    return scipy.linalg.circulant(row)


@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_it_is_exact_where_all_coordinates_are_alike(seed, shift):
    A = Curvature(np.full(6, shift), circulant(seed))
    D, weights = A.diagonal, np.full(6, 0.5)
    for pull in (np.ones(6), (-1.0) ** np.arange(6)):
        found = expected_gaps(A, D, pull, weights, 50)
        times = np.array([0.5, 2.0, 5.0])
        exact = exact_gaps(A, D, pull, weights, times)
        np.testing.assert_allclose(np.exp(np.interp(times, found.passes, np.log(found.gaps))), exact, rtol=1e-2)


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 7), st.floats(0.01, 10))
def test_it_begins_at_the_gap_and_with_the_energy_of_the_start(seed, N, r, shift):
    rng = np.random.default_rng(seed)
    A = Curvature(np.full(N, shift), rng.standard_normal((N, r)))
    pull, weights = rng.standard_normal(N), rng.uniform(0.1, 1, N)
    found = expected_gaps(A, A.diagonal * 1.5, pull, weights, 50)
    assert found.gaps[0] == pytest.approx(weights @ pull**2)
    assert found.energy == pytest.approx(pull @ np.linalg.solve(A.matrix, pull))


def test_from_a_start_that_is_optimal_there_is_no_gap():
    A = Curvature(np.ones(3), np.eye(3))
    found = expected_gaps(A, A.diagonal, np.zeros(3), np.ones(3), 50)
    assert found.passes_to(1e-6) == 0.0
    assert found.energy == 0.0


@each_of(
    "n, d, l2n, rows_doubled", [(30, 20, 1.0, False), (20, 30, 1.0, False), (10, 25, 0.3, True), (40, 10, 5.0, False)]
)
def test_it_is_near_exact_curves_of_prepared_tables(n, d, l2n, rows_doubled):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if rows_doubled:
        X = np.vstack([X, X])
    y = rng.standard_normal(len(X))
    P = cdlab.Problem(X, y - y.mean(), loss="squared", l2=l2n / len(X))
    decrease = P.at_zero - P.primal(cdlab.solve(P, tol=1e-10).w)
    exact = cdlab.faceoff(P).exact
    for name, estimate in (("rcd", exact.from_zero_P.low), ("sdca", exact.from_zero_D.low)):
        curve = cdlab.theory.exact_rate(P, name, "uniform").curve(int(2 * estimate), "gap") / decrease
        passes = int(np.argmax(curve <= 1e-6))
        assert 0.8 * passes <= estimate <= 1.25 * passes, (name, passes, estimate)


def test_a_direction_that_the_start_does_not_enter_decides_at_the_level_that_draws_bring_into_it():
    """Of centred columns the draws bring 1/N of the energy into it, of which sigma/N is seen in the gap."""
    rng = np.random.default_rng(0)
    N, shift = 50, 1e-5
    Q, _ = np.linalg.qr(np.c_[np.ones(N), rng.standard_normal((N, N - 1))])
    F = Q[:, 1:] * np.sqrt(rng.uniform(0.5, 2, N - 1))
    A = Curvature(np.full(N, shift), F)
    sigma = np.linalg.eigvalsh(A.matrix / np.sqrt(np.outer(A.diagonal, A.diagonal)))[0]
    pull = F @ rng.standard_normal(N - 1)
    found = expected_gaps(A, A.diagonal, pull, np.ones(N), 50)
    level = found.slow_below(0.5 / (2 * sigma)) / found.energy
    assert 0.1 * sigma**2 / N < level < 10 * sigma**2 / N


@pytest.mark.parametrize("sparse", [False, True])
def test_lanczos_says_what_all_eigenvalues_say(monkeypatch, sparse):
    import scipy.sparse as sp

    rng = np.random.default_rng(3)
    F = rng.standard_normal((300, 30)) * (rng.random((300, 30)) < 0.3)
    A = Curvature(np.full(300, 0.5), sp.csr_matrix(F) if sparse else F)
    pull = rng.standard_normal(300)
    whole = expected_gaps(A, A.diagonal, pull, np.ones(300), 100)
    monkeypatch.setattr("cdlab.exact_rates.gap_estimates.MAX_DENSE_SIZE", 10)
    found = expected_gaps(A, A.diagonal, pull, np.ones(300), 100)
    assert found.energy == pytest.approx(whole.energy, rel=1e-6)
    for level in (1e-2, 1e-4, 1e-6):
        assert found.passes_to(level) == pytest.approx(whole.passes_to(level), rel=0.1)


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 4))
def test_the_quadrature_has_the_moments_of_the_matrix(seed, N, steps):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((N, N))
    A, start = A + A.T, rng.standard_normal(N)
    nodes, weights = spectral_measure(lambda u: A @ u, start, steps)
    for k in range(2 * min(steps, N)):
        moment = start @ np.linalg.matrix_power(A, k) @ start
        size = np.linalg.norm(A, 2) ** k * (start @ start)
        assert weights @ nodes**k == pytest.approx(moment, abs=1e-9 * size)
