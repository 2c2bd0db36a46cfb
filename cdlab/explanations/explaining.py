"""Why a race came out as it did: measured against predicted, stage by stage, as ranked causes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..exact_rates.quadratics import Optimum
from ..losses import per_example, smoothness_hint
from ..methods.quartz import Quartz
from ..methods.rcd import RCD
from ..methods.sdca import SDCA
from ..numerics import checks
from ..problems.problem import Problem
from ..runs import Race, solve
from ..runs.progress_line import STARTING_TEXT, ProgressLine
from ..runs.race_result import QUANTITIES
from ..samplings import Importance, Sampling, Uniform
from .cause import Cause, Causes, Interval
from .measuring import RacedEntry, Setting, deepest_level
from .sentences import agreement, sentence, unexplained
from .stages import Account, Stage, account

EXPLAINED_METHODS = (SDCA, Quartz, RCD)
NOTABLE_FACTOR = 1.5  # A measured ratio within this factor of the predicted one needs no explanation.
NOTABLE_SHARE = 0.01  # A cause that accounts for less is left out.
LEAST_PASSES, MOST_PASSES = 1e-3, 1e12
REFERENCE_TOL, REFERENCE_PASSES = 1e-11, 2000
CERTIFIED_ENOUGH = 1e-5  # The reference must have at most this relative gap.

StagePair = tuple[Stage, ...]  # of both entries


def explain(race: Race, by: str = "gap", *, progress: bool = False) -> Causes:
    """Why a race came out as it did, and not as its bounds predict: ranked causes, each a sentence with its numbers.

    Two entries are compared: the first of each side, or the first two where all have one side. What is explained is
    the ratio of their passes, the primal method's over the dual's, to the deepest level that all of their runs
    reached. The prediction is the face-off's T_P/T_D, with importance sampling, or for two entries of one side the
    ratio of the bounds of their own draws.

    Parameters
    ----------
    race : Race
        Of `cdlab.race`, with sdca, rcd or quartz, each with any sampling of single coordinates, on a problem with a
        smooth loss of one prediction, l2 > 0 and l1 = 0.
    by : "gap", "best_gap" or "primal", default "gap"
        The quantity that falls to the level: the certified gap of each record, of the best points until then, or P(w)
        - P*; as of `Race.reached`.
    progress : bool, default False
        Show on stderr what is simulated, of up to six entries up to 15 runs each: it can take a minute. Ctrl-C ends it.

    Returns
    -------
    list of Cause
        The largest share first, and what is "not explained" among them; `print` shows their sentences. Where measured
        and predicted differ by less than a factor 1.5 there is one, which says so.

    Raises
    ------
    ValueError, TypeError
        For a race without its problem, with one entry, with methods or problems that no bound or rate is known for, or
        whose runs have hardly come down.

    Notes
    -----
    A share is a part of log(measured/predicted). Causes are taken in the order of their "place", so that each is what
    remains after those before it: causes interact, and another order would divide the same difference in another way.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=60, d=20, seed=0)
    >>> race = cdlab.race(cdlab.Problem(X, y, loss="squared", l2=0.01), ["rcd", "sdca"], max_passes=60)
    >>> causes = cdlab.explain(race)
    >>> abs(sum(cause.share for cause in causes) - 1) < 1e-9
    True
    """
    if not isinstance(race, Race):
        raise TypeError(f"explain takes a race, as cdlab.race returns it, not {checks.short_repr(race)}")
    checks.one_of("by", by, QUANTITIES)
    problem, pair = _checked(race)
    with ProgressLine(quiet=not checks.flag("progress", progress)) as line:
        line.show(f"explain: the optimum, {STARTING_TEXT}")
        setting = _setting(problem, race, pair, by)
        setting = replace(setting, tell=line.now_and_then)
        accounts = [account(setting, *each) for each in zip(pair, _supposed_draws(pair), strict=True)]
    return _causes([entry.label for entry in pair], accounts, setting)


def _checked(race: Race) -> tuple[Problem, list[RacedEntry]]:
    """The problem and the two entries that are compared, primal first."""
    setup = race.setup
    if setup is None:
        raise ValueError(
            "this race does not know its problem: explain takes one that cdlab.race has run, not one put together of "
            "traces"
        )
    problem, faults = setup.problem, []
    if problem.outputs:
        faults.append(f"a loss of one prediction, and {problem.loss.name} has one for each class")
    elif problem.loss.gamma == 0:
        faults.append(f"a smooth loss, but {smoothness_hint(problem.loss)}")
    if problem.l2 == 0 or problem.l1 > 0 or problem.intercept:
        faults.append("l2 > 0, l1 = 0 and no intercept: only there both sides have a bound")
    if faults:
        raise ValueError(f"explain needs {faults[0]}")
    entries = [
        RacedEntry(race[k][0].label, method, sampling, race[k])
        for k, (method, sampling) in enumerate(setup.contestants[: race.entries])
        if type(method) in EXPLAINED_METHODS and sampling.serial and not _is_special(method)
    ]
    sides = [[entry for entry in entries if entry.method.side == side] for side in ("primal", "dual")]
    pair = [sides[0][0], sides[1][0]] if all(sides) else entries[:2]
    if len(pair) < 2:
        more = "one" if entries else "two"
        raise ValueError(
            "explain compares two entries, of sdca, rcd and quartz, that draw one coordinate at a time, and this race "
            f"has {len(entries)} of them: add {more}, as in cdlab.race(problem, ['rcd', 'sdca'])"
        )
    return problem, pair


def _is_special(method: Any) -> bool:
    """Tell whether a parameter makes it another method than the one whose steps are known here."""
    return getattr(method, "averaged_primal", False) or getattr(method, "batch_size", None) not in (None, 1)


def _supposed_draws(pair: Sequence[RacedEntry]) -> list[Sampling]:
    """The draws that each entry's bound supposes."""
    if pair[0].method.side != pair[1].method.side:
        return [Importance(), Importance()]
    return [entry.sampling if entry.sampling.has_theorem else Uniform() for entry in pair]


