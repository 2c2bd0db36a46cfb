"""How methods are listed: under the title of what they are derived from, or of their side; each with a sentence."""

from __future__ import annotations

import inspect

from ...methods import METHODS, RDA, SGD, SPDC, SVRG
from ...methods.shared.deterministic import Deterministic
from ...methods.shared.inner import OuterInner
from ...methods.shared.linear_system import LinearSystem
from ...methods.shared.tabled import Tabled

KINDS = {
    "Primal-dual": (SPDC,),
    "Proximal point": (OuterInner,),
    "Gradient": (Deterministic, Tabled, SGD, SVRG, RDA),
    "Linear systems": (LinearSystem,),
}
SIDES = {"dual": "Dual coordinates", "primal": "Primal coordinates"}


def group_of(name: str) -> str:
    """The title for the method of this name."""
    method = METHODS[name]
    return next((title for title, kinds in KINDS.items() if issubclass(method, kinds)), SIDES[method.side])


def about(name: str) -> str:
    """A sentence about the method of this name: the first of its docstring."""
    first = inspect.getdoc(METHODS[name]).partition("\n\n")[0]
    return " ".join(first.split())
