"""Bounds of exact steps: golden numbers, against the exact rate of i.i.d. draws, and where they are attained."""

import numpy as np
import pytest
import scipy.optimize
import sympy as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.theory import spectra
from cdlab.theory.derivations import halved, quadratics
from cdlab.theory.symbols import G_max, G_min, K, lam_p, n, p_min


def golden_problem(loss="squared", **changes):
    """The 5 x 4 example of the face-off."""
    i, j = np.indices((5, 4))
    return cdlab.Problem((((3 * j + 5 * i) % 7) - 3) / 2, [1, -1, 1, 1, -1], loss=loss, l2=0.2, **changes)


def value(method, theorem, quantity="K", sampling=None, P=None):
    return theory.bound(method, quantity, sampling, theorem).for_problem(P or golden_problem())


def radius(G, p):
    """Largest eigenvalue of E[T_i' (x) T_i'], one exact step: a symmetric operator in the right coordinates."""
    N = len(G)
    E = np.zeros((N * N, N * N))
    for i in range(N):
        T = np.eye(N)
        T[i] -= G[i]
        E += p[i] * np.kron(T.T, T.T)
    return float(np.abs(np.linalg.eigvals(E)).max())


def unit(A):
    scale = 1 / np.sqrt(A.diagonal())
    return scale[:, None] * A * scale


worst_case = sp.lambdify((G_min, G_max), quadratics.worst_case()[0])


def r(low, high):
    return float(worst_case(float(low), max(float(high), 2 - float(low))))


# ------------------------------------------------------------ golden numbers
def test_golden_numbers_of_the_face_offs_example():
    P = golden_problem()
    A = spectra.hessian(P.X, 1.0, 0.2, "dual")
    found = spectra.unit_diagonal(spectra.largest_curvature(P.X, 1.0, 0.2, "dual"), np.full(5, 0.2))
    assert found.G_min == pytest.approx(0.1882622795, abs=5e-11)
    assert found.G_max == pytest.approx(2.667788016, abs=5e-10)
    assert 1 / found.lam_p == pytest.approx(26.55869255, abs=5e-9)
    primal = spectra.unit_diagonal(spectra.largest_curvature(P.X, 1.0, 0.2, "primal"), np.full(4, 0.25))
    assert primal.G_min == pytest.approx(0.3116589427, abs=5e-11)
    assert primal.G_max == pytest.approx(2.293807844, abs=5e-10)
    assert value("sdca", "smooth") == pytest.approx(28.75)
    assert value("sdca", "halved") == pytest.approx(16.875)
    assert value("sdca", "spectral") == pytest.approx(15.77934627, abs=5e-9)
    assert value("sdca", "spectral, from below", "value") == pytest.approx(13.53414314, abs=5e-9)
    assert r(found.G_min, found.G_max) == pytest.approx(0.3319102017, abs=5e-11)
    assert 1 - 1 / value("sdca", "worst case") == pytest.approx(0.9336179597, abs=5e-11)
    exact = radius(unit(A), np.full(5, 0.2))
    assert exact == pytest.approx(0.9297711956, abs=5e-11)
    assert 1 / (1 - exact) == pytest.approx(14.23917164, abs=5e-9)


def test_golden_number_of_the_worst_family():
    low = sp.Rational(2, 21)
    assert r(low, 24 - 23 * low) == pytest.approx(0.1744919940, abs=5e-11)


