"""Exact rates of methods that are linear in their state: the golden ones, and what must hold of them."""

import numpy as np
import pytest
from cases import each_of
from golden_data import DIGITS, five_by_four

import cdlab
from cdlab.theory import exact_rate


@each_of("method, step, passes", [("saga", 0.9563779957, 4.484098713), ("spdc", 0.9291722461, 2.722527593)])
def test_saga_and_spdc_on_five_by_four(method, step, passes):
    rate = exact_rate(five_by_four(), method)
    assert rate.radius ** (1 / 5) == pytest.approx(step, rel=DIGITS)
    assert rate.epochs == pytest.approx(passes, rel=DIGITS)
    assert rate.how == "operator"
    assert rate.interval[0] <= rate.radius <= rate.interval[1]


@each_of(
    "share, sampling, values",
    [
        (0.5, "permutation", (0.09489170741, 0.01210940753, 0.001776164987)),
        (0.5, "uniform", (0.1511310925, 0.03133325729, 0.006905204449)),
        (0.1, "permutation", (0.3341684844, 0.1185237439, 5.307388908e-05)),
        (0.1, "uniform", (0.3402469803, 0.1283020908, 0.001162208406)),
    ],
)
def test_sgd_with_a_constant_step_falls_to_its_noise(share, sampling, values):
    problem = five_by_four()
    rate = exact_rate(problem, "sgd", sampling, step=share / (problem.R**2 + problem.l2))
    assert rate.curve([1, 5, 200], "|w-w*|^2") == pytest.approx(values, rel=DIGITS)
    assert rate.radius < 1


def test_kaczmarz_falls_at_most_by_its_theorems_factor():
    rng = np.random.default_rng(3)
    X, w = rng.standard_normal((6, 3)), rng.standard_normal(3)
    problem = cdlab.Problem(X, X @ w, loss="squared", l2=0)
    rate = exact_rate(problem, "kaczmarz")
    factor = 1 - np.linalg.svd(X, compute_uv=False)[-1] ** 2 / (X**2).sum()
    curve = rate.curve(4, "|w-w*|^2")
    assert rate.radius <= factor**6
    assert (curve <= w @ w * factor ** (6 * np.arange(5)) * (1 + 1e-12)).all()


def test_a_lone_stage_of_svrg_is_a_stage_of_its_curve():
    problem = five_by_four()
    rate = exact_rate(problem, "svrg")
    late = rate.curve([200, 202], "P-P*")
    assert late[1] / late[0] == pytest.approx(rate.radius**2, rel=1e-6)  # a stage takes two epochs
    assert rate.passes_per_epoch == pytest.approx(1.5)


@each_of(
    "method, parameters, sentence",
    [
        ("asdca", {"theta": 0.0}, "asdca's theta must be a number between 0 and 1, or None, not 0.0"),
        ("asdca", {"factor": 5}, "asdca's factor must be a number > 0 and < 4"),
        ("spdc", {"theta": 1.5}, "spdc's theta must be"),
    ],
)
def test_steps_out_of_range_are_refused(method, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        exact_rate(five_by_four(), method, **parameters)


@each_of("sampling, K", [("uniform", 6.125672036586305), ("importance", 6.902924297662764)])
def test_accelerated_coordinate_descent_draws_features(sampling, K):
    problem = five_by_four()
    rate = exact_rate(problem, "acc_rcd", sampling)
    assert rate.steps_per_epoch == problem.d
    assert 1 / (1 - rate.radius ** (1 / problem.d)) == pytest.approx(K, rel=DIGITS)
    assert cdlab.theory.bound("acc_rcd", "K", sampling=sampling).for_problem(problem) > K
