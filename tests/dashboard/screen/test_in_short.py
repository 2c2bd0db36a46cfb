"""The sentence under the stage: who won, by how much, and what the bounds said."""

import json

import loops
import pytest
from cases import each_of

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.races.in_short import in_a_word, in_short
from cdlab.dashboard.races.results import Result
from cdlab.dashboard.races.runner import Turn, add_theory, lanes
from cdlab.dashboard.races.state import State
from cdlab.dashboard.races.story import PENDING
from cdlab.dashboard.screen.outcome import OutcomeBar, words

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def raced(guess: str = "", **values) -> Result:
    """A race of these choices."""
    choices = Choices(n=60, d=20, **values)
    problem, entries = choices.problem(), choices.entries()
    result = Result(choices, list(lanes(choices, entries)), PENDING, guess)
    for lane, entry in zip(result.lanes, entries, strict=True):
        turn = Turn(lane, entry)
        while not lane.status:
            turn.work(problem, choices)
    add_theory(result, entries, problem)
    return result


def test_a_side_that_did_not_arrive_is_behind_by_at_least_its_passes():
    race = raced(methods=["rcd", "sdca"], passes=60)
    assert race.outcome().ratio is None
    assert in_short(race).startswith("The dual won: 39.5 passes of sdca (importance) against more than 62.1 of rcd")
    assert ", at least 1.6 times as many" in in_short(race)


def test_a_side_that_may_still_be_as_fast_leaves_it_undecided():
    race = raced(guess="tie", methods=["rcd", "sdca"], passes=40)
    assert words(race).startswith("Undecided: 39.5 passes of sdca (importance) against more than 41.6 of rcd")


def test_methods_of_which_the_bounds_do_not_speak_have_an_outcome_too():
    race = raced(guess="dual", methods=["acc_rcd", "apcg"], dual_sampling="uniform", primal_sampling="uniform")
    assert "of apcg (uniform)" in in_short(race)
    assert "the face-off" not in in_short(race)
    assert words(race).startswith("You guessed the dual")


@each_of(
    "values",
    [
        {"methods": ["sdca"]},
        {"methods": ["fista", "gd"]},
        {"methods": ["appa", "saga"], "loss": "logistic", "l2": 0.0, "dual_sampling": "uniform", "noise": 1.0},
    ],
    ids=["one run", "one side", "no regulariser"],
)
def test_where_no_two_sides_can_be_compared_nothing_is_said_of_a_winner(values):
    told = in_short(raced(passes=20, **values))
    assert "won" not in told
    assert "inf" not in told
    assert "nan" not in told


def test_a_guess_without_an_outcome_is_not_judged():
    race = raced(guess="primal", methods=["rcd", "sdca"], passes=1)
    assert words(race) == "Neither side has come to a relative gap of 10⁻⁶."


@pytest.mark.parametrize("methods", [["lbfgs"], ["lbfgs", "fista"]])
def test_where_the_start_is_optimal_that_is_said(methods):
    assert in_short(raced(l1=1000.0, methods=methods)) == "w = 0 is optimal: no run has anything to do."


def test_of_two_runs_of_one_side_the_faster_has_won():
    race = raced(methods=["fista", "gd"], passes=2000)
    assert in_a_word(race) == "fista won"
    assert in_a_word(raced(methods=["sdca"])) == "sdca alone"
    assert in_a_word(raced(methods=["rcd", "sdca"])) == ""


def test_the_least_value_that_one_run_alone_found_certifies_nothing():
    race = raced(methods=["appa", "fista"], loss="logistic", l2=0.0, dual_sampling="uniform", noise=1.0, passes=20)
    assert in_short(race).startswith("Neither run is certified, as without l1 and l2 no lower bound on P* is known. ")
    assert in_a_word(race) == "not certified"


def test_a_guess_about_other_choices_is_not_judged():
    state = State(result=raced(guess="dual", methods=["rcd", "sdca"]))
    state.choices.param.update(n=60, d=20, methods=["rcd", "sdca"])

    async def changed() -> list[str]:
        bar = OutcomeBar(state, Choosing(state.choices))
        told = [json.loads(bar.content)["words"]]
        state.choices.d = 30
        return [*told, json.loads(bar.content)["words"]]

    before, after = loops.run(changed())
    assert before.startswith("You guessed the dual, rightly.")
    assert after.startswith("The dual won")
