"""What a drawer is: something that works only while it is open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Drawer(ABC):
    """Closed at first; opened or closed, it is asked to bring itself up to date."""

    _open = False

    @property
    def open(self) -> bool:
        """Whether a person sees it."""
        return self._open

    @open.setter
    def open(self, value: bool) -> None:
        self._open = value
        self._refresh()

    @abstractmethod
    def _refresh(self, *_: Any) -> None:
        """Show what is true now, if it is open."""
