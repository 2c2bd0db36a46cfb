"""A part of a drawer: it works while its drawer is open, shows the newest answer, and says why there is none."""

import asyncio
import threading
import time

import panel as pn
import pytest
from bokeh.core.properties import without_property_validation
from bokeh.document import Document
from small_choices import small

from cdlab.dashboard.drawers import NAMES, view
from cdlab.dashboard.drawers.part import Part, pane_of
from cdlab.dashboard.session import PageSession
from cdlab.plots.elements import HOLOVIEWS_LOCK, Axes
from cdlab.plots.style import look


def shown(part: Part) -> str:
    """All texts of a part."""
    return " ".join(pane.object for pane in part.view.select(pn.pane.HTML))


async def idle(part: Part, until) -> None:
    """Wait until a part shows what is waited for."""
    for _ in range(500):
        if until(shown(part)):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"it shows {shown(part)!r}")


def test_a_closed_drawer_works_out_nothing_and_an_open_one_follows_the_choices():
    asked = []

    def work(question):
        asked.append(question.choices.n)
        return [f"n is {question.choices.n}"]

    async def visit():
        session = PageSession(choices=small())
        part = Part(session, "Bounds", work)
        session.choices = small(n=70)
        await asyncio.sleep(0.05)
        assert asked == []
        session.drawer = "Bounds"
        await idle(part, lambda words: "n is 70" in words)
        session.choices = small(n=80)
        await idle(part, lambda words: "n is 80" in words)
        session.drawer = ""
        session.choices = small(n=90)
        await asyncio.sleep(0.05)
        assert asked == [70, 80]

    asyncio.run(visit())


def test_an_answer_that_is_no_longer_asked_for_is_not_shown():
    gate = threading.Event()

    def work(question):
        if question.choices.n == 60:
            gate.wait(5)
        return [f"n is {question.choices.n}"]

    async def visit():
        session = PageSession(choices=small(), drawer="Bounds")
        part = Part(session, "Bounds", work)
        await idle(part, lambda words: "One moment" in words)
        session.choices = small(n=70)
        await asyncio.sleep(0.05)
        gate.set()
        await idle(part, lambda words: "n is 70" in words)
        assert "n is 60" not in shown(part)
        assert "One moment" not in shown(part)

    asyncio.run(visit())


def test_what_is_shown_is_pale_while_another_answer_is_worked_out():
    gate = threading.Event()

    async def visit():
        session = PageSession(choices=small(), drawer="Bounds")
        part = Part(session, "Bounds", lambda question: [f"n is {question.choices.n}"] * (gate.wait(5) or 1))
        content = part.view[-1]
        gate.set()
        await idle(part, lambda words: "n is 60" in words)
        assert content.styles["opacity"] == "1"
        gate.clear()
        session.choices = small(n=70)
        await idle(part, lambda words: "One moment" in words)
        assert float(content.styles["opacity"]) < 0.5
        gate.set()
        await idle(part, lambda words: "n is 70" in words)
        assert content.styles["opacity"] == "1"

    asyncio.run(visit())


@pytest.mark.parametrize(
    ("error", "words"),
    [(ValueError("the rows are gone"), "The rows are gone."), (ZeroDivisionError(), "An error in cdlab")],
)
def test_an_error_is_a_sentence(error, words, caplog):
    def work(question):
        raise error

    async def visit():
        part = Part(PageSession(choices=small(), drawer="Bounds"), "Bounds", work)
        await idle(part, lambda shown: words in shown)
        return shown(part)

    assert "One moment" not in asyncio.run(visit())


class Sent:
    """The content of a drawer, written down as it is sent to a browser."""

    def __setattr__(self, name, value):
        if name == "objects":
            document = Document()
            document.add_root(value[0].get_root(document))
            value = str(document.to_json())
        super().__setattr__(name, value)


def test_a_picture_is_sent_as_it_is_while_another_thread_makes_one():
    """Bokeh checks no property while a glyph is made, in whatever thread: what is sent then has wrong values."""
    axes = Axes("x", "y")
    axes.markers([0, 1], [0, 1], look("")._replace(marker="circle"))
    picture, begun = pane_of(axes.overlay()), threading.Event()

    @without_property_validation
    def make():
        begun.set()
        time.sleep(0.2)

    def draw():
        with HOLOVIEWS_LOCK:
            make()

    part = Part(PageSession(choices=small()), "Bounds", lambda question: [])
    part._content = Sent()
    part._show([picture])
    alone, thread = len(part._content.objects), threading.Thread(target=draw)
    thread.start()
    begun.wait(10)
    part._show([picture])
    thread.join()
    assert len(part._content.objects) == pytest.approx(alone, abs=20)  # ids have more digits


def test_a_part_with_a_button_waits_for_it_and_forgets_what_was_about_other_choices():
    async def visit():
        session = PageSession(choices=small(), drawer="Bounds")
        part = Part(session, "Bounds", lambda question: [f"n is {question.choices.n}"], button="Work it out")
        await asyncio.sleep(0.05)
        assert "n is" not in shown(part)
        await part.fill()
        await idle(part, lambda words: "n is 60" in words)
        session.choices = small(n=70)
        assert "n is" not in shown(part)

    asyncio.run(visit())


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_drawer_is_made_without_work(name):
    found = view(name, PageSession(choices=small()))
    assert not found.select(pn.pane.Bokeh)
    assert found.select(pn.widgets.Widget) or name == "Code"


def test_a_drawer_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="there is no drawer 'Steps': there are Bounds"):
        view("Steps", PageSession())
