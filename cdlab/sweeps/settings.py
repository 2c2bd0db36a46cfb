"""From a grid to its runs, and from the dict of a run to its settings, with all defaults."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from .. import losses, regularizers
from ..datasets import Derived
from ..datasets.formats import is_table
from ..losses import Loss
from ..methods import METHODS, Method, parameters_of
from ..methods.base import draws_coordinates
from ..numerics import checks
from ..problems.intercept import join_intercept
from ..problems.problem import Problem
from ..runs.entries import MethodAndSampling, resolve_entry, with_aim
from ..runs.limits import Limits
from ..runs.running import RECORDS
from ..runs.solving import solve
from ..samplings import Sampling
from .data import Data, Source, as_data, pop_data
from .keys import to_plain, with_floats

DATA = ("data", "X", "y", "scale", "split", "dense", "n_features", "label")
PROBLEM = ("loss", "l2", "l1", "intercept", "sample_weight")
RUN = (
    "method",
    "sampling",
    "seed",
    "tol",
    "max_passes",
    "divergence_tol",
    "every",
    "records",
    "test",
    "strong_convexity",
    "start",
)
FIELDS = (*DATA, *PROBLEM, *RUN)
EVERY = "a whole number of epochs >= 1 or None"
ARRAYS = ("X", "y", "sample_weight")  # Lists under these names are arrays, not several values.
GRID = "a list of dicts, one for each run, or a dict of lists, whose product the runs are"


def expand_grid(grid: Any) -> list[dict[str, Any]]:
    """The runs of a grid, each as a dict of settings.

    Parameters
    ----------
    grid : list of dict, or dict
        A dict may hold lists (or ranges): the runs are their product. The last key varies fastest, but every run with
        the first seed comes before any with the second, so that what is interrupted has compared all on some seeds.

    Returns
    -------
    list of dict

    Raises
    ------
    TypeError, ValueError
        If it is neither, or there is no run in it.

    Examples
    --------
    >>> [run["method"] for run in expand_grid({"seed": [0, 1], "method": ["sdca", "rcd"]})]
    ['sdca', 'rcd', 'sdca', 'rcd']
    """
    if isinstance(grid, Mapping):
        runs = _product(grid)
    elif isinstance(grid, Sequence) and not isinstance(grid, str):
        runs = []
        for k, run in enumerate(grid):
            if not isinstance(run, Mapping):
                raise TypeError(f"a grid is {GRID}; entry {k} is {checks.short_repr(run)}")
            runs.append(dict(run))
    else:
        raise TypeError(f"a grid is {GRID}, not {checks.short_repr(grid)}")
    if not runs:
        raise ValueError("there is no run in this grid")
    return runs


def _product(grid: Mapping[str, Any]) -> list[dict[str, Any]]:
    axes = {
        name: list(value) if isinstance(value, list | range) and name not in ARRAYS else [value]
        for name, value in grid.items()
    }
    if empty := [name for name, values in axes.items() if not values]:
        raise ValueError(f"there is no run in this grid: its list {empty[0]!r} is empty")
    if "seed" in axes:
        axes = {"seed": axes.pop("seed"), **axes}
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


@cache
def _default(function: Any, name: str) -> Any:
    return inspect.signature(function).parameters[name].default


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings of a run: data, problem, method, seed and limits.

    Attributes
    ----------
    data, test : Data
        The data, and test data or None.
    method, sampling : Method, Sampling
    loss : Loss
    l2, l1 : float or str
        A number, or "c/n" until `at` has said n.
    seed, tol, max_passes, divergence_tol, every, records, strong_convexity, start
        As for `solve`.
    intercept, sample_weight
        As for `Problem`.
    """

    data: Data  # at a worker what stands for it there
    method: Method
    sampling: Sampling
    seed: int
    loss: Loss
    l2: Any
    l1: Any
    intercept: bool = False
    sample_weight: Any = None
    tol: float = 1e-6
    max_passes: float = 1000.0
    divergence_tol: float | None = None
    every: int | None = 1
    test: Source | None = None
    strong_convexity: float | str | None = None
    start: Any = None
    records: str = "epochs"

    def at(self, n: int) -> Settings:
        """The same with weights that are numbers, for n examples."""
        return replace(self, l2=_weight("l2", self.l2, n), l1=_weight("l1", self.l1, n))

    def plain(self) -> dict[str, Any]:
        """Settings that belong to the key beside the data, the seed and the numerics, ready for JSON."""
        return {
            "loss": to_plain(self.loss),
            "l2": self.l2,
            "l1": self.l1,
            "intercept": self.intercept,
            "method": to_plain(self.method),
            "sampling": to_plain(self.sampling) if draws_coordinates(self.method) else None,
            "tol": self.tol,
            "max_passes": self.max_passes,
            "divergence_tol": self.divergence_tol,
            "every": self.every,
            "strong_convexity": to_plain(self.strong_convexity),
            "start": to_plain(self.start),
            "records": self.records,
        }

    @property
    def problem(self) -> tuple[Any, ...]:
        """A value that distinguishes the problem from others, but for l2 and l1."""
        weights = None if self.sample_weight is None else self.sample_weight.tobytes()
        # the type of the loss, too: losses are tuples, and those of two types can be equal
        return self.data.token, type(self.loss), self.loss, self.intercept, weights

    @property
    def kind(self) -> tuple[Any, ...]:
        """A value that decides which kernels the run needs, but for the form of X."""
        return self.method.classes, type(self.loss), self.l1 > 0, self.intercept, self.sample_weight is not None


