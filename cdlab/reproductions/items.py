"""What a reproduction declares: papers, and their items, which are figures, tables and claims with rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..plots.panels import Panel
from .amendments import OF_RUNS, Amended, Amendment, Dropped, Judges
from .cases import MODES, ByMode, Case, Contender, in_mode

if TYPE_CHECKING:
    from .found import Results

LEVELS = (1e-2, 1e-4, 1e-6, 1e-8)
SEEDS = tuple(range(5))
MORE_SEEDS = tuple(range(5, 15))  # of panels that are close


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence of a paper, and the rule that decides it, fixed before the runs.

    Attributes
    ----------
    id : str
        "C1", ...
    words : str
        The paper's words, or nearly; ours say so.
    rule : str
        In words and numbers.
    judged : callable of the Results, or None
        One `Judged` for each panel. None: it is not testable, and `why` says the reason.
    why : str
        Why it differs, in two sentences at most, from what was measured; shown while it differs.
    amendment : Amendment, optional
        How it is judged now, where that is another way.
    """

    id: str
    words: str
    rule: str
    judged: Judges | None = None
    why: str = ""
    amendment: Amendment | None = None

    @property
    def told(self) -> str:
        """The words with their mark, as they are judged now."""
        if self.amendment is None:
            return self.words
        words = self.amendment.words or self.words
        mark = self.amendment.mark
        return f"{mark}{':' if mark == OF_RUNS else ''} {words.removeprefix('(ours) ')}" if mark else words

    @property
    def amended(self) -> bool:
        """Whether another rule than the first decides."""
        return isinstance(self.amendment, Amended)

    @property
    def rule_now(self) -> str:
        """The rule that decides today."""
        return self.amendment.rule if isinstance(self.amendment, Amended) else self.rule

    @property
    def testable(self) -> bool:
        """Whether there is a rule that runs can decide."""
        return (self.amendment.judged if isinstance(self.amendment, Amended) else self.judged) is not None

    @property
    def without(self) -> str:
        """What stands in place of a verdict where there is none."""
        return "no longer judged" if isinstance(self.amendment, Dropped) else "not run"


@dataclass(frozen=True)
class Table:
    """A table of a page: a title, names of columns, and rows of texts and numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture of an item.

    Attributes
    ----------
    draw : callable of the Results
        The panels; none: nothing can be drawn yet.
    suffix : str
        Appended to the item's id for the file; of one picture of an item "".
    caption : str
    columns : int, or mapping from mode
        Panels in a row.
    """

    draw: Callable[[Results], Sequence[Panel]]
    suffix: str = ""
    caption: str = ""
    columns: int | Mapping[str, int] = 3


@dataclass(frozen=True, eq=False)
class Item:
    """A figure, a table or a claim of a paper: a declaration without loops of its own.

    Attributes
    ----------
    id, paper, what : str
        ``paper-name``, the paper's id, and which figure, table or claim it is.
    shows, here : str
        What the paper shows, and what is computed here, in sentences.
    claims : sequence of Claim
    cases, contenders : sequences
        Each contender runs on each case, or where it says so.
    seeds, more_seeds : sequences of int
        The second are added to panels that are close, in full.
    max_passes : float, or mapping from mode
    tol : float
        Relative gap at which runs end.
    levels : sequence of float
        Of the error, falling.
    reference : bool, default True
        Whether P* is asked for, by a run of its own; False where claims are about gaps or test errors only.
    facts : callable of a Problem, optional
        Numbers of each case's problem: `Found.facts`.
    compute : callable of the mode, optional
        What needs no runs: `Results.computed`.
    pictures : sequence of Picture
    tables : callable of the Results, optional
        Tables beside that of medians.
    notes : sequence of str
        Misprints, repairs and what is easily overlooked, for a reader of the paper.
    size : str
        In which way full is smaller than the paper, if it is.
    seconds : (float, float)
        About how long quick and full take, on one thread.
    """

    id: str
    paper: str
    what: str
    shows: str
    here: str
    claims: Sequence[Claim]
    cases: Sequence[Case] = ()
    contenders: Sequence[Contender] = ()
    seeds: Sequence[int] = SEEDS
    more_seeds: Sequence[int] = MORE_SEEDS
    max_passes: ByMode = 100.0
    tol: float = 1e-9
    levels: Sequence[float] = LEVELS
    reference: bool = True
    facts: Callable[[Any], Mapping[str, Any]] | None = None
    compute: Callable[[str], Any] | None = None
    pictures: Sequence[Picture] = ()
    tables: Callable[[Results], Sequence[Table]] | None = None
    notes: Sequence[str] = ()
    size: str = ""
    seconds: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        each_named = [("claim", [claim.id for claim in self.claims])]
        each_named += [("case", [case.name for case in self.cases_in(mode)]) for mode in MODES]
        for what, names in each_named:
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"{self.id}: each {what} needs a name of its own, and {twice[0]!r} is there twice")

    def cases_in(self, mode: str) -> list[Case]:
        """The cases of a mode."""
        return [case for case in self.cases if mode in case.modes]

    def contenders_in(self, mode: str, case: Case) -> list[Contender]:
        """The contenders of a case in a mode."""
        return [each for each in self.contenders if mode in each.modes and (each.where is None or each.where(case))]

    def limit(self, mode: str, case: Case) -> float:
        """The passes after which a run of a case ends."""
        given = self.max_passes if case.max_passes is None else case.max_passes
        return float(in_mode(given, mode))


def ordered(paper: str, names: Sequence[str], *groups: Sequence[Item]) -> list[Item]:
    """The items of a paper in its own order, wherever they are declared: names without the paper's id."""
    by_id = {item.id: item for group in groups for item in group}
    return [by_id[f"{paper}-{name}"] for name in names]


@dataclass(frozen=True, eq=False)
class Paper:
    """A paper: its items in their order, and what of it is no experiment.

    Attributes
    ----------
    id, title, source : str
        The last with authors, year and place.
    items : sequence of Item
    untested : sequence of (claim, reason)
        Claims that are no experiment.
    notes : sequence of str
        Differences between the paper and what is computed here.
    """

    id: str
    title: str
    source: str
    items: Sequence[Item]
    untested: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
