"""The report: one HTML page and one JSON file, of all finished results."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..comparisons.profiles import profiles
from ..numerics.files import atomic_write
from ..numerics.json_numbers import null_non_finite
from .machine import conditions
from .profiles import by_package, drawn
from .ratios import counts, rows, sentence
from .results import Result, Settings
from .searching import Verdict

PAGE, DATA = "report.html", "report.json"
NO_PICTURE = "No picture: it needs matplotlib, which cdlab[pictures] installs."
NOTHING = "Nothing was finished that could be drawn."


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
        ``rows``; ``left_out``: peers that did not reach every target, with the reason.
    """
    methods = list(dict.fromkeys(each.peer for each in results if each.ours))
    parts = []
    for method in methods:
        targets = []
        for target in settings.targets:
            found = rows(results, method, target)
            told = counts([row.ratio for row in found])
            table = [vars(row) for row in found]
            targets.append({"target": target, "counts": told, "sentence": sentence(told), "rows": table})
        parts.append({"method": method, "targets": targets})
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
    import json

    found = report(results, settings)
    pictures = {}
    for target in settings.targets:
        curves = profiles(by_package(results, target))
        path = folder / f"profile-{target:.0e}.svg"
        svg = drawn(curves, path) if curves else ""
        pictures[target] = Markup(_inline(svg)) if svg else NO_PICTURE if curves else NOTHING
    source = resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"seconds": _seconds, "ratio": _ratio}
    page = environment.from_string(source).render(report=found, pictures=pictures)
    for name, text in ((PAGE, page), (DATA, json.dumps(null_non_finite(found), indent=1, allow_nan=False))):
        with atomic_write(folder / name) as file:
            file.write(text.encode())
    return found


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


def _ratio(value: float) -> str:
    if math.isnan(value):
        return ""
    if value == float("inf"):
        return "only peers"
    return f"{value:.2f}" if value else "only ours"