# ------------------------------------------------------------ against the exact rate
@each_of("side, sampling", [(side, sampling) for side in ("dual", "primal") for sampling in ("uniform", "importance")])
def test_the_exact_rate_is_in_the_band_and_below_every_bound(side, sampling):
    rng = np.random.default_rng(1)
    method = "sdca" if side == "dual" else "rcd"
    for _ in range(15):
        n, d = rng.integers(2, 7, 2)
        X = rng.standard_normal((n, d)) * 10 ** rng.uniform(-1, 1, (n, 1))
        P = cdlab.Problem(X, np.where(np.arange(n) % 2, 1.0, -1.0), loss="squared", l2=10 ** rng.uniform(-2, 0))
        A = spectra.hessian(P.X, 1.0, P.l2, side)
        p = cdlab.samplings.resolve(sampling).probabilities(P.coordinates(side))
        exact = 1 / (1 - radius(unit(A), p))
        below = value(method, "spectral, from below", "value", sampling, P)
        of_spectrum, of_norms, classical = (
            value(method, theorem, "K", sampling, P) for theorem in ("spectral", "halved", "smooth")
        )
        assert below * (1 - 1e-9) <= exact <= of_spectrum * (1 + 1e-9)
        assert of_spectrum <= of_norms * (1 + 1e-9)
        assert of_norms <= classical * (1 + 1e-9)
        assert of_spectrum - below <= 0.5 / p.min() + 0.5  # half a pass for uniform probabilities
        if sampling == "uniform":
            assert exact <= value(method, "worst case", "K", None, P) * (1 + 1e-9)


def test_importance_cannot_repair_more_rows_than_rank():
    """Some null vector of X' has lam_p = 1/K: the halved rate and the spectral one are the same."""
    for theorem in ("halved", "spectral"):
        assert value("sdca", theorem, "K", "importance") == pytest.approx(15.73611111111111)


def test_the_worst_case_is_attained_by_equal_correlations_and_never_exceeded():
    rng = np.random.default_rng(0)
    for size in (2, 3, 6):
        p = np.full(size, 1 / size)
        for low in (0.02, 0.3, 0.8):
            G = low * np.eye(size) + (1 - low)
            assert (1 - radius(G, p)) * size == pytest.approx(r(low, size - (size - 1) * low), rel=1e-9)
        for _ in range(100):
            Z = rng.standard_normal((size, size + 1)) * 10 ** rng.uniform(-1, 1, (1, size + 1))
            G = unit(Z @ Z.T)
            eigenvalues = np.linalg.eigvalsh(G)
            assert radius(G, p) <= 1 - r(eigenvalues[0], eigenvalues[-1]) / size + 1e-12


def test_the_halved_rate_is_tight_for_identical_rows():
    """q = 9: K' (1 - exact rate) -> 1."""
    found = [(1 + 9 / 2) * r(0.1, size - 0.1 * (size - 1)) for size in (10, 100, 1000)]
    assert found == pytest.approx([1.0084, 1.0008, 1.0001], abs=5e-5)


# ------------------------------------------------------------ derivations
def test_the_halved_rate_minimises_over_where_the_point_can_be():
    rate = sp.lambdify((K, p_min), halved.halved_rate())
    for total, least in ((30.0, 0.2), (1e4, 0.01), (5.0, 0.2)):
        share = scipy.optimize.minimize_scalar(
            lambda y, total=total, least=least: least * (1 + y) / (1 + least * total * y), bounds=(0, 1)
        ).fun
        assert 1 / share == pytest.approx(rate(total, least), rel=1e-3)


def test_for_large_n_two_eigenvalues_say_no_more_than_one():
    low = sp.Rational(1, 3)
    worst = quadratics.worst_case()[0].subs({G_max: n - (n - 1) * low, G_min: low})
    assert sp.simplify(sp.limit(worst, n, sp.oo) - 2 * low / (1 + low)) == 0
    spectral = quadratics.spectral_rate().subs({p_min: 1 / n, lam_p: low / n})
    assert sp.simplify(n / spectral - 2 * low / (1 + low)) == 0


