"""Pictures of traces, bounds and data, for a notebook and for the dashboard alike; pure functions, no widgets.

`race` and `theorem3` are plain bokeh figures: a live curve is then one array sent to the browser, and a page with such
a figure costs the server half of what the same picture costs through HoloViews. `structure` is a HoloViews layout.

A method's colour comes with a marker of its own, and primal methods are dashed, so that a picture also reads in grey.
"""

from .curves import BEYOND, FLOOR, X_AXES, RacePlot, race
from .measures import Y_AXES, Best, Guarantee, applies, best_of, errors, guarantee, relative, side
from .positions import theorem3
from .structure import structure

__all__ = [
    "BEYOND", "FLOOR", "X_AXES", "Y_AXES", "Best", "Guarantee", "RacePlot",
    "applies", "best_of", "errors", "guarantee", "race", "relative", "side", "structure", "theorem3",
]  # fmt: skip
