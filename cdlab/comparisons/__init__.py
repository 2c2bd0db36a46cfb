"""Measured curves compared: when they reach a level, how much sooner than others, how they grow, and what that shows.

An error is e = (P(w) - P*)/(P(0) - P*), see `suboptimality`. `reach` finds the passes to a level, `paired_ratio`
compares two methods seed by seed, `loglog_slope` finds a rate of growth, `linearity` and `overshoot` describe one
curve. `profiles` compares methods over many problems.
"""

from . import profiles
from .curves import (
    FirstCrossing,
    Ratio,
    Slope,
    comparison_level,
    crossing,
    fastest,
    linearity,
    loglog_slope,
    overshoot,
    paired_ratio,
    reach,
    suboptimality,
    supported_levels,
)

__all__ = [
    "Ratio",
    "FirstCrossing",
    "Slope",
    "crossing",
    "fastest",
    "comparison_level",
    "linearity",
    "loglog_slope",
    "overshoot",
    "paired_ratio",
    "profiles",
    "reach",
    "suboptimality",
    "supported_levels",
]
