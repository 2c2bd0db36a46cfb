"""Methods that take all examples at every iteration: nothing is drawn, and an epoch is one iteration.

One call of their kernels does several, as many as there are before the next measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from ...numerics.jit import kernel
from ...problems.points import View
from ...problems.problem import Problem
from ...samplings import Sampling
from ...samplings.base import Epochs
from ..base import Count, Method, Points, State


class FullGradient(Method[State]):
    """Full-gradient methods for smooth losses. Their State has w, z = X w, and passes: those of its last call.

    Their epochs multiply by the whole of X, so they see the Problem itself and not its lines. X w and X'r are half a
    pass each, a gradient is one.
    """

    side: ClassVar[str] = "primal"
    group: ClassVar[str] = "Full gradient"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "intercept", "bounds")
    sees: ClassVar[str] = "problem"
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: none is drawn

    def draws(self, sampling: Sampling) -> Sampling | None:
        return None

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Return as many entries as there are iterations."""
        return Epochs(lambda k: np.zeros(k, np.uint64))

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        return Count(order.size, S.passes * problem.nnz, examples=order.size * problem.n)

    def warm(self, P: Problem, S: Any) -> None:
        """Load what `import cdlab` leaves out."""
        import scipy.linalg

        assert scipy.linalg

    def points(self, problem: Problem, S: Any) -> Points:
        return Points(S.w, problem.alpha(S.w, z=S.z), z=S.z)


@kernel
def descent_direction(P: View, z: np.ndarray, v: np.ndarray) -> None:
    """v = -grad f(w) = X'alpha/n with alpha_i = -phi'(z_i), from z = X w; P has the rows of X."""
    v[:] = 0.0
    for i in range(np.uint64(z.size)):
        alpha = -P.loss.grad_phi(z[i], P.y[i])
        if alpha != 0.0:
            P.X.add(i, alpha, v)
    for j in range(v.size):
        v[j] /= z.size
