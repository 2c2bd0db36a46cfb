"""Drawers, which Python shows below the screen: modules with `view`, made of parts that work while they are open."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ..session import PageSession

NAMES = ("Bounds", "Face-off", "Sampling", "Runs", "Code")


def view(name: str, session: PageSession) -> Viewable:
    """A drawer, for a session that keeps it; it follows the session while ``session.drawer`` is its name.

    Raises
    ------
    ValueError
        If there is no such drawer.
    """
    if name not in NAMES:
        raise ValueError(f"there is no drawer {name!r}: there are {', '.join(NAMES)}")
    return import_module(f".{name.lower().replace('-', '')}", __name__).view(session)
