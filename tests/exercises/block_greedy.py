"""A method: block Gauss-Southwell. It draws a random block of features and moves the one with the steepest slope."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from cdlab import jit
from cdlab.methods import Method, Points


class State(NamedTuple):
    w: np.ndarray  # (d,)
    z: np.ndarray  # (n,) X w
    L: np.ndarray  # (d,) smoothness of P along each coordinate
    counts: np.ndarray  # (d,) nonzeros of each column
    visited: float  # nonzeros of the last epoch


@jit.kernel
def block_epoch(P, S, order, block):
    w, z, L, y, n = S.w, S.z, S.L, P.y, P.y.size
    visited = 0.0
    for start in range(0, order.size, block):
        best, steepest = order[start], 0.0
        for k in range(start, min(start + block, order.size)):
            j = order[k]
            visited += S.counts[j] / 2  # its column is read
            g = P.X.slope(j, z, y, P.loss) / n + P.reg.l2 * w[j]
            if abs(g) >= abs(steepest):
                best, steepest = j, g
        step = -steepest / L[best]
        w[best] += step
        P.X.add(best, step, z)
        visited += S.counts[best] / 2  # and the best one's is written
    return visited


@dataclass(frozen=True)
class BlockGreedy(Method):
    """Block Gauss-Southwell.

    Parameters
    ----------
    block : int, default 3
        Features looked at before one of them moves.
    """

    block: int = 3

    name: ClassVar[str] = "block_greedy"
    side: ClassVar[str] = "primal"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ()

    def init(self, problem, sampling, start=None):
        w = np.zeros(problem.d) if start is None else start.w.copy()
        L = problem.coordinates("primal").smoothness / problem.n
        return State(w, problem.predict(w), L, self.visits(problem).astype(float), 0.0)

    def epoch(self, P, S, order):
        return S._replace(visited=block_epoch(P, S, order, self.block))

    def points(self, problem, S):
        return Points(S.w, problem.alpha(S.w, z=S.z), z=S.z)

    def refresh(self, problem, S):
        S.z[:] = problem.predict(S.w)

    def count(self, problem, S, order):  # one iteration a block
        return -(-order.size // self.block), S.visited
