"""A run as an iterator, for loops of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling
from .entries import Entry
from .running import EVERY, Run


def iterate(
    problem: Problem,
    method: Entry = "sdca",
    *,
    sampling: str | Sampling | np.ndarray | None = None,
    seed: int = 0,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    **parameters: Any,
) -> Run:
    """Run a method without end, one Record at a time; stop by leaving the loop.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    method : str, Method or Choice, default "sdca"
        A name in ``cdlab.methods.METHODS`` (its parameters follow as keywords) or "auto", a label with a sampling
        ("sdca@importance"), an instance, or a choice of `cdlab.advise`.
    sampling : str, Sampling or array of weights >= 0, divided by their sum; default uniform
        "none" is accepted where the method draws nothing.
    seed : int, default 0
        The same seed gives the same records, but for their seconds.
    every : int, default 1
        Epochs per record. An epoch is as many updates as there are coordinates.
    test : (X, y), optional
        Test data; adds test_error and test_loss to the records.
    strong_convexity : float or "compute", optional
        With l2 = l1 = 0 only: mu, with which P is strongly convex, so that ||grad P(w)||^2/(2 mu) certifies w in place
        of the duality gap. (Some methods have a parameter `mu` of their own, which only sets their steps.)
    start : (w, alpha) or Solution, optional
        Where to start instead of w = 0, alpha = 0. One of the two may be None and is then completed from the other.
        Dual methods start from alpha, primal ones from w, primal-dual ones from both.
    **parameters
        Parameters of the method, where it is given by its name: ``iterate(P, "rcd", batch_size=8)``.

    Returns
    -------
    Run
        An iterator of `Record`; the first is the start. Its w, alpha and trace can be read at any time.

    Raises
    ------
    ValueError, TypeError
        If method, sampling and problem do not fit, in a sentence that says why and what does.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem([[1.0, 0.0], [0.0, 2.0]], [1, -1], l2=0.1)
    >>> for record in cdlab.iterate(P, "sdca", seed=0):
    ...     if record.passes >= 20:
    ...         break
    >>> record.gap < 1e-8
    True
    """
    every = checks.integer("every", every, EVERY)
    checks.pair_or_none("test", test, "a pair (X, y)")
    checks.seed(seed)
    return Run(problem, method, sampling, seed, every, test, strong_convexity, start, **parameters)
