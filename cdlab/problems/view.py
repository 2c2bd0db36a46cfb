"""The problem as a kernel sees it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.matrix_lines import Lines
from ..regularizers import Regularizer


class View(NamedTuple):
    """X by rows for dual methods, by columns for primal ones, with what else P is made of."""

    X: Lines
    y: np.ndarray  # (n,) labels as formulas of `loss` take them, `Problem.loss_y`: float64, with weights complex128
    loss: Any  # a `Loss`: which formulas it has is known once a kernel is compiled for it
    reg: Regularizer
