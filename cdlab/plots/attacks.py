"""The worst instance that an attack found: its rows and the vectors of its state, and what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..theory import Attack
from .elements import WIDTH, Axes, check_kind
from .style import looks_for

if TYPE_CHECKING:
    import holoviews
    import pandas

REACH = 1.1  # Of the axes: a little more than the longest row.
HEIGHT = 450  # In pixels; both axes have one scale.


def attack(found: Attack) -> holoviews.Overlay:
    """The record instance of an attack, in the plane of the directions in which its rows reach farthest and least.

    Rows are lines from the origin, on the scale of the longest, which is 1. So are vectors of the state that have an
    entry a column, such as the iterate or the direction of an error; their own lengths are in the legend.

    Parameters
    ----------
    found : Attack
        Of `cdlab.theory.attack`; `attack_table` has its numbers, and `attack_sentence` what they show.

    Returns
    -------
    holoviews.Overlay

    Examples
    --------
    >>> from cdlab import theory
    >>> picture = attack(theory.attack(theory.conjecture("J2"), n=2, d=2, evaluations=10))
    >>> [curve.label for curve in picture.Curve]
    ['row 1', 'row 2']
    """
    check_kind([found], Attack, "an attack, as cdlab.theory.attack returns it")
    d = found.X.shape[1]
    directions = np.linalg.eigh(found.X.T @ found.X)[1][:, [-1, 0]] if d > 1 else np.array([[1.0, 0.0]])
    rows = {f"row {k}": row for k, row in enumerate(found.X, start=1)}
    vectors = {f"{name}, {np.linalg.norm(x):.3g} long": x for name, x in found.state.items() if x.shape == (d,)}
    looks = looks_for(dict.fromkeys(rows, "dual") | dict.fromkeys(vectors, "primal"))
    longest = max((float(np.linalg.norm(x)) for x in vectors.values()), default=0.0) or 1.0
    title = f"{found.statement.name}: ratio {found.ratio:.4g}"
    axes = Axes("along the rows' longest direction", "along their shortest", title)
    for label, x in (rows | {name: x / longest for name, x in vectors.items()}).items():
        end = x @ directions
        axes.curve([0, end[0]], [0, end[1]], looks[label], label)
        axes.markers([end[0]], [end[1]], looks[label], label)
    return axes.overlay(
        x_range=(-REACH * WIDTH / HEIGHT, REACH * WIDTH / HEIGHT), y_range=(-REACH, REACH), height=HEIGHT
    )


def attack_table(found: Attack) -> pandas.DataFrame:
    """The rows and the state of the record instance: their norms and entries."""
    import pandas as pd

    arrays = {f"row {k}": row for k, row in enumerate(found.X, start=1)} | dict(found.state)
    norms = [float(np.linalg.norm(x)) for x in arrays.values()]
    return pd.DataFrame({"norm": norms, "entries": [x.ravel().tolist() for x in arrays.values()]}, index=list(arrays))


def attack_sentence(found: Attack) -> str:
    """Tell what was attacked, what the largest ratio shows, and on which data."""
    spread = np.linalg.svd(found.X, compute_uv=False)
    return (
        f"{found} There kappa is {found.kappa:.4g}, and the rows reach from {spread[-1]:.3g} to {spread[0]:.3g} in the "
        "directions of their singular values."
    )
