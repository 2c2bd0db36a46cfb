"""Expected errors where few kinds of coordinates are equal: numbers by groups, for any N.

Independent draws: the one-step map of `draws`, on group forms. Permutations: of the subset recursion only matters how
many coordinates u_g of each group have been processed, so it runs over counts u = (u_1, ..., u_k). A form then has
labels: g for a coordinate of group g that is not yet processed, and ^g for one that is.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ..numerics.jit import kernel
from .equal_lines import GroupForm, Groups
from .expected_errors import ExpectedErrors
from .quadratics import Quadratic
from .radius import ADMIXTURE, MAX_ROUNDS, NARROW, Radius

MAX_NUMBERS = 40_000_000  # that a recursion holds: 320 MB


@kernel
def count_recursion(c: np.ndarray, omega: np.ndarray, sizes: np.ndarray, m: np.ndarray, Q: np.ndarray) -> None:
    """Fill m[u] (2k,) and Q[u] (2k, 2k) for all counts u, numbered with radix n_g + 1; u = 0 is the form.

    Labels 0, ..., k - 1 are g and k, ..., 2k - 1 are ^g. c (k, k) is G between different coordinates of two groups.
    """
    k = omega.size
    for u in range(1, m.shape[0]):
        total, rest = 0, u
        for g in range(k):
            total += rest % (sizes[g] + 1)
            rest //= sizes[g] + 1
        stride, rest = 1, u
        for g in range(k):
            processed = rest % (sizes[g] + 1)
            rest //= sizes[g] + 1
            if processed > 0:  # the last one updated is of group g, with probability u_g/|u|
                share, other, hat, w = processed / total, 1 - 1 / processed, k + g, omega[g]
                before_m, before_Q = m[u - stride], Q[u - stride]
                mu = before_m[g]
                for X in range(2 * k):
                    c_X, r_X = c[g, X % k], before_Q[g, X]
                    d = before_m[X] - 2 * w * c_X * r_X + w * w * mu * c_X * c_X
                    if X == hat:  # the one updated, or another
                        d = other * d + (1 - w) * (1 - w) * mu / processed
                    m[u, X] += share * d
                    for Y in range(2 * k):
                        c_Y, r_Y = c[g, Y % k], before_Q[g, Y]
                        v = before_Q[X, Y] - w * (c_X * r_Y + r_X * c_Y) + w * w * mu * c_X * c_Y
                        if X == hat and Y == hat:
                            v = (1 - 2 / processed) * v + 2 / processed * (1 - w) * (r_X - w * mu * c_X)
                        elif X == hat:
                            v = other * v + (1 - w) * (r_Y - w * mu * c_Y) / processed
                        elif Y == hat:
                            v = other * v + (1 - w) * (r_X - w * mu * c_X) / processed
                        Q[u, X, Y] += share * v
            stride *= sizes[g] + 1


class GroupEpochs(ExpectedErrors):
    """Epochs that are alike and independent, on forms that do not tell equal coordinates apart.

    Parameters
    ----------
    quadratic : Quadratic
    groups : Groups
        Of coordinates that its G, its steps and its forms do not tell apart.
    """

    how = "counts"

    def __init__(self, quadratic: Quadratic, groups: Groups):
        self.groups = groups
        self.G = groups.form(quadratic.G)
        self.omega = quadratic.omega[groups.first]

    @abstractmethod
    def epoch(self, M: GroupForm) -> GroupForm:
        """L(M): the expectation of the form M after an epoch, as a form of the error before it."""

    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """See `ExpectedErrors.curve`."""
        M = self.groups.form(form)
        values = [self.groups.value(M, error)]
        for _ in range(epochs):
            M = self.epoch(M)
            values.append(self.groups.value(M, error))
        return np.array(values)

    def radius(self) -> Radius:
        """See `ExpectedErrors.radius`: that of a matrix with a row for each free number of a form."""
        units = np.eye(len(self.groups.entries))
        L = np.stack([self.groups.to_vector(self.epoch(self.groups.from_vector(unit))) for unit in units], axis=1)
        values, vectors = np.linalg.eig(L)
        best = int(np.argmax(np.abs(values)))
        value, v = float(np.abs(values[best])), np.real(vectors[:, best])
        return self._certified(self.groups.from_vector(v * np.sign(v[: self.groups.sizes.size].sum())), value)

    def _certified(self, M: GroupForm, value: float) -> Radius:
        """The interval that the eigenform M proves, as `radius.certified` does.

        The map is symmetric in energy, so the quotient of M in <M, N> = tr(G^-1 M G^-1 N) is a lower bound, too.
        """
        inverse, product = self.groups.inverse(self.G), self.groups.product
        weighted = product(product(inverse, M), inverse)
        norm = self.groups.trace(product(weighted, M))
        low = self.groups.trace(product(weighted, self.epoch(M))) / norm if norm > 0 else 0.0
        high, size = np.inf, np.abs(M.diag).max()
        form = GroupForm(M.diag + ADMIXTURE * size, M.pair)
        for _ in range(MAX_ROUNDS):
            image = self.epoch(form)
            least, most = self.groups.range(image, form)
            low, high = max(low, least), min(high, most)
            if high - low <= NARROW * high:
                break
            form = GroupForm(image.diag / image.diag.max(), image.pair / image.diag.max())
        high = max(high, low)
        return Radius.rounded(value, low, high, np.diag(M.diag))

    def worst_epoch(self) -> float:
        """lambda_max(L(G), G)."""
        return self.groups.range(self.epoch(self.G), self.G)[1]


class GroupDraws(GroupEpochs):
    """Independent draws, with probabilities p (N,) that are the same for equal coordinates."""

    def __init__(self, quadratic: Quadratic, groups: Groups, p: np.ndarray):
        super().__init__(quadratic, groups)
        self.p, self.draws = p[groups.first], quadratic.drawn

    def step(self, M: GroupForm) -> GroupForm:
        """L_1(M), as in `draws.IndependentDraws`."""
        none, product = np.zeros_like(M.pair), self.groups.product
        B = product(product(M, GroupForm(self.p * self.omega, none)), self.G)
        C = product(product(self.G, GroupForm(self.p * self.omega**2 * M.diag, none)), self.G)
        return GroupForm(M.diag - 2 * B.diag + C.diag, M.pair - B.pair - B.pair.T + C.pair)

    def epoch(self, M: GroupForm) -> GroupForm:
        """See `GroupEpochs.epoch`."""
        for _ in range(self.draws):
            M = self.step(M)
        return M


class GroupPermutations(GroupEpochs):
    """A fresh random order of all coordinates every epoch."""

    def epoch(self, M: GroupForm) -> GroupForm:
        """See `GroupEpochs.epoch`."""
        k, states = self.omega.size, int(np.prod(self.groups.sizes + 1))
        m, Q = np.zeros((states, 2 * k)), np.zeros((states, 2 * k, 2 * k))
        m[0, :k], Q[0, :k, :k] = M.diag, M.pair
        count_recursion(self.G.pair, self.omega, self.groups.sizes, m, Q)
        return self.groups.canonical(m[-1, k:].copy(), Q[-1, k:, k:].copy())


def recursion_fits(groups: Groups) -> bool:
    """Tell whether the recursion over counts is small enough."""
    k = groups.sizes.size
    return float(np.prod(groups.sizes + 1.0)) * (2 * k) * (2 * k + 1) <= MAX_NUMBERS
