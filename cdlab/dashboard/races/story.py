"""What the theory predicts for a race, what came of it, and by how much the two differ: in sentences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...faceoffs import faceoff, winner
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ...runs.trace import Trace
from ..choices.choices import Choices, takes_batches
from ..choices.misfits import refusal
from ..words import number

ROUNDING = 1e-13  # smaller relative gaps are rounding, and say nothing of who is better
EARLY = 0.1  # runs that are not past this relative gap say nothing yet
# whose K, W and T the face-off compares; methods of a side have them in common, and accelerated ones have others
SPEAKS_OF = {"primal": ("rcd",), "dual": ("quartz", "sdca")}


@dataclass(frozen=True)
class Prediction:
    """T_P/T_D for the samplings of a race (Csiba & Richtarik 2016), or the reason why there is none.

    Attributes
    ----------
    ratio : float or None
        Above 1 the bounds favour the dual.
    note : str
        Why there is no ratio, or what stands in where no theorem covers a sampling; else empty.
    work : mapping
        T of the "primal" and of the "dual" side: visited nonzeros per factor e of accuracy. Empty without a ratio, and
        in a prediction read from a file.
    """

    ratio: float | None
    note: str = ""
    work: Mapping[str, float] = field(default_factory=dict, compare=False)

    def sentence(self) -> str:
        if self is PENDING:
            return "The prediction is being worked out."
        if self.ratio is None:
            return f"The theory makes no prediction: {self.note}."
        side = winner(self.ratio)
        if side is None:
            words = f"The bounds call it a tie: T_P/T_D = {number(self.ratio)}"
        else:
            loser, lead = "primal" if side == "dual" else "dual", max(self.ratio, 1 / self.ratio)
            words = (
                f"The bounds predict that the {side} wins: the {loser} needs {number(lead)} times the work "
                f"(T_P/T_D = {number(self.ratio)})"
            )
        return f"{words}; {self.note}." if self.note else f"{words}."


PENDING = Prediction(None, "it was not worked out")  # until `predict` has answered


def compared(choices: Choices) -> dict[str, list[Entry]]:
    """The runs of each side that the face-off speaks of: with the sampling of their side, and its batches."""
    return {
        which: [
            choices.entry(name, choices.sampling(name)) for name in names if choices.batch == 1 or takes_batches(name)
        ]
        for which, names in SPEAKS_OF.items()
    }


def labels(choices: Choices) -> dict[str, list[str]]:
    """Of `compared`."""
    return {which: [label_of(*entrant(entry)) for entry in runs] for which, runs in compared(choices).items()}


def predict(problem: Problem, choices: Choices) -> Prediction:
    """The prediction for a race of these choices."""
    from ...theory import bound  # sympy: only where it is asked for

    face = faceoff(problem)
    if face.ratio is None:
        return Prediction(None, face.reason or "there is nothing to compare")
    work, notes = {}, []
    for which, (entry, *_) in compared(choices).items():  # all runs of a side have the same bound
        if reason := refusal(problem, entry):
            return Prediction(None, reason)
        method, sampling = entrant(entry)
        drawn = method.effective(sampling)
        if not drawn.has_theorem:
            notes.append(f"no theorem covers {drawn.name} sampling, so that uniform stands in for the {which} side")
            drawn = "uniform"
        work[which] = bound(method, "T", drawn).for_problem(problem)
    return Prediction(work["primal"] / work["dual"], "; ".join(notes), work)


@dataclass(frozen=True)
class Outcome:
    """The best run of each side, compared at the smallest relative gap (a power of ten) that both sides reached.

    Only runs count that the prediction is about. With several seeds, a run is its median over them.

    Attributes
    ----------
    level : float or None
        That relative gap; None if a side did not run, or is not past EARLY.
    primal, dual : str or None
        Label of each side's best method.
    primal_passes, dual_passes : float
    seeds : int
        How many seeds were compared.
    """

    level: float | None = None
    primal: str | None = None
    dual: str | None = None
    primal_passes: float = math.nan
    dual_passes: float = math.nan
    seeds: int = 1

    @property
    def ratio(self) -> float | None:
        """Passes of the primal side over passes of the dual side: the measured counterpart of T_P/T_D."""
        known = self.level is not None and self.dual_passes > 0 and self.primal_passes > 0
        return self.primal_passes / self.dual_passes if known else None

    def sentence(self, prediction: Prediction) -> str:
        if self.primal is None or self.dual is None:
            return "To compare primal and dual, let rcd and one of quartz and sdca run."
        if self.level is None:
            return "It is too early to tell."
        runs = [(self.dual_passes, spoken(self.dual)), (self.primal_passes, spoken(self.primal))]
        (few, first), (many, second) = sorted(runs, key=lambda run: run[0])  # stable: the dual is first of equals
        seeds = f" (median of {self.seeds} seeds)" if self.seeds > 1 else ""
        words = f"Measured to a relative gap of {number(self.level)}{seeds}: {first} needed {_passes(few)}, {second} "
        if few == many:
            words += "as many."
        elif few == 0:
            words += f"{number(many)}."
        else:
            words += f"{number(many)}, which is {number(many / few)} times as many."
        both = self.ratio is not None and prediction.ratio is not None
        return f"{words} {_agreement(self.ratio, prediction.ratio)}" if both else words


def outcome(traces: Sequence[Trace], tol: float, labels: Mapping[str, Collection[str]]) -> Outcome:
    """Compare the best primal run with the best dual one, of those with these labels."""
    begun = [trace for trace in traces if trace.records]
    sides = {which: _by_label([t for t in begun if t.label in names]) for which, names in labels.items()}
    gaps = {which: {label: _smallest_gap(runs) for label, runs in side.items()} for which, side in sides.items()}
    best = {which: min(side, key=side.get, default=None) for which, side in gaps.items()}
    if None in best.values():
        return Outcome(None, best["primal"], best["dual"])
    reached = max(gaps[which][label] for which, label in best.items())
    if max(reached, tol) > EARLY:
        return Outcome(None, best["primal"], best["dual"])
    level = max(tol, 10.0 ** math.ceil(math.log10(max(reached, ROUNDING))))
    passes = {which: {label: reached_by(runs, level) for label, runs in side.items()} for which, side in sides.items()}
    first = {which: min(side, key=side.get) for which, side in passes.items()}
    primal, dual = first["primal"], first["dual"]
    seeds = len(sides["dual"][dual])
    return Outcome(level, primal, dual, passes["primal"][primal], passes["dual"][dual], seeds)


def reached_by(runs: Sequence[Trace], level: float, by: str = "passes") -> float:
    """Passes (or "seconds", "iteration") to this relative gap: the median over the runs, as in `Race.winner`.

    inf unless more than half of them were there.
    """
    return float(np.median([run.reached(level, by) for run in runs]))


def _by_label(traces: Sequence[Trace]) -> dict[str, list[Trace]]:
    labels = dict.fromkeys(trace.label for trace in traces)
    return {label: [trace for trace in traces if trace.label == label] for label in labels}


def spoken(label: str) -> str:
    """A run as a sentence names it."""
    if ", " not in label:
        return label
    method, _, sampling = label.rpartition(", ")
    name, _, batch = method.partition("(batch_size=")
    return f"{name} (batches of {batch.rstrip(')')})" if batch else f"{method} ({sampling})"


def _passes(count: float) -> str:
    return f"{number(count)} pass{'' if count == 1 else 'es'}"


def _smallest_gap(runs: Sequence[Trace]) -> float:
    """The smallest that more than half of the runs reached: at it the median of their passes is finite."""
    return sorted(float(np.nanmin(run.column("relative_gap"))) for run in runs)[len(runs) // 2]


def _agreement(measured: float, predicted: float) -> str:
    factor = measured / predicted
    size = number(max(factor, 1 / factor), 2)
    sides = winner(measured), winner(predicted)
    if None in sides:
        return f"Prediction and outcome differ by a factor of {size}." if size != "1" else "The prediction is right."
    if sides[0] != sides[1]:
        return f"The outcome contradicts the prediction; they differ by a factor of {size}."
    if size == "1":
        return "The prediction is right."
    rates = "overrates" if (factor < 1) == (predicted > 1) else "underrates"
    return f"The winner is the predicted one; the theory {rates} its lead by a factor of {size}."
