"""What the dashboard costs and how it feels, on this machine, each figure beside what it should be.

    python benchmarks/dashboard.py [cost memory drag eight first offline]    default: all

Server time is processor time of the server's process, not time on the clock, which other work on the machine disturbs.
Most visitors are websockets without a browser; what is seen is measured in chromium. Linux only.
"""

import asyncio
import os
import statistics
import sys
import time

from dashboard_server import OPENING, Visitor, Wire, browser, cpu, line, memory, quiet, ready
from tornado.httpclient import AsyncHTTPClient

ENDLESS = OPENING | {"n": 5000, "d": 500, "passes": 100_000, "tol": 0.0}
FILE = "static/extensions/panel/css/loading.css"
FRAME, SLOW = 0.1, 0.4  # seconds between two drafts of a slider, and of a race that is then not drafted again: page.js
PAINTS = "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]"
PLAY = "?v=2"  # not a first visit: it races at once


# ---------------------------------------------------------------- one after another
async def cost(address: str, pid: int) -> None:
    """A session: the page, the catalog, the opening prediction and race."""
    spent: dict[str, list[float]] = {"a session until its first picture": [], "the opening race, 5 draws": []}
    for _ in range(15):
        before = cpu(pid)
        visitor = await Wire.open(address)
        await visitor.answer("catalog")
        await visitor.answer("predict", OPENING)
        seen = cpu(pid)
        await visitor.answer("race", OPENING, 5)
        for times, took in zip(spent.values(), (seen - before, cpu(pid) - seen), strict=True):
            times.append(1e3 * took)
        await visitor.close()
    for what, times in spent.items():
        line(f"server time: {what}", statistics.median(times), "ms", 150 if "session" in what else 400, max(times))


async def kept(address: str, pid: int, visits: int = 200) -> None:
    async def come_and_go(count: int) -> None:
        for k in range(count):
            visitor = await Wire.open(address)
            await visitor.answer("catalog")
            if k % 20 == 0:
                await visitor.answer("race", OPENING, 5)
            await visitor.close()
        await quiet(pid)

    await come_and_go(visits // 4)  # what only the first ones need
    before = memory(pid)
    await come_and_go(visits)
    line(f"memory kept per closed session, {visits} sessions", (memory(pid) - before) / visits, "MB", 0.4)
    line("memory of the server", memory(pid), "MB")


# ---------------------------------------------------------------- together
async def drag(address: str, pid: int, visitors: int = 10, drags: int = 5, frames: int = 15) -> None:
    """Visitors who all move a slider of the data: predictions and races of one draw, as the front end asks them."""
    waits: dict[str, list[float]] = {"predict": [], "race": []}

    async def wait(visitor: Wire, kind: str, choices: dict) -> float:
        asked = time.monotonic()
        await visitor.answer(kind, choices)
        waits[kind].append(time.monotonic() - asked)
        return waits[kind][-1]

    async def move(visitor: Wire, k: int) -> None:
        for n in range(drags):
            races = True
            for frame in range(frames):
                began = time.monotonic()
                choices = OPENING | {"skew": round(1.0 + 0.1 * n + 0.005 * frame + 0.0003 * k, 4)}
                await wait(visitor, "predict", choices)
                races = races and await wait(visitor, "race", choices) < SLOW
                await asyncio.sleep(max(0.0, began + FRAME - time.monotonic()))

    there = [await Wire.open(address) for _ in range(visitors)]
    before, began = cpu(pid), time.monotonic()
    await asyncio.gather(*(move(visitor, k) for k, visitor in enumerate(there)))
    spent, took = cpu(pid) - before, time.monotonic() - began
    for kind, times in waits.items():
        line(f"{visitors} visitors dragging: p95 of {kind}", statistics.quantiles(times, n=20)[18], "s", 1, max(times))
    line(f"{visitors} visitors dragging: server time a frame", 1e3 * spent / len(waits["predict"]), "ms")
    line(f"{visitors} visitors dragging: races a frame", len(waits["race"]) / len(waits["predict"]), "")
    line(f"{visitors} visitors dragging: processors at work", spent / took, "")
    for visitor in there:
        await visitor.close()


async def eight(address: str, pid: int) -> None:
    """Endless races beside each other: how long the event loop keeps a small file waiting, and who gets how much."""
    visitors = [await Wire.open(address) for _ in range(8)]
    for visitor in visitors:
        await visitor.ask("race", ENDLESS)
    await asyncio.gather(*(visitor.until(lambda visitor=visitor: visitor.heard) for visitor in visitors))
    await asyncio.sleep(3)
    client, waits, start = AsyncHTTPClient(), [], time.monotonic()
    while (now := time.monotonic()) < start + 15:
        await client.fetch(address + FILE)
        waits.append(1e3 * (time.monotonic() - now))
        await asyncio.sleep(0.02)
    end = time.monotonic()
    line("eight racing: p99 of the answer to a small request", statistics.quantiles(waits, n=100)[98], "ms", 50)
    counts = [sum(moment > start for moment, _ in visitor.heard) for visitor in visitors]
    line("eight racing: seconds from message to message", (end - start) * len(counts) / sum(counts), "s")
    line("eight racing: most messages of a visitor over the fewest", max(counts) / min(counts), "", 2)
    for visitor in visitors:
        await visitor.close()
    start, calm = time.monotonic(), 1.0
    while calm > 0.05:
        before = cpu(pid)
        await asyncio.sleep(0.25)
        calm = cpu(pid) - before
    line("eight closed: their races have ended after", time.monotonic() - start, "s", 5)


# ---------------------------------------------------------------- in a browser
def first(address: str, pid: int, chromium) -> None:
    spent, paint, picture, raced = [], [], [], []
    for _ in range(8):
        before, start = cpu(pid), time.perf_counter()
        visitor = Visitor(chromium, address, query=PLAY)  # a new context: nothing in its cache
        visitor.page.locator(".figure path").first.wait_for(state="attached")
        picture.append(time.perf_counter() - start)
        visitor.wait_until(lambda visitor=visitor: "was first" in visitor.voice)
        raced.append(time.perf_counter() - start)
        spent.append(1e3 * (cpu(pid) - before))
        paint.append(visitor.page.evaluate(PAINTS) / 1e3)
        visitor.page.close()
    line("first paint, nothing cached", statistics.median(paint), "s", 1, max(paint))
    line("until the first picture is there, nothing cached", statistics.median(picture), "s", 1, max(picture))
    line("until the opening race is told", statistics.median(raced), "s", None, max(raced))
    line("server time for a browser's visit, race and files included", statistics.median(spent), "ms", None, max(spent))


def offline(address: str, pid: int, chromium) -> None:
    visitors = [
        Visitor(chromium, address, query=query) for query in ("", "?density=7", "?loss=hinge&methods=rcd", PLAY)
    ]
    for drawer in visitors[-1].page.get_by_label("Drawers").get_by_role("button").all():
        drawer.click()
        visitors[-1].page.wait_for_timeout(2000)
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    line("requests to other hosts, console errors, failed answers", len(complaints), "", 0)
    for complaint in complaints:
        print(complaint)


def main(parts: list[str]) -> None:
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f} at the start")
    for name, visits in (("cost", cost), ("memory", kept), ("drag", drag), ("eight", eight)):
        if name in parts:
            with ready() as (address, pid):
                asyncio.run(visits(address, pid))
    for name, seen in (("first", first), ("offline", offline)):
        if name in parts:
            with ready() as (address, pid), browser() as chromium:
                seen(address, pid, chromium)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main(sys.argv[1:] or ["cost", "memory", "drag", "eight", "first", "offline"])
