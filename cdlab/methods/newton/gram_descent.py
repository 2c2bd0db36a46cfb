"""With l1 > 0 and few features: coordinate descent on the Gram matrix, with leaps where it is slow.

A leap goes to the minimiser over the active coordinates with their signs, by Cholesky, or to where the first of them
is 0: where coordinates are nearly dependent, sweeps alone would not get there. It never makes the model larger.

Cost        the Gram matrix as in gram.py; d visits for each coordinate that moves, k^3/6 + d^2 for a leap of k of them
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics.jit import struct
from ...numerics.matrix_lines import Place
from ...problems.problem import Problem
from . import descent
from .gram import Gram, cholesky
from .model import Inner, Model, Step


@struct
class OnGram(NamedTuple):
    """H as a matrix, and H p."""

    H: np.ndarray  # (d, d)
    Hp: np.ndarray  # (d,)

    def along(self, j: Place, p: np.ndarray) -> float:
        """(H p)_j."""
        return self.Hp[j]

    def move(self, j: Place, step: float) -> None:
        """Keep up with p_j += step."""
        H, Hp = self.H, self.Hp
        for k in range(Hp.size):
            Hp[k] += step * H[j, k]


class GramDescent(Inner):
    """Coordinate descent on H as a matrix."""

    def __init__(self, P: Problem) -> None:
        self.gram = Gram(P)

    def step(self, P: Problem, model: Model) -> Step:
        visits = self.gram.update(P, model.h)
        H = np.tril(self.gram.G)
        H += np.tril(H, -1).T
        H[np.diag_indices(P.d)] += model.ridge
        on, leapt = OnGram(H, np.zeros(P.d)), []
        p, moves, _ = descent.minimise(on, model, H.diagonal().copy(), lambda p: leapt.append(leap(on, model, p)))
        return Step(p, visits + P.d * float(moves.sum()) + sum(leapt))

    def warm(self, P: Problem) -> None:
        self.gram.warm(P)
        descent.warm(OnGram(np.empty((0, 0)), np.empty(0)))


def leap(on: OnGram, model: Model, p: np.ndarray) -> float:
    """Move p to the minimiser over the active coordinates with their signs, or to the first loss of one; visits."""
    from scipy.linalg import lapack

    x = model.w + p
    active = np.flatnonzero(x)
    if active.size == 0:
        return 0.0
    x, l1 = x[active], model.l1[active]
    slope = model.g[active] + on.Hp[active] + l1 * np.sign(x)
    step, _ = lapack.dpotrs(cholesky(on.H[np.ix_(active, active)], np.zeros(active.size)), -slope)
    over = np.flatnonzero((x * (x + step) < 0) & (l1 > 0))
    if over.size:
        first = over[np.argmin(np.abs(x[over] / step[over]))]
        step *= abs(x[first] / step[first])
    p[active] += step
    if over.size:
        p[active[first]] = -model.w[active[first]]
    on.Hp[:] = on.H @ p
    return active.size**3 / 6 + p.size**2
