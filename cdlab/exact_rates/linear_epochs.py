"""Expected errors of methods that are linear in their state, on tiny data: the covariance of the state, step by step.

C <- E[T C T'] is the adjoint of M <- E[T'MT], and has the same radius; values of forms are tr(M C).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from .expected_errors import ExpectedErrors
from .linear_methods import LinearMethod, Stages
from .orders import squared_radius
from .radius import Radius, radius

MAX_STATE = 60  # numbers in a state
MAX_EXAMPLES = 200
MAX_PERMUTED = 10  # examples, for permutations


class LinearEpochs(ExpectedErrors):
    """Covariances after whole epochs. The states have no common energy, of which an epoch could be the worst.

    Parameters
    ----------
    method : LinearMethod
        The steps, one for each example.
    """

    how = "operator"

    def __init__(self, method: LinearMethod):
        self.method = method

    @abstractmethod
    def after_epoch(self, C: np.ndarray, epoch: int) -> np.ndarray:
        """E[T C T'] of epoch number 0, 1, ..."""

    @abstractmethod
    def of(self, method: LinearMethod) -> LinearEpochs:
        """The same epochs of another method."""

    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """See `ExpectedErrors.curve`."""
        C = np.outer(error, error)
        values = [np.vdot(form, self.observed(C, 0))]
        for k in range(epochs):
            C = self.after_epoch(C, k)
            values.append(np.vdot(form, self.observed(C, k + 1)))
        return np.array(values)

    def observed(self, C: np.ndarray, epochs: int) -> np.ndarray:
        """The covariance that forms are of, from that of the state after so many epochs."""
        return C

    def radius(self) -> Radius:
        """See `ExpectedErrors.radius`; of a method with noise, how it forgets its start."""
        homogeneous = self.of(self.method.without_constant())
        return radius(lambda C: homogeneous.after_epoch(C, 0), homogeneous.method.start.size)


class LinearDraws(LinearEpochs):
    """Independent draws with probabilities p (n,)."""

    def __init__(self, method: LinearMethod, p: np.ndarray):
        super().__init__(method)
        self.p = p
        self.chances = np.outer([1 - method.heads, method.heads], p).ravel()[: len(method.T)]

    def of(self, method: LinearMethod) -> LinearDraws:
        """See `LinearEpochs.of`."""
        return LinearDraws(method, self.p)

    def step(self, C: np.ndarray) -> np.ndarray:
        """E[T C T'] of one draw."""
        T = self.method.T
        return np.einsum("i,ijk->jk", self.chances, T @ C @ T.transpose(0, 2, 1))

    def after_epoch(self, C: np.ndarray, epoch: int) -> np.ndarray:
        """See `LinearEpochs.after_epoch`; a stage begins wherever its steps are over."""
        n, stages = self.p.size, self.method.stages
        for k in range(epoch * n, epoch * n + n):
            if stages is not None and k > 0 and k % stages.steps == 0:
                anew = stages.begin @ stages.end
                C = anew @ C @ anew.T
            C = self.step(C)
        return C

    def observed(self, C: np.ndarray, epochs: int) -> np.ndarray:
        """See `LinearEpochs.observed`: of a method with stages, that of w."""
        stages, steps = self.method.stages, epochs * self.p.size
        if stages is None:
            return C
        d = stages.begin.shape[1]
        w = stages.point((steps - 1) % stages.steps + 1) if steps else np.eye(d, len(C))
        return w @ C @ w.T

    def step_radius(self) -> Radius:
        """The radius of one step, of a method without stages."""
        homogeneous = self.of(self.method.without_constant())
        return radius(homogeneous.step, homogeneous.method.start.size)

    def radius(self) -> Radius:
        """See `LinearEpochs.radius`: that of a step, or of a stage."""
        stages, n = self.method.stages, self.p.size
        return self.step_radius().power(n) if stages is None else self.stage_radius(stages).power(n / stages.steps)

    def stage_radius(self, stages: Stages) -> Radius:
        """The radius of a stage."""

        def stage(C: np.ndarray) -> np.ndarray:  # of w alone
            C = stages.begin @ C @ stages.begin.T
            for _ in range(stages.steps):
                C = self.step(C)
            return stages.end @ C @ stages.end.T

        return radius(stage, stages.end.shape[0])


class LinearPermutations(LinearEpochs):
    """A fresh random order of all examples every epoch: the recursion over subsets of `permutations`."""

    def of(self, method: LinearMethod) -> LinearPermutations:
        """See `LinearEpochs.of`."""
        return LinearPermutations(method)

    def after_epoch(self, C: np.ndarray, epoch: int) -> np.ndarray:
        """See `LinearEpochs.after_epoch`."""
        T = self.method.T
        n = T.shape[0]
        after = np.empty((1 << n, *C.shape))
        after[0] = C
        for U in range(1, 1 << n):
            last = np.array([i for i in range(n) if U >> i & 1])
            after[U] = (T[last] @ after[U ^ (1 << last)] @ T[last].transpose(0, 2, 1)).mean(axis=0)
        return after[-1]


class LinearSweeps(LinearEpochs):
    """Fixed orders, one after another and then from the first again."""

    def __init__(self, method: LinearMethod, orders: Sequence[np.ndarray]):
        super().__init__(method)
        self.orders = orders
        self.sweeps = []
        for order in orders:
            sweep = np.eye(method.start.size)
            for i in order:
                sweep = method.T[i] @ sweep
            self.sweeps.append(sweep)

    def of(self, method: LinearMethod) -> LinearSweeps:
        """See `LinearEpochs.of`."""
        return LinearSweeps(method, self.orders)

    def after_epoch(self, C: np.ndarray, epoch: int) -> np.ndarray:
        """See `LinearEpochs.after_epoch`."""
        sweep = self.sweeps[epoch % len(self.sweeps)]
        return sweep @ C @ sweep.T

    def radius(self) -> Radius:
        """See `LinearEpochs.radius`: that of all sweeps in a row."""
        homogeneous = self.of(self.method.without_constant())
        in_a_row = np.eye(homogeneous.method.start.size)
        for sweep in homogeneous.sweeps:
            in_a_row = sweep @ in_a_row
        return squared_radius(in_a_row).power(1 / len(self.sweeps))
