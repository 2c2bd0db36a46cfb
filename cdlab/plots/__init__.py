"""Pictures of traces and bounds: plain bokeh figures, for a notebook (``bokeh.io.show``) and for the dashboard alike.

Bokeh figures rather than HoloViews elements: a live curve is then one array sent to the browser, and a page with such
a figure costs the server half of what the same picture costs through HoloViews.

A method's colour comes with a marker of its own, and primal methods are dashed, so that a picture also reads in grey.
"""

from .curves import BEYOND, FLOOR, X_AXES, RacePlot, race
from .measures import Y_AXES, Best, Guarantee, applies, best_of, errors, guarantee, relative, side
from .positions import theorem3

__all__ = [
    "BEYOND", "FLOOR", "X_AXES", "Y_AXES", "Best", "Guarantee", "RacePlot",
    "applies", "best_of", "errors", "guarantee", "race", "relative", "side", "theorem3",
]  # fmt: skip
