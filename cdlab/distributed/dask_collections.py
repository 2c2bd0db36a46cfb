"""Dask arrays and frames: their shards are their chunks of rows, each where a worker holds it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .shards import Examples, Shard


def is_collection(x: Any) -> bool:
    """Tell whether this is a Dask array or frame."""
    return hasattr(x, "__dask_graph__") and hasattr(x, "to_delayed")


class Collection(NamedTuple):
    """The examples of Dask arrays or frames, cut into the same chunks of rows."""

    X: Any
    y: Any
    sample_weight: Any = None

    def shards_by_worker(self, client: Any) -> tuple[list[str], list[list[Any]]]:
        """The workers that hold chunks, and the futures of each one's shards; rows do not go through the client.

        Raises
        ------
        ValueError
            If X and y have other numbers of chunks, or no rows.
        """
        given = {name: chunks(each) for name, each in self._asdict().items() if name == "y" or each is not None}
        if len({len(each) for each in given.values()}) > 1:
            told = " and ".join(f"{name} has {len(each)}" for name, each in given.items())
            raise ValueError(f"chunks of rows must be the same, and {told}: rechunk or repartition one of them")
        X, *others = [client.compute(each) for each in given.values()]
        sizes = client.gather(client.map(_size, X, pure=False))
        places, found = client.who_has(X), dict[str, list[Any]]()
        for k, rows in enumerate(zip(X, *others, strict=True)):
            if sizes[k] > 0:
                worker, *_ = places[rows[0].key]
                where = {"workers": [worker], "allow_other_workers": True, "pure": False}
                found.setdefault(worker, []).append(client.submit(_shard, f"chunk {k}", *rows, **where))
        if not found:
            raise ValueError("X has no rows")
        return list(found), list(found.values())


def _shard(name: str, *rows: Any) -> Shard:
    return Shard(name, held=Examples(*rows))


def _size(X: Any) -> int:
    return X.shape[0]


def chunks(x: Any) -> list[Any]:
    """The delayed chunks of rows of an array or a frame, each with all columns; a TypeError where it is neither."""
    if not is_collection(x):
        raise TypeError(f"beside a Dask X y and sample_weight are of Dask, in the same chunks, not {type(x).__name__}")
    if getattr(x, "ndim", 1) == 2 and hasattr(x, "rechunk"):
        x = x.rechunk({1: -1})
    found = x.to_delayed()
    return list(getattr(found, "flat", found))


def distinct(y: Any) -> np.ndarray:
    """The distinct values of an array or a column, sorted."""
    import dask

    return np.unique(np.concatenate(dask.compute(*[dask.delayed(np.unique)(each) for each in chunks(y)])))


def by_chunks(function: Callable[[Any], np.ndarray], x: Any, one_row: Any) -> Any:
    """The Dask array of what a function gives for each chunk of rows, given one row of x, of any numbers."""
    import dask
    import dask.array as da

    like, call = function(one_row), dask.delayed(function)
    rows = x.chunks[0] if hasattr(x, "chunks") else [math.nan] * x.npartitions
    made = [
        da.from_delayed(call(chunk), (size, *like.shape[1:]), like.dtype)
        for chunk, size in zip(chunks(x), rows, strict=True)
    ]
    return da.concatenate(made, allow_unknown_chunksizes=True)


def row_of(X: Any) -> Any:
    """One row of zeros, of the columns of an array or a frame."""
    if not hasattr(X, "columns"):
        return np.zeros((1, X.shape[1]))
    import pandas as pd

    return pd.DataFrame(0.0, index=[0], columns=X.columns)
