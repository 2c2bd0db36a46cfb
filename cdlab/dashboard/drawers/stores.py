"""The stores of sweeps that the server offers, in the drawer Runs: their curves, tables and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from ... import plots
from ...comparisons import profiles
from ...numerics.written_numbers import number
from ...runs.trace import Record, Trace
from ...sweeps import Store, statistics
from ...sweeps.result_store import ResultStore
from ...sweeps.stored_runs import FAILED, FAILURE, FINISHED, read_trace_or_why, row_of
from ..stores import stores
from ..words import listed, sentence
from .part import WIDE, Block, Part, Subject, css, download, heading, paragraph, reason, table

if TYPE_CHECKING:
    import pandas

TARGETS = {number(10.0**-k): 10.0**-k for k in range(1, 9)}
FACTORS = (1.0, 1.5, 2.0, 5.0, 10.0, 100.0)
ROWS_LIMIT = 200  # A table shows so many rows; the CSV has all.
NOTES_LIMIT = 3
HOW = (
    "This server offers no store, the folder in which a sweep keeps its runs: make one with cdlab sweep grid.toml "
    "--store results, and serve it with cdlab serve --store results."
)
NO_COST = (
    "on no problem is P* known well enough to judge this target, or no run reached it: choose a larger target, or "
    "sweep with a smaller tol"
)


class PackedTrace(Trace):
    """A trace whose records are the rows of one array: a quarter of the memory."""

    def __init__(self, trace: Trace):
        self._rows = np.array(trace.records, dtype=float).reshape(-1, len(Record._fields))
        self.meta = trace.meta

    @property
    def records(self) -> list[Record]:  # type: ignore[override]
        """Made anew each time."""
        return [Record(*row) for row in self._rows.tolist()]

    def column(self, name: str) -> np.ndarray:
        """A column, as of any trace."""
        return self._rows[:, Record._fields.index(name)] if name in Record._fields else super().column(name)


class StoreInMemory(Store):
    """A store whose runs are read once for all visitors; `refresh` reads what has come since."""

    def __init__(self, path: Path):
        super().__init__(path)
        self._lock = Lock()
        self._known: dict[tuple[str, str], tuple[float, Trace]] = {}  # by key and kind, with the time it finished
        self.notes: dict[str, str] = {}  # by key, why runs could not be read

    def refresh(self) -> None:
        """Read the runs that are new, and forget those that are gone.

        Raises
        ------
        ValueError
            If the store cannot be read; without the host's path.
        """
        with self._lock:
            known, notes = {}, {}
            try:
                with ResultStore(self.path) as results:
                    index = results.index(FINISHED, FAILED)
                    for key, entry in index.items():
                        run = key, entry.kind
                        if (kept := self._known.get(run)) and kept[0] == entry.finished:
                            known[run] = kept
                            continue
                        trace, why = read_trace_or_why(results, *run)
                        if trace is None:
                            notes[key] = why.replace(str(self.path), self.path.name)
                        else:
                            known[run] = entry.finished, PackedTrace(trace)
            except (OSError, ValueError) as error:
                words = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
                raise ValueError(words.replace(str(self.path), self.path.name)) from None
            # what cannot be read is set aside, and so it is not there the next time
            self.notes = {key: why for key, why in self.notes.items() if key not in index} | notes
            self._known = known

    def of_kind(self, kind: str) -> dict[str, Trace]:
        """Finished or failed runs by their keys."""
        return {key: trace for (key, of), (_, trace) in self._known.items() if of == kind}

    @property
    def keys(self) -> list[str]:
        """The keys of the finished runs."""
        return list(self.of_kind(FINISHED))

    def __iter__(self) -> Iterator[Trace]:
        return iter(self.of_kind(FINISHED).values())

    def to_frame(self) -> pandas.DataFrame:
        """The table of `Store.to_frame`, with the name of each run's problem in front."""
        import pandas as pd

        traces = [*self, *self.of_kind(FAILED).values()]
        return pd.DataFrame([{"problem": statistics.problem_of(trace)} | row_of(trace) for trace in traces])


@cache
def store_in_memory(path: Path) -> StoreInMemory:
    """The store in memory, one for all visitors."""
    return StoreInMemory(path)


