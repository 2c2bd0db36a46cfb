"""`explain`: why a race came out so, and why not as predicted: the first rule that holds.

A rule names a cause. Where it can be taken away, a counterfactual race is run without it, and the rule speaks only if
about half of the logarithm of the lead goes with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ...losses import per_example
from ...numerics.profiles import Profile
from .choices import Choices, Contestant
from .counterfactual_races import (
    one_at_a_time,
    rerun,
    with_method,
    with_uniform_draws,
    without_lines,
)
from .numbers import spoken
from .outcomes import LEVELS_PER_DECADE, reach_of
from .predicting import HEAVY_SHARE, line_word, predict
from .racing import Race, run_race
from .run_views import RunView
from .schema import Explanation, Reason, Result
from .sentences import sentence_of, spelled

BETTER = 1.5  # A race without a cause must be better by this factor.
# Share of the logarithm of the lead that goes with its cause: half, but for the few draws of a counterfactual race.
GONE = 0.45
NOTABLE = 1.5  # A prediction that is off by less than this factor needs no explanation.
HEAVY = 4.0  # A line is heavy where its norm^2 is this many times the mean.
FULL_LINE_SHARE = 0.9  # A line with this share of all entries counts as full.
SHAPE = 2.0  # The shape explains a lead where n/d or d/n is at least this.
STEEP = 2.0  # A bound is loose for this reason where K exceeds so many times 1/smallest eigenvalue.
EIGENVALUES_LIMIT = 1500  # All eigenvalues are computed of matrices up to this size.
PLAIN = {
    "acc_rcd": "rcd", "apcg": "sdca", "asdca": "sdca", "spdc": "sdca", "agd": "gd", "fista": "gd",
    "accprox_sdca": "sdca", "acc_appa": "appa", "appa": "sdca", "dual_appa": "sdca",
}  # fmt: skip
OUTER = ("appa", "dual_appa")  # The counterparts of these lack the series of easier problems, and no momentum.
# From slopes of single examples as they are, to slopes that remembered ones correct.
NOISY = {"sgd": "saga", "rda": "saga"}
FIXED_STEPS = {"sdca": "quartz"}  # From a method with exact steps, to the one that the theorem is about.

Numbers = dict[str, float | str]


class Pair(NamedTuple):
    """The winner of a race, and the entry that its lead is over."""

    race: Race
    winner: Contestant
    loser: Contestant
    lead: float

    def passes(self, entry: Contestant) -> float:
        """The median of an entry's passes to the target."""
        return reach_of(self.race.of(entry.label)).cost

    def threshold(self, winner: float) -> float:
        """The passes of the loser without the cause at which half of the lead vanishes, if the winner takes so many."""
        return winner * self.lead ** (1 - GONE)

    def vanished(self, loser: float, winner: float) -> bool:
        """Tell whether half of the lead vanishes in a counterfactual race in which both took so many passes."""
        return loser <= self.threshold(winner)

    def profile(self, entry: Contestant) -> Profile:
        """Norms and entries of the lines that the entry steps along."""
        problem = self.race.about.problem
        return problem.column_profile if entry.side == "primal" else problem.row_profile

    def word(self, entry: Contestant) -> str:
        """The word for a line that the entry steps along."""
        return line_word(self.race.choices, entry.side)


def explain(race: Race | Choices) -> Explanation:
    """Explain why a race came out as it did; if given choices, it is run first.

    Raises
    ------
    ValueError
        If the race cannot be run.
    """
    race = race if isinstance(race, Race) else run_race(race)
    return Explanation(race.choices.digest, _why(race), _why_not(race))


# ------------------------------------------------------------ why
def _why(race: Race) -> Reason | None:
    entries = race.entries
    found = race.outcome
    if len(entries) < 2:
        return _reason("none", {}, key="none.alone")
    if not race.about.start > 0:
        return _reason("none", {}, key="none.optimal")
    if found.lead is None or found.loser is None:
        return _reason("none", {}, key="none.unreached")
    if found.winner is None:
        return _even(race, entries)
    pair = Pair(race, entries[found.winner], entries[found.loser], found.lead)
    for rule in RULES:
        if reason := rule(pair):
            return reason
    return None


def _reason(rule: str, numbers: Numbers, side: str | None = None, key: str = "") -> Reason:
    return Reason(rule, side, numbers, sentence_of(key or rule, numbers))


