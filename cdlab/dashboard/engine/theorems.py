"""Theorems about an entry, in words and formulas: the promises of `theory.promises` as the page shows them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...numerics.written_numbers import number
from ...problems.problem import Problem
from ..words import sentence
from .choices import Contestant
from .numbers import heaviest
from .problems import PreparedProblem
from .schema import BoundCurve, Theorem
from .sentences import sentence_of
from .typeset import mathml

if TYPE_CHECKING:
    import sympy

    from ...theory import Bound
    from ...theory.promises import Promise

CURVE_POINTS = 41
BOUND_OF = re.compile(r"the passes bound of (.+?) \(theorem '[^']*'\)")
SIGNS = {r"\|\|": "‖", r"_2\^2": "₂²", r"\^2": "²", " - ": " − ", r"\*?\bl2\b": "λ", "infinity": "∞", "theta_1": "θ₁"}
SIGNS |= {rf"\b{name}\b": sign for name, sign in zip(("alpha", "gamma", "delta", "eps", "mu"), "αγδεμ", strict=True)}
HIGHEST = 1.0  # A curve starts at this relative gap.
LONG, LONG_LOGARITHM = 200, 60  # characters of a formula that has letters for the long arguments of its logarithms
WIDE = 150  # characters of a formula that has its logarithms on a second line
STARTING, STAGE = "A", "B"  # These are the letters: for what a bound is at the start, and what a stage multiplies.
LETTERS = (  # letters of a formula -> the same in terms of X
    (r"R_{\mathrm{col}}^{2}", r"\max_j \|X_{:j}\|^2"),
    (r"R^{2}", r"\max_i \|x_i\|^2"),
    ("L_P", "L"),
    (r"\left(P_{0}-P^{*}\right)", r"\left(P(0)-D(0)\right)"),  # which bounds it: see `relative`
)
SHORTER = {  # how a formula is written -> the same in less room
    r"\^\{\\frac\{(\d)\}\{(\d)\}\}": r"^{\1/\2}",
    r"(\\sqrt\{[^{}]*)\} \\sqrt\{([^{}]*)\}": r"\1 \2}",  # a root of a product
    r"([\\\w]+)\^(\{\d/\d\}) ([\\\w]+)\^\2": r"(\1 \3)^\2",  # a power of a product
    r"\(([^()]+)\)\^(\{\d/\d\}) ([\\\w]+)\^\2": r"(\1 \3)^\2",
}
LINES = {  # symbol that one line sets -> side, words
    "R_col": ("primal", "the heaviest column"),
    "R": ("dual", "the heaviest row"),
}
ESO = {  # what an entry of a line is multiplied by, in the ESO of blocks
    "tau_nice": r"1 + \frac{\tau - 1}{N - 1} (\omega_{k} - 1)",
    "independent": r"1 - p_{i} + \sum_{l: a_{lk} \neq 0} p_{l}",
    "bucket": r"1 + (1 - \frac{1}{\omega'_{k}}) \sum_{l: a_{lk} \neq 0} p_{l}",
    "distributed": r"1 + b (\omega_{k} - 1) + (p - b)(1 - \frac{1}{\omega'_{k}}) \omega_{k}",
}
ESO_WORDS = (
    "what a batch needs in place of norm² of line aᵢ, its ESO (Qu & Richtarik 2016); entry k is in ω of N lines, of ω′ "
    "buckets or machines, of whose s lines τ are drawn, p = τ/s and b = (τ − 1)/(s − 1)"
)
SUMS = {"C_P": "all columns, by entries × norm²", "C_D": "all rows, by entries × norm²", "F": "all rows together"}
MEANINGS = {
    "L_P": "smoothness of P (the gap is at most about L/λ times what one side lacks); λ_max(X'X)/(γn) + λ, or what is "
    "certainly no less",
    "P0": "the gap of the start",
    "R": "the largest norm of a row",
    "R_col": "the largest norm of a column",
    "gamma": "the loss is 1/γ-smooth",
    "l2": "λ, the weight of ½‖w‖²",
    "eps": "the target, as a share of P(0) − D",
    "rho": "the gap of the start over what there is to gain, at most: over the fall of P along its steepest descent",
    "n": "examples",
    STARTING: "the bound at the start, as a share of what there is to gain",
    STAGE: "by how much a stage reduces its own gap, times what its inner rate costs",
}


def theorem(about: PreparedProblem, entry: Contestant, target: float) -> Theorem:
    """The theorem of an entry on a problem, or why there is none."""
    from ...theory.promises import PRIMAL

    try:
        found = best_theorem(about.problem, entry, target)
    except ValueError as why:
        return Theorem(entry.label, "", "", None, None, "", sentence(plainly(str(why))), None)
    bound, values = found.bound, found.values | {"eps": target}
    line, words = _line(about, {symbol.name for symbol in relative(bound).free_symbols})
    label = entry.label if bound.method == entry.method.name else f"{entry.label} (as {bound.method})"
    label += " (checked by runs, not proven)" * (bound.kind == "checked")
    key = "theorem" if bound.bounded != PRIMAL else "theorem.primal"
    statement = sentence_of(key, {"label": label, "target": number(target)})
    return Theorem(
        label=entry.label,
        mathml=formula(bound),
        numbers=_in_numbers(bound, values),
        value=found.passes,
        line=line,
        line_words=words,
        words=statement if found.last_point else sentence_of("theorem.averages", {"statement": statement}),
        curve=_curve(found, target) if found.last_point else None,
        source=bound.source,
        meanings=[_with_value(each, values) for each in meanings(bound)],
    )


def plainly(reason: str) -> str:
    """A reason of the theory for somebody who types no Python."""
    reason = BOUND_OF.sub(r"the theorem about \1", reason.partition("; bound(")[0])
    for typed, sign in SIGNS.items():
        reason = re.sub(typed, sign, reason)
    return reason


def best_theorem(problem: Problem, entry: Contestant, target: float) -> Promise:
    """The theorem that promises the fewest passes on a problem.

    Raises
    ------
    ValueError
        If there is none; the message says why, in words for the reader.
    """
    from ...theory.promises import best_promise

    if problem.l2 == 0 and problem.l1 > 0:
        raise ValueError("without λ no theorem here is about the gap")
    if why := without_gain(problem):
        raise ValueError(why)
    if found := best_promise(problem, entry.method, entry.draws, target):
        return found
    from ...theory.bound import covering_bound
    from ...theory.spectra import SPECTRAL_SYMBOLS

    other, name = covering_bound(main_theorem(problem, entry), problem, {})[0], entry.method.name
    if SPECTRAL_SYMBOLS & other.symbols:
        raise ValueError(f"the theorem about {name} needs eigenvalues of all blocks, which are not computed here")
    measured = "gap" if problem.l2 > 0 else "P(w) - P* of the last point"
    raise ValueError(f"the theorem about {name} bounds {other.target}, not the {measured} that is measured here")


def without_gain(problem: Problem) -> str:
    """The reason why nothing can be gained from the start on; "" where something can."""
    from ...theory.constants import least_decrease

    if not problem.at_zero > problem.dual_at_zero:
        return sentence_of("note.optimal", {})
    return "" if least_decrease(problem)(problem.l2) > 0 else sentence_of("note.zero", {})


def main_theorem(problem: Problem, entry: Contestant) -> Bound:
    """The main theorem of a method, which may be about something else than the gap.

    Raises
    ------
    ValueError
        If none covers the entry and fits the problem; the message says why, in words for the reader.
    """
    from ...theory.bound import Uncovered
    from ...theory.symbols import MEANINGS as PAPERS

    main = _known_theorem(entry)
    try:
        main.for_problem(problem)
    except Uncovered as why:
        names = sorted({symbol.name for symbol in why.failed.free_symbols} & (PAPERS.keys() - {"l1", "l2"}))
        meant = "; ".join(f"{each}: {PAPERS[each]}" for each in names)
        # without the numbers of this problem: the page without Python knows reasons for kinds of problems only
        needed = plainly(str(why)).partition(", but this problem has ")[0]
        raise ValueError(needed + (f" ({meant})" if meant else "")) from None
    except ValueError as why:
        raise ValueError(plainly(str(why)).partition(": pass ")[0]) from None
    return main


def _known_theorem(entry: Contestant) -> Bound:
    """The main theorem of a method with a sampling, whether or not it fits a problem."""
    from ...theory import bound
    from ...theory.registry import WITHOUT_THEOREM

    name, drawn = entry.method.name, entry.draws
    if name in WITHOUT_THEOREM:
        raise ValueError(f"no theorem here covers {name}: {WITHOUT_THEOREM[name]}")
    try:
        main = bound(entry.method, "passes", drawn)
    except ValueError:
        words = f"no theorem here covers {name}" + (f" with {drawn.name} sampling" if drawn else "")
        independent = drawn is None or drawn.has_theorem
        raise ValueError(words if independent else f"{words}: they are about independent draws") from None
    if not main.counts:
        raise ValueError(f"no theorem says how long {name} takes; what is known is about one step: {main.target}")
    return main


# ------------------------------------------------------------ the formula
@lru_cache(256)
def relative(bound: Bound) -> sympy.Expr:
    """The count with eps as a share of what there is to gain, and distances bounded by the gap of the start."""
    import sympy as sp

    from ...theory import symbols as s
    from ...theory.promises import PRIMAL, RATIO

    start = s.P0
    distances = {s.D0: start, s.gap0: start}
    if bound.bounded != PRIMAL:
        distances |= {s.w2: 2 * start / s.l2, s.a2: 2 * s.n * start / s.gamma}
    expr = bound.expr.subs(
        {symbol: bounded for symbol, bounded in distances.items() if symbol in bound.expr.free_symbols}
    )
    return expr.subs(s.eps, s.eps * start / sp.Symbol(RATIO, positive=True))


class Parts(NamedTuple):
    """A relative count as it is written with numbers: (1 + over/under) × logarithm, or over/under × logarithm."""

    plus_one: bool
    over: sympy.Expr
    under: sympy.Expr
    logarithm: sympy.Expr  # the product of all; 1: none


@lru_cache(256)
def parts(bound: Bound) -> Parts:
    import sympy as sp

    expr = relative(bound)
    factor, logarithm = expr.as_independent(sp.log, as_Add=False) if expr.is_Mul else (sp.S.One, expr)
    one, rest = factor.as_coeff_Add()
    plus_one = one == 1 and rest != 0
    over, under = rest.as_numer_denom() if plus_one else (factor, sp.S.One)
    return Parts(plus_one, over, under, logarithm)


def _in_numbers(bound: Bound, values: dict[str, Any]) -> str:
    """The formula with numbers put in: "(1 + 995/4) × 19.4"."""
    plus_one, *numbers = parts(bound)
    over, under, logarithm = (_value(each, values) for each in numbers)
    fraction = number(over) if under == 1 else f"{number(over)}/{number(under)}"
    first = f"(1 + {fraction})" if plus_one else fraction
    return first if logarithm == 1 else f"{first} × {number(logarithm)}"


@lru_cache(256)
def formula(bound: Bound) -> str:
    """The relative count as MathML; a long one has letters for long arguments, and its logarithms on a second line."""
    import sympy as sp

    from ...theory.symbols import to_latex

    expr = factors_in_max(relative(bound)).subs({log: written for log, written, _, _ in lettered(bound)})
    whole = to_latex(expr)
    factor, logarithms = expr.as_independent(sp.log, as_Add=False)
    if len(whole) <= WIDE or 1 in (factor, logarithms):
        return mathml(_in_terms_of_X(whole), "block")
    first = rf"\left({to_latex(factor)}\right)" if factor.is_Add else to_latex(factor)
    lines = first, rf"\times {to_latex(logarithms)}"
    return "".join(mathml(_in_terms_of_X(line), "block") for line in lines)


def factors_in_max(expr: sympy.Expr) -> sympy.Expr:
    """A product with a maximum, of which what multiplies it, but for numbers and logarithms, multiplies each term."""
    import sympy as sp

    largest = [each for each in expr.args if isinstance(each, sp.Max)] if expr.is_Mul else []
    if not largest:
        return expr
    _, symbols = sp.Mul(*[each for each in expr.args if not each.has(sp.Max, sp.log)]).as_coeff_Mul()
    if symbols.has(sp.Add):  # each term would be longer
        return expr
    return expr / (symbols * largest[0]) * sp.Max(*[sp.expand(symbols * each) for each in largest[0].args])


class Lettered(NamedTuple):
    """A logarithm of a long formula, as it is written with a letter, ln(A/eps) or ln(B), and what the letter is."""

    log: sympy.Expr
    written: sympy.Expr
    letter: str
    value: sympy.Expr


@lru_cache(256)
def lettered(bound: Bound) -> list[Lettered]:
    """The logarithms of a formula that are written with a letter: one for each letter at most."""
    import sympy as sp

    from ...theory.symbols import eps, to_latex

    expr = relative(bound)
    found: dict[str, Lettered] = {}
    for log in sorted(expr.atoms(sp.log), key=str) if len(to_latex(expr)) > LONG else ():
        (argument,) = log.args
        letter, over = (STARTING, eps) if argument.has(eps) else (STAGE, sp.S.One)
        value = argument * over
        if len(to_latex(argument)) > LONG_LOGARITHM and not value.has(eps) and letter not in found:
            found[letter] = Lettered(log, sp.log(sp.Symbol(letter, positive=True) / over), letter, value)
    return list(found.values())


def _in_terms_of_X(text: str) -> str:
    for long, short in SHORTER.items():
        while (shorter := re.sub(long, short, text)) != text:
            text = shorter
    for letters, words in LETTERS:
        text = text.replace(letters, words)
    return text


def _value(expr: sympy.Expr, values: dict[str, Any]) -> float:
    from ...theory.evaluate import evaluate

    return float(evaluate(expr, values, "a formula"))


def _line(about: PreparedProblem, names: set[str]) -> tuple[int | None, str]:
    """The cause of the value: a line of X, or a sum over lines."""
    for name, (side, words) in LINES.items():
        if name in names:
            profile = about.problem.column_profile if side == "primal" else about.problem.row_profile
            return heaviest(profile.norms2), words
    return None, next((words for name, words in SUMS.items() if name in names), "")


def _curve(found: Promise, target: float) -> BoundCurve:
    levels = np.geomspace(HIGHEST, target, CURVE_POINTS)
    passes = found.passes_to(levels)
    return BoundCurve(passes.tolist(), levels.tolist())


@lru_cache(256)
def meanings(bound: Bound) -> list[tuple[str, str, str]]:
    """MathML of each symbol of the relative count, what it means, and its name."""
    from ...theory.symbols import MEANINGS as PAPERS
    from ...theory.symbols import to_latex

    found = [
        (mathml(f"{letter} = {_in_terms_of_X(to_latex(value))}"), MEANINGS[letter], letter)
        for _, _, letter, value in lettered(bound)
    ]
    for symbol in sorted(relative(bound).free_symbols, key=lambda each: each.name):
        text = to_latex(symbol)
        for letters, words in LETTERS:
            text = text.replace(letters.removesuffix("^{2}"), words.removesuffix("^2"))
        found.append((mathml(text), MEANINGS.get(symbol.name) or PAPERS[symbol.name], symbol.name))
    if bound.sampling in ESO:
        text = rf"v_{{i}} = \sum_{{k}} a_{{ik}}^{{2}} \left({ESO[bound.sampling]}\right)"
        found.append((mathml(text), ESO_WORDS, "v"))
    return found


def _with_value(meaning: tuple[str, str, str], values: dict[str, Any]) -> tuple[str, str]:
    text, words, name = meaning
    return text, words if values.get(name) is None else f"{words}: {number(float(values[name]))}"
