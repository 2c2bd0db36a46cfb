"""Pictures of traces, bounds and data, for a notebook and for the dashboard alike; pure functions, no widgets.

All but `structure`, a HoloViews layout, are plain bokeh figures: a live curve is then one array sent to the browser,
and a page with such a figure costs the server half as much as with the same picture through HoloViews. `max_norms` and
`worst_ratio` come with their numbers as a table and their message as a sentence.

A colour says a side: primal orange, dual blue, methods that take the whole gradient grey-green. The methods of a side
differ by shade, dash and marker, see `look`, so that a picture also reads in grey.
"""

from .distributions import performance_profile, predicted_against_measured, runtime_distribution
from .looks import Look, look
from .max_norms import max_norms, max_norms_sentence, max_norms_table
from .measures import Y_AXES, Best, Guarantee, applies, best_of, errors, guarantee, relative, side
from .panels import Curve, Panel, panels
from .positions import theorem3
from .race_plot import BEYOND, FLOOR, X_AXES, RacePlot
from .races import race
from .saving import save
from .structure import structure
from .worst_ratio import worst_ratio, worst_ratio_sentence, worst_ratio_table

__all__ = [
    "BEYOND", "FLOOR", "X_AXES", "Y_AXES", "Best", "Curve", "Guarantee", "Look", "Panel", "RacePlot",
    "applies", "best_of", "errors", "guarantee", "look", "panels", "race", "relative", "save", "side", "structure",
    "theorem3",
    "performance_profile", "predicted_against_measured", "runtime_distribution",
    "max_norms", "max_norms_sentence", "max_norms_table",
    "worst_ratio", "worst_ratio_sentence", "worst_ratio_table",
]  # fmt: skip
