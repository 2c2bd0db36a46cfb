"""The fields of the Advanced drawer: every choice that has no place on the screen, for a `Form`."""

from __future__ import annotations

from ..choices.choices import WITH_GAMMA
from ..choices.data_sources import FAMILIES
from ..parts.form import Field
from ..words import number

TARGETS = {number(10.0**-k): 10.0**-k for k in range(1, 16)} | {"none": 0.0}


def _asked(name: str, **options: object) -> Field:
    """A field for those data that it shapes."""
    return Field(
        name, needed=lambda choices: choices.data in FAMILIES and name in FAMILIES[choices.data].asks, **options
    )


# Titles and fields, as `Form` takes them. What the chooser has as a slider can be typed here exactly.
ADVANCED = {
    "Problem": [
        "loss",
        Field("gamma", wide=True, needed=lambda choices: choices.loss in WITH_GAMMA),
        "l2",
        "l2_over_n",
        Field("l1", wide=True),
    ],
    "Data": [
        *map(_asked, ("n", "d", "density", "skew", "row_spread", "condition", "corner", "column", "row")),
        *map(_asked, ("correlation", "noise", "data_seed")),
        "scale",
    ],
    "Race": [Field("tol", options=TARGETS), "passes", "batch", "seed", "seeds"],
}
