"""The pictures of items, as files beside their pages."""

from __future__ import annotations

from pathlib import Path

from ..plots.saving.many import Drawing
from . import pages
from .items import value_in_mode
from .results import NotRun, Results


def drawings(results: Results, folder: Path) -> list[Drawing]:
    """The pictures of an item; none of runs that are missing."""
    result = []
    for picture, name in zip(results.item.pictures, pages.picture_files(results.item, results.mode), strict=True):
        try:
            parts = picture.draw(results)
        except NotRun:
            continue
        if parts:
            result.append(Drawing(parts, value_in_mode(picture.columns, results.mode), folder / f"{name}.png"))
    return result
