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
    weights: Any = None

    def held(self, client: Any) -> tuple[list[str], list[list[Any]]]:
        """The workers that hold chunks, and the futures of each one's shards; rows do not go through the client.

        Raises
        ------
        ValueError
            If X and y have other numbers of chunks, or no rows.
        """
        import dask

        parts = {name: chunks(each) for name, each in self._asdict().items() if each is not None}
        if len({len(each) for each in parts.values()}) > 1:
            found = " and ".join(f"{name} has {len(each)}" for name, each in parts.items())
            raise ValueError(f"chunks of rows must be the same, and {found}: rechunk or repartition one of them")
        made = [dask.delayed(_shard)(f"chunk {k}", *rows) for k, rows in enumerate(zip(*parts.values(), strict=True))]
        futures = client.compute(made)
        has_rows = client.gather(client.map(_has_rows, futures, pure=False))
        places = client.who_has(futures)
        held: dict[str, list[Any]] = {}
        for future, wanted in zip(futures, has_rows, strict=True):
            if wanted:
                held.setdefault(min(places[future.key]), []).append(future)
        if not held:
            raise ValueError("X has no rows")
        return list(held), list(held.values())


def _shard(name: str, *rows: Any) -> Shard:
    return Shard(name, held=Examples(*rows))


def _has_rows(shard: Shard) -> bool:
    return shard.held is not None and shard.held.X.shape[0] > 0


def chunks(x: Any) -> list[Any]:
    """The delayed chunks of rows of an array or a frame, each with all columns."""
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
