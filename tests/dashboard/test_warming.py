"""A server opens every drawer once for itself: visitors find made what only the first opening makes."""

import gc
import weakref

import loops
import pytest

from cdlab.dashboard import warming
from cdlab.dashboard.drawers import drawers
from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.state import State

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


@pytest.fixture
def opened(monkeypatch):
    """The drawers that were made."""
    made = []

    def noted(make):
        def drawer(*args):
            made.append(make(*args))
            return made[-1]

        return drawer

    monkeypatch.setattr(drawers, "DRAWERS", {name: noted(make) for name, make in drawers.DRAWERS.items()})
    return made


def test_every_drawer_is_opened_to_the_end_and_forgotten(opened):
    loops.run(warming.open_drawers(State(result=first_picture())))
    assert len(opened) == len(drawers.DRAWERS)
    for drawer in opened:
        texts = [str(getattr(pane, "object", "")) for pane in drawer.view.select()]
        assert texts
        assert not any("Working it out" in text or "An error" in text for text in texts)
    gone = [weakref.ref(drawer) for drawer in opened]
    opened.clear()
    del drawer
    gc.collect()
    assert not any(drawer() for drawer in gone)
