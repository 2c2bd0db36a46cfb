"""Where the data of a race come from: each source is a call of `cdlab.datasets`, to be made or written down."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ... import datasets
from ..visitor_limits import limits

UPLOAD = "upload"
AT_HAND = ("bundled", "CDLAB_DATA", "cache")  # what needs no download


@dataclass(frozen=True)
class Call:
    """A call of a function of `cdlab.datasets`; as text, the Python that makes it."""

    function: str
    args: tuple = ()
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self) -> Any:
        return getattr(datasets, self.function)(*self.args, **self.options)

    def __str__(self) -> str:
        words = [literal(value) for value in self.args]
        words += [f"{name}={literal(value)}" for name, value in self.options.items()]
        return f"cdlab.datasets.{self.function}({', '.join(words)})"


def literal(value: Any) -> str:
    """A value as people write it in Python: text in double quotes."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))})"
    return repr(value)


@dataclass(frozen=True)
class Family:
    """Data made on the spot.

    Attributes
    ----------
    asks : tuple of str
        The choices that shape them.
    call : callable
        Takes the choices.
    entries : callable
        Takes the choices; about how many numbers the data store.
    """

    asks: tuple[str, ...]
    call: Callable[[Any], Call]
    entries: Callable[[Any], float]


def _random(choices: Any) -> Call:
    names = ("n", "d", "density", "skew", "row_spread", "condition", "noise")
    task = "classification" if choices.classification else "regression"
    options = {name: getattr(choices, name) for name in names}
    return Call("make", (), options | {"task": task, "seed": choices.data_seed})


def _arrow(choices: Any) -> Call:
    shape = {"d": choices.d, "n": choices.n}
    entries = {"a": choices.corner, "b": choices.column, "c": choices.row}
    return Call("arrow", (), shape | entries | {"seed": choices.data_seed})


def ones(choices: Any) -> int:
    """How many ones the density makes in a binary matrix without an empty row or column."""
    n, d = choices.n, choices.d
    ones = round(choices.density * n * d)
    if ones < max(n, d):
        least = max(n, d) / (n * d)
        raise ValueError(
            f"at density {choices.density:g} some row or column of the {n} x {d} matrix {choices.data} would be empty: "
            f"set the density to at least {least:.3g}"
        )
    return ones


def _worst(side: str) -> Callable[[Any], Call]:
    def call(choices: Any) -> Call:
        options = {"d": choices.d, "n": choices.n, "alpha": ones(choices), "seed": choices.data_seed}
        return Call(f"worst_{side}", (), options)

    return call


def _sun_ye(choices: Any) -> Call:
    return Call("sun_ye", (), {"n": choices.n, "c": choices.correlation, "seed": choices.data_seed})


SYNTHETIC = "synthetic"
BINARY = ("n", "d", "density", "data_seed")
FAMILIES: dict[str, Family] = {
    SYNTHETIC: Family(
        ("n", "d", "density", "skew", "row_spread", "condition", "noise", "data_seed"),
        _random,
        lambda choices: choices.n * choices.d * (choices.density if choices.density < 0.3 else 1),
    ),
    "arrow": Family(("n", "d", "corner", "column", "row", "data_seed"), _arrow, lambda choices: choices.n + choices.d),
    "worst_primal": Family(BINARY, _worst("primal"), lambda choices: choices.n * choices.d * choices.density),
    "worst_dual": Family(BINARY, _worst("dual"), lambda choices: choices.n * choices.d * choices.density),
    "sun_ye": Family(("n", "correlation", "data_seed"), _sun_ye, lambda choices: choices.n**2),
}


@cache
def at_hand() -> tuple[str, ...]:
    """The real data sets that need no download, looked up once: it takes hundreds of questions to the file system."""
    return tuple(name for name, _, _, where in datasets.names() if where in AT_HAND)


def too_large(data: str) -> str:
    """Why a real set is more than this dashboard takes, as far as that is known before it is loaded; or empty."""
    stored = datasets.describe(data).stored if data in at_hand() else None
    try:
        limits().check_entries(stored or 0, data, "choose other data")
    except ValueError as error:
        return str(error)
    return ""


def kind(data: str) -> str:
    """Under which title a source is listed."""
    return "Made here" if data in FAMILIES else "Your own" if data == UPLOAD else "Real"


def data_call(choices: Any) -> Call:
    """The call that makes or loads the chosen data; made data are then still to be scaled, see `scale_call`."""
    if choices.data in FAMILIES:
        return FAMILIES[choices.data].call(choices)
    name = choices.upload.partition(":")[0] if choices.data == UPLOAD else choices.data
    return Call("load", (name,), {"scale": choices.scale})


def load_data(choices: Any) -> tuple[Any, Any]:
    """X and y of these choices.

    Raises
    ------
    ValueError, OSError
        In a sentence for the reader: data too large, a file that is damaged, or that is not here.
    """
    if choices.data == UPLOAD:
        X, y = choices.uploaded_data()
        return datasets.scaled(X, choices.scale), y
    if choices.data not in FAMILIES:
        X, y = data_call(choices)()
        limits().check_entries(X.size, choices.data, "choose other data")
        return X, y
    family = FAMILIES[choices.data]
    advice = "lower n, d or the density" if "density" in family.asks else "lower n or d"
    size = f"{choices.n} x {choices.n if choices.data == 'sun_ye' else choices.d}"
    shape = f"{size} at density {choices.density:g}" if "density" in family.asks else size
    limits().check_entries(family.entries(choices), shape, advice)
    X, y = family.call(choices)()
    return datasets.scaled(X, choices.scale), y
