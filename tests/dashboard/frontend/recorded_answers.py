"""``python tests/dashboard/frontend/recorded_answers.py FOLDER`` writes recorded.json: the answers that tests need.

FOLDER is what ``python -m cdlab.dashboard.engine.recording FOLDER`` has written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("recorded.json")
SECTIONS = (".", "story-3-1")
DIGITS = 5
UPDATES = 20
EVERY = 2  # record of a run is kept, and every fourth snapshot


def answers(folder: Path) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Questions, each with what was answered."""

    def read(name: str) -> Any:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    yield {"kind": "catalog"}, [read("catalog.json")]
    for section in SECTIONS:
        choices = {name: value for name, value in read(f"{section}/choices.json").items() if name != "seeds"}
        yield {"kind": "race", "choices": choices}, events(read(f"{section}/race.json"))
        for kind in ("predict", "explain", "advise"):
            yield {"kind": kind, "choices": choices}, [read(f"{section}/{kind}.json")]
    yield {"kind": "facts", "drawer": "Bounds"}, [read("facts-bounds.json")]


def events(race: list[Any]) -> list[Any]:
    """An early event of a race and the last one, with the runs of the first draw."""
    runs = {run["label"]: run for event in race for run in event["runs"] if run["draw"] == 0}
    return [_thinned(race[1]), _thinned(race[-1] | {"runs": list(runs.values())})]


def _thinned(event: dict[str, Any]) -> dict[str, Any]:
    return event | {"runs": [_few(run) for run in event["runs"] if run["draw"] == 0]}


def _few(run: dict[str, Any]) -> dict[str, Any]:
    last = len(run["passes"]) - 1
    kept = [k for k in range(last + 1) if k % EVERY == 0 or k == last]
    curves = {
        name: [run[name][k] for k in kept] for name in ("passes", "iterations", "seconds", "primal", "dual", "gap")
    }
    snapshots = run["snapshots"][:: 2 * EVERY] + run["snapshots"][-1:]
    return run | curves | {"updates": run["updates"][:UPDATES], "snapshots": snapshots}


def rounded(value: Any) -> Any:
    """Numbers to few digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return value


if __name__ == "__main__":
    recordings = [
        {"question": question, "answers": [{"value": rounded(value)} for value in values]}
        for question, values in answers(Path(sys.argv[1]))
    ]
    RECORDED.write_text(json.dumps(recordings, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
