"""What papers declare: cases and contenders that are run, claims with the rules that decide them, items, papers.

Everything that can be wrong with a declaration is refused when it is made: hours of runs depend on it. The `Results`
that declared functions are given are made of items, a class above this module: their type here is Any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, TypeVar

from cdlab.datasets import Derived
from cdlab.plots import Panel

from .claims import PanelOutcome

MODES = ("quick", "full")
DEFAULT_LEVELS = (1e-2, 1e-4, 1e-6, 1e-8)
DEFAULT_SEEDS = tuple(range(5))
DEFAULT_EXTRA_SEEDS = tuple(range(5, 15))  # Panels that are close get these seeds, too.
T = TypeVar("T", float, int)
ByMode = float | Mapping[str, float]
Judge = Callable[[Any], list[PanelOutcome]]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: "; did you mean 'sdca'?", or nothing where none is close."""
    close = get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def value_in_mode(given: T | Mapping[str, T], mode: str) -> T:
    """What holds in a mode: one value for all, or its own."""
    return given[mode] if isinstance(given, Mapping) else given


@dataclass(frozen=True, eq=False)
class GeneratedData:
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
    data: str | Derived | GeneratedData
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
    def data_text(self) -> str:
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
    where : callable of a Case, optional
        Whether it runs there; by default it does.
    modes : sequence of str
    draws : bool
        False: it draws nothing there though its sampling may, as a batch of all examples, and one seed is enough.
    """

    label: str
    method: Any
    sampling: Any = None
    settings: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]] = field(default_factory=dict)
    where: Callable[[Case], bool] | None = None
    modes: Sequence[str] = MODES
    draws: bool = True


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence of a paper, and the rule that decides it, fixed before the runs.

    Attributes
    ----------
    id : str
        "C1", ...
    words : str
        The paper's words, or nearly. They begin with "(ours)" where the paper has no such sentence, and with "(ours),
        of runs:" where it says it of bounds.
    rule : str
        In words and numbers.
    judge : callable of the Results, optional
        Returns a `PanelOutcome` for each panel. None: it is not testable, and `why` says the reason.
    why : str
        Why the verdict differs, in two sentences at most, from what was measured; shown while it differs.
    """

    id: str
    words: str
    rule: str
    judge: Judge | None = None
    why: str = ""

    @property
    def testable(self) -> bool:
        """Whether there is a rule that runs can decide."""
        return self.judge is not None

    @property
    def labels(self) -> set[str]:
        """The contenders that its judge is known to ask for."""
        return set(getattr(self.judge, "labels", ()))


@dataclass(frozen=True)
class Table:
    """A table of a page: a title, names of columns, and rows of texts and numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @classmethod
    def of_theory(cls, table: Any) -> Table:
        """The table of a paper that `cdlab.theory.table` returns."""
        rows = [[label, *map(str, cells)] for label, cells in table.rows]
        return cls(table.title, ["method", *table.columns], rows)


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

    draw: Callable[[Any], Sequence[Panel]]
    suffix: str = ""
    caption: str = ""
    columns: int | Mapping[str, int] = 3


@dataclass(frozen=True, eq=False)
class Item:
    """A figure, a table or a claim of a paper: a declaration without loops of its own.

    Attributes
    ----------
    id, place : str
        ``paper-name``, with the paper's id, and which figure, table or section of it this is.
    shows, setup : str
        What the paper shows, and what is computed here, in sentences.
    claims : sequence of Claim
    cases, contenders : sequences
        Each contender runs on each case, or where it says so.
    seeds, extra_seeds : sequences of int
        The second are added to panels that are close, in full.
    max_passes : float, or mapping from mode
    tol : float
        Relative gap at which runs end.
    levels : sequence of float
        Of the error, falling.
    reference : bool, default True
        Whether P* is asked for, by a run of its own; False where claims are about gaps or test errors only.
    facts : callable of a Problem, optional
        Numbers of each case's problem: `CaseResult.facts`.
    compute : callable of the mode, optional
        What needs no runs: `Results.computed`.
    pictures : sequence of Picture
    tables : callable of the Results, optional
        Tables beside that of medians.
    notes : sequence of str
        Misprints, repairs and what is easily overlooked, for a reader of the paper.
    reduction : str
        In which way full is smaller than the paper, if it is.
    seconds : (float, float)
        About how long quick and full take, on one thread.

    Raises
    ------
    ValueError
        If a name is there twice, a rule names no contender of the item, or levels do not fall.
    """

    id: str
    place: str
    shows: str
    setup: str
    claims: Sequence[Claim]
    cases: Sequence[Case] = ()
    contenders: Sequence[Contender] = ()
    seeds: Sequence[int] = DEFAULT_SEEDS
    extra_seeds: Sequence[int] = DEFAULT_EXTRA_SEEDS
    max_passes: ByMode = 100.0
    tol: float = 1e-9
    levels: Sequence[float] = DEFAULT_LEVELS
    reference: bool = True
    facts: Callable[[Any], Mapping[str, Any]] | None = None
    compute: Callable[[str], Any] | None = None
    pictures: Sequence[Picture] = ()
    tables: Callable[[Any], Sequence[Table]] | None = None
    notes: Sequence[str] = ()
    reduction: str = ""
    seconds: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        self._check_names()
        self._check_labels()
        for before, level in pairwise(self.levels):
            if not 0 < level < before:
                raise ValueError(f"{self.id}: levels must fall and be > 0, and {level:g} follows {before:g}")

    def _check_names(self) -> None:
        named = [("claim", [claim.id for claim in self.claims])]
        named += [("case", [case.name for case in self.cases_in(mode)]) for mode in MODES]
        named += [("contender", [one.label for one in self.contenders if mode in one.modes]) for mode in MODES]
        for kind, names in named:
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"{self.id}: each {kind} needs a name of its own, and {twice[0]!r} is there twice")

    def _check_labels(self) -> None:
        known = {contender.label for contender in self.contenders}
        for claim in self.claims:
            for label in sorted(claim.labels - known):
                hint = did_you_mean(label, known)
                raise ValueError(
                    f"{self.id} {claim.id}: its rule compares {label!r}, and no contender is called so{hint} "
                    f"(contenders: {', '.join(sorted(known)) or 'none'})"
                )

    @property
    def paper(self) -> str:
        """The id of the paper."""
        return self.id.partition("-")[0]

    def cases_in(self, mode: str) -> list[Case]:
        """The cases of a mode."""
        return [case for case in self.cases if mode in case.modes]

    def contenders_in(self, mode: str, case: Case) -> list[Contender]:
        """The contenders of a case in a mode."""
        return [each for each in self.contenders if mode in each.modes and (each.where is None or each.where(case))]

    def limit(self, mode: str, case: Case) -> float:
        """The passes after which a run of a case ends."""
        given = self.max_passes if case.max_passes is None else case.max_passes
        return float(value_in_mode(given, mode))


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
