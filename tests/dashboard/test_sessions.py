"""Sessions of a running server: fair to each other, limited in number, ended with their pages, and then forgotten."""

import asyncio
import gc
import logging
import time
import weakref
from contextlib import asynccontextmanager

import loops
import pytest
from wire import Wire, models

from cdlab.dashboard import views, visits, warming
from cdlab.dashboard.drawers import papers_tab
from cdlab.dashboard.races import runner as running
from cdlab.dashboard.serving import make_server
from cdlab.dashboard.visitor_limits import set_limits
from cdlab.dashboard.visits import open_pages
from cdlab.reproductions import PAPERS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

ENDLESS = "?n=2000&d=100&passes=100000&tol=0.0"
QUICK = {"unused_session_lifetime_milliseconds": 1000, "check_unused_sessions_milliseconds": 50}


@pytest.fixture
def runners(monkeypatch):
    """The runners of all sessions, in the order in which they were opened.

    The last one is the last visitor's: if a page takes long to connect, its session is forgotten and made again.
    """
    made = []

    class Runner(running.Runner):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

        @property
        def busy(self) -> bool:
            return self._task is not None and not self._task.done()

    monkeypatch.setattr(views, "Runner", Runner)
    monkeypatch.setattr(visits, "_open", weakref.WeakSet())  # other tests make pages that no session ends
    for module in (warming, views):
        monkeypatch.setattr(module, "warm_up", lambda: None)
    return made


@asynccontextmanager
async def server(runners: list):
    started = make_server(0, "127.0.0.1", **QUICK)
    started.start()
    runners.clear()  # the server makes a page for itself, so that all libraries are loaded
    try:
        yield f"http://127.0.0.1:{started.port}/"
        await until(lambda: open_pages() == 0)
    finally:
        started.stop()


async def until(holds, seconds: float = 120) -> None:
    for _ in range(int(seconds / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("still not so")


def test_a_race_ends_when_its_page_is_closed_and_leaves_no_noise(runners, caplog):
    async def go():
        async with server(runners) as address:
            visitor = await Wire.open(address, ENDLESS)
            await visitor.until(lambda: len(visitor.points) > 3)
            await visitor.close()
            await until(lambda: not runners[-1].busy)
            await asyncio.sleep(0.3)

    with caplog.at_level(logging.WARNING):
        loops.run(go())
    assert [record.message for record in caplog.records] == []


def test_nothing_is_kept_of_a_closed_session(runners):
    async def go():
        async with server(runners) as address:
            kept = []
            for _ in range(3):
                visitor = await Wire.open(address, "?passes=20")  # a link runs
                await visitor.until(lambda visitor=visitor: "All runs have ended." in visitor.statuses)
                runner = runners[-1]
                runners.clear()
                kept += [weakref.ref(runner), weakref.ref(runner.state), weakref.ref(runner.state.result)]
                del runner
                await visitor.close()
            await until(lambda: open_pages() == 0)

            def forgotten() -> bool:  # what rests for a moment before it works on, too
                gc.collect()
                return not any(ref() for ref in kept)

            await until(forgotten)
            return [ref() for ref in kept]

    assert loops.run(go()) == [None] * 9


def test_stop_ends_one_session_s_race_only(runners):
    async def go():
        async with server(runners) as address:
            one, first = await Wire.open(address, ENDLESS), runners[-1]
            other, second = await Wire.open(address, ENDLESS), runners[-1]
            for visitor in (one, other):
                await visitor.until(lambda visitor=visitor: visitor.points)
            await one.press("stop")
            await one.until(lambda: "Stopped." in one.statuses)
            seen = len(other.points)
            await other.until(lambda: len(other.points) > seen + 3)
            assert (first.busy, second.busy) == (False, True)
            assert "Stopped." not in other.statuses
            await one.close()
            await other.close()
            await until(lambda: not second.busy)

    loops.run(go())


def test_a_full_server_says_so_until_a_page_is_closed(runners):
    def names(visitor: Wire) -> set[str]:
        return {model["attributes"].get("class_name") for model in models(visitor.document)}

    async def go():
        async with server(runners) as address:
            first, second = [await Wire.open(address) for _ in range(2)]
            refused = await Wire.open(address)
            assert "Chooser" in names(first) & names(second)
            assert "Chooser" not in names(refused)
            assert "pages open at a time is limited to 2" in refused.html
            await first.close()
            await until(lambda: open_pages() == 1)
            third = await Wire.open(address)
            assert "Chooser" in names(third)
            for visitor in (second, third, refused):
                await visitor.close()

    set_limits(sessions=2)
    try:
        loops.run(go())
    finally:
        set_limits()


def test_a_link_to_an_item_of_a_paper_shows_it_however_slowly_a_page_loads(runners, monkeypatch):
    """Panel forgets changes that come after the browser has read the document and before it says that it is ready."""

    def work(asked: str):
        time.sleep(0.3)
        return PAPERS, next(item for paper in PAPERS for item in paper.items if item.id == asked), "<p>The item.</p>"

    async def go():
        async with server(runners) as address:
            visitor = await Wire.open(address, "?paper=faceoff-sampling", loading=1.0)
            await visitor.until(lambda: "The item." in str(visitor.changes), seconds=20)
            await visitor.close()

    monkeypatch.setattr(papers_tab, "_work", work)
    loops.run(go())
    assert runners[-1].state.paper == "faceoff-sampling"


def test_a_choice_that_arrives_during_a_race_waits_for_the_next_one(runners):
    async def go():
        async with server(runners) as address:
            visitor = await Wire.open(address, ENDLESS)
            await visitor.until(lambda: visitor.points)
            await visitor.choose("n", 60)
            await visitor.choose("passes", 10)
            seen = len(visitor.points)
            await visitor.until(lambda: len(visitor.points) > seen + 2)
            assert runners[-1].state.result.choices.n == 2000
            await visitor.press("run")
            await visitor.until(lambda: "All runs have ended." in visitor.statuses)
            assert runners[-1].state.result.choices.n == 60
            await visitor.close()

    loops.run(go())
