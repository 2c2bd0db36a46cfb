"""Checks of what you add to cdlab: each raises one sentence about the first promise that does not hold.

``check_loss(MyLoss())``, ``check_sampling(MySampling())``, ``check_method(MyMethod)`` and ``check_bound(my_bound)``
take seconds. cdlab's own tests call them on everything that cdlab has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .loss_checks import check_loss
from .method_checks import check_method
from .sampling_checks import check_sampling

if TYPE_CHECKING:
    from .bound_checks import check_bound

__all__ = ["check_bound", "check_loss", "check_method", "check_sampling"]


def __getattr__(name: str) -> Any:
    if name == "check_bound":  # loads sympy, which the others do without
        from .bound_checks import check_bound

        return check_bound
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