def _even(race: Race, entries: dict[str, Contestant]) -> Reason:
    problem = race.about.problem
    if {"primal", "dual"} <= {entry.side for entry in entries.values()}:
        nnz = problem.nnz
        return _reason("even", {"column_entries": nnz / problem.d, "row_entries": nnz / problem.n})
    order = sorted(race.outcome.results, key=lambda result: result.reached or math.inf)
    numbers: Numbers = {"winner": order[0].label, "loser": race.outcome.loser or ""}
    return _reason("even", numbers | {"percent": 100 * (race.outcome.lead - 1)}, key="even.one side")


def _importance(pair: Pair) -> Reason | None:
    """The cause: the loser's draws are not uniform."""
    entry = pair.loser
    drawn = entry.draws
    if drawn is None or drawn.name == "uniform" or not (drawn.has_theorem and drawn.serial):
        return None
    better = _with_uniform_draws(pair)
    if better is None:
        return None
    profile, p = pair.profile(entry), entry.method.probabilities(pair.race.about.problem, entry.sampling)
    heavy, cost = _heavy(profile), p * profile.counts
    numbers: Numbers = {
        "sampling": drawn.name,
        "count": float(heavy.size),
        "lines": _plural(pair.word(entry), heavy.size),
        "line": pair.word(entry),
        "steps": 100 * float(p[heavy].sum()),
        "work": 100 * float(cost[heavy].sum() / cost.sum()),
        "wait": float(cost.sum() / p[p > 0].min() / pair.race.about.problem.nnz),
    }
    return _reason("importance", numbers, entry.side)


def _with_uniform_draws(pair: Pair) -> float | None:
    """Passes of the loser with uniform draws; None unless they are much fewer and half of the lead goes with them."""
    allowed = min(pair.threshold(pair.passes(pair.winner)), pair.passes(pair.loser) / BETTER)
    uniform = with_uniform_draws(pair.loser)
    passes = reach_of(rerun(pair.race.about, uniform, pair.race, allowed)).cost
    return passes if passes <= allowed else None


def _order(pair: Pair) -> Reason | None:
    """The cause: the loser takes an order in place of random draws."""
    entry = pair.loser
    if entry.draws is None or entry.draws.has_theorem:
        return None
    better = _with_uniform_draws(pair)
    if better is None:
        return None
    return _reason("order", {"loser": entry.label, "passes": better}, entry.side)


def _heavy_line(pair: Pair) -> Reason | None:
    """The cause: some lines of the loser are much heavier than the mean. The same race is run without them."""
    entry, about = pair.loser, pair.race.about
    profile = pair.profile(entry)
    if entry.side == "full" or about.problem.outputs or about.problem.intercept:
        return None
    if profile.norms2.max() <= HEAVY * profile.norms2.mean():
        return None
    heavy = _heavy(profile)
    try:
        rest = without_lines(about, entry.side, heavy)
        other = reach_of(rerun(rest, pair.winner, pair.race)).cost
        without = rerun(rest, entry, pair.race, pair.threshold(other))
    except ValueError:  # of what is left no race can be made
        return None
    if not pair.vanished(reach_of(without).cost, other):
        return None
    p = (
        np.ones(profile.counts.size)
        if entry.draws is None
        else entry.method.probabilities(about.problem, entry.sampling)
    )
    reads = p * profile.counts
    many = heavy.size > 1
    own = pair.race.of(entry.label)
    across = about.problem.n if entry.side == "primal" else about.problem.d
    numbers: Numbers = {
        "count": spelled(heavy.size),
        "lines": _plural(pair.word(entry), heavy.size),
        "stand": "stand" if many else "stands",
        "them": "them" if many else "it",
        "others": _plural(line_word(pair.race.choices, "dual" if entry.side == "primal" else "primal"), 2),
        "share": 100 * float(reads[heavy].sum() / reads.sum()),
        "loser": entry.label,
        "times": _at_least(reach_of(own, "iteration").cost / reach_of(without, "iteration").cost, own),
    }
    full = bool((profile.counts[heavy] >= FULL_LINE_SHARE * across).all()) and entry.side == "primal"
    return _reason("heavy line", numbers, entry.side, key="heavy line.full" if full else "")


