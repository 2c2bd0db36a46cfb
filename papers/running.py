"""reproduce: from items to runs, from runs to verdicts and pages."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

import cdlab

from . import pages
from .items import MODES, Item, Paper
from .pictures import Drawing, drawings, write_all
from .planning import CasePlan, in_order, plan_case
from .recording import recorded
from .registry import PAPERS
from .results import CaseResult, Results
from .verdicts import claim_verdict, close_cases

DEFAULT_FOLDER = "reproductions"


@dataclass
class Reproduced:
    """What `reproduce` did.

    Attributes
    ----------
    results : list of Results
    found : dict
        Of results.json, by item, then by mode, with what earlier commands found.
    interrupted : bool
        Whether Ctrl-C ended the runs; the pages show what is there.
    """

    results: list[Results]
    found: dict[str, dict[str, Any]]
    interrupted: bool

    @property
    def complete(self) -> bool:
        """Whether every curve is there, and no claim is undecided in all panels."""
        told = [self.found[each.item.id][each.mode] for each in self.results]
        curves = all(one["curves"][0] == one["curves"][1] and not one["missing"] for one in told)
        return curves and not any(claim["state"] for one in told for claim in one["claims"])


def reproduce(
    items: Sequence[Item],
    mode: str = "quick",
    *,
    out: str | os.PathLike[str] = DEFAULT_FOLDER,
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    seeds: Sequence[int] | None = None,
    fresh: bool = False,
    executor: str = "processes",
    progress: Callable[[str], Any] | None = None,
    papers: Sequence[Paper] = PAPERS,
) -> Reproduced:
    """Run what is missing of some items, judge their claims, and write their pages.

    A curve that is in the store is never computed again; whatever ends the call, the same call goes on.

    Parameters
    ----------
    items : sequence of Item
        As of `select_items`.
    mode : {"quick", "full"}, default "quick"
        A preview, or the verdict.
    out : str or path
        The folder of the pages, made if it is missing; what it shows of other items stays.
    store : str or path, optional
        The folder of the traces; by default in the cache.
    jobs : int, optional
        Processes; by default one for each core.
    seeds : sequence of int, optional
        In place of each item's.
    fresh : bool, default False
        Compute all runs of these items anew.
    executor : str, default "processes"
        As of `cdlab.sweep`.
    progress : callable, optional
        Called with a sentence now and then.
    papers : sequence of Paper
        Those that `items` are of.

    Returns
    -------
    Reproduced

    Raises
    ------
    ValueError
        For another mode, or an `out` that holds something else.
    OSError
        If a page or a trace cannot be written.
    ImportError
        Without matplotlib.
    """
    if mode not in MODES:
        raise ValueError(f"the mode must be {' or '.join(MODES)}, not {mode!r}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ImportError("the pictures of reproductions need matplotlib: pip install matplotlib")
    folder, tell = Path(out), progress or (lambda text: None)
    folder.mkdir(parents=True, exist_ok=True)
    pages.read_results(folder)  # before hours of work depend on it
    work = _Work(mode, _made(store), executor, jobs, tell)
    plans = {item.id: work.planned(item, item.seeds if seeds is None else seeds) for item in items}
    if fresh:
        keys = {key for each in plans.values() for plan in each for key in plan.keys.values()}
        cdlab.Store(work.store, sorted(keys)).forget()
    interrupted = work.run(plans)
    if mode == "full" and seeds is None and not interrupted:
        interrupted = work.decide(items, plans)
    tell("judging, and drawing the pictures")
    results, told = [], {}

    def judged() -> Iterator[Drawing]:
        for item in items:
            results.append(work.results(item, plans[item.id]))
            told[item.id] = recorded(results[-1])
            yield from drawings(results[-1], folder)

    write_all(judged(), 1 if executor == "serial" else jobs, tell)
    tell("writing the pages")
    known = pages.read_results(folder)  # again: another command may have written meanwhile
    for name, one in told.items():
        known.setdefault(name, {})[mode] = one
    pages.write_pages(folder, known, papers)
    return Reproduced(results, known, interrupted)


def planned_runs(
    items: Sequence[Item], mode: str, store: str | os.PathLike[str] | None = None, seeds: Sequence[int] | None = None
) -> list[dict[str, Any]]:
    """What `reproduce` would run: item, case, label, seed and key of each run, and whether it is in the store."""
    finished = set(cdlab.Store(_made(store)).keys)
    return [
        {"item": item.id, "case": case.name, "run": label, "seed": seed, "key": key, "there": key in finished}
        for item in items
        for case in item.cases_in(mode)
        for (label, seed), key in plan_case(item, case, mode, seeds or item.seeds).keys.items()
    ]


def _made(store: str | os.PathLike[str] | None) -> Path:
    """The folder of the store, which is there; by default ``reproductions`` in that for what can be made again."""
    cache = platformdirs.user_cache_path("cdlab", appauthor=False)
    folder = cache / "reproductions" if store is None else Path(store)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class _Work:
    """One call: its mode, its store, and what it has computed."""

    mode: str
    store: Path
    executor: str
    jobs: int | None
    tell: Callable[[str], Any]
    computed: dict[str, Any] = field(default_factory=dict)  # by item: what is measured is measured once

    def planned(self, item: Item, seeds: Sequence[int]) -> list[CasePlan]:
        self.tell(f"reading the data of {item.id}")
        return [plan_case(item, case, self.mode, seeds) for case in item.cases_in(self.mode)]

    def run(self, plans: dict[str, list[CasePlan]]) -> bool:
        """Run what is missing; whether it was interrupted."""
        runs = in_order(plan for each in plans.values() for plan in each)
        if not runs:
            return False
        try:
            cdlab.sweep(runs, self.executor, store=self.store, jobs=self.jobs, progress=lambda now: self.tell(str(now)))
        except KeyboardInterrupt:
            return True
        return False

    def decide(self, items: Sequence[Item], plans: dict[str, list[CasePlan]]) -> bool:
        """More seeds for the cases of panels that are close; whether it was interrupted."""
        for item in items:
            results = self.results(item, plans[item.id])
            close = {name for claim in item.claims for name in close_cases(claim_verdict(claim, results))}
            more = [*item.seeds, *item.extra_seeds]
            if item.extra_seeds:
                plans[item.id] = [
                    plan_case(item, plan.case, self.mode, more) if plan.case.name in close else plan
                    for plan in plans[item.id]
                ]
        return self.run(plans)

    def results(self, item: Item, plans: list[CasePlan]) -> Results:
        keys = sorted({key for plan in plans for key in plan.keys.values()})
        store = cdlab.Store(self.store, keys)
        traces = {trace.meta["key"]: trace for trace in store}
        failed = {} if len(traces) == len(keys) else store.to_frame().set_index("key")["failure"].to_dict()
        cases = {}
        for plan in plans:
            by_label: dict[str, dict[int, cdlab.Trace]] = {}
            failures: dict[str, str] = {}
            for (label, seed), key in plan.keys.items():
                if key in traces:
                    by_label.setdefault(label, {})[seed] = traces[key]
                elif key in failed:
                    failures[label] = failed[key]
            cases[plan.case.name] = CaseResult(item, plan, by_label, failures)
        if item.compute and item.id not in self.computed:
            self.computed[item.id] = item.compute(self.mode)
        return Results(item, self.mode, cases, self.computed.get(item.id))
