"""State that the driver of a path keeps from weight to weight, as its kernels see it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.matrix_lines import Lines
from ..problems.problem import Problem

# Indices into `State.numbers`.
PRIMAL, LOSS, SIZE, NORM2, DUAL, ALPHA_LENGTH, VISITS, ENTERING, SHARE, CONJUGATE = range(10)


class Data(NamedTuple):
    """The problem without its weights."""

    columns: Lines
    y: np.ndarray  # (n,) labels as the formulas of `loss` take them
    loss: Any
    norms: np.ndarray  # (d,) ||X_:j||
    free: int  # column of the intercept, which nothing penalises; d where there is none


class State(NamedTuple):
    """A primal and a dual point, and bounds for every feature."""

    w: np.ndarray  # (d,) 0 outside of the working set
    z: np.ndarray  # (n,) X w
    minus_gradients: np.ndarray  # (n,) -phi'(z)
    alpha: np.ndarray  # (n,) minus_gradients; with an intercept scaled so that their sum is 0
    h: np.ndarray  # (n,) phi''(z) of the model
    v: np.ndarray  # (d,) X_:j'alpha/n for the alpha at which v_j was last computed
    alpha_length_at_v: np.ndarray  # (d,) length of alpha's way at that time
    position_in_set: np.ndarray  # (d,) int64, -1 for a feature outside of the working set
    entering: np.ndarray  # (d,) int64, features outside of the working set with |v_j| > l1
    terms: np.ndarray  # (n,) scratch for the terms of sums over examples
    room: np.ndarray  # (2, n) scratch for sums in blocks, 0 between them
    numbers: np.ndarray  # at the indices above; SHARE * alpha is feasible, CONJUGATE is the part of D due to l2


def data_of(P: Problem) -> Data:
    """Return the problem as the kernels of a path see it."""
    free = P.d - 1 if P.intercept else P.d
    return Data(P.columns, P.loss_y, P.loss, np.sqrt(P.column_profile.norms2), free)


def first_state(P: Problem, h: np.ndarray, position_in_set: np.ndarray) -> State:
    """Return the state at w = 0 with no bound for any feature; the working set owns `h` and `position_in_set`."""
    n, d = P.n, P.d
    return State(
        np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(n), h, np.zeros(d), np.full(d, -np.inf), position_in_set,
        np.zeros(d, np.int64), np.zeros(n), np.zeros((2, n)), np.zeros(10),
    )  # fmt: skip
