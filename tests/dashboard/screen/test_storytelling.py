"""A story as it is run: its first race stays in the picture of the second, and then its sentence is told."""

import asyncio

import loops
import pytest

from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.choices.story_steps import SECOND, Place
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State
from cdlab.dashboard.screen.replaying import other
from cdlab.dashboard.screen.storytelling import Storytelling

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


class Page:
    """A page without a screen: a bar that notes what it is told."""

    def __init__(self):
        self.state, self.told = State(), []
        self.choosing = Choosing(self.state.choices)
        Storytelling(self.state, self.choosing, self)
        self.runner = Runner(self.state)

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    async def run(self) -> None:
        await self.runner.start()
        assert self.state.error == ""

    @property
    def pinned(self) -> list[bool]:
        return [each.pinned for each in self.state.runs.kept]


def test_after_both_races_the_sentence_is_told_with_their_numbers():
    async def go():
        page = Page()
        page.choosing.enter("short side")
        await page.run()
        assert page.told == []
        page.choosing.go_on()
        assert page.pinned == [False]
        await page.run()
        assert page.pinned == [True, False]  # the first stays in the picture
        assert "C_P/C_D = n/d = 20 " in page.told[-1]
        page.choosing.enter("short side")  # back, and the first race is there, alone
        assert page.pinned == [False, False]
        assert page.state.result.choices.n == 400
        page.choosing.go_on()
        assert page.pinned == [True, False]
        assert page.state.result.choices.n == 20
        page.choosing.enter("long rows")  # another story begins with nothing
        assert page.state.begun
        page.choosing.leave()
        assert not page.state.begun
        assert page.pinned == [False, False]

    loops.run(go())


@pytest.mark.parametrize("change", [{"n": 300}, {"seed": 3}])
def test_a_variation_is_not_the_story_s_race(change):
    async def go():
        page = Page()
        page.choosing.enter("short side")
        page.choosing.set(**change)
        await page.run()
        page.choosing.enter("short side", SECOND)
        await page.run()
        assert page.told == []

    loops.run(go())


def test_a_race_that_was_stopped_tells_nothing():
    async def go():
        page = Page()
        page.choosing.load(Place("short side").story.choices(0) | {"tol": 0.0, "passes": 100_000}, Place("short side"))
        race = page.runner.start()
        while page.state.result is None or not page.state.result.lanes[0].trace.records:
            await asyncio.sleep(0.01)
        page.runner.stop()
        await asyncio.wait({race})
        assert page.told == []
        assert page.pinned == [False]

    loops.run(go())


def test_a_race_of_other_choices_says_which():
    page = Page()
    raced = page.state.choices.copy()
    assert other(raced, page.state.choices) == ""
    page.state.choices.density = 0.2
    assert other(raced, page.state.choices) == (
        "This race was run with other choices: density 0.05 instead of 0.2. Press Run."
    )
    page.state.choices.param.update(n=77, d=33, l2=5.0)
    assert " and 3 more. Press Run." in other(raced, page.state.choices)
