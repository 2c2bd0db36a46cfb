"""Predicted passes: the theorems behind them, and the calibrated table."""

import math

import numpy as np
import pytest
from advised import by_label, problem
from cases import each_of, pushed
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab import theory
from cdlab.advice import bounds, predictions
from cdlab.advice.candidates import Candidate, candidates_for
from cdlab.methods import cost_model


# ---------------------------------------------------------------- the bounds
def test_worst_is_the_theorem_s_number_and_sharp_is_no_larger():
    P = problem()
    for label, choice in by_label(cdlab.advise(P, 1e-4)).items():
        if choice.worst is not None:
            assert choice.sharp <= choice.worst
            assert choice.bound, label
        if not choice.outside and "L_f" not in {s.name for s in theory.bound(*_named(choice)).symbols}:
            assert choice.worst == pytest.approx(theory.bound(*_named(choice)).for_problem(P, 1e-4))


def _named(choice):
    sampling = None if choice.sampling == "none" else choice.sampling
    return cdlab.methods.resolve(choice.method), "passes", sampling


def test_the_smoothness_of_the_mean_loss_is_at_worst_the_largest_row_s():
    P = problem()
    choice, bound = by_label(cdlab.advise(P))["fista"], theory.bound("fista")
    assert choice.sharp == pytest.approx(bound.for_problem(P, 1e-6))
    assert choice.worst == pytest.approx(bound.for_problem(P, 1e-6, L_f=P.R**2 * P.beta))
    assert choice.sharp < choice.worst


def test_orders_and_methods_without_a_theorem_are_said_to_be_outside():
    choices = by_label(cdlab.advise(problem()))
    assert not choices["sdca@uniform"].outside
    assert "no theorem covers permutation" in choices["sdca@permutation"].outside
    assert "sdca" in choices["sdca@permutation"].outside.partition(";")[2], "whose bound stands in"
    assert choices["sdca@permutation"].worst == choices["sdca@uniform"].worst
    assert "agd" in choices["lbfgs"].bound
    assert "Liu & Nocedal" in choices["lbfgs"].outside


@given(st.floats(1e-4, 5.0), st.sampled_from(["rows", "columns"]))
def test_the_effective_l2_makes_the_uniform_bound_contract_as_measured(rate, lines):
    P = problem(l2=1e-9)
    l2 = bounds.effective_l2(P, lines, rate)
    norms2 = (P.row_profile if lines == "rows" else P.column_profile).norms2
    K = 1 + P.beta * norms2.max() / (l2 * P.n)  # passes in which the bound falls by a factor e
    assert l2 >= P.l2
    assert K == pytest.approx(max(1 / rate, 1 + bounds.MIN_CONDITION))


def test_a_probe_that_stands_still_leaves_l2_as_it_is():
    P = problem()
    assert bounds.effective_l2(P, "rows", 0.0) == P.l2


# ---------------------------------------------------------------- the table
def test_the_table_speaks_of_candidates_that_exist_and_its_numbers_make_sense():
    known = {c.key for c in candidates_for(problem())[0]} | {
        c.key for c in candidates_for(problem("squared", l2=0.0))[0]
    }
    for entry, row in predictions.table().items():
        assert entry.removesuffix(" nonsmooth").removesuffix(" no l2") in known
        assert row.powers
        assert row.worst == 0 or row.sharp == 0
        assert row.factor > 0
        assert row.spread >= 1
        assert row.reached <= row.problems
        assert min(row.dense, row.dense_logistic, row.sparse, row.sparse_logistic) > 0
        assert row.passes({"worst": 100.0, "sharp": 100.0, "probe": 100.0}) >= 1
        assert row.passes(dict.fromkeys(predictions.DRIVERS)) is None
        assert row.without_probe().passes({"worst": 100.0, "sharp": None, "probe": math.inf}) >= 1


def test_accelerated_sdca_that_does_not_accelerate_is_sdca():
    P = problem(l2=10.0)
    choices = by_label(cdlab.advise(P))
    assert choices["accprox_sdca@uniform"].passes == choices["sdca@uniform"].passes
    assert "here it is sdca@uniform" in choices["accprox_sdca@uniform"].basis


def test_equal_norms_make_every_such_sampling_uniform():
    X = np.eye(8)[np.arange(40) % 8]
    choices = by_label(cdlab.advise(cdlab.Problem(X, np.tile([1, -1], 20), l2=0.01), probe=False))
    for name in ("importance", "norms", "lipschitz"):
        choice = choices[f"sdca@{name}"]
        assert choice.runs == "sdca@uniform"
        assert choice.passes == choices["sdca@uniform"].passes


