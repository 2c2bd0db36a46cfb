"""The promises of a bound: a formula that can be read and evaluated, and that no measured mean exceeds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from .. import methods
from ..methods import Method
from ..problems.problem import Problem
from ..runs import iterate
from ..runs.entries import drawn_by
from ..samplings import Sampling
from ..theory import MEANINGS, SYMBOLS, Bound
from .small import SETTINGS, in_words, optimum, posed

RUNS = 10  # seeds
PASSES = 60
NOT_RUN = -1.0
FLOOR = 1e-9  # of the promise at the start: below, rounding is measured
SENTENCE = 600  # characters


class _Best(NamedTuple):
    """An optimum by scipy."""

    value: float
    w: np.ndarray
    alpha: np.ndarray | None


def check_bound(
    bound: Bound,
    method: type[Method] | Method | str | None = None,
    sampling: str | Sampling | None = None,
    passes: float = PASSES,
    problems: Sequence[Problem] | None = None,
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
    sampling : str or Sampling, optional
        Default: the bound's own.
    passes : float, default 60
        How far the runs go.
    problems : sequence of Problem, optional
        In place of the small ones: smooth losses, or the hinge.

    Returns
    -------
    float
        The largest measured mean as a share of the promise, at most 1: how tight the bound is there. 0 if nothing ran.

    Raises
    ------
    AssertionError
        In one sentence: which promise fails, and on which problem.

    Examples
    --------
    >>> from cdlab import testing, theory
    >>> 0 < testing.check_bound(theory.bound("rcd"), passes=10) <= 1
    True
    """
    _reads(bound)
    made = _method(bound, method) if bound.guarantee is not None else None
    problems = [posed(*setting) for setting in SETTINGS] if problems is None else problems
    shares = [_on(bound, made, sampling, P, passes) for P in problems]
    known = [share for share in shares if share is not None]
    if not known:
        _fail(bound, "it refuses every problem: logistic, squared with l1, hinge, a linear system")
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
def _on(b: Bound, method: Method | None, sampling: Any, P: Problem, passes: float) -> float | None:
    """The largest share of the promise that was measured; NOT_RUN, if the method refuses P; None, if the bound does."""
    best = _optimum(P)
    told = _truth(b, P, best)
    try:
        number = b.for_problem(P, eps=1e-3, **told)
        if method is not None:
            b.curve(P, [0.0], **told)
    except ValueError as error:
        sentence = str(error)
        if "\n" in sentence or len(sentence) > SENTENCE:
            _fail(b, f"what it says where it does not hold is no sentence: {sentence[:200]!r}", P)
        return None
    if not number >= 0:
        _fail(b, f"it is {number:g}, and must be at least 0 (inf: nothing is promised)", P)
    if method is None or b.kind == "asymptotic":
        return NOT_RUN
    drawn = drawn_by(method, _sampling(b, sampling))
    if method.refusal(P, drawn) is not None:
        return NOT_RUN
    at, mean, spread = _measured(b, method, drawn, P, best, passes)
    promised = np.asarray(b.curve(P, at, **told), dtype=float)
    if not (np.isfinite(promised).all() and (promised >= 0).all()):
        _fail(b, f"its curve is {promised}: give the constant of the start that it needs", P)
    return _compared(b, P, at, mean, spread, promised)


def _measured(
    b: Bound, method: Method, sampling: Sampling, P: Problem, best: _Best, passes: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Passes (records,), and mean and standard error of the bounded quantity there."""
    runs, done = [], []
    for seed in range(RUNS):
        run, values, at = iterate(P, method, sampling=sampling, seed=seed), [], []
        for record in takewhile(lambda record: record.passes <= passes, run):
            values.append(_quantity(b, record, run, best))
            at.append(record.passes)
        runs.append(values)
        done.append(at)
    shortest = min(map(len, done))
    measured = np.array([values[:shortest] for values in runs])
    earliest = np.min([at[:shortest] for at in done], axis=0)  # seeds differ where lines do: the weakest promise
    return earliest, measured.mean(axis=0), measured.std(axis=0, ddof=1) / np.sqrt(RUNS)


def _quantity(b: Bound, record: Any, run: Any, best: _Best) -> float:
    match b.bounded:
        case "P(w)-P*":
            return record.primal - best.value
        case "P-D":
            return record.primal - record.dual
        case "D*-D":
            return best.value - record.dual
        case "|w-w*|^2":
            return float(np.sum((run.w - best.w) ** 2))
    raise AssertionError(f"{b}: bounded = {b.bounded!r} is none of 'P(w)-P*', 'P-D', 'D*-D', '|w-w*|^2'")


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
def _method(b: Bound, method: Any) -> Method:
    if isinstance(method, type):
        return method(**dict(b.parameters))
    if isinstance(method, Method):
        return method
    name = method or b.method
    if name not in methods.METHODS:
        _fail(b, f"there is no method named {name!r} to run: pass it, check_bound(bound, MyMethod), or register it")
    return methods.resolve(name, **dict(b.parameters))


def _sampling(b: Bound, sampling: Any) -> Any:
    if sampling is not None:
        return sampling
    return None if b.sampling in ("none", "any") else b.sampling


def _optimum(P: Problem) -> _Best:
    w = optimum(P)
    smooth = P.loss.gamma > 0
    return _Best(P.primal(w), w, P.alpha(w) if smooth else None)


def _truth(b: Bound, P: Problem, best: _Best) -> dict[str, float]:
    """The constants of the start, measured: what a problem alone can only bound."""
    zero = np.zeros(P.d)
    known = {"P0": P.primal(zero) - best.value, "w2": float(best.w @ best.w)}
    at_zero = P.dual(np.zeros(P.n))
    if np.isfinite(at_zero):
        known["D0"] = best.value - at_zero
    if best.alpha is not None:
        known["a2"] = float(best.alpha @ best.alpha)
        each = P.X * (-best.alpha)[:, None] + P.l2 * best.w
        known["g2"] = float((each**2).sum(axis=1).mean())
    return {name: value for name, value in known.items() if name in {s.name for s in b.symbols}}


def _fail(b: Bound, what: str, P: Problem | None = None) -> None:
    where = f" on {in_words(P)}" if P is not None else ""
    raise AssertionError(f"the {b}{where}: {what}")
