"""What a reproduction declares: items (figures, tables, claims of a paper), their problems, methods and rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..datasets import Derived
from ..plots.panels import Panel

if TYPE_CHECKING:
    from .found import Results
    from .judging import Judged

MODES = ("quick", "full")
LEVELS = (1e-2, 1e-4, 1e-6, 1e-8)
SEEDS = tuple(range(5))
MORE_SEEDS = tuple(range(5, 15))  # of panels that are close
ByMode = float | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Made:
    """Data that a function makes.

    Attributes
    ----------
    name : str
    make : callable
        Without arguments; returns X (n, d) and y (n,), the same at each call.
    recipe : str
        The call, in words.
    scale : {"none", "unit", "mean"}, default "none"
        As of `datasets.load`.
    """

    name: str
    make: Callable[[], tuple[Any, Any]]
    recipe: str
    scale: str = "none"

    @cached_property
    def arrays(self) -> tuple[Any, Any]:
        """X and y, made once: a sweep tells arrays apart by identity."""
        return self.make()


@dataclass(frozen=True, eq=False)
class Case:
    """One problem of an item: as a rule one panel of its picture.

    Attributes
    ----------
    name : str
        Other than those of the item's other cases in the same mode.
    data : str, Derived or Made
        A known set whole, a derived one, or a made one.
    loss, l2, l1
        As for `sweep`: weights are numbers or "c/n".
    stands_for : str
        The data of the paper, where these are others.
    test : bool
        Whether test errors are measured, on the data's own test part.
    max_passes : float, or mapping from mode, optional
        In place of the item's.
    modes : sequence of str
        The modes that it belongs to.
    judged : bool
        False: drawn beside, in no verdict.
    tags : mapping
        What claims choose and group cases by, and what the axes of pictures need.
    """

    name: str
    data: str | Derived | Made
    loss: Any = "logistic"
    l2: float | str = "1/n"
    l1: float | str = 0.0
    stands_for: str = ""
    test: bool = False
    max_passes: ByMode | None = None
    modes: Sequence[str] = MODES
    judged: bool = True
    tags: Mapping[str, Any] = field(default_factory=dict)

    @property
    def on(self) -> str:
        """The data, and what they stand for, as they are named wherever a verdict stands."""
        named = self.data if isinstance(self.data, str) else self.data.name
        return f"{named}, for {self.stands_for}" if self.stands_for else named


@dataclass(frozen=True, eq=False)
class Contender:
    """A method with its parameters, as it takes part in an item.

    Attributes
    ----------
    label : str
        Its name on pages and in claims.
    method, sampling
        As for `solve`.
    settings : mapping, or callable of the problem
        More of a run, as for `sweep`: tol, max_passes, start, parameters of the method.
    where : callable of a Case
        Whether it runs there.
    modes : sequence of str
    """

    label: str
    method: Any
    sampling: Any = None
    settings: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]] = field(default_factory=dict)
    where: Callable[[Case], bool] = lambda case: True
    modes: Sequence[str] = MODES


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
    """

    id: str
    words: str
    rule: str
    judged: Callable[[Results], list[Judged]] | None = None
    why: str = ""


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
    columns : int
        Panels in a row.
    """

    draw: Callable[[Results], Sequence[Panel]]
    suffix: str = ""
    caption: str = ""
    columns: int = 3


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
    facts : callable of a Problem, optional
        Numbers of each case's problem: `Found.facts`.
    compute : callable of the mode, optional
        What needs no runs: `Results.computed`.
    pictures : sequence of Picture
    tables : callable of the Results, optional
        Tables beside that of medians.
    notes : sequence of str
        Misprints, repairs and what is easily overlooked, for a reader of the paper.
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
    facts: Callable[[Any], Mapping[str, Any]] | None = None
    compute: Callable[[str], Any] | None = None
    pictures: Sequence[Picture] = ()
    tables: Callable[[Results], Sequence[Table]] | None = None
    notes: Sequence[str] = ()
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
        return [each for each in self.contenders if mode in each.modes and each.where(case)]

    def limit(self, mode: str, case: Case) -> float:
        """The passes after which a run of a case ends."""
        given = self.max_passes if case.max_passes is None else case.max_passes
        return float(given[mode] if isinstance(given, Mapping) else given)


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
