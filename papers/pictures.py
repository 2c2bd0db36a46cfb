"""The pictures of items, as files beside their pages, drawn in several processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from cdlab import plots
from cdlab.plots import Panel

from . import pages
from .items import value_in_mode
from .results import NotRun, Results

MAX_IDLE_SECONDS = 30  # An idle process ends after so many seconds, also where the parent was killed.
COLOURS = 256  # A PNG has at most so many colours.
WIDTH, PANEL_WIDTH = 900, 280  # These are pixels of a picture, and of a panel that has room for its title.


class Drawing(NamedTuple):
    """What is drawn, in how many columns, and the PNG that it becomes; the SVG lies beside it."""

    parts: Sequence[Panel]
    columns: int
    png: Path


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


def write(drawing: Drawing) -> str:
    """Write a picture as SVG and PNG; returns its name."""
    width = max(WIDTH, PANEL_WIDTH * drawing.columns)
    paths = [drawing.png.with_suffix(".svg"), drawing.png]
    plots.save(plots.panels(drawing.parts, columns=drawing.columns), paths, width=width, colours=COLOURS)
    return drawing.png.stem


def write_all(pictures: Iterable[Drawing], jobs: int | None, tell: Callable[[str], None]) -> None:
    """Write pictures in so many processes, None: one for each core; `tell` gets a sentence for each."""
    drawn = list(pictures)
    if jobs == 1 or len(drawn) < 2:
        _report(map(write, drawn), len(drawn), tell)
        return
    import loky

    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}  # Ctrl-C is the parent's
    with loky.ProcessPoolExecutor(jobs or loky.cpu_count(), timeout=MAX_IDLE_SECONDS, **deaf) as pool:
        _report(pool.map(write, drawn), len(drawn), tell)


def _report(names: Iterable[str], total: int, tell: Callable[[str], None]) -> None:
    for k, name in enumerate(names, 1):
        tell(f"{name} is drawn, {k} of {total}")
