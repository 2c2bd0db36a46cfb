"""Compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from numba import config, njit

from .explaining import explain_compile_errors
from .flags import INLINED_FLAGS, KERNEL_FLAGS, REDUCTION_FLAGS
from .kernel_cache import KernelCache
from .private_names import explains_errors, keeps_kernels
from .sources import is_first_definition, kernel_cache_folder

CACHE_FOLDER = None if config.DISABLE_JIT else kernel_cache_folder()


def kernel(function: Callable) -> Callable:
    """Compile `function` on first call; it holds no GIL. Later processes load cdlab's own kernels from the disk.

    Kernels write into arrays that they are given. They cannot make new ones, nor rebind a field of a tuple.

    Raises
    ------
    KernelError
        On the first call, for what cannot be compiled; it says what and where.
    """
    if config.DISABLE_JIT:
        return njit(**KERNEL_FLAGS)(function)
    if is_first_definition(function) and CACHE_FOLDER is not None:
        compiled = cached_kernel(function, CACHE_FOLDER)
    else:
        compiled = njit(**KERNEL_FLAGS)(function)
    return explain_compile_errors(compiled, function) if explains_errors() else compiled


def cached_kernel(function: Callable, folder: Path) -> Callable:
    """A kernel that is kept in this folder, where numba can."""
    compiled = njit(**KERNEL_FLAGS)(function)
    if keeps_kernels():
        compiled._cache = KernelCache(function, folder)  # as enable_caching() does with numba's own cache
    return compiled


def reduction(function: Callable) -> Callable:
    """Compile a small function whose additions may be reordered. It is inlined where it is called."""
    return njit(**REDUCTION_FLAGS)(function)


def scalar(function: Callable) -> Callable:
    """Compile a small formula that structs and kernels share. It is inlined where it is called."""
    return njit(**INLINED_FLAGS)(function)
