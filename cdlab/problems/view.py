"""The problem as a kernel sees it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import losses, regularizers
from ..numerics import matrices


class View(NamedTuple):
    """X by rows for dual methods, by columns for primal ones, with what else P is made of."""

    X: matrices.Dense | matrices.Sparse
    y: np.ndarray
    loss: losses.Loss
    reg: regularizers.L2 | regularizers.ElasticNet
