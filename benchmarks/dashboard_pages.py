"""Visitors with a browser: what is seen, and when."""

import statistics
import time

from dashboard_server import DRAWERS, Visitor, cpu, line

MILLION = "?n=20000&d=1000&passes=100000&tol=0.0"  # nonzeros; too long to run by itself
PAINTS = "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]"


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
    stored = visitor.race
    visitor.press("Run")
    return visitor.wait_until(lambda: visitor.race != stored and visitor.passes > 0)


def slider(address: str, pid: int, chromium) -> None:
    visitor = Visitor(chromium, address)
    spent = []
    for _ in range(8):
        face, before = visitor.region("Face-off").inner_text(), cpu(pid)
        visitor.slide("density", 1)
        visitor.wait_until(lambda face=face: visitor.region("Face-off").inner_text() != face)
        spent.append(1e3 * (cpu(pid) - before))
        visitor.page.wait_for_timeout(2000)  # the advice follows when the choices rest
    line("from a moved slider to the prediction, server time", statistics.median(spent), "ms", 150, max(spent))
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


def drawers(address: str, pid: int, chromium) -> None:
    for name in DRAWERS:
        visitor = Visitor(chromium, address)
        visitor.page.wait_for_timeout(1500)
        start, before = time.perf_counter(), cpu(pid)
        visitor.open(name)
        visitor.page.locator("#drawer :is(p, table, pre, fieldset, label) >> visible=true").first.wait_for()
        visitor.wait_until(lambda visitor=visitor: "Working it out." not in visitor.text)
        took = time.perf_counter() - start
        line(f"first opening of the drawer {name} in a page", took, "s", 1)
        visitor.page.wait_for_timeout(500)
        line("   server time", 1e3 * (cpu(pid) - before), "ms")
        visitor.page.close()


def offline(address: str, pid: int, chromium) -> None:
    visitors = [Visitor(chromium, address + query) for query in ("", "?density=7", "?loss=hinge&methods=rcd")]
    for visitor in visitors:
        visitor.press("Run")
        for drawer in DRAWERS:
            visitor.open(drawer)
            visitor.page.wait_for_timeout(1500)
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    line("requests to other hosts, console errors, failed answers", len(complaints), "", 0)
    for complaint in complaints:
        print(complaint)
