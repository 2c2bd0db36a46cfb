"""Sessions of a running server: fair to each other, limited in number, ended with their pages, and then forgotten."""

import asyncio
import gc
import logging
import weakref
from contextlib import asynccontextmanager

import loops
import pytest
from small_choices import small
from wire import Wire

from cdlab.dashboard import app
from cdlab.dashboard.serving import make_server
from cdlab.dashboard.visitor_limits import set_limits

pytestmark = pytest.mark.full  # a push sees the app by calls, and the page in a browser

ENDLESS = small(n=2000, d=100, passes=100_000, tol=0.0).values()
QUICK = {"unused_session_lifetime_milliseconds": 1000, "check_unused_sessions_milliseconds": 50}


@pytest.fixture
def pages(monkeypatch):
    """The front ends of all pages, in the order in which they were opened.

    The last one is the last visitor's: if a page takes long to connect, its session is forgotten and made again.
    """
    made = []

    class FrontEnd(app.FrontEnd):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            made.append(self)

    monkeypatch.setattr(app, "FrontEnd", FrontEnd)
    monkeypatch.setattr(app, "_open", weakref.WeakSet())  # other tests make pages that no session ends
    monkeypatch.setattr(app, "warm_up", lambda: None)
    return made


@asynccontextmanager
async def server(pages: list):
    started = make_server(0, "127.0.0.1", **QUICK)
    started.start()
    pages.clear()  # the server makes a page for itself, so that all libraries are loaded
    try:
        yield f"http://127.0.0.1:{started.port}/"
        await until(lambda: not app._open)
    finally:
        started.stop()


async def until(holds, seconds: float = 120) -> None:
    for _ in range(int(seconds / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("still not so")


def test_a_race_ends_when_its_page_is_closed_and_leaves_no_noise(pages, caplog):
    async def go():
        async with server(pages) as address:
            visitor = await Wire.open(address)
            await visitor.ask("race", ENDLESS)
            await visitor.until(lambda: len(visitor.heard) > 3)
            await visitor.close()
            await until(lambda: not pages[-1]._tasks)
            await asyncio.sleep(0.3)

    with caplog.at_level(logging.WARNING):
        loops.run(go())
    assert [record.message for record in caplog.records] == []


def test_nothing_is_kept_of_a_closed_session(pages):
    async def go():
        async with server(pages) as address:
            kept = []
            for _ in range(3):
                visitor = await Wire.open(address)
                await visitor.answer("race", small(seeds=2).values(), draws=2)
                page = pages[-1]
                pages.clear()
                await until(lambda page=page: page._session.races)
                kept += [weakref.ref(page), weakref.ref(page._session), weakref.ref(page._session.races[0])]
                del page
                await visitor.close()
            await until(lambda: not app._open)

            def forgotten() -> bool:  # what rests for a moment before it works on, too
                gc.collect()
                return not any(ref() for ref in kept)

            await until(forgotten, 20)
            return [ref() for ref in kept]

    assert loops.run(go()) == [None] * 9


def test_stop_ends_one_session_s_race_only(pages):
    async def go():
        async with server(pages) as address:
            one, other = [await Wire.open(address) for _ in range(2)]
            for visitor in (one, other):
                await visitor.ask("race", ENDLESS)
            for visitor in (one, other):
                await visitor.until(lambda visitor=visitor: len(visitor.heard) > 1)
            await one.ask("stop")
            await one.until(lambda: any((each["value"] or {}).get("words") == "Stopped." for _, each in one.heard))
            seen = len(other.heard)
            await other.until(lambda: len(other.heard) > seen + 3)
            assert not any(each["done"] for _, each in other.heard)
            await one.close()
            await other.close()

    loops.run(go())


def test_a_full_server_says_so_until_a_page_is_closed(pages):
    async def go():
        async with server(pages) as address:
            first, second = [await Wire.open(address) for _ in range(2)]
            refused = await Wire.open(address)
            assert first.model
            assert second.model
            assert not refused.model
            assert "pages open at a time is limited to 2" in refused.html
            await first.close()
            await until(lambda: len(app._open) == 1)
            third = await Wire.open(address)
            assert third.model
            for visitor in (second, third, refused):
                await visitor.close()

    set_limits(sessions=2)
    try:
        loops.run(go())
    finally:
        set_limits()


def test_ten_visitors_who_move_a_slider_are_answered_in_turn(pages):
    """None waits for all answers of another; the newest question of each is the one that is answered last."""

    async def drag(visitor: Wire) -> None:
        for step in range(6):
            await visitor.ask("predict", small(skew=0.1 * step).values())
            await asyncio.sleep(0.02)
        last = visitor._number
        await visitor.until(lambda: any(each["number"] == last for _, each in visitor.heard), 30)
        assert visitor.heard[-1][1]["number"] == last

    async def go():
        async with server(pages) as address:
            visitors = [await Wire.open(address) for _ in range(10)]
            await asyncio.gather(*map(drag, visitors))
            for visitor in visitors:
                await visitor.close()

    loops.run(go())
