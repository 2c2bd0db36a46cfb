"""Running a race for one session: piece by piece in a worker thread, so that the page stays alive and Stop works."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable

from ..plots import BEYOND
from ..problem import Problem
from ..racing import Entry, entrant
from ..running import label_of
from ..solving import STOPPED, Solution, solve
from .choices import Choices
from .results import Lane, Result
from .state import State
from .story import predict
from .theorems import promise

PIECE = 0.1  # seconds of work between two looks at the page: ten frames a second
log = logging.getLogger(__name__)


class Runner:
    """Runs races, one at a time, and writes how they go into the state.

    The methods of a race take turns, a piece of work each, so that none waits for another to end; with many sessions
    their pieces queue up in the same pool of threads, so that no session waits for another's whole race.
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
            choices.entries()  # complains before any data are loaded
            problem = await asyncio.to_thread(self.state.problem, choices)
            result = await asyncio.to_thread(prepare, choices, problem)
            self._tell(result=result)
            await self._turns(result, problem)
            ended = {"status": "Done."}
        except asyncio.CancelledError:
            for lane in result.lanes if result is not None else ():
                lane.status = lane.status or STOPPED
        except (ValueError, TypeError, OSError) as error:  # written for the reader
            ended = {"status": "This cannot run.", "error": str(error)}
        except Exception as error:
            log.exception("a race failed: %s", choices.to_query())
            words = (
                f"An error in cdlab ended the race. {type(error).__name__}: {error}. The server's log has the details."
            )
            ended = {"status": "An error ended the race.", "error": words}
        finally:
            self._tell(running=False, **ended, **self._next_frame())

    async def _turns(self, result: Result, problem: Problem) -> None:
        choices = result.choices
        turns = deque(Turn(lane, entry) for lane, entry in zip(result.lanes, choices.entries(), strict=True))
        done = dict.fromkeys((id(lane) for lane in result.lanes), 0.0)
        while turns:
            turn = turns.popleft()
            await asyncio.to_thread(turn.work, problem, choices)
            if not turn.lane.status:
                turns.append(turn)
            done[id(turn.lane)] = turn.progress(choices)
            percent = int(100 * sum(done.values()) / len(done))
            self._tell(progress=percent, status=f"Running {turn.lane.label}.", **self._next_frame())

    def _next_frame(self) -> dict[str, int]:
        self._frame += 1
        return {"frame": self._frame}


class Turn:
    """One method of a race, which works a piece at a time."""

    def __init__(self, lane: Lane, entry: Entry):
        self.lane, (self.method, self.sampling) = lane, entrant(entry)
        self._solution: Solution | None = None

    def work(self, problem: Problem, choices: Choices) -> None:
        """Go on for PIECE seconds and at least one measurement, or to the end of the run."""
        ends, records = time.monotonic() + PIECE, self.lane.trace.records
        done = records[-1].iteration if records else -1
        limits = {"tol": choices.tol, "max_passes": choices.passes}
        limits["stop"] = lambda record: record.iteration > done and time.monotonic() > ends
        if self._solution is None:
            options = {"sampling": self.sampling, "seed": self.lane.seed}
            self._solution = solve(problem, self.method, **options, **limits)
        else:
            self._solution = self._solution.resume(**limits)
        self.lane.trace = self._solution.trace
        if self._solution.status != STOPPED:
            self.lane.status = self._solution.status

    def progress(self, choices: Choices) -> float:
        """Share of the run that is done, by passes or by decades of the gap, whichever is further."""
        if self.lane.status:
            return 1.0
        last, gap = self.lane.trace.records[-1], self._solution.relative_gap
        decades = math.log(gap) / math.log(choices.tol) if 0 < gap < 1 and 0 < choices.tol < 1 else 0.0
        return min(1.0, max(last.passes / choices.passes, decades))


def prepare(choices: Choices, problem: Problem) -> Result:
    """A race before its first run starts: its lanes with their bounds, and the prediction."""
    lanes = []
    for method, sampling in (entrant(entry) for entry in choices.entries()):
        guarantee, note = promise(problem, method.name, sampling, BEYOND * choices.passes)
        lanes.append(Lane(label_of(method, sampling), method.side, choices.seed, guarantee, note))
    return Result(choices, lanes, predict(problem, choices.dual_sampling, choices.primal_sampling))
