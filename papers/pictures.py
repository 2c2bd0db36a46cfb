"""The pictures of items, as files beside their pages, drawn in several processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from cdlab import plots
from cdlab.plots import Panel

from . import pages
from .items import value_in_mode
from .results import NotRun, Results

MAX_IDLE_SECONDS = 30  # after which a process ends, also where the parent was killed
COLOURS = 256  # of a PNG
WIDTH, PANEL_WIDTH = 900, 280  # pixels of a picture, and of a panel that has room for its title


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
    """Write pictures in so many processes, or in this one; `tell` is called with a sentence for each.

    Parameters
    ----------
    pictures : iterable of Drawing
        Of all items; the first are written while the next are asked for.
    jobs : int or None
        None: one for each core.
    tell : callable
        See above.
    """
    coming = iter(pictures)
    first = list(islice(coming, 2))
    if jobs == 1 or len(first) < 2:  # one is drawn before a process has begun
        all_of_them = [*first, *coming]
        _report(map(write, all_of_them), len(all_of_them), tell)
        return
    import loky

    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}  # Ctrl-C is the parent's
    with loky.ProcessPoolExecutor(jobs or loky.cpu_count(), timeout=MAX_IDLE_SECONDS, **deaf) as pool:
        futures = [pool.submit(write, drawing) for drawing in chain(first, coming)]
        _report((each.result() for each in futures), len(futures), tell)


def _report(names: Iterable[str], total: int, tell: Callable[[str], None]) -> None:
    for k, name in enumerate(names, 1):
        tell(f"{name} is drawn, {k} of {total}")
