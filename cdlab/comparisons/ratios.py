"""How many times sooner one method arrives than another, seed by seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .reaching import Reach


@dataclass(frozen=True)
class Ratio:
    """Passes of B divided by passes of A, for each seed; above 1 where A is faster.

    Attributes
    ----------
    lows, highs : (seeds,) arrays
        The least and the largest that each can be. They differ where a run did not arrive: if B's did not, its limit
        gives the least, if A's did not, the largest; if neither arrived they are 0 and inf.
    """

    lows: np.ndarray
    highs: np.ndarray

    @property
    def median(self) -> tuple[float, float]:
        """The least and the largest that the median over seeds can be; equal where it is known."""
        return float(np.median(self.lows)), float(np.median(self.highs))

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest ratio of a seed."""
        return float(self.lows.min()), float(self.highs.max())

    def at_least(self, threshold: float) -> bool | None:
        """Whether the median is at least this; None where the runs do not decide it."""
        low, high = self.median
        return True if low >= threshold else False if high < threshold else None

    def at_most(self, threshold: float) -> bool | None:
        """Whether the median is at most this; None where the runs do not decide it."""
        low, high = self.median
        return True if high <= threshold else False if low > threshold else None

    def close_to(self, threshold: float) -> bool:
        """Whether the threshold lies inside the range over seeds, so that other seeds might decide otherwise."""
        low, high = self.range
        return low < threshold < high


def paired_ratio(a: Reach, b: Reach) -> Ratio:
    """Passes of B divided by passes of A, each seed of one with the same seed of the other.

    Parameters
    ----------
    a, b : Reach
        Of the same seeds in the same order. One run (a method that draws nothing) is paired with every seed.

    Returns
    -------
    Ratio

    Raises
    ------
    ValueError
        For different numbers of seeds, or a run that is at the level from its start.

    Examples
    --------
    >>> import numpy as np
    >>> sooner, later = (Reach(np.array(x), np.array(x)) for x in ([10.0, 20.0, 10.0], [30.0, 30.0, 20.0]))
    >>> paired_ratio(sooner, later).median
    (2.0, 2.0)
    """
    if a.low.size != b.low.size and 1 not in (a.low.size, b.low.size):
        raise ValueError(f"seeds are compared in pairs, and there are {a.low.size} and {b.low.size} of them")
    if not (np.all(a.low > 0) and np.all(b.low > 0)):
        raise ValueError("a run that is at the level from its start has no ratio: compare at a smaller level")
    return Ratio(b.low / a.high, b.high / a.low)
