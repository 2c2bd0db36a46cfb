"""Drawers without a page."""

import panel as pn
import pytest


@pytest.fixture
def without_loop(monkeypatch):
    """Parts are made, and what they would do in a page's event loop is left undone."""
    monkeypatch.setattr(type(pn.state), "execute", lambda *_, **__: None)
