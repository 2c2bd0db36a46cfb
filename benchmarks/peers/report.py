"""The report, one HTML page and one JSON file: ours beside the best peer of each cell, and what that says together."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..comparisons.profiles import profiles
from ..numerics.files import atomic_write
from ..numerics.json_numbers import null_non_finite
from .peers import find_peer, packages
from .results import Result, Settings
from .searching import Verdict
from .worker import ONE_THREAD

PAGE, DATA = "report.html", "report.json"
NO_PICTURE = "No picture: it needs matplotlib, pip install matplotlib."
ALL_TARGETS = "all targets together, each cell once for each"
NOTHING = "Nothing was finished that could be drawn."
BASE_PACKAGES = ("cdlab", "numpy", "scipy", "numba")
WHOLE = {"path": "paths", "cv": "cross-validations"}  # by the end of a cell's name
DEFAULT_TOL = 1e-6  # of cdlab
GOOD_RATIO, TIE_RATIO, BEHIND_RATIO = 0.6, 1.0, 1.5  # ratios whose shares are counted


def report(results: Sequence[Result], settings: Settings) -> dict[str, Any]:
    """Everything that the page says, as JSON takes it.

    Parameters
    ----------
    results : sequence of Result
        Finished ones.
    settings : Settings
        With which they were measured.

    Returns
    -------
    dict
        ``conditions``, ``settings``; ``methods``, ours by name, each with ``targets``: ``counts``, ``sentence``,
        ``groups`` (a sentence for each kind of cell), ``rows``; and with ``defaults``, of every solver as users run it;
        ``left_out``: peers that did not reach every target, with the reason.
    """
    methods = list(dict.fromkeys(each.peer for each in results if each.ours))
    parts = []
    for method in methods:
        targets = []
        for target in settings.targets:
            compared = rows(results, method, target)
            ratios = counts([row.ratio for row in compared])
            table = [vars(row) for row in compared]
            groups: dict[str, list[float]] = {}
            for row in compared:
                groups.setdefault(group(row.cell), []).append(row.ratio)
            targets.append(
                {
                    "target": target,
                    "counts": ratios,
                    "sentence": sentence(ratios),
                    "groups": {name: sentence(counts(each)) for name, each in groups.items()},
                    "rows": table,
                }
            )
        parts.append({"method": method, "targets": targets, "defaults": defaults(results, method)})
    lacking = [
        {"cell": each.cell, "peer": each.peer, "verdict": str(each.verdict), "note": each.note}
        for each in results
        if each.verdict not in (Verdict.RIGHT, Verdict.UNFIT)
    ]
    firsts = {each.peer: each.first for each in sorted(results, key=lambda each: each.first) if each.first}
    return {
        "conditions": conditions(),
        "settings": vars(settings),
        "methods": parts,
        "left_out": lacking,
        "first_calls": firsts,
        "solvers": {each.peer: each.version for each in results},
    }


def write(results: Sequence[Result], settings: Settings, folder: Path) -> dict[str, Any]:
    """Write report.html and report.json, and a picture for each target, into the folder of the results; the report.

    Raises
    ------
    OSError
        If one cannot be written.
    """
    found = report(results, settings)
    pictures: dict[str, Markup | str] = {}
    for target in settings.targets:
        pictures[f"to {target:.0e}"] = _profile(by_package(results, target), folder / f"profile-{target:.0e}.svg")
    if len(settings.targets) > 1:
        pictures = {
            ALL_TARGETS: _profile(by_package_and_target(results, settings.targets), folder / "profile.svg")
        } | pictures
    source = resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"seconds": _seconds, "ratio": _ratio, "accuracy": _accuracy}
    page = environment.from_string(source).render(report=found, pictures=pictures)
    for name, text in ((PAGE, page), (DATA, json.dumps(null_non_finite(found), indent=1, allow_nan=False))):
        with atomic_write(folder / name) as file:
            file.write(text.encode())
    return found


def _profile(times: Mapping[str, Mapping[str, float]], path: Path) -> Markup | str:
    """A performance profile as the page holds it, or why there is none."""
    curves = profiles(times)
    svg = save_picture(curves, path) if curves else ""
    return Markup(_inline(svg)) if svg else NO_PICTURE if curves else NOTHING


def _inline(svg: str) -> str:
    """An SVG without its prologue, as a page holds it, as wide as there is room."""
    svg = svg[max(svg.find("<svg"), 0) :]
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r'\1 width="100%"', re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg))


def _seconds(value: float) -> str:
    if math.isnan(value):
        return ""
    if value == float("inf"):
        return "not reached"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def _accuracy(value: float) -> str:
    return "" if math.isnan(value) else f"{max(value, 0.0):.0e}"


def _ratio(value: float) -> str:
    if math.isnan(value):
        return ""
    if value == float("inf"):
        return "only peers"
    return f"{value:.2f}" if value else "only ours"


# ---------------------------------------------------------------- ours beside the best peer
@dataclass(frozen=True)
class Row:
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
    wall : float
        The ratio of the median wall times.
    in_turn : bool
        Whether both were timed in the same rounds.
    default, accuracy : float
        Median CPU seconds of the best peer with its default tolerance, and the relative suboptimality that this gives;
        NaN where it was not called so, or failed.
    """

    cell: str
    ours: float
    theirs: float
    peer: str
    ratio: float
    low: float
    high: float
    wall: float
    in_turn: bool
    default: float = math.nan
    accuracy: float = math.nan


