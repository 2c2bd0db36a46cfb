"""The promises of a bound: a formula that can be read and evaluated, and that no measured mean exceeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import sympy as sp

from .. import methods
from ..methods import Method
from ..problems.problem import Problem
from ..runs.entries import drawn_by
from ..samplings import Sampling
from ..theory import MEANINGS, SYMBOLS, Bound, Uncovered
from ..theory.drawn_samplings import named_sampling
from ..theory.evaluate import checked
from ..theory.evaluate import in_words as relation_in_words
from ..theory.instances import SETS
from .bound_runs import RUNS, measured, solved, true_constants
from .instances import instance
from .small import SETTINGS, in_words, posed

PASSES = 60
NOT_RUN = -1.0
FLOOR = 1e-9  # of the promise at the start: below, rounding is measured
SENTENCE = 600  # characters


class _Refused(Exception):
    """The bound has no number on a problem."""

    def __init__(self, reason: ValueError) -> None:
        super().__init__(reason)
        self.reason = reason


def check_bound(
    bound: Bound,
    method: type[Method] | Method | str | None = None,
    sampling: str | Sampling | None = None,
    passes: float = PASSES,
    problems: Sequence[Problem] | None = None,
    **given: float,
) -> float:
    """Check a bound against its formula and against runs of its method.

    It has a source, symbols that `cdlab.theory.MEANINGS` explains, and LaTeX. On each small problem (logistic, squared
    with l1, hinge, a linear system) it refuses in a sentence what its assumptions exclude, or is a number that is at
    least 0; and where the method takes the problem, the mean over ten seeds of the bounded quantity, less three
    standard errors, stays below its curve. A lemma and an asymptotic statement have no curve, and nothing is run.

    Parameters
    ----------
    bound : Bound
        As `cdlab.theory.contraction` and its like return it, or as `cdlab.theory.bound` finds it.
    method : Method, its class or its name, optional
        Default: the method with the bound's name and parameters, if it is registered.
    sampling : str, array or Sampling, optional
        Default: the bound's own. A bound for given probabilities, or for blocks, needs it.
    passes : float, default 60
        How far the runs go.
    problems : sequence of Problem, optional
        In place of the small ones: smooth losses, or the hinge.
    **given : float
        What no problem tells, by the keywords of `cdlab.theory.MEANINGS`, such as delta. A parameter of the method that
        sets such a number (`cdlab.theory.instances.SETS`) is set to it.

    Returns
    -------
    float
        The largest measured mean as a share of the promise, at most 1: how tight the bound is there. 0 if nothing ran.

    Raises
    ------
    AssertionError
        In one sentence: which promise fails, and on which problem; or what has to be given.
    ValueError
        For an unknown keyword in `given`, or a number out of its range.

    Examples
    --------
    >>> from cdlab import testing, theory
    >>> 0 < testing.check_bound(theory.bound("rcd"), passes=10) <= 1
    True
    >>> perturbed = theory.bound("spdc", theorem="perturbed loss, delta given")
    >>> 0 < testing.check_bound(perturbed, passes=10, delta=0.01) <= 1
    True
    """
    _reads(bound)
    checked(given)
    made = _method(bound, method, given) if bound.guarantee is not None else None
    bound = _drawn(bound, sampling)
    problems = [posed(*setting) for setting in SETTINGS] if problems is None else problems
    refused: list[tuple[Problem, ValueError]] = []
    known: list[float] = []
    for P in problems:
        try:
            known.append(_on(bound, made, sampling, P, passes, given))
        except _Refused as refusal:
            refused.append((P, refusal.reason))
    if not known:
        raise AssertionError(_unknown(bound, refused))
    if made is not None and bound.kind != "asymptotic" and max(known) == NOT_RUN:
        _fail(bound, f"{made.label} takes no problem that it covers: its assumptions and the method's do not meet")
    return max(0.0, *known)


# ------------------------------------------------------------ the formula
def _reads(b: Bound) -> None:
    if not b.source:
        _fail(b, "it has no source: name the paper and the theorem, or say that it is yours")
    for formula in (b.expr, b.guarantee, b.W, b.K):
        if formula is not None and not isinstance(formula, sp.Basic):
            _fail(b, f"{formula!r} is no sympy expression: make it from cdlab.theory.SYMBOLS")
    strange = sorted(s.name for s in b.symbols if SYMBOLS.get(s.name) != s)
    if strange:
        _fail(b, f"it contains {', '.join(strange)}, which cdlab.theory.SYMBOLS has not (it has {', '.join(MEANINGS)})")
    for relation in b.assumptions:
        if not isinstance(relation, sp.logic.boolalg.Boolean):
            _fail(b, f"its assumption {relation!r} is no sympy relation, such as gamma > 0")
    if not (b.latex() and b.explain().endswith(f"({b.source}).")):
        _fail(b, "it has no LaTeX or no sentence")


# ------------------------------------------------------------ one problem
def _on(b: Bound, method: Method | None, sampling: Any, P: Problem, passes: float, given: Mapping[str, float]) -> float:
    """The largest share of the promise that was measured; NOT_RUN, if the method refuses P."""
    best = solved(P)
    told = true_constants(b, P, best) | dict(given)
    try:
        number = b.for_problem(P, eps=1e-3, **told)
        if method is not None:
            b.curve(P, [0.0], **told)
    except ValueError as error:
        sentence = str(error)
        if "\n" in sentence or len(sentence) > SENTENCE:
            _fail(b, f"what it says where it does not hold is no sentence: {sentence[:200]!r}", P)
        raise _Refused(error) from None
    if not number >= 0:
        _fail(b, f"it is {number:g}, and must be at least 0 (inf: nothing is promised)", P)
    if method is None or b.kind == "asymptotic":
        return NOT_RUN
    drawn = drawn_by(method, _sampling(b, sampling))
    if method.refusal(P, drawn) is not None:
        return NOT_RUN
    along = measured(b, method, drawn, P, best, passes)
    promised = np.asarray(b.curve(P, along[0], **told), dtype=float)
    if not (np.isfinite(promised).all() and (promised >= 0).all()):
        _fail(b, f"its curve is {promised}: give the constant of the start that it needs", P)
    return _compared(b, P, *along, promised)


def _compared(b: Bound, P: Problem, passes: Any, mean: Any, error: Any, promised: Any) -> float:
    compared = promised > FLOOR * promised[0]
    above = compared & (mean - 3 * error > promised * (1 + 1e-9))
    if above.any():
        k = int(np.argmax(above))
        _fail(
            b, f"after {passes[k]:.3g} passes {b.bounded} is {mean[k]:.3g} +- {error[k]:.1g} on average over {RUNS} "
            f"seeds, and the bound promises {promised[k]:.3g}", P,
        )  # fmt: skip
    compared &= passes > 0
    return float(np.max((mean - 3 * error)[compared] / promised[compared], initial=0.0))


# ------------------------------------------------------------ what is asked about
def _method(b: Bound, method: Any, given: Mapping[str, float]) -> Method:
    asked = method or b.method
    if isinstance(asked, str) and asked not in methods.METHODS:
        _fail(b, f"there is no method named {asked!r} to run: pass it, check_bound(bound, MyMethod), or register it")
    kind = methods.METHODS[asked] if isinstance(asked, str) else asked
    told = {symbol.name: number for name, number in given.items() for symbol in (SYMBOLS.get(name),) if symbol}
    has = {f.name for f in fields(kind)}
    sets = {name: told[s.name] for name, symbols in SETS.items() if name in has for s in symbols if s.name in told}
    return instance(asked, **dict(b.parameters) | sets)


def _drawn(b: Bound, sampling: Any) -> Bound:
    """The bound with the probabilities or blocks that it leaves to the caller."""
    if sampling is None or b.drawn is not None:
        return b
    drawn = named_sampling(sampling)
    return replace(b, drawn=drawn) if drawn.name == b.sampling else b


def _sampling(b: Bound, sampling: Any) -> Any:
    if sampling is not None:
        return sampling
    if b.drawn is not None:
        return b.drawn.sampling
    return None if b.sampling in ("none", "any") else b.sampling


def _unknown(b: Bound, refused: Sequence[tuple[Problem, ValueError]]) -> str:
    """Why there is no number on any problem: what somebody has to give, or else what the problems contradict."""
    asking = [str(reason) for _, reason in refused if not isinstance(reason, Uncovered)]
    if asking:
        return f"check_bound has to be told more: {asking[0]}"
    contradicted = ", ".join(
        f"{in_words(P)} ({relation_in_words(reason.failed)} fails)"
        for P, reason in refused
        if isinstance(reason, Uncovered)
    )
    return f"the {b} refuses every problem: {contradicted}; pass some that it covers, problems=[...]"


def _fail(b: Bound, what: str, P: Problem | None = None) -> None:
    where = f" on {in_words(P)}" if P is not None else ""
    raise AssertionError(f"the {b}{where}: {what}")
