"""What the runs of an item found, as claims, pictures and tables ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from cdlab import Record, Reference, Trace, comparisons
from cdlab.comparisons import FirstCrossing
from cdlab.plots import Curve, Panel, side_of_run

from .items import Case, Item, did_you_mean
from .planning import REFERENCE, CasePlan

COLUMNS = (*Record._fields, "relative_gap")  # These are the columns of traces.
P_ABOVE_OPTIMUM = "P - P*"  # Pictures draw this beside columns and e.


def check_column(name: str) -> None:
    """Refuse a column that traces have not, when a judge or a picture is declared.

    Raises
    ------
    ValueError
    """
    if name not in COLUMNS:
        raise ValueError(f"traces have no column {name!r}{did_you_mean(name, COLUMNS)} (columns: {', '.join(COLUMNS)})")


class Undecided(Exception):
    """Why a panel is not judged, in a sentence."""


class NotRun(Undecided):
    """A run is missing that a panel needs."""


@dataclass
class CaseResult:
    """One case, with the runs that are there.

    Attributes
    ----------
    item : Item
    plan : CasePlan
    by_label : dict from label to dict from seed to Trace
        With the reference's.
    failures : dict from label to str
        Why a run failed.
    """

    item: Item
    plan: CasePlan
    by_label: Mapping[str, Mapping[int, Trace]] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def case(self) -> Case:
        """The case."""
        return self.plan.case

    @property
    def name(self) -> str:
        """The case's name."""
        return self.case.name

    @property
    def tags(self) -> Mapping[str, Any]:
        """The case's tags."""
        return self.case.tags

    @property
    def complete(self) -> bool:
        """Whether all its runs are there."""
        return all(seed in self.by_label.get(label, {}) for label, seed in self.plan.runs)

    @property
    def conditions(self) -> Mapping[str, Any]:
        """Those of the problem, as the page shows them."""
        if self.plan.missing:
            raise NotRun(self.plan.missing)
        return self.plan.conditions

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the item measures of the problem."""
        if self.plan.missing:
            raise NotRun(self.plan.missing)
        return self.plan.facts

    @property
    def labels(self) -> list[str]:
        """The contenders, in their order."""
        return [label for label in self.plan.seeds if label != REFERENCE]

    @cached_property
    def seeds(self) -> list[int]:
        """The seeds of which every contender that draws has its run, if it has any: comparisons are in pairs."""
        random = [label for label in self.labels if len(self.plan.seeds[label]) > 1 and self.by_label.get(label)]
        if not random:
            return [0]
        return [s for s in self.plan.seeds[random[0]] if all(s in self.by_label[label] for label in random)]

    @cached_property
    def optimum(self) -> Reference:
        """P* as well as all runs know it."""
        traces = [trace for each in self.by_label.values() for trace in each.values()]
        if self.plan.known is not None:
            return self.plan.known.reference.with_runs(traces)
        if not traces:
            raise NotRun(self.plan.missing or "no run of it is finished")
        found_by = "the runs themselves" if self.reference is None else self.reference.label
        return Reference(np.empty(0), np.inf, -np.inf, float(traces[0].at_zero), found_by).with_runs(traces)

    @property
    def reference(self) -> Trace | None:
        """The run that finds P*, if there is one."""
        return next(iter(self.by_label.get(REFERENCE, {}).values()), None)

    def at_optimum(self, column: str) -> float:
        """A column of traces at P*, by the run that found it or by what is known without one.

        Raises
        ------
        NotRun
            If neither is there.
        """
        if self.plan.known is not None:
            return float(self.optimum.primal if column == "primal" else self.plan.known.scores[column])
        if self.reference is None:
            raise NotRun(self.plan.missing or "the run that finds P* is not there")
        return float(self.reference.column(column)[-1])

    @property
    def supported_levels(self) -> list[float]:
        """The levels that P* is known well enough for, falling."""
        optimum = self.optimum
        return comparisons.supported_levels(self.item.levels, optimum.certificate, optimum.at_zero, optimum.primal)

    def missing_reason(self, label: str) -> str:
        """Why a contender has no run, in a sentence."""
        return f"{label} failed: {self.failures[label]}" if label in self.failures else f"{label} was not run"

    def traces(self, label: str) -> list[Trace]:
        """The runs of a contender, one for each of `seeds`, or one.

        Raises
        ------
        Undecided
            If the case has no such contender.
        NotRun
            If it has, and there is none yet.
        """
        if not self.plan.missing and label not in self.plan.seeds:
            raise Undecided(f"{label} does not run here")
        by_seed = self.by_label.get(label, {})
        one_seed = len(self.plan.seeds.get(label, ())) == 1
        traces = list(by_seed.values()) if one_seed or not by_seed else [by_seed[seed] for seed in self.seeds]
        if not traces:
            raise NotRun(self.plan.missing or self.missing_reason(label))
        return traces

    def curves(self, label: str, by: str = "passes", of: str = "") -> list[tuple[np.ndarray, np.ndarray]]:
        """The errors e of a contender's runs, or a column of traces in their place, against another column."""
        if of:
            return [(trace.column(by), trace.column(of)) for trace in self.traces(label)]
        optimum = self.optimum
        return [
            (trace.column(by), comparisons.suboptimality(trace.column("primal"), optimum.primal, optimum.at_zero))
            for trace in self.traces(label)
        ]

    def reach(self, label: str, level: float, by: str = "passes", of: str = "") -> FirstCrossing:
        """The passes of a contender to a level of e, or of a column of traces."""
        return comparisons.reach(self.curves(label, by, of), level)

    def final_values(self, label: str, column: str = "") -> np.ndarray:
        """The value of e, or of a column of traces, at the end of each run of a contender."""
        return np.array([y[-1] for _, y in self.curves(label, "passes", column)])

    def labelled_curves(self, by: str = "passes", column: str = "") -> list[Curve]:
        """The curves of all contenders that have runs, for a panel.

        Parameters
        ----------
        by : str
            The column of traces to draw against.
        column : str
            The one to draw, or "P - P*"; by default e.
        """
        runs = {label: self._runs(label, by, column) for label in self.labels}
        return [Curve(label, self.side(label), each) for label, each in runs.items() if each]

    def side(self, label: str) -> str:
        """The colour of a contender that has runs: "primal", "dual", "full" or ""."""
        side = side_of_run(next(iter(self.by_label[label].values())))
        return side if side in ("primal", "dual", "full") else ""

    def _runs(self, label: str, by: str, column: str) -> list[tuple[np.ndarray, np.ndarray]]:
        try:
            if column in ("", P_ABOVE_OPTIMUM):
                size = self.optimum.at_zero - self.optimum.primal if column else 1.0
                return [(x, e * size) for x, e in self.curves(label, by)]
            return self.curves(label, by, column)
        except NotRun:
            return []


