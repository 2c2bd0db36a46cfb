"""clipped and mixture: between uniform and importance sampling, with the golden numbers of their formulas."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab import theory
from cdlab.samplings import Clipped, Coordinates, Importance, Mixture, Uniform
from cdlab.samplings.exact_steps import clipping_level

ONE_LONG_ROW = np.diag([np.sqrt(99)] + 9 * [1.0])  # q = 99 and nine times 1 at l2 = 1/n


def coordinates(s, l2n=1.0):
    """Of coordinates with these s_i."""
    return Coordinates((np.asarray(s) - 1) * l2n, 1.0, l2n, np.ones(len(s)))


def iterations(s, p):
    """K' = (K + 1/min p)/2."""
    return ((s / p).max() + 1 / p.min()) / 2


@pytest.fixture
def problem():
    return cdlab.Problem(ONE_LONG_ROW, np.ones(10), loss="squared", l2=0.1)


def test_the_golden_numbers_of_one_long_row(problem):
    s = 1 + problem.row_profile.norms2
    assert clipping_level(s) == pytest.approx(10 / 3, rel=1e-10)
    p = cdlab.methods.resolve("sdca").probabilities(problem, "clipped")
    assert iterations(s, p) == pytest.approx(84.5, rel=1e-10)
    assert iterations(s, np.full(10, 0.1)) == pytest.approx(505, rel=1e-10)
    assert iterations(s, s / s.sum()) == pytest.approx(88.5, rel=1e-10)
    assert 1 / p.min() == pytest.approx(39, rel=1e-10)  # the true steps for a factor e on orthogonal rows


def test_the_best_share_of_importance_in_a_mixture():
    """3 rows of q = 20 and 5 of q = 1: p in proportion to 2 + q."""
    q = np.array(3 * [20.0] + 5 * [1.0])
    S = (1 + q).sum()
    auto = Mixture().probabilities(coordinates(1 + q))
    np.testing.assert_allclose(auto, (2 + q) / (2 + q).sum(), rtol=1e-12)
    np.testing.assert_allclose(auto, Mixture(S / (8 + S)).probabilities(coordinates(1 + q)), rtol=1e-12)
    assert S / (8 + S) == pytest.approx(0.9012345679, rel=1e-9)
    x = np.array(3 * [0.09226263045] + 5 * [0.6972243623])  # the rates of exact steps on the two groups
    assert 1 / (auto * x).min() == pytest.approx(39.90584448, rel=1e-8)


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=30), st.floats(1e-6, 1e6))
def test_no_other_level_is_better(s, unit):
    s = np.array(s) * unit
    best = clipping_level(s, unit)
    assert s.min() * (1 - 1e-12) <= best <= s.max() * (1 + 1e-12)
    levels = np.append(np.geomspace(s.min(), s.max(), 200), s)
    others = (1 + unit / levels) * np.maximum(s, levels[:, None]).sum(axis=1)
    assert (1 + unit / best) * np.maximum(s, best).sum() <= others.min() * (1 + 1e-12)


@given(st.lists(st.floats(1, 1e4), min_size=1, max_size=20), st.integers(0, 1000))
def test_no_other_probabilities_are_better_than_clipped_ones(s, seed):
    s, rng = np.array(s), np.random.default_rng(seed)
    c = coordinates(s)
    best = iterations(s, Clipped().probabilities(c))
    for p in (Uniform().probabilities(c), Importance().probabilities(c), *rng.dirichlet(np.ones(s.size), 20)):
        assert best <= iterations(s, np.maximum(p, 1e-300)) * (1 + 1e-9)


@each_of("beta, like", [(0.0, Uniform()), (1.0, Importance())])
def test_a_mixture_ends_at_uniform_and_importance(beta, like):
    c = coordinates([1.0, 3.0, 8.0])
    np.testing.assert_allclose(Mixture(beta).probabilities(c), like.probabilities(c))


def test_without_l2_or_data():
    c = Coordinates(np.array([0.0, 1.0, 3.0]), 1.0, 0.0, np.ones(3))
    for sampling in (Clipped(), Mixture()):
        np.testing.assert_allclose(sampling.probabilities(c), [0, 0.25, 0.75])  # as importance, the limit
        np.testing.assert_allclose(sampling.probabilities(c._replace(norms2=np.zeros(3))), 1 / 3)


@each_of("sampling", ["clipped", "mixture", Mixture(0.3)])
def test_solutions_and_bounds_with_them(problem, sampling):
    assert cdlab.solve(problem, "sdca", sampling=sampling, tol=1e-4).relative_gap <= 1e-4
    p = cdlab.methods.resolve("sdca").probabilities(problem, sampling)
    for method in ("sdca", "rcd", "quartz"):
        assert theory.bound(method, "K", sampling).for_problem(problem) == pytest.approx(
            theory.bound(method, "K", p).for_problem(problem), rel=1e-12
        )


@each_of("beta", [-0.1, 1.1, "half", None])
def test_a_share_is_a_number_from_0_to_1(beta):
    with pytest.raises(ValueError, match="beta must be a number from 0 to 1"):
        Mixture(beta)
