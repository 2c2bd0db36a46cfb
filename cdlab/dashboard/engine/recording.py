"""``python -m cdlab.dashboard.engine.recording OUT`` writes answers of this engine as JSON, for tests of pages."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .advising import advise
from .answering import to_json
from .catalog import catalog
from .choices import Choices
from .explaining import explain
from .facts import facts
from .predicting import predict
from .racing import Race, stream
from .stories import STORIES

STORY = "frequent words"


def record(folder: Path, choices: Choices) -> list[dict[str, Any]]:
    """Write the answers to all questions about some choices; return them with their questions."""
    folder.mkdir(parents=True, exist_ok=True)
    done: list[Race] = []
    answers: dict[str, Any] = {"predict": predict(choices), "race": list(stream(choices, done=done))}
    answers |= {"explain": explain(done[0]), "advise": advise(choices)}
    answers |= {f"facts-{drawer.lower()}": facts(drawer, choices) for drawer in catalog().drawers}
    for name, answer in answers.items():
        (folder / f"{name}.json").write_text(to_json(answer), encoding="utf-8")
    (folder / "choices.json").write_text(to_json(choices.values()), encoding="utf-8")
    return [_recording(name.partition("-")[0], choices.values(), answer) for name, answer in answers.items()]


def _recording(kind: str, choices: dict[str, Any] | None, found: Any) -> dict[str, Any]:
    """A question and its answers, as the front end's tests repeat them."""
    values = found if isinstance(found, list) else [found]
    drawer = found.drawer if kind == "facts" else ""
    answers = [{"done": k == len(values), "value": value} for k, value in enumerate(values, start=1)]
    return {"question": {"kind": kind, "choices": choices, "drawer": drawer}, "answers": answers}


def main(arguments: Iterable[str]) -> None:
    (out,) = map(Path, arguments)
    out.mkdir(parents=True, exist_ok=True)
    (out / "catalog.json").write_text(to_json(catalog()), encoding="utf-8")
    recordings = [_recording("catalog", None, catalog()), *record(out, Choices())]
    chosen: dict[str, Any] = {}
    for k, step in enumerate(STORIES[STORY].steps, start=1):
        chosen |= step.choices
        recordings += record(out / f"story-3-{k}", Choices(**chosen))
    (out / "recordings.json").write_text(to_json(recordings), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
