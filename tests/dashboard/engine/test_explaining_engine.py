"""What the page says of a race is what `cdlab.explain` says of it, about the pair that the face-off compares."""

import pytest
from cases import each_of
from conforming import faults, sent
from small_choices import small

import cdlab
from cdlab.dashboard.engine import Choices, explain
from cdlab.dashboard.engine.racing import run_race


@pytest.fixture(scope="module")
def opening():
    return explain(run_race(Choices(), 3))


def test_heavy_words_of_the_first_page_are_its_cause_and_the_bound_is_looser_than_the_data(opening):
    assert (opening.why.rule, opening.why.side) == ("heavy lines", "primal")
    with_lines, without = opening.why.figures
    assert without.data == "without 3 columns"
    assert with_lines.value / without.value == pytest.approx(4, rel=0.2)
    assert opening.why_not.rule == "slowest direction"
    exact, bound = (next(each for each in opening.why_not.figures if each.source == s) for s in ("exact", "bound"))
    assert bound.value == pytest.approx(249.7, rel=0.01)
    assert exact.low < exact.high < 12


ALIKE = {"data": "sun_ye", "n": 20, "loss": "squared", "l2": 0.05, "passes": 3000}


@each_of(
    "changes, rule",
    [
        ({"skew": 0.0, "n": 60, "d": 60, "l2": 10.0}, "even"),
        ({"skew": 1.3, "n": 300, "d": 100, "methods": ["rcd@uniform", "rcd@importance"]}, "draws"),
        (ALIKE | {"dual_sampling": "cyclic", "primal_sampling": "cyclic"}, "order"),
        ({"l2": 0.01, "skew": 0.0, "methods": ["rcd", "acc_rcd"], "passes": 5000}, "momentum"),
        ({"l2": 30.0, "skew": 0.0, "methods": ["sdca", "spdc"]}, "momentum"),
        ({"density": 1.0, "skew": 0.0, "methods": ["quartz", "quartz(16)"], "l2": 10.0}, "batch"),
        ({"skew": 0.0, "methods": ["sgd", "sdca"], "passes": 300}, "noise"),
        ({"l1": 1.0}, "start"),
        ({"methods": ["sdca"]}, "none"),
        ({"passes": 1}, "none"),
    ],
)
def test_rule_speaks_of_its_cause(changes, rule):
    found = explain(run_race(small(**changes), 2))
    assert found.why.rule == rule
    assert faults(sent(found), type(found)) == []


@each_of("changes", [{}, {"methods": ["quartz", "saga"]}, {"loss": "hinge", "tol": 1e-2, "methods": ["sdca", "spdc"]}])
def test_page_says_what_the_library_says(changes):
    race = run_race(small(**changes | {"passes": 1000}), 2)
    told, found = explain(race), cdlab.explain(race.core(), level=race.choices.target)
    assert told.why.sentence == str(found.why.sentence)


def test_heavy_lines_are_no_cause_where_the_lead_stays_without_them():
    found = explain(run_race(small(n=200, d=10, density=1.0, skew=0.0, row_spread=1.5), 2))
    assert found.why.rule != "heavy lines"


def test_nothing_to_say_of_bounds_where_the_prediction_was_right():
    race = run_race(Choices(skew=0.0), 3)
    ratio = race.outcome.primal_over_dual
    assert 1.5 < ratio < 2.5
    assert explain(race).why_not is None


def test_damped_steps_are_named_where_they_are_slower():
    found = explain(run_race(small(data="arrow", l2=10.0, row=4.0))).why_not
    assert (found.rule, found.side) == ("damped steps", "dual")
    promised, damped, _ = found.figures
    assert (promised.source, promised.method, damped.method) == ("bound", "sdca", "quartz")
    assert promised.value > damped.value
