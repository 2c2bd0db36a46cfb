"""The result of a race: the traces of all its runs, and who was first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..methods import Method, Points
from ..numerics import checks
from ..problems.problem import Problem
from ..problems.rounding import gap_between, rounding_of_sums
from ..samplings import Sampling
from . import in_html
from .limits import Status
from .trace import Trace, merge_traces

if TYPE_CHECKING:
    import pandas


def check_eps(eps: Any) -> None:
    """Refuse what is not a relative suboptimality, which is 1 at the start and 0 at the optimum.

    Raises
    ------
    TypeError, ValueError
        If eps is not a number between 0 and 1.
    """
    if not checks.is_number(eps):
        raise TypeError(f"eps must be a number between 0 and 1, not {eps!r}")
    if not 0 < eps < 1:
        raise ValueError(f"eps must be a number between 0 and 1, a share of P(0) - P*, not {eps!r}")


@dataclass(frozen=True, eq=False)
class RaceSetup:
    """What a race was made of, as objects: what repeats it, and what `cdlab.explain` asks about.

    Attributes
    ----------
    problem : Problem
    entrants : sequence of (Method, Sampling)
    start : Points or None
        Where the runs began, if not at 0.
    """

    problem: Problem
    entrants: Sequence[tuple[Method, Sampling]]
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

    def __repr__(self) -> str:
        rest = f", {len(self.incomplete)} incomplete" if self.incomplete else ""
        return f"Race({'; '.join(self[k][0].label for k in range(self.entries))}; seeds {self.seeds}{rest})"

    def __str__(self) -> str:
        return f"{self!r}\n\n{self._ends_frame().to_string(index=False, float_format='{:.4g}'.format)}"

    def _repr_html_(self) -> str:
        return in_html.notebook_html(repr(self), self._ends_frame())

    def _ends_frame(self) -> pandas.DataFrame:
        """How the runs of each entry ended: medians over seeds, and their statuses."""
        import pandas as pd

        rows = []
        for k in range(self.entries):
            middle = {
                name: float(np.median([trace.column(name)[-1] for trace in self[k]]))
                for name in ("passes", "seconds", "primal", "relative_gap")
            }
            statuses = ", ".join(sorted({trace.meta.get("status", "-") for trace in self[k]}))
            rows.append({"entry": self[k][0].label, **middle, "status": statuses})
        return pd.DataFrame(rows)

    def __getitem__(self, entry: int) -> list[Trace]:
        """The traces of one entry, one per seed."""
        return self.traces[entry * len(self.seeds) : (entry + 1) * len(self.seeds)]

    @property
    def optimum(self) -> float:
        """The smallest primal value that any run measured: the stand-in for P*. inf if none was finite."""
        return min((float(x) for trace in self.traces for x in _finite_values(trace, "primal")), default=np.inf)

    @property
    def certificate(self) -> float:
        """How far above P* `optimum` can be at most: its distance to the largest dual value of the race."""
        highest = max((float(x) for trace in self.traces for x in _finite_values(trace, "dual")), default=np.nan)
        return gap_between(self.optimum, highest, rounding_of_sums(self.traces[0].at_zero, self.optimum, highest))

    @property
    def _range(self) -> float:
        """P(0) less the optimum."""
        return self.traces[0].at_zero - self.optimum

    def reached(self, eps: float, by: str = "passes") -> np.ndarray:
        """The passes that each run took to relative suboptimality eps.

        Parameters
        ----------
        eps : float in (0, 1)
            A share of P(0) - P*, with `optimum` for P*.
        by : str, default "passes"
            A field of `Record`: also "seconds", "iteration" or "examples".

        Returns
        -------
        (entries, seeds) array; inf where a run did not get there

        Raises
        ------
        TypeError, ValueError
            If eps is not a number between 0 and 1.
        """
        check_eps(eps)
        best, level = self.optimum, eps * self._range
        if not np.isfinite(level):  # no finite P(w), or P(0) overflows
            return np.full((self.entries, len(self.seeds)), np.inf)
        flat = [trace.reached(level, by, "primal", shift=best) for trace in self.traces]
        return np.reshape(flat, (self.entries, len(self.seeds)))

    @property
    def certified(self) -> bool:
        """Whether any lower bound of P* is known: without a regulariser (l2 = l1 = 0) there is none."""
        return bool(np.isfinite(self.certificate))

    def decides(self, eps: float) -> bool:
        """Whether P* is known well enough to say who is within relative suboptimality eps, in (0, 1), of it.

        The best run always is at its own smallest P(w): with a loose certificate that would be a false finish. Where
        there cannot be any (`certified` is False), `optimum` stands in for P*, and the answer is uncertified.
        """
        check_eps(eps)
        return not self.certified or self.certificate <= eps * self._range

    def winner(self, eps: float, by: str = "passes") -> str | None:
        """The entry with the smallest median over seeds to relative suboptimality eps, (P(w) - P*)/(P(0) - P*).

        None if nobody got there, if the race does not decide it, if two share the smallest median (see `first`), or if
        another entry could still have been first: one that had not begun when the race was stopped, or whose runs ended
        (by a limit, their tolerance or the stop) before eps and before the winner's work was done. Uncertified where
        `certified` is False. `eps` and `by` are those of `reached`.

        Raises
        ------
        TypeError, ValueError
            If eps is not a number between 0 and 1.
        """
        first = self.first(eps, by)
        return first[0] if len(first) == 1 else None

    def first(self, eps: float, by: str = "passes") -> tuple[str, ...]:
        """The entries that share the smallest median; empty where `winner` has another reason than a tie to be None.

        Methods are measured once an epoch, so those that are equally fast are often seen to arrive together.

        Raises
        ------
        TypeError, ValueError
            If eps is not a number between 0 and 1.
        """
        if not self.decides(eps) or self.not_run:
            return ()
        medians = np.median(self.reached(eps, by), axis=1)
        best = medians.min()
        if not np.isfinite(best) or (np.median(self._least_cost(eps, by), axis=1) < best).any():
            return ()
        return tuple(self[k][0].label for k in np.flatnonzero(medians == best).tolist())

    def _least_cost(self, eps: float, by: str) -> np.ndarray:
        """`reached`, and where a run did not get there what it must at least have taken: all that it did."""
        flat = [
            np.inf if trace.meta.get("status") == Status.DIVERGED else float(trace.column(by)[-1])
            for trace in self.traces
        ]
        reached = self.reached(eps, by)
        return np.where(np.isfinite(reached), reached, np.reshape(flat, reached.shape))

    def to_frame(self) -> pandas.DataFrame:
        """The records of all `traces` as a pandas DataFrame, with label, method, sampling and seed in front."""
        return merge_traces(self.traces)

    def summary(self, eps: float) -> pandas.DataFrame:
        """A pandas DataFrame, one row per entry: medians over seeds of passes and seconds to eps, final gap, status.

        passes and seconds are inf where eps was not reached, or the race does not decide it; they are uncertified where
        `certified` is False.

        Raises
        ------
        TypeError, ValueError
            If eps is not a number between 0 and 1.
        """
        import pandas as pd

        missed = np.full((self.entries, len(self.seeds)), np.inf)
        passes, seconds = (self.reached(eps, by) if self.decides(eps) else missed for by in ("passes", "seconds"))
        rows = []
        for k in range(self.entries):
            group = self[k]
            rows.append(
                {
                    "method": group[0].meta["method"],
                    "sampling": group[0].meta["sampling"],
                    "passes": np.median(passes[k]),
                    "seconds": np.median(seconds[k]),
                    "relative_gap": np.median([t.column("relative_gap")[-1] for t in group]),
                    "status": ", ".join(sorted({t.meta["status"] for t in group})),
                }
            )
        return pd.DataFrame(rows)


def _finite_values(trace: Trace, name: str) -> np.ndarray:
    values = trace.column(name)
    return values[np.isfinite(values)]
