"""The flags that numba compiles with."""

# IEEE semantics everywhere, division by zero gives inf as numpy's does. Reordering sums helps the dense dot product
# (2x) and harms the sparse one (it makes LLVM emit gathers), so only @reduction allows it; nnan/ninf stay off, so
# that isnan keeps working. Without numba's runtime ("_nrt") arrays carry no reference counts: their atomic updates, one
# per array and method call, cost up to a third of a dense epoch. Kernels therefore cannot allocate, which they must not
# do anyway. These flags stand in a digested file: changing them recompiles.
# Every flag is said in full: what is not said numba takes from the first caller that it compiles, for all later ones,
# and the numbers of one kernel would depend on which other was compiled before it.
KERNEL_FLAGS = {"nogil": True, "error_model": "numpy", "_nrt": False, "fastmath": False, "forceinline": False}
# Methods of structs, and formulas that they share, are small parts of one loop; LLVM would call a vectorised one, with
# all its arguments on the stack.
INLINED_FLAGS = {**KERNEL_FLAGS, "forceinline": True}
REDUCTION_FLAGS = {**INLINED_FLAGS, "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
