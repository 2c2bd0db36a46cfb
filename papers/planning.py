"""The plan of an item: each case's problem, and the settings and key of every run, before any is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from cdlab import Problem, Reference, datasets, methods, reference, samplings
from cdlab.datasets import Derived
from cdlab.runs.references import reference_method
from cdlab.sweeps import run_keys

from .items import Case, Contender, GeneratedData, Item

REFERENCE = "reference"  # This is the label of the run that finds P*.
REFERENCE_TOL, REFERENCE_PASSES = 1e-10, 3000.0
UNCERTIFIED_METHOD, GRADIENT_TOL = "lbfgs", 1e-9  # A reference that nothing certifies is found by these.
RUN_SETTINGS = ("sampling", "seed", "tol", "max_passes", "divergence_tol", "every", "strong_convexity", "start")
Run = dict[str, Any]  # the settings of a run, as `cdlab.sweep` takes them
Arrays = tuple[Any, Any]


@dataclass(frozen=True)
class KnownOptimum:
    """P* that needs no run, with the test errors there."""

    reference: Reference
    scores: Mapping[str, float]


@dataclass
class CasePlan:
    """A case and its runs.

    Attributes
    ----------
    case : Case
    conditions : dict
        The problem's conditions, as the page shows them.
    facts : mapping
        The facts that the item measures of the problem.
    runs : dict from (label, seed) to dict
        The settings of each run.
    keys : dict from (label, seed) to str
        The key of each run in the store; identical runs share one.
    seeds : dict from label to list of int
        The seeds of each contender; a single one where nothing is drawn.
    known : KnownOptimum or None
        The optimum of least squares without a regulariser.
    missing : str
        The reason why the case cannot be run here; "" if it can.
    """

    case: Case
    conditions: dict[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    runs: dict[tuple[str, int], Run] = field(default_factory=dict)
    keys: dict[tuple[str, int], str] = field(default_factory=dict)
    seeds: dict[str, list[int]] = field(default_factory=dict)
    known: KnownOptimum | None = None
    missing: str = ""


def plan_case(item: Item, case: Case, mode: str, seeds: Sequence[int]) -> CasePlan:
    """The plan of one case; data that are not here are its `missing`.

    Parameters
    ----------
    item, case, mode
        The case is one of the item's in this mode.
    seeds : sequence of int
        The seeds of contenders that draw coordinates.
    """
    plan = CasePlan(case)
    try:
        data, test = _load(case.data, case.test)
        l2, l1 = (_weight(each, data[1].size) for each in (case.l2, case.l1))
        problem = Problem(*data, case.loss, l2, l1)
    except (OSError, ValueError) as error:
        plan.missing = f"{case.data_text}: {getattr(error, 'strerror', None) or ' '.join(str(error).split())}"
        return plan
    plan.conditions = _conditions(case, problem)
    plan.facts = {} if item.facts is None else item.facts(problem)
    contenders = item.contenders_in(mode, case)
    if not contenders:
        return plan
    base: Run = {"data": data, "loss": case.loss, "l2": l2, "l1": l1} | ({"test": test} if case.test else {})
    if item.reference:
        if reference_method(problem) is None:
            plan.known = _least_squares(problem, test if case.test else None)
        else:
            _add(plan, REFERENCE, [0], base | _reference_settings(problem))
    limit = {"max_passes": item.limit(mode, case), "tol": item.tol}
    for each in contenders:
        run = base | limit | _method_settings(each, problem)
        _add(plan, each.label, list(seeds) if each.draws and _draws(run) else list(seeds)[:1], run)
    plan.keys = dict(zip(plan.runs, run_keys(list(plan.runs.values())), strict=True))
    return plan


def in_order(plans: Iterable[CasePlan]) -> list[Run]:
    """All runs: references, then the first seed of everything, then the second, ...

    So an interrupted item has whole pictures, of fewer seeds.
    """
    ranked = [
        (-1 if label == REFERENCE else plan.seeds[label].index(seed), run)
        for plan in plans
        for (label, seed), run in plan.runs.items()
    ]
    return [run for _, run in sorted(ranked, key=lambda each: each[0])]


def _add(plan: CasePlan, label: str, seeds: list[int], run: Run) -> None:
    plan.seeds[label] = seeds
    plan.runs |= {(label, seed): run | {"seed": seed} for seed in seeds}


@cache
def _load(data: str | Derived | GeneratedData, own_test: bool) -> tuple[Arrays, Arrays | None]:
    """The examples, and their test part; read once, since a sweep tells arrays apart by identity."""
    if isinstance(data, GeneratedData):
        X, y = data.make()
        return (X if data.scale == "none" else datasets.scaled(X, data.scale), y), None
    if isinstance(data, Derived):
        X, y, test = data.load(_read)
        return (X, y), test
    X, y = _read(data, split="train" if own_test else "all")
    return (X, y), tuple(_read(data, split="test")) if own_test else None


@lru_cache(4)
def _read(name: str, split: str) -> Any:
    """`datasets.load` for several sets that are derived from one."""
    return datasets.load(name, split=split)


def _weight(value: float | str, n: int) -> float:
    """A number, or a text such as "0.1/n"."""
    return float(value.removesuffix("/n")) / n if isinstance(value, str) else float(value)


def _draws(run: Run) -> bool:
    """Tell whether a run draws coordinates, so that its seed matters."""
    settings = {"data", "test", "loss", "l2", "l1", "method", *RUN_SETTINGS}
    method = methods.resolve(run["method"], **{name: run[name] for name in run if name not in settings})
    return method.draws(samplings.Uniform()) is not None


def _method_settings(contender: Contender, problem: Problem) -> Run:
    more = contender.settings
    given = {"method": contender.method, "sampling": contender.sampling}
    return given | dict(more(problem) if callable(more) else more)


def _reference_settings(problem: Problem) -> Run:
    method = reference_method(problem)
    tol = GRADIENT_TOL if method == UNCERTIFIED_METHOD else REFERENCE_TOL
    return {"method": method, "tol": tol, "max_passes": REFERENCE_PASSES, "every": None}


def _least_squares(problem: Problem, test: Arrays | None) -> KnownOptimum:
    """P* without a run, with the test errors where there is a test part; of one set computed once."""
    key = f"{problem.digest} {problem.loss!r}"
    if key not in _optima:
        _optima[key] = reference(problem)
    if test is None:
        return KnownOptimum(_optima[key], {})
    scores = problem.test_scores(_optima[key].w, problem.test_data(*test))
    return KnownOptimum(_optima[key], {"test_error": scores.test_error, "test_sign_error": scores.test_sign_error})


_optima: dict[str, Reference] = {}  # optima of least squares, by the digest of the data and the loss


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
