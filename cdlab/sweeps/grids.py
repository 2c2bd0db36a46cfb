"""Grids: a list of runs, or lists of values whose product they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ..numerics import checks

ARRAYS = ("X", "y", "sample_weight")  # lists of numbers, if they are lists
HOW = "a list of dicts, one for each run, or a dict of lists, whose product the runs are"


def runs_of(grid: Any) -> list[dict[str, Any]]:
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
    >>> [run["method"] for run in runs_of({"seed": [0, 1], "method": ["sdca", "rcd"]})]
    ['sdca', 'rcd', 'sdca', 'rcd']
    """
    if isinstance(grid, Mapping):
        runs = _product(grid)
    elif isinstance(grid, Sequence) and not isinstance(grid, str):
        runs = []
        for k, run in enumerate(grid):
            if not isinstance(run, Mapping):
                raise TypeError(f"a grid is {HOW}; entry {k} is {checks.short_repr(run)}")
            runs.append(dict(run))
    else:
        raise TypeError(f"a grid is {HOW}, not {checks.short_repr(grid)}")
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
