"""Generated data of the comparison, in the shapes on which methods differ most, and those that a seed draws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cdlab import datasets

from .drawn import DRAWN, draw_data

Generator = Callable[[], tuple[Any, np.ndarray]]


def generator_of(data: str) -> Generator | None:
    """The generator of data of this name: a name of `GENERATED`, or ``drawn:SEED:K``; None for other names.

    Examples
    --------
    >>> X, y = generator_of("small_tall")()
    >>> X.shape
    (3000, 30)
    """
    drawn = DRAWN.fullmatch(data)
    return partial(draw_data, int(drawn[1]), int(drawn[2])) if drawn else GENERATED.get(data)


def _correlated(n: int, d: int, support: int = 100, decay: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Make features of a stationary sequence, neighbours correlated by `decay`, and a sparse target with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = decay * X[:, j - 1] + np.sqrt(1 - decay**2) * X[:, j]
    y = X @ _sparse_weights(rng, d, support)
    return X, y + 0.1 * np.linalg.norm(y) / np.sqrt(n) * rng.standard_normal(n)


def _expressed(n: int = 100, d: int = 10_000, factors: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Make features that follow a few factors, as gene expression does, and a target of few features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, factors)) @ rng.standard_normal((factors, d)) + 2 * rng.standard_normal((n, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X @ _sparse_weights(rng, d, 30)
    return X, y + 0.3 * np.std(y) * rng.standard_normal(n)


def _sparse_weights(rng: np.random.Generator, d: int, support: int) -> np.ndarray:
    w = np.zeros(d)
    w[rng.choice(d, support, replace=False)] = rng.standard_normal(support)
    return w


# cov is tall and ill-conditioned, rcv wide with rows of 76 words, news far wider with rows of 385.
GENERATED: dict[str, Generator] = {
    "cov": partial(datasets.make, 200_000, 54, condition=1e4, noise=0.5, seed=1),
    "rcv": partial(datasets.make, 20_000, 47_000, density=76 / 47_000, skew=1.0, seed=2),
    "news": partial(datasets.make, 20_000, 1_000_000, density=385 / 1_000_000, skew=1.0, seed=3),
    "small_tall": partial(datasets.make, 3_000, 30, condition=1e3, noise=0.5, seed=4),
    "small_text": partial(datasets.make, 1_000, 5_000, density=30 / 5_000, skew=1.0, seed=5),
    "expressed": _expressed,
    "correlated-500": partial(_correlated, 500, 5_000),
    "correlated-2000": partial(_correlated, 2_000, 20_000),
}
