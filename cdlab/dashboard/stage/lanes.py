"""A race as the stage draws it: each run with its first updates one by one, its measurements, and its bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import scipy.sparse as sp

from ...numerics.json_numbers import null_non_finite
from ...plots import style as plotted
from ...plots.errors import Best, Guarantee, applies, best_of, errors, relative
from ...plots.lines import points_to_draw
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ...runs.trace import Record, Trace, relative_gap
from ..races import looks as raced
from ..races.measured import NEAREST, uncertified
from ..races.naming import regularised
from ..races.results import Lane as RunLane
from ..races.results import Result
from ..races.story import SPEAKS_OF
from .contract import Lane, Look, Moves, Promise, Race, Steps
from .frames import Frames, frames
from .moves import moves_of
from .thumbnails import cell_of

Y = "primal"  # of plots.Y_AXES: all bounds exist there
ACROSS, UP = "passes over the data", "P(w) − P*, as a share of P(0) − P*"
UNCERTIFIED = "P(w) − the least P(w) found, as a share of what P fell by"
FIRST = 60  # updates shown one by one, of each run
POINTS = 300  # of a curve
FEW = 60  # of a bound
SMALLEST = 1e-16  # of a relative error: float64 resolves no smaller one


def race(problem: Problem | None, result: Result, earlier: Mapping[str, Result] | None = None) -> Race:
    """The runs of a race, with the first of several seeds.

    Parameters
    ----------
    problem : Problem or None
        Of the race; None: its first updates are not shown one by one.
    result : Result
    earlier : mapping of names to results, optional
        Other races in the same picture.
    """
    others = earlier or {}
    looks = raced.looks_in([result, *reversed(others.values())])
    lanes = [lane for name, other in others.items() for lane in _lanes(None, other, looks, f"{name}: ")]
    return {
        "lanes": [*_lanes(problem, result, looks), *lanes],
        "across": ACROSS,
        "up": UNCERTIFIED if uncertified(result) else UP,
        "target": result.choices.target,
        "problem": regularised(result.choices),
    }


def _lanes(
    problem: Problem | None, result: Result, looks: Mapping[str, plotted.Look], name: str = ""
) -> Iterator[Lane]:
    """Those that have begun; with a name, they are of an earlier race, and go by their methods where these differ."""
    runs_of = result.methods
    entries = _entries(result)
    sides = raced.groups(result)
    methods = [label.partition(", ")[0] for label in runs_of]
    short = dict(zip(runs_of, methods if len(set(methods)) == len(methods) else runs_of, strict=True))
    traces = [trace for trace in result.traces if trace.records]
    best = best_of(traces) if traces else None  # without a lane nothing is relative to it
    for label, (first, *_) in runs_of.items():
        if not first.trace.records:
            continue
        known = problem is not None and label in entries
        made = frames(problem, entries[label], first.seed, FIRST) if known else Frames()
        made = Frames() if made.whole else made
        steps = steps_of(problem, made, sides[label], best)
        moves = moves_of(problem, entries.get(label), made, sides[label])
        title = name + short[label] if name else label
        target = result.choices.target
        yield _lane(first, title, sides[label], _plain(looks[label]), steps, moves, best, target, bool(name))


def _entries(result: Result) -> dict[str, Entry]:
    """What the race ran, by label; a race from a file may name what its choices do not."""
    try:
        return {label_of(*entrant(entry)): entry for entry in result.choices.entries()}
    except ValueError:
        return {}


def of_each_side(entries: Sequence[Entry]) -> dict[str, Entry]:
    """One entry a side, "primal" before "dual" before "full": one that the face-off speaks of, else the first."""
    found: dict[str, Entry] = {}
    for side in ("primal", "dual", "full"):
        own = [entry for entry in entries if raced.group(entry) == side]
        told = [entry for entry in own if entrant(entry)[0].name in SPEAKS_OF.get(side, ())]
        if own:
            found[side] = (told or own)[0]
    return found


def looks_of(entries: Sequence[Entry]) -> dict[str, Look]:
    """By label, as everywhere on the page."""
    return {label: _plain(drawn) for label, drawn in raced.looks_of(entries).items()}


def look(side: str) -> Look:
    """Of the first method of a side."""
    return _plain(plotted.look(side))


def _plain(drawn: plotted.Look) -> Look:
    return {"light": drawn.light, "dark": drawn.dark, "dash": list(drawn.dash), "marker": drawn.marker}


def steps_of(problem: Problem | None, made: Frames, side: str, best: Best) -> Steps:
    """Frames, on the axes of a race whose best values are these."""
    count = len(made.nonzeros)
    gaps = np.subtract(made.primal, made.dual)
    records = [
        Record(k + 1, *each, np.nan)
        for k, each in enumerate(zip(made.passes, [0.0] * count, made.primal, made.dual, gaps, strict=True))
    ]
    error = errors(Trace(records), best, Y)
    return {
        "coordinates": made.coordinates,
        "nonzeros": made.nonzeros,
        "cells": [_touched(problem, each, side) for each in made.coordinates],
        "passes": made.passes,
        "primal": null_non_finite(made.primal),
        "dual": null_non_finite(made.dual),
        "error": null_non_finite(_known(error, best)),
        "gap": null_non_finite(np.array([relative_gap(record, best.start) for record in records])),
    }


def _touched(problem: Problem, coordinates: Sequence[int], side: str) -> list[int] | None:
    """The cells across one row or column that have a nonzero; None if all have, or if it is not one line."""
    if len(coordinates) != 1 or not sp.issparse(problem.X):
        return None
    (k,) = coordinates
    if side == "dual":
        start, end = problem.X.indptr[k], problem.X.indptr[k + 1]
        there, m = problem.X.indices[start:end], problem.d
    else:
        columns = problem.by_columns.X
        there, m = columns.indices[columns.indptr[k] : columns.indptr[k + 1]], problem.n
    cells = np.unique(cell_of(m)[there])
    return None if cells.size == cell_of(m)[-1] + 1 else cells.tolist()


def _lane(
    lane: RunLane,
    label: str,
    side: str,
    look: Look,
    steps: Steps,
    moves: Moves,
    best: Best,
    target: float,
    earlier: bool,
) -> Lane:
    trace = lane.trace
    passes, error = trace.column("passes"), _known(errors(trace, best, Y), best)
    kept = points_to_draw(passes, np.log10(error), POINTS)
    columns = {name: null_non_finite(trace.column(name)[kept]) for name in ("primal", "dual")}
    return {
        "label": label,
        "side": side,
        "look": look,
        "steps": steps,
        "moves": moves,
        "passes": null_non_finite(passes[kept]),
        **columns,
        "error": null_non_finite(error[kept]),
        "gap": null_non_finite(trace.column("relative_gap")[kept]),
        "reached": null_non_finite(trace.reached(target)),
        "promise": None if lane.guarantee is None or earlier else _promise(lane.guarantee, best),
        "note": lane.note,
        "earlier": earlier,
        "ended": str(lane.status),
    }


def _promise(guarantee: Guarantee, best: Best) -> Promise | None:
    if not applies(guarantee, Y):
        return None
    error = relative(guarantee, best, Y)
    there = np.isfinite(error) & (error >= SMALLEST)
    passes, error = guarantee.passes[there], error[there]
    kept = points_to_draw(passes, np.log10(error), FEW)
    return {"passes": passes[kept].tolist(), "error": error[kept].tolist()}


def _known(error: np.ndarray, best: Best) -> np.ndarray:
    """What can be drawn: a logarithmic axis has no 0; what is near the least P(w) found may be as far from P*."""
    least = SMALLEST if np.isfinite(best.dual) else NEAREST
    return np.where(np.isfinite(error) & (error >= least - SMALLEST), np.maximum(error, SMALLEST), np.nan)
