"""How far the runs of a race came, in words."""

import pytest

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.drawers.race_words import sentences
from cdlab.dashboard.races.growing import Growing
from cdlab.dashboard.races.measured import first_and_last
from cdlab.dashboard.races.results import Lane, Result
from cdlab.dashboard.races.runs import Kept
from cdlab.dashboard.races.story import PENDING


def raced(*entries, passes=200, tol=1e-6, **choices) -> Result:
    """A finished race."""
    chosen = Choices(**{"n": 60, "d": 20, "density": 0.4, "tol": tol} | choices)
    runs = cdlab.race(chosen.problem(), entries, tol=tol, max_passes=passes).traces
    lanes = [Lane(t.label, "dual", 0, trace=Growing(t.records, t.meta), status=t.meta["status"]) for t in runs]
    return Result(chosen, lanes, PENDING)


def test_the_run_with_the_fewest_passes_and_the_one_with_the_most_are_named():
    race = raced("sdca", ("sdca", {"sampling": "permutation"}), "quartz")
    needed = {lane.label: lane.trace.reached(1e-6) for lane in race.lanes}
    words = first_and_last(race)
    first, last = min(needed, key=needed.get), max(needed, key=needed.get)
    assert words.startswith("To a relative gap of 10⁻⁶ " + first.replace(", ", " (") + ")")
    assert last.replace(", ", " (") + ")" in words
    assert f"{needed[last] / needed[first]:.3g} times as many" in words


def test_of_two_runs_neither_is_the_most():
    assert "the most" not in first_and_last(raced("sdca", "quartz"))


def test_who_did_not_get_there_is_named():
    slow = raced("sdca", "gd", passes=30)
    assert first_and_last(slow).endswith("gd did not get there.")
    assert first_and_last(raced("gd", "agd", passes=2)) == "None of the runs has come to a relative gap of 10⁻⁶."


def test_a_run_that_was_stopped_before_it_began_did_not_get_there():
    race = raced("sdca", "quartz")
    race.lanes[1].trace = Growing()
    assert first_and_last(race).endswith("quartz (uniform) did not get there.")


def test_without_a_certificate_it_is_the_primal_suboptimality_that_counts():
    race = raced("saga", "fista", passes=400, l2=0.0, loss="squared")
    assert first_and_last(race).startswith("To a relative primal suboptimality of 10⁻⁶ ")


@pytest.mark.parametrize("entries", [["sdca"], ["sdca", "quartz"]])
def test_nothing_is_said_of_one_run_or_while_they_run(entries):
    race = raced(*entries)
    race.lanes[0].status = ""
    assert first_and_last(race) == ""


def test_a_race_of_one_side_has_its_result_where_others_have_the_prediction():
    words = sentences([Kept(0, "run 1", raced("sdca", "quartz"))], stale=False)
    assert "times as many" in words
    assert "To compare primal and dual, let a method of each side run" in words
    assert "predict" not in words
