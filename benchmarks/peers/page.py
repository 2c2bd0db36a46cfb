"""The report as a page: what was compared and how, a table for each target, and one picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cdlab.numerics.files import atomic_write

from .cells import FULL_CELLS
from .report import BEHIND_RATIO, costs, report, save_picture
from .results import PeerResult, TimingSettings

PAGE, PICTURE = "benchmark.md", "benchmark.svg"  # The folder docs has files of these names, too.

HEAD = """# From (X, y) to an answer, beside other packages

Written by `python -m benchmarks.peers`; do not edit.

CPU time from the arrays X, y to a relative suboptimality (P(w) - P*)/(P(0) - P*), on one thread, {repeats} interleaved
rounds. A peer gets its cheapest setting that reaches the target, found from outside: it is told when to stop, which a
user cannot know. cdlab's time includes building the `Problem` and the duality gap by which it stops: its answer is
proved to be that good. A cell is DATA/LOSS/C, with l2 = C/n; l1 is a share of the smallest l1 with w* = 0. *Ratio* is
the median over rounds of ours over the best peer's in the same round, with the smallest and the largest. Below 1 cdlab
is faster; where other programs are at work meanwhile, ratios between 0.8 and 1.25 are ties.

DATA/LOSS/path is a path of 50 weights l1, from the smallest with w* = 0 to its hundredth, on data as they are; the
worst of the 50 points counts, relatively to P(0) - P* or, where that is less, to a millionth of P(0). DATA/LOSS/cv is
the choice among these weights by ten folds, the same for all, and the fit to all examples for it; the error is that of
this fit, or with the squared loss the share of the score to be won that the choice loses, if that is more. Cells called
drawn:SEED:K, data and problem, are drawn from a seed. *Defaults* is the best peer with its default tolerance and number
of iterations, as most users run it, in CPU ms; *reaches* is the relative suboptimality that this gives, P* being
certified by cdlab. A cell that no peer reached counts as won: each was cut off at eight times our CPU time, or failed.
*In a row* are ours with nothing between the calls, *first* is one in a new process that has imported cdlab.