def _heavy(profile: Profile) -> np.ndarray:
    """The lines that are named with the heaviest one: with at least half of its entries x norm^2, as in C_P and C_D."""
    parts = profile.counts * profile.norms2
    return np.flatnonzero(parts >= HEAVY_SHARE * parts.max())


def _momentum(pair: Pair) -> Reason | None:
    """The cause: one method has momentum, or easier problems, and one has not. Its plain counterpart replaces it."""
    accelerated = [entry for entry in (pair.winner, pair.loser) if entry.method.name in PLAIN]
    if len(accelerated) != 1 or math.isinf(pair.race.about.problem.kappa):  # with a kink there is no κ
        return None
    (entry,) = accelerated
    try:
        plain = reach_of(rerun(pair.race.about, with_method(entry, PLAIN[entry.method.name]), pair.race)).cost
    except ValueError:
        return None
    won = entry is pair.winner
    loser, winner = (pair.passes(pair.loser), plain) if won else (plain, pair.passes(pair.winner))
    if not pair.vanished(loser, winner):
        return None
    problem = pair.race.about.problem
    primal = {pair.winner.side, pair.loser.side} == {"primal"}
    heaviest = float(problem.column_profile.norms2.max())
    condition = heaviest / (problem.loss.gamma * problem.l2) if primal else problem.kappa
    numbers: Numbers = {"measure": "max ‖column‖²/(γλn)" if primal else "κ/n", "condition": condition / problem.n}
    numbers |= {"winner": pair.winner.label, "loser": pair.loser.label}
    rule = "proximal point" if entry.method.name in OUTER else "momentum"
    return _reason(rule, numbers, entry.side, key="" if won else f"{rule}.late")


def _noise(pair: Pair) -> Reason | None:
    """The cause: the loser's slopes of single examples do not vanish at the best w. Corrected ones replace them."""
    other = NOISY.get(pair.loser.method.name)
    if other is None:
        return None
    allowed = pair.threshold(pair.passes(pair.winner))
    try:
        passes = reach_of(rerun(pair.race.about, with_method(pair.loser, other), pair.race, allowed)).cost
    except ValueError:
        return None
    if passes > allowed:
        return None
    return _reason("noise", {"loser": pair.loser.label, "other": other, "passes": passes}, pair.loser.side)


def _batch(pair: Pair) -> Reason | None:
    """The cause: steps are taken at once, from one point. One at a time replaces them."""
    batched = [entry for entry in (pair.loser, pair.winner) if (getattr(entry.method, "batch_size", None) or 1) > 1]
    if len(batched) != 1:
        return None
    (entry,) = batched
    matters = pair.threshold(pair.passes(pair.winner)) if entry is pair.loser else pair.passes(pair.loser)
    alone = reach_of(rerun(pair.race.about, one_at_a_time(entry), pair.race, matters)).cost
    loser, winner = (alone, pair.passes(pair.winner)) if entry is pair.loser else (pair.passes(pair.loser), alone)
    if not pair.vanished(loser, winner):
        return None
    m = float(entry.method.batch_size)
    problem = pair.race.about.problem
    dual = entry.side == "dual"  # rows of X meet in columns
    lines, size = (problem.column_profile, problem.n) if dual else (problem.row_profile, problem.d)
    others = np.maximum(lines.counts - 1, 0) / max(1, size - 1)
    shared = float(lines.counts @ (1 - (1 - others) ** (m - 1)) / problem.nnz)
    smaller = float(lines.norms2 @ (1 + (m - 1) * others) / lines.norms2.sum())
    return _reason("batch", {"batch": m, "share": 100 * shared, "times": smaller}, entry.side)


def _shape(pair: Pair) -> Reason | None:
    """The cause: more examples than features, or fewer. A pass is more of the cheaper steps."""
    n, d = pair.race.about.problem.n, pair.race.about.problem.d
    steps = {"primal": d, "dual": n}
    if {pair.winner.side, pair.loser.side} != steps.keys():
        return None
    won, lost = steps[pair.winner.side], steps[pair.loser.side]
    if won < SHAPE * lost:
        return None
    numbers: Numbers = {"winner": pair.winner.label, "loser": pair.loser.label}
    return _reason("shape", numbers | {"winner_steps": float(won), "loser_steps": float(lost)}, pair.winner.side)


