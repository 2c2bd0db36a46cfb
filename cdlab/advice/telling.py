"""Progress of `advise`: a line on stderr, or a function that is called with each short run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..runs.progress_line import STARTING, Line
from .probing import Probe


@contextmanager
def telling(progress: bool | Callable[[Probe], Any] | None) -> Iterator[Callable[[Probe], Any]]:
    """What is called with each short run: `progress` itself, or what shows it in a line."""
    if callable(progress):
        yield progress
        return
    with Line(quiet=not progress) as line:
        line.show(f"advice: {STARTING}")
        runs = 0

        def tell(run: Probe) -> None:
            nonlocal runs
            runs += 1
            line.now_and_then(f"advice: {runs} short runs; {run.key}: {run.passes:.3g} passes in {run.seconds:.2g} s")

        yield tell
