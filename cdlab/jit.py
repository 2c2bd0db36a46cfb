"""The bridge to numba, and the only module that imports it.

Four decorators make everything else in cdlab plain Python that also compiles:

``@struct``     on a ``typing.NamedTuple``: its public methods can be called inside kernels, so losses, regularisers
                and matrices are ordinary classes whose formulas numba inlines. Changing a field never recompiles.
``@kernel``     a compiled function, cached on disk, that releases the GIL.
``@reduction``  a tiny function in which sums may be reordered (vectorised): the dense dot product only.
``prefetch``    asks the processor to load an entry of an array early; does nothing in pure Python.

With ``NUMBA_DISABLE_JIT=1`` the same classes and kernels run as plain Python.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload, overload_method

# IEEE semantics everywhere, division by zero gives inf as numpy's does. Reordering sums helps the dense dot product
# (2x) and harms the sparse one (it makes LLVM emit gathers), so only @reduction allows it; nnan/ninf stay off, so
# that isnan keeps working. Without numba's runtime ("_nrt") arrays carry no reference counts: their atomic updates, one
# per array and method call, cost up to a third of a dense epoch. Kernels therefore cannot allocate, which they must not
# do anyway. These flags stand in a digested file: changing them recompiles.
KERNEL_FLAGS = {"nogil": True, "error_model": "numpy", "_nrt": False}
REDUCTION_FLAGS = {**KERNEL_FLAGS, "fastmath": {"reassoc", "contract", "nsz", "arcp"}}


# ---------------------------------------------------------------- the compile cache
# numba keys its cache by the kernel's own file, and does not notice when a struct in another file changes
# (numba #8359). So the cache folder is named by a digest of all sources that can end up inside a kernel.
def _sources() -> list[Path]:
    here = Path(__file__).parent
    return sorted([*here.glob("*.py"), *here.glob("losses/*.py"), *here.glob("methods/**/*.py")])


def _cache_folder() -> Path | None:
    """Folder for compiled kernels of exactly these sources, or None where nothing can be written."""
    digest = hashlib.sha256()
    for source in _sources():
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "cdlab" / "kernels" / digest.hexdigest()[:16]
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            _forget_old(folder.parent, keep=folder)
        probe = folder / f".write-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        warnings.warn(
            f"cdlab cannot keep compiled kernels in {folder} ({error.strerror}); every process will compile them anew. "
            "Set NUMBA_CACHE_DIR to a folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return folder


def _forget_old(parent: Path, keep: Path, days: float = 30) -> None:
    """Remove the kernels of source versions that have not been used for a month."""
    for folder in parent.iterdir():
        if folder != keep and folder.is_dir() and folder.stat().st_mtime < time.time() - days * 86400:
            shutil.rmtree(folder, ignore_errors=True)


CACHE_FOLDER = None if config.DISABLE_JIT else _cache_folder()


@contextmanager
def _cache_dir(folder: Path):
    """numba chooses the cache folder while decorating: point it there, and put things back."""
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


# ---------------------------------------------------------------- functions
def kernel(function: Callable) -> Callable:
    """Compile `function` on first call; later processes load it from the cache. Holds no GIL."""
    has_file = os.path.exists(function.__code__.co_filename)  # what was typed at a prompt cannot be cached
    if CACHE_FOLDER is None or not has_file:
        return njit(**KERNEL_FLAGS)(function)
    with _cache_dir(CACHE_FOLDER):
        return njit(cache=True, **KERNEL_FLAGS)(function)


def reduction(function: Callable) -> Callable:
    """Compile a small function whose additions may be reordered. It is inlined where it is called."""
    return njit(**REDUCTION_FLAGS)(function)


def scalar(function: Callable) -> Callable:
    """Compile a small formula that structs and kernels share. It is inlined where it is called."""
    return njit(**KERNEL_FLAGS)(function)


# ---------------------------------------------------------------- structs
_bridged: dict[str, inspect.Signature] = {}


def struct(cls: type) -> type:
    """Let kernels call the public methods of a NamedTuple class.

    Every struct needs at least one field (numba drops empty tuples from argument lists), and a method name has one
    signature across all structs, because numba looks methods up by name first.

    Raises
    ------
    TypeError
        If the class has no field, or a method's parameters differ from another struct's method of the same name.
    """
    if not getattr(cls, "_fields", ()):
        raise TypeError(f"struct {cls.__name__} has no field; give it at least one, numba cannot pass an empty tuple")
    for name, method in vars(cls).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        signature = _names_only(method)
        known = _bridged.setdefault(name, signature)
        if known != signature:
            raise TypeError(
                f"{cls.__name__}.{name}{signature} differs from another struct's {name}{known}: a method name has one "
                "signature across all structs; use the same parameters or another name"
            )
        if known is signature:
            _bridge(name, signature)
    return cls


def _names_only(method: Callable) -> inspect.Signature:
    parameters = inspect.signature(method).parameters.values()
    return inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in parameters])


def _bridge(name: str, signature: inspect.Signature) -> None:
    """Teach numba once that `x.name(...)` on any NamedTuple means the method of that tuple's Python class."""

    def find(self, *args):
        method = getattr(self.instance_class, name, None)
        return method if inspect.isfunction(method) else None

    find.__signature__ = signature
    overload_method(types.BaseNamedTuple, name, jit_options=KERNEL_FLAGS)(find)


# ---------------------------------------------------------------- prefetch
def prefetch(array, k) -> None:
    """Ask the processor to load the cache line of `array`'s k-th entry in memory; a hint that changes no result."""


@intrinsic
def _prefetch_address(typingctx, array, k):
    if not isinstance(array, types.Array) or not isinstance(k, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        array_type, index_type = signature.args
        view = context.make_array(array_type)(context, builder, args[0])
        index = context.cast(builder, args[1], index_type, types.intp)
        pointer = builder.bitcast(builder.gep(view.data, [index]), cgutils.voidptr_t)
        i32 = ir.IntType(32)
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", [cgutils.voidptr_t], ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, i32, i32, i32])
        )
        builder.call(hint, [pointer, i32(0), i32(3), i32(1)])  # read, keep in all cache levels, data
        return context.get_dummy_value()

    return types.void(array, k), codegen


@overload(prefetch, jit_options=KERNEL_FLAGS)
def _prefetch(array, k):
    return lambda array, k: _prefetch_address(array, k)
