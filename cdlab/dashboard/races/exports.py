"""Races as files: a table of all records (CSV), and a session (JSON) that another page can take up."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..._version import __version__
from ...runs.trace import merge_traces
from .runs import LONGEST_NAME, MOST_RACES, Kept
from .storing import from_plain, to_plain

SESSION = "cdlab session"
VERSION = 1


def to_csv(kept: Iterable[Kept]) -> str:
    """Every record of every run, none left out: one line each, with what it takes to know where it is from.

    Columns: run, data_hash, problem, label, method, sampling, seed, status, then those of a trace, with the
    relative gap. A status is empty while the run goes on.
    """
    import pandas as pd

    frames = []
    for each in kept:
        for lane in each.race.now().lanes:
            if not lane.trace.records:
                continue
            frame = merge_traces([lane.trace])
            meta = lane.trace.meta
            front = {"run": each.name, "data_hash": meta.get("data"), "problem": meta.get("problem")}
            for position, (name, value) in enumerate(front.items()):
                frame.insert(position, name, value)
            frame.insert(frame.columns.get_loc("seed") + 1, "status", lane.status)
            frame.insert(frame.columns.get_loc("gap") + 1, "relative_gap", lane.trace.column("relative_gap"))
            frames.append(frame)
    return pd.concat(frames, ignore_index=True).to_csv(index=False) if frames else ""


def to_session(kept: Sequence[Kept], choices: dict[str, str]) -> str:
    """A page as JSON: its choices, as in its address, and its races with all records.

    A data set is named by its choices and by its hash, which is in each run; the data themselves are not in the file.
    """
    races = [
        {"name": each.name, "pinned": each.pinned, "muted": each.muted} | to_plain(each.race.now()) for each in kept
    ]
    versions = {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()}
    content = {"file": SESSION, "version": VERSION, "versions": versions, "choices": choices, "races": races}
    return json.dumps(content, allow_nan=False)


def from_session(text: str | bytes) -> tuple[list[Kept], dict[str, str]]:
    """The races and the choices of what `to_session` wrote; a race that was running has been stopped.

    Raises
    ------
    ValueError
        In one sentence: it is no such file, or what in it is wrong.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise ValueError("This is not a session file: it is not JSON, or it is damaged.") from None
    if not isinstance(content, dict) or content.get("file") != SESSION:
        raise ValueError("This is not a session file: save one with the button Save the session.")
    if content.get("version") != VERSION:
        raise ValueError(
            f"This session was saved by another version of cdlab ({_written(content)}), not readable here."
        )
    try:
        races, choices = content["races"], content["choices"]
        if not (isinstance(races, list) and isinstance(choices, dict)):
            raise ValueError("it has no list of races, or no choices")
        if len(races) > MOST_RACES:
            raise ValueError(f"it has {len(races)} races, and a page keeps at most {MOST_RACES}")
        return [_kept(race) for race in races], {str(name): str(value) for name, value in choices.items()}
    except KeyError as missing:
        raise ValueError(f"This session file is damaged: it has no {missing.args[0]}.") from None
    except ValueError as wrong:
        raise ValueError(f"This session file is damaged: {wrong}.") from None


def _kept(race: Any) -> Kept:
    if not isinstance(race, dict):
        raise ValueError("one of its races is none")
    name = " ".join(str(race["name"]).split())[:LONGEST_NAME] or "a run"
    return Kept(0, name, from_plain(race), bool(race["pinned"]), bool(race["muted"]))


def _written(content: dict[str, Any]) -> str:
    versions = content.get("versions")
    return str(versions.get("cdlab", "unknown"))[:20] if isinstance(versions, dict) else "unknown"
