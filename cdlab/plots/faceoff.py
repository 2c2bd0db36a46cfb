"""The face-off: C_P/C_D between its ends, on a map and at its largest; what sampling and derivatives cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..faceoffs import FaceOff, binary_matrices, iid
from ..numerics import checks
from .elements import LEVEL_DASH, Axes, RowRange, row_ranges
from .style import look, looks_for, tint

if TYPE_CHECKING:
    import holoviews
    import pandas

PALE = 0.85  # Share of white in an area on which text is read.
MEAN, LARGEST = "importance: a mean squared norm", "uniform: the largest squared norm"
EXAMPLES, FEATURES = 10, (10, 20, 30, 40)  # Sizes of Figure 1.
COSTS = (0.01, 1000.0)  # Range of the cost of a derivative, in visited nonzeros.
COST_POINTS = 121
MAP_CELLS = 60  # Cells along each side of a map.
STEPS = (0.0, 0.3, 0.55, 0.8)
# from the primal's orange over white to the dual's blue, as in the picture of Theorem 3
MAP_COLOURS = (*(tint("primal", k) for k in STEPS), "#F7F7F7", *(tint("dual", k) for k in reversed(STEPS)))


# ------------------------------------------------------------ Theorem 3
def theorem3(face: FaceOff) -> holoviews.Overlay:
    """Draw where C_P/C_D lies between its ends 1/d and n (Csiba & Richtarik 2016, Theorem 3), on a logarithmic axis.

    Parameters
    ----------
    face : FaceOff
        The face-off of the data.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        If X = 0, where the ratio does not exist.
    """
    place = face.theorem3
    if place.ratio is None or place.ratio_bounds is None:
        raise ValueError("X = 0 has no ratio C_P/C_D to draw")
    low, high = place.ratio_bounds
    axes = Axes("C of the primal over C of the dual, and the side that it favours", "", x_log=True)
    axes.rectangle(low, 1, -0.6, 0.6, tint("primal", PALE))
    axes.rectangle(1, high, -0.6, 0.6, tint("dual", PALE))
    # at the ends, where there is room on a phone too
    axes.text(low, 0.3, " primal", "left")
    axes.text(high, 0.3, "dual ", "right")
    axes.markers([place.ratio], [-0.25], look("")._replace(light="#000000", marker="diamond"), size=16)
    ticks = [(low, "1/d"), (1, "1"), (high, "n")]
    x_range = (low / 1.5, high * 1.5)
    return axes.overlay(x_range=x_range, y_range=(-1, 1), height=130, yaxis=None, show_grid=False, xticks=ticks)


# ------------------------------------------------------------ uniform and importance sampling
def max_norms(face: FaceOff) -> holoviews.Overlay:
    """Draw the passes T/nnz that uniform and importance sampling need on either side, per factor e of accuracy.

    With b = beta/(l2 n), uniform sampling needs 1 + b max_j ||X_:j||^2 on the primal side and 1 + b max_i ||x_i||^2 on
    the dual one; importance sampling 1 + b C_P/nnz and 1 + b C_D/nnz, where C/nnz is the mean squared norm of a
    nonzero's column or row (Csiba & Richtarik 2016, sections 5.1 and 5.2). A mean is at most the largest, so each line
    shows what uneven norms cost uniform sampling.

    Parameters
    ----------
    face : FaceOff
        With a bound on at least one side.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        If no side has a bound; `face.reason` says why.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    >>> [each.label for each in max_norms(cdlab.faceoff(cdlab.Problem(X, y, l2=0.1))).Scatter][:2]
    ['importance: a mean squared norm', 'uniform: the largest squared norm']
    """
    rows = [
        RowRange(side, row.importance, row.uniform, row.importance, row.uniform, look(side), look(side))
        for side, row in max_norms_table(face).iterrows()
    ]
    return row_ranges(rows, "passes over the data, per factor e", (MEAN, LARGEST), 20, 70)  # a circle may stand inside


def max_norms_table(face: FaceOff) -> pandas.DataFrame:
    """The passes of the picture: a row for each side, and the columns uniform, importance and saving (their ratio).

    Raises
    ------
    ValueError
        As `max_norms`.
    """
    import pandas as pd

    found = {}
    for side, letter in (("primal", "P"), ("dual", "D")):
        uniform, importance = getattr(face.uniform, f"T_{letter}"), getattr(face, f"T_{letter}")
        if importance is not None and uniform is not None and face.nnz:
            found[side] = uniform / face.nnz, importance / face.nnz, uniform / importance
    if not found:
        raise ValueError(f"there is nothing to draw: {face.reason}")
    return pd.DataFrame.from_dict(found, orient="index", columns=["uniform", "importance", "saving"])


def max_norms_sentence(face: FaceOff) -> str:
    """The saving of importance sampling on each side, and whether it changes the winner, in a sentence.

    Raises
    ------
    ValueError
        As `max_norms`.
    """
    table = max_norms_table(face)
    words = "Uniform sampling pays for the largest squared norm, importance sampling for a mean: it saves a factor of "
    words += " and ".join(f"{row.saving:.3g} on the {side} side" for side, row in table.iterrows())
    if face.ratio is None or face.uniform.ratio is None:
        return f"{words}."
    winners = ["dual" if ratio > 1 else "primal" for ratio in (face.uniform.ratio, face.ratio)]
    change = (
        f"the {winners[0]} in both" if winners[0] == winners[1] else f"the {winners[0]} before, the {winners[1]} after"
    )
    return f"{words}. T_P/T_D is {face.uniform.ratio:.3g} with uniform and {face.ratio:.3g} with importance: {change}."


# ------------------------------------------------------------ Figure 1
def worst_ratio(n: int = EXAMPLES, d: Sequence[int] = FEATURES) -> holoviews.Overlay:
    """R(alpha, d, n), the largest C_P/C_D of n examples, d features and alpha nonzeros, against alpha.

    Where a curve is below 1, the primal bound is the better one for all binary data (Csiba & Richtarik 2016, Theorem 4
    and Figure 1).

    Parameters
    ----------
    n : int, default 10
        Examples.
    d : sequence of int, default (10, 20, 30, 40)
        Features, a curve for each.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        If n or one of d is not a whole number >= 1.

    Examples
    --------
    >>> [curve.label for curve in worst_ratio(5, [5, 9]).Curve]
    ['d = 5', 'd = 9']
    """
    looks = looks_for({f"d = {each}": "" for each in d})
    axes = Axes(
        "nonzeros alpha",
        "largest C of the primal over C of the dual",
        f"{n} examples, d features: at most this favourable to the dual",
    )
    axes.level(1)
    for each, (label, seen) in zip(d, looks.items(), strict=True):
        alpha, R = _largest_ratios(n, each)
        tips = [("", label), ("alpha", "$snap_x"), ("C_P/C_D", "$snap_y{0.000}")]
        axes.marked_curve(alpha, R, seen, label, tips)
    return axes.overlay()


def worst_ratio_table(n: int = EXAMPLES, d: Sequence[int] = FEATURES) -> pandas.DataFrame:
    """Return the largest R and its alpha for each d, and the largest alpha at which R exceeds 1.

    Parameters and errors are those of `worst_ratio`. The columns are d, R, alpha and above_1_to; the last is missing
    where R exceeds 1 for no alpha, so that the dual bound is never the better one.
    """
    import pandas as pd

    rows = []
    for each in d:
        alpha, R = _largest_ratios(n, each)
        above = alpha[R > 1]
        last = int(above[-1]) if above.size else pd.NA
        rows.append({"d": each, "R": R.max(), "alpha": int(alpha[R.argmax()]), "above_1_to": last})
    return pd.DataFrame(rows).astype({"above_1_to": "Int64"})


def worst_ratio_sentence(n: int = EXAMPLES) -> str:
    """Theorem 5 and Corollary 6 of Csiba & Richtarik (2016) for n examples, in a sentence."""
    words = (
        f"With n = {n} examples and at least as many features, no binary data without empty rows and columns favour "
        f"the dual from d = {binary_matrices.d_threshold(n)} features upwards"
    )
    if n <= 2:
        return f"{words}: for so few examples, none do."
    return f"{words}, or from {binary_matrices.alpha_threshold(n)} nonzeros upwards; with fewer of both, some do."


def _largest_ratios(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """All alpha that a matrix without empty rows and columns can have, and R there."""
    for name, value in (("n", n), ("d", d)):
        checks.integer(name, value, "a whole number >= 1")
    alpha = np.arange(max(n, d), n * d + 1)
    return alpha, np.array([binary_matrices.R(int(a), d, n) for a in alpha])


# ------------------------------------------------------------ the cost of derivatives
def cost_model(face: FaceOff, cost: float) -> holoviews.Overlay:
    """(1 + k) T_P of the primal and T_D + k K_D of the dual against the cost k of a derivative.

    Parameters
    ----------
    face : FaceOff
        With bounds on both sides.
    cost : float
        Present cost of a derivative in visited nonzeros: a vertical line.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        If a side has no bound, or cost is not at least 0.
    """
    if face.T_P is None or face.T_D is None:
        raise ValueError(f"there is no work to compare: {face.reason}")
    if not cost >= 0:
        shown = checks.short_repr(cost)
        raise ValueError(f"the cost of a derivative must be a number of visited nonzeros >= 0, not {shown}")
    ks = np.geomspace(*COSTS, COST_POINTS)
    works = {"primal": np.array([face.cost_P(k) for k in ks]), "dual": np.array([face.cost_D(k) for k in ks])}
    axes = Axes("cost of a loss derivative (visited nonzeros)", "work per factor e (visited nonzeros)",
                x_log=True, y_log=True)  # fmt: skip
    axes.level(float(np.clip(cost, *COSTS)), upright=True)
    for side, ys in works.items():
        axes.marked_curve(ks, ys, look(side), side)
    even = face.break_even
    if even is not None and COSTS[0] <= even <= COSTS[1]:
        axes.outlines([even], [face.cost_P(even)], look("")._replace(light="#333333"), "break-even", size=16)
    everything = np.concatenate(list(works.values()))
    return axes.overlay(x_range=COSTS, y_range=(everything.min() / 1.5, everything.max() * 1.5), height=300)


# ------------------------------------------------------------ the map
def ratio_map(face: FaceOff, density: float | None = None) -> holoviews.Overlay:
    """Draw C_P/C_D of data with independent entries: (1 + (n - 1) density)/(1 + (d - 1) density).

    Parameters
    ----------
    face : FaceOff
        Its data are the diamond, in the colour of their own ratio: it stands out if they are not like independent
        entries of the same density. Empty rows and columns do not count.
    density : float, optional
        Share of nonzeros in the map; by default that of the data.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        For a density outside (0, 1].
    """
    density = own_density(face) if density is None else density
    if not 0 < density <= 1:
        raise ValueError(f"density must be above 0 and at most 1, not {checks.short_repr(density)}")
    low, high = 1.0, float(10 ** np.ceil(np.log10(max(face.n_nonempty, face.d_nonempty, 10)) + 1))
    places = np.geomspace(low, high, MAP_CELLS)
    sizes = [max(1, round(place)) for place in places]
    ratios = np.array([[iid(d, n, density).ratio for d in sizes] for n in sizes])
    top = max(10.0, float(10 ** np.ceil(np.log10(ratios.max()))))
    edges = np.concatenate([[low], np.sqrt(places[1:] * places[:-1]), [high]])
    own = face.theorem3.ratio
    axes = Axes("features d", "examples n", x_log=True, y_log=True)
    limits = 1 / top, top
    axes.cells((edges, edges), ratios, "C_P/C_D", MAP_COLOURS, limits)
    axes.curve([low, high], [low, high], look("")._replace(dash=LEVEL_DASH, width=1))
    value = 1.0 if own is None else own
    axes.diamond(face.d_nonempty or 1, face.n_nonempty or 1, value, "C_P/C_D", MAP_COLOURS, limits)
    return axes.overlay(x_range=(low, high), y_range=(low, high), height=340, show_grid=False)


def own_density(face: FaceOff) -> float:
    """Share of nonzeros in the rows and columns that have any; 1 for X = 0, which has no place on the map."""
    return face.nnz / (face.n_nonempty * face.d_nonempty) if face.nnz else 1.0


def ratio_map_sentence(face: FaceOff) -> str:
    """A comparison of the data with independent entries of the same shape and density, in a sentence."""
    own = face.theorem3.ratio
    if own is None:
        return "X = 0 has no ratio C_P/C_D and no place on the map."
    alike = iid(face.d_nonempty, face.n_nonempty, own_density(face)).ratio
    factor = own / alike
    words = (
        f"Independent entries with the shape and density of these data have C_P/C_D = {alike:.3g}, "
        f"in favour of the {'dual' if alike > 1 else 'primal'}"
        if not 0.999 < alike < 1.001
        else "Independent entries with the shape and density of these data have C_P/C_D = 1"
    )
    if 0.9 < factor < 1.1:
        return f"{words}; these data have {own:.3g}, about the same."
    whose = "the features that occur often, or with large values" if factor > 1 else "long or heavy examples"
    by = f"{'larger' if factor > 1 else 'smaller'} by a factor of {max(factor, 1 / factor):.3g}"
    return f"{words}; these data have {own:.3g}, {by}: {whose} make the difference."
