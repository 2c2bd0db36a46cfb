"""Wrappers: methods around another, which they change in one respect and pass on in all others; see `wrapper`."""

from __future__ import annotations

from .added_l2 import AddedL2
from .anderson import Anderson
from .averaged import Averaged
from .extrapolated_dual import ExtrapolatedDual
from .screened import Screened
from .working_set import WorkingSet
from .wrapper import Wrapper

__all__ = ["AddedL2", "Anderson", "Averaged", "ExtrapolatedDual", "Screened", "WorkingSet", "Wrapper"]
