"""Label rules: what a loss makes of the labels that users hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .losses import Loss


def checked(y: Any, n: int) -> np.ndarray:
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must be one-dimensional, one label per row of X; it has shape {y.shape}")
    if y.size != n:
        raise ValueError(f"X has {n} rows and y has {y.size} labels; they must match")
    if y.dtype.kind not in "biuf":
        raise ValueError(f"y must hold numbers; its dtype is {y.dtype}: encode the classes as numbers first")
    if not np.isfinite(y).all():
        raise ValueError(f"y contains NaN or infinity ({int((~np.isfinite(y)).sum())} of {n} labels)")
    return y.astype(np.float64)


def sign_map(y: np.ndarray, loss: Loss) -> dict[float, float]:
    values = np.unique(y)
    if values.size == 2:
        return {float(values[0]): -1.0, float(values[1]): 1.0}
    if values.size > 2:
        raise ValueError(
            f"y has {values.size} distinct labels and the {loss.name} loss separates two classes; "
            "use the softmax loss for several classes, or a regression loss (squared, absolute, huber) for real targets"
        )
    value = float(values[0])
    if value not in (-1.0, 0.0, 1.0):
        raise ValueError(f"all labels are {value:g}: a single class must be +1, or -1 or 0 for the negative class")
    return {value: 1.0 if value == 1.0 else -1.0}


def mapped(y: np.ndarray, signs: dict[float, float] | None) -> np.ndarray:
    """Labels after the map of `sign_map`; unchanged where there is none (regression).

    Raises
    ------
    ValueError
        For a class that the training labels did not contain.
    """
    if signs is None:
        return y
    known = np.isin(y, list(signs))
    if not known.all():
        raise ValueError(
            f"label {y[~known][0]:g} is not among the training labels {sorted(signs)}; use the same classes"
        )
    return np.where(y == max(signs, key=signs.__getitem__), max(signs.values()), min(signs.values()))
