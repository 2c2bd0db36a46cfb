"""`facts`: what is behind the drawers Bounds, Face-off, Sampling and Code, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..words import number
from ..words import sentence as as_sentence
from .choices import Choices, Entrant
from .code import script
from .numbers import finite_or_none
from .predicting import line_word, title
from .problems import Prepared, prepared
from .sampling_facts import sampling_facts, sentence
from .schema import Facts

if TYPE_CHECKING:
    from ...theory import Bound

SIDES = ("primal", "dual")


def facts(drawer: str, choices: Choices) -> Facts:
    """What a drawer shows.

    Raises
    ------
    ValueError, OSError
        For another drawer, or as `Choices.problem`.
    """
    if drawer not in DRAWERS:
        raise ValueError(f"there is no drawer {drawer[:40]!r}: there are {', '.join(DRAWERS)}")
    about = prepared(choices)
    words, tables = DRAWERS[drawer](choices, about)
    return Facts(choices.digest, drawer, words, tables)


def table(caption: str, head: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    """A table: cells are numbers, texts or None."""
    return {"title": caption, "head": head, "rows": rows}


def _bounds(choices: Choices, about: Prepared) -> tuple[str, list[dict[str, Any]]]:
    rows = [row for entry in choices.entrants() for row in _theorems(about, entry, choices.target)]
    head = ["entry", "theorem", "bounds", "passes", "source"]
    words = f"All theorems about the entries, in passes to {number(choices.target)} of what the start has."
    return words, [table("Theorems", head, rows)]


def _theorems(about: Prepared, entry: Entrant, target: float) -> list[list[Any]]:
    found = theorems_of_entry(about, entry, target)
    return [[entry.label, name, bound.target if bound else "", passes, why] for name, bound, passes, why in found]


def theorems_of_entry(
    about: Prepared, entry: Entrant, target: float
) -> Iterator[tuple[str, Bound | None, float | None, str]]:
    """Of each theorem about an entry its name, the bound, the passes to the target, and the source; or why not."""
    from ...theory import bound
    from ...theory.registry import theorems_of

    for name in dict.fromkeys(b.theorem for b in theorems_of(entry.method.name) if b.counts):
        found = None
        try:
            found = bound(entry.method, "passes", entry.drawn, name)
            yield name, found, finite_or_none(found.for_problem(about.problem, target)), found.source
        except ValueError as error:
            yield name, found, None, as_sentence(str(error).partition("; bound(")[0])


def _faceoff(choices: Choices, about: Prepared) -> tuple[str, list[dict[str, Any]]]:
    face = about.faceoff
    sums = [["C_P", "columns", face.C_P], ["C_D", "rows", face.C_D], ["C_P/C_D", "", face.theorem3.ratio],
            ["‖X‖²_F", "", face.F]]  # fmt: skip
    rows = []
    for name, work in (("importance", face.importance), ("uniform", face.uniform)):
        for side, letter in (("primal", "P"), ("dual", "D")):
            rows.append([name, side, *(finite_or_none(getattr(work, f"{kind}_{letter}")) for kind in "KWT")])
        rows.append([name, "primal/dual", None, None, finite_or_none(work.ratio)])
    words = title(choices, about) + (f". {as_sentence(face.reason)}" if face.reason else "")
    head = ["draws", "side", "K: steps a factor e", "W: entries a step", "T = K W"]
    return words, [table("Sums", ["sum", "over", "value"], sums), table("Work", head, rows)]


def _sampling(choices: Choices, about: Prepared) -> tuple[str, list[dict[str, Any]]]:
    tables, words = [], []
    for side in SIDES:
        found = sampling_facts(about.problem, side)
        rows: list[list[Any]] = []
        for scheme in found.schemes:
            p = scheme.p
            spread = [None, None] if p is None else [float(p.min() * p.size), float(p.max() * p.size)]
            numbers = [None if x is None else finite_or_none(x) for x in (scheme.W, scheme.K, scheme.T)]
            rows.append([scheme.label, *spread, *numbers, as_sentence(scheme.reason) if scheme.reason else ""])
        head = ["sampling", "least p · m", "largest p · m", "W: entries a step", "K", "T = K W", "remark"]
        tables.append(table(f"Draws of the {line_word(choices, side)}s", head, rows))
        words.append(sentence(found))
    return " ".join(words), tables


def _code(choices: Choices, about: Prepared) -> tuple[str, list[dict[str, Any]]]:
    return script(choices, about.problem.digest), []


DRAWERS: dict[str, Callable[[Choices, Prepared], tuple[str, list[dict[str, Any]]]]] = {
    "Bounds": _bounds,
    "Face-off": _faceoff,
    "Sampling": _sampling,
    "Code": _code,
}
