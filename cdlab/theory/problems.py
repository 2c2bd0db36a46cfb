"""A theorem on a problem: whether it covers the problem, and the values of its symbols there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..numerics import checks
from .constants import add_costly, cheap_constants, constants_of, refuse_contradictions
from .evaluate import check_values, evaluate, first_failed, in_words, values_in_words
from .named_samplings import name_sampling, rate_and_cost
from .symbols import MEANINGS, K, W, eps, m, t

if TYPE_CHECKING:
    from .bound import Bound

# What is assumed of a problem beyond the vocabulary, among the values of its symbols
OUTPUTS = "outputs"  # predictions of the loss for one example
ONE_PREDICTION = sp.Eq(sp.Symbol(OUTPUTS), 1)  # unless `Bound.vectors`
INTERCEPT = "intercept"  # 1 where a coordinate is not penalised
NO_INTERCEPT = sp.Eq(sp.Symbol(INTERCEPT), 0)


class Uncovered(ValueError):
    """The problem contradicts an assumption of the theorem.

    Attributes
    ----------
    bound : Bound
        The theorem; where the method falls back to others, the last of them.
    failed : sympy relation
        The assumption that the problem contradicts.
    values : mapping
        What is known of the problem, by the names of the symbols.
    """

    def __init__(self, bound: Bound, failed: sp.Basic, values: Mapping[str, Any]) -> None:
        super().__init__(bound, failed, values)
        self.bound, self.failed, self.values = bound, failed, values

    def __str__(self) -> str:
        if self.failed == ONE_PREDICTION:
            classes = f"{self.values[OUTPUTS]:g} classes"
            sentence = f"the {self.bound} is for losses of one prediction, and this problem has {classes}"
        elif self.failed == NO_INTERCEPT:
            sentence = f"the {self.bound} is for a regulariser of every coordinate, and this problem has an intercept"
        else:
            here = values_in_words(self.failed, self.values)
            sentence = f"the {self.bound} needs {in_words(self.failed)}, but this problem has {here}"
        other = self.alternative
        if other is None:
            return sentence
        where = f"{other.method!r}, sampling={other.sampling!r}, theorem={other.theorem!r}"
        return f"{sentence}; bound({where}) covers it"

    @property
    def alternative(self) -> Bound | None:
        """The theorem with a count that fits the problem and is nearest to the one asked for; None if there is none."""
        from .registry import proved_counts  # it imports theorems, which import this

        about = self.bound
        if not about.counts:
            return None
        fitting = (b for b in proved_counts(about.method) if failed_assumption(b, self.values) is None)
        # min takes the first of equals: main theorems come first
        return min(fitting, key=lambda b: (b.method != about.method, b.sampling != about.sampling), default=None)


def failed_assumption(bound: Bound, values: Mapping[str, Any]) -> sp.Basic | None:
    """The first assumption of a theorem that a problem with these values contradicts; None: it covers the problem."""
    if values.get(INTERCEPT, 0):
        return NO_INTERCEPT
    if values.get(OUTPUTS, 1) > 1 and not bound.vectors:
        return ONE_PREDICTION
    return first_failed(bound.assumptions, values)


def covering_bound(bound: Bound, problem: Any, measured: Mapping[str, float]) -> tuple[Bound, dict[str, Any]]:
    """The bound, or the fallback of its method that covers a problem, with the values of its symbols there.

    Raises
    ------
    Uncovered
        If the problem contradicts an assumption of each of them; it is about the last one.
    """
    while True:
        try:
            return bound, values_on(bound, problem, measured)
        except Uncovered:
            if bound.fallback is None:
                raise
            bound = bound.instead()


def values_on(bound: Bound, problem: Any, measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, with the bound's assumptions checked; see `Bound.for_problem`.

    Raises
    ------
    Uncovered
        If the problem contradicts an assumption.
    """

    def refuse_if_contradicted() -> None:
        failed = failed_assumption(bound, values)
        if failed is not None:
            raise Uncovered(bound, failed, values)

    constants = constants_of(problem)
    given = {symbol.name: float(number) for symbol, number in bound.numbers} | dict(measured)
    values = cheap_constants(constants, given)
    values |= {OUTPUTS: constants.get(OUTPUTS, 1), INTERCEPT: constants.get(INTERCEPT, 0)}
    refuse_if_contradicted()
    refuse_contradictions(given.keys() & {symbol.name for symbol in bound.symbols}, values, problem)
    sampling = bound.asked_sampling or name_sampling(bound.sampling)
    for symbol, formula in (*bound.defaults, (m, sp.Integer(sampling.block_size or 1))):
        if symbol.name not in values and all(name.name in values for name in formula.free_symbols):
            values[symbol.name] = np.asarray(evaluate(formula, values, f"the default {symbol} of the {bound}"))
    refuse_if_contradicted()
    needed = bound.symbols.union(*(assumption.free_symbols for assumption in bound.assumptions))
    add_costly(values, problem, {symbol.name for symbol in needed})
    refuse_if_contradicted()
    if {K, W} & bound.symbols and not {"K", "W"} <= values.keys():
        values |= rate_and_cost(sampling, bound.side, bound.definitions, constants, getattr(problem, "X", None))
    return values


def unknown_symbols(bound: Bound, known: Collection[str], *formulas: sp.Expr) -> list[str]:
    """The names of symbols in some formulas that are neither known nor follow by the bound's defaults."""
    supplied = dict(bound.defaults)
    ahead: set[sp.Symbol] = set().union(*(formula.free_symbols for formula in formulas))
    seen: set[sp.Symbol] = set()
    names: list[str] = []
    while ahead:
        s = ahead.pop()
        seen.add(s)
        if s.name in known:
            continue
        if s in supplied:
            ahead |= supplied[s].free_symbols - seen
        else:
            names.append(s.name)
    return sorted(names)


def require_known(bound: Bound, values: Mapping[str, Any], *formulas: sp.Expr) -> None:
    """Raise a ValueError that names the constants in some formulas that do not follow from the problem."""
    names = unknown_symbols(bound, {*values, eps.name, t.name}, *formulas)
    if names:
        meant = " and ".join(f"{name} ({MEANINGS[name]})" for name in names)
        raise ValueError(
            f"the {bound} needs {meant}, which does not follow from the problem: pass {'=..., '.join(names)}=..."
        )


def require_curve(bound: Bound) -> None:
    """Raise a ValueError where a theorem has no curve."""
    if bound.guarantee is None or bound.W is None:
        why = "its constants are not known" if bound.kind == "asymptotic" else "it is not a rate of convergence"
        raise ValueError(f"the {bound} has no curve: {why}")


def check_eps(eps: Any) -> np.ndarray:
    """The relative accuracy as an array of no dimensions, refused if it is not one positive number."""
    accuracy = check_values({"eps": eps})["eps"]
    if accuracy.ndim:
        raise TypeError(f"eps must be one number, not an array of shape {accuracy.shape}: ask once for each accuracy")
    return accuracy


def check_passes(passes: Any) -> np.ndarray:
    """The points of a curve as an array, refused if they are not numbers of at least 0."""
    points = checks.array("passes", passes)
    if points.dtype.kind not in "iuf" or not np.all(points >= 0):  # NaN fails, too
        raise ValueError("passes must be numbers >= 0, the work done at each point of the curve")
    return points.astype(float)
