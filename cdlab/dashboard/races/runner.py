"""Running a race for one session: piece by piece in worker threads, so that the page stays alive and Stop works."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, groupby
from typing import Any

from ...plots import BEYOND
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ...runs.limits import Status
from ...runs.solution import Solution
from ...runs.solving import solve
from ..bounds.theorems import promise
from ..choices.choices import Choices
from .growing import Growing
from .held_out import held_out
from .results import Lane, Result
from .state import State
from .story import PENDING, predict
from .turns import LONG, PIECES

PIECE = 0.1  # seconds of work between two looks at the page: ten frames a second
FIRST = 0.02  # of each method, so that all curves have begun before any is long
DONE = "All runs have ended."  # their replay may not have
log = logging.getLogger(__name__)


class Runner:
    """Runs races, one at a time, and writes how they go into the state.

    The methods of a race take turns, a piece of work each, so that none waits for another to end. So do the sessions:
    see `Turns`.
    """

    def __init__(self, state: State, tell: Callable[..., None] | None = None):
        """`tell(**values)` writes into the state; by default at once (a page first takes the lock of its document)."""
        self.state, self._tell = state, tell or state.param.update
        self._task: asyncio.Task | None = None
        self._frame = 0

    def start(self) -> asyncio.Task:
        """Start a race of the present choices; a running one is stopped first. Needs a running event loop."""
        before = self._task
        self.stop()
        self._task = asyncio.ensure_future(self._race(self.state.choices.copy(), before))
        return self._task

    def stop(self) -> None:
        """Stop the race. The piece of work under way ends by itself and is not waited for."""
        if self._task is not None:
            self._task.cancel()

    async def _race(self, choices: Choices, before: asyncio.Task | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        result, ended = None, {"status": "Stopped."}
        try:
            self._tell(running=True, progress=0, status="Preparing the data.", error="")
            entries = choices.entries()  # complains before any data are loaded
            entries = [entry for entry in entries for _ in choices.all_seeds()]
            problem = await LONG.run(self.state, self.state.problem, choices)
            test = await LONG.run(self.state, held_out, choices)
            result = Result(choices, list(lanes(choices, entries)), PENDING, self.state.guess)
            self._tell(result=result)
            await self._turns(result, entries, problem, test)
            ended = {"status": DONE}
        except asyncio.CancelledError:
            for lane in result.lanes if result is not None else ():
                lane.status = lane.status or Status.STOPPED
        except (ValueError, TypeError, OSError) as error:  # written for the reader
            ended = {"status": "This cannot run.", "error": str(error)}
        except Exception as error:
            log.exception("a race failed: %s", choices.to_query())
            words = f"An error in cdlab ({type(error).__name__}) ended the race. The server's log has the details."
            ended = {"status": "An error ended the race.", "error": words}
        finally:
            self._tell(running=False, **ended, **self._next_frame())

    async def _turns(self, result: Result, entries: list[Entry], problem: Problem, test: Any) -> None:
        choices, theory = result.choices, None  # a task
        every = choices.every()
        done = dict.fromkeys((id(lane) for lane in result.lanes), 0.0)
        runs = sorted(zip(result.lanes, entries, strict=True), key=lambda run: run[0].seed)
        for seed, group in groupby(runs, key=lambda run: run[0].seed):  # every method with one seed before the next
            turns = deque(Turn(lane, entry, every, test) for lane, entry in group)
            first, words = [turn.lane for turn in turns], f", seed {seed}" if choices.seeds > 1 else ""
            while turns:
                turn = turns.popleft()
                await PIECES.run(self.state, turn.work, problem, choices)
                if not turn.lane.status:
                    turns.append(turn)
                done[id(turn.lane)] = turn.progress(choices)
                percent = int(100 * sum(done.values()) / len(done))
                self._tell(progress=percent, status=f"Running {turn.lane.label}{words}.", **self._next_frame())
                if theory is None and all(lane.trace.records for lane in first):  # the curves come first
                    theory = asyncio.ensure_future(self._theory(result, entries, problem))
        await theory
        await self._theory(result, entries, problem)  # by now P* is known better

    async def _theory(self, result: Result, entries: list[Entry], problem: Problem) -> None:
        """Not ended by Stop: a race that was stopped is also compared with its bounds."""
        await LONG.run(self.state, add_theory, result, entries, problem)
        self._tell(**self._next_frame())

    def _next_frame(self) -> dict[str, int]:
        self._frame += 1
        return {"frame": self._frame}


class Turn:
    """One method of a race, which works a piece at a time."""

    def __init__(self, lane: Lane, entry: Entry, every: int = 1, test: Any = None):
        self.lane, (self.method, self.sampling), self._every, self._test = lane, entrant(entry), every, test
        self._solution: Solution | None = None

    def work(self, problem: Problem, choices: Choices) -> None:
        """Go on for PIECE seconds (FIRST at first) and at least one measurement, or to the end of the run."""
        records = self.lane.trace.records
        ends = time.monotonic() + (PIECE if records else FIRST)
        done = records[-1].iteration if records else 0
        limits = {"tol": choices.tol, "max_passes": choices.passes}
        limits["stop"] = lambda record: record.iteration > done and time.monotonic() > ends
        if self._solution is None:
            options = {"sampling": self.sampling, "seed": self.lane.seed, "every": self._every, "test": self._test}
            self._solution = solve(problem, self.method, **options, **limits)
        else:
            self._solution = self._solution.resume(**limits)
        if not records:
            self.lane.trace = Growing(self._solution.trace.records, self._solution.trace.meta)
        if self._solution.status != Status.STOPPED:
            self.lane.status = self._solution.status

    def progress(self, choices: Choices) -> float:
        """Share of the run that is done, by passes or by decades of the gap, whichever is further."""
        if self.lane.status:
            return 1.0
        last, gap = self.lane.trace.records[-1], self._solution.relative_gap
        decades = math.log(gap) / math.log(choices.tol) if 0 < gap < 1 and 0 < choices.tol < 1 else 0.0
        return min(1.0, max(last.passes / choices.passes, decades))


def lanes(choices: Choices, entries: Iterable[Entry]) -> Iterator[Lane]:
    """One for each run of a race, without bounds."""
    for (method, sampling), seed in zip(map(entrant, entries), cycle(choices.all_seeds()), strict=False):
        yield Lane(label_of(method, sampling), method.side, seed)


def add_theory(result: Result, entries: Iterable[Entry], problem: Problem) -> None:
    """Give each lane its bound, or the reason why there is none, and the race its prediction."""
    choices, promises = result.choices, {}  # by label: a bound is the same for all seeds
    duals = [record.dual for trace in result.traces for record in trace.records if math.isfinite(record.dual)]
    P0 = problem.primal(problem.zeros(problem.d)) - max(duals) if duals else None
    for lane, (method, sampling) in zip(result.lanes, map(entrant, entries), strict=True):
        if lane.label not in promises:
            promises[lane.label] = promise(problem, method, sampling, BEYOND * choices.passes, P0)
        lane.guarantee, lane.note = promises[lane.label]
    result.prediction = predict(problem, choices)
