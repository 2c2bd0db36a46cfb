"""Checks of what you add to cdlab: each raises one sentence about the first promise that does not hold.

``check_loss(MyLoss())``, ``check_sampling(MySampling())``, ``check_method(MyMethod)`` and ``check_bound(my_bound)``
take seconds. cdlab's own tests call them on everything that cdlab has.
"""

from __future__ import annotations

from .bound_checks import check_bound
from .loss_checks import check_loss
from .method_checks import check_method
from .sampling_checks import check_sampling

__all__ = ["check_bound", "check_loss", "check_method", "check_sampling"]
