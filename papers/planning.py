"""From an item to its runs: what each case's problem is, and the key of every run, before any is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..datasets import Derived
from ..methods.base import draws_coordinates
from ..numerics import checks
from ..problems.problem import Problem
from ..runs.references import GRADIENT_TOL, UNCERTIFIED_METHOD, reference_method
from ..sweeps.outcomes import FINISHED
from ..sweeps.result_store import ResultStore
from ..sweeps.runner import Runner, RunTask
from ..sweeps.settings import parse_run
from ..sweeps.sweeping import plan_grid
from .items import Case, Contender, GeneratedData, Item
from .least_squares import least_squares

REFERENCE = "reference"  # the label of the run that finds P*
REFERENCE_TOL, REFERENCE_PASSES = 1e-10, 3000.0


@dataclass
class CasePlan:
    """A case and its runs.

    Attributes
    ----------
    case : Case
    conditions : dict
        Of the problem, as the page shows them.
    facts : mapping
        What the item measures of the problem.
    runs : dict from (label, seed) to RunTask
    seeds : dict from label to list of int
        One seed where nothing is drawn.
    known : dict or None
        P* without a run, with test errors there: see `least_squares`.
    missing : str
        Why the case cannot be run here; "" if it can.
    """

    case: Case
    conditions: dict[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    runs: dict[tuple[str, int], RunTask] = field(default_factory=dict)
    seeds: dict[str, list[int]] = field(default_factory=dict)
    known: dict[str, Any] | None = None
    missing: str = ""

    @property
    def all_keys(self) -> list[str]:
        """The keys of all runs."""
        return [task.key for task in self.runs.values()]


def plan_case(item: Item, case: Case, mode: str, seeds: Sequence[int], runner: Runner, store: ResultStore) -> CasePlan:
    """The plan of one case; data that are not here are its `missing`.

    Parameters
    ----------
    item, case, mode
        The case is one of the item's in this mode.
    seeds : sequence of int
        Of contenders that draw.
    runner : Runner
        Reads the data.
    store : ResultStore
        Of the runs.
    """
    plan = CasePlan(case)
    try:
        base = {**_data(case), "loss": case.loss, "l2": case.l2, "l1": case.l1}
        settings = parse_run(base)
        n = runner.data.arrays(settings.data)[0].shape[0]
        problem = runner.problem(settings).with_(l2=settings.at(n).l2, l1=settings.at(n).l1)
    except (OSError, ValueError) as error:
        plan.missing = f"{case.data_text}: {checks.error_message(error)}"
        return plan
    plan.conditions = _conditions(case, problem)
    plan.facts = {} if item.facts is None else item.facts(problem)
    contenders = item.contenders_in(mode, case)
    if not contenders:
        return plan
    if case.test:
        base["test"] = case.data
    limit = {"max_passes": item.limit(mode, case), "tol": item.tol}
    test = runner.data.arrays(settings.data.test_part) if case.test else None
    plan.known = least_squares(problem, store, test) if item.reference else None
    if item.reference and plan.known is None:
        _add(plan, REFERENCE, [0], _reference(problem, base), runner)
    for each in contenders:
        run = {**base, **limit, **_method(each, problem)}
        several = each.draws and draws_coordinates(parse_run(run).method)
        _add(plan, each.label, list(seeds) if several else list(seeds)[:1], run, runner)
    return plan


def in_order(plans: Iterable[Sequence[CasePlan]], store: ResultStore) -> Iterator[list[RunTask]]:
    """The runs that the store lacks: references, then the first seed of everything, then the second, ...

    What is interrupted so has whole pictures, of fewer seeds. Yields all runs so far whenever an item is planned.
    """
    left: dict[str, tuple[int, RunTask]] = {}
    for each in plans:
        finished = store.index(FINISHED)
        for plan in each:
            for (label, seed), run in plan.runs.items():
                if run.key not in finished:
                    rank = -1 if label == REFERENCE else plan.seeds[label].index(seed)
                    left.setdefault(run.key, (rank, run))
        yield [run for _, run in sorted(left.values(), key=lambda each: each[0])]


def _add(plan: CasePlan, label: str, seeds: list[int], run: dict[str, Any], runner: Runner) -> None:
    plan.seeds[label] = seeds
    for seed in seeds:
        [plan.runs[label, seed]] = plan_grid([{**run, "seed": seed}], runner, None, None)


def _data(case: Case) -> dict[str, Any]:
    if isinstance(case.data, GeneratedData):
        return {"data": case.data.arrays, "scale": case.data.scale}
    if isinstance(case.data, Derived):
        return {"data": case.data}
    return {"data": case.data, "split": "train" if case.test else "all"}


def _method(contender: Contender, problem: Problem) -> dict[str, Any]:
    more = contender.settings
    given = {"method": contender.method, "sampling": contender.sampling}
    return given | dict(more(problem) if callable(more) else more)


def _reference(problem: Problem, base: dict[str, Any]) -> dict[str, Any]:
    method = reference_method(problem)
    tol = GRADIENT_TOL if method == UNCERTIFIED_METHOD else REFERENCE_TOL
    return {**base, "method": method, "tol": tol, "max_passes": REFERENCE_PASSES, "every": None}


def _conditions(case: Case, problem: Problem) -> dict[str, Any]:
    if isinstance(case.data, GeneratedData):
        recipe = case.data.recipe + ("" if case.data.scale == "none" else f", scale={case.data.scale!r}")
    else:
        recipe = case.data.recipe if isinstance(case.data, Derived) else f"{case.data}, as it is"
    smooth = problem.loss.gamma > 0 and problem.l2 > 0
    return {
        "recipe": recipe,
        "digest": problem.digest[:16],
        "n": problem.n,
        "d": problem.d,
        "nnz": problem.nnz,
        "loss": repr(problem.loss),
        "l2": problem.l2,
        "l2 n": problem.l2 * problem.n,
        "l1": problem.l1,
        "kappa/n": problem.kappa / problem.n if smooth else None,
    }
