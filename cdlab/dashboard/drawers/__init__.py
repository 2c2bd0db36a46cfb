"""The drawers that Python shows: theory, samplings, runs and papers in more detail than the page itself."""

from __future__ import annotations

import panel as pn

from ..session import Session

NAMES: tuple[str, ...] = ()  # of others the page shows the engine's facts


def view(name: str, session: Session) -> pn.viewable.Viewable:
    """What an open drawer shows; it follows the session while it is open."""
    raise KeyError(name)
