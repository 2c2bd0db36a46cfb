"""The report of results: ours beside the best peer of each cell, defaults, and a performance profile."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cdlab.comparisons.profiles import profiles
from cdlab.plots.profiles import FARTHEST, steps
from cdlab.plots.saving import save
from cdlab.plots.style import looks_by_side

from .adapters import find_peer, packages
from .results import PeerResult, TimingSettings
from .searching import Verdict
from .worker import ONE_THREAD

BASE_PACKAGES = ("cdlab", "numpy", "scipy", "numba")
KINDS = {"path": "paths", "cv": "cross-validations"}  # The end of a cell's name says its kind.
DEFAULT_TOL = 1e-6  # The default tolerance of cdlab.
GOOD_RATIO, TIE_RATIO, BEHIND_RATIO, FAR_RATIO = 0.6, 1.0, 1.5, 2.0  # The report counts the cells up to these ratios.
RESAMPLES = 2000  # of the cells, for the interval of a median


def report(results: Sequence[PeerResult], settings: TimingSettings) -> dict[str, Any]:
    """Everything that the page says, as JSON takes it.

    Parameters
    ----------
    results : sequence of PeerResult
        The finished ones.
    settings : TimingSettings
        With which they were measured.

    Returns
    -------
    dict
        ``conditions``, ``settings``; ``methods``, ours by name, each with ``targets``: ``counts``, ``sentence``,
        ``groups`` (a sentence for each kind of cell), ``in_a_row`` (one of calls with nothing between them), ``apart``
        (one of ours in turn, in a row and in a new process), ``packages``, ``rows``; and with ``defaults``, of every
        solver as users run it;
        ``left_out``: peers that did not reach every target, with the reason.
    """
    methods = list(dict.fromkeys(each.peer for each in results if each.ours))
    lacking = [each for each in results if each.verdict not in (Verdict.RIGHT, Verdict.UNFIT)]
    return {
        "conditions": conditions(),
        "settings": vars(settings),
        "methods": [
            {
                "method": method,
                "targets": [_of_target(results, method, target) for target in settings.targets],
                "defaults": defaults(results, method),
            }
            for method in methods
        ],
        "left_out": [
            {"cell": each.cell, "peer": each.peer, "verdict": str(each.verdict), "note": each.note} for each in lacking
        ],
    }


def _of_target(results: Sequence[PeerResult], method: str, target: float) -> dict[str, Any]:
    compared, groups = rows(results, method, target), dict[str, list[float]]()
    for row in compared:
        groups.setdefault(group(row.cell), []).append(row.ratio)
    found = counts([row.ratio for row in compared])
    return {
        "target": target,
        "counts": found,
        "sentence": sentence(found),
        "groups": {name: sentence(counts(each)) for name, each in groups.items()},
        "in_a_row": sentence(counts([row.ratio for row in rows(results, method, target, "in_a_row")])),
        "apart": apart(compared),
        "packages": against_each(results, method, target),
        "rows": [vars(row) for row in compared],
    }


# ---------------------------------------------------------------- ours beside the best peer
@dataclass(frozen=True)
class ComparedCell:
    """Ours beside the best peer in one cell.

    Attributes
    ----------
    cell : str
    ours, theirs : float
        Median CPU seconds of ours and of the best peer; inf where the target was not reached, NaN without a peer.
    peer : str
        The best one by median CPU time; empty where none reached the target.
    ratio : float
        The median over rounds of ours/theirs within the round, without a common session that of the medians; inf where
        only a peer reached the target, 0 where only ours did, NaN where no peer that was asked takes such a problem.
    low, high : float
        Smallest and largest ratio within a round; without a common session the quotients of the extremes.
    default, accuracy : float
        Median CPU seconds of the best peer with its default tolerance, and the relative suboptimality that this gives;
        NaN where it was not called so, or failed.
    in_a_row, first : float
        Median CPU seconds of ours in calls with nothing between them, and in a new process; inf where not measured.
    """

    cell: str
    ours: float
    theirs: float
    peer: str
    ratio: float
    low: float
    high: float
    default: float = math.nan
    accuracy: float = math.nan
    in_a_row: float = math.inf
    first: float = math.inf


def median_time(result: PeerResult | None, target: float, calls: str = "cpu") -> float:
    """Median CPU seconds to a target or a tighter one, if that took less: some are slower with loose tolerances.

    inf where the target was not reached, or not again when it was timed.
    """
    times = fastest_times(result, target, calls)
    return float(np.median(times)) if times else math.inf


def fastest_times(result: PeerResult | None, target: float, calls: str = "cpu") -> list[float]:
    """The times to this target or a tighter one, if it was reached again when timed: those with the least median.

    `calls` is "cpu", those in turn, "in_a_row" or "first".
    """
    if result is None:
        return []
    known = {each: times for each, times in getattr(result, calls).items() if times and each in result.reached}
    there = [times for each, times in known.items() if each <= target and np.median(result.reached[each]) <= each]
    return min(there, key=np.median, default=[])


def competes(result: PeerResult) -> bool:
    """True for the result of a peer that takes such a problem."""
    return not result.ours and result.verdict != Verdict.UNFIT


def rows(results: Iterable[PeerResult], method: str, target: float, calls: str = "cpu") -> list[ComparedCell]:
    """A row for each cell in which ours or a peer reached the target, ours being the method with this name."""
    cells: dict[str, list[PeerResult]] = {}
    for result in results:
        cells.setdefault(result.cell, []).append(result)
    found = []
    for cell, inside in cells.items():
        ours = next((each for each in inside if each.peer == method), None)
        best = min(filter(competes, inside), key=lambda each: median_time(each, target, calls), default=None)
        if math.isfinite(median_time(ours, target, calls)) or math.isfinite(median_time(best, target, calls)):
            in_a_row, first = (median_time(ours, target, name) for name in ("in_a_row", "first"))
            found.append(replace(_row(cell, ours, best, target, calls), in_a_row=in_a_row, first=first))
    return found


def apart(compared: Sequence[ComparedCell]) -> str:
    """Words for what a call of ours takes after others', in a row and in a new process, where all three are known.

    Examples
    --------
    >>> apart([ComparedCell("a", 3e-3, 1.0, "snapml", 0.003, 0.003, 0.003, in_a_row=2e-3, first=0.5)])
    'median of 1 cell: 3 ms after calls of others, 2 ms in a row, 500 ms in a new process'
    """
    times = [(row.ours, row.in_a_row, row.first) for row in compared]
    known = np.array([each for each in times if np.isfinite(each).all()])
    if not known.size:
        return "no cell was measured in a new process"
    in_turn, in_a_row, first = (f"{1e3 * each:,.3g} ms" for each in np.median(known, axis=0))
    cells = f"{len(known)} cell{'' if len(known) == 1 else 's'}"
    return f"median of {cells}: {in_turn} after calls of others, {in_a_row} in a row, {first} in a new process"


def _by_default(result: PeerResult | None) -> tuple[float, float]:
    """Median CPU seconds and suboptimality of calls with the package's defaults."""
    if result is None or not result.defaults:
        return math.nan, math.nan
    return float(np.median(result.defaults["cpu"])), float(np.median(result.defaults["reached"]))


