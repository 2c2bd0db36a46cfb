"""Statistics of the runs of a store: methods compared over many problems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..comparisons import profiles, supported_levels
from ..methods import METHODS
from ..problems.problem import Problem
from ..runs.race_result import Race, check_eps
from ..runs.trace import Trace
from .keys import to_plain
from .store import Store
from .stored_runs import row_of

if TYPE_CHECKING:
    import pandas

TARGETS = tuple(10.0**-k for k in range(1, 7))


def costs(
    store: Store, eps: float = 1e-4, by: str = "passes", quantity: str | None = None
) -> dict[str, dict[str, float]]:
    """The cost of each method on each problem until its error was the share eps of that at the start.

    Parameters
    ----------
    store : Store
        Of finished runs, with ``every=1``.
    eps : float in (0, 1), default 1e-4
        The target.
    by : str, default "passes"
        Also "seconds", "iteration" or "examples".
    quantity : "best_gap", "gap" or "primal", optional
        The error, as for `Race.reached`: by default the best gap, on a problem without any lower bound "primal". By
        "primal", P* is the smallest P(w) of all runs on a problem; one whose P* is not known well enough by the largest
        D(alpha) is left out.

    Returns
    -------
    dict
        By label and problem the median over seeds; inf where it is not reached.

    Raises
    ------
    TypeError, ValueError
        If eps is no number between 0 and 1.
    """
    check_eps(eps)
    found: dict[str, dict[str, float]] = {}
    for problem, traces in _by_problem(store).items():
        for label, reached in _reached(traces, eps, by, quantity):
            found.setdefault(label, {})[problem] = float(np.median(reached))
    return found


def runtimes(
    store: Store, targets: Sequence[float] = TARGETS, by: str = "passes", quantity: str | None = None
) -> dict[str, np.ndarray]:
    """The runtime distribution of each method: what every seed took on every problem to every target, in order.

    The share of entries that are at most t is the empirical distribution function at the budget t; inf where a target
    was not reached. `store` and `by` as for `costs`.

    Parameters
    ----------
    store : Store
        Of finished runs, with ``every=1``.
    targets : sequence of float, default 0.1, 0.01, ..., 1e-6
        Shares of the error at the start.
    by, quantity : str
        As for `costs`.

    Raises
    ------
    TypeError, ValueError
        If a target is no number between 0 and 1.
    """
    found: dict[str, list[float]] = {}
    for eps in targets:
        check_eps(eps)
    for traces in _by_problem(store).values():
        for eps in targets:
            for label, reached in _reached(traces, eps, by, quantity):
                found.setdefault(label, []).extend(reached)
    return {label: np.sort(values) for label, values in found.items()}


def rank_table(
    store: Store, eps: float = 1e-4, by: str = "passes", *, level: float = 0.9, quantity: str | None = None
) -> pandas.DataFrame:
    """A pandas DataFrame: the mean rank of each method over problems, its interval, and how many it solved, best first.

    Parameters
    ----------
    store, eps, by, quantity
        As for `costs`.
    level : float in (0, 1), default 0.9
        Of the bootstrap interval over problems.

    Raises
    ------
    TypeError, ValueError
        If eps or level is no number between 0 and 1.
    """
    import pandas as pd

    found = costs(store, eps, by, quantity)
    rows = [
        {"method": label, "rank": rank.mean, "low": rank.low, "high": rank.high,
         "solved": sum(map(math.isfinite, found[label].values())), "of": len(found[label])}
        for label, rank in profiles.ranks(found, level=level).items()
    ]  # fmt: skip
    columns = ["method", "rank", "low", "high", "solved", "of"]
    return pd.DataFrame(rows, columns=columns).sort_values("rank", ignore_index=True)


def predicted_and_measured(store: Store, problems: Iterable[Problem], eps: float = 1e-4) -> pandas.DataFrame:
    """A pandas DataFrame of the passes that bounds promise and those that runs took, a row for each method and problem.

    Both to (P(w) - P*)/(P(0) - P*) = eps, which most bounds are about. Only methods with default parameters, which
    their bounds are about.

    Parameters
    ----------
    store : Store
        Of finished runs, with ``every=1``.
    problems : iterable of Problem
        Those whose runs are wanted: a store has no data of its own, and bounds need their constants.
    eps : float in (0, 1), default 1e-4
        The target.

    Returns
    -------
    DataFrame
        problem, method, sampling, predicted and measured; the last is the median over seeds, inf where not reached.

    Raises
    ------
    TypeError, ValueError
        If eps is no number between 0 and 1.
    """
    import pandas as pd

    from ..theory import bound

    check_eps(eps)
    groups, rows = _by_problem(store), []
    for problem in problems:
        for name, traces in groups.items():
            if not _is_about(traces[0], problem):
                continue
            medians = {label: float(np.median(reached)) for label, reached in _reached(traces, eps, "passes", "primal")}
            for label, trace in {each.label: each for each in traces if _default(each)}.items():
                row = row_of(trace)
                try:
                    promised = bound(row["method"], sampling=row["sampling"]).for_problem(problem, eps=eps)
                except ValueError:  # no theorem, or not for this problem
                    continue
                if label in medians:
                    rows.append((name, row["method"], row["sampling"], float(promised), medians[label]))
    return pd.DataFrame(rows, columns=["problem", "method", "sampling", "predicted", "measured"])


def problem_of(trace: Trace) -> str:
    """The problem of a run of a store, by a name that says which."""
    row, s = row_of(trace), trace.meta["settings"]
    name = f"{row['data']} [{row['digest'][:6]}], {row['loss']}, l2 = {row['l2']:g}"
    name += f", l1 = {row['l1']:g}" if row["l1"] else ""
    return name + (", intercept" if s["intercept"] else "")


def _by_problem(store: Store) -> dict[str, list[Trace]]:
    groups: dict[str, list[Trace]] = {}
    for trace in store:
        groups.setdefault(problem_of(trace), []).append(trace)
    return groups


def _reached(traces: Sequence[Trace], eps: float, by: str, quantity: str | None) -> Iterator[tuple[str, list[float]]]:
    """By label what each seed took; nothing where P* is needed, and not known well enough."""
    race = Race(list(traces), len(traces), seeds=[0])  # each run an entry
    quantity = race.quantity if quantity is None else quantity
    if quantity == "primal":
        at_zero, optimum = traces[0].at_zero, race.optimum
        if not supported_levels([eps], race.certificate, at_zero, optimum):
            return
    by_label: dict[str, list[float]] = {}
    for trace, reached in zip(traces, race.reached(eps, by, quantity)[:, 0].tolist(), strict=True):
        by_label.setdefault(trace.label, []).append(reached)
    yield from by_label.items()


def _is_about(trace: Trace, problem: Problem) -> bool:
    s = trace.meta["settings"]
    mine = (problem.digest, to_plain(problem.loss), problem.l2, problem.l1, problem.intercept)
    return mine == (trace.meta["data"], s["loss"], s["l2"], s["l1"], s["intercept"])


def _default(trace: Trace) -> bool:
    method = trace.meta["settings"]["method"]
    return method["name"] in METHODS and method == to_plain(METHODS[method["name"]]())
