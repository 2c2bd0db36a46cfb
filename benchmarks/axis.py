"""docs/axis.md: every method's theorems as bounds on the measured gap, beside means of runs.

python benchmarks/axis.py [--problems K]

Takes some minutes on one core.
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sympy as sp

import cdlab
from cdlab import samplings, theory
from cdlab.dashboard.engine.choices import Contestant
from cdlab.dashboard.engine.problems import PreparedProblem
from cdlab.dashboard.engine.theorems import theorem
from cdlab.methods import METHODS, resolve
from cdlab.methods.base import Method, draws_coordinates
from cdlab.theory.bound import covering_bound

PAGE = Path(__file__).resolve().parent.parent / "docs" / "axis.md"
DRAWS = 30
PASSES = 20
DIGITS = 1e-11  # of P(0) - D(0): below, runs and bounds show rounding
BLOCK = 4
SAMPLINGS = ("uniform", "importance", "norms", "cyclic")
IN_BLOCKS = ("sdca", "sdna", "primal_sdna", "asdca", "spdc", "quartz", "rcd", "apcg", "acc_rcd", "saga", "lsvrg")
VIEWS = {"P-D": "the gap", "P(w)-P*": "P(w) - P\\*", "D*-D": "D\\* - D(alpha)"}
NEAR = 0.5  # of 1: from here on the table says how far chance may move a ratio
LEVELS = np.geomspace(0.5, 1e-6, 20)  # at which the passes of methods of stages are compared


@dataclass(frozen=True)
class Case:
    """A small problem: what the table calls it, and what it is made of."""

    loss: str
    n: int
    d: int
    l2: float
    l1: float = 0.0
    density: float = 1.0
    seed: int = 0

    def __str__(self) -> str:
        l1 = f", l1 = {self.l1:g}" if self.l1 else ""
        return f"{self.loss}, {self.n} x {self.d}, l2 = {self.l2:g}{l1}"

    @cached_property
    def P(self) -> cdlab.Problem:
        task = "regression" if self.loss == "squared" else "classification"
        X, y = cdlab.datasets.make(n=self.n, d=self.d, density=self.density, task=task, seed=self.seed)
        return cdlab.Problem(X, y, loss=self.loss, l2=self.l2, l1=self.l1)

    @cached_property
    def optimum(self) -> float:
        return cdlab.reference(self.P, tol=1e-13).primal


CASES = (
    Case("logistic", 30, 8, 0.1),
    Case("squared", 20, 30, 0.05),
    Case("smooth_hinge", 40, 10, 0.3, l1=0.02),
    Case("hinge", 30, 10, 0.1),
    Case("logistic", 25, 6, 3e-3, density=0.4),
    Case("squared", 15, 6, 2e-3),
    *(
        Case(loss, n, d, l2, l1, density, seed)
        for seed, (loss, (n, d, l2, l1, density)) in enumerate(
            product(
                ("logistic", "squared", "hinge"),
                (
                    (40, 10, 1.0, 0.0, 1.0),
                    (30, 12, 1 / 30, 0.0, 0.3),
                    (12, 40, 0.1, 0.0, 0.5),
                    (30, 8, 0.1, 0.03, 1.0),
                    (20, 5, 1e-2, 0.0, 1.0),
                ),
            ),
            start=1,
        )
    ),
)


class Entry(NamedTuple):
    """A method and a sampling."""

    method: Method
    sampling: str

    def __str__(self) -> str:
        draws = self.sampling if draws_coordinates(self.method) else ""
        return f"{self.method.label} {draws}".strip()


def entries() -> Iterator[Entry]:
    """Every method with uniform sampling, and with the other samplings and blocks that theorems speak of."""
    for name in METHODS:
        method = resolve(name)
        drawn = draws_coordinates(method) and not getattr(method, "batch_size", None)
        for sampling in SAMPLINGS[: len(SAMPLINGS) if drawn else 1]:
            if sampling in (method.samplings or SAMPLINGS):
                yield Entry(method, sampling)
        if name in IN_BLOCKS:
            yield Entry(METHODS[name](batch_size=BLOCK), "uniform")  # type: ignore[call-arg]


class Compared(NamedTuple):
    """A bound beside the mean of runs: the largest measured over promised, and how far chance may move it."""

    entry: Entry
    bound: theory.Bound
    ratio: float
    deviation: float  # one standard error of the mean, on the same scale


def is_of_stages(b: theory.Bound) -> bool:
    """Tell whether what is bounded in expectation are the passes of a stage, and not the error after some passes."""
    return b.step == "stage" and b.W.has(sp.log)


def measured(case: Case, entry: Entry, draws: int = DRAWS, passes: float = PASSES) -> cdlab.Race | None:
    """The race of an entry with itself; None where it cannot run on the problem."""
    method, sampling = entry
    if method.refusal(case.P, samplings.resolve(sampling)) is not None:
        return None
    return cdlab.race(case.P, [(method, {"sampling": sampling})], seeds=range(draws), tol=0, max_passes=passes)


def bounds_on(entry: Entry, bounded: str) -> tuple[theory.Bound, ...]:
    """The theorems about an entry on a quantity."""
    try:
        return theory.sharpest(entry.method, entry.sampling, bounded).bounds
    except ValueError:
        return ()


def errors_of(case: Case, race: cdlab.Race, bounded: str) -> np.ndarray:
    """The quantity in each record of each run, (runs, records)."""
    shortest = min(len(trace.records) for trace in race.traces)
    found = []
    for trace in race.traces:
        own = [trace.column(name)[:shortest] for name in ("gap", "lower", "upper")]
        if bounded == "P-D":
            found.append(np.fmin(own[0], own[2] - own[1]))
        elif bounded == "P(w)-P*":
            found.append(trace.best_primal()[:shortest] - case.optimum)
        else:
            found.append(case.optimum - trace.best_dual()[:shortest])
    return np.array(found)


def compared(case: Case, entry: Entry, race: cdlab.Race, bounded: str) -> Iterator[Compared]:
    """Each bound on a quantity beside the mean of the runs."""
    at = race.traces[0].column("passes")
    start = case.P.at_zero - case.P.dual_at_zero
    errors = errors_of(case, race, bounded)
    for b in bounds_on(entry, bounded):
        try:
            if is_of_stages(covering_bound(b, case.P, {})[0]):
                yield Compared(entry, b, *_passes_to_levels(case, b, race, bounded))
                continue
            curve = np.asarray(b.curve(case.P, at[: errors.shape[1]]))
        except ValueError:  # it does not cover the problem
            continue
        seen = curve > DIGITS * start
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = errors.mean(axis=0) / curve
            spread = errors.std(axis=0, ddof=1) / np.sqrt(len(errors)) / curve
        if seen.any():
            worst = int(np.argmax(np.where(seen, ratios, -math.inf)))
            yield Compared(entry, b, float(ratios[worst]), float(spread[worst]))


def _passes_to_levels(case: Case, b: theory.Bound, race: cdlab.Race, bounded: str) -> tuple[float, float]:
    """Mean passes to levels of the best error so far over those promised; a run that did not get there counts its end.

    (Then the mean is larger than what is said here, and so are those promised: they are beyond the end.)
    """
    start = case.P.at_zero - case.P.dual_at_zero
    grid = np.geomspace(1.0, 1e7, 4000)
    curve = np.asarray(b.curve(case.P, grid))
    best = np.minimum.accumulate(errors_of(case, race, bounded), axis=1)
    passes = np.array([trace.column("passes")[: best.shape[1]] for trace in race.traces])
    worst, spread = 0.0, 0.0
    for level in LEVELS * start:
        first = [hit.argmax() if hit.any() else -1 for hit in best <= level]
        reached = passes[np.arange(len(first)), first]
        below = np.flatnonzero(curve <= level)
        if below.size and (ratio := reached.mean() / grid[below[0]]) > worst:
            worst, spread = float(ratio), float(reached.std(ddof=1) / np.sqrt(len(reached)) / grid[below[0]])
    return worst, spread


def why_none(case: Case, entry: Entry) -> str:
    """The page's sentence where no curve is drawn; empty where one is."""
    contestant = Contestant(str(entry), entry.method.name, entry.method, samplings.resolve(entry.sampling))
    found = theorem(PreparedProblem(case.P), contestant, 1e-6)
    return "" if found.curve is not None else found.words


