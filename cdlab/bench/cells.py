"""The cells of the benchmark: a data set, a loss, l2 = c/n, and l1 as a share of the smallest l1 with w* = 0."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product

from ..numerics.checks import did_you_mean
from .objective import LOSSES

NAME = re.compile(r"(?P<data>[^/]+)/(?P<loss>\w+)/(?P<c>[^/]+)(?:/l1=(?P<share>[^/]+))?")
HOW = "DATA/LOSS/C with l2 = C/n, as in leu/logistic/0.1, or DATA/LOSS/C/l1=SHARE"


@dataclass(frozen=True)
class Cell:
    """One problem of the benchmark.

    Attributes
    ----------
    data : str
        A name of `recipes.RECIPES` or of `cdlab.datasets.names()`.
    loss : str
        A name of `objective.LOSSES`.
    c : float
        l2 = c/n; 0 is the Lasso.
    share : float, default 0
        l1 is this share of max_j |sum_i phi'(0; y_i) x_ij|/n, from which on w* = 0.
    """

    data: str
    loss: str
    c: float
    share: float = 0.0

    @property
    def name(self) -> str:
        """The cell as it is typed: ``leu/logistic/0.1`` or ``leu/squared/0/l1=0.1``."""
        return f"{self.data}/{self.loss}/{self.c:g}" + (f"/l1={self.share:g}" if self.share else "")

    @property
    def folder(self) -> str:
        """The same as one part of a path."""
        return self.name.replace("/", ",")


def _cells(data: Sequence[str], losses: Sequence[str], cs: Sequence[float], shares: Sequence[float] = (0.0,)) -> list:
    return [Cell(*each) for each in product(data, losses, cs, shares)]


TALL = ("covtype.binary", "mnist.binary", "cov")
TEXT = ("w8a", "a9a", "reuters21578.earnacq", "news20.unigram", "news20.bigram", "rcv", "news")
QUICK = [
    *_cells(["mushrooms"], ["logistic"], [1.0]),
    *_cells(["small_text"], ["squared_hinge"], [0.1]),
    *_cells(["small_tall"], ["logistic"], [0.1]),
    *_cells(["abalone_scale"], ["squared"], [0.1]),
    *_cells(["small_text"], ["squared"], [0.0], [0.1]),
]
FULL = [
    *_cells(["leu", *TEXT, *TALL], ["logistic", "squared_hinge"], [1.0, 0.1, 0.01]),
    *_cells(["abalone_scale", "space_ga_scale", "cov"], ["squared"], [1.0, 0.1, 0.01]),
    *_cells(["leu", "reuters21578.earnacq", "rcv"], ["logistic"], [0.1, 0.0], [0.1, 0.01]),
    *_cells(["leu", "reuters21578.earnacq", "rcv", "abalone_scale"], ["squared"], [0.1, 0.0], [0.1, 0.01]),
]


def parsed(text: str) -> Cell:
    """The cell that is typed so.

    Raises
    ------
    ValueError
        If it is no cell, or its loss is not among `objective.LOSSES`.

    Examples
    --------
    >>> parsed("leu/squared/0/l1=0.1")
    Cell(data='leu', loss='squared', c=0.0, share=0.1)
    """
    found = NAME.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        cell = Cell(found["data"], found["loss"], float(found["c"]), float(found["share"] or 0))
    except ValueError:
        raise ValueError(f"{text!r} is not a cell: write {HOW}") from None
    if cell.loss not in LOSSES:
        raise ValueError(f"{text}: the loss is one of {', '.join(LOSSES)}{did_you_mean(cell.loss, LOSSES)}")
    if not (0 <= cell.c < float("inf") and 0 <= cell.share < 1 and cell.c + cell.share > 0):
        raise ValueError(f"{text}: C must be a number >= 0 and SHARE one between 0 and 1, not both 0")
    return cell


def chosen(patterns: Sequence[str], among: Sequence[Cell] = tuple(FULL)) -> list[Cell]:
    """The cells that match a pattern (``leu/*``, ``*/logistic/0.1``) or are typed in full, each once.

    Raises
    ------
    ValueError
        If a pattern matches none and is no cell either.

    Examples
    --------
    >>> [cell.name for cell in chosen(["leu/logistic/*"]) if not cell.share]
    ['leu/logistic/1', 'leu/logistic/0.1', 'leu/logistic/0.01']
    """
    found: dict[Cell, None] = {}
    for pattern in patterns:
        matching = [cell for cell in among if fnmatchcase(cell.name, pattern)]
        if not matching and any(sign in pattern for sign in "*?["):
            raise ValueError(
                f"no cell matches {pattern!r}; there are {', '.join(dict.fromkeys(c.data for c in among))}"
            )
        found |= dict.fromkeys(matching or [parsed(pattern)])
    return list(found)
