"""The choices of a session file are a change like any other: what does not fit is repaired, and a story may end."""

import pytest

from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.drawers.runs_tab import restored
from cdlab.dashboard.races.state import State

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

DONE = "0 runs and the choices have been restored."


@pytest.mark.parametrize("asked", [{"loss": "hinge"}, {"loss": "softmax"}, {"n": 300, "loss": "squared"}])
def test_what_does_not_fit_is_repaired_and_told_as_for_a_person_who_sets_it(asked):
    state, other = State(), Choosing()
    choosing = Choosing(state.choices)
    choosing.enter("one heavy row")
    said = restored(state, [], {name: str(value) for name, value in asked.items()})
    other.set(**asked)
    assert state.choices.values() == other.choices.values()
    assert len(said) > len(DONE) if other.told else said == DONE
    assert choosing.why_not == other.why_not == ""


def test_a_session_on_other_data_ends_the_story():
    state = State()
    choosing = Choosing(state.choices)
    choosing.enter("one heavy row")
    restored(state, [], {"data": "synthetic"})
    assert choosing.place is None


def test_a_session_on_a_file_that_is_not_here_says_so_and_is_no_error():
    state = State()
    Choosing(state.choices)
    assert restored(state, [], {"data": "upload", "upload": "mine.txt:0123456789abcdef"}).startswith(DONE)