def median_time(result: Result | None, target: float, clock: str = "cpu") -> float:
    """Median seconds to a target or a tighter one, if that took less: some packages are slower with loose tolerances.

    inf where the target was not reached, or not again when it was timed.
    """
    fastest = None if result is None else fastest_target(result, target)
    return math.inf if result is None or fastest is None else float(np.median(getattr(result, clock)[fastest]))


def fastest_target(result: Result, target: float) -> float | None:
    """Of this target and the tighter ones that were reached again when they were timed, the one that took least."""
    there = [each for each in result.cpu if each <= target and np.median(result.reached[each]) <= each]
    return min(there, key=lambda each: np.median(result.cpu[each]), default=None)


def competes(result: Result) -> bool:
    """Whether it is of a peer that takes such a problem."""
    return not result.ours and result.verdict != Verdict.UNFIT


def rows(results: Iterable[Result], method: str, target: float) -> list[Row]:
    """A row for each cell in which ours or a peer reached the target, ours being the method with this name."""
    cells: dict[str, list[Result]] = {}
    for result in results:
        cells.setdefault(result.cell, []).append(result)
    found = []
    for cell, inside in cells.items():
        ours = next((each for each in inside if each.peer == method), None)
        peers = [each for each in inside if competes(each)]
        best = min(peers, key=lambda each: median_time(each, target), default=None)
        row = _row(cell, ours, best, target)
        if row is not None:
            seconds, error = _by_default(best)
            found.append(replace(row, default=seconds, accuracy=error))
    return found


def _by_default(result: Result | None) -> tuple[float, float]:
    """Median CPU seconds and suboptimality of calls with the package's defaults."""
    if result is None or not result.defaults:
        return math.nan, math.nan
    return float(np.median(result.defaults["cpu"])), float(np.median(result.defaults["reached"]))


def group(cell: str) -> str:
    """Of which kind a cell is, by its name.

    Examples
    --------
    >>> group("leu/squared/path"), group("drawn3/logistic/1"), group("leu/logistic/1")
    ('paths', 'drawn', 'one weight')
    """
    return WHOLE.get(cell.rpartition("/")[2], "drawn" if cell.startswith("drawn") else "one weight")


