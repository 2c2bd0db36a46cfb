"""``cdlab race FILE --check-advice``: predictions beside measurements."""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np

from ..advice import Advice, Choice, advise
from ..problems.problem import Problem
from ..runs.race_result import Race
from ..sweeps import racing
from .options import default
from .printing import number, table

TOP = 3  # choices that run
CONTROLS = ("sdca@permutation", "lbfgs", "sdca@uniform")  # what one would take unadvised; the first not among the top
PATIENCE = 3.0  # times the predicted passes that a run may take
UNCERTIFIED = (
    "uncertified: without a regulariser (l2 = l1 = 0) there is no dual certificate, so the smallest P(w) of the race\n"
    "replaces P*; with a larger --max-passes P(w) may fall further, and then these figures change"
)
COLUMNS = ("entry", "role", "predicted passes", "measured passes", "predicted seconds", "measured seconds")


def advised(problem: Problem, args: argparse.Namespace) -> tuple[Advice, list[Choice]]:
    """The advice, and the choices that run: the first ones, and a control.

    Parameters
    ----------
    problem : Problem
        The problem of the race.
    args : Namespace
        The parsed options; `eps` and `seeds` are used.

    Raises
    ------
    ValueError
        If nothing can be predicted of this problem.
    """
    advice = advise(problem, args.eps, seed=args.seeds[0])
    known = [choice for choice in advice.distinct if choice.passes is not None]
    if not known:
        raise ValueError("there is no advice to check: no prediction can be made for this problem")
    top, rest = known[:TOP], {choice.label: choice for choice in known[TOP:]}
    control = next((rest[label] for label in CONTROLS if label in rest), next(reversed(rest.values()), None))
    return advice, top + ([control] if control else [])


def limits(choices: list[Choice], args: argparse.Namespace) -> dict[str, Any]:
    """tol and max_passes as asked for; where they have their defaults, far enough for the predictions."""
    found = {"tol": args.tol, "max_passes": args.max_passes}
    if args.tol == default(racing.race, "tol"):
        found["tol"] = args.eps / 10  # so that the dual values prove who is within eps of the optimum
    if args.max_passes == default(racing.race, "max_passes"):
        found["max_passes"] = max(args.max_passes, PATIENCE * max(choice.passes or 0.0 for choice in choices))
    return found


def compared(race: Race, choices: list[Choice], eps: float) -> list[dict[str, Any]]:
    """A row for each entry: predicted and measured passes and seconds."""
    passes, seconds = (
        np.median(race.reached(eps, by), axis=1) if race.decides(eps) else np.full(race.entries, math.inf)
        for by in ("passes", "seconds")
    )
    rows = []
    for k in range(race.entries):
        role = f"choice {k + 1}" if k < min(TOP, len(choices)) else "control"
        values = (choices[k].passes, float(passes[k]), choices[k].seconds, float(seconds[k]))
        rows.append(dict(zip(COLUMNS, (choices[k].label, role, *values), strict=True)))
    return rows


def told(race: Race, rows: list[dict[str, Any]], eps: float) -> str:
    """The table of `compared`, and how the first choice did in the race's own seconds, as text."""
    rounded = [{key: float(f"{v:.3g}") if isinstance(v, float) else v for key, v in row.items()} for row in rows]
    lines = [f"to relative suboptimality {number(eps)}", "", table(COLUMNS, rounded), ""]
    best = min(rows, key=lambda row: row["measured seconds"])
    first = rows[0]
    if not race.certified:
        lines += [UNCERTIFIED, ""]
    if not race.decides(eps):
        lines.append(f"nothing is decided: P* is only known to within {number(race.certificate)}; raise --max-passes")
    elif not math.isfinite(best["measured seconds"]):
        lines.append(f"no entry reached relative suboptimality {number(eps)}; raise --max-passes")
    elif not math.isfinite(first["measured seconds"]):
        lines.append(f"the first choice did not get there; the fastest was {best['entry']}")
    elif best is first:
        lines.append("the first choice was the fastest of these")
    else:
        ratio = first["measured seconds"] / max(best["measured seconds"], 1e-12)
        lines.append(f"the first choice took {ratio:.3g} times the seconds of the fastest, {best['entry']}")
    return "\n".join(lines)
