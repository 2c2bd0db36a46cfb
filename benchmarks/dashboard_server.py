"""A server to be measured: its processor time, its memory, and lines that say what was found beside what should be."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "dashboard"), str(TESTS / "ui")]

from browsing import Visitor, browser, dashboard  # noqa: E402
from wire import Wire  # noqa: E402

from cdlab.dashboard.engine import Choices  # noqa: E402

__all__ = ["OPENING", "Visitor", "Wire", "browser", "cpu", "line", "memory", "quiet", "ready"]
OPENING = Choices().values()
FORGOTTEN = 8  # seconds: so long after it was closed a session has been forgotten, see serving.make_server


def cpu(pid: int) -> float:
    """Processor seconds of a process so far, of all its threads."""
    return time.clock_gettime((~pid << 3) | 2)  # CLOCK_PROCESS_CPUTIME_ID of another process: see clock_getcpuclockid


def memory(pid: int) -> float:
    """Resident megabytes."""
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def quiet(pid: int) -> None:
    """Wait until the server has nothing to do: kernels are loaded, sessions are forgotten."""
    calm = 0
    while calm < FORGOTTEN:
        before = cpu(pid)
        await asyncio.sleep(1)
        calm = calm + 1 if cpu(pid) - before < 0.03 else 0


def line(what: str, value: float, unit: str, most: float | None = None, worst: float | None = None) -> None:
    target = "" if most is None else f"   at most {most:g}: {'yes' if value <= most else 'NO'}"
    ended = "" if worst is None else f" (worst {worst:.4g})"
    print(f"{what:62} {value:8.4g} {unit}{ended}{target}", flush=True)


@contextmanager
def ready(**options: int) -> Iterator[tuple[str, int]]:
    """A server that has had its first visitor, whose page loads what all later ones find there."""
    with dashboard(**options) as (address, pid):

        async def first() -> None:
            visitor = await Wire.open(address)
            await visitor.answer("race", OPENING, 5)
            await visitor.close()
            await quiet(pid)

        asyncio.run(first())
        yield address, pid
