"""The flags that numba compiles with."""

# IEEE semantics everywhere, division by zero gives inf as numpy's does. Reordering sums helps the dense dot product
# (2x) and harms the sparse one (it makes LLVM emit gathers), so only @reduction allows it; nnan/ninf stay off, so
# that isnan keeps working. Without numba's runtime ("_nrt") arrays carry no reference counts: their atomic updates, one
# per array and method call, cost up to a third of a dense epoch. Kernels therefore cannot allocate, which they must not
# do anyway. These flags stand in a digested file: changing them recompiles.
KERNEL_FLAGS = {"nogil": True, "error_model": "numpy", "_nrt": False}
# Methods of structs are small parts of one loop; LLVM would call a vectorised one, with all its arguments on the stack.
METHOD_FLAGS = {**KERNEL_FLAGS, "forceinline": True}
REDUCTION_FLAGS = {**KERNEL_FLAGS, "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
