"""Statements: what can be attacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...problems.problem import Problem


@dataclass(frozen=True)
class Statement:
    """A statement about every problem of the squared loss with l2 > 0, which one number of a problem can refute.

    Attributes
    ----------
    name : str
        A short name.
    words : str
        What is claimed, in words.
    ratio : callable
        ``ratio(problem)``: at most 1, up to rounding, wherever the statement is true, and 0 on a problem about which it
        says nothing.
    least_rows : int, default 1
        Rows that a problem must have for the statement to be about it.

    Examples
    --------
    >>> from cdlab import theory
    >>> def permuted_against_drawn(problem):
    ...     rates = [theory.exact_rate(problem, "sdca", s) for s in ("permutation", "uniform")]
    ...     return rates[0].epochs / rates[1].epochs
    >>> statement = theory.Statement("order", "permutations are never slower than independent draws", permuted_against_drawn)
    >>> theory.attack(statement, n=3, d=2, evaluations=20).refuted
    False
    """

    name: str
    words: str
    ratio: Callable[[Problem], float]
    least_rows: int = 1
