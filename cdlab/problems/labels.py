"""Label rules: from the labels that users hold to those that a loss takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..losses import Loss, is_vector
from ..losses.per_example import mean_loss
from ..numerics import checks, tables

LabelMap = dict[float, float] | dict[str, float]  # what each label becomes: a sign, or the index of a class
UNDERFLOW_CHECK_BELOW, OVERFLOW_CHECK_ABOVE = 1e-100, 1e100  # labels between them have a loss that float64 holds
# P(0) must be above this for float64 to hold its last digits, too.
MIN_LOSS_AT_ZERO = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)
MAX_CLASSES_OF_FEW = 20  # as many classes are always taken, more only up to half the number of examples
MAX_LISTED_LABELS = 10  # labels in a message
MAX_LABEL_CHARACTERS = 100  # characters of a label


def validated_labels(y: Any, n: int) -> np.ndarray:
    """The n labels: numbers as float64, or words as an array of str.

    Raises
    ------
    ValueError
        For another number of labels, or labels that are neither finite numbers nor words.
    """
    y = checks.array("y", y)
    if y.ndim != 1:
        cure = "; pass numpy.ravel(y)" if y.shape in ((n, 1), (1, n)) else ""
        raise ValueError(f"y must be one-dimensional, one label per row of X; it has shape {y.shape}{cure}")
    if y.size != n:
        raise ValueError(f"X has {n} rows and y has {y.size} labels; they must match")
    if y.dtype.kind in "OUT":
        return _validated_words(y)
    if y.dtype.kind not in "biuf":
        raise ValueError(f"y must hold numbers or words; its dtype is {y.dtype}")
    y = checks.to_float64("y", y)
    if not np.isfinite(y).all():
        raise ValueError(f"y contains NaN or infinity ({int((~np.isfinite(y)).sum())} of {n} labels)")
    return y.copy()


def _validated_words(y: np.ndarray) -> np.ndarray:
    """The labels, if all are words; else refuse the first that is not: a missing one is not a class."""
    strange = next((k for k, label in enumerate(y) if not isinstance(label, str)), None)
    if strange is not None:
        if all(map(checks.is_number, y)):
            raise ValueError("y holds numbers, and its dtype is object: convert it by y.astype(float)")
        raise ValueError(f"y must hold numbers, or words alone; label {strange} is {checks.short_repr(y[strange])}")
    if y.dtype.kind == "U":
        return y
    longest = max(map(len, y))
    if longest > MAX_LABEL_CHARACTERS:  # as an array of str every label takes as much as the longest one
        raise ValueError(
            f"y holds a label of {longest} characters; words of at most {MAX_LABEL_CHARACTERS} are taken as classes"
        )
    return y.astype(str)


def check_range(y: np.ndarray, loss: Loss, loss_y: np.ndarray) -> None:
    """Refuse labels of regression whose loss overflows, or underflows to 0, which would be certified.

    Raises
    ------
    ValueError
        If it does; the message says how to scale the labels.
    """
    largest = 1.0 if loss.classification else float(np.maximum.reduce(np.abs(y)))
    if not 0 < largest < UNDERFLOW_CHECK_BELOW and not largest > OVERFLOW_CHECK_ABOVE:
        return
    with np.errstate(over="ignore"):
        at_zero = mean_loss(loss, np.zeros(y.size), loss_y)
    if MIN_LOSS_AT_ZERO < at_zero < np.inf:
        return
    wrong, does = ("large", "overflows") if largest > 1.0 else ("small", "underflows")
    cure = f"divide y by {largest:.1e}" if largest > 1.0 else f"multiply y by {min(1 / largest, 1e300):.1e}"
    raise ValueError(
        f"y is too {wrong} for float64: the {loss.name} loss of its largest entry, {largest:.3g}, {does}; {cure}"
    )


def are_words(y: np.ndarray) -> bool:
    """Tell whether these `validated_labels` are words."""
    return y.dtype.kind == "U"


def make_label_map(y: np.ndarray, loss: Loss, n: int | None = None) -> LabelMap | None:
    """The value that each label becomes: a sign, a class's index (softmax), or itself (None: regression).

    Where y are the distinct labels alone, n is the number of examples.

    Raises
    ------
    ValueError
        For labels that do not fit the loss.
    """
    if not loss.classification:
        if are_words(y):
            numbers = tables.is_number_text(y)
            cure = "strip what is no part of a number, as commas, and convert them by astype(float)"
            if not numbers:
                cure = "use a classification loss (logistic, hinge, softmax) or CDClassifier, or encode the words"
            raise ValueError(
                f"y holds {'numbers stored as text' if numbers else 'words'}, such as {str(y[0])!r}, and the "
                f"{loss.name} loss needs numbers: {cure}"
            )
        return None
    return _class_map(y, n or y.size) if is_vector(loss) else _sign_map(y, loss)


def class_labels(mapping: LabelMap | None) -> np.ndarray | None:
    """The labels as the user wrote them, in increasing order; None where they are not classes."""
    return None if mapping is None else np.array(list(mapping))


def _sign_map(y: np.ndarray, loss: Loss) -> LabelMap:
    values = _distinct(y).tolist()
    if len(values) == 2:
        return {values[0]: -1.0, values[1]: 1.0}
    if len(values) > 2:
        quantity = len(values) > MAX_CLASSES_OF_FEW and not are_words(y)
        what = "numbers: that is a quantity," if quantity else "labels"
        cures = ["the softmax loss for several classes"] if are_words(y) or (y == np.round(y)).all() else []
        cures += [] if are_words(y) else ["a regression loss (squared, absolute, pinball, ...) for real targets"]
        raise ValueError(
            f"y has {len(values)} distinct {what} and the {loss.name} loss separates two classes; use "
            f"{', or '.join(cures)}"
        )
    value = values[0]
    if value not in (-1.0, 0.0, 1.0):
        raise ValueError(
            f"all labels are {_label_text(value)}: a single class must be +1, or -1 or 0 for the negative class"
        )
    return {value: 1.0 if value == 1.0 else -1.0}


def _distinct(y: np.ndarray) -> np.ndarray:
    """The distinct labels in increasing order; without sorting where they are two numbers, as they mostly are."""
    if not are_words(y) and _is_first_of_two(y, first := y.min(), last := y.max()) is not None:
        return np.array([first, last] if first < last else [first])
    return np.unique(y)


def _is_first_of_two(y: np.ndarray, first: float, second: float) -> np.ndarray | None:
    """The mask (n,) of the labels that are `first`, if all others are `second`; else None."""
    is_first = y == first
    return is_first if (is_first | (y == second)).all() else None


def _class_map(y: np.ndarray, n: int) -> LabelMap:
    broken = np.empty(0) if are_words(y) else y[y != np.round(y)]
    if broken.size:
        raise ValueError(
            f"softmax needs classes and y contains {broken[0]:g}: encode the classes as whole numbers or words, "
            "or use a regression loss (squared, absolute, pinball, ...) for real targets"
        )
    values = np.unique(y).tolist()
    check_number_of_classes(len(values), n)
    if len(values) == 1:
        raise ValueError(f"all labels are {_label_text(values[0])}: softmax needs at least two classes")
    return {value: float(k) for k, value in enumerate(values)}


def check_number_of_classes(classes: int, n: int) -> None:
    """Refuse labels of n examples that are hardly ever the same: they are quantities, or row numbers.

    Raises
    ------
    ValueError
    """
    if classes > max(MAX_CLASSES_OF_FEW, n / 2):
        raise ValueError(
            f"y has {classes} distinct labels for {n} examples, too many to learn classes from: merge rare ones, or "
            "for quantities use a regression loss (squared, absolute, pinball, ...) or CDRegressor"
        )


def apply_label_map(y: np.ndarray, mapping: LabelMap | None) -> np.ndarray:
    """Labels after the map of `make_label_map`; unchanged where there is none (regression).

    Raises
    ------
    ValueError
        For a class that the training labels did not contain, or words where these are numbers.
    """
    if mapping is None:
        if are_words(y):
            raise ValueError(f"label {str(y[0])!r} is a word, and the training labels are numbers; use the same kind")
        return y
    labels = np.array(list(mapping))  # in increasing order
    two = labels.size == 2 and not are_words(labels) and not are_words(y)
    if two and (is_first := _is_first_of_two(y, *labels)) is not None:
        first, second = mapping.values()
        return np.where(is_first, first, second)
    same_kind = are_words(y) == are_words(labels)
    strange = y[~np.isin(y, labels)] if same_kind else y
    if strange.size:
        raise ValueError(
            f"label {_label_text(strange[0].item())} is not among the training labels {list_labels(labels)}; "
            "use the same classes"
        )
    return np.array(list(mapping.values()))[np.searchsorted(labels, y)]


def invert_label_map(y: np.ndarray, mapping: LabelMap | None) -> np.ndarray:
    """The labels before `apply_label_map`."""
    if mapping is None:
        return y
    values = np.array(list(mapping.values()))
    order = np.argsort(values)
    return np.array(list(mapping))[order][np.searchsorted(values[order], y)]


def _label_text(label: float | str) -> str:
    return checks.short_repr(label) if isinstance(label, str) else f"{label:g}"


def list_labels(labels: np.ndarray) -> str:
    """Labels in a message, the first ten."""
    shown = ", ".join(_label_text(label) for label in labels[:MAX_LISTED_LABELS].tolist())
    return f"[{shown}]" if labels.size <= MAX_LISTED_LABELS else f"[{shown}, ... {labels.size} in all]"


def predicted_labels(z: np.ndarray, mapping: LabelMap) -> np.ndarray:
    """The labels that decision values stand for: the sign of z (m,), or the class with the largest of z (m, K).

    If the training set has only one of the two classes, the other is called -1 beside 1, and 1 beside 0 or -1.
    """
    names = {value: label for label, value in mapping.items()}
    if z.ndim == 2:
        return np.array([names[float(k)] for k in range(z.shape[1])])[np.argmax(z, axis=1)]
    return np.where(z > 0, names.get(1.0, 1.0), names.get(-1.0, -1.0))
