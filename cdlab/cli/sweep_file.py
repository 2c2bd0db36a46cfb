"""The file of a sweep: TOML, with the words of the command line for methods, samplings and losses."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .. import regularizers
from ..datasets.loading import check_label
from ..datasets.scaling import check_scale
from ..numerics import checks
from ..sweeps.chosen import EXECUTORS
from ..sweeps.grids import runs_of
from . import specs


class SweepFile(NamedTuple):
    """What a file says.

    Attributes
    ----------
    runs : list of dict
        The grid, as `cdlab.sweep` takes it.
    options : dict
        Its other arguments that the file gives.
    """

    runs: list[dict[str, Any]]
    options: dict[str, Any]


def read(path: str) -> SweepFile:
    """Read and check the file of a sweep.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        Which key of which table is wrong, and what would be right.
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {checks.error_message(error)}") from None
    tables = content.pop("grid", None)
    if tables is None:
        raise ValueError(f"{path} has no table [grid], which says what is to be run: data, method, l2, ...")
    numbered = [("[grid]", tables)] if isinstance(tables, dict) else _several(path, tables)
    options = _converted(path, "the top of the file", content, OPTIONS)
    runs = [run for where, table in numbered for run in runs_of(_converted(path, where, table, SETTINGS))]
    for run in runs:
        if isinstance(run.get("method"), tuple):  # it names its sampling
            run.pop("sampling", None)
    return SweepFile(runs, options)


def _several(path: str, tables: Any) -> list[tuple[str, dict[str, Any]]]:
    if not (isinstance(tables, list) and tables and all(isinstance(each, dict) for each in tables)):
        raise ValueError(f"{path}: grid must be a table [grid] or several [[grid]], not {checks.short_repr(tables)}")
    return [(f"[[grid]] number {k + 1}", table) for k, table in enumerate(tables)]


def _converted(path: str, where: str, table: dict[str, Any], known: Mapping[str, Callable[[Any], Any]]) -> dict:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            hint = checks.did_you_mean(key, known)
            raise ValueError(f"{path}: {where} has no key {checks.short_repr(key)}{hint} (keys: {', '.join(known)})")
        try:
            if key == "seed":
                found[key] = _seeds(value)
            else:
                found[key] = [known[key](each) for each in value] if isinstance(value, list) else known[key](value)
        except (TypeError, ValueError, argparse.ArgumentTypeError) as error:
            raise ValueError(f"{path}, {key} in {where}: {checks.error_message(error)}") from None
    return found


def _text(convert: Callable[[str], Any]) -> Callable[[Any], Any]:
    def converted(value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(f"it must be a text in quotes, not {checks.short_repr(value)}")
        return convert(value)

    return converted


def _entry(text: str) -> Any:
    method, sampling = specs.named(text)
    return method if sampling is None else (method, {"sampling": sampling})


def _seeds(value: Any) -> list[int]:
    if isinstance(value, str):
        return specs.seeds(value)
    each = value if isinstance(value, list) else [value]
    return [
        checks.integer("a seed", seed, 'a whole number >= 0 (ranges are texts, as in "0-4")', low=0) for seed in each
    ]


def _weight(value: Any) -> Any:
    if isinstance(value, str):
        regularizers.parse_weight(value)
        return value
    return regularizers.checked_weight("the weight", value)


def _number(value: Any) -> float:
    return checks.number("it", value, "a number >= 0", ends="[)")


def _limit(value: Any) -> float:
    return checks.number("it", value, "a number > 0")


def _whole(value: Any) -> int:
    return checks.integer("it", value, "a whole number >= 1")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"it must be true or false, not {checks.short_repr(value)}")


def _scale(value: Any) -> str:
    check_scale(value)
    return value


def _label(value: Any) -> str | int:
    check_label(value)
    return value


def _among(*words: str) -> Callable[[Any], str]:
    def chosen(value: Any) -> str:
        checks.one_of("it", value, words)
        return value

    return chosen


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "store": _text(specs.nonempty), "executor": _among(*EXECUTORS), "jobs": _whole,
    "time_limit": _limit, "memory_limit": _limit,
}  # fmt: skip
SETTINGS: dict[str, Callable[[Any], Any]] = {
    "data": _text(specs.nonempty), "test": _text(specs.nonempty), "scale": _scale,
    "split": _among("train", "test", "all"), "dense": _flag, "n_features": _whole, "label": _label,
    "loss": _text(specs.loss), "l2": _weight, "l1": _weight, "intercept": _flag,
    "method": _text(_entry), "sampling": _text(specs.sampling), "seed": _seeds,
    "tol": _number, "max_passes": _number, "divergence_tol": _limit, "every": _whole,
    "strong_convexity": lambda value: value if value == "compute" else _limit(value),
}  # fmt: skip
