"""How methods are listed: under the title of what they are derived from, or of their side; each with a sentence."""

from __future__ import annotations

import inspect

from ...methods import METHODS, RDA, SGD, SPDC, SVRG
from ...methods.shared.full_gradient import FullGradient
from ...methods.shared.linear_system import LinearSystem
from ...methods.shared.outer_loop import OuterInner
from ...methods.shared.variance_reduced import Tabled

STOCHASTIC = "Stochastic gradient, not dual"  # they draw examples, but step on w
KINDS = {
    "Primal-dual": (SPDC,),
    "Proximal point": (OuterInner,),
    "Full gradient": (FullGradient,),
    STOCHASTIC: (Tabled, SGD, SVRG, RDA),
    "Linear systems": (LinearSystem,),
}
SIDES = {"dual": "Dual coordinates", "primal": "Primal coordinates"}


def group_of(name: str) -> str:
    """The title for the method of this name."""
    method = METHODS[name]
    return next((title for title, kinds in KINDS.items() if issubclass(method, kinds)), SIDES[method.side])


def of_its_side(label: str) -> bool:
    """Whether the run of this label, such as "sdca, uniform", steps on coordinates of its side: no gradient method."""
    name = label.partition(",")[0].partition("(")[0]
    return name not in METHODS or group_of(name) not in ("Full gradient", STOCHASTIC)


def about(name: str) -> str:
    """A sentence about the method of this name: the first of its docstring."""
    first = inspect.getdoc(METHODS[name]).partition("\n\n")[0]
    return " ".join(first.split())
