"""Runs as a store keeps them, a row and a trace each, written and read again: they may come from anywhere."""

from __future__ import annotations

import json
import math
import warnings
from typing import Any, NamedTuple

from ..numerics import checks
from ..numerics.json_numbers import is_json_number, parse_json, to_json_number
from ..runs.trace import Trace
from .result_store import ResultStore

FINISHED, FAILED = "run", "failed run"  # kinds of results
FAILURE = "failed"  # the status in the meta of a run that failed
PROBLEM = ("key", "data", "digest", "n", "d", "nnz", "loss", "l2", "l1")
RUN = ("method", "sampling", "label", "seed", "tol", "max_passes", "status")
OBJECTIVE = ("primal", "dual", "gap", "relative_gap")
LAST_RECORD = ("iteration", "passes", "seconds", *OBJECTIVE, "test_error", "test_loss", "examples")
COLUMNS = (*PROBLEM, *RUN, *LAST_RECORD, "failure", "versions")
TEXTS = ("key", "data", "digest", "loss", "method", "sampling", "label", "status", "failure", "versions")


class StoredRun(NamedTuple):
    """A run as a store keeps it.

    Attributes
    ----------
    kind : {FINISHED, FAILED}
    row : dict
        Of the table, with infinity and NaN as words.
    trace : str
        As JSON; of a run that failed without records, and its meta says why.
    """

    kind: str
    row: dict[str, Any]
    trace: str


def stored_run(trace: Trace) -> StoredRun:
    """The trace of a run as a store keeps it."""
    kind = FAILED if trace.meta["status"] == FAILURE else FINISHED
    return StoredRun(kind, _plain_row(trace), json.dumps(trace.to_plain(), allow_nan=False))


def row_of(trace: Trace) -> dict[str, Any]:
    """The row of a run in `Store.to_frame`."""
    meta = trace.meta
    settings = meta["settings"]
    sampling = settings["sampling"]
    last = {name: float(trace.column(name)[-1]) if trace.records else math.nan for name in LAST_RECORD}
    return {
        "key": meta["key"],
        "data": meta["source"],
        "digest": meta["data"],
        **meta["shape"],
        "loss": settings["loss"]["name"],
        "l2": settings["l2"],
        "l1": settings["l1"],
        "method": settings["method"]["name"],
        "sampling": "none" if sampling is None else sampling["name"],
        "label": trace.label,
        "seed": meta["seed"],
        "tol": settings["tol"],
        "max_passes": settings["max_passes"],
        "status": meta["status"],
        **last,
        "failure": meta.get("failure", {}).get("message", ""),
        "versions": ", ".join(f"{name} {version}" for name, version in meta["versions"].items()),
    }


def read_trace(results: ResultStore, key: str, kind: str = FINISHED) -> Trace | None:
    """The trace of a run, or None.

    What is no trace, or not of a run, is set aside with a warning, and the run can be computed anew.
    """
    trace, why = read_trace_or_why(results, key, kind)
    if why:
        warnings.warn(why, stacklevel=2)
    return trace


def read_trace_or_why(results: ResultStore, key: str, kind: str = FINISHED) -> tuple[Trace | None, str]:
    """Read without a warning: the trace or None, and the sentence about what was set aside, else ""."""
    found = results.get(key, kind)
    if found is None:
        return None, ""
    try:
        trace = Trace.from_plain(parse_json(found.trace or ""))
        check_trace(trace, key)
        if bool(trace.records) != (kind == FINISHED):
            raise ValueError("its records do not go with its kind")
        return trace, ""
    except ValueError as error:
        return None, results.set_aside(key, checks.error_message(error))


def read_rows(results: ResultStore, *kinds: str) -> dict[str, dict[str, Any]]:
    """The rows of all runs of these kinds, by key; those that cannot be read are set aside with a warning."""
    rows = {}
    for key, text in results.rows(*kinds):
        try:
            row = parse_json(text)
            _check_row(row)
            rows[key] = row | {name: float(row[name]) for name in LAST_RECORD}
        except ValueError as error:
            warnings.warn(results.set_aside(key, checks.error_message(error)), stacklevel=3)
    return rows


def check_trace(trace: Trace, key: str) -> None:
    """Refuse what is not the trace of a run with this key: rows and races are made of its meta.

    Raises
    ------
    ValueError
    """
    try:
        row, settings = _plain_row(trace), trace.meta["settings"]
        whole = row["key"] == key and isinstance(settings["intercept"], bool)
    except (KeyError, TypeError, AttributeError, ValueError):
        whole = False
    if not whole:
        raise ValueError("its meta is not that of a run with its key")
    _check_row(row)


def _plain_row(trace: Trace) -> dict[str, Any]:
    row = row_of(trace)
    return row | {name: to_json_number(row[name]) for name in LAST_RECORD}


def _check_row(row: Any) -> None:
    if not (isinstance(row, dict) and row.keys() >= set(COLUMNS)):
        raise ValueError("its row is not that of a run")
    for name in COLUMNS:
        if not (isinstance(row[name], str) if name in TEXTS else is_json_number(row[name])):
            raise ValueError(f"its {name} cannot be {checks.short_repr(row[name])}")
