"""Exact rates: the expected error between its floor and its bound, orders side by side, permutations against draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exact_rates import ExactRate, closed_forms
from ..numerics import checks
from .elements import DASHED, Axes, RowRange, check_kind, row_ranges
from .style import look, looks_for, tint

if TYPE_CHECKING:
    import holoviews
    import pandas

FLOOR_LOOK = look("")._replace(dash=DASHED, width=1.6)
Q_LABELS = {"D*-D": "E[D* - D]", "P-P*": "E[P - P*]", "gap": "E[P - D]", "|w-w*|^2": "E||w - w*||^2"}
Line = tuple[Any, Any]  # passes and values
Rates = Sequence[ExactRate] | Mapping[str, ExactRate]

MAP_EXAMPLES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
MAP_SIGMAS = tuple(np.geomspace(1e-3, 0.9, 24).tolist())
MAP_LIMITS = (1.0, 4.0)  # Permutations are never slower here.
MAP_COLOURS = tuple(tint("dual", share) for share in np.linspace(0.95, 0.0, 32))


# ------------------------------------------------------------ one expected curve
def expected_error(
    rate: ExactRate,
    epochs: int = 20,
    quantity: str = "P-P*",
    *,
    bounds: Mapping[str, Line] | None = None,
    floors: Mapping[str, Line] | None = None,
    measured: Mapping[str, Line] | None = None,
) -> holoviews.Overlay:
    """The expected error of a method, exactly, between what cannot be avoided and what is promised.

    Parameters
    ----------
    rate : ExactRate
        Of `cdlab.theory.exact_rate`, with a curve.
    epochs : int, default 20
        Shown.
    quantity : str, default "P-P*"
        As for `ExactRate.curve`.
    bounds, floors, measured : mapping of (passes, values), optional
        Lines by label: guarantees and floors, which are dashed, and means of runs, which are markers.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        As `ExactRate.curve`.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem(*cdlab.datasets.arrow(5, 6, 1.0, 0.3, 2.0), "squared", l2=1 / 6)
    >>> picture = expected_error(cdlab.theory.exact_rate(P, "sdca", "permutation"), 5)
    >>> [curve.label for curve in picture.Curve]
    ['exact: sdca, permutation']
    """
    passes, values = _curve(rate, epochs, quantity)
    label = f"exact: {rate.method}, {rate.sampling}"
    names = [label, *(bounds or {}), *(measured or {})]
    looks = looks_for(dict.fromkeys(names, ""))
    axes = Axes("passes over the data (visits / nnz)", Q_LABELS.get(quantity, quantity), y_log=True)
    axes.marked_curve(passes, values, looks[label], label)
    for name, (x, y) in (bounds or {}).items():
        axes.curve(x, y, looks[name]._replace(dash=DASHED, width=1.6), name)
    for name, (x, y) in (floors or {}).items():
        axes.curve(x, y, FLOOR_LOOK, name)
    for name, (x, y) in (measured or {}).items():
        axes.outlines(x, y, looks[name], name, size=11)
    return axes.overlay(x_range=(0, float(passes[-1]) * 1.02))


def expected_error_table(rate: ExactRate, epochs: int = 20, quantity: str = "P-P*") -> pandas.DataFrame:
    """The curve of the picture: passes, the expected error, and the factor of each epoch."""
    import pandas as pd

    passes, values = _curve(rate, epochs, quantity)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.append(np.nan, values[1:] / values[:-1])
    return pd.DataFrame({"passes": passes, "expected": values, "factor": factor})


def expected_error_sentence(rate: ExactRate, epochs: int = 20, quantity: str = "P-P*") -> str:
    """Tell what the curve shows: its first epoch, its last one, and the rate that it tends to."""
    table = expected_error_table(rate, epochs, quantity)
    return (
        f"{rate.method} with {rate.sampling} sampling multiplies {Q_LABELS.get(quantity, quantity)} by "
        f"{table.factor[1]:.3g} in its first epoch and by {table.factor.iloc[-1]:.3g} in epoch {epochs}; in the end by "
        f"{rate.radius:.3g}, which is {rate.passes:.3g} passes per factor e."
    )


def _curve(rate: ExactRate, epochs: int, quantity: str) -> tuple[np.ndarray, np.ndarray]:
    check_kind([rate], ExactRate, "exact rates, as cdlab.theory.exact_rate returns them")
    checks.integer("epochs", epochs, "a whole number >= 1")
    return rate.passes_per_epoch * np.arange(epochs + 1), rate.curve(epochs, quantity)


# ------------------------------------------------------------ every order
def orders(rates: Rates, bounds: Mapping[str, float] | None = None) -> holoviews.Overlay:
    """Passes per factor e of several orders of coordinates, with the interval of each, beside what bounds promise.

    Parameters
    ----------
    rates : sequence of ExactRate, or mapping to them by label
        At least one, such as of one problem in several orders.
    bounds : mapping, optional
        By the label of a row ("sdca, uniform" where none is given) the passes per factor e of a bound: an outline.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        Without a rate, or if none of them falls.
    """
    rows = [
        RowRange(label, row.low, row.high, row.passes, row.bound, look("dual"), look(""))
        for label, row in orders_table(rates, bounds).iterrows()
    ]
    return row_ranges(rows, "passes over the data, per factor e", ("exact", "bound"), 16, 36)


def orders_table(rates: Rates, bounds: Mapping[str, float] | None = None) -> pandas.DataFrame:
    """The rows of the picture: passes per factor e with their interval, how it was computed, and the bound.

    Raises
    ------
    ValueError
        As `orders`.
    """
    import pandas as pd

    given = rates.values() if isinstance(rates, Mapping) else rates
    check_kind(given, ExactRate, "exact rates, as cdlab.theory.exact_rate returns them")
    named = rates if isinstance(rates, Mapping) else {f"{rate.method}, {rate.sampling}": rate for rate in rates}
    if not any(np.isfinite(rate.passes) and rate.passes > 0 for rate in named.values()):
        raise ValueError("a picture of orders needs at least one rate at which errors fall, in more than one epoch")
    rows = {label: (rate.passes, *rate.passes_interval, rate.how) for label, rate in named.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["passes", "low", "high", "how"])
    return table.assign(bound=pd.Series(dict(bounds or {}), dtype=float).reindex(table.index))


def orders_sentence(rates: Rates) -> str:
    """The fastest and the slowest order, in a sentence."""
    passes = orders_table(rates)["passes"].map(lambda p: float(f"{p:.9g}"))  # rounding decides no tie
    fast, slow = passes.idxmin(), passes.idxmax()
    if fast == slow:
        return f"{fast} takes {passes[fast]:.3g} passes per factor e."
    times = f", {passes[slow] / passes[fast]:.3g} times as many" if passes[fast] > 0 else ""
    return (
        f"The fastest is {fast}, {passes[fast]:.3g} passes per factor e, the slowest {slow} with "
        f"{passes[slow]:.3g}{times}."
    )


# ------------------------------------------------------------ permutations against independent draws
def permutation_gain(n: Sequence[int] = MAP_EXAMPLES, sigma: Sequence[float] = MAP_SIGMAS) -> holoviews.Overlay:
    """By how much permutations are faster than uniform draws on equicorrelated data, as a map over n and sigma.

    Parameters
    ----------
    n : sequence of int >= 2, increasing
        Coordinates.
    sigma : sequence of float in (0, 1), increasing
        The smallest eigenvalue of G = sigma I + (1 - sigma) 11', see `cdlab.exact_rates.closed_forms`.

    Returns
    -------
    holoviews.Overlay
        Its colour is ln(radius of a permutation)/ln(radius of an epoch of draws).

    Raises
    ------
    ValueError
        For numbers out of range.
    """
    table = permutation_gain_table(n, sigma)
    axes = Axes("smallest eigenvalue sigma", "coordinates n", x_log=True, y_log=True)
    edges = _edges(table.columns.to_numpy(dtype=float)), _edges(table.index.to_numpy(dtype=float))
    axes.cells(edges, table.to_numpy(), "times faster", MAP_COLOURS, MAP_LIMITS)
    return axes.overlay(
        x_range=(edges[0][0], edges[0][-1]), y_range=(edges[1][0], edges[1][-1]), height=340, show_grid=False
    )


def permutation_gain_table(n: Sequence[int] = MAP_EXAMPLES, sigma: Sequence[float] = MAP_SIGMAS) -> pandas.DataFrame:
    """The numbers of the map: a row for each n, a column for each sigma.

    Raises
    ------
    ValueError
        As `permutation_gain`.
    """
    import pandas as pd

    for each in n:
        checks.integer("n", each, "a whole number >= 2", low=2)
    if not (len(sigma) and all(0 < each < 1 for each in sigma)):
        raise ValueError(f"sigma must lie between 0 and 1, both excluded, not {checks.short_repr(sigma)}")
    radius = closed_forms.equicorrelated_radius
    gains = [
        [np.log(radius(int(k), float(s), "permutation")) / np.log(radius(int(k), float(s), "uniform")) for s in sigma]
        for k in n
    ]
    return pd.DataFrame(gains, index=pd.Index(n, name="n"), columns=pd.Index(sigma, name="sigma"))


def permutation_gain_sentence(n: Sequence[int] = MAP_EXAMPLES, sigma: Sequence[float] = MAP_SIGMAS) -> str:
    """The smallest and the largest gain of the map, in a sentence."""
    table = permutation_gain_table(n, sigma)
    low, high = table.stack().idxmin(), table.stack().idxmax()
    return (
        f"On equicorrelated data a permutation is faster than uniform draws everywhere on this map: by a factor of "
        f"{table.min().min():.4g} at n = {low[0]}, sigma = {low[1]:.3g}, and of {table.max().max():.3g} at "
        f"n = {high[0]}, sigma = {high[1]:.3g}."
    )


def _edges(centers: np.ndarray) -> np.ndarray:
    """Edges of cells around these centers on a logarithmic axis."""
    logs = np.log(centers)
    middle = (logs[1:] + logs[:-1]) / 2
    if not middle.size:
        return np.exp(logs + [-0.5, 0.5])
    return np.exp(np.concatenate([[2 * logs[0] - middle[0]], middle, [2 * logs[-1] - middle[-1]]]))
