"""The views of a store: each a picture, a sentence that says what is seen, and a table with the same numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...comparisons import profiles
from ...plots import performance_profile, predicted_against_measured, runtime_distribution
from ...problems.problem import Problem
from ...runs.entries import NO_SAMPLING
from ...sweeps import statistics
from ..templates import html
from ..words import NOTHING, listed, number, table
from .held import HeldStore

FACTORS = (1.0, 1.5, 2.0, 5.0, 10.0, 100.0)
SHARES = (0.25, 0.5, 0.75, 1.0)
LEVEL = 0.9  # of the intervals of ranks
WORDS = "<p>{{ words|marked }}</p>"


class View(NamedTuple):
    """What is shown: a picture, or None where a table says all, and HTML."""

    figure: Any
    words: str


def profile(store: HeldStore, eps: float, by: str) -> View:
    """The share of problems that each method solved within a factor of the best."""
    costs = statistics.costs(store, eps, by)
    ratios, count = profiles.profiles(costs), _solved(costs)
    if not count:
        return _nothing(store, eps)
    first = {name: int(np.sum(each <= 1)) for name, each in ratios.items()}
    most = max(first.values())
    leaders = listed([name for name, times in first.items() if times == most])
    words = (
        f"The height of a curve is the share of {_problems(count)} on which a method came to the target within so many "
        f"times the {by} of the fastest; at 1 it was the fastest itself, which {leaders} was on {most} of {count}. "
        f"{_left_out(store, costs)}"
    )
    rows = [
        [name, *(_percent(profiles.share_within(each, factor)) for factor in FACTORS)]
        for name, each in sorted(ratios.items(), key=lambda item: -first[item[0]])
    ]
    head = ["method", *(f"within {number(factor)}" if factor > 1 else "fastest" for factor in FACTORS)]
    caption = f"Share of problems solved to {number(eps)} within a factor of the least {by}"
    return View(performance_profile(store, eps, by), _told(words) + table(head, rows, caption))


def distribution(store: HeldStore, eps: float, by: str) -> View:
    """The share of problems, targets and seeds that each method reached within a budget."""
    targets = [each for each in statistics.TARGETS if each >= eps * (1 - 1e-9)]
    found = statistics.runtimes(store, targets, by)
    if not found:
        return _nothing(store, targets[0])
    words = (
        f"The height of a curve is the share of all problems, targets ({', '.join(map(number, targets))}) and seeds "
        f"that a method reached within so many {by}: further left is faster, and a curve that stays below 1 did not "
        "reach all."
    )
    rows = [
        [name, number(len(taken)), _percent(float(np.mean(np.isfinite(taken)))), *(_within(taken, q) for q in SHARES)]
        for name, taken in sorted(found.items(), key=lambda item: (-np.mean(np.isfinite(item[1])), np.median(item[1])))
    ]
    head = ["method", "counted", "reached", *(f"{by} to {_percent(share)}" for share in SHARES)]
    caption = f"{by.capitalize()} within which a share of all problems, targets and seeds was reached"
    return View(runtime_distribution(store, targets, by), _told(words) + table(head, rows, caption))


def ranks(store: HeldStore, eps: float, by: str) -> View:
    """Mean ranks with their intervals."""
    frame = statistics.rank_table(store, eps, by, level=LEVEL)
    if frame.empty:
        return _nothing(store, eps)
    count = _solved(statistics.costs(store, eps, by))
    words = (
        f"On each of {_problems(count)} the methods are ranked by their {by} to the target, 1 for the fewest; shown is "
        f"the mean, and the interval that holds {_percent(LEVEL)} of the means when these problems are drawn again and "
        "again, with replacement. Where two intervals overlap, the problems do not settle the order."
    )
    if count == 1:
        words += " One problem alone has no interval."
    rows = [
        [row.method, number(row.rank), f"{number(row.low)} to {number(row.high)}", f"{row.solved} of {row.of}"]
        for row in frame.itertuples()
    ]
    head = ["method", "mean rank", f"{_percent(LEVEL)} interval", "problems solved"]
    return View(None, _told(words) + table(head, rows, f"Ranks by {by} to {number(eps)}"))


def bounds(store: HeldStore, eps: float, problem: Problem) -> View:
    """The passes that bounds promise beside those that the runs on a problem took."""
    frame = statistics.predicted_and_measured(store, [problem], eps)
    if frame.empty:
        words = (
            "No run of this store, of a method that has a bound, is on the problem that is chosen above, or P* is not "
            "known well enough for this target: choose the data, scaling, loss and weights of a sweep, or a larger "
            "target."
        )
        return View(None, html('<p class="reason">{{ words }}</p>', words=words))
    words = (
        f"Each marker is a method on the problem chosen above: across, the passes to {number(eps)} that its bound "
        "promises; upwards, the median that its runs took. Below the line the bound holds. What was not reached is in "
        "the table only."
    )
    rows = [[_label(row), number(row.predicted), _or_not(row.measured), _ratio(row)] for row in frame.itertuples()]
    head = ["method", "passes by the bound", "passes measured", "bound over measured"]
    figure = predicted_against_measured(store, [problem], eps)
    return View(figure, _told(words) + table(head, rows, f"Promised and measured passes to {number(eps)}"))


def _label(row: Any) -> str:
    return row.method if row.sampling == NO_SAMPLING else f"{row.method}, {row.sampling}"


def _ratio(row: Any) -> str:
    return number(row.predicted / row.measured) if 0 < row.measured < np.inf else NOTHING


def _told(words: str) -> str:
    return html(WORDS, words=words.strip())


def _nothing(store: HeldStore, eps: float) -> View:
    words = "There is no finished run yet."
    if len(store):
        words = (
            f"On no problem is P* known well enough to judge a target of {number(eps)}, or no run reached it: choose a "
            "larger target, or sweep with a smaller tol."
        )
    return View(None, html('<p class="reason">{{ words }}</p>', words=words))


def _solved(costs: Mapping[str, Mapping[str, float]]) -> int:
    """Of how many problems somebody reached the target."""
    return len({name for of_one in costs.values() for name, cost in of_one.items() if np.isfinite(cost)})


def _left_out(store: HeldStore, costs: Mapping[str, Mapping[str, float]]) -> str:
    left = len({statistics.problem_of(trace) for trace in store}) - _solved(costs)
    why = "nobody reached the target, or P* is not known well enough"
    return f"{_problems(left)} {'is' if left == 1 else 'are'} left out: {why}." if left else ""


def _problems(count: int) -> str:
    return f"{count} problem{'' if count == 1 else 's'}"


def _within(sorted_costs: np.ndarray, share: float) -> str:
    """The least budget within which a share is reached."""
    return _or_not(float(sorted_costs[max(0, int(np.ceil(share * sorted_costs.size)) - 1)]))


def _or_not(cost: float) -> str:
    return number(cost) if np.isfinite(cost) else "not reached"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