RULES: tuple[Callable[[Pair], Reason | None], ...] = (
    *(_importance, _order, _heavy_line, _momentum, _noise, _batch, _shape),
)


def _at_least(number: float, runs: list[RunView]) -> float | str:
    """The number, with "over" before it where its runs did not reach the target."""
    return number if reach_of(runs).reached else f"over {spoken(number)}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


# ------------------------------------------------------------ why not
def _why_not(race: Race) -> Reason | None:
    """Explain why the measured lead is not the predicted one."""
    measured, prediction = race.outcome.primal_over_dual, predict(race.choices)
    if measured is None or prediction.ratio is None:
        return None
    off = prediction.ratio / measured
    if 1 / NOTABLE <= off <= NOTABLE:
        return None
    entries = race.entries
    reached = {result.label: result.reached for result in race.outcome.results}
    slack: dict[str, float] = {}  # of the first entry of each side: these are compared
    for found in prediction.theorems:
        side, passes = entries[found.label].side, reached.get(found.label)
        if side not in {entries[label].side for label in slack} and side != "full" and found.value and passes:
            slack[found.label] = found.value / passes
    entry = entries[max(slack, key=lambda label: slack[label])]
    return next(filter(None, _reasons_of_difference(race, entry)), None)


def _reasons_of_difference(race: Race, entry: Contestant) -> Iterator[Reason | None]:
    if entry.side == "primal":
        yield _flattest(race, entry)
    yield _exact_steps(race, entry)


def _flattest(race: Race, entry: Contestant) -> Reason | None:
    """The rate near the end against that of the bound, where the curvature there accounts for it.

    An exact step on a random coordinate, scaled by its L_j, contracts by the smallest eigenvalue of
    Lambda^-1/2 H Lambda^-1/2, which the bound takes to be as small as it can be.
    """
    problem = race.about.problem
    if problem.d > EIGENVALUES_LIMIT or problem.l1 > 0 or problem.outputs or problem.loss.gamma == 0:
        return None
    if entry.draws is None or not (entry.draws.has_theorem and entry.draws.serial):
        return None
    h = per_example.curvatures(problem.loss, problem.predict(race.of(entry.label)[0].w), problem.loss_y)
    X = problem.X
    H = (X.T @ sp.diags_array(h) @ X).toarray() if sp.issparse(X) else X.T @ (h[:, None] * X)
    H = H / problem.n + problem.l2 * np.eye(problem.d)
    p = entry.method.probabilities(problem, entry.sampling)
    cost = float(p @ problem.column_profile.counts) / problem.nnz  # passes a step
    drawn = np.flatnonzero(p > 0)  # others are empty
    scaled = problem.column_profile.norms2[drawn] * problem.beta / problem.n + problem.l2
    scaled = scaled / p[drawn]  # a coordinate that is drawn seldom counts as a steeper one
    H = H[np.ix_(drawn, drawn)]
    lowest = float(np.linalg.eigvalsh(H / np.sqrt(np.outer(scaled, scaled)))[0])
    bound = float((scaled / problem.l2).max()) * cost  # K in passes
    rate = cost / lowest
    if not bound > STEEP * rate:
        return None
    measured = _pace(next(each for each in race.outcome.results if each.label == entry.label))
    return _reason("flattest direction", {"method": entry.label, "measured": measured, "bound": bound}, "primal")


def _pace(result: Result) -> float:
    """Passes in which the gap fell by a factor e, over the last two powers of ten before the target."""
    k = max(0, len(result.levels) - 1 - 2 * LEVELS_PER_DECADE)
    return ((result.median[-1] or 0.0) - (result.median[k] or 0.0)) / math.log(result.levels[k] / result.levels[-1])


def _exact_steps(race: Race, entry: Contestant) -> Reason | None:
    fixed = FIXED_STEPS.get(entry.method.name)
    if fixed is None:
        return None
    try:
        runs = rerun(race.about, with_method(entry, fixed), race)
    except ValueError:
        return None
    passes = reach_of(runs).cost
    own = reach_of(race.of(entry.label)).cost
    if passes < BETTER * own:
        return None
    return _reason(
        "exact steps", {"method": entry.label, "fixed": fixed, "passes": _at_least(passes, runs)}, entry.side
    )
