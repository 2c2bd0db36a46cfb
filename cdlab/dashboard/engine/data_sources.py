"""Sources of the data of a race: each is a call of `cdlab.datasets`, to be made or written down."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ... import datasets
from ...datasets.catalogue import catalogue
from ...datasets.generators import GENERATORS, Generator
from ...samplings import Sampling
from ..visitor_limits import limits

UPLOAD = "upload"
AT_HAND = ("bundled", "CDLAB_DATA", "cache")  # Data sets from these places need no download.


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
    return f"cdlab.samplings.{value!r}" if isinstance(value, Sampling) else repr(value)


SYNTHETIC = "synthetic"
SHAPES = (  # the choices that shape made data
    *("n", "d", "density", "skew", "row_spread", "condition", "noise"),
    *("corner", "column", "row", "correlation", "data_seed"),
)
# The choice that gives a parameter, where it is not called like it; of one generator, or of all
CHOICES = {
    ("arrow", "a"): "corner",
    ("arrow", "b"): "column",
    ("arrow", "c"): "row",
    ("sun_ye", "c"): "correlation",
    ("worst_primal", "alpha"): "density",
    ("worst_dual", "alpha"): "density",
    "seed": "data_seed",
    "task": "classification",
}


@dataclass(frozen=True)
class Family:
    """Data made on the spot by a generator of `cdlab.datasets`.

    Attributes
    ----------
    generator : Generator
    choices : dict of str to str
        For each parameter of the generator the choice that gives it; the others keep their defaults.
    """

    generator: Generator
    choices: dict[str, str]

    @property
    def asks(self) -> tuple[str, ...]:
        """The choices that shape the data."""
        return tuple(name for name in SHAPES if name in self.choices.values())

    def arguments(self, choices: Any) -> dict[str, Any]:
        """The arguments of the generator."""
        found = {name: getattr(choices, choice) for name, choice in self.choices.items()}
        if "task" in found:
            found["task"] = "classification" if choices.classification else "regression"
        if "alpha" in found:
            found["alpha"] = round(choices.density * choices.n * choices.d)
        return found

    def call(self, choices: Any) -> Call:
        """The call that makes the data."""
        if "alpha" in self.choices:
            check_ones(choices)
        name = self.generator.name
        return Call("make", () if name == SYNTHETIC else (name,), self.arguments(choices))

    def entries(self, choices: Any) -> float:
        """About how many numbers the data store."""
        return self.generator.stored(**self.arguments(choices))


def check_ones(choices: Any) -> None:
    """Refuse a density at which a binary matrix without an empty row or column has too few ones."""
    n, d = choices.n, choices.d
    if round(choices.density * n * d) < max(n, d):
        least = max(n, d) / (n * d)
        raise ValueError(
            f"at density {choices.density:g} some row or column of the {n} x {d} matrix {choices.data} would be empty: "
            f"set the density to at least {least:.3g}"
        )


def _families() -> dict[str, Family]:
    """The generators whose parameters without a default are all choices of the page."""
    found = {}
    for name, generator in GENERATORS.items():
        parameters = inspect.signature(generator.function).parameters
        choice = {key: CHOICES.get((name, key), CHOICES.get(key, key)) for key in parameters}
        known = {key: given for key, given in choice.items() if given in (*SHAPES, "classification")}
        if all(key in known or each.default is not each.empty for key, each in parameters.items()):
            found[name] = Family(generator, known)
    return found


FAMILIES = _families()


@cache
def at_hand() -> tuple[str, ...]:
    """The real data sets that need no download, looked up once: it takes hundreds of questions to the file system."""
    return tuple(name for name, _, _, where in datasets.names() if where in AT_HAND)


def too_large(data: str) -> bool:
    """Tell whether a real set is more than this dashboard takes, as far as that is known before it is loaded."""
    entry = catalogue().get(data) if data in at_hand() else None
    return entry is not None and (entry.stored or 0) > limits().entries


def data_call(choices: Any) -> Call:
    """The call that makes or loads the chosen data; made data are then still to be scaled, see `scale_call`."""
    if choices.data in FAMILIES:
        return FAMILIES[choices.data].call(choices)
    if choices.data != UPLOAD:
        return Call("load", (choices.data,), {"scale": choices.scale})
    name, _, *label = choices.upload.split(":")
    return Call("load", (name,), {"scale": choices.scale} | ({"label": int(label[0])} if label else {}))


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
    size = "{} x {}".format(*choices.shape())
    shape = f"{size} at density {choices.density:g}" if "density" in family.asks else size
    limits().check_entries(family.entries(choices), shape, advice)
    X, y = family.call(choices)()
    return datasets.scaled(X, choices.scale), y
