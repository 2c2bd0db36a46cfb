import math

import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.story import Outcome, Prediction, labels, outcome, predict
from cdlab.dashboard.words import number
from cdlab.runs.trace import Record, Trace


def trace(method: str, passes_to: dict[float, float]) -> Trace:
    """A trace that starts at gap 1 (P = 1, D = 0) and has these relative gaps after these passes."""
    gaps = {1.0: 0.0} | passes_to
    records = [Record(k, passes, passes, gap, 0.0, gap, math.nan) for k, (gap, passes) in enumerate(gaps.items())]
    return Trace(records, {"method": method, "label": f"{method}, uniform"})


SMALL = {"n": 60, "d": 20, "density": 0.4}
COMPARED = labels(Choices(dual_sampling="uniform", primal_sampling="uniform"))


def predicted(dual: str, primal: str, **choices) -> Prediction:
    chosen = Choices(**SMALL | choices, dual_sampling=dual, primal_sampling=primal)
    return predict(chosen.problem(), chosen)


def test_the_prediction_is_the_face_off_s_ratio():
    face = cdlab.faceoff(Choices(**SMALL).problem())
    assert predicted("importance", "importance").ratio == pytest.approx(face.ratio)
    assert predicted("uniform", "uniform").ratio == pytest.approx(face.uniform.ratio)
    assert predicted("importance", "uniform").ratio == pytest.approx(face.uniform.T_P / face.T_D)


def test_the_prediction_of_batches_is_that_of_their_eso():
    face = cdlab.faceoff(Choices(**SMALL).problem(), samplings=[cdlab.samplings.TauNice(8)])
    batches = face.by_sampling["tau_nice(tau=8)"]
    assert predicted("uniform", "uniform", batch=8).ratio == pytest.approx(batches.T_P / batches.T_D)


def test_where_no_theorem_covers_an_order_uniform_stands_in_and_that_is_said():
    prediction = predicted("permutation", "uniform")
    assert prediction.ratio == pytest.approx(cdlab.faceoff(Choices(**SMALL).problem()).uniform.ratio)
    assert "no theorem covers permutation sampling" in prediction.sentence()


@each_of(
    "sampling, choices",
    [
        ("uniform", {"loss": "hinge"}),
        ("uniform", {"l1": 0.1}),
        ("uniform", {"l2": 0.0}),
        ("importance", {"batch": 8}),
    ],
)
def test_without_a_bound_there_is_a_reason(sampling, choices):
    prediction = predicted(sampling, sampling, **choices)
    assert prediction.ratio is None
    assert prediction.sentence().startswith("The theory makes no prediction: ")


@each_of(
    "ratio, words",
    [
        (8.0, "the dual wins: the primal needs 8 times the work (T_P/T_D = 8)"),
        (0.25, "the primal wins: the dual needs 4 times the work (T_P/T_D = 0.25)"),
        (1.1, "a tie: T_P/T_D = 1.1"),
    ],
)
def test_a_prediction_in_words(ratio, words):
    assert words in Prediction(ratio).sentence()


def happened(primal: float, dual: float, **spent: float) -> Outcome:
    """rcd against sdca with these passes to the target; by default they ended there."""
    return Outcome(
        1e-4,
        "rcd, uniform",
        "sdca, uniform",
        primal,
        dual,
        **{"primal_spent": primal, "dual_spent": dual} | spent,
    )


def test_the_best_runs_of_both_sides_are_compared_at_the_target():
    traces = [
        trace("sdca", {1e-3: 8, 1e-5: 10, 1e-9: 40}),
        trace("quartz", {1e-3: 5, 1e-5: 20, 1e-9: 30}),
        trace("rcd", {1e-3: 30, 2e-6: 60}),
    ]
    found = outcome(traces, 1e-5, COMPARED)
    assert found == Outcome(1e-5, "rcd, uniform", "sdca, uniform", 60, 10, 60, 40)
    assert found.ratio == 6
    assert found.winner == "dual"


@each_of("target", [1e-2, 1e-4, 1e-6, 1e-8])
def test_passes_are_counted_to_the_target_and_to_no_other_gap(target):
    gaps = {10.0**-k: 3.0 * k for k in range(1, 10)}
    found = outcome([trace("sdca", gaps), trace("rcd", {gap: 2 * at for gap, at in gaps.items()})], target, COMPARED)
    assert found.dual_passes == gaps[target]
    assert f"Measured to a relative gap of {number(target)}" in found.sentence(Prediction(None))


