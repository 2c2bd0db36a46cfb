"""Getting kernels and formulas ready while the first visitor looks at the first picture."""

from __future__ import annotations

import threading
from functools import cache


def warm_up() -> None:
    """Have the kernels and the formulas ready soon, without keeping anybody waiting."""
    threading.Thread(target=warm, daemon=True).start()


@cache
def warm() -> None:
    """Load or compile what a race and its bounds need. Once in a process; later calls cost nothing."""
    from ..racing import race
    from .choices import Choices
    from .runner import prepare

    for density in (0.05, 1.0):  # sparse and dense kernels differ
        choices = Choices(n=50, d=20, density=density)
        problem = choices.problem()
        prepare(choices, problem)
        race(problem, choices.entries(), max_passes=1)
