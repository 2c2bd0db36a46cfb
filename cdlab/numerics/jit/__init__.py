"""The bridge to numba, and the only package that imports it.

Four decorators make everything else in cdlab plain Python that also compiles::

    @struct     on a typing.NamedTuple: its public methods can be called inside kernels, so losses, regularisers and
                matrices are ordinary classes whose formulas numba inlines. Changing a field never recompiles.
    @kernel     a compiled function that releases the GIL; cdlab's own are kept on disk (kernel_cache.py).
    @scalar     a small formula that structs and kernels share.
    @reduction  a tiny function in which sums may be reordered (vectorised): over dense rows, and squared norms. What
                it calls is not reordered.

and ``prefetch`` and ``prefetch_rows`` ask the processor to load entries of arrays early; nothing in pure Python.

What does not compile raises ``KernelError``: one sentence that says why.

With ``NUMBA_DISABLE_JIT=1`` the same classes and kernels run as plain Python.
"""

from __future__ import annotations

from numba import config

from .explaining import KernelError
from .functions import CACHE_FOLDER, kernel, reduction, scalar
from .prefetching import prefetch, prefetch_rows
from .structs import is_digested, struct

__all__ = [
    "CACHE_FOLDER",
    "KernelError",
    "config",
    "is_digested",
    "kernel",
    "prefetch",
    "prefetch_rows",
    "reduction",
    "scalar",
    "struct",
]
