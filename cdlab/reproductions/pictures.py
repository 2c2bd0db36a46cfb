"""The pictures of items, as files beside their pages."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..plots import panels, save
from ..plots.panels import Panel
from . import pages
from .cases import in_mode
from .found import NotRun, Results

IDLE = 30  # seconds without a picture after which a process ends, also where the parent was killed
WIDTH, PANEL = 900, 280  # pixels of a picture, and of a panel that has room for its title
COLOURS = 256  # of a PNG: enough for lines and bands, in a third of the bytes


class Drawing(NamedTuple):
    """What is drawn, in how many columns, and the PNG that it becomes; the SVG lies beside it."""

    parts: Sequence[Panel]
    columns: int
    png: Path


def drawings(results: Results, folder: Path) -> list[Drawing]:
    """The pictures of an item; none of runs that are missing."""
    found = []
    for picture, name in zip(results.item.pictures, pages.picture_files(results.item, results.mode), strict=True):
        try:
            parts = picture.draw(results)
        except NotRun:
            continue
        if parts:
            found.append(Drawing(parts, in_mode(picture.columns, results.mode), folder / f"{name}.png"))
    return found


def write(drawing: Drawing) -> str:
    """Write a picture as SVG and PNG; returns its name."""
    png = drawing.png
    width = max(WIDTH, PANEL * drawing.columns)
    save(panels(drawing.parts, columns=drawing.columns), [png.with_suffix(".svg"), png], width=width)
    _with_few_colours(png)
    return png.stem


def write_all(pictures: Sequence[Drawing], jobs: int | None, tell: Callable[[str], None]) -> None:
    """Write pictures in so many processes, or in this one; `tell` is called with a sentence for each.

    Parameters
    ----------
    pictures : sequence of Drawing
        Of all items.
    jobs : int or None
        None: one for each core.
    tell : callable
        See above.
    """
    if jobs == 1 or len(pictures) < 2:
        _told(map(write, pictures), len(pictures), tell)
        return
    import loky

    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}  # Ctrl-C is the parent's
    with loky.ProcessPoolExecutor(jobs or loky.cpu_count(), timeout=IDLE, **deaf) as pool:
        _told(pool.map(write, pictures), len(pictures), tell)


def _told(written: Iterable[str], total: int, tell: Callable[[str], None]) -> None:
    for k, name in enumerate(written, 1):
        tell(f"{name} is drawn, {k} of {total}")


def _with_few_colours(path: Path) -> None:
    from PIL import Image  # comes with matplotlib

    with Image.open(path) as drawn:
        few = drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
