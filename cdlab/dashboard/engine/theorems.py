"""What theory says of an entry: passes until the best certified gap is the target share of P(0) - D(0).

All theorems are restated on the gap (`Bound.on_gap`), and what they need of the unknown optimum is bounded by the gap
of the start. So methods of both sides have one logarithm, and the ratio of their passes is that of the face-off.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...problems.problem import Problem
from ..words import number, sentence
from .choices import Entrant
from .numbers import spoken
from .problems import Prepared
from .schema import Curve, Theorem
from .theorem_for import theorem_for
from .typeset import mathml

if TYPE_CHECKING:
    import sympy

    from ...theory import Bound

# They halve the constant on both sides alike: their ratio is nearly the same, and their formulas are twice as long
REFINED = {"halved", "halved dual"}
GAP = "duality gap"  # in the words of what a theorem bounds
CURVE_POINTS = 41
BOUND_OF = re.compile(r"the passes bound of (.+?) \(theorem '[^']*'\)")
HIGHEST = 1.0  # of a curve: the gap at the start
LETTERS = (  # what a formula says in letters -> in terms of X
    (r"R_{\mathrm{col}}^{2}", r"\max_j \|X_{:j}\|^2"),
    (r"R^{2}", r"\max_i \|x_i\|^2"),
    ("L_P", "L"),
)
LINES = {  # symbol that one line sets -> side, words
    "R_col": ("primal", "the heaviest column"),
    "R": ("dual", "the heaviest row"),
}
SUMS = {"C_P": "all columns, by entries × norm²", "C_D": "all rows, by entries × norm²", "F": "all rows together"}
MEANINGS = {
    "L_P": "smoothness of P: λ_max(X'X)/(γn) + λ, or what is certainly no less",
    "R": "the largest norm of a row",
    "R_col": "the largest norm of a column",
    "gamma": "the loss is 1/γ-smooth",
    "l2": "λ, the weight of ½‖w‖²",
    "eps": "the target, as a share of P(0) − D(0)",
    "n": "examples",
}


@dataclass(frozen=True)
class Evaluated:
    """A theorem on a problem: its formula, the values of its symbols, and the passes to the target."""

    bound: Bound
    values: dict[str, Any]
    passes: float
    last_point: bool  # about the last point of a run, not an average of its points

    def passes_to(self, level: np.ndarray) -> np.ndarray:
        """Passes until the gap is this share of that of the start: the formula, with the level for eps."""
        from ...theory.evaluate import evaluate

        values = self.values | {"eps": np.asarray(level, dtype=float) * self.values["P0"]}
        setup = evaluate(self.bound.setup, values, str(self.bound)) / values["nnz"] if values["nnz"] > 0 else 0.0
        return np.maximum(evaluate(self.bound.expr, values, str(self.bound)) + setup, 0.0)


def theorem(about: Prepared, entry: Entrant, target: float) -> Theorem:
    """The theorem of an entry on a problem, or why there is none."""
    try:
        found = evaluated(about.problem, entry, target)
    except ValueError as why:
        return Theorem(entry.label, "", "", None, None, "", _plainly(str(why)), None)
    bound = found.bound
    factor, logarithm = _split(_relative(bound))
    names = {symbol.name for symbol in _relative(bound).free_symbols}
    line, words = _line(about, names)
    label = entry.label if bound.method == entry.method.name else f"{entry.label} (as {bound.method})"
    about_averages = "" if found.last_point else " It is about averages of the points, so that no curve is drawn."
    return Theorem(
        label=entry.label,
        mathml=mathml(latex(bound), "block"),
        numbers=_in_numbers(factor, logarithm, found.values | {"eps": target}),
        value=found.passes,
        line=line,
        line_words=words,
        words=f"{label}: the gap is at most {number(target)} of that of the start after so many passes, on average."
        + about_averages,
        curve=_curve(found, target) if found.last_point else None,
        source=bound.source,
        meanings=_meanings(bound, found.values | {"eps": target}),
    )


def _plainly(reason: str) -> str:
    """A reason as a sentence for somebody who types no Python."""
    return sentence(BOUND_OF.sub(r"the theorem about \1", reason.partition("; bound(")[0]))


@lru_cache(256)
def _sharpest(entry: Entrant) -> tuple[Bound, ...]:
    from ...theory import sharpest
    from ...theory.spectra import OF_SPECTRUM

    found = sharpest(entry.method, entry.drawn).bounds
    return tuple(b for b in found if not (OF_SPECTRUM & b.symbols) and b.theorem not in REFINED)


def evaluated(problem: Problem, entry: Entrant, target: float) -> Evaluated:
    """The theorem that promises the fewest passes on a problem.

    Raises
    ------
    ValueError
        Why there is none, in words for the reader.
    """
    start = problem.at_zero - problem.dual_at_zero
    if problem.l2 == 0:
        raise ValueError("without λ no theorem here is about the gap")
    if not start > 0:
        raise ValueError("the start is optimal: P(0) = D(0)")
    try:
        bounds = _sharpest(entry)
    except ValueError:
        return _of_averages(problem, entry, target, start)
    found = []
    for bound in bounds:
        with suppress(ValueError):  # it does not fit the problem
            found.append(_on(bound, problem, target, start))
    found = [each for each in found if math.isfinite(each.passes)]
    return min(found, key=lambda each: each.passes) if found else _of_averages(problem, entry, target, start)


def _on(bound: Bound, problem: Problem, target: float, start: float) -> Evaluated:
    from ...theory.assumptions import require_known
    from ...theory.bound import covering_bound

    covering, values = covering_bound(bound, problem, {"P0": start})
    require_known(covering, values, covering.expr)
    found = Evaluated(covering, values | {"P0": start, "D0": start}, math.nan, covering.bounded == bound.bounded)
    passes = float(found.passes_to(np.asarray(target)))
    return Evaluated(covering, found.values, passes, covering.guarantee is not None and found.last_point)


def _of_averages(problem: Problem, entry: Entrant, target: float, start: float) -> Evaluated:
    """Where no theorem is about the gap of the last point, one about that of an average: a number without a curve."""
    from ...theory import bound
    from ...theory.registry import theorems_of

    name, found = entry.method.name, []
    about_gap = (b.theorem for b in theorems_of(name) if b.counts and b.kind != "asymptotic" and GAP in b.target)
    for theorem_name in dict.fromkeys(about_gap):
        with suppress(ValueError):  # it does not cover the sampling, or does not fit the problem
            found.append(_on(bound(entry.method, "passes", entry.drawn, theorem_name), problem, target, start))
    found = [each for each in found if math.isfinite(each.passes)]
    if not found:
        other = theorem_for(problem, entry.method, entry.sampling)  # which says why, where there is none
        raise ValueError(f"the theorem about {name} bounds {other.target}, not the gap that is measured here")
    best = min(found, key=lambda each: each.passes)
    return Evaluated(best.bound, best.values, best.passes, last_point=False)


# ------------------------------------------------------------ the formula
@lru_cache(256)
def _relative(bound: Bound) -> sympy.Expr:
    """The count with eps as a share of the gap of the start, by which the unknown distances are bounded."""
    from ...theory import symbols as s

    start = s.P0
    distances = {s.D0: start, s.w2: 2 * start / s.l2, s.a2: 2 * s.n * start / s.gamma}
    expr = bound.expr.subs(
        {symbol: bounded for symbol, bounded in distances.items() if symbol in bound.expr.free_symbols}
    )
    return expr.subs(s.eps, s.eps * start)


def _split(expr: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """A factor, and the product of the logarithms."""
    import sympy as sp

    return expr.as_independent(sp.log, as_Add=False) if expr.is_Mul else (sp.S.One, expr)


@lru_cache(256)
def latex(bound: Bound) -> str:
    from ...theory.symbols import to_latex

    text = to_latex(_relative(bound))
    for letters, words in LETTERS:
        text = text.replace(letters, words)
    return text


def _in_numbers(factor: sympy.Expr, logarithm: sympy.Expr, values: dict[str, Any]) -> str:
    """The formula with numbers put in: "(1 + 995/4) × 19.4"."""
    one, rest = factor.as_coeff_Add()
    if one == 1:
        over, under = (_value(each, values) for each in rest.as_numer_denom())
        first = f"(1 + {number(over)}/{number(under)})" if under != 1 else f"(1 + {number(over)})"
    else:
        first = number(_value(factor, values))
    return first if logarithm == 1 else f"{first} × {number(_value(logarithm, values))}"


def _value(expr: sympy.Expr, values: dict[str, Any]) -> float:
    from ...theory.evaluate import evaluate

    return float(evaluate(expr, values, "a formula"))


def _line(about: Prepared, names: set[str]) -> tuple[int | None, str]:
    """What sets the value: a line of X, or a sum over lines."""
    for name, (side, words) in LINES.items():
        if name in names:
            profile = about.problem.column_profile if side == "primal" else about.problem.row_profile
            return int(profile.norms2.argmax()), words
    return None, next((words for name, words in SUMS.items() if name in names), "")


def _curve(found: Evaluated, target: float) -> Curve:
    levels = np.geomspace(HIGHEST, target, CURVE_POINTS)
    passes = found.passes_to(levels)
    return Curve(passes.tolist(), levels.tolist())


def _meanings(bound: Bound, values: dict[str, Any]) -> list[tuple[str, str]]:
    from ...theory.symbols import MEANINGS as PAPERS
    from ...theory.symbols import to_latex

    told = []
    for symbol in sorted(_relative(bound).free_symbols, key=lambda each: each.name):
        shown = to_latex(symbol)
        for letters, words in LETTERS:
            shown = shown.replace(letters.removesuffix("^{2}"), words.removesuffix("^2"))
        meaning = MEANINGS.get(symbol.name) or PAPERS[symbol.name]
        value = values.get(symbol.name)
        told.append((mathml(shown), meaning if value is None else f"{meaning}: {spoken(float(value))}"))
    return told
