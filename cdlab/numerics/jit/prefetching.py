"""A hint to the processor: this entry of an array will be needed soon."""

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


@intrinsic
def _prefetch_address(typingctx: Any, array: types.Type, k: types.Type) -> tuple[Any, Callable] | None:
    if not isinstance(array, types.Array) or not isinstance(k, types.Integer):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
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


@overload(prefetch, jit_options=INLINED_FLAGS)
def _prefetch(array, k):  # type: ignore[no-untyped-def]  # numba compares it with the lambda, which has no types
    return lambda array, k: _prefetch_address(array, k)
