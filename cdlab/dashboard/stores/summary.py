"""The runs of a store by problem and method, and why some failed, as tables."""

from __future__ import annotations

from typing import Any

from ...runs.limits import Status
from ...sweeps.outcomes import FAILURE
from ..templates import html
from ..words import number, table
from .held import HeldStore

MOST = 200  # rows of a table: the CSV has all
NOTES = 3  # sentences about runs that are shown
REACHED = (Status.TOLERANCE, Status.GRADIENT_SMALL)
MORE = '<p class="quiet">{{ words }}</p>'


def counted(store: HeldStore) -> str:
    """How many runs there are, in a sentence."""
    runs = f"{len(store):,} finished run{'' if len(store) == 1 else 's'}"
    return f"{runs}, and {store.failed:,} that failed." if store.failed else f"{runs}."


def troubles(store: HeldStore) -> str:
    """What could not be read, as HTML; nothing where all could."""
    shown = store.notes[:NOTES]
    if len(store.notes) > NOTES:
        shown.append(f"{len(store.notes) - NOTES} more runs could not be read")
    return "".join(html('<p class="reason">{{ words }}.</p>', words=words) for words in shown)


def runs_table(store: HeldStore) -> str:
    """A row for each problem and method, over its seeds, as HTML."""
    frame = store.by_problem()
    rows = [
        [*names, number(len(done)), number(len(group) - len(done)), number(_reached(done)), _median(done)]
        for names, group in frame.groupby(["problem", "label"])
        for done in [group[group["status"] != FAILURE]]
    ]
    head = ["problem", "method", "finished", "failed", "reached their tolerance", "median passes"]
    return _shortened(head, rows, "Runs by problem and method", "problems and methods")


def failures(store: HeldStore) -> str:
    """The runs that failed, with the reason, as HTML; nothing where none did."""
    frame = store.by_problem()
    failed = frame[frame["status"] == FAILURE]
    rows = [
        [problem, label, ", ".join(str(seed) for seed in group["seed"]), why]
        for (problem, label, why), group in failed.groupby(["problem", "label", "failure"])
    ]
    return _shortened(["problem", "method", "seeds", "why"], rows, "Runs that failed", "of these") if rows else ""


def _shortened(head: list[str], rows: list[list[str]], caption: str, what: str) -> str:
    text = table(head, rows[:MOST], caption)
    if len(rows) > MOST:
        text += html(MORE, words=f"The first {MOST} of {len(rows):,} {what}; the CSV has all runs.")
    return text


def _reached(done: Any) -> int:
    return int(done["status"].isin(REACHED).sum())


def _median(done: Any) -> str:
    return number(float(done["passes"].median()))
