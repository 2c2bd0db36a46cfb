"""Getting kernels and formulas ready before the first visitor presses Run."""

from __future__ import annotations

import asyncio
import gc
import threading
from functools import cache

from .races.state import State

REST = 0.05  # seconds, between two looks at what is still being worked out


@cache
def warm_up() -> threading.Thread:
    """Have the kernels and the formulas ready soon, without keeping anybody waiting. Once in a process."""
    thread = threading.Thread(target=warm, name="warm up", daemon=True)
    thread.start()
    return thread


def warm() -> None:
    """Load or compile what a race, its bounds and its picture need; then, what the first opening of a drawer needs."""
    from .choices.choices import Choices
    from .races.advised import advised
    from .races.results import Result
    from .races.runner import Turn, add_theory, lanes
    from .races.story import PENDING
    from .stage.histograms import histograms
    from .stage.lanes import race
    from .stage.planes import plane
    from .stage.prediction import prediction

    for density in (0.05, 1.0):  # sparse and dense kernels differ
        choices = Choices(n=50, d=20, density=density, passes=2)
        problem, entries = choices.problem(), choices.entries()
        result = Result(choices, list(lanes(choices, entries)), PENDING)
        for lane, entry in zip(result.lanes, entries, strict=True):
            Turn(lane, entry).work(problem, choices)
        add_theory(result, entries, problem)
        prediction(problem, choices, result.outcome())
        histograms(problem, choices)
        race(problem, result)
        plane(problem, entries)
    advised(problem, choices.target)
    asyncio.run(open_drawers(State(choices=choices, result=result)))
    # libraries, kernels and formulas stay for good: the collector need not look at them again and again
    gc.collect()
    gc.freeze()


async def open_drawers(state: State) -> None:
    """Open every drawer once, in a document that nobody sees: what only the first opening costs, later ones find."""
    from bokeh.document import Document
    from panel.io.state import set_curdoc

    from .drawers.drawers import DRAWERS, STORE
    from .look import css

    with set_curdoc(Document()):
        for _, make in sorted(DRAWERS.items(), key=lambda named: named[0] == STORE):  # last: it may read for a minute
            drawer = make(state, css())
            drawer.open = True
            await asyncio.sleep(REST)
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(REST)
            drawer.open = False
