"""Visitors without a browser: what a session costs and keeps, and how many share one server."""

import asyncio
import statistics
import time
from collections.abc import Sequence

from dashboard_server import DRAWERS, Wire, cpu, line, memory, quiet
from tornado.httpclient import AsyncHTTPClient

ENDLESS = "?n=5000&d=500&passes=100000&tol=0.0"  # too long to run by itself
FILE = "static/extensions/panel/css/loading.css"


# ---------------------------------------------------------------- one after another
async def cost(address: str, pid: int) -> None:
    spent = []
    for _ in range(15):
        before = cpu(pid)
        visitor = await Wire.open(address)
        await asyncio.sleep(0.3)
        spent.append(1e3 * (cpu(pid) - before))
        await visitor.close()
    line("server time to open a session", statistics.median(spent), "ms", 200, max(spent))


async def keeps(address: str, pid: int, visits: int = 200) -> None:
    async def come_and_go(count: int, drawers: Sequence[str] = ()) -> None:
        for k in range(count):
            visitor = await Wire.open(address)
            if k % 20 == 0:
                await visitor.press("run")
                await visitor.until(lambda visitor=visitor: "All runs have ended." in visitor.statuses)
            for name in drawers:
                await visitor.open_drawer(name)
                await asyncio.sleep(0.4)
            await visitor.close()
        await quiet(pid)

    for what, drawers, count in (("", (), visits), (" with all drawers opened", DRAWERS, visits // 8)):
        await come_and_go(count // 4, drawers)  # what only the first ones need
        before = memory(pid)
        await come_and_go(count, drawers)
        kept = (memory(pid) - before) / count
        line(f"memory kept per closed session{what}, {count} sessions", kept, "MB", 0.4)
    line("memory of the server", memory(pid), "MB")


# ---------------------------------------------------------------- together
async def four(address: str, pid: int) -> None:
    """How long the event loop keeps a small file waiting, while four races run."""
    visitors = await asyncio.gather(*(Wire.open(address, ENDLESS) for _ in range(4)))
    for visitor in visitors:
        await visitor.press("run")
    await asyncio.gather(*(visitor.until(lambda visitor=visitor: visitor.points, 60) for visitor in visitors))
    client, waits, end = AsyncHTTPClient(), [], time.monotonic() + 15
    while time.monotonic() < end:
        start = time.monotonic()
        await client.fetch(address + FILE)
        waits.append(1e3 * (time.monotonic() - start))
        await asyncio.sleep(0.02)
    p99 = statistics.quantiles(waits, n=100)[98]
    line("four races running: p99 of the answer to a small request", p99, "ms", 50, max(waits))
    for visitor in visitors:
        await visitor.close()


async def eight(address: str, pid: int) -> None:
    before, start = cpu(pid), time.monotonic()
    visitors = await asyncio.gather(*(Wire.open(address, ENDLESS) for _ in range(8)))
    there = time.monotonic() - start
    await asyncio.sleep(1)
    line("eight at once: server time for all pages", cpu(pid) - before, "s", 3)
    line("eight at once: the last page is there after", there, "s")
    start = time.monotonic()
    for visitor in visitors:
        await visitor.press("run")
    await asyncio.gather(*(visitor.until(lambda visitor=visitor: visitor.points, 60) for visitor in visitors))
    firsts = [visitor.points[0] - start for visitor in visitors]
    line("eight at once: first point, from Run, of the last session", max(firsts), "s")
    await asyncio.sleep(3)
    start, spent = time.monotonic(), cpu(pid)
    await asyncio.sleep(10)
    seen = [[start, *(point for point in visitor.points if point > start)] for visitor in visitors]
    fair = 10 * len(seen) / sum(len(points) - 1 for points in seen)
    waits = [max(b - a for a, b in zip(points, [*points[1:], start + 10], strict=True)) for points in seen]
    line("eight running: seconds from point to point, on average", fair, "s")
    line("eight running: longest wait over the fair share", max(waits) / fair, "", 4)
    line("eight running: most points of a session over the fewest", _spread(seen), "")
    line("eight running: processors at work", (cpu(pid) - spent) / 10, "")
    for visitor in visitors:
        await visitor.close()
    start = time.monotonic()
    while True:
        before = cpu(pid)
        await asyncio.sleep(0.25)
        if cpu(pid) - before < 0.05:
            break
    line("eight closed: their races have ended after", time.monotonic() - start, "s")


def _spread(seen: list[list[float]]) -> float:
    counts = [len(points) - 1 for points in seen]
    return max(counts) / min(counts)
