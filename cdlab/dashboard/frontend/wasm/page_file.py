"""page.json: what the page offers, its sentences, and the numbers that its rules share with the Python engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from .... import methods
from ...._version import __version__
from ....datasets.generators import SPARSE_BELOW_DENSITY
from ....datasets.text_files import FORMATS
from ....explanations.rules import TABLE
from ....methods import METHODS
from ....samplings import SAMPLINGS
from ...engine import (
    choices,
    code,
    numbers,
    outcomes,
    predicting,
    racing,
    run_views,
    theorems,
)
from ...engine.answering import to_json
from ...engine.catalog import catalog
from ...engine.data_sources import FAMILIES
from ...engine.schema import Catalog
from ...engine.sentences import sentence_of, templates
from . import cells
from .presets import PRESETS

GENERATORS = ("synthetic", "arrow", "worst_dual", "worst_primal", "sun_ye")  # those that making.js has
LIMITS = {"entries": 2e6, "upload": 50.0}  # stored values, megabytes
RULES = {  # names of constants, by their module
    choices: ("ANY_BLOCK", "MOST_ENTRIES"),
    numbers: ("ALIKE",),
    outcomes: ("EVEN", "LEVELS_PER_DECADE"),
    predicting: (
        *("PARTS", "HEAVY_SHARE", "MANY_ALIKE", "SECONDS_PER_VISIT", "LOOSE", "LONG_SECONDS"),
        *("ROUNDED", "INSTEAD", "MOST_REPAIRS", "LEAST_TARGET"),
    ),
    racing: ("PIECE_SECONDS",),
    run_views: (
        "FIRST_UPDATES",
        "MOST_READ",
        "SNAPSHOTS_PER_DECADE",
        "FIRST_SNAPSHOT",
        "DIVERGED",
        "ZERO_SHARE",
    ),
    theorems: ("CURVE_POINTS", "LINES", "SUMS"),
}


def contents() -> dict[str, Any]:
    """The contents of page.json."""
    rules = {name: getattr(module, name) for module, names in RULES.items() for name in names}
    rules["TAKES"] = {name: METHODS[name].samplings for name in cells.METHODS if METHODS[name].samplings is not None}
    rules["FORMATS"] = {start.decode("latin-1"): words for start, words in FORMATS.items()}
    rules["SPARSE_BELOW"] = SPARSE_BELOW_DENSITY
    return {
        "catalog": offered(),
        "words": templates(),
        "families": {name: FAMILIES[name].choices for name in GENERATORS},
        "ranges": choices.number_ranges(),
        "samplings": {name: {"has_theorem": kind.has_theorem} for name, kind in SAMPLINGS.items()},
        "batches": [name for name in methods.METHODS if choices.takes_batches(name)],
        "rules": rules,
        "explanations": json.loads(TABLE.read_text(encoding="utf-8")),
        "script": code.TEMPLATE,
        "version": __version__,
    }


def offered() -> Catalog:
    """The catalog of the page: what only Python has is listed, with a sentence that says so."""
    whole = catalog()

    def without(entries: list[Any], names: tuple[str, ...], key: str = "python.method") -> list[Any]:
        return [
            each if each.name in names else replace(each, why_not=sentence_of(key, {"name": each.name}))
            for each in entries
        ]

    return replace(
        whole,
        engine="wasm",
        presets=without(whole.presets, PRESETS, "python.preset"),
        samplings=without(whole.samplings, cells.SAMPLINGS),
        losses=without(whole.losses, cells.LOSSES),
        methods=[replace(e, batches=e.name in cells.IN_BATCHES) for e in without(whole.methods, cells.METHODS)],
        limits=LIMITS,
        drawers=["Code"],
    )


def write(file: Path) -> None:
    """Write page.json."""
    file.write_text(to_json(contents()), encoding="utf-8")
