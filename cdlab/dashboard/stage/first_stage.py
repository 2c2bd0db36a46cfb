"""What the stage shows a visitor at once: the race of `races.first_picture` with its prediction, as stored data.

``python -m cdlab.dashboard.stage.first_stage`` works it out again and writes it; after the first picture has changed.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TypedDict

from ..races.advised import advised
from ..races.first_picture import first_picture
from .contract import Stage
from .histograms import histograms
from .lanes import race
from .planes import plane
from .prediction import prediction

STORED = Path(__file__).with_name("first_stage.json")


class First(TypedDict):
    """What is stored."""

    stage: Stage
    bars: dict[str, list[float]]  # of the samplings
    advice: list | None  # `races.advised.Advised`


@cache
def first_stage() -> First:
    """The stored picture, shared by all who ask: nobody changes it."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def work_out() -> First:
    """The same, from the stored race."""
    result = first_picture()
    problem, choices = result.choices.problem(), result.choices
    stage: Stage = {
        **prediction(problem, choices, result.outcome(), choices.target),
        "race": race(problem, result),
        "stale": "",
        "waiting": False,
        "plane": plane(problem, choices.entries()),
    }
    best = advised(problem, choices.target)
    return {"stage": stage, "bars": histograms(problem, choices), "advice": None if best is None else list(best)}


if __name__ == "__main__":
    STORED.write_text(json.dumps(work_out(), allow_nan=False) + "\n", encoding="utf-8")
    print(f"{STORED}: {STORED.stat().st_size} bytes")
