"""The result of a race: the traces of all its runs, and who was first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..methods import Points
from ..numerics import checks
from ..problems.problem import Problem
from . import in_html
from .entries import MethodAndSampling
from .limits import Status
from .references import Reference
from .trace import Trace, merge_traces

if TYPE_CHECKING:
    import pandas

    from ..comparisons import FirstCrossing


QUANTITIES = ("best_gap", "gap", "primal")  # Runs are judged by these; see `Race.reached`.


def check_eps(eps: Any) -> None:
    """Refuse what is no share of the error at the start, whichever quantity it is of: 1 there, 0 at the optimum.

    Raises
    ------
    TypeError, ValueError
        If eps is not a number between 0 and 1.
    """
    if not checks.is_number(eps):
        raise TypeError(f"eps must be a number between 0 and 1, not {checks.short_repr(eps)}")
    if not 0 < eps < 1:
        found = checks.short_repr(eps)
        raise ValueError(f"eps must be a number between 0 and 1, a share of the error at the start, not {found}")


@dataclass(frozen=True, eq=False)
class RaceSetup:
    """The objects that a race was made of: they repeat it, and `cdlab.explain` asks about them.

    Attributes
    ----------
    problem : Problem
    contestants : sequence of (Method, Sampling)
    start : Points or None
        Where the runs began, if not at 0.
    """

    problem: Problem
    contestants: Sequence[MethodAndSampling]
    start: Points | None = None


@dataclass(repr=False)
class Race:
    """The traces of a race, method-major, one per seed.

    Attributes
    ----------
    traces : list of Trace
    entries : int
        How many methods ran.
    seeds : list of int
    incomplete : list of Trace
        After a stop: runs of a seed that not every entry has run. They take no part in comparisons.
    not_run : list of str
        After a stop in the first seed: labels of the entries that had not begun.
    setup : RaceSetup or None
        Problem, methods and samplings; None for traces that were put together in another way than by `cdlab.race`.

    `print` shows how the runs of each entry ended: medians over seeds.
    """

    traces: list[Trace]
    entries: int
    seeds: list[int]
    incomplete: list[Trace] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    setup: RaceSetup | None = None

    @classmethod
    def of_runs(cls, by_entry: Iterable[Mapping[Any, Trace]], **more: Any) -> Race:
        """The race of entries whose traces are given by their seeds: of the seeds with which every entry has run.

        The other runs are in `incomplete`.
        """
        groups = list(by_entry)
        seeds = [seed for seed in groups[0] if all(seed in group for group in groups)]
        kept = [group[seed] for group in groups for seed in seeds]
        rest = [trace for group in groups for seed, trace in group.items() if seed not in seeds]
        return cls(kept, len(groups), seeds, rest, **more)

    def __repr__(self) -> str:
        rest = f", {len(self.incomplete)} incomplete" if self.incomplete else ""
        return f"Race({'; '.join(self[k][0].label for k in range(self.entries))}; seeds {self.seeds}{rest})"

    def __str__(self) -> str:
        return f"{self!r}\n\n{self._ends_frame().to_string(index=False, float_format='{:.4g}'.format)}"

    def _repr_html_(self) -> str:
        return in_html.notebook_html(repr(self), self._ends_frame())

    def _ends_frame(self) -> pandas.DataFrame:
        """Build the table of how the runs of each entry ended."""
        import pandas as pd

        ends = {name: self.at_end(name) for name in ("passes", "seconds", "primal", "relative_gap")}
        return pd.DataFrame({"entry": [group[0].label for group in self.groups], **ends, "status": self._statuses})

    def __getitem__(self, entry: int) -> list[Trace]:
        """The traces of one entry, one per seed."""
        return self.traces[entry * len(self.seeds) : (entry + 1) * len(self.seeds)]

    @property
    def groups(self) -> list[list[Trace]]:
        """The traces of each entry."""
        return [self[k] for k in range(self.entries)]

    def at_end(self, column: str) -> list[float]:
        """The last values of a column of `Trace`: for each entry the median over seeds."""
        return [float(np.median([trace.column(column)[-1] for trace in group])) for group in self.groups]

    @property
    def _statuses(self) -> list[str]:
        return [", ".join(sorted({trace.meta.get("status", "-") for trace in group})) for group in self.groups]

    @property
    def _reference(self) -> Reference:
        """P* as well as all runs know it."""
        unknown = Reference(np.empty(0), np.inf, -np.inf, self.traces[0].at_zero, "the runs themselves")
        return unknown.with_runs(self.traces)

    @property
    def optimum(self) -> float:
        """The smallest primal value that any run measured: the stand-in for P*. inf if none was finite."""
        return self._reference.primal

    @property
    def certificate(self) -> float:
        """The most that `optimum` can be above P*: its distance to the largest dual value of the race."""
        return self._reference.certificate

    @property
    def certified(self) -> bool:
        """Tell whether any lower bound of P* is known: without a regulariser (l2 = l1 = 0) there is none."""
        return self._reference.certified

    @property
    def quantity(self) -> str:
        """The quantity that runs are judged by, unless one is named: "best_gap"; "primal" if nothing is `certified`."""
        return "best_gap" if self.certified else "primal"

    def reached(self, eps: float, by: str = "passes", quantity: str | None = None) -> np.ndarray:
        """The passes that each run took until its error was the share eps of the error at the start.

        Parameters
        ----------
        eps : float in (0, 1)
            The share.
        by : str, default "passes"
            A field of `Record`: also "seconds", "iteration" or "examples".
        quantity : "best_gap", "gap" or "primal", optional
            The error. "gap": the relative gap of the record's own points, which `tol` is on. "best_gap": that of the
            best points so far; what a run can prove by itself, and interpolated in its logarithm between two records.
            "primal": P(w) - P*, of P(0) - P*, with `optimum` for P*; as "gap" at the first record. By default
            `Race.quantity`.

        Returns
        -------
        (entries, seeds) array; inf where a run did not get there

        Raises
        ------
        TypeError, ValueError
            If eps is not a number between 0 and 1, or there is no such quantity.
        """
        return np.array([each.high for each in self.crossings(eps, by, quantity)])

    def crossings(self, eps: float, by: str = "passes", quantity: str | None = None) -> list[FirstCrossing]:
        """The passes of each entry's runs to the share eps of a quantity, with what their median over seeds can be.

        Parameters and errors are those of `reached`. A run that did not get there needs more than the work it did, but
        one that diverged, or that ended at the limit of rounding, never gets there.
        """
        check_eps(eps)
        quantity = self._checked_quantity(quantity)
        from ..comparisons.curves import FirstCrossing, crossing  # loads scipy.stats

        if quantity == "primal":
            best, level = self.optimum, eps * self._range  # not finite: no finite P(w), or P(0) overflows
            high = [t.reached(level, by, "primal", best) if np.isfinite(level) else np.inf for t in self.traces]
        elif quantity == "gap":
            high = [trace.reached(eps, by) for trace in self.traces]
        else:
            high = [crossing(trace.column(by), trace.column("relative_best_gap"), eps) for trace in self.traces]
        hopeless = (Status.DIVERGED, Status.ROUNDING_LIMIT)
        spent = [np.inf if t.meta.get("status") in hopeless else float(t.column(by)[-1]) for t in self.traces]
        shape = self.entries, len(self.seeds)
        low = np.where(np.isfinite(high), high, spent).reshape(shape)
        return [FirstCrossing(*each) for each in zip(low, np.reshape(high, shape), strict=True)]

    @property
    def _range(self) -> float:
        """P(0) less the optimum."""
        return self.traces[0].at_zero - self.optimum

    def _checked_quantity(self, quantity: str | None) -> str:
        if quantity is not None:
            checks.one_of("quantity", quantity, QUANTITIES)
        return self.quantity if quantity is None else quantity

    def decides(self, eps: float, quantity: str | None = None) -> bool:
        """Tell whether the race can say which runs came to the share eps, in (0, 1), of a quantity (see `reached`).

        A gap is certified by its own run. Of P(w) - P* P* must be known well enough: the best run always is at its own
        smallest P(w), and with a loose certificate that would be a false finish. Where there cannot be any (`certified`
        is False), `optimum` stands in for P*, and the answer is uncertified.
        """
        check_eps(eps)
        if self._checked_quantity(quantity) != "primal":
            return True
        return not self.certified or self.certificate <= eps * self._range

    def winner(self, eps: float, by: str = "passes", quantity: str | None = None) -> str | None:
        """The entry with the smallest median over seeds to the share eps of a quantity, by default the best gap.

        None if nobody got there, if the race does not decide it, if two share the smallest median (see `first`), or if
        another entry could still have been first: one that had not begun when the race was stopped, or whose runs ended
        (by a limit, their tolerance or the stop) before eps and before the winner's work was done. Uncertified where
        `certified` is False. The parameters are those of `reached`.

        Raises
        ------
        TypeError, ValueError
            As `reached`.
        """
        first = self.first(eps, by, quantity)
        return first[0] if len(first) == 1 else None

    def first(self, eps: float, by: str = "passes", quantity: str | None = None) -> tuple[str, ...]:
        """The entries that share the smallest median; empty where `winner` has another reason than a tie to be None.

        Methods are measured once an epoch, so by "gap" and "primal" those that are equally fast are often seen to
        arrive together.

        Raises
        ------
        TypeError, ValueError
            As `reached`.
        """
        if not self.decides(eps, quantity) or self.not_run:
            return ()
        medians = [each.median for each in self.crossings(eps, by, quantity)]
        best = min(high for _, high in medians)
        if not np.isfinite(best) or min(low for low, _ in medians) < best:
            return ()
        return tuple(self[k][0].label for k, (_, high) in enumerate(medians) if high == best)

    def to_frame(self) -> pandas.DataFrame:
        """The records of all `traces` as a pandas DataFrame, with label, method, sampling and seed in front."""
        return merge_traces(self.traces)

    def summary(self, eps: float, quantity: str | None = None) -> pandas.DataFrame:
        """A pandas DataFrame, one row per entry: medians over seeds of passes and seconds to eps, final gaps, status.

        passes and seconds are inf where eps was not reached, or the race does not decide it; they are uncertified where
        `certified` is False. The column "judged_by" says of which quantity eps is a share; see `reached`.

        Raises
        ------
        TypeError, ValueError
            As `reached`.
        """
        import pandas as pd

        judged_by = self._checked_quantity(quantity)
        costs: dict[str, Any] = dict.fromkeys(("passes", "seconds"), np.inf)
        if self.decides(eps, judged_by):
            costs = {by: [each.median[1] for each in self.crossings(eps, by, judged_by)] for by in costs}
        facts = {name: [group[0].meta[name] for group in self.groups] for name in ("method", "sampling")}
        gaps = {name: self.at_end(name) for name in ("relative_gap", "relative_best_gap")}
        # costs are last: where pandas has no room, it leaves out the middle
        return pd.DataFrame({**facts, "status": self._statuses, "judged_by": judged_by, **gaps, **costs})
