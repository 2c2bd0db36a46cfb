"""What the meta of a run of a store says, checked before it is believed: a file may come from anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

from ..numerics import checks

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
        raise ValueError(f"its key is {checks.short_repr(meta['key'])}, and its name {key}")
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
        if not good or (isinstance(value, int | float) and not abs(value) <= checks.LARGEST_FLOAT):
            raise ValueError(f"the {name} in {what} cannot be {checks.short_repr(value)}")