def group(cell: str) -> str:
    """The kind of a cell, by its name.

    Examples
    --------
    >>> group("leu/squared/path"), group("drawn:1:3/logistic/1"), group("leu/logistic/1")
    ('paths', 'drawn', 'one weight')
    """
    return KINDS.get(cell.rpartition("/")[2], "drawn" if cell.startswith("drawn") else "one weight")


def defaults(results: Iterable[PeerResult], method: str) -> list[dict[str, Any]]:
    """Solvers as users run them, with their default tolerances and numbers of iterations, beside ours.

    Parameters
    ----------
    results : iterable of PeerResult
        Finished ones.
    method : str
        Ours.

    Returns
    -------
    list of dict
        ``solver``, ``cells`` in which it ended; ``ratio``, the median over cells of its CPU time over that of ours;
        ``accuracy`` and ``worst``, the median and the largest relative suboptimality; ``reached``, the share of cells
        with at most 1e-6, which ours promises.
    """
    known = [each for each in results if each.defaults]
    ours = {each.cell: _by_default(each)[0] for each in known if each.peer == method}
    found = []
    for solver in sorted({each.peer for each in known}):
        inside = {each.cell: _by_default(each) for each in known if each.peer == solver}
        ratios = [seconds / ours[cell] for cell, (seconds, _) in inside.items() if cell in ours]
        errors = np.array([error for _, error in inside.values()])
        found.append(
            {
                "solver": solver,
                "cells": errors.size,
                "ratio": float(np.median(ratios)) if ratios else math.nan,
                "accuracy": float(np.median(errors)),
                "worst": float(errors.max()),
                "reached": float(np.mean(errors <= DEFAULT_TOL)),
            }
        )
    return found


def _row(cell: str, ours: PeerResult | None, best: PeerResult | None, target: float, calls: str) -> ComparedCell:
    a, b = median_time(ours, target, calls), median_time(best, target, calls)
    if best is None:
        return ComparedCell(cell, a, math.nan, "", math.nan, math.nan, math.nan)
    by_default = _by_default(best)
    if ours is None or math.isinf(a) or math.isinf(b):
        ratio = math.inf if math.isinf(a) else 0.0
        return ComparedCell(cell, a, b, "" if math.isinf(b) else best.peer, ratio, ratio, ratio, *by_default)
    mine, theirs = (np.array(fastest_times(each, target, calls)) for each in (ours, best))
    if ours.session != best.session:
        low, high = mine.min() / theirs.max(), mine.max() / theirs.min()
        return ComparedCell(cell, a, b, best.peer, a / b, float(low), float(high), *by_default)
    rounds = min(mine.size, theirs.size)
    ratios = mine[:rounds] / theirs[:rounds]
    return ComparedCell(
        cell, a, b, best.peer, float(np.median(ratios)), float(ratios.min()), float(ratios.max()), *by_default
    )


