"""The race that a visitor sees at once: run beforehand with the default choices, and shipped with the package.

``python -m cdlab.dashboard.first_picture`` runs it again and writes it.
"""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

from .results import Result

STORED = Path(__file__).with_name("first_picture.json")


def first_picture() -> Result:
    """The stored race; a new object for each caller."""
    return Result.from_json(_text())


@cache
def _text() -> str:
    return STORED.read_text(encoding="utf-8")


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
    result = run()
    STORED.write_text(result.to_json() + "\n", encoding="utf-8")
    print(f"{STORED}: {STORED.stat().st_size} bytes\n{result.sentence()}")
