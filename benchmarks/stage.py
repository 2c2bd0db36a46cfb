"""What the stage costs and how it looks, alone on recorded data.

    python benchmarks/stage.py [prediction frames]       measured, each figure beside what it should be
    python benchmarks/stage.py pictures FOLDER           every kind of data and size, light and dark, as PNG

Server time is processor time; frames are those of this machine's chromium, headless. Linux only.
"""

import os
import statistics
import sys
import time
from itertools import product
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # processor time of one thread: idle ones wait in loops that count

TESTS = Path(__file__).parents[1] / "tests"
SERVING = TESTS / "dashboard" / "stage" / "serving_stage.py"
sys.path[:0] = [str(TESTS / "dashboard" / "stage"), str(TESTS / "ui")]

from browsing import browser, served  # noqa: E402
from recording import KINDS  # noqa: E402

# the last two as it will be under the choices of such a window
SIZES = {
    "laptop": (1440, 900), "small": (1280, 720), "phone": (360, 740),
    "laptop below": (1440, 620), "small below": (1280, 470),
}  # fmt: skip
SHAPES = {
    "1,000 x 200, sparse": (1000, 200, 0.05),
    "3,000 x 2,000, sparse": (3000, 2000, 0.05),
    "2,000 x 1,000, dense": (2000, 1000, 1.0),
}
MOVE = """(head, share) => {
  head.value = Math.round(share * head.max)
  head.dispatchEvent(new Event("input"))
}"""
THEME = "theme => document.documentElement.setAttribute('data-bs-theme', theme)"
SECONDS = {"slow": 2, "normal": 3, "fast": 1.2}  # that are watched: less than a replay takes
# milliseconds from frame to frame, for some seconds
COUNT = """async (seconds) => {
  const starts = []
  let going = true
  const watch = (now) => { starts.push(now); if (going) requestAnimationFrame(watch) }
  requestAnimationFrame(watch)
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  going = false
  return starts.slice(1).map((now, k) => now - starts[k])
}"""


def line(what: str, value: float, unit: str, most: float | None = None, least: float | None = None) -> None:
    limit = f"at most {most:g}" if most is not None else f"at least {least:g}" if least is not None else ""
    held = (most is None or value <= most) and (least is None or value >= least)
    print(f"{what:62} {value:8.4g} {unit}" + (f"   {limit}: {'yes' if held else 'NO'}" if limit else ""), flush=True)


def prediction() -> None:
    """Processor time of everything that a moved slider changes: data, thumbnail, face-off, theorems."""
    from cdlab.dashboard.choices.choices import Choices
    from cdlab.dashboard.stage.prediction import prediction as predicted

    begun = time.process_time()
    predicted(Choices(n=50, d=20).problem(), Choices(n=50, d=20))
    line("prediction, the first of a process (imports sympy)", 1e3 * (time.process_time() - begun), "ms")
    for words, (n, d, density) in SHAPES.items():
        spent = []
        for seed in range(12):
            choices = Choices(n=n, d=d, density=density, data_seed=seed)
            problem = choices.problem()
            begun = time.process_time()
            predicted(problem, choices)
            spent.append(1e3 * (time.process_time() - begun))
        line(f"prediction, {words}, other data each time", statistics.median(spent), "ms", 150)


def frames() -> None:
    with served(SERVING) as (address, _), browser() as chromium:
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.get_by_role("button", name="Play").wait_for()
        for speed, seconds in SECONDS.items():
            page.get_by_role("button", name=speed, exact=True).click()
            page.get_by_role("button", name="Play").click()
            times = page.evaluate(COUNT, seconds)
            line(f"replay with 3 lanes at {speed}: frames a second", 1e3 * len(times) / sum(times), "", least=50)
            line("   the slowest of a hundred frames took", sorted(times)[int(0.99 * len(times))], "ms")
            if page.get_by_role("button", name="Pause").count():
                page.get_by_role("button", name="Pause").click()


def pictures(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with served(SERVING) as (address, _), browser() as chromium:
        for kind, (size, (width, height)) in product(KINDS, SIZES.items()):
            page = chromium.new_page(viewport={"width": width, "height": height})
            page.goto(f"{address}?kind={kind}")
            page.get_by_role("button", name="Play").wait_for()
            for (moment, share), theme in product((("start", 0.07), ("end", 1)), ("light", "dark")):
                page.get_by_label("Playhead").evaluate(MOVE, share)
                page.evaluate(THEME, theme)
                page.wait_for_timeout(150)
                name = f"{kind} {size} {moment} {theme}.png".replace(" ", "_")
                page.screenshot(path=folder / name, full_page=size == "phone")
            page.close()


if __name__ == "__main__":
    parts = sys.argv[1:] or ["prediction", "frames"]
    if parts[0] == "pictures":
        pictures(Path(parts[1]))
    else:
        print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f} at the start")
        for part in parts:
            {"prediction": prediction, "frames": frames}[part]()
