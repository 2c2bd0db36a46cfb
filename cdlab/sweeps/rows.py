"""The rows of a store's table: one for each run, and which of them have some values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..regularizers import parse_weight
from ..runs.trace import Trace

AT_THE_END = (
    "iteration", "passes", "seconds", "primal", "dual", "gap", "relative_gap", "test_error", "test_loss", "examples"
)  # fmt: skip
COLUMNS = (
    "key", "data", "digest", "n", "d", "nnz", "loss", "l2", "l1", "method", "sampling", "label", "seed", "tol",
    "max_passes", "status", *AT_THE_END, "failure", "versions",
)  # fmt: skip
WEIGHTS = ("l2", "l1")


def row_of(trace: Trace) -> dict[str, Any]:
    """The row of a run in `Store.to_frame`."""
    meta = trace.meta
    settings = meta["settings"]
    sampling = settings["sampling"]
    last = {name: float(trace.column(name)[-1]) if trace.records else math.nan for name in AT_THE_END}
    return {
        "key": meta["key"], "data": meta["source"], "digest": meta["data"], **meta["shape"],
        "loss": settings["loss"]["name"], "l2": settings["l2"], "l1": settings["l1"],
        "method": settings["method"]["name"], "sampling": "none" if sampling is None else sampling["name"],
        "label": trace.label, "seed": meta["seed"], "tol": settings["tol"], "max_passes": settings["max_passes"],
        "status": meta["status"], **last, "failure": meta.get("failure", {}).get("message", ""),
        "versions": ", ".join(f"{name} {version}" for name, version in meta["versions"].items()),
    }  # fmt: skip


def is_one_of(row: dict[str, Any], name: str, values: Sequence[Any]) -> bool:
    """Whether the value of a row is one of these; weights also as texts, for the n of its data."""
    if name in WEIGHTS:
        values = [parse_weight(each)(row["n"]) if isinstance(each, str) else each for each in values]
    return row[name] in values
