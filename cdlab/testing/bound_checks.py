"""The promises of a bound: a formula that can be read and evaluated, and that no measured mean exceeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import sympy as sp

from ..methods import Method
from ..methods.base import draws_coordinates
from ..numerics.checks import short_repr
from ..problems.problem import Problem
from ..runs.entries import sampling_for
from ..samplings import Sampling
from ..theory import SYMBOLS, Bound, Uncovered
from ..theory import bound as find_bound
from ..theory.bound import covering_bound
from ..theory.evaluate import check_values, evaluate
from ..theory.evaluate import in_words as relation_in_words
from .bound_runs import (
    Measured,
    find_optimum,
    measure_runs,
    method_and_bound,
    sampling_of_bound,
    true_constants,
    with_sampling,
)
from .small import SMALL_PROBLEMS, hard_problems, problem_text, small_problem

MAX_PASSES = 60
SEEDS, SEEDS_ON_HARD, SEEDS_TO_REFUTE = 10, 4, 40  # the last: where a bound seems refuted
NOT_RUN = -1.0
MIN_PROMISED_SHARE = 1e-9  # of the promise at the start: below, rounding is measured
MIN_SHARE_OF_W = 0.6  # share of W that an iteration visits where all lines are full: a last block may be smaller
MEAN_RTOL = 0.1  # of a mean over few iterations: line searches take longer at first
MAX_SENTENCE_CHARACTERS = 600


class Tightness(float):
    """The largest measured mean as a share of the promise; printed, it says what was tried.

    Attributes
    ----------
    ran, among : int
        On how many problems the method ran, of how many.
    """

    ran: int
    among: int

    def __new__(cls, share: float, ran: int, among: int) -> Tightness:
        made = super().__new__(cls, share)
        made.ran, made.among = ran, among
        return made

    def __str__(self) -> str:
        if not self.ran:
            return "nothing was run: only the formula was checked"
        return (
            f"not refuted on {self.ran} of {self.among} small problems, where the largest mean is {float(self):.2g} of "
            "the promise; that is not a proof, and a rate too good by a factor of up to about 4 can pass"
        )

    __repr__ = __str__


class _NoNumber(Exception):
    """The bound has no number on a problem."""

    def __init__(self, reason: ValueError) -> None:
        super().__init__(reason)
        self.reason = reason


def check_bound(
    bound: Bound | str,
    method: type[Method] | Method | str | None = None,
    sampling: str | Sampling | None = None,
    passes: float = MAX_PASSES,
    problems: Sequence[Problem] | None = None,
    **given: float,
) -> Tightness:
    """Try to refute a bound, by its formula and by runs of its method.

    It has a source, symbols that `cdlab.theory.MEANINGS` explains, and LaTeX; it is about the method that is run, with
    its side, parameters and sampling. On each small problem (logistic, squared with l1, hinge, a linear system; then
    hard ones, with nearly parallel lines, tiny l2, heavy rows and columns, d > n, a loss of large curvature, or X = I)
    it refuses in a sentence what its assumptions exclude, or is a number that is at least 0; its assumptions exclude
    what the method refuses; K is at least 1; W is what an iteration visits in these runs; and the mean over seeds of
    the bounded quantity, less three standard errors, stays below its curve. A lemma and an asymptotic statement have no
    curve, and nothing is run.

    This proves no theorem. Not seen is a rate that is too good by a small factor: up to about 2 for coordinate descent,
    whose exact steps are faster than its theorems, and up to about 4 where the promise begins far above the error, as
    those on P - D do; a bound that fails only on larger or other problems, such as other losses than these; and an
    assumption that is not needed, or that none of these problems contradicts.

    Parameters
    ----------
    bound : Bound or str
        As `cdlab.theory.contraction` and its like return it, or as `cdlab.theory.bound` finds it; the name of a method
        stands for its main theorem, for this sampling.
    method : Method, its class or its name, optional
        Default: the method with the bound's name and parameters, if it is registered.
    sampling : str, array or Sampling, optional
        Default: the bound's own. A bound for given probabilities, or for blocks, needs it.
    passes : float, default 60
        How far the runs go.
    problems : sequence of Problem, optional
        In place of all of these: with smooth losses, or the hinge.
    **given : float
        What no problem tells, by the keywords of `cdlab.theory.MEANINGS`, such as delta. A parameter of the method that
        sets such a number (`cdlab.theory.symbols.PARAMETERS`) is set to it.

    Returns
    -------
    Tightness
        A float: the largest measured mean as a share of the promise, at most 1: how tight the bound is there. 0 if
        nothing ran. ``print`` says on how many problems, and what it does not show.

    Raises
    ------
    AssertionError
        In one sentence: which promise fails, and on which problem; or what has to be given.
    ValueError
        For an unknown keyword in `given`, a number out of its range, or a name without a theorem.
    TypeError
        For what is neither a bound nor a name.

    Examples
    --------
    >>> from cdlab import testing, theory
    >>> 0 < testing.check_bound(theory.bound("rcd"), passes=10) <= 1
    True
    >>> perturbed = theory.bound("spdc", theorem="perturbed loss, delta given")
    >>> 0 < testing.check_bound(perturbed, passes=10, delta=0.01) <= 1
    True
    """
    if isinstance(bound, str):
        bound = find_bound(bound, sampling=sampling)
    if not isinstance(bound, Bound):
        raise TypeError(f"check_bound takes a bound, such as cdlab.theory.bound('gd'), not {short_repr(bound)}")
    _check_formula(bound)
    check_values(given)
    made: Method | None = None
    if bound.guarantee is not None and bound.kind != "asymptotic":
        try:
            made, bound = method_and_bound(bound, method, given)
            bound = with_sampling(bound, made, sampling)
        except ValueError as error:
            _fail(bound, str(error))
    usual = [small_problem(*setting) for setting in SMALL_PROBLEMS] if problems is None else problems
    among = [
        *((P, SEEDS) for P in usual),
        *((P, SEEDS_ON_HARD) for P in hard_problems() if problems is None and made is not None),
    ]
    refused: list[tuple[Problem, ValueError]] = []
    known: dict[Problem, float] = {}
    for P, seeds in among:
        try:
            known[P] = _check_on_problem(bound, made, sampling, P, passes, given, seeds)
        except _NoNumber as refusal:
            refused.append((P, refusal.reason))
    if not known:
        raise AssertionError(_why_no_number(bound, refused[: len(usual)]))
    ran = [share for share in known.values() if share != NOT_RUN]
    if made is not None:
        _check_coverage(bound, made, known, sampling, given)
    return Tightness(max(0.0, *known.values()), len(ran), len(among))


# ------------------------------------------------------------ the formula
def _check_formula(b: Bound) -> None:
    if not b.source:
        _fail(b, "it has no source: name the paper and the theorem, or say that it is yours")
    for formula in (b.expr, b.guarantee, b.W, b.K):
        if formula is not None and not isinstance(formula, sp.Basic):
            _fail(b, f"{formula!r} is not a sympy expression: make it from cdlab.theory.SYMBOLS")
    strange = sorted(s.name for s in b.symbols if SYMBOLS.get(s.name) != s)
    if strange:
        own = [name for name in strange if name not in SYMBOLS]
        if not own:
            _fail(b, f"its symbol {strange[0]} is another than cdlab's: take it from cdlab.theory.SYMBOLS")
        _fail(
            b,
            f"it contains {', '.join(own)}, which is not in cdlab.theory.SYMBOLS: take its symbols, and for a "
            "parameter of the method the one that cdlab.theory.parameter makes",
        )
    for relation in b.assumptions:
        if not isinstance(relation, sp.logic.boolalg.Boolean):
            _fail(b, f"its assumption {relation!r} is not a sympy relation, such as gamma > 0")
    if not (b.latex() and b.explain().endswith(f"({b.source}).")):
        _fail(b, "it has no LaTeX or no sentence")


# ------------------------------------------------------------ one problem
def _check_on_problem(
    b: Bound, method: Method | None, sampling: Any, P: Problem, passes: float, given: Mapping[str, float], seeds: int
) -> float:
    """The largest share of the promise that was measured; NOT_RUN, if the method refuses P."""
    best = find_optimum(P)
    constants = true_constants(b, P, best) | dict(given)
    try:
        number = b.for_problem(P, eps=1e-3, **constants)
        if method is not None:
            b.curve(P, [0.0], **constants)
    except ValueError as error:
        sentence = str(error)
        if "\n" in sentence or len(sentence) > MAX_SENTENCE_CHARACTERS:
            _fail(b, f"what it says where it does not hold is not a sentence: {sentence[:200]!r}", P)
        raise _NoNumber(error) from None
    K = _promised_rate(b, P, constants)
    if K is not None and K < 1:
        _fail(b, f"K is {K:.3g}, and a contraction by 1 - 1/K needs K >= 1", P)
    if not number >= 0:
        _fail(b, f"it is {number:g}, and must be at least 0 (inf: nothing is promised)", P)
    if method is None:
        return NOT_RUN
    drawn = sampling_for(method, sampling_of_bound(b, sampling))
    if method.refusal(P, drawn) is not None:
        return NOT_RUN
    for runs in (seeds, SEEDS_TO_REFUTE) if draws_coordinates(method) else (1,):  # few can be above by chance
        along = measure_runs(b, method, drawn, P, best, passes, runs)
        promised = np.asarray(b.curve(P, along.passes, **constants), dtype=float)
        if not (np.isfinite(promised).all() and (promised >= 0).all()):
            _fail(b, f"its curve is {promised}: give the constant of the start that it needs", P)
        share, above = _largest_share(along, promised)
        if above is None:
            _check_cost(b, P, constants, along.visits)
            return share
    done, mean, deviation = (values[above] for values in along[:3])
    found = f"{mean:.3g} +- {deviation:.1g} on average over {runs} seeds" if runs > 1 else f"{mean:.3g}"
    _fail(b, f"after {done:.3g} passes {b.bounded} is {found}, and the bound promises {promised[above]:.3g}", P)


def _check_cost(b: Bound, P: Problem, constants: Mapping[str, float], visits: np.ndarray) -> None:
    """Refuse a W that is not what an iteration visited in these runs; a stage of inner runs has no fixed cost."""
    if b.W is None or b.step != "iteration" or not visits.size:
        return
    covering, values = covering_bound(b, P, constants)
    W, seen = float(evaluate(covering.W, values, f"the W of the {b}")), float(visits.mean())
    noise = 3 * float(visits.std()) / np.sqrt(visits.size) + MEAN_RTOL * seen
    # unless all lines are full, the longest one may stand in W for the one that is moved
    least = MIN_SHARE_OF_W * W if P.nnz == P.n * P.d else 0.0
    if not least - noise <= seen <= W + noise:
        few = "few" if seen > W else "many"
        _fail(b, f"W is {W:.4g} nonzeros, too {few}: an iteration visits {seen:.4g} on average in these runs", P)


def _largest_share(along: Measured, promised: np.ndarray) -> tuple[float, int | None]:
    """The largest share of the promise, and where it is first exceeded."""
    passes, mean, error, _ = along
    compared = promised > MIN_PROMISED_SHARE * promised[0]
    above = compared & (mean - 3 * error > promised * (1 + 1e-9))
    compared &= passes > 0
    share = float(np.max((mean - 3 * error)[compared] / promised[compared], initial=0.0))
    return share, int(np.argmax(above)) if above.any() else None


def _promised_rate(b: Bound, P: Problem, constants: Mapping[str, float]) -> float | None:
    if b.K is None:
        return None
    try:
        return replace(b, quantity="K", expr=b.K, exact=None).for_problem(P, **constants)
    except ValueError:  # its method falls back to another on P, whose theorem is not a contraction
        return None


# ------------------------------------------------------------ all problems
def _check_coverage(
    b: Bound, method: Method, known: Mapping[Problem, float], sampling: Any, given: Mapping[str, float]
) -> None:
    """The problems that a bound covers are those that its method takes."""
    if all(share == NOT_RUN for share in known.values()):
        _fail(b, f"{method.label} takes no problem that it covers: its assumptions and the method's do not meet")
    for P, share in known.items():
        if share == NOT_RUN and np.isfinite(b.for_problem(P, **true_constants(b, P, find_optimum(P)) | dict(given))):
            reason = method.refusal(P, sampling_for(method, sampling_of_bound(b, sampling)))
            _fail(b, f"it promises something, but {reason}: add the assumption that excludes this", P)


def _why_no_number(b: Bound, refused: Sequence[tuple[Problem, ValueError]]) -> str:
    """Tell why there is no number on any problem: what somebody has to give, or else what the problems contradict."""
    asking = [str(reason) for _, reason in refused if not isinstance(reason, Uncovered)]
    if asking:
        return f"check_bound needs more information: {asking[0]}"
    contradicted = ", ".join(
        f"{problem_text(P)} ({relation_in_words(reason.failed)} fails)"
        for P, reason in refused
        if isinstance(reason, Uncovered)
    )
    return f"the {b} refuses every problem: {contradicted}; pass some that it covers, problems=[...]"


def _fail(b: Bound, what: str, P: Problem | None = None) -> NoReturn:
    where = f" on {problem_text(P)}" if P is not None else ""
    raise AssertionError(f"the {b}{where}: {what}")
