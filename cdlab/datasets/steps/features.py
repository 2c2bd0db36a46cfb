"""Random Fourier features: a linear predictor on them is nearly one with a Gaussian kernel.

Rahimi & Recht, Random features for large-scale kernel machines (2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse.linalg

from ...numerics import checks
from .step import Matrix, Prepared, Step

PAIRS = 1000  # whose median distance is the bandwidth


@dataclass(frozen=True)
class RandomFourierFeatures(Step):
    """sqrt(2/D) cos(W x + c) with W ~ N(0, 1/s^2) and c uniform in [0, 2 pi), by scikit-learn's RBFSampler.

    Inner products of the features approximate exp(-||x - x'||^2/(2 s^2)).

    Parameters
    ----------
    features : int >= 1
        D.
    bandwidth : float > 0, optional
        s; by default the median distance of 1,000 random pairs of train rows.
    factor : float > 0, default 1
        Times which s is taken.
    seed : int, default 0
        Of the pairs, of W and of c.
    """

    features: int
    bandwidth: float | None = None
    factor: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        checks.integer("the features of RandomFourierFeatures", self.features, "a whole number >= 1")
        checks.integer("the seed of RandomFourierFeatures", self.seed, "a whole number >= 0", low=0)
        checks.number("the factor of RandomFourierFeatures", self.factor, "a number > 0")
        if self.bandwidth is not None:
            checks.number("the bandwidth of RandomFourierFeatures", self.bandwidth, "a number > 0 or None")

    def apply(self, data: Prepared) -> Prepared:
        from sklearn.kernel_approximation import RBFSampler

        s = self.factor * (median_distance(data.X, self.seed) if self.bandwidth is None else self.bandwidth)
        if not s > 0:
            raise ValueError("the median distance of the train rows is 0: give a bandwidth")
        sampler = RBFSampler(gamma=1 / (2 * s**2), n_components=self.features, random_state=self.seed).fit(data.X)
        return data.mapped(lambda X: np.ascontiguousarray(sampler.transform(X)))


def median_distance(X: Matrix, seed: int) -> float:
    """The median distance of 1,000 random pairs of rows."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(X.shape[0], size=PAIRS) for _ in range(2))
    difference = X[a] - X[b]
    norm = np.linalg.norm if isinstance(difference, np.ndarray) else scipy.sparse.linalg.norm
    return float(np.median(norm(difference, axis=1)))
