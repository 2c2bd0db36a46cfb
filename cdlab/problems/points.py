"""Where a method is: a primal and a dual point."""

from __future__ import annotations


class Points:
    """A primal and a dual point, with the products that the method happens to maintain (None: not at hand).

    As a start, dual methods take alpha and primal ones w.
    """

    __slots__ = ("alpha", "v", "w", "z")

    def __init__(self, w, alpha, *, z=None, v=None):
        self.w, self.alpha, self.z, self.v = w, alpha, z, v  # z = X w, v = X'alpha/n
