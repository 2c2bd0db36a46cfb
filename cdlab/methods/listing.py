"""Descriptions of methods in lists: the words of its class, or what stands in for them in a class that has none."""

from __future__ import annotations

from ..samplings import Sampling
from .base import Method

SIDES = {"dual": "Dual coordinates", "primal": "Primal coordinates"}


def group_of(cls: type[Method]) -> str:
    """The title under which a method is listed: its `group`, else its side.

    Examples
    --------
    >>> from cdlab.methods import LBFGS, SDCA
    >>> group_of(SDCA), group_of(LBFGS)
    ('Dual coordinates', 'Full gradient')
    """
    return cls.group or SIDES[cls.side]


OF_GRADIENTS = ("Full gradient", "Stochastic gradient, not dual")  # Methods of these groups step on all of w.


def stepping_side(cls: type[Method]) -> str:
    """The side on whose coordinates a method steps: "dual" or "primal"; "full" for one that steps on all of w.

    Examples
    --------
    >>> from cdlab.methods import LBFGS, SAGA, SDCA
    >>> stepping_side(SDCA), stepping_side(LBFGS), stepping_side(SAGA)
    ('dual', 'full', 'full')
    """
    return "full" if group_of(cls) in OF_GRADIENTS else cls.side


def summary_of(cls: type[Method] | type[Sampling]) -> str:
    """Tell what a method or a sampling does in plain words: its own `summary`, else its `definition_of`.

    Examples
    --------
    >>> from cdlab.methods import SDCA
    >>> summary_of(SDCA)
    'exact steps on one example at a time'
    """
    return str(vars(cls).get("summary", "")) or definition_of(cls) or cls.summary


def definition_of(cls: type) -> str:
    """The first paragraph of a class's docstring, on one line; "" where it has none of its own."""
    words = cls.__doc__ or ""
    if words.startswith(f"{cls.__name__}("):  # which @dataclass wrote
        return ""
    return " ".join(words.partition("\n\n")[0].split())
