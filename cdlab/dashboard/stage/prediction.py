"""What is known before a run: the matrix, how it is drawn from, C_P and C_D, T_P/T_D, and the theorems with values."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...faceoffs import winner
from ...numerics.json_numbers import null_non_finite
from ...numerics.profiles import Profile
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ..bounds.theorems import theorem_for
from ..choices.choices import Choices
from ..races.story import Outcome, Prediction, predict
from ..words import listed, number, sentence
from .contract import Bound, FaceOff, Look, Matrix, Ratio, Side, Stage, Theorem
from .draws import drawn
from .lanes import look, looks_of, of_each_side
from .thumbnails import thumbnail
from .typeset import mathml

PARTS = 24  # lines of a side drawn by themselves, the largest


def prediction(
    problem: Problem, choices: Choices, happened: Outcome | None = None, eps: float = 1e-6, instead: str = ""
) -> Stage:
    """The regions that need no run.

    Parameters
    ----------
    problem : Problem
        That of the choices.
    choices : Choices
    happened : Outcome, optional
        Of a race of these choices.
    eps : float, default 1e-6
        Accuracy, as a share of P(0) - P*, to which the theorems count passes.
    instead : str, optional
        What came of a race in which no two sides are compared.
    """
    try:
        entries = choices.entries()
    except ValueError:
        entries = []  # the choices say why
    predicted, bound = predict(problem, choices), theorems(problem, entries, eps)
    both = list(of_each_side(entries))[:2] == ["primal", "dual"]
    differ = apart(bound["theorems"], predicted) if both else ""
    return {
        "matrix": matrix(problem, entries),
        "faceoff": face_off(problem, predicted, happened, instead),
        "bound": bound | {"note": " ".join(filter(None, (bound["note"], differ)))},
    }


def matrix(problem: Problem, entries: list[Entry]) -> Matrix:
    """The thumbnail, and beside it the probabilities of one method of each side."""
    chosen = of_each_side(entries)
    primal, dual = (drawn(problem, chosen[side]) if side in chosen else None for side in ("primal", "dual"))
    return {"thumbnail": thumbnail(problem.X), "primal": primal, "dual": dual}


def face_off(problem: Problem, predicted: Prediction, happened: Outcome | None = None, instead: str = "") -> FaceOff:
    """C_P and C_D made of their lines, and T_P/T_D, predicted and measured."""
    if predicted.note and predicted.ratio is not None:  # the ratio is one of other samplings
        predicted = replace(predicted, ratio=None, note="no theorem covers the sampling of a side", work={})
    work = predicted.work
    measured = None
    if happened is not None:
        measured = _ratio(happened.at_least, happened.sentence(predicted), least=happened.ratio is None)
        if instead:
            measured["value"] = measured["winner"] = None
        elif measured["least"] and measured["winner"] is None:  # the side that has not arrived may still be as fast
            measured["value"] = None
        measured["instead"] = instead or "undecided"
    return {
        "primal": _side(problem.column_profile, work.get("primal")),
        "dual": _side(problem.row_profile, work.get("dual")),
        "looks": {"primal": look("primal"), "dual": look("dual")},
        "predicted": _ratio(predicted.ratio, predicted.sentence()),
        "measured": measured,
    }


def _ratio(value: float | None, words: str, least: bool = False) -> Ratio:
    return {"value": null_non_finite(value), "winner": winner(value), "least": least, "instead": "none", "words": words}


def _side(lines: Profile, T: float | None) -> Side:
    each = lines.counts * lines.norms2
    largest = np.sort(each)[::-1]
    parts, rest = largest[:PARTS], largest[PARTS:]
    return {
        "C": lines.C,
        "parts": parts[parts > 0].tolist(),
        "rest": float(rest.sum()),
        "lines": int(np.count_nonzero(lines.counts)),
        "T": null_non_finite(T),
    }


def theorems(problem: Problem, entries: list[Entry], eps: float) -> Bound:
    """The theorem of one method of each side, primal first."""
    looks, shown = looks_of(entries), list(of_each_side(entries).values())[:2]
    others = [label_of(*entrant(entry)) for entry in entries if entry not in shown]
    target = f"passes to P(w) − P* ≤ {number(eps)} (P(0) − P*); λ is l2"
    return {
        "target": target,
        "theorems": [_theorem(problem, entry, looks[label_of(*entrant(entry))], eps) for entry in shown],
        "note": f"One theorem a side; the tab Bounds has that of {listed(others)}." if others else "",
    }


def apart(shown: list[Theorem], predicted: Prediction) -> str:
    """Why the passes of two theorems are not in the ratio of the face-off; empty unless both are known."""
    values = [theorem["value"] for theorem in shown]
    if predicted.ratio is None or predicted.note or len(values) < 2 or not all(values):
        return ""
    primal, dual = values
    return (
        f"{number(primal)}/{number(dual)} = {number(primal / dual, 2)} is not T_P/T_D = {number(predicted.ratio, 2)}: "
        "T is work per factor e of accuracy; these passes also count the logarithm, which is not the same in both."
    )


def _theorem(problem: Problem, entry: Entry, look: Look, eps: float) -> Theorem:
    method, sampling = entrant(entry)
    label = label_of(method, sampling)
    try:
        bound = theorem_for(problem, method, sampling)
        value = bound.for_problem(problem, eps)
    except ValueError as error:
        return {
            "label": label, "look": look, "formula": "", "value": None, "words": sentence(str(error)), "meanings": [],
        }  # fmt: skip
    formulas = [bound.latex(), *bound.latex_definitions()]
    return {
        "label": label,
        "look": look,
        "formula": "".join(f"<div>{mathml(each, 'block')}</div>" for each in formulas),
        "value": value if math.isfinite(value) else None,
        "words": bound.explain(),
        "meanings": [(mathml(symbol), words) for symbol, words in bound.where().items()],
    }
