"""The flags that numba compiles with."""

from __future__ import annotations

from typing import Any

from numba import config

from .private_names import leaves_arrays_uncounted

# IEEE semantics everywhere, division by zero gives inf as numpy's does. Reordering sums helps the dense dot product
# (2x) and harms the sparse one (it makes LLVM emit gathers), so only @reduction allows it; nnan/ninf stay off, so
# that isnan keeps working. Without numba's runtime ("_nrt") arrays carry no reference counts: their atomic updates, one
# per array and method call, cost up to a third of a dense epoch. Kernels therefore cannot allocate, which they must not
# do anyway. These flags stand in a digested file: changing them recompiles.
# Every flag is said in full: what is not said numba takes from the first caller that it compiles, for all later ones,
# and the numbers of one kernel would depend on which other was compiled before it.
KERNEL_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": False, "forceinline": False}
if config.DISABLE_JIT or leaves_arrays_uncounted():
    KERNEL_FLAGS["_nrt"] = False
# Methods of structs, and formulas that they share, are small parts of one loop; LLVM would call a vectorised one, with
# all its arguments on the stack.
INLINED_FLAGS = {**KERNEL_FLAGS, "forceinline": True}
REDUCTION_FLAGS = {**INLINED_FLAGS, "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
