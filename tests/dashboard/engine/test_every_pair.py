"""No pair of methods is told anything that contradicts what was measured: the falsehoods of an earlier page."""

from itertools import combinations

import pytest
from cases import pushed
from conforming import faults, sent
from small_choices import small

from cdlab.dashboard.engine import explain, predict
from cdlab.dashboard.engine.racing import run_race
from cdlab.methods import METHODS

PAIRS = list(combinations(METHODS, 2))
SAMPLE = [("rcd", "spdc"), ("rcd", "apcg"), ("sdca", "gd")]  # that an earlier page was wrong about


def choices_of(pair):
    linear = any("Kaczmarz" in METHODS[name].__name__ or name == "acc_cd" for name in pair)
    squared = {"loss": "squared", "l2": 0.0, "noise": 0.0} if linear else {}
    return small(methods=list(pair), seeds=1, n=40, d=12, passes=60, tol=1e-3, **squared)


@pytest.mark.parametrize(("one", "other"), pushed(PAIRS, *SAMPLE))
def test_prediction_race_and_sentences_agree(one, other):
    pair = one, other
    choices = choices_of(pair)
    prediction = predict(choices)
    refused = {refusal.what for refusal in prediction.refusals if refusal.what in pair}
    racing = [name for name in pair if name not in refused]
    assert [theorem.label for theorem in prediction.theorems] == racing
    for theorem in prediction.theorems:  # of the method itself, or a reason
        assert theorem.words
        assert (theorem.value is None) == (theorem.mathml == "")
        if theorem.value is not None:
            assert theorem.label in theorem.words
    if not racing:
        return
    race = run_race(choices)
    outcome = race.outcome
    reached = {result.label: result.reached for result in outcome.results}
    assert list(reached) == racing
    sides = {run.entry.label: run.entry.side for run in race.runs}
    both_sides = set(sides.values()) >= {"primal", "dual"}
    arrived = all(value for value in reached.values())
    assert (outcome.primal_over_dual is not None) == (both_sides and arrived and len(racing) == 2)
    if len(racing) == 2 and any(reached.values()):  # who was first is said, and it was
        assert outcome.lead is not None
        if outcome.winner is not None:
            last = reached[outcome.loser]
            assert last is None or reached[outcome.winner] < last
            assert outcome.lead >= 1.25
            assert outcome.at_least == (last is None)
    if prediction.ratio is not None:
        values = {theorem.label: theorem.value for theorem in prediction.theorems}
        primal, dual = (next(name for name in racing if sides[name] == side) for side in ("primal", "dual"))
        assert prediction.ratio == pytest.approx(values[primal] / values[dual])
    else:
        assert prediction.ratio_words
    told = explain(race)
    assert faults(sent(told), type(told)) == []
    bounds = [theorem.value for theorem in prediction.theorems]
    assert told.why_not is None or (None not in bounds and any(reached.values()))
    if told.why.rule == "even":
        assert outcome.winner is None
