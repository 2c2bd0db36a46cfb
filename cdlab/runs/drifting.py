"""How far maintained products X w and X'alpha/n may have drifted from their definition, and when to compute them anew.

Each update adds a rounding of the size that the product has then: so after a fall from 1e10 to 1 it may be off by
1e10 eps. `Method.refresh` computes it anew every so many epochs, and after the first epochs of a run that starts far
from the solution. Where a product has fallen since, a measurement computes its own, and leaves the run alone.
"""

from __future__ import annotations

import math

import numpy as np

from ..methods import Points

REFRESH_EVERY = 50  # epochs; maintained vectors drift by about 1e-16 sqrt(updates)
FALL = 8.0  # from the largest that was measured since the last refresh


class Drift:
    """How large the maintained products of a run have been since they were last computed anew."""

    def __init__(self) -> None:
        self.far: bool = False  # whether the run started far from the solution
        self._largest = [0.0, 0.0]  # of |z| and of |v|

    def due(self, epoch: int) -> bool:
        """Whether products are computed anew after this epoch, whatever was measured."""
        return epoch % REFRESH_EVERY == 0 or (self.far and epoch < REFRESH_EVERY and epoch.bit_count() == 1)

    def refreshed(self) -> None:
        """Note that products have been computed anew."""
        self._largest = [0.0, 0.0]

    def trusted(self, points: Points) -> Points:
        """The points without products that have fallen since the last refresh, and all of a run that started far off.

        Who measures computes what is missing.

        Parameters
        ----------
        points : Points
            Those of the method, with the products that it maintains.
        """
        if self.far:
            return Points(points.w, points.alpha)
        kept: dict[str, np.ndarray | None] = {"z": points.z, "v": points.v}
        for k, (name, product) in enumerate(kept.items()):
            size = math.inf if product is None else float(np.abs(product).max())
            if size < math.inf:  # else it is not maintained, or the run diverged
                self._largest[k] = max(self._largest[k], size)
                if size * FALL < self._largest[k]:
                    kept[name] = None
        return Points(points.w, points.alpha, **kept)
