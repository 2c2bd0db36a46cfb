"""bounds.json: every theorem about what the page offers, as formulas that a few lines of JavaScript evaluate.

A formula is a number, the name of a symbol, or a list: a function and its arguments. So nothing of theory is written
again, no text is run as code, and a symbol that the page cannot give a value fails the build.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy as sp

from .... import samplings, theory
from ....theory.bound import Bound
from ....theory.evaluate import _log, in_words
from ....theory.symbols import K, i, p, s
from ....theory.theorem_files import proved_counts
from ...engine.typeset import mathml
from . import cells

Formula = int | float | str | list[Any]

BLOCKS = "tau_nice"  # what batches are drawn by
KNOWN = {  # symbols that constants.js and bounds.js give values
    *("n", "d", "nnz", "l2", "l1", "gamma", "L", "m", "R", "Rbar", "R_col", "F", "C_P", "C_D", "D0", "gap0", "P0"),
    *("P_zero", "mu", "w2", "a2", "g2", "L_f", "L_P", "norm_passes", "K", "W", "eps", "t", "s_i", "p_i"),
}
FUNCTIONS = {  # by the names of sympy's classes
    **{"Add": "+", "Mul": "*", "Max": "max", "Min": "min", "exp": "exp", "log": "log", "log1p": "log1p"},
    **{"LambertW": "lambert", "ceiling": "ceil", "floor": "floor", "Abs": "abs", "max_i": "largest"},
    **{"Equality": "==", "StrictGreaterThan": ">", "GreaterThan": ">=", "StrictLessThan": "<", "LessThan": "<="},
}
PARAMETERS = {symbol for symbols in theory.symbols.PARAMETERS.values() for symbol in symbols} - {theory.symbols.mu}
LINE = {s[i]: "s_i", p[i]: "p_i"}


# ------------------------------------------------------------ formulas
def formula(expr: Any) -> Formula:
    """An expression or a relation as a list of lists."""
    return _tree(sp.sympify(expr).replace(sp.log, _log))


def _tree(expr: Any) -> Formula:
    if expr in LINE:
        return LINE[expr]
    if expr.is_Symbol:
        return expr.name
    if expr == sp.oo:
        return "infinity"
    if expr.is_Integer:
        return int(expr)
    if expr.is_number and not expr.args:
        return float(expr)
    if isinstance(expr, sp.Piecewise):  # pairs of a value and where it holds; the last holds everywhere else
        return ["cases", *(1 if part == sp.true else _tree(part) for pair in expr.args for part in pair.args)]
    if isinstance(expr, sp.Pow):
        if expr.exp == sp.Rational(1, 2):
            return ["sqrt", _tree(expr.base)]
        return ["/", 1, _tree(1 / expr)] if expr.exp.is_negative else ["^", _tree(expr.base), _tree(expr.exp)]
    name = FUNCTIONS.get(expr.func.__name__)
    if name is None:
        raise TypeError(f"the page cannot evaluate {expr.func} in {expr}: add it to FUNCTIONS here and to bounds.js")
    return [name, *map(_tree, expr.args)]


def _names(tree: Formula | None) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        for part in tree[1:]:
            yield from _names(part)


# ------------------------------------------------------------ theorems
def exported(b: Bound) -> dict[str, Any]:
    """What the page needs of a bound.

    Raises
    ------
    RuntimeError
        If it contains a symbol that the page has no value for.
    """
    own = [equation.rhs for equation in b.definitions if equation.lhs == K]
    parts = {"expr": b.expr, "unit": b.unit, "setup": b.setup, "guarantee": b.guarantee, "W": b.W, "K": [*own, None][0]}
    found: dict[str, Any] = {name: None if part is None else formula(part) for name, part in parts.items()}
    found["defaults"] = [[symbol.name, formula(value)] for symbol, value in (*b.numbers, *b.defaults)]
    found["assumptions"] = [{"formula": formula(each), "words": in_words(each)} for each in b.assumptions]
    known = KNOWN | {"infinity"} | {name for name, _ in found["defaults"]}
    if not set(_names(found["guarantee"])) <= known:  # then Python draws no curve either
        found["guarantee"] = None
    used = {name for part in parts for name in _names(found[part])}
    unknown = used.union(*(_names(value) for _, value in found["defaults"])) - known
    if unknown:
        raise RuntimeError(f"the {b} has {', '.join(sorted(unknown))}, which the page has no value for")
    return found | {
        "name": str(b),
        "method": b.method,
        "theorem": b.theorem,
        "sampling": b.sampling,
        "side": b.side,
        "bounded": b.bounded,
        "step": b.step,
        "words": b.explain(),
        "source": b.source,
        "mathml": mathml(b.latex(), "block"),
        "symbols": sorted(symbol.name for symbol in b.expr.free_symbols),
    }


def of_parameters(b: Bound) -> bool:
    """Whether it is for a parameter of the method, which the page leaves at its default."""
    return bool(b.expr.free_symbols & PARAMETERS - {symbol for symbol, _ in (*b.numbers, *b.defaults)})


def chain(b: Bound) -> list[dict[str, Any]]:
    """A bound with its fallbacks, and last the theorems that a refusal may name instead."""
    bounds = [b]
    while bounds[-1].fallback is not None and not of_parameters(other := bounds[-1].fallback_bound()):
        bounds.append(other)
    found = [exported(each) for each in bounds]
    last = bounds[-1]
    others = sorted(proved_counts(last.method), key=lambda o: (o.method != last.method, o.sampling != last.sampling))
    found[-1]["instead"] = [
        {
            "where": f"{other.method!r}, sampling={other.sampling!r}, theorem={other.theorem!r}",
            "covers": [formula(assumption) for assumption in other.assumptions],
        }
        for other in others
    ]
    return found


def theorems() -> tuple[dict[str, Any], dict[str, str]]:
    """By "method sampling" and "method sampling gap" the chains of bounds, or why there is none."""
    found, refused = {}, {}
    for method, sampling in itertools.product(cells.METHODS, (*cells.SAMPLINGS, BLOCKS)):
        if sampling == BLOCKS and method not in cells.IN_BATCHES:
            continue
        key = f"{method} {sampling}"
        try:
            drawn = samplings.TauNice(2) if sampling == BLOCKS else sampling
            b = theory.bound(method, "passes", sampling=drawn).per("passes")
            found[key] = chain(b)
            found[f"{key} gap"] = chain(b.on_gap())
        except ValueError as error:
            refused[f"{key} gap"] = str(error)
            if key not in found:
                refused[key] = str(error)
    return found, refused


def texts() -> dict[str, list[str]]:
    """MathML and meaning of every symbol, by its name."""
    return {name: [mathml(theory.symbols.to_latex(symbol)), theory.MEANINGS[name]] for name, symbol in _symbols()}


def _symbols() -> Iterator[tuple[str, Any]]:
    return ((name, symbol) for name, symbol in theory.symbols.SYMBOLS.items() if name in KNOWN)


# ------------------------------------------------------------ refusals of methods
def refusals() -> dict[str, str]:
    """Why a method cannot run, by "method sampling loss weights" where the answer is no."""
    found = {}
    for loss, weights in itertools.product(cells.LOSSES, cells.WEIGHTS):
        problem = cells.problem("sparse", loss, weights)
        for method, sampling in itertools.product(cells.METHODS, cells.SAMPLINGS):
            why = cells.resolve(method).refusal(problem, samplings.resolve(sampling))
            if why is not None:
                found[f"{method} {sampling} {loss} {weights}"] = why
    return found


def write(file: Path) -> None:
    """Write bounds.json."""
    found, refused = theorems()
    text = {"theorems": found, "uncovered": refused, "refusals": refusals(), "symbols": texts()}
    file.write_text(json.dumps(text, ensure_ascii=False, separators=(",", ":")))
