"""A random order of all coordinates."""

from __future__ import annotations

import numpy as np

from ..numerics.jit import kernel


def permutation(rng: np.random.Generator, m: int) -> np.ndarray:
    """The numbers 0, ..., m - 1 in a random order, uint64 (m,).

    A fourth of the time of numpy's own, which asks its generator for one bounded integer after another: an epoch on
    short rows is not much longer. Of m! orders each is as likely as any other up to m 2^-53, the grain of `rng.random`.
    """
    order = np.empty(m, np.uint64)
    _shuffle_in(order, rng.random(m))
    return order


def compile_permutation() -> None:
    """Compile it: not what a run's clock shall count."""
    permutation(np.random.default_rng(0), 1)


@kernel
def _shuffle_in(order: np.ndarray, u: np.ndarray) -> None:
    """Each k goes to a place j among the first k + 1, and what stood there to the end (Fisher & Yates, inside out)."""
    for k in range(np.uint64(order.size)):
        j = np.uint64(u[k] * (k + np.uint64(1)))
        order[k] = order[j]
        order[j] = k
