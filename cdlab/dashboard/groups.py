"""Under which title a method is listed: by what it is derived from, else by the side whose coordinates it updates."""

from __future__ import annotations

from ..methods import METHODS, RDA, SGD, SPDC, SVRG
from ..methods.deterministic import Deterministic
from ..methods.inner import OuterInner
from ..methods.linear_system import LinearSystem
from ..methods.tabled import Tabled

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
