"""Getting kernels and formulas ready before the first visitor asks."""

from __future__ import annotations

from .advising import advise
from .choices import Choices
from .explaining import explain
from .predicting import predict
from .racing import Race, stream


def warm() -> None:
    """Load or compile what the opening race, its bounds and its reasons need, on sparse and on dense data."""
    for density in (0.05, 1.0):
        choices, done = Choices(n=60, d=30, density=density, passes=30), list[Race]()
        predict(choices)
        list(stream(choices, done=done))
        explain(done[0])
        advise(choices)