@dataclass
class Results:
    """All cases of an item in one mode.

    Attributes
    ----------
    item : Item
    mode : str
    cases : dict from the case's name to CaseResult
    computed : Any
        What the item computes without runs.
    """

    item: Item
    mode: str
    cases: dict[str, CaseResult]
    computed: Any = None

    def __getitem__(self, name: str) -> CaseResult:
        return self.cases[name]

    def where(self, chosen: Callable[[Case], bool] | None = None, judged: bool = True) -> list[CaseResult]:
        """The cases that are chosen; with `judged` only those that enter verdicts."""
        return [
            result
            for result in self.cases.values()
            if (result.case.judged or not judged) and (chosen is None or chosen(result.case))
        ]

    def curves(self) -> tuple[int, int]:
        """How many runs are there, and how many there should be."""
        found = sum(len(runs) for result in self.cases.values() for runs in result.by_label.values())
        return found, sum(len(result.plan.runs) for result in self.cases.values())


def by_tag(cases: Iterable[CaseResult], tag: str) -> dict[Any, list[CaseResult]]:
    """The cases that share a tag, by its values."""
    groups: dict[Any, list[CaseResult]] = {}
    for result in cases:
        groups.setdefault(result.tags[tag], []).append(result)
    return groups


def panel_of_each_case(panel: Callable[[CaseResult], Panel]) -> Callable[[Results], list[Panel]]:
    """Make a drawing of the panels of all cases, by their names; without those that lack runs or have no curve."""

    def draw(results: Results) -> list[Panel]:
        drawn = []
        for result in results.cases.values():
            with suppress(Undecided):
                drawn.append(panel(result))
                drawn[-1] = replace(drawn[-1], title=drawn[-1].title or result.name)
        return [each for each in drawn if each.curves]

    return draw


def case_panels(
    by: str = "passes", column: str = "", levels: bool = False, **options: Any
) -> Callable[[Results], list[Panel]]:
    """A drawing of a panel for each case that has runs.

    Parameters
    ----------
    by : str
        The column of traces to draw against.
    column : str
        The one to draw, or "P - P*"; by default e.
    levels : bool
        Whether lines show the item's levels.
    **options
        More of each `Panel`.
    """
    y_label = {"": "e", P_ABOVE_OPTIMUM: "P(w) - P*"}.get(column, column.replace("_", " "))
    for name in {by, column} - {"", P_ABOVE_OPTIMUM}:
        check_column(name)

    @panel_of_each_case
    def draw(result: CaseResult) -> Panel:
        shown = {"y_label": y_label, "levels": result.item.levels if levels else (), **options}
        return Panel(result.labelled_curves(by, column), x_label=by, **shown)

    return draw
