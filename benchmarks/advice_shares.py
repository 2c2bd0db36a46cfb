"""A share of problems, and how far chance may have moved it: by Wilson's interval, and by a bootstrap over data sets.

Wilson's interval takes the problems for independent draws. Problems on the same data are not, so the bootstrap draws
whole data sets, with replacement; what is made has a data set of its own for every problem.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Z = 1.96  # 95%
DRAWS = 10_000


def wilson(good: int, of: int) -> tuple[float, float]:
    """Wilson's 95% interval of good/of (1927).

    >>> [round(x, 3) for x in wilson(77, 92)]
    [0.748, 0.899]
    """
    p, slack = good / of, Z * Z / of
    half = Z * math.sqrt(p * (1 - p) / of + slack / (4 * of))
    return (p + slack / 2 - half) / (1 + slack), (p + slack / 2 + half) / (1 + slack)


def bootstrap(good: Sequence[bool], sets: Sequence[str]) -> np.ndarray:
    """DRAWS shares of good ones, each of as many data sets as there are, drawn with replacement."""
    names = sorted(set(sets))
    number = {name: k for k, name in enumerate(names)}
    which = [number[name] for name in sets]
    size, hits = np.bincount(which), np.bincount(which, weights=np.asarray(good, float))
    drawn = np.random.default_rng(0).integers(len(names), size=(DRAWS, len(names)))
    return hits[drawn].sum(1) / size[drawn].sum(1)


def between(shares: np.ndarray) -> tuple[float, float]:
    """The middle 95%."""
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(low), float(high)


def in_words(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.0%} to {interval[1]:.0%}"
