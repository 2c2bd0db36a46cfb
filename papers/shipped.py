"""The verdicts that the package ships, so that what was found can be read without running anything.

``python -m cdlab.reproductions.shipped docs/reproductions`` takes them from what `reproduce` wrote there, and writes
the pages anew: with the words as they are now, and the numbers of the runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..numerics.files import atomic_write
from . import pages
from .items import MODES, Item, Paper
from .pages import RESULTS_FILE, RecordedResults, claim_rows, read_results
from .registry import PAPERS

SHIPPED_FILE = Path(__file__).with_name("verdicts.json")
Verdicts = dict[str, dict[str, dict[str, str]]]


def shipped_verdicts(path: Path = SHIPPED_FILE) -> Verdicts:
    """Of each item and claim the verdicts in words, what decides, and the data.

    quick and full ("": not run) are by the rule of today, and first is by the one of before the first runs.
    Nothing where the file is missing or empty: no item has been run yet.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return dict(json.loads(text)) if text.strip() else {}


def verdicts_from(recorded: RecordedResults, papers: Sequence[Paper] = PAPERS) -> Verdicts:
    """The verdicts of what was recorded, in the form of `shipped_verdicts`."""
    items = [item for paper in papers for item in paper.items if item.id in recorded]
    return {item.id: _claim_verdicts(item, recorded[item.id]) for item in items}


def write_verdicts(results: Path, path: Path = SHIPPED_FILE) -> None:
    """Write the verdicts of a results.json of `reproduce`.

    Raises
    ------
    ValueError
        If it is another file, or there is none.
    OSError
        If they cannot be written.
    """
    recorded = read_results(results.parent, results.name)
    if not recorded:
        raise ValueError(f"there are no results of cdlab reproduce in {results}")
    with atomic_write(path) as file:
        file.write((json.dumps(verdicts_from(recorded), indent=1, sort_keys=True) + "\n").encode())


def _claim_verdicts(item: Item, by_mode: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {
        row["claim"].id: {
            **{mode: row[mode] for mode in MODES},
            "first": row["first"],
            "number": row["best"]["number"],
            "on": "; ".join(row["best"]["on"]),
        }
        for row in claim_rows(item, by_mode)
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write_verdicts(folder / RESULTS_FILE)
    pages.write_pages(folder, read_results(folder))
    print(f"{SHIPPED_FILE}: {SHIPPED_FILE.stat().st_size} bytes, {len(shipped_verdicts())} items")
