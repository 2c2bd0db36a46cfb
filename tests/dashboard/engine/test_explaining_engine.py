"""Each rule of why and why not, on a race that it is about; none where its cause is not the cause."""

import pytest
from cases import each_of
from conforming import faults, sent
from small_choices import small

from cdlab.dashboard.engine import Choices, explain
from cdlab.dashboard.engine.racing import run_race


@pytest.fixture(scope="module")
def opening():
    return explain(run_race(Choices(), 3))


def test_sentence_of_the_design(opening):
    why = opening.why
    assert (why.rule, why.side) == ("heavy line", "primal")
    assert why.numbers["count"] == "Three"
    assert round(why.numbers["share"]) == 30
    assert why.numbers["times"] == pytest.approx(4, rel=0.2)
    assert opening.why_not.rule == "flattest direction"
    assert opening.why_not.numbers["bound"] == pytest.approx(249.7, rel=0.01)
    assert opening.why_not.numbers["measured"] == pytest.approx(9, rel=0.1)


ALIKE = {"data": "sun_ye", "n": 20, "loss": "squared", "l2": 0.05, "passes": 3000}


@each_of(
    "changes, rule",
    [
        ({"skew": 0.0, "n": 60, "d": 60, "l2": 10.0}, "even"),
        ({"skew": 1.3, "n": 300, "d": 100, "methods": ["rcd@uniform", "rcd@importance"]}, "importance"),
        (ALIKE | {"dual_sampling": "cyclic", "primal_sampling": "cyclic"}, "order"),
        ({"l2": 0.01, "skew": 0.0, "methods": ["rcd", "acc_rcd"], "passes": 5000}, "momentum"),
        ({"l2": 30.0, "skew": 0.0, "methods": ["sdca", "spdc"]}, "momentum"),
        ({"density": 1.0, "skew": 0.0, "methods": ["quartz", "quartz(16)"], "l2": 10.0}, "batch"),
        ({"density": 1.0, "skew": 0.0, "n": 200, "d": 10}, "shape"),
        ({"skew": 0.0, "methods": ["sgd", "sdca"], "passes": 300}, "noise"),
        ({"methods": ["sdca"]}, "none"),
        ({"passes": 1}, "none"),
    ],
)
def test_rule_speaks_of_its_cause(changes, rule):
    assert explain(run_race(small(**changes), 2)).why.rule == rule


def test_reasons_are_sentences_with_every_number_filled(opening):
    for reason in (opening.why, opening.why_not):
        assert "{" not in reason.sentence
        assert reason.sentence.endswith(".")


def test_heavy_line_is_silent_where_the_lead_stays_without_it():
    found = explain(run_race(small(n=200, d=10, density=1.0, skew=0.0, row_spread=1.5), 2))
    assert found.why is None or found.why.rule != "heavy line"


def test_nothing_to_explain_where_the_prediction_was_right():
    race = run_race(Choices(skew=0.0), 3)
    ratio = race.outcome.primal_over_dual
    assert 1.5 < ratio < 2.5
    assert explain(race).why_not is None


def test_exact_steps_are_named_where_fixed_ones_are_slower():
    found = explain(run_race(small(data="arrow", l2=10.0, row=4.0))).why_not
    assert (found.rule, found.side) == ("exact steps", "dual")
    assert found.numbers["passes"] > 1.5 * 8


def test_momentum_is_no_reason_where_there_is_no_condition_number():
    """A kink has no κ, and JSON no infinity."""
    told = explain(run_race(small(loss="hinge", methods=["sdca@permutation", "spdc@permutation"], tol=1e-2)))
    assert told.why is None or told.why.rule != "momentum"
    assert faults(sent(told), type(told)) == []
