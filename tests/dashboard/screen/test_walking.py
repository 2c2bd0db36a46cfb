"""A presenter's remote leads through the races of a story: next runs, then ends the replay, then goes on."""

import pytest

from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.choices.story_steps import FIRST, SECOND, Place
from cdlab.dashboard.races.results import Result
from cdlab.dashboard.races.state import State
from cdlab.dashboard.races.story import PENDING
from cdlab.dashboard.screen.walking import Walking

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


@pytest.fixture
def page():
    state = State()
    choosing, done = Choosing(state.choices), []
    return state, choosing, done, Walking(state, choosing, lambda: done.append("run"), lambda: done.append("end"))


def test_next_runs_the_race_of_a_step_before_it_goes_on(page):
    state, choosing, done, walk = page
    walk(1)
    assert choosing.place == Place("short side", FIRST)
    for step in (FIRST, SECOND):
        assert choosing.place == Place("short side", step)
        walk(1)
        assert done.pop() == "run"
        state.running = True
        walk(1)  # the outcome comes first
        assert choosing.place == Place("short side", step)
        state.param.update(running=False, result=Result(choosing.choices.copy(), [], PENDING), held="It is replayed.")
        walk(1)
        assert done.pop() == "end"
        state.held = ""
        walk(1)
    assert choosing.place == Place("long rows", FIRST)
    assert done == []


def test_back_runs_nothing(page):
    _, choosing, done, walk = page
    choosing.enter("long rows")
    walk(-1)
    assert choosing.place == Place("short side", SECOND)
    assert done == []


def test_choices_that_cannot_run_hold_nobody_up(page):
    _, choosing, done, walk = page
    choosing.enter("short side")
    choosing.set(methods=[])
    walk(1)
    assert choosing.place == Place("short side", SECOND)
    assert done == []
