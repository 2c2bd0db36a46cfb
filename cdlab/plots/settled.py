"""Pictures of the share of examples and features that the gap proves to be settled, along a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..certificates import SettledCurve
from .elements import Axes, check_kind
from .style import looks_for

if TYPE_CHECKING:
    import holoviews

KINDS = ("examples", "features")


def settled(curves: SettledCurve | Sequence[SettledCurve]) -> holoviews.Overlay:
    """The settled share against passes, a line for the examples and one for the features of each run.

    Parameters
    ----------
    curves : SettledCurve or sequence of them
        Of `cdlab.certificates.settled_curve`, whose `to_frame` has the numbers.

    Returns
    -------
    holoviews.Overlay
        Without the lines that stay at 0.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=50, d=5, seed=0)
    >>> P = cdlab.Problem(X, y, loss="smooth_hinge", l2=0.02)
    >>> [curve.label for curve in settled(cdlab.certificates.settled_curve(P, "sdca")).Curve]
    ['sdca, uniform: examples', 'sdca, uniform: features']
    """
    curves = list(curves) if isinstance(curves, Sequence) else [curves]
    check_kind(curves, SettledCurve, "curves, as cdlab.certificates.settled_curve returns them")
    lines = {
        f"{curve.label}: {kind}": (curve.passes, getattr(curve, kind))
        for curve in curves
        for kind in KINDS
        if np.any(getattr(curve, kind))
    }
    looks = looks_for(dict.fromkeys(lines, ""))
    axes = Axes("passes over the data (visits / nnz)", "settled share")
    for label, (passes, share) in lines.items():
        axes.marked_curve(passes, share, looks[label], label)
    return axes.overlay(y_range=(-0.02, 1.02))


def settled_sentence(curve: SettledCurve) -> str:
    """Tell when half of the examples were settled, and how many are in the end, in a sentence.

    Parameters
    ----------
    curve : SettledCurve
        Of one run.
    """
    end = f"{curve.label}: after {curve.passes[-1]:.3g} passes {curve.examples[-1]:.0%} of the examples"
    features = f" and {curve.features[-1]:.0%} of the features" if curve.features[-1] else ""
    half = np.flatnonzero(curve.examples >= 0.5)
    when = f"; half of the examples were after {curve.passes[half[0]]:.3g}" if half.size else ""
    return f"{end}{features} are settled for certain{when}."
