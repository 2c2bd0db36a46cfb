"""Pictures of traces, bounds and data as HoloViews objects, so that ``*`` and ``+`` work on them.

HoloViews draws them with bokeh in notebooks and on pages, and `save` with matplotlib as SVG, PNG and PDF; `svg` is for
notebooks whose stored outputs a page shows. HoloViews is loaded when the first picture is asked for. `max_norms`,
`worst_ratio`, `expected_error`, `orders`, `permutation_gain` and `attack` come with their numbers as a table and their
message as a sentence.

A colour says a side: primal orange, dual blue, methods that take the whole gradient grey-green; where all curves of a
picture have one side, each has a colour of its own. Curves differ by dash and marker too, see `look`, so that a picture
also reads in grey.
"""

from .attacks import attack, attack_sentence, attack_table
from .data import structure
from .errors import Y_AXES, Best, Guarantee, applies, best_of, errors, guarantee, relative
from .faceoff import (
    max_norms,
    max_norms_sentence,
    max_norms_table,
    theorem3,
    worst_ratio,
    worst_ratio_sentence,
    worst_ratio_table,
)
from .panels import Curve, Panel, curves, panels
from .profiles import performance_profile, predicted_against_measured, runtime_distribution
from .race import BEYOND, FLOOR, X_AXES, race
from .rates import (
    expected_error,
    expected_error_sentence,
    expected_error_table,
    orders,
    orders_sentence,
    orders_table,
    permutation_gain,
    permutation_gain_sentence,
    permutation_gain_table,
)
from .saving import Svg, save, svg
from .settled import settled, settled_sentence
from .style import LineStyle, look, side, side_of_run

__all__ = [
    "BEYOND", "FLOOR", "X_AXES", "Y_AXES", "Best", "Curve", "Guarantee", "LineStyle", "Panel", "Svg",
    "applies", "best_of", "curves", "errors", "guarantee", "look", "panels", "race", "relative", "save", "side",
    "side_of_run", "structure", "theorem3",
    "performance_profile", "predicted_against_measured", "runtime_distribution",
    "max_norms", "max_norms_sentence", "max_norms_table",
    "worst_ratio", "worst_ratio_sentence", "worst_ratio_table",
    "expected_error", "expected_error_sentence", "expected_error_table",
    "orders", "orders_sentence", "orders_table",
    "permutation_gain", "permutation_gain_sentence", "permutation_gain_table",
    "settled", "settled_sentence", "svg",
    "attack", "attack_sentence", "attack_table",
]  # fmt: skip
