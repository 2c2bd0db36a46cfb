"""Label rules: what a loss makes of the labels that users hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from .losses import Loss, is_vector


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


def label_map(y: np.ndarray, loss: Loss) -> dict[float, float] | None:
    """What each label becomes: a sign, a class's index (softmax), or itself (None: regression)."""
    if not loss.classification:
        return None
    return _class_map(y) if is_vector(loss) else _sign_map(y, loss)


def _sign_map(y: np.ndarray, loss: Loss) -> dict[float, float]:
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


def _class_map(y: np.ndarray) -> dict[float, float]:
    broken = y[y != np.round(y)]
    if broken.size:
        raise ValueError(
            f"softmax needs classes and y contains {broken[0]:g}: encode the classes as whole numbers, "
            "or use a regression loss (squared, absolute, huber) for real targets"
        )
    values = np.unique(y)
    if values.size == 1:
        raise ValueError(f"all labels are {values[0]:g}: softmax needs at least two classes")
    return {float(value): float(k) for k, value in enumerate(values)}


def mapped(y: np.ndarray, known: dict[float, float] | None) -> np.ndarray:
    """Labels after the map of `label_map`; unchanged where there is none (regression).

    Raises
    ------
    ValueError
        For a class that the training labels did not contain.
    """
    if known is None:
        return y
    labels = np.array(sorted(known))
    strange = y[~np.isin(y, labels)]
    if strange.size:
        raise ValueError(
            f"label {strange[0]:g} is not among the training labels {_listed(labels)}; use the same classes"
        )
    return np.array([known[label] for label in labels])[np.searchsorted(labels, y)]


def _listed(labels: np.ndarray) -> str:
    shown = ", ".join(f"{label:g}" for label in labels[:10])
    return f"[{shown}]" if labels.size <= 10 else f"[{shown}, ... {labels.size} in all]"


def named(z: np.ndarray, known: dict[Any, float]) -> np.ndarray:
    """The labels that decision values stand for: the sign of z (m,), or the class with the largest of z (m, K).

    A training set with a single class of two says what the other is called: -1 beside 1, 1 beside 0 or -1.
    """
    names = {value: label for label, value in known.items()}
    if z.ndim == 2:
        return np.array([names[float(k)] for k in range(z.shape[1])])[np.argmax(z, axis=1)]
    return np.where(z > 0, names.get(1.0, 1.0), names.get(-1.0, -1.0))