def defaults(results: Iterable[Result], method: str) -> list[dict[str, Any]]:
    """Every solver as users run it, with its default tolerance and number of iterations, beside ours.

    Parameters
    ----------
    results : iterable of Result
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


def _row(cell: str, ours: Result | None, best: Result | None, target: float) -> Row | None:
    a, b = median_time(ours, target), median_time(best, target)
    if math.isinf(a) and math.isinf(b):
        return None
    if ours is None or best is None or math.isinf(a) or math.isinf(b):
        if best is None:
            return Row(cell, a, math.nan, "", math.nan, math.nan, math.nan, math.nan, False)
        ratio = math.inf if math.isinf(a) else 0.0
        peer = "" if math.isinf(b) else best.peer
        return Row(cell, a, b, peer, ratio, ratio, ratio, ratio, False)
    mine, theirs = (np.array(each.cpu[fastest_target(each, target) or target]) for each in (ours, best))
    in_turn = ours.session == best.session
    rounds = min(mine.size, theirs.size)
    quotients = (
        mine[:rounds] / theirs[:rounds] if in_turn else np.array([mine.min() / theirs.max(), mine.max() / theirs.min()])
    )
    wall = median_time(ours, target, "wall") / median_time(best, target, "wall")
    ratio = float(np.median(quotients)) if in_turn else a / b
    return Row(cell, a, b, best.peer, ratio, float(quotients.min()), float(quotients.max()), wall, in_turn)


def counts(ratios: Sequence[float]) -> dict[str, Any]:
    """How many cells have a peer and how many have none; the median ratio; the shares of cells on either side of marks.

    Examples
    --------
    >>> counts([0.5, 0.9, 1.2, 3.0, math.nan])
    {'cells': 4, 'alone': 1, 'median': 1.05, 'good': 0.25, 'ahead': 0.5, 'behind': 0.25}
    """
    values = np.array([ratio for ratio in ratios if not math.isnan(ratio)], dtype=np.float64)
    alone = len(ratios) - values.size
    if not values.size:
        return {"cells": 0, "alone": alone, "median": math.nan, "good": math.nan, "ahead": math.nan, "behind": math.nan}
    shares = {"good": values <= GOOD_RATIO, "ahead": values <= TIE_RATIO, "behind": values > BEHIND_RATIO}
    return {
        "cells": values.size,
        "alone": alone,
        "median": float(np.median(values)),
        **{name: float(np.mean(each)) for name, each in shares.items()},
    }


def sentence(found: dict[str, Any]) -> str:
    """The counts in words."""
    alone = f" (and {found['alone']} that no peer compared here takes)" if found["alone"] else ""
    if not found["cells"]:
        return f"no cell with a peer was finished{alone}"
    shares = f"{found['ahead']:.0%} at most {TIE_RATIO:g}, {found['good']:.0%} at most {GOOD_RATIO:g}"
    cells = f"{found['cells']} cell{'' if found['cells'] == 1 else 's'}{alone}"
    return f"{cells}: median ratio {found['median']:.2f}, {shares}, {found['behind']:.0%} above {BEHIND_RATIO:g}"


# ---------------------------------------------------------------- performance profiles
def by_package(results: Iterable[Result], target: float) -> dict[str, dict[str, float]]:
    """Median CPU seconds by cell: for each of our methods, and for each package those of its fastest solver there.

    A cell that no peer takes compares nothing, and is left out.
    """
    times: dict[str, dict[str, float]] = {}
    known = list(results)
    compared = {each.cell for each in known if competes(each)}
    for result in known:
        if result.cell not in compared:
            continue
        curve = result.peer if result.ours else find_peer(result.peer).package.name
        seconds = median_time(result, target)
        own = times.setdefault(curve, {})
        own[result.cell] = min(own.get(result.cell, math.inf), seconds)
    return times


def by_package_and_target(results: Iterable[Result], targets: Sequence[float]) -> dict[str, dict[str, float]]:
    """`by_package` of every target at once: a cell and a target count as one problem."""
    known, times = list(results), dict[str, dict[str, float]]()
    for target in targets:
        for name, cells in by_package(known, target).items():
            times.setdefault(name, {}).update({f"{cell} to {target:.0e}": each for cell, each in cells.items()})
    return times


def picture(found: Mapping[str, np.ndarray]) -> Any:
    """The profiles as a HoloViews overlay, with the factor on a logarithmic axis."""
    from ..plots.profiles import FARTHEST, steps
    from ..plots.style import looks_by_side

    looks = looks_by_side({name: "dual" if name.startswith("cdlab") else "" for name in found})
    return steps(found, looks, "factor of the fastest time (CPU)", "share of cells", 1.0, FARTHEST)


def save_picture(found: Mapping[str, np.ndarray], path: Path) -> str:
    """Write the picture as SVG: its text, or an empty one where matplotlib is not installed."""
    from ..plots.saving import save

    try:
        save(picture(found), path)
    except ImportError:
        return ""
    return path.read_text(encoding="utf-8")


# ---------------------------------------------------------------- where and with what
def conditions() -> dict[str, Any]:
    """Date, machine, versions and thread settings, as JSON takes them."""
    versions = {name: _version(name) for name in (*BASE_PACKAGES, *(package.name for package in packages()))}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version for name, version in versions.items() if version},
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


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
