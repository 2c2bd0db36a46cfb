"""Primal and dual coordinate descent in tau-nice blocks: passes measured beside those of the face-off; docs/blocks.md.

    CDLAB_DATA=FOLDER python benchmarks/blocks.py        three real sets, 5 seeds each, about ten minutes

rcd and sdca take exact steps along all of a block from one point, with the ESO parameters v of `cdlab.eso`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import cdlab
from cdlab.samplings import TauNice

SETS, TAUS, SEEDS = ("mushrooms", "w8a", "leu"), (1, 4, 16, 64), range(5)
LEVEL, LONGEST = 1e-6, 3000.0  # of the relative gap; passes
EVEN = 1.1  # Leads below are none.
METHODS = {"primal": "rcd", "dual": "sdca"}
PAGE = Path(__file__).parents[1] / "docs/blocks.md"


class Row(NamedTuple):
    """A block size on one data set: passes for a factor e by the bounds, and those measured to LEVEL."""

    tau: int
    bounds: dict[str, float]
    measured: dict[str, list[float]]

    @property
    def median(self) -> dict[str, float]:
        """The median of the seeds; NaN where one did not arrive."""
        return {side: float(np.median(found)) for side, found in self.measured.items()}


def problem(name: str) -> cdlab.Problem:
    X, y = cdlab.datasets.load(name, split="all", scale="mean")
    return cdlab.Problem(X, y, "logistic", l2=1 / len(y))


def rows(P: cdlab.Problem) -> Iterator[Row]:
    face = cdlab.faceoff(P, samplings=[TauNice(tau) for tau in TAUS])
    for tau, work in zip(TAUS, face.by_sampling.values(), strict=True):
        bounds = {side: getattr(work, f"T_{side[0].upper()}") / face.nnz for side in METHODS}
        measured = {side: [passes(P, method, tau, seed) for seed in SEEDS] for side, method in METHODS.items()}
        yield Row(tau, bounds, measured)


def passes(P: cdlab.Problem, method: str, tau: int, seed: int) -> float:
    """Passes until the relative gap is at most LEVEL; NaN where LONGEST do not suffice."""
    at_zero = P.primal(np.zeros(P.d))
    for record in cdlab.iterate(P, method, sampling=TauNice(tau), seed=seed):
        if record.gap <= LEVEL * (at_zero - record.dual):
            return record.passes
        if record.passes > LONGEST:
            break
    return np.nan


def number(x: float) -> str:
    return f"more than {LONGEST:,.0f}" if np.isnan(x) else f"{x:,.3g}" if x < 1000 else f"{x:,.0f}"


def ahead(primal: float, dual: float) -> str:
    """Which side is ahead, and by how much; NaN is more than LONGEST."""
    if np.isnan(primal) and np.isnan(dual):
        return "neither arrived"
    if np.isnan(primal) or np.isnan(dual):
        sides = ("dual", LONGEST / dual) if np.isnan(primal) else ("primal", LONGEST / primal)
        return "{}, more than {:.3g}".format(*sides)
    if max(primal / dual, dual / primal) < EVEN:
        return "even"
    return f"dual, {primal / dual:.3g}" if primal > dual else f"primal, {dual / primal:.3g}"


def section(name: str, P: cdlab.Problem, found: list[Row]) -> Iterator[str]:
    face = cdlab.faceoff(P)
    yield f"## {name}"
    yield ""
    yield f"{P.n:,} examples, {P.d:,} features, {face.nnz:,} nonzeros; C_P/C_D = {face.C_P / face.C_D:.3g}."
    yield ""
    yield "| tau | bound, primal | bound, dual | ahead by the bounds | rcd | sdca | ahead as measured |"
    yield "|---|---|---|---|---|---|---|"
    for row in found:
        yield (
            f"| {row.tau} | {number(row.bounds['primal'])} | {number(row.bounds['dual'])} | {ahead(**row.bounds)} | "
            f"{number(row.median['primal'])} | {number(row.median['dual'])} | {ahead(**row.median)} |"
        )
    yield ""


def conclusion(found: list[Row]) -> str:
    """How often the bounds name the side that wins, and how much smaller its lead is where both arrived."""
    right = sum(ahead(**row.bounds).split(",")[0] == ahead(**row.median).split(",")[0] for row in found)
    both = [row for row in found if not np.isnan(list(row.median.values())).any()]
    excess = [max(lead(row.bounds) / lead(row.median), lead(row.median) / lead(row.bounds)) for row in both]
    even = sum("even" in (ahead(**row.bounds), ahead(**row.median)) for row in found)
    return CONCLUSION.format(
        right=right, wrong=len(found) - right - even, rows=len(found), least=min(excess), most=max(excess)
    )


def lead(passes: dict[str, float]) -> float:
    """How many times as many passes the primal takes."""
    return passes["primal"] / passes["dual"]


def main(names: list[str]) -> None:
    lines, every = [INTRODUCTION], []
    for name in names or SETS:
        P, found = problem(name), []
        for row in rows(P):
            print(name, row, flush=True)
            found.append(row)
        lines += section(name, P, found)
        every += found
    PAGE.write_text("\n".join([*lines, conclusion(every)]))


INTRODUCTION = f"""# Primal or dual, in blocks

Written by `python benchmarks/blocks.py`; do not edit.

Blocks of tau coordinates, drawn without replacement, are updated at once from one point. The more lines meet in one row
or column, the shorter the steps must be: with the ESO parameters v_i of tau-nice sampling (`cdlab.eso`),
K = max_i (beta v_i + l2 n)/(p_i l2 n) iterations of W = tau nnz/m nonzeros are enough for a factor e, of m coordinates.
That is the face-off's theorem, `cdlab.faceoff(P, samplings=[TauNice(tau)])`; with tau = 1 and the best probabilities it
is C_P against C_D. Runs are rcd on the primal and sdca on the dual, with exact steps along all of a block: logistic
loss, l2 = 1/n, X divided by its mean row norm, as in the face-off's paper. Bounds are in passes for each factor e, runs
in passes to a relative gap of {LEVEL:g}, the median of {len(SEEDS)} seeds.
"""
CONCLUSION = """## What they say

The side that the bounds name wins in {right} of {rows} rows, the other in {wrong}; its lead and that of the bounds
differ by a factor of {least:.2g} to {most:.2g} where both sides arrived.

A block costs passes where lines weigh much beside l2 n, which is 1 here: the bound is the largest
1 + beta v_i/(l2 n), and v_i grows from ||x_i||^2 towards tau ||x_i||^2 the more the lines of a block share their
nonzeros. Rows have a mean norm of 1 on every set. Columns share ||X||_F^2 = n among d of them: where d is far above n
they weigh next to nothing, and blocks of them are free; where n is far above d they weigh much, alone and in blocks.
"""

if __name__ == "__main__":
    main(sys.argv[1:])
