"""Digests that identify arrays, at the speed of memory: solving waits for them."""

from __future__ import annotations

import numpy as np
import xxhash


def array_digest(*arrays: np.ndarray, shape: tuple[int, ...] = ()) -> str:
    """Sixteen hexadecimal digits that identify the contents of some C-ordered arrays."""
    h = xxhash.xxh3_64(repr(shape).encode())
    for array in arrays:
        h.update(array.data.cast("B"))
    return h.hexdigest()
