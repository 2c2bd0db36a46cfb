"""Statements: what can be attacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...problems.problem import Problem


@dataclass(frozen=True)
class Statement:
    """A statement about all problems of the squared loss with l2 > 0, which a number of one of them can refute.

    Attributes
    ----------
    name : str
        A short name.
    words : str
        What it says.
    ratio : callable
        ``ratio(problem)``: at most 1, up to rounding, wherever the statement is true, and 0 on a problem about which it
        says nothing.
    least_rows : int, default 1
        Rows that a problem must have for the statement to be about it.

    Examples
    --------
    >>> from cdlab import theory
    >>> def cyclic_over_permuted(problem):
    ...     cyclic, permuted = (theory.exact_rate(problem, "sdca", order) for order in ("cyclic", "permutation"))
    ...     return cyclic.epochs / permuted.epochs
    >>> faster = theory.Statement("cyclic", "a fixed order is never slower than random ones", cyclic_over_permuted)
    >>> theory.attack(faster, n=6, d=1, evaluations=20).refuted
    True
    """

    name: str
    words: str
    ratio: Callable[[Problem], float]
    least_rows: int = 1