def _setting(problem: Problem, race: Race, pair: Sequence[RacedEntry], by: str) -> Setting:
    s = solve(problem, "auto", tol=REFERENCE_TOL, max_passes=REFERENCE_PASSES)
    if not s.relative_gap <= CERTIFIED_ENOUGH:
        raise ValueError(
            f"explain needs the optimum, and {REFERENCE_PASSES} passes of auto left a relative gap of "
            f"{s.relative_gap:.2g}: scale the features or take a larger l2"
        )
    z = problem.predict(s.w)
    best = min(problem.primal(s.w, z=z), race.optimum)
    optimum = Optimum(s.w, problem.alpha(s.w, z=z), per_example.curvatures(problem.loss, z, problem.loss_y))
    assert race.setup is not None, "checked"
    level = deepest_level(pair, by, best, s.gap, problem.at_zero)
    return Setting(problem, optimum, best, s.gap, race.setup.start, by, level)


def _causes(labels: Sequence[str], accounts: Sequence[Account], setting: Setting) -> Causes:
    both = zip(*(each.stages for each in accounts), strict=True)
    stages_of_pair = _merged([tuple(map(_finite, stages)) for stages in both])
    predicted, measured = _ratio(stages_of_pair[0]), _ratio(stages_of_pair[-1])
    total = math.log(measured / predicted)
    known: dict[str, Any] = {"entries": tuple(labels), "measured": measured, "predicted": predicted}
    known["level"] = setting.level
    known["passes"] = tuple(each.measured.passes for each in accounts)
    if abs(total) < math.log(NOTABLE_FACTOR):
        return Causes([Cause(agreement(labels, measured, predicted), 1.0, {"name": "agreement", **known})])
    causes, rest = Causes(), 1.0
    for place, (before, after) in enumerate(pairwise(stages_of_pair[:-1]), start=1):
        moved = math.log(_ratio(after) / _ratio(before))
        share, (low, high) = moved / total, sorted(x / total for x in _ends(before, after))
        if abs(share) < NOTABLE_SHARE:
            continue
        rest -= share
        numbers = {
            "name": after[0].name,
            "place": place,
            "factor": math.exp(moved),
            "low": low,
            "high": high,
            "before": tuple(stage.passes.middle for stage in before),
            "after": tuple(stage.passes.middle for stage in after),
        }
        words = sentence(labels, before, after, share, accounts, setting.common_fall, setting.by)
        causes.append(Cause(words, share, numbers))
    causes.sort(key=lambda cause: -abs(cause.share))
    simulated = _ratio(stages_of_pair[-2])
    known |= {"simulated": simulated, "fall": tuple(each.fall for each in accounts)}
    words = unexplained(labels, measured, predicted, simulated, rest)
    causes.append(Cause(words, rest, {"name": "not explained", **known}))
    return causes


def _finite(stage: Stage) -> Stage:
    """The stage with passes whose logarithm is finite: one coordinate takes none, a run that rests no end of them."""
    low, high = (min(max(x, LEAST_PASSES), MOST_PASSES) for x in stage.passes)
    return stage._replace(passes=Interval(low, high))


def _merged(stages_of_pair: list[StagePair]) -> list[StagePair]:
    """The same without the stage of other draws where their cost undoes it: fewer draws of longer lines."""
    names = [stages[0].name for stages in stages_of_pair]
    k = names.index("cost")
    moved = [math.log(_ratio(stages_of_pair[j]) / _ratio(stages_of_pair[j - 1])) for j in (k - 1, k)]
    if names[k - 1] != "weights" or moved[0] * moved[1] >= 0:
        return stages_of_pair
    one = tuple(stage._replace(name="weights") for stage in stages_of_pair[k])
    return [*stages_of_pair[: k - 1], one, *stages_of_pair[k + 1 :]]


def _ratio(stages_of_pair: StagePair) -> float:
    return stages_of_pair[0].passes.middle / stages_of_pair[1].passes.middle


def _ends(before: StagePair, after: StagePair) -> tuple[float, float]:
    """Between which numbers the logarithm of the change of the ratio lies. What is only scaled, is by a number."""
    low = high = 0.0
    for sign, old, new in zip((1, -1), before, after, strict=True):
        ends = [math.log(new.passes.middle / old.passes.middle)]
        if not math.isclose(old.passes.high / old.passes.low, new.passes.high / new.passes.low, rel_tol=1e-9):
            ends = [math.log(new.passes.low / old.passes.high), math.log(new.passes.high / old.passes.low)]
        low, high = low + min(sign * x for x in ends), high + max(sign * x for x in ends)
    return low, high
