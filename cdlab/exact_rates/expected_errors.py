"""Protocol of the computations of exact rates, whatever the order of coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .quadratics import energy_root
from .radius import Radius, symmetric_radius, worst_factor


class ExpectedErrors(ABC):
    """Expectations of forms e'Me of the errors e of a method after whole epochs.

    Attributes
    ----------
    how : str
        By which computation, in a word.
    """

    how: str

    @abstractmethod
    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """E[e_t'Me_t] for t = 0, ..., epochs, (epochs + 1,), of the form M (N, N) and the error e_0 (N,)."""

    @abstractmethod
    def radius(self) -> Radius:
        """The factor by which an epoch multiplies expected errors in the end."""

    def worst_epoch(self) -> float | None:
        """The largest factor by which the expected energy e'Ge changes in one epoch; None where none is known."""
        return None


class SymmetricEpochs(ExpectedErrors):
    """Epochs that are alike and independent, of orders that may as well be reversed.

    Parameters
    ----------
    G : (N, N) array
        The energy, positive definite: in it the map of forms is symmetric.
    """

    def __init__(self, G: np.ndarray):
        self.G = G
        self.root = energy_root(G)

    @abstractmethod
    def epoch(self, M: np.ndarray) -> np.ndarray:
        """L(M): the expectation of the form M after an epoch, as a form of the error before it."""

    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """See `ExpectedErrors.curve`."""
        values = [error @ form @ error]
        for _ in range(epochs):
            form = self.epoch(form)
            values.append(error @ form @ error)
        return np.array(values)

    def radius(self) -> Radius:
        """See `ExpectedErrors.radius`."""
        return symmetric_radius(self.epoch, self.root)

    def worst_epoch(self) -> float | None:
        """lambda_max(L(G), G)."""
        return worst_factor(self.epoch, self.root)