def store_part(session: Any) -> pn.viewable.Viewable:
    """The stores, or how to offer one."""
    try:
        offered, words = stores(), HOW
    except ValueError as why:
        offered, words = {}, sentence(str(why))
    title = pn.pane.HTML(heading("Stores of sweeps", "" if offered else words), stylesheets=[css()], **WIDE)
    if not offered:
        return title
    widgets = {
        "folder": pn.widgets.Select(label="Store", options=offered, width=200),
        "shown": pn.widgets.Select(
            label="View", options={words: name for name, (words, _) in VIEWS.items()}, width=280
        ),
        "eps": pn.widgets.Select(label="Target", options=TARGETS, value=1e-4, width=90),
        "by": pn.widgets.Select(label="Measured by", options=["passes", "seconds"], width=110),
    }
    return pn.Column(title, Part(session, "Runs", work, widgets, button="Read the store").view, **WIDE)


def work(asked: Subject, folder: Path, shown: str, eps: float, by: str) -> list[Block]:
    """A view of a store, and its runs by problem and method."""
    if not folder.is_dir():
        raise ValueError(f"the folder of the store {folder.name} is gone")
    store = store_in_memory(folder)
    store.refresh()
    finished, failed = len(store), len(store.of_kind(FAILED))
    words = f"{finished:,} finished run{'' if finished == 1 else 's'}" + (
        f", and {failed:,} that failed." if failed else "."
    )
    blocks: list[Block] = [paragraph(words), *map(reason, list(store.notes.values())[:NOTES_LIMIT])]
    if finished:
        try:
            blocks += VIEWS[shown][1](store, eps, by, asked)
        except ValueError as why:
            blocks.append(reason(str(why)))
    return [*blocks, *summary(store), download("Save the runs (CSV)", f"{folder.name}.csv", lambda: _csv(store))]


def _csv(store: Store) -> str:
    return store.to_frame().to_csv(index=False)


def summary(store: StoreInMemory) -> list[Block]:
    """The runs by problem and method, and why some failed."""
    frame = store.to_frame()
    if frame.empty:
        return []
    done, failed = frame[frame["status"] != FAILURE], frame[frame["status"] == FAILURE]
    medians = done.groupby(["problem", "label"])["passes"].agg(["size", "median"])
    rows = [[*map(str, names), row["size"], row["median"]] for names, row in medians.iterrows()]
    groups = failed.groupby(["problem", "label", "failure"])
    why = [[*map(str, names), ", ".join(map(str, group["seed"]))] for names, group in groups]
    found = {
        "Runs by problem and method": (["problem", "method", "finished", "median passes"], rows),
        "Runs that failed": (["problem", "method", "why", "seeds"], why),
    }
    tables = [table(caption, head, each[:ROWS_LIMIT]) for caption, (head, each) in found.items() if each]
    more = f"Of long tables the first {ROWS_LIMIT} rows; the CSV has all runs."
    return [*tables, *([paragraph(more)] if max(len(rows), len(why)) > ROWS_LIMIT else [])]


# ------------------------------------------------------------ views
def profile(store: Store, eps: float, by: str, _: Subject) -> list[Block]:
    """The share of problems that each method solved within a factor of the best."""
    ratios = profiles.profiles(statistics.costs(store, eps, by))
    count = max((each.size for each in ratios.values()), default=0)
    if not count:
        raise ValueError(NO_COST)
    shares = {name: [profiles.share_within(each, factor) for factor in FACTORS] for name, each in ratios.items()}
    best = max(each[0] for each in shares.values())
    words = (
        f"The height of a curve is the share of {count} problems on which a method came to {number(eps)} within so "
        f"many times the {by} of the fastest, which {listed([name for name in shares if shares[name][0] == best])} was "
        f"on {best:.0%}."
    )
    rows = [
        [name, *(f"{share:.0%}" for share in each)] for name, each in sorted(shares.items(), key=lambda i: -i[1][0])
    ]
    head = ["method", "fastest", *(f"within {number(factor)} times" for factor in FACTORS[1:])]
    return [plots.performance_profile(store, eps, by), paragraph(words), table("Share of problems solved", head, rows)]


