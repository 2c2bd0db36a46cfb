"""What the dashboard costs and how it feels, on this machine, each figure beside what it should be.

    python benchmarks/dashboard.py [cost first memory eight slider points offline]    default: all (about 4 minutes)

Server time is processor time of the server's process, not time on the clock, which other work on the machine disturbs.
Most visitors are websockets without a browser; what is seen is measured in chromium. Linux only.
"""

import asyncio
import os
import statistics
import sys
import time
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "dashboard"), str(TESTS / "ui")]

from browsing import Visitor, browser, dashboard  # noqa: E402
from wire import Wire  # noqa: E402

ENDLESS = "?n=5000&d=500&passes=100000&tol=0.0"
MILLION = "?n=20000&d=1000&passes=100000&tol=0.0"
PAINTS = "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]"


def cpu(pid: int) -> float:
    """Processor seconds of a process so far, of all its threads."""
    return time.clock_gettime((~pid << 3) | 2)  # CLOCK_PROCESS_CPUTIME_ID of another process: see clock_getcpuclockid


def memory(pid: int) -> float:
    """Resident megabytes."""
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def quiet(pid: int) -> None:
    """Wait until the server has nothing to do: kernels are loaded, sessions are forgotten."""
    calm = 0
    while calm < 3:
        before = cpu(pid)
        await asyncio.sleep(1)
        calm = calm + 1 if cpu(pid) - before < 0.03 else 0


def line(what: str, value: float, unit: str, most: float | None = None, worst: float | None = None) -> None:
    target = "" if most is None else f"   at most {most:g}: {'yes' if value <= most else 'NO'}"
    ended = "" if worst is None else f" (worst {worst:.4g})"
    print(f"{what:62} {value:8.4g} {unit}{ended}{target}", flush=True)


@contextmanager
def ready(**options: int):
    """A server that has had its first visitor, whose page loads what all later ones find there."""
    with dashboard(**options) as (address, pid):

        async def first() -> None:
            await (await Wire.open(address)).close()
            await quiet(pid)

        asyncio.run(first())
        yield address, pid


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
    async def come_and_go(count: int) -> None:
        for k in range(count):
            visitor = await Wire.open(address)
            if k % 20 == 0:
                await visitor.press("run")
                await visitor.until(lambda visitor=visitor: "Done." in visitor.statuses)
            await visitor.close()
        await quiet(pid)

    await come_and_go(visits // 4)  # what only the first ones need
    before = memory(pid)
    await come_and_go(visits)
    line(f"memory kept per closed session, {visits} sessions", (memory(pid) - before) / visits, "MB", 0.4)
    line("memory of the server", memory(pid), "MB")


# ---------------------------------------------------------------- together
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


# ---------------------------------------------------------------- seen in a browser
def first(address: str, pid: int, chromium) -> None:
    spent, paint, picture, visitors = [], [], [], []
    for _ in range(8):
        before, start = cpu(pid), time.perf_counter()
        visitor = Visitor(chromium, address)  # a new context: nothing in its cache
        picture.append(time.perf_counter() - start)
        visitor.page.wait_for_timeout(500)
        spent.append(1e3 * (cpu(pid) - before))
        paint.append(visitor.page.evaluate(PAINTS) / 1e3)
        visitors.append(visitor)
    line("first paint, nothing cached", statistics.median(paint), "s", 1.5, max(paint))
    line("until the first picture is there", statistics.median(picture), "s", None, max(picture))
    line("server time for a browser's visit, files included", statistics.median(spent), "ms", None, max(spent))
    for visitor in visitors:
        visitor.page.close()
    line("from Run to the first curve, the default race", curve(Visitor(chromium, address)), "s", 1)
    visitor, before = Visitor(chromium, address, query=MILLION), cpu(pid)
    line("from Run to the first curve, 1,000,000 nonzeros", curve(visitor), "s", 1)
    line("   server time", cpu(pid) - before, "s")
    visitor.press("Stop")
    line("from Stop to stopped", visitor.wait_until(lambda: visitor.status == "Stopped."), "s", 1)


def curve(visitor: Visitor) -> float:
    """Seconds from Run to a curve that has begun."""
    stored = visitor.curves
    visitor.press("Run")
    return visitor.wait_until(lambda: any(visitor.curves) and visitor.curves != stored)


def slider(address: str, pid: int, chromium) -> None:
    visitor = Visitor(chromium, address)
    visitor.open("Bounds")
    handle = visitor.page.get_by_role("slider", name="L2 weight")
    handle.wait_for()
    visitor.page.wait_for_timeout(2000)
    spent = []
    for step in range(8):
        old, before = visitor.text, cpu(pid)
        handle.fill(str(-5 + 0.5 * step))  # in powers of ten
        visitor.wait_until(lambda old=old: visitor.text != old)
        visitor.page.wait_for_timeout(1000)
        spent.append(1e3 * (cpu(pid) - before))
    line("from a moved slider to the updated bounds, server time", statistics.median(spent), "ms", 150, max(spent))
    visitor.page.close()


def offline(address: str, pid: int, chromium) -> None:
    visitors = [Visitor(chromium, address + query) for query in ("", "?density=7", "?loss=hinge&methods=rcd")]
    for visitor in visitors:
        visitor.press("Run")
        for tab in visitor.tabs:
            visitor.open(tab)
            visitor.page.wait_for_timeout(1500)
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    line("requests to other hosts, console errors, failed answers", len(complaints), "", 0)
    for complaint in complaints:
        print(complaint)


# ---------------------------------------------------------------- without a server
def points(count: int = 100_000) -> None:
    """One frame of a race whose three traces have so many records each."""
    from bokeh.document import Document
    from panel.io.state import set_curdoc

    from cdlab.dashboard.drawers.race_tab import RaceTab
    from cdlab.dashboard.races.first_picture import first_picture
    from cdlab.dashboard.races.state import State

    def record(lane, k: int) -> None:
        last = lane.trace.records[-1]
        lane.trace.records.append(last._replace(iteration=last.iteration + 9, passes=last.passes + 1, gap=last.gap * k))

    took = {}
    for size in (400, count):
        state, doc = State(result=first_picture()), Document()
        for lane in state.result.lanes:
            while len(lane.trace.records) < size:
                record(lane, 1)
        with set_curdoc(doc):
            tab = RaceTab(state, "")
            tab.view.server_doc(doc)
            times = []
            for _ in range(15):
                for lane in state.result.lanes:
                    record(lane, 0.999)
                before = time.process_time()
                state.frame += 1
                times.append(1e3 * (time.process_time() - before))
        took[size] = statistics.median(times)
        drawn = max(len(xs) for xs in tab.figure.renderers[2].data_source.data["xs"])
        line(f"a frame of three curves with {size:,} points each", took[size], "ms", 50 if size == count else None)
        line("   of which are drawn, of each", drawn, "")


def main(parts: list[str]) -> None:
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f} at the start")
    if "points" in parts:
        points()
    for name, visits in (("cost", cost), ("memory", keeps), ("eight", eight)):
        if name in parts:
            with ready() as (address, pid):
                asyncio.run(visits(address, pid))
    for name, seen in (("first", first), ("slider", slider), ("offline", offline)):
        if name in parts:
            with ready() as (address, pid), browser() as chromium:
                seen(address, pid, chromium)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main(sys.argv[1:] or ["points", "cost", "memory", "eight", "first", "slider", "offline"])
