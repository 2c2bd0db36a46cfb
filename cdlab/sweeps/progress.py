"""How far a sweep is, in numbers and in a sentence."""

from __future__ import annotations

from typing import NamedTuple


class Progress(NamedTuple):
    """How far a sweep is; str() says it in a sentence.

    Attributes
    ----------
    total : int
        Runs of the grid, each counted once.
    found : int
        Those that were in the store already, or that another sweep on it has finished meanwhile.
    done : int
        Those that this sweep has finished.
    failed : int
        Those whose failure is in the store.
    seconds_left : float or None
        What is left at the speed since the first run ended; None while only a few have.
    """

    total: int
    found: int
    done: int
    failed: int
    seconds_left: float | None

    def __str__(self) -> str:
        words = [f"{self.found + self.done + self.failed} of {self.total} run{'' if self.total == 1 else 's'}"]
        if self.found:
            words.append(f"{self.found} were there")
        if self.failed:
            words.append(f"{self.failed} failed")
        if self.seconds_left is not None:
            words.append(f"about {duration(self.seconds_left)} left")
        return ", ".join(words)


def duration(seconds: float) -> str:
    """Seconds, minutes or hours in words.

    Examples
    --------
    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
