"""Which computation answers, that they agree where two can, and what is refused."""

import numpy as np
import pytest
import scipy.sparse
from cases import each_of
from golden_data import DIGITS, equicorrelated_problem, five_by_four, gram_problem

import cdlab
from cdlab.exact_rates.band import band, spectral_band
from cdlab.exact_rates.counts import GroupDraws, GroupPermutations
from cdlab.exact_rates.draws import IndependentDraws
from cdlab.exact_rates.equal_lines import find_groups
from cdlab.exact_rates.optimum import find_optimum
from cdlab.exact_rates.permutations import Permutations
from cdlab.exact_rates.populations import SimulatedPermutations
from cdlab.exact_rates.quadratics import curvature, dual_quadratic
from cdlab.methods import SDCA, Anderson, Quartz
from cdlab.theory import exact_rate


def grouped(omega=None):
    """Three groups, of 1, 3 and 2 equal coordinates."""
    of = np.array([0, 1, 1, 1, 2, 2])
    centres = np.array([[2.0, 0.3], [0.4, 1.0], [-1.0, 0.8]])
    K = centres[of] @ centres[of].T + np.diag([0.0, 0.5, 0.5, 0.5, 0.0, 0.0])
    quadratic = dual_quadratic(problem := gram_problem(K), find_optimum(problem), np.zeros(6))
    return quadratic if omega is None else quadratic.with_steps(np.array(omega)[of]), of


@each_of("omega", [(1.0, 1.0, 1.0), (0.6, 1.3, 1.0)])
def test_groups_of_equal_coordinates_are_as_good_as_all(omega):
    quadratic, of = grouped(omega)
    p = np.array([0.3, 0.1, 0.2])[of]
    groups = find_groups([quadratic.G], [quadratic.omega, p])
    assert list(groups.sizes) == [1, 3, 2]
    for few, all_of_them in (
        (GroupPermutations(quadratic, groups), Permutations(quadratic)),
        (GroupDraws(quadratic, groups, p), IndependentDraws(quadratic, p)),
    ):
        assert few.radius().value == pytest.approx(all_of_them.radius().value, rel=1e-10)
        assert few.worst_epoch() == pytest.approx(all_of_them.worst_epoch(), rel=1e-10)
        for form in quadratic.forms.values():
            expected = all_of_them.curve(form, quadratic.error, 3)
            assert few.curve(form, quadratic.error, 3) == pytest.approx(expected, rel=1e-9)


def test_the_spectral_band_of_five_by_four():
    problem = five_by_four()
    A, _ = curvature(problem, find_optimum(problem), "dual")
    lam = A.smallest_eigenvalue(np.full(5, 0.2))
    low, high, certified = spectral_band(lam, 0.2)
    assert certified
    assert 1 / lam.lower == pytest.approx(26.55869255, rel=DIGITS)
    assert (1 / (1 - low), 1 / (1 - high)) == pytest.approx((13.53414314, 15.77934627), rel=DIGITS)
    assert low < band(A, np.full(5, 0.2)).low <= exact_rate(problem).radius ** (1 / 5) <= high


def test_the_exact_rate_is_in_its_band_on_random_data():
    rng = np.random.default_rng(2)
    for _ in range(20):
        n, d = rng.integers(2, 8, size=2)
        problem = cdlab.Problem(rng.standard_normal((n, d)), rng.standard_normal(n), loss="squared", l2=0.1)
        p = rng.dirichlet(np.full(n, 3.0))
        low, high, _ = band(curvature(problem, find_optimum(problem), "dual")[0], p)
        assert low - 1e-12 <= exact_rate(problem, "sdca", p).radius ** (1 / n) <= high + 1e-12


def test_many_coordinates_are_known_to_within_a_band():
    rng = np.random.default_rng(0)
    problem = cdlab.Problem(rng.standard_normal((2100, 6)), rng.standard_normal(2100), loss="squared", l2=0.01)
    rate = exact_rate(problem)
    assert rate.how == "band"
    low, high = rate.interval
    assert low < rate.radius < high
    assert rate.passes_interval[1] - rate.passes_interval[0] < 0.51
    with pytest.raises(ValueError, match="band"):
        rate.curve(3)


