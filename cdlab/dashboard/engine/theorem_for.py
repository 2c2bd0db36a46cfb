"""Which theorem speaks about a method on a problem, or why none does. sympy is imported by those who call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import samplings
from ...methods import Method, resolve
from ...problems.problem import Problem
from ...samplings import Sampling
from ..words import listed, number

if TYPE_CHECKING:
    import sympy

    from ...theory import Bound

# what a race shows, as theorems bound it and as it is spelled in what they bound
_SPELLED = {"P-D": "P(w) - D(alpha)", "P(w)-P*": "P(w) - P*", "D*-D": "D* - D(alpha)"}


def theorem_for(problem: Problem, method: str | Method, sampling: str | Sampling, quantity: str = "passes") -> Bound:
    """The theorem about a method, with its parameters, that says most about a race on this problem.

    Theorems on what a race shows come first, those on the iterates themselves before those on their averages; then
    those on distances to the optimum, those without a curve, and statements up to constants. Among equals the method's
    main theorem is first. Methods that draw nothing are covered whatever the sampling.

    Raises
    ------
    ValueError
        If no theorem covers method and sampling, or none fits the problem: the reason, in words for the reader.
    """
    from ...theory import bound
    from ...theory.bound import covering_bound
    from ...theory.registry import WITHOUT_THEOREM, theorems_of

    method = resolve(method) if isinstance(method, str) else method
    if method.name in WITHOUT_THEOREM:
        raise ValueError(f"no theorem covers {method.name}: {WITHOUT_THEOREM[method.name]}")
    drawn = method.draws(samplings.resolve(sampling))
    main = bound(method, quantity)
    # of parameters that have theorems of their own no other theorem speaks, and they speak of no others
    own = (b.theorem for b in theorems_of(method.name) if b.counts and b.parameters == main.parameters)
    found = []
    for theorem in dict.fromkeys((main.theorem, *own)):
        with suppress(ValueError):  # it does not cover the sampling
            found.append(bound(method, quantity, drawn, theorem))
    counting = [each for each in found if each.counts]
    for each in sorted(counting, key=_hidden):
        with suppress(ValueError):  # it does not fit the problem: `whys` says why
            if math.isfinite(each.for_problem(problem)):
                return covering_bound(each, problem, {})[0]
    if not main.counts:
        raise ValueError(
            f"no theorem says how long {method.name} takes; what is known is about one step: {main.target}"
        )
    if not counting:
        raise ValueError(uncovered(method, drawn))
    raise ValueError(whys(counting, problem))


def _hidden(bound: Bound) -> int:
    """How little of a bound a race shows: 0 if all."""
    if bound.kind == "asymptotic":
        return 4
    if bound.guarantee is None:
        return 3
    if bound.bounded not in _SPELLED:
        return 2
    return int(_SPELLED[bound.bounded] not in bound.target)


# ------------------------------------------------------------ why there is none
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


def unknown(theorem: Bound, problem: Problem) -> str:
    """The constants of a bound that nothing gives on this problem, with what they mean; empty if there are none."""
    lacking = _lacking(theorem, problem, theorem.expr, asked="eps")
    verb = "is" if len(lacking) == 1 else "are"
    return f"{listed([_meant(name) for name in lacking])}, which {verb} not known here" if lacking else ""


def _lacking(theorem: Bound, problem: Problem, formula: sympy.Expr, asked: str) -> list[str]:
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
    meaning = "".join(f" ({MEANINGS[symbol.name]})" for symbol in symbols if symbol.name not in ("l1", "l2"))
    return f"needs {in_words(failed)}{meaning}, and here {here}"


def _values(theorem: Bound, problem: Problem) -> dict[str, Any]:
    """The constants that are known of a problem."""
    from ...theory.constants import keywords_on

    return keywords_on(problem, {}, {symbol.name for symbol in theorem.symbols})


def _meant(name: str) -> str:
    from ...theory.symbols import MEANINGS

    return f"{name} ({MEANINGS[name]})"