def parse_run(run: Mapping[str, Any]) -> Settings:
    """The settings of one dict of a grid, checked, with defaults for what it leaves out.

    Parameters
    ----------
    run : mapping
        See `sweep`.

    Returns
    -------
    Settings

    Raises
    ------
    TypeError, ValueError
        What is wrong, in one sentence.
    """
    left = dict(run)
    if "max_seconds" in left:
        raise ValueError(
            "max_seconds is no setting of a sweep, whose runs are the same on every machine: give max_passes, and "
            "sweep's time_limit as a guard"
        )
    scale = {"scale": left["scale"]} if "scale" in left else {}
    data = pop_data(left)
    test = left.pop("test", None)
    test = None if test is None else _test_data(test, data, scale)
    values = {name: left.pop(name) for name in FIELDS if name in left}
    entry = values.pop("method", _default(solve, "method"))
    method, sampling = _resolve_entry(entry, values.pop("sampling", None), left)
    tol = values.pop("tol", _default(solve, "tol"))
    max_passes = values.pop("max_passes", _default(solve, "max_passes"))
    for name in ("l2", "l1"):
        _weight(name, values.get(name, 0.0), 1)
    if max_passes is None:
        raise ValueError("max_passes must be a number >= 0: a run of a sweep has no other limit")
    divergence = values.pop("divergence_tol", None)
    Limits(tol, max_passes, None, divergence)  # which refuses what is none
    if max_passes == float("inf"):
        raise ValueError("max_passes must be finite: a run of a sweep has no other limit")
    records = values.pop("records", "epochs")
    checks.one_of("records", records, RECORDS)
    every, weights = values.pop("every", 1), values.pop("sample_weight", None)
    intercept = checks.flag("intercept", values.pop("intercept", False))
    return Settings(
        data=data,
        method=with_floats(with_aim(method, float(tol))),
        sampling=with_floats(sampling),
        seed=checks.integer("seed", values.pop("seed", _default(solve, "seed")), "a whole number >= 0", low=0),
        loss=with_floats(losses.resolve(values.pop("loss", _default(Problem, "loss")))),
        l2=values.pop("l2", _default(Problem, "l2")),
        l1=values.pop("l1", _default(Problem, "l1")),
        intercept=intercept,
        sample_weight=None if weights is None else checks.real_array("sample_weight", weights),
        tol=float(tol),
        max_passes=float(max_passes),
        divergence_tol=None if divergence is None else float(divergence),
        every=None if every is None else checks.integer("every", every, EVERY),
        test=test,
        strong_convexity=_modulus(values.pop("strong_convexity", None)),
        start=_start(values.pop("start", None), intercept),
        records=records,
    )


def _resolve_entry(method: Any, sampling: Any, parameters: dict[str, Any]) -> MethodAndSampling:
    """The method and its sampling; what is neither a setting nor a parameter of the method is named with both."""
    try:
        return resolve_entry(method, sampling, **parameters)
    except TypeError:
        cls = METHODS.get(method.partition("@")[0]) if isinstance(method, str) else None
        known = parameters_of(cls) if cls is not None else {}
        if cls is None or not (strange := [name for name in parameters if name not in known]):
            raise
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise ValueError(
            f"{strange[0]!r} is neither a setting of a run nor a parameter of {cls.name} ({has})"
            f"{checks.did_you_mean(strange[0], [*FIELDS, *known])}"
        ) from None


def _test_data(named: Any, data: Data, scale: dict[str, Any]) -> Source:
    """The test data: those that were named, or of the same name again its own test part."""
    if isinstance(named, str | Derived) and named == data.named:
        return data.test_part
    if scale.get("scale") == "mean":
        raise ValueError("scale='mean' divides by the mean row norm of the training data, which other test data lack")
    columns: dict[str, Any] = {
        name: data.options[name] for name in ("label", "drop") if _is_table(named) and name in data.options
    }
    return replace(as_data("test", named, {**scale, **columns}), like=data)


def _is_table(named: Any) -> bool:
    return isinstance(named, str | os.PathLike) and is_table(Path(named))


def _weight(name: str, value: Any, n: int) -> float:
    """A number, or a text such as "0.1/n"."""
    return regularizers.checked_weight(name, regularizers.parse_weight(value)(n) if isinstance(value, str) else value)


def _modulus(value: Any) -> float | str | None:
    if value is None or (isinstance(value, str) and value == "compute"):
        return value
    return checks.number("strong_convexity", value, 'a number > 0, "compute" or None')


def _start(start: Any, intercept: bool) -> Any:
    """(w, alpha) as arrays, which every process can be handed; a run checks the rest."""
    if start is None:
        return None
    if hasattr(start, "w") and hasattr(start, "alpha"):
        start = (join_intercept(start.w, getattr(start, "intercept", 0.0)) if intercept else start.w, start.alpha)
    if not (isinstance(start, tuple | list) and len(start) == 2):
        raise TypeError(
            f"start must be (w, alpha), one of which may be None, or a Solution; not {checks.short_repr(start)}"
        )
    parts = zip(("w", "alpha"), start, strict=True)
    return tuple(None if each is None else checks.real_array(f"the start's {name}", each) for name, each in parts)
