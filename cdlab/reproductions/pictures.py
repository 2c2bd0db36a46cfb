"""The pictures of an item, as files beside its page."""

from __future__ import annotations

from pathlib import Path

from ..plots import panels, save
from . import pages
from .found import NotRun, Results

COLOURS = 256  # of a PNG: enough for lines and bands, in a third of the bytes


def draw(results: Results, folder: Path) -> None:
    """Write the pictures of an item as SVG and PNG; none of runs that are missing."""
    for picture, name in zip(results.item.pictures, pages.picture_files(results.item, results.mode), strict=True):
        try:
            parts = picture.draw(results)
        except NotRun:
            continue
        if parts:
            png = folder / f"{name}.png"
            save(panels(parts, columns=picture.columns), [png.with_suffix(".svg"), png])
            _with_few_colours(png)


def _with_few_colours(path: Path) -> None:
    from PIL import Image  # comes with matplotlib

    with Image.open(path) as drawn:
        few = drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