{date}; {processor}, {cores} cores, {system}, Python {python}; {versions}; code of commit {commit}.
At most {max_seconds:g} CPU s a call, or 8 times the fastest if that is less and over 1 s. Of the {full} cells of a full
comparison {present} are here.
"""
USERS = """Every solver with its default tolerance and number of iterations: its CPU time over that of {method} with
its default, which proves 1e-06, as the median over the cells that it takes; the suboptimality that it reaches."""
PACKAGES = """Beside each package alone, by its fastest solver in each cell that it takes: the share of cells in which
we are faster, and the median ratio where both arrived."""
LEFT_OUT = """Wrong: its answers end elsewhere than at P*, and it is left out of that cell. Short: its settings end
before the tightest target. Slow: a call took longer than allowed. Failed: it raised an error."""


def write(results: Sequence[PeerResult], settings: TimingSettings, folder: Path) -> dict[str, Any]:
    """Write benchmark.md and its picture, benchmark.svg, into the folder of the results; the report.

    Parameters
    ----------
    results : sequence of PeerResult
        Finished ones.
    settings : TimingSettings
        With which they were measured.
    folder : Path
        As of the store.

    Raises
    ------
    OSError
        If one cannot be written.
    """
    found = report(results, settings)
    try:
        has_picture = save_picture(costs(results, settings.targets), folder / PICTURE)
        without = "" if has_picture else "Nothing is finished that could be drawn."
    except ImportError:
        without = "No picture: it needs matplotlib, pip install matplotlib."
    with atomic_write(folder / PAGE) as file:
        file.write(page(found, without).encode())
    return found


def page(found: Mapping[str, Any], without: str) -> str:
    """A report as Markdown; in place of its picture the sentence `without`, if that is not empty."""
    told, settings = dict(found["conditions"]), found["settings"]
    told["versions"] = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    cells = {row["cell"] for part in found["methods"] for each in part["targets"] for row in each["rows"]}
    counts = {"full": len(FULL_CELLS), "present": sum(cell.name in cells for cell in FULL_CELLS)}
    head = HEAD.format(**told, **counts, repeats=settings["repeats"], max_seconds=settings["max_seconds"])
    share = "Share of cells, each once for each target, solved within a factor of the fastest"
    lines = [head, without or f"![{share}]({PICTURE})\n\n{share}; a package stands for its fastest solver there."]
    for part in found["methods"]:
        lines += ["", f"## {part['method']}", ""]
        for each in part["targets"]:
            lines += [f"- to {each['target']:g}: {each['sentence']}"]
            lines += [f"  - {name}: {sentence}" for name, sentence in each["groups"].items()]
            lines += [f"  - called in a row: {each['in_a_row']}", f"  - ours: {each['apart']}"]
        for each in part["targets"]:
            lines += ["", f"### {part['method']} to {each['target']:g}", "", *_of_cells(each["rows"])]
            lines += ["", PACKAGES, "", *_of_packages(each["packages"])]
        lines += ["", f"### {part['method']} and others as users run them", "", USERS.format(method=part["method"]), ""]
        lines += _as_users_run_them(part["defaults"])
    if found["left_out"]:
        lines += ["", "## Who did not reach every target", "", LEFT_OUT, ""]
        lines += _table(found["left_out"][0], [each.values() for each in found["left_out"]])
    return "\n".join(lines) + "\n"


def _of_cells(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    ours, theirs = ("ours, ms", "in a row", "first"), ("best peer", "its ms")
    names = ("cell", *ours, *theirs, "ratio", "from", "to", "defaults", "reaches")
    lines = []
    for row in sorted(rows, key=lambda row: row["cell"]):
        only = {math.inf: "only a peer", 0.0: "only ours"}
        ratio = only.get(row["ratio"], _ratio(row["ratio"]))
        ratio = f"**{ratio}**" if row["ratio"] > BEHIND_RATIO else ratio
        peer = row["peer"] or ("no peer fits" if math.isnan(row["ratio"]) else "none reached it")
        times = (_milliseconds(row[name]) for name in ("ours", "in_a_row", "first"))
        by_default = _milliseconds(row["default"]), _error(row["accuracy"])
        ratios = ratio, _ratio(row["low"]), _ratio(row["high"])
        lines.append([row["cell"], *times, peer, _milliseconds(row["theirs"]), *ratios, *by_default])
    return _table(names, lines)


def _of_packages(found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [[each["package"], each["cells"], f"{each['ahead']:.0%}", _ratio(each["median"])] for each in found]
    return _table(("package", "cells", "we are faster", "median ratio"), lines)


def _as_users_run_them(defaults: Sequence[Mapping[str, Any]]) -> list[str]:
    names = ("solver", "cells", "time over ours", "reaches, median", "worst", "1e-06 or better")
    lines = []
    for each in defaults:
        errors = _error(each["accuracy"]), _error(each["worst"])
        lines.append([each["solver"], each["cells"], _ratio(each["ratio"]), *errors, f"{each['reached']:.0%}"])
    return _table(names, lines)


def _table(names: Iterable[str], lines: Iterable[Iterable[Any]]) -> list[str]:
    """A table in Markdown; what would end a cell, or be taken for HTML, is escaped."""
    texts = [[str(each).replace("|", "\\|").replace("<", "&lt;") for each in line] for line in (names, *lines)]
    first, *others = (f"| {' | '.join(' '.join(each.split()) for each in line)} |" for line in texts)
    return [first, "|---" * len(texts[0]) + "|", *others]


def _milliseconds(seconds: float) -> str:
    """Milliseconds with three digits; "-" where the target was not reached."""
    return f"{float(f'{1e3 * seconds:.3g}'):,g}" if math.isfinite(seconds) else "-"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) and value else "-"


def _error(value: float) -> str:
    """A number with one digit; "-" where there is none."""
    return f"{max(value, 0.0):.0e}" if math.isfinite(value) else "-"
