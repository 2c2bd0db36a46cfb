"""A stage on recorded data, for tests, the benchmark and the pictures: three kinds of data, raced once a process."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State
from cdlab.dashboard.stage.contract import Stage
from cdlab.dashboard.stage.lanes import race
from cdlab.dashboard.stage.planes import plane
from cdlab.dashboard.stage.prediction import prediction

RACES = {"methods": ["rcd", "sdca", "quartz"], "passes": 60}
KINDS = {
    "dense": {"n": 400, "d": 60, "density": 1.0, "skew": 0.0, "l2": 1.0},
    "words": {"n": 800, "d": 400, "density": 0.02, "skew": 1.2},
    "heavy row": {"data": "arrow", "n": 300, "d": 80, "l2": 10.0, "row": 12.0, "corner": 12.0},
}


@cache
def recorded(kind: str = "words") -> Stage:
    """All parts, after a race."""
    choices = Choices(**RACES | KINDS[kind])
    state = State(choices=choices)

    async def once() -> None:
        await Runner(state).start()

    with ThreadPoolExecutor(1) as thread:  # this one may have a loop already, a browser's
        thread.submit(lambda: asyncio.run(once())).result()
    result = state.result
    problem, entries = choices.problem(), choices.entries()
    return prediction(problem, choices, result.outcome(), eps=choices.tol) | {
        "race": race(problem, result),
        "stale": "",
        "waiting": False,
        "veiled": False,
        "plane": plane(problem, entries),
    }
