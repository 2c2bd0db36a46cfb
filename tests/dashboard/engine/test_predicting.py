"""What is known before a race: one quantity, one ratio, and refusals whose repairs repair."""

import numpy as np
import pytest
from cases import each_of
from small_choices import small

from cdlab.dashboard.engine import Choices, predict
from cdlab.dashboard.engine.data_sources import at_hand
from cdlab.dashboard.engine.predicting import data_refusal, entry_refusals
from cdlab.dashboard.engine.problems import prepared
from cdlab.dashboard.engine.racing import run_race
from cdlab.faceoffs import faceoff


@pytest.fixture(scope="module")
def opening():
    return predict(Choices())


def test_numbers_of_the_design(opening):
    primal, dual = opening.theorems
    assert round(primal.value, -1) == 5040
    assert round(dual.value) == 165
    assert primal.numbers == "(1 + 995/4) × 20.2"
    assert opening.primal.words == "3 words: 66 % of it"
    assert opening.primal.value / opening.dual.value == pytest.approx(41.5, rel=0.01)
    assert opening.condition == pytest.approx(7.17, rel=0.01)


@pytest.mark.parametrize("sampling", ["uniform", "importance"])
def test_ratio_of_the_theorems_is_the_ratio_of_the_face_off_with_these_draws(sampling):
    choices = small(primal_sampling=sampling, dual_sampling=sampling)
    work = getattr(faceoff(choices.problem()), sampling)
    prediction = predict(choices)
    assert prediction.ratio == pytest.approx(work.ratio, rel=1e-9)
    assert prediction.ratio == pytest.approx(prediction.theorems[0].value / prediction.theorems[1].value)


@pytest.mark.parametrize("methods", [["rcd", "sdca"], ["acc_rcd", "apcg"], ["gd", "quartz(4)"]])
def test_curve_comes_down_to_the_target_where_the_theorem_says(methods):
    choices = small(methods=methods, tol=1e-5)
    for theorem in predict(choices).theorems:
        assert theorem.curve.passes[-1] == pytest.approx(theorem.value, rel=1e-9)
        assert theorem.curve.gap[-1] == pytest.approx(choices.target)
        assert (np.diff(theorem.curve.passes) > 0).all()


def test_lines_that_set_the_bounds_are_the_heaviest(opening):
    problem = prepared(Choices()).problem
    primal, dual = opening.theorems
    assert primal.line == opening.matrix.primal.largest == int(problem.column_profile.norms2.argmax())
    assert dual.line == opening.matrix.dual.largest == int(problem.row_profile.norms2.argmax())
    assert opening.matrix.primal.largest_entries == problem.column_profile.counts[primal.line]
    assert opening.matrix.dual.largest_entries == problem.row_profile.counts[dual.line]


def test_measured_and_predicted_ratio_are_of_the_same_entries():
    choices = small(methods=["rcd", "sdca@importance", "acc_rcd", "sdca@permutation"])
    values = {theorem.label: theorem.value for theorem in predict(choices).theorems}
    outcome = run_race(choices).outcome
    passes = {result.label: result.reached for result in outcome.results}
    assert predict(choices).ratio == pytest.approx(values["rcd"] / values["sdca, importance"])
    assert outcome.primal_over_dual == pytest.approx(passes["rcd"] / passes["sdca, importance"])


def test_sums_are_of_their_parts():
    prediction = predict(small(d=70))
    for each in (prediction.primal, prediction.dual):
        assert sum(each.parts) + each.rest == pytest.approx(each.value, rel=1e-3)


@each_of(
    "changes, words",
    [
        ({"primal_sampling": "cyclic"}, "No theorem here on this order"),
        ({"methods": ["rcd", "adasdca"]}, "No gap bound here: adasdca"),
        ({"methods": ["rcd", "acc_rcd"]}, "one of them does not race"),
    ],
)
def test_no_ratio_where_no_theorem_is_about_the_pair(changes, words):
    prediction = predict(small(**changes))
    assert prediction.ratio is None
    assert words in prediction.ratio_words


def test_with_a_kink_the_last_point_has_a_curve_however_far_it_reaches():
    (found,) = predict(small(loss="hinge", methods=["sdca"])).theorems
    assert found.value > 1e6
    assert found.curve.passes[-1] == pytest.approx(found.value, rel=1e-4)
    assert (np.diff(found.curve.passes) >= 0).all()


def test_data_that_are_too_large_have_no_numbers_of_others(opening):
    prediction = predict(Choices(n=100_000, d=100_000))
    assert prediction.digest != opening.digest
    assert (prediction.matrix, prediction.theorems, prediction.ratio, prediction.primal) == (None, [], None, None)


def test_without_lambda_nothing_is_promised_about_a_gap():
    prediction = predict(small(l2=0.0, methods=["rcd", "saga"]))
    assert [theorem.value for theorem in prediction.theorems] == [None, None]
    assert prediction.notes


@each_of(
    "changes, what",
    [
        ({"loss": "hinge"}, "rcd"),
        ({"l2": 0.0}, "sdca"),
        ({"dual_sampling": "permutation", "methods": ["rcd", "apcg"]}, "apcg"),
        ({"blocks": "distributed", "batch": 7, "methods": ["quartz", "rcd"]}, "rcd"),
        ({"blocks": "distributed", "batch": 4, "dual_sampling": "importance"}, "sdca"),
        ({"blocks": "bucket", "batch": 4, "methods": ["asdca", "rcd"]}, "asdca"),
        ({"methods": ["rcd", "sag@importance"]}, "sag@importance"),
        ({"l1": 0.1, "methods": ["greedy", "sdca"]}, "greedy"),
        ({"loss": "softmax"}, "rcd"),
        ({"intercept": True, "methods": ["rcd", "quartz"]}, "quartz"),
        ({"methods": ["kaczmarz", "rcd"]}, "kaczmarz"),
        ({"n": 100_000, "d": 100_000}, "data"),
        *([({"data": "covtype.binary"}, "data")] if "covtype.binary" in at_hand() else []),
    ],
)
def test_repairs_repair(changes, what):
    choices = small(**changes)
    found = refused(choices)
    assert found[what].why.endswith(".")
    assert found[what].repairs
    for repair in found[what].repairs:
        after = choices.but(**repair.choices)
        assert not refused(after).keys() & {"data", *after.methods}, repair.words


def refused(choices):
    """The refusals of data and entries, by what they are about."""
    of_data = data_refusal(choices)
    return {refusal.what: refusal for refusal in ([of_data] if of_data else entry_refusals(choices))}
