"""Many pictures of panels as files, in several processes, which import no more than drawing takes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from ..panels import Panel, panels
from . import MOST, save

IDLE = 30  # seconds without a picture after which a process ends, also where the parent was killed
WIDTH, PANEL = 900, 280  # pixels of a picture, and of a panel that has room for its title


class Drawing(NamedTuple):
    """What is drawn, in how many columns, and the PNG that it becomes; the SVG lies beside it."""

    parts: Sequence[Panel]
    columns: int
    png: Path


def write(drawing: Drawing) -> str:
    """Write a picture as SVG and PNG; returns its name."""
    png = drawing.png
    width = max(WIDTH, PANEL * drawing.columns)
    paths = [png.with_suffix(".svg"), png]
    save(panels(drawing.parts, columns=drawing.columns), paths, width=width, colours=MOST)
    return png.stem


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
        _told(map(write, all_of_them), len(all_of_them), tell)
        return
    import loky

    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}  # Ctrl-C is the parent's
    with loky.ProcessPoolExecutor(jobs or loky.cpu_count(), timeout=IDLE, **deaf) as pool:
        going = [pool.submit(write, drawing) for drawing in chain(first, coming)]
        _told((each.result() for each in going), len(going), tell)


def _told(written: Iterable[str], total: int, tell: Callable[[str], None]) -> None:
    for k, name in enumerate(written, 1):
        tell(f"{name} is drawn, {k} of {total}")
