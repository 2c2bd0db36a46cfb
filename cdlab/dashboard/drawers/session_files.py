"""Races as files: a table of all records (CSV), and a session (JSON) that another page can take up."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._version import __version__
from ...numerics.written_numbers import spoken
from ...runs.trace import Trace, merge_traces
from ..engine.answering import RACES_LIMIT, last_races
from ..engine.choices import Choices, read
from ..engine.problems import prepared
from ..engine.racing import Race
from ..engine.run_views import RunView
from ..engine.thread_pools import SLOW_ANSWERS
from ..engine.uploads import Upload
from ..session import PageSession
from ..visitor_limits import limits

KIND = "cdlab session"
VERSION = 2
NAME_LIMIT = 60  # characters
HEAD_BYTES = 40  # So many bytes tell what a file is.


def race_names(races: Sequence[Race]) -> list[str]:
    """The reader's names, or the numbers of the races, from the oldest."""
    return [race.name or f"race {k}" for k, race in enumerate(races, start=1)]


def to_csv(races: Sequence[Race]) -> str:
    """Every record of every run: one line each, with what it takes to know where it is from.

    Columns: race, data_hash, problem, label, method, sampling, seed, status, then those of a trace, with the relative
    gap of the record and that of the best points so far.
    """
    import pandas as pd

    frames = []
    for name, race in zip(race_names(races), races, strict=True):
        for trace in (run.trace for run in race.runs if run.records):
            frame = merge_traces([trace])
            front = {"race": name, "data_hash": trace.meta.get("data"), "problem": trace.meta.get("problem")}
            for position, (column, value) in enumerate(front.items()):
                frame.insert(position, column, value)
            frame.insert(frame.columns.get_loc("seed") + 1, "status", str(trace.meta["status"]))
            for column in ("relative_best_gap", "relative_gap"):
                frame.insert(frame.columns.get_loc("gap") + 1, column, trace.column(column))
            frames.append(frame)
    return pd.concat(frames, ignore_index=True).to_csv(index=False) if frames else ""


def to_session(races: Sequence[Race], choices: Choices) -> str:
    """A page as JSON: its choices, and its races with all records.

    Data are named by their choices and by their hash, which is in each run; they themselves are not in the file.
    """
    versions = {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()}
    content = {
        "file": KIND, "version": VERSION, "versions": versions, "choices": choices.values(),
        "races": [
            {"name": race.name, "choices": race.choices.values(),
             "runs": [{"entry": run.entry.label, "seed": run.seed, "trace": run.trace.to_plain()}
                      for run in race.runs if run.records]}
            for race in races
        ],
    }  # fmt: skip
    return json.dumps(content, allow_nan=False)


def from_session(text: str | bytes, file: Upload | None = None) -> tuple[list[Race], Choices]:
    """The races and the choices of what `to_session` wrote.

    Parameters
    ----------
    text : str or bytes
        The file.
    file : Upload, optional
        The reader's own data, if any are open.

    Raises
    ------
    ValueError, OSError
        In one sentence: it is no such file, what in it is wrong, or which data are not here.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise ValueError("This is not a session file: it is not JSON, or it is damaged.") from None
    if not isinstance(content, dict) or content.get("file") != KIND:
        raise ValueError("This is not a session file: save one with the button Save the session.")
    if content.get("version") != VERSION:
        versions = content.get("versions")
        written = str(versions.get("cdlab", "unknown"))[:20] if isinstance(versions, dict) else "unknown"
        raise ValueError(f"This session was saved by another version of cdlab ({written}), not readable here.")
    try:
        races = list(content["races"])
        if len(races) > RACES_LIMIT:
            raise ValueError(f"it has {len(races)} races, and a page keeps at most {RACES_LIMIT}")
        return [_race(each, file) for each in races], read(content["choices"], file)
    except KeyError as missing:
        raise ValueError(f"This session file is damaged: it has no {missing.args[0]}.") from None
    except (TypeError, AttributeError, OverflowError):
        raise ValueError("This session file is damaged: one of its values is of the wrong kind.") from None
    except ValueError as wrong:
        raise ValueError(f"This session cannot be taken up: {wrong}.") from None


def is_session(content: bytes) -> bool:
    """Tell whether a file is what `to_session` wrote, whole or not."""
    return content[:HEAD_BYTES].replace(b" ", b"").startswith(f'{{"file":"{KIND}"'.replace(" ", "").encode())


async def take_up(session: PageSession, content: bytes) -> str:
    """Have a page take up the races and the choices of a session file; what has been taken up, in a sentence.

    Raises
    ------
    ValueError, OSError
        As `from_session`, or if the file is larger than this dashboard takes.
    """
    limits().check_upload(len(content))
    races, choices = await SLOW_ANSWERS.run(session.visitor, from_session, content, session.visitor.file)
    # the page asks for the race of its choices; how many weights are 0 is in no file, and with an L1 weight is told
    session.visitor.saved = {race.choices.digest: race for race in races if not race.choices.l1}
    session.races = last_races([*session.races, *races])
    session.choose(choices.values())
    return f"{spoken(len(races))} race{'' if len(races) == 1 else 's'} and the choices have been taken up."


def _race(content: dict[str, Any], file: Upload | None) -> Race:
    choices = read(content["choices"], file)
    about, entries = prepared(choices), {entry.label: entry for entry in choices.contestants()}
    runs = []
    for saved in content["runs"]:
        trace = Trace.from_plain(saved["trace"])
        if trace.meta.get("data") != about.problem.digest:
            raise ValueError(f"its runs on {choices.data} are on other data than those here")
        if saved["entry"] not in entries or not trace.records:
            raise ValueError("one of its runs is of no entry of its race, or has no records")
        ends = choices.target, choices.tol, float(choices.passes)
        runs.append(RunView.of_trace(trace, entries[saved["entry"]], about, int(saved["seed"]), ends))
        if runs[-1].seed == choices.seed:
            runs[-1].find_updates()
    if not runs:
        raise ValueError("one of its races has no runs")
    return Race(choices, runs, " ".join(str(content["name"]).split())[:NAME_LIMIT])
