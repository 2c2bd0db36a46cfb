"""What the dashboard costs and how it feels, on this machine, each figure beside what it should be.

    python benchmarks/dashboard.py [cost first memory eight slider drawers points offline]    default: all

Server time is processor time of the server's process, not time on the clock, which other work on the machine disturbs.
Most visitors are websockets without a browser; what is seen is measured in chromium. Linux only.
"""

import asyncio
import os
import statistics
import sys
import time

from dashboard_pages import drawers, first, offline, slider
from dashboard_server import browser, line, ready
from dashboard_visits import cost, eight, four, keeps


def points(count: int = 100_000) -> None:
    """One frame of a race whose three traces have so many records each."""
    from bokeh.document import Document
    from cdlab.dashboard.drawers.race_tab import RaceTab
    from cdlab.dashboard.races.first_picture import first_picture
    from cdlab.dashboard.races.state import State
    from panel.io.state import set_curdoc

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
            tab.open = True
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
    for name, visits in (("cost", cost), ("memory", keeps), ("eight", four), ("eight", eight)):
        if name in parts:
            with ready() as (address, pid):
                asyncio.run(visits(address, pid))
    for name, seen in (("first", first), ("slider", slider), ("drawers", drawers), ("offline", offline)):
        if name in parts:
            with ready() as (address, pid), browser() as chromium:
                seen(address, pid, chromium)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main(sys.argv[1:] or ["points", "cost", "memory", "eight", "first", "slider", "drawers", "offline"])