# ------------------------------------------------------------ the page
HEAD = """# One axis: every theorem as a bound on the measured gap

Generated by `python benchmarks/axis.py`; do not edit.

A race judges its entries by the duality gap that each has proved by itself, so a bound is drawn beside a run where it
is one on this gap. Theorems on P(w) - P\\*, D\\* - D(alpha) or ||w - w\\*||^2 become one by
[`Bound.on_gap()`](beyond.md), at a pair of points that the races measure (`Record.lower` and `upper`); what they need
of the unknown optimum is bounded by the gap of the start. Here each is beside the mean of {draws} draws on
{problems} small problems: measured over promised, at the record where that is largest. Of the proximal-point methods
the passes of a number of stages are what is bounded on average, and here mean passes to a level are over those
promised. A number above 1 by more than chance would be a bound that does not hold: after ± stands the standard error
of the mean, which is large where a few runs have most of the error.

```python
from cdlab import theory

print(theory.sharpest("spdc"))
```

| method | theorem | {views} | largest on |
|---|---|---|---|---|---|
"""
WITHOUT = """
## Where nothing is drawn

What no theorem says is told in a sentence, on the page and here; on the first problem on which it is so.

| method | problem | why |
|---|---|---|
"""


def ratio_words(ratio: float, deviation: float) -> str:
    """The ratio, and where it is near 1, the standard error of the mean."""
    return f"{ratio:.2g} ± {deviation:.1g}" if ratio > NEAR and deviation > 1e-3 else f"{ratio:.2g}"


