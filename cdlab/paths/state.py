"""What the driver of a path keeps from weight to weight, as its kernels see it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.matrix_lines import Lines
from ..problems.problem import Problem

# places in `State.numbers`
PRIMAL, LOSS, SIZE, NORM2, DUAL, TRAVELLED, VISITS, ENTERING, SHARE, CONJUGATE = range(10)


class Data(NamedTuple):
    """The problem without its weights."""

    columns: Lines
    y: np.ndarray  # (n,) what formulas of `loss` take for labels
    loss: Any
    norms: np.ndarray  # (d,) ||X_:j||
    free: int  # the column of the intercept, which nothing penalises; d where there is none


class State(NamedTuple):
    """A primal and a dual point, and what is known of every feature."""

    w: np.ndarray  # (d,) 0 outside of the working set
    z: np.ndarray  # (n,) X w
    pulls: np.ndarray  # (n,) -phi'(z)
    alpha: np.ndarray  # (n,) the same; with an intercept balanced, so that its sum is 0
    h: np.ndarray  # (n,) phi''(z) of the model
    v: np.ndarray  # (d,) X_:j'alpha/n, of the alpha that was the last when it was formed
    seen: np.ndarray  # (d,) how far alpha had travelled then
    place: np.ndarray  # (d,) int64, in the working set; -1 outside
    entering: np.ndarray  # (d,) int64, features outside of the working set with |v_j| > l1
    terms: np.ndarray  # (n,) scratch: what sums over examples are of
    room: np.ndarray  # (2, n) scratch of sums in blocks, 0 between them
    numbers: np.ndarray  # named above; SHARE alpha is feasible, CONJUGATE is what l2 adds to D


def data_of(P: Problem) -> Data:
    """The problem as the kernels of a path see it."""
    free = P.d - 1 if P.intercept else P.d
    return Data(P.by_columns.X, P.loss_y, P.loss, np.sqrt(P.column_profile.norms2), free)


def first_state(P: Problem, h: np.ndarray, place: np.ndarray) -> State:
    """w = 0, and nothing known of any feature; `h` and `place` are the working set's."""
    n, d = P.n, P.d
    return State(
        np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(n), h, np.zeros(d), np.full(d, -np.inf), place,
        np.zeros(d, np.int64), np.zeros(n), np.zeros((2, n)), np.zeros(10),
    )  # fmt: skip