@each_of("sampling, array", [("clipped", np.asarray), ("uniform", scipy.sparse.csr_array)])
def test_a_band_is_found_where_many_eigenvalues_are_close_together(sampling, array):
    """More rows than rank, of unequal norms: the smallest eigenvalues crowd, and Lanczos' method would not end."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 14)) * np.exp(rng.standard_normal((700, 1))) + 3
    problem = cdlab.Problem(array(X), X.sum(axis=1), loss="squared", l2=1 / 700)
    rate = exact_rate(problem, "sdca", sampling)
    assert rate.how == "band"
    p = cdlab.samplings.resolve(sampling).probabilities(problem.coordinates("dual"))
    K = np.eye(700) + X @ X.T
    smallest = np.linalg.eigvalsh(K * np.sqrt(np.outer(p, p) / np.outer(np.diag(K), np.diag(K))))[0]
    low, high = rate.interval
    assert low == pytest.approx(max((1 - smallest) ** 2, 1 - p.min()) ** 700, rel=2e-3)
    assert 1 - high ** (1 / 700) == pytest.approx(2 * smallest / (1 + smallest / p.min()), rel=2e-3)


def test_the_band_of_a_problem_with_an_intercept():
    X = np.random.default_rng(0).standard_normal((30, 4)) + 3
    problem = cdlab.Problem(X, X.sum(axis=1), loss="squared", l2=0.01, intercept=True)
    found = band(curvature(problem.centred, find_optimum(problem), "primal")[0], np.full(5, 0.2))
    assert found.low <= exact_rate(problem, "rcd").radius ** (1 / 5) <= found.high
    assert found.certified


@pytest.mark.full
def test_simulated_permutations_estimate_the_exact_rate():
    problem = equicorrelated_problem(24, 2 / 21)
    found = SimulatedPermutations(dual_quadratic(problem, find_optimum(problem), np.zeros(24))).radius()
    assert found.low <= 0.8189109941 <= found.high
    rng = np.random.default_rng(0)
    rate = exact_rate(cdlab.Problem(rng.standard_normal((30, 6)), rng.standard_normal(30), loss="squared", l2=0.1),
                      "sdca", "permutation")  # fmt: skip
    assert rate.how == "simulated"
    assert rate.curve(5).shape == (6,)


def test_a_fixed_order_is_as_cyclic_after_renaming():
    problem, order = five_by_four(), np.array([3, 1, 4, 0, 2])
    renamed = cdlab.Problem(problem.X[order], problem.y[order], loss="squared", l2=0.2)
    fixed = exact_rate(problem, "sdca", "fixed_permutation", order=order)
    assert fixed.radius == pytest.approx(exact_rate(renamed, "sdca", "cyclic").radius, rel=1e-12)


def test_a_symmetric_sweep_is_the_worst_forward_sweep_squared():
    problem = five_by_four()
    symmetric = exact_rate(problem, "sdca", "symmetric")
    assert symmetric.radius == pytest.approx(exact_rate(problem, "sdca", "cyclic").worst_epoch, rel=1e-10)
    assert symmetric.epochs == pytest.approx(3.620803254, rel=DIGITS)
    slow = exact_rate(equicorrelated_problem(24, 2 / 21), "sdca", "symmetric")
    assert slow.epochs == pytest.approx(507.2365981, rel=1e-8)


def test_print_says_the_rate_its_interval_and_how():
    text = str(exact_rate(five_by_four(), "sdca", "permutation"))
    assert "0.5632062232" in text
    assert "recursion over subsets" in text
    assert "epochs per factor e" not in text  # an epoch is a pass
    rate = exact_rate(five_by_four(), "svrg")
    assert rate.passes == pytest.approx(1.5 * rate.epochs)
    assert f"epochs per factor e   {rate.epochs:.6g}\n  passes per factor e   {rate.passes:.6g}" in str(rate)


@each_of(
    "change, method, sampling, words",
    [
        ({"loss": "hinge"}, "sdca", "uniform", "smooth losses"),
        ({"l1": 0.1}, "sdca", "uniform", "set l1 = 0"),
        ({"l2": 0.0}, "rcd", "uniform", "set l2 > 0"),
        ({}, "lbfgs", "uniform", "no exact rate"),
        ({}, Anderson(SDCA()), "cyclic", "no exact rate"),
        ({}, Quartz(averaged_primal=True), "uniform", "averaged_primal"),
        ({}, "sdca", cdlab.samplings.TauNice(2), "draws blocks"),
        ({}, "sdca", np.array([1.0, 1, 0, 1, 1]), "never drawn"),
        ({}, "sdca", "fixed_permutation", "pass order="),
        ({}, "sgd", "uniform", "constant_step"),
        ({}, "apcg", "permutation", "does not run with"),
        ({"intercept": True}, "sdca", "uniform", "intercept"),
        ({"loss": "logistic"}, "saga", "uniform", "squared loss"),
    ],
)
def test_what_has_no_exact_rate_is_refused_in_a_sentence(change, method, sampling, words):
    with pytest.raises(ValueError, match=words):
        exact_rate(five_by_four(**change), method, sampling)


def test_permutations_of_too_many_are_refused():
    rng = np.random.default_rng(0)
    problem = cdlab.Problem(rng.standard_normal((600, 3)), rng.standard_normal(600), loss="squared", l2=0.1)
    with pytest.raises(ValueError, match='at most 16, .* ask about "clipped"'):
        exact_rate(problem, "sdca", "permutation")
    with pytest.raises(ValueError, match='take "clipped" sampling'):
        cdlab.theory.best_sampling(problem)
    assert exact_rate(problem, "sdca", "clipped").how == "band"