def test_the_characteristic_polynomial_of_the_worst_family():
    """One step maps a I + b 1 1' to such a matrix: r^2 - (S + Pi) r + 2 Pi, S and Pi sum and product of eigenvalues."""
    a, b, s, x = sp.symbols("a b s x")
    c = 1 - s
    after_a = a - 2 * s * a / n + s**2 * (a + b) / n
    after_b = b - 2 / n * (s * b + c * a + c * n * b) + (a + b) * (2 * s * c + c**2 * n) / n
    M = sp.Matrix([[f.expand().coeff(v) for v in (a, b)] for f in (after_a, after_b)])
    total, product = s + n - (n - 1) * s, s * (n - (n - 1) * s)
    polynomial = (n**2 * (M - (1 - x / n) * sp.eye(2)).det()).expand()
    assert sp.simplify(polynomial - (x**2 - (total + product) * x + 2 * product)) == 0


# ------------------------------------------------------------ refusals
@each_of(
    "changes, words",
    [
        ({"loss": "logistic"}, "needs M = 0"),
        ({"l1": 0.1}, "needs l1 = 0"),
        ({"intercept": True}, "intercept"),
        ({"sample_weight": np.arange(1.0, 6.0)}, "equal weight"),
    ],
)
def test_the_spectrum_is_refused_where_the_problem_is_no_quadratic(changes, words):
    for method in ("sdca", "rcd"):
        with pytest.raises(ValueError, match=words):
            value(method, "spectral", P=golden_problem(**changes))


def test_too_many_coordinates_are_refused_in_a_sentence():
    P = cdlab.Problem(np.ones((3000, 2)), np.where(np.arange(3000) % 2, 1.0, -1.0), loss="squared", l2=0.1)
    with pytest.raises(ValueError, match="at most 1000 dual coordinates"):
        value("sdca", "spectral", P=P)
    assert value("rcd", "spectral", P=P) > 0


def test_the_smallest_probability_is_that_of_the_sampling():
    P = golden_problem()
    p = np.array([0.1, 0.3, 0.2, 0.2, 0.2])
    s = 1 + P.row_profile.norms2 / (P.l2 * P.n)
    assert value("sdca", "halved", sampling=p, P=P) == pytest.approx(((s / p).max() + 10) / 2)
    blocks = cdlab.samplings.TauNice(2)
    u = cdlab.eso(P, blocks, side="primal")
    assert value("rcd", "halved", sampling=blocks, P=P) == pytest.approx((2 * (1 + u / (P.l2 * P.n)).max() + 2) / 2)


def test_numbers_that_depend_on_the_sampling_can_be_given():
    P = golden_problem()
    assert theory.bound("rcd", "K", "norms").for_problem(P, K=77.0) == 77.0
    assert theory.bound("sdca", "K", "norms", "halved").for_problem(P, K=70.0, p_min=0.1) == 40.0
    assert theory.bound("sdca", "K", theorem="spectral").for_problem(P, lam_p=0.1) == 7.5


def test_the_norm_of_the_convex_rate_is_bounded_where_it_is_not_given():
    P = golden_problem()
    H = P.column_profile.norms2 / P.n
    for sampling, p in (("uniform", np.full(4, 0.25)), ("importance", None)):
        b = theory.bound("rcd", "iterations", sampling, "convex")
        p = cdlab.samplings.resolve(sampling).probabilities(P.coordinates("primal")) if p is None else p
        first = b.curve(P, [0.0], P0=0.3, w2=2.0)[0]
        assert first == pytest.approx(0.3 + p.min() * (H / p).max() * 2.0 / 2)
        assert b.curve(P, [0.0], P0=0.3, w2_p=1.0)[0] == pytest.approx(0.3 + p.min() / 2)


def test_a_rate_of_one_step_is_not_below_zero():
    P = cdlab.Problem([[1.0], [1.0], [0.5]], [1.0, -1.0, 2.0], loss="squared", l2=1e-4)  # one coordinate: K = 1
    curve = theory.bound("rcd", theorem="worst case").curve(P, [0.0, 1.0, 2.0, 5.0])
    assert (curve.values >= 0).all()
    assert curve.values[1:] == pytest.approx(0.0, abs=1e-15)