def test_a_side_that_did_not_reach_the_target_has_lost_by_what_it_spent():
    found = outcome([trace("sdca", {1e-6: 20}), trace("rcd", {1e-3: 200})], 1e-6, COMPARED)
    assert (found.primal_passes, found.ratio, found.at_least, found.winner) == (math.inf, None, 10, "dual")
    words = found.sentence(Prediction(16.0))
    assert "sdca (uniform) needed 20 passes, rcd (uniform) is not there after 200." in words
    assert words.endswith("The winner is the predicted one.")
    assert found.sentence(Prediction(0.1)).endswith("The outcome contradicts the prediction.")


def test_nobody_has_lost_before_they_spent_more_than_the_other_needed():
    ahead = happened(math.inf, 20.0, primal_spent=10.0, running=True)
    assert (ahead.at_least, ahead.winner) == (1, None)
    behind = happened(20.0, math.inf, dual_spent=10.0, running=True)
    assert (behind.at_least, behind.winner) == (1, None)


def test_where_neither_side_gets_there_that_is_said():
    traces = [trace("sdca", {1e-3: 4}), trace("rcd", {1e-4: 8})]
    assert outcome(traces, 1e-6, COMPARED).sentence(Prediction(3.0)) == (
        "Neither side has come to a relative gap of 10⁻⁶."
    )
    assert outcome(traces, 1e-6, COMPARED, running=True).sentence(Prediction(3.0)) == "It is too early to tell."


def test_of_an_even_number_of_seeds_the_median_is_the_mean_of_the_two_in_the_middle():
    dual = [trace("sdca", {1e-3: 2.0, 1e-8: 3.0}), trace("sdca", {1e-3: 5.0, 2e-4: 6.0})]
    found = outcome([*dual, trace("rcd", {1e-3: 7.0, 1e-8: 8.0})], 1e-3, COMPARED)
    assert (found.dual_passes, found.primal_passes, found.seeds) == (3.5, 7.0, 2)


def test_methods_that_the_face_off_does_not_speak_of_are_left_out():
    traces = [
        trace("sdca", {1e-6: 10}),
        trace("rcd", {1e-6: 60}),
        trace("acc_rcd", {1e-6: 6}),
        trace("spdc", {1e-6: 2}),
    ]
    assert outcome(traces, 1e-6, COMPARED).ratio == 6


def test_nothing_is_claimed_of_one_side():
    alone = outcome([trace("sdca", {1e-9: 1})], 1e-8, COMPARED)
    assert "let a method of each side run" in alone.sentence(Prediction(3.0))
    assert alone.at_least is None  # neither has the side lost that did not run
    assert outcome([], 1e-8, COMPARED).ratio is None


@each_of(
    "measured, predicted, words",
    [
        (8, 16, "The winner is the predicted one; the theory overrates its lead by a factor of 2."),
        (32, 16, "The winner is the predicted one; the theory underrates its lead by a factor of 2."),
        (1 / 8, 1 / 16, "The winner is the predicted one; the theory overrates its lead by a factor of 2."),
        (1 / 2, 16, "The outcome contradicts the prediction; they differ by a factor of 32."),
        (1.1, 8, "Prediction and outcome differ by a factor of 7.3."),
        (16, 16, "The prediction is right."),
    ],
)
def test_prediction_and_outcome_side_by_side(measured, predicted, words):
    assert happened(10.0 * measured, 10.0).sentence(Prediction(predicted)).endswith(words)


def test_runs_with_another_sampling_than_the_prediction_s_are_left_out():
    chosen = Choices(dual_sampling="importance", primal_sampling="importance", against="uniform")
    assert labels(chosen) == {
        "primal": ["rcd, importance"],
        "dual": ["quartz, importance", "sdca, importance"],
    }
    assert labels(Choices(batch=8, dual_sampling="uniform"))["dual"] == ["quartz(batch_size=8), tau_nice(tau=8)"]


@each_of(
    "dual, primal, words",
    [
        (10.0, 20.0, "sdca (uniform) needed 10 passes, rcd (uniform) 20, which is 2 times as many."),
        (20.0, 10.0, "rcd (uniform) needed 10 passes, sdca (uniform) 20, which is 2 times as many."),
        (10.0, 10.0, "sdca (uniform) needed 10 passes, rcd (uniform) as many."),
        (0.0, 10.0, "sdca (uniform) needed 0 passes, rcd (uniform) 10."),
    ],
)
def test_the_larger_number_is_told_as_a_multiple_of_the_smaller(dual, primal, words):
    assert happened(primal, dual).sentence(Prediction(None, "")).endswith(words)


def test_batches_are_spoken_of_by_their_size():
    labels = "rcd(batch_size=8), tau_nice(tau=8)", "quartz(batch_size=8), tau_nice(tau=8)"
    words = Outcome(1e-4, *labels, 20.0, 10.0).sentence(Prediction(None, ""))
    assert "quartz (batches of 8) needed 10 passes, rcd (batches of 8) 20" in words
