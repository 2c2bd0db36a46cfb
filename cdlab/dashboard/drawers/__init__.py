"""What Python shows below the screen: a drawer is a module with `view`, made of parts that work while it is open."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ..session import Session

_MODULES = {"Bounds": "bounds", "Face-off": "faceoff", "Sampling": "sampling", "Runs": "runs", "Papers": "papers", "Code": "code"}
NAMES = tuple(_MODULES)


def view(name: str, session: Session) -> Viewable:
    """A drawer, for a session that keeps it; it follows the session while ``session.drawer`` is its name.

    Raises
    ------
    KeyError
        If there is no such drawer.
    """
    return import_module(f".{_MODULES[name]}", __name__).view(session)
