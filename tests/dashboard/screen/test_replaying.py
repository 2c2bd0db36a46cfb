"""The outcome of a new race is held back until its replay has been seen, and never longer."""

import asyncio

import loops
import pytest

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State
from cdlab.dashboard.screen.replaying import Replaying

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

SMALL = {"n": 60, "d": 10, "passes": 5, "methods": ["rcd", "sdca"]}


class Stage:
    """Notes what it is asked to do."""

    def __init__(self):
        self.done = []

    def show(self, data) -> None:
        pass

    def play(self) -> None:
        self.done.append("play")

    def step(self) -> None:
        self.done.append("step")


class Page:
    def __init__(self, **choices):
        self.state, self.stage = State(choices=Choices(**SMALL | choices)), Stage()
        self.replaying, self.runner = Replaying(self.state, self.stage), Runner(self.state)

    async def until(self, holds) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)


def test_the_outcome_is_told_when_the_replay_is_over():
    async def go():
        page = Page()
        page.state.guess = "dual"
        await page.runner.start()
        assert (
            page.state.held
            == "A race of rcd and sdca. You guessed the dual: the outcome comes at the end of the replay."
        )
        await page.until(lambda: page.stage.done == ["play"])
        assert page.state.held
        assert page.state.status == "All runs have ended."  # nor that all is done: the replay goes on
        page.stage.over()
        assert page.state.held == ""

    loops.run(go())


def test_a_replay_that_another_race_has_ended_tells_nothing():
    async def go():
        page = Page()
        await page.runner.start()
        await page.until(lambda: page.stage.done == ["play"])
        page.state.running = True
        page.stage.over()
        assert page.state.held

    loops.run(go())


def test_who_steps_is_told_at_once():
    async def go():
        page = Page()
        page.replaying.then("step")
        await page.runner.start()
        await page.until(lambda: page.stage.done == ["step"])
        assert page.state.held == ""

    loops.run(go())


@pytest.mark.parametrize("methods", [[], ["rcd", "sdca"]], ids=["refused", "stopped"])
def test_a_race_without_a_replay_holds_nothing_back(methods):
    async def go():
        page, held = Page(methods=methods, passes=100_000, tol=0.0), []
        page.state.param.watch(lambda event: held.append(bool(event.new)), "held")
        race = page.runner.start()
        await page.until(lambda: race.done() or page.state.result is not None)
        page.runner.stop()
        await asyncio.wait({race})
        await page.until(lambda: held == [True, False])
        assert page.stage.done == []

    loops.run(go())
