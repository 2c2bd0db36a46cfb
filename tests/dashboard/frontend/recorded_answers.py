"""``python tests/dashboard/frontend/recorded_answers.py`` writes recorded.json: answers that tests of pages need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cdlab.dashboard.engine import Choices, advise, catalog, explain, facts, predict
from cdlab.dashboard.engine.answering import to_json
from cdlab.dashboard.engine.racing import Race, stream
from cdlab.dashboard.engine.stories import STORIES

RECORDED = Path(__file__).with_name("recorded.json")
STORY = "frequent words"
FIVE = ["spdc", "asdca", "appa", "saga", "svrg"]
DIGITS = 5
UPDATES = 20
EVERY = 2  # record of a run is kept, and every fourth snapshot


def answers() -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Questions, each with what was answered."""
    yield {"kind": "catalog"}, [catalog()]
    for asked in (Choices(), Choices(**STORIES[STORY].steps[0].choices), Choices(methods=FIVE)):
        done: list[Race] = []
        choices = {name: value for name, value in asked.values().items() if name != "seeds"}
        yield {"kind": "race", "choices": choices}, events(json.loads(to_json(list(stream(asked, done=done)))))
        for kind, answer in {"predict": predict(asked), "explain": explain(done[0]), "advise": advise(asked)}.items():
            yield {"kind": kind, "choices": choices}, [answer]
    yield {"kind": "facts", "drawer": "Bounds"}, [facts("Bounds", Choices())]


def events(race: list[Any]) -> list[Any]:
    """An early event of a race and the last one, with the runs of the first draw."""
    runs = {run["label"]: run for event in race for run in event["runs"] if run["draw"] == 0}
    early = next(event for event in race if event["runs"])
    return [_thinned(early), _thinned(race[-1] | {"runs": list(runs.values())})]


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
        {"question": question, "answers": [{"value": rounded(json.loads(to_json(value)))} for value in values]}
        for question, values in answers()
    ]
    RECORDED.write_text(json.dumps(recordings, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
