"""Hints to the processor: these entries of arrays will be needed soon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from .flags import INLINED_FLAGS


def prefetch(array: np.ndarray, k: int | np.unsignedinteger) -> None:
    """Ask the processor to load the cache line of `array`'s k-th entry in memory; a hint that changes no result."""


def prefetch_rows(arrays: tuple[np.ndarray, ...], i: int | np.unsignedinteger) -> None:
    """Ask the processor to load ``array[i]``, or the beginning of that row, of each array; changes no result."""


def _emit_prefetch(builder: Any, pointer: Any) -> None:
    i32 = ir.IntType(32)
    hint = builder.module.declare_intrinsic(
        "llvm.prefetch", [cgutils.voidptr_t], ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, i32, i32, i32])
    )
    address = builder.bitcast(pointer, cgutils.voidptr_t)
    builder.call(hint, [address, i32(0), i32(3), i32(1)])  # read, keep in all cache levels, data


@intrinsic
def _prefetch_entry(typingctx: Any, array: types.Type, k: types.Type) -> tuple[Any, Callable] | None:
    if not isinstance(array, types.Array) or not isinstance(k, types.Integer):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        index = context.cast(builder, args[1], signature.args[1], types.intp)
        _emit_prefetch(builder, builder.gep(view.data, [index]))
        return context.get_dummy_value()

    return types.void(array, k), codegen


@intrinsic
def _prefetch_rows(typingctx: Any, arrays: types.Type, i: types.Type) -> tuple[Any, Callable] | None:
    if not isinstance(arrays, types.BaseTuple) or not isinstance(i, types.Integer):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = context.cast(builder, args[1], signature.args[1], types.intp)
        for place, kind in enumerate(signature.args[0].types):
            view = context.make_array(kind)(context, builder, builder.extract_value(args[0], place))
            index = row
            for length in cgutils.unpack_tuple(builder, view.shape, kind.ndim)[1:]:
                index = builder.mul(index, length)  # arrays of states are C-ordered
            _emit_prefetch(builder, builder.gep(view.data, [index]))
        return context.get_dummy_value()

    return types.void(arrays, i), codegen


@overload(prefetch, jit_options=INLINED_FLAGS)
def _compiled_prefetch(array, k):  # type: ignore[no-untyped-def]  # numba compares it with the lambda, without types
    return lambda array, k: _prefetch_entry(array, k)


@overload(prefetch_rows, jit_options=INLINED_FLAGS)
def _compiled_prefetch_rows(arrays, i):  # type: ignore[no-untyped-def]
    return lambda arrays, i: _prefetch_rows(arrays, i)
