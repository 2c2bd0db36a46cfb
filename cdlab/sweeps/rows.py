"""The rows of a store's table: one for each run, and which of them have some values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from ..numerics import checks
from ..regularizers import of_examples
from ..runs.trace import Trace

AT_THE_END = (
    "iteration", "passes", "seconds", "primal", "dual", "gap", "relative_gap", "test_error", "test_loss", "examples"
)  # fmt: skip
COLUMNS = (
    "key", "data", "digest", "n", "d", "nnz", "loss", "l2", "l1", "method", "sampling", "label", "seed", "tol",
    "max_passes", "status", *AT_THE_END, "failure", "versions",
)  # fmt: skip
WEIGHTS = ("l2", "l1")
NEEDED = {  # in the meta of a run of a store, and in its settings
    "key": str, "data": str, "source": str, "status": str, "seed": int, "versions": dict, "shape": dict,
    "settings": dict,
}  # fmt: skip
SET = {"loss": dict, "method": dict, "sampling": (dict, NoneType), "l2": float, "l1": float, "tol": float,
       "max_passes": float, "intercept": bool}  # fmt: skip


def check_run(meta: dict[str, Any], key: str) -> None:
    """Refuse what no sweep writes into the meta of a run: rows and races are made of it.

    Raises
    ------
    ValueError
    """
    _check("its meta", meta, NEEDED)
    if meta["key"] != key:
        raise ValueError(f"its key is {checks.shown(meta['key'])}, and its name {key}")
    _check("its shape", meta["shape"], dict.fromkeys(("n", "d", "nnz"), int))
    settings = meta["settings"]
    _check("its settings", settings, SET)
    for name in ("loss", "method", "sampling"):
        if settings[name] is not None:
            _check(f"its {name}", settings[name], {"name": str})
    if "failure" in meta:
        _check("its meta", meta, {"failure": dict})
        _check("its failure", meta["failure"], {"kind": str, "message": str})


def _check(what: str, content: dict[str, Any], needed: Mapping[str, Any]) -> None:
    for name, kinds in needed.items():
        if name not in content:
            raise ValueError(f"{what} has no {name}")
        value = content[name]
        good = checks.is_number(value) if kinds is float else isinstance(value, kinds)
        if not good or (isinstance(value, int | float) and not abs(value) <= checks.LARGEST):
            raise ValueError(f"the {name} in {what} cannot be {checks.shown(value)}")


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
        values = [of_examples(each)(row["n"]) if isinstance(each, str) else each for each in values]
    return row[name] in values