def counts(ratios: Sequence[float]) -> dict[str, Any]:
    """Counts of cells with and without a peer, the median ratio, and the shares of cells on either side of marks.

    ``low`` and ``high`` are the median's bootstrap interval, of 95%.

    Examples
    --------
    >>> found = counts([0.5, 0.9, 1.2, 3.0, math.nan])
    >>> found["cells"], found["alone"], found["median"], found["ahead"], found["far"]
    (4, 1, 1.05, 0.5, 0.25)
    """
    values = np.array([ratio for ratio in ratios if not math.isnan(ratio)], dtype=np.float64)
    alone = len(ratios) - values.size
    marks = {"good": values <= GOOD_RATIO, "ahead": values <= TIE_RATIO, "behind": values > BEHIND_RATIO}
    marks["far"] = values > FAR_RATIO
    if not values.size:
        return {"cells": 0, "alone": alone, **dict.fromkeys(("median", "low", "high", *marks), math.nan)}
    drawn = np.random.default_rng(0).choice(values, (RESAMPLES, values.size))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975), method="nearest").tolist()
    middle = {"median": float(np.median(values)), "low": low, "high": high}
    return {"cells": values.size, "alone": alone, **middle, **{name: float(np.mean(m)) for name, m in marks.items()}}


def sentence(found: dict[str, Any]) -> str:
    """The counts in words."""
    alone = f" (and {found['alone']} that no peer compared here takes)" if found["alone"] else ""
    if not found["cells"]:
        return f"no cell with a peer was finished{alone}"
    shares = f"{found['ahead']:.0%} at most {TIE_RATIO:g}, {found['good']:.0%} at most {GOOD_RATIO:g}"
    cells = f"{found['cells']} cell{'' if found['cells'] == 1 else 's'}{alone}"
    median = f"median ratio {found['median']:.2f} ({found['low']:.2f} to {found['high']:.2f})"
    above = f"{found['behind']:.0%} above {BEHIND_RATIO:g}, {found['far']:.0%} above {FAR_RATIO:g}"
    return f"{cells}: {median}, {shares}, {above}"


def against_each(results: Iterable[PeerResult], method: str, target: float) -> list[dict[str, Any]]:
    """Ours beside each package's fastest solver, in the cells that the package takes.

    Returns
    -------
    list of dict
        ``package``; ``cells``; ``ahead``, the share of them in which ours is faster, or alone reached the target;
        ``median``, that of ratios where both did.
    """
    ours, theirs = dict[str, float](), dict[str, dict[str, float]]()
    for each in results:
        if each.peer == method:
            ours[each.cell] = median_time(each, target)
        elif competes(each):
            own = theirs.setdefault(find_peer(each.peer).package.name, {})
            own[each.cell] = min(own.get(each.cell, math.inf), median_time(each, target))
    found = []
    for package, times in sorted(theirs.items()):
        pairs = [(ours[cell], time) for cell, time in times.items() if cell in ours]
        both = [mine / time for mine, time in pairs if math.isfinite(mine) and math.isfinite(time)]
        ahead = [mine < time for mine, time in pairs]
        if pairs:
            median = float(np.median(both)) if both else math.nan
            found.append({"package": package, "cells": len(pairs), "ahead": float(np.mean(ahead)), "median": median})
    return found


# ---------------------------------------------------------------- the performance profile
def costs(results: Iterable[PeerResult], targets: Sequence[float]) -> dict[str, dict[str, float]]:
    """Median CPU seconds to reach a target in a cell: of each of our methods, and of each package's fastest solver.

    A cell that no peer takes compares nothing, and is left out; a cell and a target count as one problem.
    """
    times: dict[str, dict[str, float]] = {}
    known = list(results)
    compared = {each.cell for each in known if competes(each)}
    for result in (each for each in known if each.cell in compared):
        own = times.setdefault(result.peer if result.ours else find_peer(result.peer).package.name, {})
        for target in targets:
            problem = f"{result.cell} to {target:g}"
            own[problem] = min(own.get(problem, math.inf), median_time(result, target))
    return times


def save_picture(times: Mapping[str, Mapping[str, float]], path: Path) -> bool:
    """Write the performance profile as SVG, if there is anything to draw.

    Raises
    ------
    ImportError
        Without matplotlib.
    """
    found = profiles(times)
    looks = looks_by_side({name: "dual" if name.startswith("cdlab") else "" for name in found})
    if found:
        save(steps(found, looks, "factor of the fastest time (CPU)", "share of cells", 1.0, FARTHEST), path)
    return bool(found)


# ---------------------------------------------------------------- where and with what
def conditions() -> dict[str, Any]:
    """Date, machine, versions, commit and thread settings, as JSON takes them."""
    versions = {name: _version(name) for name in (*BASE_PACKAGES, *(package.name for package in packages()))}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version for name, version in versions.items() if version},
        "commit": commit(),
        "threads": ONE_THREAD,
    }


def processor(told: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name where the system tells it, else its kind."""
    try:
        lines = told.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def commit() -> str:
    """The commit of this clone; "unknown" without git."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
