"""The private names of numba that kernels use where they are there: a new version of numba may change them.

There is no public way to keep kernels where any edit of a struct is seen: numba's own ``cache=True`` misses those of
other files (its issue 8359), and would give wrong numbers without a word. Without a name cdlab works, and a warning
says once what is lost.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import cache, wraps
from types import SimpleNamespace

import numba
from numba import njit

# what numba asks of a cache, as `kernel_cache.KernelCache` answers it
CACHE_METHODS = {
    "load_overload": ["self", "sig", "target_context"],
    "save_overload": ["self", "sig", "data"],
    "enable": ["self"],
    "disable": ["self"],
    "flush": ["self"],
}


def _or_warn(lost: str) -> Callable[[Callable[[], bool]], Callable[[], bool]]:
    """Try a probe once, and warn of what is lost where it fails."""

    def decorate(probe: Callable[[], bool]) -> Callable[[], bool]:
        @cache
        @wraps(probe)
        def tried() -> bool:
            try:
                if probe():
                    return True
            except (ImportError, AttributeError, TypeError, ValueError):
                pass
            warnings.warn(
                f"numba {numba.__version__} lacks private names that cdlab uses where they are there: {lost}. All else "
                "works; an older numba, or a newer cdlab, has them.",
                RuntimeWarning,
                stacklevel=2,
            )
            return False

        return tried

    return decorate


@_or_warn("compiled kernels are not kept on the disk, so each process compiles its own")
def keeps_kernels() -> bool:
    """Tell whether a dispatcher asks its `_cache`, by `CACHE_METHODS`, for what `CompileResult` makes of a kernel."""
    from numba.core.caching import _Cache
    from numba.core.compiler import CompileResult

    dispatcher, asked = njit(lambda: None), SimpleNamespace(cache_path="a folder")
    methods = _Cache.__abstractmethods__ - {"cache_path"}
    if not isinstance(dispatcher._cache, _Cache) or not methods <= CACHE_METHODS.keys():
        return False
    dispatcher._cache = asked
    return (
        dispatcher.stats.cache_path == asked.cache_path
        and all(list(inspect.signature(getattr(_Cache, name)).parameters) == CACHE_METHODS[name] for name in methods)
        and callable(CompileResult._reduce)
        and callable(CompileResult._rebuild)
    )


@_or_warn("a kernel that does not compile raises numba's own error")
def explains_errors() -> bool:
    """Tell whether a kernel that does not compile can say so in one sentence."""
    return callable(njit(lambda: None)._compile_for_args)


@_or_warn("kernels count references to arrays, and are up to a third slower")
def leaves_arrays_uncounted() -> bool:
    """Tell whether kernels can do without counts of references to arrays."""
    from numba.core.cpu import CPUTargetOptions

    return hasattr(CPUTargetOptions, "_nrt")