@pytest.mark.parametrize("row_spread", pushed([0.0, 0.02, 0.05], 0.02))
def test_samplings_whose_probabilities_nearly_coincide_have_one_prediction(row_spread):
    """Half of sum |p_i - 1/m| of the draws come out otherwise than uniform ones: here at most one in twenty."""
    P = problem(n=100, d=2000, l2=1e-2, row_spread=row_spread)
    known = {c.key: c for c in candidates_for(P)[0]}
    choices = by_label(cdlab.advise(P, probe=True))
    for method in ("sdca", "quartz"):
        for name in ("importance", "norms", "lipschitz"):
            p = known[f"{method}@{name}"].sampling.probabilities(P.coordinates("dual"))
            assert abs(p - 1 / P.n).sum() / 2 <= 0.05, "the problem is what the test says"
            choice, uniform = choices[f"{method}@{name}"], choices[f"{method}@uniform"]
            assert choice.runs == uniform.label
            assert (choice.passes, choice.seconds) == (uniform.passes, uniform.seconds)


@pytest.mark.parametrize("eps", [1e-3, 1e-6])
def test_draws_with_replacement_take_passes_until_nearly_all_coordinates_were_drawn(eps):
    """After k passes a share e^-k was not: however easy the problem, such a method is not done at once."""
    X, y = cdlab.datasets.make(n=60, d=4000, seed=0)
    advice = cdlab.advise(cdlab.Problem(X / 60, y, l2=1e-1), eps, probe=False)
    for label, choice in by_label(advice).items():
        if label in ("sdca@uniform", "sdca@norms", "quartz@importance"):
            assert choice.passes >= predictions.MIN_PASSES_SHARE * math.log(1 / eps)


@each_of("p", [np.full(10, 0.1), np.array([0.4, *np.full(9, 0.6 / 9)])])
def test_what_was_never_drawn_is_counted_on_orthogonal_rows(p):
    """sum_i delta_i (1 - p_i)^t = eps sum_i delta_i, where a pass takes 10 draws."""
    P = cdlab.Problem(np.diag([3.0, *np.ones(9)]), np.ones(10), loss="squared", l2=0.1)
    passes = predictions.passes_until_drawn(P, Candidate(cdlab.methods.SDCA(), cdlab.samplings.Given(p)), 1e-6)
    delta = 1 / (1 + P.row_profile.norms2)
    assert delta @ (1 - p) ** (10 * passes) == pytest.approx(1e-6 * delta.sum(), rel=1e-6)


def test_one_long_row_among_many_makes_importance_another_sampling():
    """Little changes in the draws, and everything in the bound, which is about the longest row."""
    X, y = cdlab.datasets.make(n=2000, d=50, seed=0)
    X[0] *= 30
    P = cdlab.Problem(X / 7, y, l2=1e-2)
    choices = by_label(cdlab.advise(P, probe=False))
    assert choices["sdca@importance"].runs == "sdca@importance"
    assert choices["sdca@importance"].worst < choices["sdca@uniform"].worst / 10


def test_kaczmarz_is_ranked_only_where_the_system_has_a_solution():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    noisy, solvable = (
        by_label(cdlab.advise(cdlab.Problem(X, y, loss="squared", l2=0.0), probe=False))["kaczmarz@uniform"]
        for y in (rng.normal(size=60), X @ np.ones(5))
    )
    assert (noisy.passes, noisy.worst) == (None, None)
    assert "P_zero" in noisy.outside
    assert solvable.worst == pytest.approx(cdlab.theory.bound("kaczmarz").for_problem(_system(X), 1e-6))


def _system(X):
    return cdlab.Problem(X, X @ np.ones(X.shape[1]), loss="squared", l2=0.0)


@pytest.mark.full
def test_newton_s_method_is_counted_and_leads_where_descent_crawls():
    P = problem(n=2000, d=20, condition=1e4, l2=1e-7)
    counted = by_label(cdlab.advise(P, probe=False))["newton_cd"]
    assert counted.basis == "a count of what its iterations multiply"
    solved = cdlab.solve(P, "newton_cd", tol=1e-6)
    assert counted.passes / 3 < solved.trace.column("passes")[-1] < 3 * counted.passes
    assert cdlab.advise(P)[0].label == "newton_cd"


def test_an_epoch_of_apcg_costs_what_the_cost_model_says_and_what_was_measured():
    row = predictions.table()["apcg@uniform"]
    measured = (row.dense, row.dense_logistic, row.sparse, row.sparse_logistic)
    assert min(measured) / 1.1 <= cost_model.APCG_EPOCH <= max(measured)
