"""What the theory predicts for a race, what came of it, and by how much the two differ: in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..facing import TOO_CLOSE, faceoff
from ..plots import FLOOR
from ..problem import Problem
from ..trace import Trace
from .words import number

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
    """

    ratio: float | None
    note: str = ""

    def sentence(self) -> str:
        if self is PENDING:
            return "The prediction is being worked out."
        if self.ratio is None:
            return f"The theory makes no prediction: {self.note}."
        lead = max(self.ratio, 1 / self.ratio)
        winner, loser = ("dual", "primal") if self.ratio > 1 else ("primal", "dual")
        if lead < TOO_CLOSE:
            words = f"The bounds call it a tie: T_P/T_D = {number(self.ratio)}"
        else:
            words = (
                f"The bounds predict that the {winner} wins: the {loser} needs {number(lead)} times the work "
                f"(T_P/T_D = {number(self.ratio)})"
            )
        return f"{words}; {self.note}." if self.note else f"{words}."


PENDING = Prediction(None, "it was not worked out")  # until `predict` has answered


def predict(problem: Problem, dual_sampling: str, primal_sampling: str) -> Prediction:
    """The prediction for a race of methods with these samplings."""
    from ..theory import bound  # sympy: only where it is asked for

    face = faceoff(problem)
    if face.ratio is None:
        return Prediction(None, face.reason or "there is nothing to compare")
    work, notes = {}, []
    for which, sampling in (("primal", primal_sampling), ("dual", dual_sampling)):
        try:
            work[which] = bound(SPEAKS_OF[which][0], "T", sampling).for_problem(problem)
        except ValueError:  # an order: no theorem covers it
            work[which] = bound(SPEAKS_OF[which][0], "T", "uniform").for_problem(problem)
            notes.append(f"no theorem covers {sampling} sampling, so that uniform stands in for the {which} side")
    return Prediction(work["primal"] / work["dual"], "; ".join(notes))


@dataclass(frozen=True)
class Outcome:
    """The best method of each side, compared at the smallest relative gap (a power of ten) that both sides reached.

    Only methods count that the face-off speaks of. With several seeds, a method is its median over them.

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
        return self.primal_passes / self.dual_passes if self.level is not None and self.dual_passes > 0 else None

    def sentence(self, prediction: Prediction) -> str:
        if self.primal is None or self.dual is None:
            return "To compare the sides, let rcd and one of quartz and sdca run."
        if self.level is None:
            return "It is too early to tell."
        dual, primal = _spoken(self.dual), _spoken(self.primal)
        seeds = f" (median of {self.seeds} seeds)" if self.seeds > 1 else ""
        words = (
            f"Measured to a relative gap of {number(self.level)}{seeds}: {dual} needed {_passes(self.dual_passes)}, "
            f"{primal} {number(self.primal_passes)}"
        )
        if self.ratio is None:
            return f"{words}."
        words += f", which is {number(self.ratio)} times as many."
        return words if prediction.ratio is None else f"{words} {_agreement(self.ratio, prediction.ratio)}"


def outcome(traces: Sequence[Trace], tol: float) -> Outcome:
    """Compare the best primal method with the best dual one, of those that the face-off speaks of."""
    begun = [trace for trace in traces if trace.records]
    sides = {which: _by_label([t for t in begun if _method(t) in names]) for which, names in SPEAKS_OF.items()}
    gaps = {which: {label: _smallest_gap(runs) for label, runs in side.items()} for which, side in sides.items()}
    best = {which: min(side, key=side.get, default=None) for which, side in gaps.items()}
    if None in best.values():
        return Outcome(None, best["primal"], best["dual"])
    reached = max(gaps[which][label] for which, label in best.items())
    if max(reached, tol) > EARLY:
        return Outcome(None, best["primal"], best["dual"])
    level = max(tol, 10.0 ** math.ceil(math.log10(max(reached, FLOOR))))
    passes = {which: {label: reached_by(runs, level) for label, runs in side.items()} for which, side in sides.items()}
    first = {which: min(side, key=side.get) for which, side in passes.items()}
    primal, dual = first["primal"], first["dual"]
    seeds = len(sides["dual"][dual])
    return Outcome(level, primal, dual, passes["primal"][primal], passes["dual"][dual], seeds)


def reached_by(runs: Sequence[Trace], level: float, by: str = "passes") -> float:
    """Passes (or "seconds", "iteration") until more than half of the runs were at this relative gap; inf if never."""
    return middle_of([run.reached(level, by) for run in runs])


def _by_label(traces: Sequence[Trace]) -> dict[str, list[Trace]]:
    labels = dict.fromkeys(trace.label for trace in traces)
    return {label: [trace for trace in traces if trace.label == label] for label in labels}


def middle_of(values: Sequence[float]) -> float:
    """The median; of an even number the larger of the two in the middle, which is a value of one of the runs."""
    return sorted(values)[len(values) // 2]


def _method(trace: Trace) -> str:
    return trace.meta["method"].partition("(")[0]


def _spoken(label: str) -> str:
    method, _, sampling = label.rpartition(", ")
    return f"{method} ({sampling})"


def _passes(count: float) -> str:
    return f"{number(count)} pass{'' if count == 1 else 'es'}"


def _smallest_gap(runs: Sequence[Trace]) -> float:
    return middle_of([float(np.nanmin(run.column("relative_gap"))) for run in runs])


def _agreement(measured: float, predicted: float) -> str:
    factor = measured / predicted
    size = number(max(factor, 1 / factor), 2)
    close = [max(r, 1 / r) < TOO_CLOSE for r in (measured, predicted)]
    if any(close):
        return f"Prediction and outcome differ by a factor of {size}."
    if (measured > 1) != (predicted > 1):
        return f"The outcome contradicts the prediction; they differ by a factor of {size}."
    if size == "1":
        return "The prediction is right."
    over = (factor < 1) == (predicted > 1)
    return f"The winner is the predicted one; the theory {'over' if over else 'under'}rates its lead {size} times."