def distribution(store: Store, eps: float, by: str, _: Subject) -> list[Block]:
    """The share of problems, targets and seeds that each method reached within a budget."""
    targets = [each for each in statistics.TARGETS if each >= eps * (1 - 1e-9)] or [eps]
    found = statistics.runtimes(store, targets, by)
    if not found:
        raise ValueError(NO_COST)
    words = (
        f"The height of a curve is the share of all problems, targets ({', '.join(map(number, targets))}) and seeds "
        f"that a method reached within so many {by}; a curve that stays below 1 did not reach all."
    )
    rows = [
        [name, costs.size, f"{np.mean(np.isfinite(costs)):.0%}", float(np.median(costs))]
        for name, costs in sorted(found.items(), key=lambda item: np.median(item[1]))
    ]
    head = ["method", "counted", "reached", f"{by} to a half of all"]
    return [plots.runtime_distribution(store, targets, by), paragraph(words), table("Runtimes", head, rows)]


def ranks(store: Store, eps: float, by: str, _: Subject) -> list[Block]:
    """Mean ranks with their intervals."""
    frame = statistics.rank_table(store, eps, by)
    if frame.empty:
        raise ValueError(NO_COST)
    words = (
        f"On each problem the methods are ranked by their {by} to {number(eps)}, 1 for the fewest; shown is the mean, "
        "and the interval that holds 90 % of the means when the problems are drawn again with replacement. Where two "
        "intervals overlap, the problems do not settle the order."
    )
    rows = [
        [row.method, row.rank, f"{number(row.low)} to {number(row.high)}", f"{row.solved} of {row.of}"]
        for row in frame.itertuples()
    ]
    return [paragraph(words), table("Ranks", ["method", "mean rank", "interval", "problems solved"], rows)]


def predicted(store: Store, eps: float, _: str, asked: Subject) -> list[Block]:
    """The passes that bounds promise beside those that the runs on the present problem took."""
    problem = asked.about.problem
    frame = statistics.predicted_and_measured(store, [problem], eps)
    if frame.empty:
        raise ValueError(
            "no run of this store, of a method that has a bound, is on the problem that is chosen above, or P* is not "
            "known well enough for this target"
        )
    words = (
        f"Each marker is a method on the problem chosen above: across, the passes to {number(eps)} that its bound "
        "promises; upwards, the median that its runs took. Below the line the bound holds."
    )
    rows = [
        [f"{row.method}, {row.sampling}", row.predicted, row.measured, row.predicted / row.measured]
        for row in frame.itertuples()
    ]
    head = ["method", "passes by the bound", "passes measured", "bound/measured"]
    picture = plots.predicted_against_measured(store, [problem], eps)
    return [picture, paragraph(words), table("Promised and measured", head, rows)]


def with_last_race(store: Store, _: float, by: str, asked: Subject) -> list[Block]:
    """The runs of the store on the problem of the last race, in one picture with it."""
    own = [run.trace for run in asked.races[-1].runs if run.records] if asked.races else []
    if not own:
        raise ValueError("there is no race yet to compare with")
    about = own[0].meta["data"], own[0].meta["problem"]
    same = [trace for trace in store if (trace.meta["data"], trace.meta["problem"]) == about]
    if not same:
        raise ValueError("no run of this store is on the problem of the last race")
    traces = [
        Trace(each.records, each.meta | {"label": f"{each.label} ({where})"})
        for where, runs in (("here", own), ("store", same))
        for each in runs
    ]
    rows = []
    for label in dict.fromkeys(trace.label for trace in traces):
        ends = [trace.records[-1] for trace in traces if trace.label == label]
        medians = [float(np.median([getattr(end, name) for end in ends])) for name in ("passes", "seconds", "gap")]
        rows.append([label, len(ends), *medians])
    words = f"{len(own)} runs of the last race beside {len(same)} of the store on the same problem."
    head = ["method", "runs", "passes at the end", "seconds", "gap at the end"]
    return [plots.race(traces, x=by, y="best_gap"), paragraph(words), table("Runs on this problem", head, rows)]


VIEWS: dict[str, tuple[str, Callable[..., list[Block]]]] = {
    "profile": ("performance profile", profile),
    "distribution": ("runtime distribution", distribution),
    "ranks": ("table of ranks", ranks),
    "predicted": ("bounds and runs on the problem above", predicted),
    "beside": ("runs beside the last race", with_last_race),
}
