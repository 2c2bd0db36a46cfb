"""The promises of a sampling: probabilities that are the frequencies of its draws, repeated by a seed, within range."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from .. import samplings
from ..numerics.checks import close_names, short_repr
from ..samplings import Batches, Coordinates, Sampling
from .user_code import check_is_dataclass, check_signatures, explain_user_errors

MIN_DRAWS = 40_000  # of each set of coordinates
ALLOWED_SIGMAS = 6.0  # of a frequency around its probability: one false alarm in 10^8


def check_sampling(sampling: str | Sampling, m: int | None = None) -> None:
    """Check that a sampling draws what it says.

    Probabilities (or draws) are its own; they are finite, without `needs_smooth` also where the loss is not smooth, at
    least 0 and, for one coordinate at a time, of sum 1; frequencies are the probabilities (an order takes each
    coordinate once an epoch); the same seed repeats the draws; draws are uint64, within range, and a block holds no
    coordinate twice; coordinates without nonzeros, and a matrix of zeros, are no exception.

    Parameters
    ----------
    sampling : str or Sampling
        A name, or an instance.
    m : int, optional
        How many coordinates to try it with, if it fits one number of them only. Default: 6 and 1.

    Raises
    ------
    AssertionError
        In one sentence: which promise fails, and where; or which line of it fails.
    ValueError, TypeError
        If it is not a sampling, or does not fit m coordinates.

    Examples
    --------
    >>> from cdlab import samplings, testing
    >>> testing.check_sampling(samplings.Lipschitz(power=0.5))
    >>> testing.check_sampling(samplings.Distributed(c=2, tau=3), m=8)
    """
    s = samplings.resolve(sampling)
    _check_own_methods(s)
    check_is_dataclass("sampling", s.label, type(s))
    check_signatures("sampling", s.label, type(s), Sampling)
    with explain_user_errors(f"sampling {s.label}"):
        for c in _test_coordinates(m):
            p = _checked_probabilities(s, c)
            _check_not_smooth(s, c)
            if s.serial:
                _check_orders(s, c)
            _check_batches(s, c)
            _check_seed(s, c)
            _check_frequencies(s, c, p)


def _check_own_methods(s: Sampling) -> None:
    """A class with neither probabilities nor draws of its own is uniform: a misspelt method, rather than a choice."""
    parts = ("probabilities", "epochs", "batches")
    if any(getattr(type(s), part) is not getattr(Sampling, part) for part in parts):
        return
    written = [name for name in vars(type(s)) if not name.startswith("_") and not hasattr(Sampling, name)]
    meant = [f": is {name} meant to be {close[0]}?" for name in written if (close := close_names(name, parts))]
    raise AssertionError(
        f"sampling {s.label} draws uniformly: it has no probabilities(self, c) of its own, and no "
        f"epochs{meant[0] if meant else ''}"
    )


def _check_not_smooth(s: Sampling, c: Coordinates) -> None:
    """Check that beta = inf where the loss is not smooth; c.smoothness is, too, or NaN where a line is empty."""
    if s.needs_smooth:
        return
    with np.errstate(all="ignore"):
        p = s.probabilities(c._replace(beta=np.inf))
    if not np.isfinite(p).all():
        _fail(
            s,
            c,
            "its probabilities are not finite where the loss is not smooth (beta = inf, so is c.smoothness): "
            "say needs_smooth: ClassVar[bool] = True, and such losses are refused",
        )


def _test_coordinates(m: int | None) -> Iterator[Coordinates]:
    """Uneven lines, none or some of them empty; a single one; and a matrix of zeros."""
    for size in (6, 1) if m is None else (m,):
        k = np.arange(size, 0, -1)
        yield Coordinates(norms2=0.5 * k**2.0, beta=0.25, l2n=0.3, counts=k)
        counts = np.where((k % 3 == 0) & (size > 1), 0, k)
        yield Coordinates(norms2=0.5 * counts**2.0, beta=0.25, l2n=0.3, counts=counts)
        yield Coordinates(norms2=np.zeros(size), beta=0.25, l2n=0.3, counts=np.zeros(size, np.int64))


def _checked_probabilities(s: Sampling, c: Coordinates) -> np.ndarray:
    p = s.probabilities(c)
    wrong = samplings.probability_fault(p, s, c)
    if wrong is not None:
        _fail(s, c, wrong)
    if not (p[c.counts > 0] > 0).all():
        _fail(s, c, f"a coordinate with nonzeros that is never drawn is never optimised; probabilities are {_text(p)}")
    return p


def _check_orders(s: Sampling, c: Coordinates) -> None:
    for order in islice(s.epochs(c, np.random.default_rng(0)), 3):
        _check_indices(s, c, order, "epochs")
        if not s.has_theorem and not np.array_equal(np.sort(order), np.arange(c.m)):
            _fail(
                s, c, f"an order (has_theorem = False) takes each coordinate once an epoch; this one is {_text(order)}"
            )


def _check_batches(s: Sampling, c: Coordinates) -> None:
    for batch in islice(s.batches(c, np.random.default_rng(0)), 3):
        if not isinstance(batch, Batches):
            _fail(s, c, f"batches must yield cdlab.samplings.Batches, not {short_repr(batch)}")
        _check_indices(s, c, batch.indices, "batches")
        starts = batch.starts.astype(np.int64)
        if starts[0] != 0 or starts[-1] != batch.indices.size or (np.diff(starts) < 0).any():
            _fail(s, c, f"starts of batches must go up from 0 to {batch.indices.size}; they are {_text(starts)}")
        for block in np.split(batch.indices, starts[1:-1]):
            if np.unique(block).size != block.size:
                _fail(s, c, f"a block must hold each coordinate at most once; this one is {_text(block)}")


def _check_indices(s: Sampling, c: Coordinates, order: Any, source: str) -> None:
    if not (isinstance(order, np.ndarray) and order.dtype == np.uint64 and order.ndim == 1):
        _fail(
            s,
            c,
            f"{source} must yield 1-D arrays of dtype uint64, not {short_repr(order)} of {getattr(order, 'dtype', '')}",
        )
    if order.size and order.max() >= c.m:
        _fail(s, c, f"{source} drew coordinate {order.max()} of {c.m}: they are 0 to {c.m - 1}")
    if s.serial and order.size == 0:
        _fail(s, c, f"{source} yields an empty array: a run would never end")


def _check_seed(s: Sampling, c: Coordinates) -> None:
    first, second = (np.concatenate([b.indices for b in islice(s.batches(c, _generator()), 5)]) for _ in range(2))
    if not np.array_equal(first, second):
        _fail(s, c, "the same seed gave other draws: all randomness must come from the generator that is passed")


def _check_frequencies(s: Sampling, c: Coordinates, p: np.ndarray) -> None:
    counts, trials = np.zeros(c.m), 0
    for batch in s.batches(c, _generator()):
        counts += np.bincount(batch.indices.astype(np.int64), minlength=c.m)
        trials += batch.size
        if trials >= MIN_DRAWS:
            break
    off = np.abs(counts / trials - p) - ALLOWED_SIGMAS * np.sqrt(p * (1 - np.minimum(p, 1)) / trials)
    if (off > 1e-9).any():
        worst = int(np.argmax(off))
        _fail(
            s,
            c,
            f"coordinate {worst} was drawn with frequency {counts[worst] / trials:.4f} ({trials} draws), and "
            f"its probability is {p[worst]:.4f}",
        )


def _generator() -> np.random.Generator:
    return np.random.default_rng(7)


def _text(values: Any) -> str:
    return np.array2string(np.asarray(values), precision=3, threshold=12)


def _fail(s: Sampling, c: Coordinates, what: str) -> None:
    raise AssertionError(f"sampling {s.label} on {c.m} coordinates with {_text(c.counts)} nonzeros: {what}")
