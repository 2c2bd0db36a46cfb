"""How a claim is judged since the first full runs, where its first rule did not say what the paper's sentence says.

A page keeps both: the rule that was fixed before the runs with its verdict, and the amended one with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .found import Results
    from .judging import Judged

OURS, OF_RUNS = "(ours)", "(ours), of runs"
Judges = Callable[["Results"], "list[Judged]"]


@dataclass(frozen=True, eq=False)
class Amended:
    """Another rule in place of the first.

    Attributes
    ----------
    rule : str
        In words and numbers.
    judged : callable of the Results, mapping from a reading's name to one, or None
        As of a `Claim`. Several readings, where the text leaves a choice open: if they disagree, the verdict depends
        on the reading. None: it is not testable, and `why` says the reason.
    reason : str
        Why the first rule does not say what the paper says.
    why : str
        As of a `Claim`, of the amended verdict.
    words : str
        The paper's sentence, where the claim's own words miss it.
    mark : {"", "(ours)", "(ours), of runs"}
        Of a claim that the paper does not make, or makes of bounds.
    """

    rule: str
    judged: Judges | Mapping[str, Judges] | None
    reason: str
    why: str = ""
    words: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Marked:
    """The rule stands, and the claim is marked as what it is."""

    mark: str
    reason: str
    words: str = ""


@dataclass(frozen=True)
class Added:
    """A claim that was not among the first: its rule is the amended one."""

    reason: str
    mark: str = ""
    words: str = ""


@dataclass(frozen=True)
class Dropped:
    """A claim that is no longer judged."""

    reason: str
    mark: str = ""
    words: str = ""


Amendment = Amended | Marked | Added | Dropped
