"""The theorems beyond the papers' main ones, and the size of the problems on which they are tried."""

from cdlab.theory.theorems import extensions, sdca_extras

BOUNDS = (*extensions.BOUNDS, *sdca_extras.BOUNDS)
SIZES = {"n": 20, "d": 6, "seed": 2, "density": 1.0}


def pick(method, theorem, sampling=None):
    return next(b for b in BOUNDS if (b.method, b.theorem) == (method, theorem) and sampling in (None, b.sampling))
