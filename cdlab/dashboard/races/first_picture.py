"""The race that a visitor sees at once: run beforehand with the default choices, and shipped with the package.

``python -m cdlab.dashboard.races.first_picture`` runs it again and writes it.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from .results import Result
from .storing import from_plain, to_plain

STORED = Path(__file__).with_name("first_picture.json")
DIGITS = 10


def first_picture() -> Result:
    """The stored race: a new object for each caller, but they share its traces, which nobody changes."""
    stored = _stored()
    return Result(stored.choices.copy(), [replace(lane) for lane in stored.lanes], stored.prediction)


@cache
def _stored() -> Result:
    return from_plain(json.loads(STORED.read_text(encoding="utf-8")))


def run() -> Result:
    """Run the race of the default choices."""
    from .runner import Runner
    from .state import State

    state = State()

    async def once() -> None:
        await Runner(state).start()

    asyncio.run(once())
    if state.error:
        raise RuntimeError(state.error)
    return state.result


if __name__ == "__main__":
    race = run()
    STORED.write_text(json.dumps(to_plain(race, DIGITS), allow_nan=False) + "\n", encoding="utf-8")
    print(f"{STORED}: {STORED.stat().st_size} bytes\n{race.sentence()}")
