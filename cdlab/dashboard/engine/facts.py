"""`facts`: the tables of the drawers Bounds, Face-off, Sampling and Code, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...faceoffs.result import FaceOff
from ...numerics.written_numbers import number
from ..words import sentence
from .choices import Choices, Contestant
from .code import script
from .numbers import finite_or_none
from .predicting import title
from .problems import PreparedProblem, prepared
from .rates import rate_table
from .sampling_facts import SIDES, best_sampling_sentence, cost_table, passes_table, sampling_facts
from .schema import Facts
from .theorems import plainly


def facts(drawer: str, choices: Choices) -> Facts:
    """The words and the tables of a drawer.

    Raises
    ------
    ValueError, OSError
        For another drawer, or as `Choices.problem`.
    """
    if drawer not in DRAWERS:
        raise ValueError(f"there is no drawer {drawer[:40]!r}: there are {', '.join(DRAWERS)}")
    words, tables = DRAWERS[drawer](choices, prepared(choices))
    return Facts(choices.digest, drawer, words, [table for table in tables if table["rows"]])


def theorem_tables(about: PreparedProblem, entries: Sequence[Contestant], target: float) -> list[dict[str, Any]]:
    """Tables of the theorems about the entries, on any quantity: those with a value here, and why others have none."""
    from ...theory import bound
    from ...theory.registry import theorems_of

    values: list[list[Any]] = []
    silent: list[list[Any]] = []
    for entry in entries:
        for name in dict.fromkeys(b.theorem for b in theorems_of(entry.method.name) if b.counts):
            try:
                found = bound(entry.method, "passes", entry.draws, name)
                passes = finite_or_none(found.for_problem(about.problem, target))
            except ValueError as why:
                silent.append([entry.label, name, sentence(plainly(str(why)))])
            else:
                values.append([entry.label, name, passes, found.target, found.latex(), found.source])
    head = ["entry", "theorem", "passes", "on average at most, for", "formula", "source"]
    caption = f"All theorems, each to {number(target)} of what its own quantity is at the start"
    return [
        {"title": caption, "head": head, "rows": values},
        {"title": "Theorems that say nothing here", "head": ["entry", "theorem", "why"], "rows": silent},
    ]


def face_off_tables(face: FaceOff) -> list[dict[str, Any]]:
    """The sums that decide, and K, W and T of both sides and draws."""
    sums = [
        ["C_P", face.C_P, "nonzeros × squared norm, summed over features"],
        ["C_D", face.C_D, "nonzeros × squared norm, summed over examples"],
        ["C_P/C_D", face.theorem3.ratio, "above 1 it favours the dual, below 1 the primal"],
        ["T_P/T_D at β = λn", face.ratio_table, "the convention of the paper's Table 1"],
        ["T_P/T_D, accelerated", face.ratio_acc, "both sides with momentum, p ~ √L"],
    ]
    work = [[f"{side}, {draws}", *map(finite_or_none, row)] for (side, draws), *row in face.table().itertuples()]
    ratios = {"uniform": face.uniform.ratio, "importance": face.ratio}
    work += [[f"primal over dual, {draws}", None, None, ratio, None] for draws, ratio in ratios.items()]
    head = ["side, draws", "K: iterations", "W: nonzeros each", "T: nonzeros in all", "T/nnz: passes"]
    return [
        {"title": "What decides", "head": ["of the data", "value", "meaning"], "rows": sums},
        {"title": "By the bounds, per factor e of accuracy", "head": head, "rows": work},
    ]


def face_off_words(choices: Choices, about: PreparedProblem) -> str:
    """Sentences that say what is compared, and the verdict."""
    return f"{title(choices, about)}. {about.faceoff.verdict}"


def _bounds(choices: Choices, about: PreparedProblem) -> list[dict[str, Any]]:
    entries = choices.contestants()
    return [*theorem_tables(about, entries, choices.target), rate_table(choices, about, entries)]


def _sampling(choices: Choices, about: PreparedProblem) -> tuple[str, list[dict[str, Any]]]:
    sides = [sampling_facts(about, side) for side in SIDES]
    tables = [*map(cost_table, sides), passes_table(about, choices.contestants(), choices.target)]
    return " ".join(map(best_sampling_sentence, sides)), tables


DRAWERS: dict[str, Callable[[Choices, PreparedProblem], tuple[str, list[dict[str, Any]]]]] = {
    "Bounds": lambda choices, about: ("", _bounds(choices, about)),
    "Face-off": lambda choices, about: (face_off_words(choices, about), face_off_tables(about.faceoff)),
    "Sampling": _sampling,
    "Code": lambda choices, about: (script(choices, about.problem.digest), []),
}
