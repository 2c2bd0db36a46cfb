"""What bounds promise, what happens exactly, and what was measured; samplings raced. Writes docs/rates.md.

    CDLAB_DATA=FOLDER nice -n 5 python benchmarks/rates.py        one process, about ten minutes

The problems and samplings below were chosen before the first run. The squared loss, so that exact rates exist;
real data divided by their mean row norm, labels by their standard deviation, l2 = 1/n.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from faceoff_sets import mean_norm

import cdlab
from cdlab import datasets, theory

REAL = (
    "housing_scale", "bodyfat_scale", "space_ga_scale", "abalone_scale", "leu",
    "mushrooms", "a9a", "w8a", "rcv1_vw1000", "reuters21578.earnacq",
)  # fmt: skip
MADE = {
    "equicorrelated:n=24,s0=0.05": 0.05 / 24,
    "identical:n=20,q=4": 1 / 20,
    "clusters:m=50,q=3,c=0.5": 1 / 100,
    "orthogonal:n=40,row_spread=1": 1 / 40,
    "chain:n=20,Q=9": 1 / 20,
    "chain:n=1000,Q=201": 1 / 1000,
    "arrow:d=60,n=60,a=1,b=0.05,c=1": 1 / 60,
    "arrow:d=60,n=60,a=1,b=1,c=0.05": 1 / 60,
    "synthetic:n=200,d=40": 1 / 200,
    "synthetic:n=200,d=40,density=0.1,skew=1": 1 / 200,
}
METHODS = ("sdca", "rcd")
SAMPLINGS = ("uniform", "permutation", "importance", "clipped", "mixture", "best")
SEEDS = range(10)
MAX_PASSES = 1000
MAX_WORK = 2e8  # nonzeros visited by all seeds of an entry
FIRST, LAST = 1e-2, 1e-8  # of the first error: between them the measured rate is taken
TARGET = 1e-6
PAGE = Path(__file__).parents[1] / "docs/rates.md"


class Case(NamedTuple):
    """A problem by its name, with its optimum."""

    name: str
    problem: cdlab.Problem
    optimum: float


def cases() -> Iterator[Case]:
    for name in REAL:
        X, y = datasets.load(name)
        yield solved(name, cdlab.Problem(X / mean_norm(X), y / np.std(y), "squared", l2=1 / X.shape[0]))
    for call, l2 in MADE.items():
        yield solved(call, cdlab.Problem(*datasets.load(call), "squared", l2=l2))


def solved(name: str, problem: cdlab.Problem) -> Case:
    return Case(name, problem, cdlab.solve(problem, tol=1e-12, max_passes=5000).trace.column("primal").min())


class Measured(NamedTuple):
    """Means over seeds: passes per factor e, and passes to TARGET."""

    per_e: float
    to_target: float


def measure(case: Case, method: str, sampling: Any) -> Measured:
    """Run a method at `SEEDS` and take the decay of the mean of its own error, P - P* or D* - D."""
    P = case.problem
    most = int(min(MAX_PASSES, max(30, MAX_WORK / (P.nnz * len(SEEDS)))))
    entry = (method, {"sampling": sampling})
    race = cdlab.race(P, [entry], seeds=SEEDS, max_passes=most, tol=1e-13, every=1)
    grid = np.arange(most + 1)
    errors = []
    for trace in race.traces:
        values = trace.column("primal") - case.optimum if method == "rcd" else case.optimum - trace.column("dual")
        passes = trace.column("passes")
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.maximum(values, 1e-300))
        errors.append(np.exp(np.interp(grid, passes, logs)))
    mean = np.mean(errors, axis=0)
    mean = mean / mean[0]
    at = np.flatnonzero(mean <= TARGET)
    begin = int(np.argmax(mean <= FIRST)) if (mean <= FIRST).any() else 0
    end = int(np.argmax(mean <= LAST)) if (mean <= LAST).any() else most
    fell = np.log(mean[begin] / mean[end]) if end > begin and mean[end] > 0 else 0.0
    return Measured((end - begin) / fell if fell > 0.1 else np.inf, float(at[0]) if at.size else np.inf)


def promised(case: Case, method: str, name: str) -> float:
    """Passes per factor e by a theorem: K W/nnz."""
    try:
        return theory.bound(method, "T", theorem=name).for_problem(case.problem) / case.problem.nnz
    except ValueError:
        return np.nan


@cache
def best(problem: cdlab.Problem, method: str) -> np.ndarray | None:
    """The best independent probabilities, where they can be computed."""
    lines = problem.n if method == "sdca" else problem.d
    return theory.best_sampling(problem, method).p if lines <= 30 else None


def rate_rows(found: list[Case]) -> Iterator[list[str]]:
    for case in found:
        print(case.name, file=sys.stderr, flush=True)
        P = case.problem
        for method in METHODS:
            rate = theory.exact_rate(P, method, "uniform")
            low, high = rate.passes_interval
            exact = f"{rate.passes:.3g}" if high <= low * 1.001 else f"{low:.3g} to {high:.3g}"
            lines = P.n if method == "sdca" else P.d
            curvature = P.kappa if method == "sdca" else theory.bound("rcd", "K").for_problem(P) / P.d  # L_max/l2
            access = "uniform row" if method == "sdca" else "column"
            floor = theory.floor(lines, curvature, access).passes if lines > 2 and curvature > 1 else 0.0
            seen = measure(case, method, "uniform").per_e
            yield [
                case.name, method, f"{promised(case, method, 'smooth'):.3g}",
                f"{promised(case, method, 'halved'):.3g}", exact, f"{seen:.3g}", f"{floor:.3g}",
            ]  # fmt: skip


def sampling_rows(found: list[Case]) -> Iterator[tuple[list[str], bool, list[float]]]:
    """Rows of the races, whether the predicted winner won, and measured over predicted passes, relative to uniform."""
    for case in found:
        print(case.name, "raced", file=sys.stderr, flush=True)
        for method in METHODS:
            measured, exact, cells = {}, {}, []
            for sampling in SAMPLINGS:
                p = best(case.problem, method) if sampling == "best" else sampling
                if p is None:
                    cells.append("")
                    continue
                measured[sampling] = measure(case, method, p).to_target
                try:
                    rate = theory.exact_rate(case.problem, method, p)
                except ValueError:  # permutations of many coordinates
                    cells.append(f"{measured[sampling]:.3g}")
                    continue
                exact[sampling] = rate.passes
                cells.append(f"{measured[sampling]:.3g} ({rate.passes:.3g}{'' if rate.how != 'band' else '~'})")
            winner, near, ratios = judge(measured, exact)
            foretold = min(exact, key=lambda name: exact[name])
            yield [case.name, method, *cells, winner, foretold], near, ratios


def judge(measured: dict[str, float], exact: dict[str, float]) -> tuple[str, bool, list[float]]:
    """The winner, whether the predicted one is within 10% of it, and measured over predicted, relative to uniform.

    Where nobody reached TARGET there is no winner: "none".
    """
    reached = {name: passes for name, passes in measured.items() if np.isfinite(passes)}
    if not reached:
        return "none", False, []
    winner = min(reached, key=lambda name: reached[name])
    near = measured[min(exact, key=lambda name: exact[name])] <= 1.1 * reached[winner]
    ratios = [
        (reached[name] / reached["uniform"]) / (exact[name] / exact["uniform"])
        for name in exact
        if name != "uniform" and {name, "uniform"} <= reached.keys() and exact[name] > 0
    ]
    return winner, near, ratios


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare bounds, exact rates and runs, and write docs/rates.md.")
    parser.add_argument("--out", type=Path, default=PAGE, help="default: docs/rates.md")
    parser.add_argument("--only", nargs="*", help="names of problems")
    given = parser.parse_args()
    found = [case for case in cases() if not given.only or case.name in given.only]
    rates = list(rate_rows(found))
    races = list(sampling_rows(found))
    decided = [each for each in races if each[0][-2] != "none"]
    near = sum(each[1] for each in decided)
    unknown = sum(not each[1] and "(" not in each[0][2 + SAMPLINGS.index(each[0][-2])] for each in decided)
    ratios = np.array([ratio for each in races for ratio in each[2]])
    within = float(np.mean((ratios >= 2 / 3) & (ratios <= 1.5)))
    given.out.write_text(
        "# Bounds, exact rates and runs\n\n"
        "Generated by `python benchmarks/rates.py`; do not edit. Problems and samplings were chosen before the "
        "first run.\n\n"
        "Squared loss, l2 = 1/n for real data (divided by their mean row norm). All numbers are passes per factor e of "
        "the method's own error, D\\* - D for sdca and P - P\\* for rcd.\n\n"
        "## Uniform draws, exact steps\n\n"
        '*Papers* and *halved* are bounds; *exact* is the expectation ("a to b": the band of one eigenvalue); '
        f"*measured* the decay of the mean of {len(SEEDS)} runs between {FIRST:g} and {LAST:g} of the first error; "
        "*floor* what no method of this access can promise for every problem with this n (or d) and condition number: "
        "easier problems may be faster.\n\n"
        "An expectation is dominated by rare runs and, in the end, by the slowest direction. Few runs see neither: on "
        "orthogonal rows every run is exact after its last first visit, and where the limit of passes comes first (rcd "
        "on mushrooms and a9a) the slowest direction is still small.\n\n"
        + table(["problem", "method", "papers", "halved", "exact", "measured", "floor"], rates)
        + "\n\n## Samplings raced\n\n"
        f"Mean passes to {TARGET:g} of the first error, in brackets the exact passes per factor e (~: the middle of a "
        'band). "best" is the best independent sampling, for at most 30 coordinates.\n\n'
        + table(["problem", "method", *SAMPLINGS, "winner", "predicted"], [each[0] for each in races])
        + f"\n\nThe predicted sampling was the fastest, or within 10% of it, in {near} of {len(decided)} races that "
        f"anybody finished; in {unknown} of the others the fastest was permutations of more coordinates than their "
        "exact rate is known for. Relative to uniform draws, measured and predicted passes agreed within a factor of "
        f"1.5 in {within:.0%} of {ratios.size} pairs.\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
