"""What the theory predicts for a race, what came of it, and by how much the two differ: in sentences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...faceoffs import faceoff, winner
from ...methods import METHODS
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ...runs.trace import Trace
from ..choices.choices import Choices, takes_batches
from ..choices.misfits import refusal
from ..words import listed, number

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
    sums : mapping
        C_P and C_D of the data, as "primal" and "dual"; empty in a prediction read from a file.
    about : str
        The two methods whose bounds are compared; empty in a prediction read from a file.
    """

    ratio: float | None
    note: str = ""
    work: Mapping[str, float] = field(default_factory=dict, compare=False)
    sums: Mapping[str, float] = field(default_factory=dict, compare=False)
    about: str = field(default="", compare=False)

    def sentence(self) -> str:
        if self is PENDING:
            return "The prediction is being worked out."
        if self.ratio is None:
            return f"The theory makes no prediction: {self.note}."
        side, bounds = winner(self.ratio), f"The bounds of {self.about}" if self.about else "The bounds"
        if side is None:
            words = f"{bounds} call it a tie: T_P/T_D = {number(self.ratio)}"
        else:
            loser, lead = "primal" if side == "dual" else "dual", max(self.ratio, 1 / self.ratio)
            words = (
                f"{bounds} predict that the {side} wins: the {loser} needs {number(lead)} times the work "
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


def chosen(choices: Choices) -> dict[str, list[str]]:
    """The chosen methods of each side that fit; all of them if none does."""
    try:
        names = [entrant(entry)[0].name for entry in choices.entries()]
    except ValueError:
        names = choices.methods
    return {which: [name for name in dict.fromkeys(names) if METHODS[name].side == which] for which in SPEAKS_OF}


def spoken_of(choices: Choices) -> tuple[str, str]:
    """The methods that the face-off compares here, "rcd and sdca", and those that take their place, or nothing."""
    ours, theirs = [], []
    runs = {which: [entrant(entry)[0].name for entry in entries] for which, entries in compared(choices).items()}
    for which, names in chosen(choices).items():
        told = [name for name in names if name in runs[which]]
        ours.append((told or runs[which])[0])
        theirs += names if not told else []
    return listed(ours), listed(theirs)


def without_bounds(choices: Choices) -> Prediction | None:
    """That there is no prediction, where a side runs without a method that the face-off is on; else None."""
    about, others = spoken_of(choices)
    return Prediction(None, f"its theorem compares {about}, and says nothing of {others}") if others else None


def predict(problem: Problem, choices: Choices) -> Prediction:
    """The prediction for a race of these choices."""
    from ...theory import bound  # sympy: only where it is asked for

    face = faceoff(problem)
    sums = {"primal": face.C_P, "dual": face.C_D}
    if face.ratio is None:
        return Prediction(None, face.reason or "there is nothing to compare", sums=sums)
    if unspoken := without_bounds(choices):
        return replace(unspoken, sums=sums)
    work, notes = {}, []
    for which, (entry, *_) in compared(choices).items():  # all runs of a side have the same bound
        if reason := refusal(problem, entry):
            return Prediction(None, reason, sums=sums)
        method, sampling = entrant(entry)
        drawn = method.draws(sampling)
        if not drawn.has_theorem:
            notes.append(f"no theorem covers {drawn.name} sampling, so that uniform stands in for the {which} side")
            drawn = "uniform"
        work[which] = bound(method, "T", drawn).for_problem(problem)
    return Prediction(work["primal"] / work["dual"], "; ".join(notes), work, sums, spoken_of(choices)[0])


@dataclass(frozen=True)
class Outcome:
    """The best run of each side, compared at the target.

    With several seeds, a run is its median over them.

    Attributes
    ----------
    target : float
        The relative gap to which passes are counted.
    primal, dual : str or None
        Label of each side's best method; None if none of the side ran.
    primal_passes, dual_passes : float
        To the target; inf if that was not reached.
    primal_spent, dual_spent : float
        Passes that these methods have made, in all.
    seeds : int
        How many seeds were compared.
    running : bool
        The race goes on.
    """

    target: float
    primal: str | None = None
    dual: str | None = None
    primal_passes: float = math.inf
    dual_passes: float = math.inf
    primal_spent: float = 0.0
    dual_spent: float = 0.0
    seeds: int = 1
    running: bool = False

    @property
    def ratio(self) -> float | None:
        """Passes of the primal side over passes of the dual side: the measured counterpart of T_P/T_D.

        None unless both have reached the target.
        """
        known = 0 < self.primal_passes < math.inf and 0 < self.dual_passes < math.inf
        return self.primal_passes / self.dual_passes if known else None

    @property
    def at_least(self) -> float | None:
        """The ratio; where one side has not reached the target, the nearest to 1 that it can still become."""
        if self.ratio is not None:
            return self.ratio
        if self.primal is None or self.dual is None:  # a side that has not run has not lost
            return None
        if 0 < self.dual_passes < math.inf == self.primal_passes:
            return max(1.0, self.primal_spent / self.dual_passes)
        if 0 < self.primal_passes < math.inf == self.dual_passes:
            return min(1.0, self.primal_passes / self.dual_spent) if self.dual_spent > 0 else 1.0
        return None

    @property
    def winner(self) -> str | None:
        """The side that was there with clearly fewer passes; None for a tie, and while nobody can know."""
        return winner(self.at_least)

    def sentence(self, prediction: Prediction) -> str:
        if self.primal is None or self.dual is None:
            return "To compare primal and dual, let a method of each side run."
        dual = (self.dual_passes, self.dual_spent, spoken(self.dual))
        primal = (self.primal_passes, self.primal_spent, spoken(self.primal))
        (few, _, first), (many, spent, second) = sorted(
            (dual, primal), key=lambda run: run[0]
        )  # stable: the dual first
        goal = f"a relative gap of {number(self.target)}"
        if few == math.inf:
            return "It is too early to tell." if self.running else f"Neither side has come to {goal}."
        seeds = f" (median of {self.seeds} seeds)" if self.seeds > 1 else ""
        words = f"Measured to {goal}{seeds}: {first} needed {_passes(few)}, {second} "
        if few == many:
            words += "as many."
        elif many == math.inf:
            words += f"is not there after {number(spent)}."
        elif few == 0:
            words += f"{number(many)}."
        else:
            words += f"{number(many)}, which is {number(many / few)} times as many."
        if prediction.ratio is None or self.at_least is None:
            return words
        return f"{words} {_agreement(self, prediction.ratio)}".strip()


def outcome(
    traces: Sequence[Trace], target: float, labels: Mapping[str, Collection[str]], running: bool = False
) -> Outcome:
    """Compare the best primal run with the best dual one, of those with these labels, at this relative gap."""
    begun = [trace for trace in traces if trace.records]
    best: dict[str, Any] = {}
    for which, names in labels.items():
        runs = _by_label([trace for trace in begun if trace.label in names])
        # of methods that have not come there, the one that is nearest
        order = {label: (reached_by(runs[label], target), _smallest_gap(runs[label])) for label in runs}
        label = min(order, key=order.get, default=None)
        if label is not None:
            spent = float(np.median([run.records[-1].passes for run in runs[label]]))
            best |= {which: label, f"{which}_passes": order[label][0], f"{which}_spent": spent}
            best["seeds"] = len(runs[label])
    return Outcome(target, **best, running=running)


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


def _agreement(happened: Outcome, predicted: float) -> str:
    measured, sides = happened.ratio, (happened.winner, winner(predicted))
    if measured is None:  # by how much is not known
        if None in sides:
            return ""
        return "The winner is the predicted one." if sides[0] == sides[1] else "The outcome contradicts the prediction."
    factor = measured / predicted
    size = number(max(factor, 1 / factor), 2)
    if None in sides:
        return f"Prediction and outcome differ by a factor of {size}." if size != "1" else "The prediction is right."
    if sides[0] != sides[1]:
        return f"The outcome contradicts the prediction; they differ by a factor of {size}."
    if size == "1":
        return "The prediction is right."
    rates = "overrates" if (factor < 1) == (predicted > 1) else "underrates"
    return f"The winner is the predicted one; the theory {rates} its lead by a factor of {size}."
