"""bounds.json: every theorem about what the page offers, as formulas that a few lines of JavaScript evaluate.

A formula is a number, the name of a symbol, or a list: a function and its arguments. So nothing of theory is written
again, no text is run as code, and a symbol that the page cannot give a value fails the build.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy as sp

from .... import samplings, theory
from ....theory.bound import Bound
from ....theory.evaluate import _log
from ....theory.promises import of_averages, of_last_point
from ....theory.symbols import K, i, p, s
from ...engine import predicting, theorems
from ...engine.choices import TARGET, Contestant
from ...engine.problems import PreparedProblem
from ...words import sentence
from . import cells

Formula = int | float | str | list[Any]

KNOWN = {  # symbols that constants.js and bounds.js give values
    *("n", "d", "nnz", "l2", "l1", "gamma", "L", "m", "R", "Rbar", "R_col", "F", "C_P", "C_D", "D0", "gap0", "P0"),
    *(
        "P_zero",
        "mu",
        "w2",
        "a2",
        "g2",
        "L_f",
        "L_P",
        "norm_passes",
        "K",
        "W",
        "p_min",
        "v_p",
        "w2_p",
        "eps",
        "rho",
        "s_i",
        "p_i",
        "bend",
    ),
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
    """The parts of a bound that the page needs.

    Raises
    ------
    RuntimeError
        If it contains a symbol that the page has no value for.
    """
    own = [equation.rhs for equation in b.definitions if equation.lhs == K]
    plus_one, *written = theorems.parts(b)
    parts = {"expr": b.expr, "setup": b.setup, "W": b.W, "K": [*own, None][0]}
    parts |= dict(zip(("over", "under", "logarithm"), written, strict=True))
    found: dict[str, Any] = {name: None if part is None else formula(part) for name, part in parts.items()}
    found["defaults"] = [[symbol.name, formula(value)] for symbol, value in (*b.numbers, *b.defaults)]
    found["assumptions"] = [formula(each) for each in b.assumptions]
    known = KNOWN | {"infinity"} | {name for name, _ in found["defaults"]}
    used = {name for part in parts for name in _names(found[part])}
    unknown = used.union(*(_names(value) for _, value in found["defaults"])) - known
    if unknown:
        raise RuntimeError(f"the {b} has {', '.join(sorted(unknown))}, which the page has no value for")
    return found | {
        "method": b.method,
        "side": b.side,
        "bounded": b.bounded,
        "curve": b.guarantee is not None,
        "plus_one": plus_one,
        "source": b.source,
        "mathml": theorems.formula(b),
        "meanings": theorems.meanings(b),
    }


def of_parameters(b: Bound) -> bool:
    """Tell whether it is for a parameter of the method, which the page leaves at its default."""
    return bool(b.expr.free_symbols & PARAMETERS - {symbol for symbol, _ in (*b.numbers, *b.defaults)})


def chain(b: Bound) -> list[dict[str, Any]]:
    """A bound with its fallbacks."""
    bounds = [b]
    while bounds[-1].fallback is not None and not of_parameters(other := bounds[-1].fallback_bound()):
        bounds.append(other)
    return [exported(each) for each in bounds]


def entries() -> Iterator[tuple[str, Contestant]]:
    """The entries that can race on the page, by "method sampling"; batches have the sampling "batch"."""
    for name, sampling in itertools.product(cells.METHODS, cells.SAMPLINGS):
        yield f"{name} {sampling}", Contestant(name, name, cells.resolve(name), samplings.resolve(sampling))
    for name in cells.IN_BATCHES:
        yield f"{name} batch", Contestant(name, name, cells.resolve(name, cells.BATCH), samplings.resolve("uniform"))


def all_theorems(only: str = "") -> dict[str, list[list[list[dict[str, Any]]]]]:
    """By entry the chains of those about the last point of a run, and of those about averages."""
    found = {}
    for key, entry in {key.rsplit(" ", 2)[0]: entry for key, _, entry in kinds(only)}.items():
        of = entry.method, entry.draws
        about = [list(map(chain, each)) for each in (of_last_point(*of), of_averages(*of))]
        if any(about):
            found[key] = about
    return found


def kinds(only: str = "") -> Iterator[tuple[str, PreparedProblem, Contestant]]:
    """Every entry on a problem of each kind, by "method sampling loss weights" that matches a regular expression."""
    for loss, weights in itertools.product(cells.LOSSES, cells.WEIGHTS):
        about = PreparedProblem(cells.problem("sparse", loss, weights))
        for key, entry in entries():
            if re.search(only, f"{key} {loss} {weights}"):
                yield f"{key} {loss} {weights}", about, entry


def without_theorem(only: str = "") -> dict[str, str]:
    """The reasons why no theorem speaks, where none does."""
    told = ((key, theorems.theorem(about, entry, TARGET)) for key, about, entry in kinds(only))
    return {key: found.words for key, found in told if found.value is None}


def refusals() -> dict[str, str]:
    """The reasons why a method cannot run, where it cannot."""
    whys = (
        (key, predicting.refusal(about.problem, entry.method, sampling=entry.sampling)) for key, about, entry in kinds()
    )
    return {key: sentence(why) for key, why in whys if why}


def write(file: Path, only: str = "") -> None:
    """Write bounds.json; theorems of entries that match a regular expression."""
    text = {"theorems": all_theorems(only), "without": without_theorem(only), "refusals": refusals()}
    file.write_text(json.dumps(text, ensure_ascii=False, separators=(",", ":")))
