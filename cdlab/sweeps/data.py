"""The data of a run: a name or a file with how it is read, or arrays."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .. import datasets
from ..datasets import Derived
from ..numerics import checks, profiles
from ..numerics.digests import array_digest
from ..problems import labels

Arrays = tuple[np.ndarray | sp.csr_matrix, np.ndarray]
# These are arguments of `datasets.load`.
LOAD_OPTIONS = ("scale", "split", "dense", "n_features", "label", "drop", "zero_based")
CACHED_BYTES = 1 << 30  # A process keeps so many bytes of data beside those in use.


class Source(Protocol):
    """Source of X and y, in whatever process: `Data`, or files that several processes map."""

    @property
    def token(self) -> Any:
        """A value that distinguishes one source from another while the process lives."""

    def arrays(self) -> Arrays:
        """X (n, d) and y (n,)."""


@dataclass(frozen=True, eq=False)
class Data:
    """A data set by its name or path, a derived one, or arrays.

    Attributes
    ----------
    named : str, Derived or (X, y)
        What it is.
    options : dict
        The other arguments of `datasets.load`; of arrays only `scale`; of a derived set ``split="test"`` for its test
        part, or nothing.
    like : Data, optional
        Of test data: those of training. LIBSVM text is read with the base that theirs was read with.
    """

    named: Any
    options: dict[str, Any]
    like: Data | None = None

    @property
    def token(self) -> Any:
        """Arrays are distinguished by identity: comparing them would read them."""
        named = tuple(map(id, self.named)) if isinstance(self.named, tuple) else (self.named,)
        return (*named, *sorted(self.options.items()), *(self.like.token if self.like else ()))

    @cached_property
    def description(self) -> str:
        """The data in a table: the name, or the shape of the arrays."""
        if isinstance(self.named, tuple):
            return f"X {np.shape(self.named[0])}"
        parts = [f"{key}={value}" for key, value in self.options.items() if value not in (None, "none", "train")]
        return " ".join([str(getattr(self.named, "name", self.named)), *parts])

    def arrays(self, read: Callable[..., Any] = datasets.load) -> Arrays:
        """Load the data set; arrays are checked, and scaled where that was asked for.

        A derived set is made from what ``read`` returns.

        Raises
        ------
        ValueError, OSError
            If they cannot be read, or are no data.
        """
        if isinstance(self.named, str):
            base = {}
            if self.like is not None and isinstance(self.like.named, str):
                base = {"zero_based": read(self.like.named, **self.like.options).zero_based}
            return datasets.load(self.named, **self.options | base)
        if isinstance(self.named, Derived):
            X, y, test = self.named.load(read)
            if self.options.get("split") != "test":
                return X, y
            if test is None:
                raise ValueError(f"{self.named.name} has no test part")
            return test
        X, scale = profiles.validated_matrix(self.named[0]), self.options.get("scale", "none")
        return (X if scale == "none" else datasets.scaled(X, scale)), labels.validated_labels(self.named[1], X.shape[0])

    @property
    def test_part(self) -> Data:
        """The data set's own test part."""
        return replace(self, options={**self.options, "split": "test"})


def pop_data(run: dict[str, Any]) -> Data:
    """Take the data out of the settings of a run: X and y, or data, and how it is read.

    Raises
    ------
    TypeError, ValueError
        If they are named twice, or not at all.
    """
    options: dict[str, Any] = {name: run.pop(name) for name in LOAD_OPTIONS if name in run}
    named, X, y = run.pop("data", None), run.pop("X", None), run.pop("y", None)
    if (named is None) == (X is None) or (X is None) != (y is None):
        raise ValueError("the data of a run are either data, a name, a path or a pair (X, y), or X and y")
    return as_data("data", (X, y) if named is None else named, options)


def as_data(what: str, named: Any, options: dict[str, Any]) -> Data:
    """A name, a path, a derived set or a pair (X, y) as `Data`.

    Raises
    ------
    TypeError, ValueError
        If it is none of these; if arrays or a derived set come with options that only files have.
    """
    if isinstance(named, str | os.PathLike):
        return Data(os.fspath(named), options)
    derived = isinstance(named, Derived)
    if not derived and not (isinstance(named, tuple) and len(named) == 2):
        raise TypeError(f"{what} must be a name, a path, a Derived or a pair (X, y), not {checks.short_repr(named)}")
    if strange := [name for name in options if derived or name != "scale"]:
        are = "a derived set has steps for that" if derived else "arrays are what they are"
        raise ValueError(f"{strange[0]} is for data sets by name or path: {are}")
    return Data(named, options)


class DataCache:
    """The arrays that were read last, as many as fit in `CACHED_BYTES`, and always the very last ones."""

    def __init__(self) -> None:
        self._cached: OrderedDict[Any, tuple[Source, Arrays]] = OrderedDict()

    def arrays(self, source: Source) -> Arrays:
        """X and y of a source, read again only if they are no longer cached."""
        if source.token in self._cached:
            self._cached.move_to_end(source.token)
            return self._cached[source.token][1]
        arrays = source.arrays(self._read) if isinstance(source, Data) else source.arrays()
        self._cached[source.token] = source, arrays
        while len(self._cached) > 1 and sum(size_of(*each) for _, each in self._cached.values()) > CACHED_BYTES:
            self._cached.popitem(last=False)
        return arrays

    def _read(self, named: str, **options: Any) -> Arrays:
        """`datasets.load` for several sets that are derived from one."""
        return self.arrays(Data(os.fspath(named), options))


def size_of(X: np.ndarray | sp.csr_matrix, y: np.ndarray) -> int:
    """Bytes of some data."""
    return y.nbytes + sum(each.nbytes for each in parts_of(X).values())


def parts_of(X: np.ndarray | sp.csr_matrix) -> dict[str, np.ndarray]:
    """The arrays that a matrix consists of, by name."""
    return {"X": X} if isinstance(X, np.ndarray) else {"data": X.data, "indices": X.indices, "indptr": X.indptr}


def digest_of_data(arrays: Arrays) -> str:
    """The digest of X and y; of labels that are texts, too."""
    X, y = arrays
    labels = np.frombuffer("\n".join(y).encode(), np.uint8) if y.dtype.kind == "U" else y
    return array_digest(*parts_of(X).values(), labels, shape=X.shape)
