"""What opening the dashboard costs, on this machine: ``python tests/ui/measure.py`` (Linux: it reads /proc).

CPU seconds of the server rather than wall time, which other work on the machine disturbs.
"""

import os
import statistics
import time

from browsing import Visitor, browser, dashboard

VISITS = 10
PAINTS = "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]"
COUNT = """() => {
  window.frames_seen = 0
  const figure = Bokeh.documents[0].roots().flatMap((root) => [...root.references()]).find((m) => m.type === "Figure")
  figure.renderers[1].data_source.properties.data.change.connect(() => { window.frames_seen += 1 })
}"""


def cpu(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quiet(pid: int) -> None:
    """Wait until the server has nothing to do: kernels are loaded, sessions are forgotten."""
    while True:
        before = cpu(pid)
        time.sleep(2)
        if cpu(pid) - before < 0.05:
            return


def line(what: str, values: list[float], unit: str) -> None:
    print(f"{what:58} median {statistics.median(values):7.2f} {unit}   worst {max(values):7.2f} {unit}", flush=True)


if __name__ == "__main__":
    with dashboard() as (address, pid), browser() as chromium:
        Visitor(chromium, address).page.close()  # the first one loads what all others find there
        quiet(pid)
        cost, paint, picture, visitors = [], [], [], []
        for _ in range(VISITS):
            before, start = cpu(pid), time.perf_counter()
            visitor = Visitor(chromium, address)
            picture.append(time.perf_counter() - start)
            visitor.page.wait_for_timeout(500)
            cost.append(1e3 * (cpu(pid) - before))
            paint.append(visitor.page.evaluate(PAINTS) / 1e3)
            visitors.append(visitor)
        line("server CPU to open a session", cost, "ms")
        line("first paint, cold browser cache", paint, "s ")
        line("until the first picture's canvas is there", picture, "s ")

        visitor = visitors[0]
        visitor.press("Run")
        line("from Run to the end of the default race", [visitor.wait_until(lambda: visitor.status == "Done.")], "s ")
        for tab in ("Bounds", "Face-off", "Race"):
            visitor.open(tab)
            visitor.page.wait_for_timeout(3000)
        visitor = Visitor(chromium, address, query="?n=20000&d=1000&passes=100000&tol=0.0")
        stored = visitor.curves
        visitor.press("Run")
        first = visitor.wait_until(lambda: any(visitor.curves) and visitor.curves != stored)
        line("from Run to the first curve, 20000 x 1000", [first], "s ")
        visitor.page.evaluate(COUNT)
        visitor.page.wait_for_timeout(3000)
        print(f"{'frames a second in the browser':58} {visitor.page.evaluate('window.frames_seen') / 3:.1f}")
        visitor.press("Stop")
        line("from Stop to stopped", [visitor.wait_until(lambda: visitor.status == "Stopped.")], "s ")
        complaints = [complaint for each in [*visitors, visitor] for complaint in each.complaints]
        print(f"{'console errors, failed answers, requests to other hosts':58} {len(complaints)}", *complaints)