def table(cases: tuple[Case, ...], draws: int = DRAWS) -> tuple[list[str], list[str]]:
    """The rows of both tables."""
    worst: dict[tuple[str, str], dict[str, tuple[float, float, str]]] = {}
    silent: dict[str, tuple[str, str]] = {}
    for case, entry in product(cases, list(entries())):
        if entry.method.refusal(case.P, samplings.resolve(entry.sampling)) is not None:
            continue
        race = measured(case, entry, draws) if any(bounds_on(entry, bounded) for bounded in VIEWS) else None
        for bounded in VIEWS if race else ():
            for each in compared(case, entry, race, bounded):
                name = each.bound.theorem + theory.guarantees.CHECKED * (each.bound.kind == "checked")
                row = worst.setdefault((str(entry), name), {})
                row[bounded] = max(row.get(bounded, (0.0, 0.0, "")), (each.ratio, each.deviation, str(case)))
        if words := why_none(case, entry):
            silent.setdefault(str(entry), (str(case), words))
        print(case, entry, flush=True)
    rows = [
        f"| {entry} | {name} | "
        + " | ".join(ratio_words(*row[view][:2]) if view in row else "" for view in VIEWS)
        + f" | {row.get('P-D', max(row.values()))[2]} |"
        for (entry, name), row in sorted(worst.items())
    ]
    return rows, [f"| {entry} | {case} | {words} |" for entry, (case, words) in sorted(silent.items())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=len(CASES))
    cases = CASES[: parser.parse_args().problems]
    rows, silent = table(cases)
    head = HEAD.format(draws=DRAWS, problems=len(cases), views=" | ".join(VIEWS.values()))
    PAGE.write_text(head + "\n".join(rows) + "\n" + WITHOUT + "\n".join(silent) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
