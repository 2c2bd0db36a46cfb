"""Advice: which method and sampling should be fastest on a problem, by theory, a short probe and measured tightness.

candidates.py  the methods and samplings that can run, and why the others cannot
bounds.py      the bound behind each candidate, with worst-case and with sharper constants
probing.py     short runs: how fast this problem contracts, and how long a pass takes on this machine
predictions.py expected passes and seconds of each candidate, from these, a fitted table and the cost model of methods
playoffs.py    a leader by prediction alone is run; where runs are short, those nearly as fast run to the end
ranking.py     the result of `advise`, and its table
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..faceoffs import faceoff
from ..numerics import checks
from ..problems.convexity import smoothness
from ..problems.problem import Problem
from ..runs.progress_line import check_progress
from .bounds import effective_l2
from .candidates import candidates_for
from .playoffs import finals
from .predictions import corrected, predicted
from .probing import Probe, probes, progress_reporter
from .ranking import Advice, Choice

__all__ = ["Advice", "Choice", "advise"]

ORDERS = ("seconds", "passes")


def advise(
    problem: Problem,
    eps: float = 1e-6,
    *,
    by: str | None = None,
    probe: bool = True,
    max_seconds: float = 10.0,
    seed: int = 0,
    progress: bool | Callable[[Probe], Any] | None = None,
) -> Advice:
    """Rank every method and sampling that fits a problem by predicted work.

    Short runs of SDCA, L-BFGS and primal coordinate descent measure how fast the problem contracts and how long a pass
    takes (CPU time of this thread; `cdlab advise --help` says how many passes). Together with the constants of the
    problem they go into each method's bound, and a table says how tight that bound typically is. In a ranking by
    seconds, a candidate that leads without having run is then run, until the first choice is one that has; and where a
    whole run takes a moment, those nearly as fast run to the end. How often it is right: docs/advice.md.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    eps : float, default 1e-6
        Accuracy, in (0, 1): the relative gap of the best points, as `Race.reached` takes it by "best_gap".
        Without a regulariser nothing is certified, and it is (P(w) - P*)/(P(0) - P*).
    by : "seconds" or "passes", optional
        The order of the ranking: seconds by default, passes without a probe.
    probe : bool, default True
        False: no runs, only theory and the table. Then there are no seconds, and `sharp` has no effective l2.
    max_seconds : float, default 10
        Solver seconds that all short runs may take together. Each does at least three epochs.
    seed : int, default 0
        Ranked by passes, the same seed gives the same advice. Ranked by seconds, timing matters, too: a short run stops
        when it cannot win any more.
    progress : True or callable, optional
        True: a line on stderr that is rewritten now and then. Or it is called with a `Probe` after each short run.

    Returns
    -------
    Advice
        A sequence of choices, best first.

    Raises
    ------
    TypeError
        If `problem` is not a Problem.
    ValueError
        If eps is not in (0, 1), max_seconds not positive, `by` neither of the two, or "seconds" without a probe.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=500, d=100, density=0.1, seed=0)
    >>> advice = cdlab.advise(cdlab.Problem(X, y, l2=1e-2), probe=False)
    >>> "sdca@permutation" in [choice.label for choice in advice]
    True
    """
    by = _checked(problem, eps, by, probe, max_seconds)
    check_progress(progress, "a Probe")
    fitting, refused = candidates_for(problem)
    if problem.nnz == 0:
        note = "X = 0: w = 0 is optimal already, and the order means nothing"
    else:
        note = "" if fitting else "no method takes this problem"
    measured: dict[str, Probe] = {}
    with progress_reporter(progress if probe and fitting else None) as report:
        if problem.nnz and probe:
            measured = probes(problem, fitting, eps, max_seconds / 2, seed, full=by == "passes", report=report)
        choices = [predicted(problem, candidate, eps, measured) for candidate in fitting]
        ran = finals(problem, fitting, choices, measured, eps, max_seconds / 2, seed, report) if by == "seconds" else {}
    choices = [corrected(choice, ran, eps) for choice in choices]
    choices.sort(key=lambda c: _order(c, by))  # stable: ties keep the order of the methods
    note = note or _beside_faceoff(problem, choices)
    judged_by = "primal" if not problem.is_certified else "best_gap"
    constants = _constants(problem, measured)
    return Advice(tuple(choices), tuple(refused), float(eps), by, measured, ran, constants, note, judged_by)


def _beside_faceoff(problem: Problem, choices: list[Choice]) -> str:
    """A remark where the face-off recommends one side and the predictions put the other ahead, of uniform draws."""
    passes = {choice.label: choice.passes for choice in choices}
    rcd, sdca = passes.get("rcd@uniform"), passes.get("sdca@uniform")
    if rcd is None or sdca is None:
        return ""
    ahead, here = faceoff(problem).recommended, "dual" if sdca < rcd else "primal"
    if ahead in (None, here):
        return ""
    return (
        f"the face-off's estimate of exact steps puts the {ahead} ahead where this table, by what other problems have "
        f"shown, puts the {here}: race rcd against sdca"
    )


def _order(choice: Choice, by: str) -> tuple[float, bool]:
    """The key for sorting: the prediction, and for several names of the same run the plain one first."""
    value = getattr(choice, by)
    return math.inf if value is None else value, choice.runs != choice.label


def _constants(problem: Problem, measured: dict[str, Probe]) -> dict[str, float]:
    k = problem.constants()
    found = {"l2": problem.mu, "R": k["R"], "Rbar": k["Rbar"]}
    if problem.loss.gamma > 0:
        found |= {"kappa": problem.kappa, "L_f_worst": problem.R**2 * problem.beta}
        found["L_f"] = smoothness(problem)[0]
        for lines in ("rows", "columns"):
            if lines in measured and problem.mu > 0:
                found[f"effective_l2_{lines}"] = effective_l2(problem, lines, measured[lines].rate)
    return found


def _checked(problem: Any, eps: Any, by: Any, probe: bool, max_seconds: Any) -> str:
    if not isinstance(problem, Problem):
        raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
    if not checks.is_number(eps) or not 0 < eps < 1:
        raise ValueError(
            f"eps must be a number between 0 and 1, the relative gap to reach, not {checks.short_repr(eps)}"
        )
    if not checks.is_number(max_seconds) or not max_seconds > 0:  # infinity is one
        raise ValueError(
            f"max_seconds must be a number > 0, the time that probes may take, not {checks.short_repr(max_seconds)}"
        )
    probe = checks.flag("probe", probe)
    if by is None:
        return ORDERS[0] if probe else ORDERS[1]
    if not checks.is_one_of(by, ORDERS):
        raise ValueError(f"advice is ranked by 'seconds' or 'passes', not by {checks.short_repr(by)}")
    if by == "seconds" and not probe:
        raise ValueError("seconds need a probe: leave probe=True, or rank by='passes'")
    return by
