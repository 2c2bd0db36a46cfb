"""Measured curves compared: when they reach a level, how much sooner than others, how they grow, and what that shows.

An error is e = (P(w) - P*)/(P(0) - P*), see `suboptimality`. `reach` finds the passes to a level, `paired_ratio`
compares two methods seed by seed, `loglog_slope` finds a rate of growth, `linearity` and `overshoot` describe one
curve. `profiles` compares methods over many problems. `claims` turns the words of papers ("substantially faster") into
rules that hold, fail or are not decided.
"""

from . import claims, profiles
from .curves import linearity, overshoot, suboptimality
from .ratios import Ratio, paired_ratio
from .reaching import Reach, crossing, fastest, judged_level, reach, supported
from .slopes import Slope, loglog_slope

__all__ = [
    "Ratio", "Reach", "Slope",
    "claims", "crossing", "fastest", "judged_level", "linearity", "loglog_slope", "overshoot", "paired_ratio",
    "profiles", "reach",
    "suboptimality", "supported",
]  # fmt: skip
