"""Why no theorem speaks about a method on a problem, for a reader who sees formulas and types no Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...methods import Method
from ...problems.problem import Problem
from ...samplings import Sampling
from ..words import listed, number

if TYPE_CHECKING:
    import sympy as sp

    from ...theory import Bound

IN_THE_FORM = ("l1", "l2")  # what they are is seen there


def uncovered(method: Method, sampling: Sampling | None) -> str:
    """No theorem about the method covers the sampling."""
    words = f"no theorem covers {method.name}" + (f" with {sampling.name} sampling" if sampling is not None else "")
    independent = sampling is None or sampling.has_theorem
    return words if independent else f"{words}: its coordinates are not drawn independently"


def whys(theorems: Sequence[Bound], problem: Problem) -> str:
    """Why the first of some theorems about a method does not fit; and what is not known where another one would."""
    main, *others = theorems
    words = [_why(main, problem)]
    lacking = [unknown(each, problem) for each in others if not _contradicted(each, problem)]
    words += [f"another one needs {each}" for each in dict.fromkeys(lacking) if each and each not in words[0]]
    return "; ".join(words)


def without_curve(theorem: Bound, problem: Problem) -> str:
    """Why no line can be drawn of a bound that has a value on this problem; empty if one can."""
    if theorem.guarantee is not None and not _lacking(theorem, problem, theorem.guarantee, asked="t"):
        return ""
    return f"the theorem about {theorem.method} says how long it takes, not how the error falls on the way"


def unknown(theorem: Bound, problem: Problem) -> str:
    """The constants of a bound that nothing gives on this problem, with what they mean; empty if there are none."""
    lacking = _lacking(theorem, problem, theorem.expr, asked="eps")
    verb = "is" if len(lacking) == 1 else "are"
    return f"{listed([_meant(name) for name in lacking])}, which {verb} not known here" if lacking else ""


def _lacking(theorem: Bound, problem: Problem, formula: sp.Expr, asked: str) -> list[str]:
    """What of a formula is neither known, nor worked out from the sampling, nor made by default of what is."""
    from ...theory.assumptions import unknown_symbols

    return unknown_symbols(theorem, {*_values(theorem, problem), asked, "K", "W"}, formula)


def _why(theorem: Bound, problem: Problem) -> str:
    about, failed = f"the theorem about {theorem.method}", _contradicted(theorem, problem)
    if failed:
        return f"{about} {failed}"
    lacking = unknown(theorem, problem)
    if lacking:
        return f"{about} needs {lacking}"
    if theorem.for_problem(problem, P0=problem.constants()["gap0"]) < np.inf:
        return "w = 0 is optimal here as far as can be told, and an accuracy is a share of P(0) - P*"
    return f"the bound of {theorem.method} is infinite on these data"


def _contradicted(theorem: Bound, problem: Problem) -> str:
    """What the problem is that the theorem assumes it is not; empty if it fits."""
    from ...theory.constants import cheap_constants
    from ...theory.evaluate import first_failed, in_words
    from ...theory.symbols import MEANINGS

    outputs = problem.constants().get("outputs", 1)
    if outputs > 1 and not theorem.vectors:
        return f"is for losses of one prediction, and here there are {outputs} classes"
    values = cheap_constants(problem.constants(), {})
    failed = first_failed(theorem.assumptions, values)
    if failed is None:  # what costs passes over X is looked at last: it may not exist where the rest does not fit
        values = _values(theorem, problem)
        failed = first_failed(theorem.assumptions, values)
    if failed is None:
        return ""
    symbols = sorted(failed.free_symbols, key=str)
    here = listed([f"{symbol.name} = {number(float(values[symbol.name]))}" for symbol in symbols])
    meaning = "".join(f" ({MEANINGS[symbol.name]})" for symbol in symbols if symbol.name not in IN_THE_FORM)
    return f"needs {in_words(failed)}{meaning}, and here {here}"


def _values(theorem: Bound, problem: Problem) -> dict[str, Any]:
    """The constants that are known of a problem."""
    from ...theory.constants import keywords_on

    return keywords_on(problem, {}, {symbol.name for symbol in theorem.symbols})


def _meant(name: str) -> str:
    from ...theory.symbols import MEANINGS

    return f"{name} ({MEANINGS[name]})"
