"""Compiled kernels on disk: one file for each kernel and types of arguments.

Unlike numba's own cache this one has no index, which processes that compile at the same time can overwrite for each
other and which names classes that may not exist elsewhere. A file's name says all that its machine code depends on; it
is written whole or not at all, and begins with a checksum, so that what is damaged is seen before LLVM sees it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import config, types

from .. import files
from .structs import is_digested

CHECKSUM_BYTES = hashlib.sha256().digest_size
MAX_UNUSED_SECONDS = 30 * 86400  # seconds after which the kernels of other sources are removed
_has_warned = False


class KernelCache:
    """The cache that numba asks for the machine code of one kernel, and gives it to keep, as `private_names` says.

    A kernel is kept if all types of its arguments are described by the digest of the sources; one with a user's class
    is compiled by each process. Whatever goes wrong with the disk is a cache miss, and one warning a process says so.

    Parameters
    ----------
    function : callable
        The kernel in Python, at the top level of its module.
    folder : Path
        For kernels of exactly these sources; made when it is needed.
    """

    def __init__(self, function: Callable, folder: Path) -> None:
        self._name = f"{function.__module__.partition('.')[2]}.{function.__qualname__}"
        self._folder = folder
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder's path."""
        return str(self._folder)

    def enable(self) -> None:
        """Keep kernels again."""
        self._enabled = True

    def disable(self) -> None:
        """Keep no kernels, and look for none."""
        self._enabled = False

    def flush(self) -> None:
        """Remove the files of this kernel."""
        for entry in self._folder.glob(f"{self._name}-*"):
            with contextlib.suppress(OSError):
                entry.unlink()

    def load_overload(self, sig: tuple[types.Type, ...], target_context: Any) -> Any:
        """The kernel from its file; None: numba compiles it."""
        target_context.refresh()
        entry = self._kernel_file(sig, target_context.codegen())
        if entry is None:
            return None
        try:
            content = entry.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._warn_once(f"{entry.name}: {error.strerror}")
            return None
        checksum, content = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
        if hashlib.sha256(content).digest() != checksum:
            self._warn_once(f"{entry.name} is damaged")
            return None
        try:
            from numba.core.compiler import CompileResult

            result = CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception as error:  # whole, but not what this numba can read
            self._warn_once(f"{entry.name}: {error}")
            return None
        self._mark_used()
        return result if result.signature.args == tuple(sig) else None

    def save_overload(self, sig: tuple[types.Type, ...], data: Any) -> None:
        """Keep the `CompileResult` of these types in its file."""
        entry = self._kernel_file(sig, data.codegen)
        if entry is None or data.library.has_dynamic_globals:
            return
        try:
            from numba.core.serialize import dumps

            content = dumps(data._reduce())
            self._make_folder()
            with files.atomic_write(entry) as file:
                file.write(hashlib.sha256(content).digest() + content)
        except OSError as error:
            self._warn_once(error.strerror)
        except Exception as error:  # numba's, of a kernel that runs all the same
            self._warn_once(str(error))

    def _kernel_file(self, sig: tuple[types.Type, ...], codegen: Any) -> Path | None:
        """The file of this kernel for these types, or None if it must not be kept."""
        arguments = [_type_description(kind) for kind in sig]
        if not self._enabled or None in arguments:
            return None
        compiler = numba.__version__, llvmlite.__version__, sys.implementation.cache_tag, config.BOUNDSCHECK, config.OPT
        key = repr((self._name, arguments, compiler, codegen.magic_tuple()))
        return self._folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}"

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            _remove_unused_folders(self._folder)

    def _mark_used(self) -> None:
        """Date the folder, so that it is not taken for one that nobody needs."""
        with contextlib.suppress(OSError):  # read-only
            os.utime(self._folder)

    def _warn_once(self, reason: str | None) -> None:
        global _has_warned
        if not _has_warned:
            _has_warned = True
            warnings.warn(
                f"the cache of compiled kernels in {self._folder} failed ({reason}): cdlab compiles what it needs, and "
                "goes on. Delete that folder, or set NUMBA_CACHE_DIR to a folder that can be written.",
                RuntimeWarning,
                stacklevel=2,
            )


def _type_description(kind: types.Type) -> str | None:
    """The type in words that mean the same in every process, or None where there are none."""
    if isinstance(kind, types.BaseTuple):
        parts = [_type_description(part) for part in kind.types]
        named = isinstance(kind, types.BaseNamedTuple)
        if None in parts or (named and not is_digested(kind.instance_class)):
            return None
        if not named:
            return f"({', '.join(map(str, parts))})"
        fields = ", ".join(f"{field}: {part}" for field, part in zip(kind.fields, parts, strict=True))
        return f"{kind.instance_class.__module__}.{kind.instance_class.__qualname__}({fields})"
    plain = kind.dtype if isinstance(kind, types.Array) else kind
    known = isinstance(plain, types.Number | types.Boolean | types.NoneType | types.Omitted | types.Record)
    return str(kind) if known else None


def _remove_unused_folders(folder: Path) -> None:
    """Remove the kernels of other versions of the sources that have not been used for a month."""
    with contextlib.suppress(OSError):
        for other in folder.parent.iterdir():
            if other != folder and other.is_dir() and other.stat().st_mtime < time.time() - MAX_UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
