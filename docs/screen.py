"""The README's animated picture: a race on the dashboard, from the guess to the outcome.

    python docs/screen.py [FILE]    default: docs/screen.gif

Served, driven and photographed here: it shows the page as it is.
"""

import io
import sys
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "ui")]

from browsing import Visitor, browser, dashboard  # noqa: E402

SIZE = {"width": 1280, "height": 720}
WIDTH = 960  # of the picture
COLOURS = 128
PACE = 40  # ms between two frames, besides what a photograph takes
STORY = "?story=3&step=2"


class Film:
    """Frames with their durations."""

    def __init__(self, visitor: Visitor):
        self._page = visitor.page
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []

    def take(self, milliseconds: int) -> None:
        """Photograph the page; shown for so long."""
        image = Image.open(io.BytesIO(self._page.screenshot())).convert("RGB")
        self.frames.append(image.resize((WIDTH, WIDTH * SIZE["height"] // SIZE["width"]), Image.Resampling.LANCZOS))
        self.milliseconds.append(milliseconds)

    def save(self, path: Path) -> None:
        # one palette for all, so that what stays the same is stored once
        width, height = self.frames[0].size
        some = self.frames[:: len(self.frames) // 6]
        together = Image.new("RGB", (width, height * len(some)))
        for k, frame in enumerate(some):
            together.paste(frame, (0, k * height))
        palette = together.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
        images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        images[0].save(path, save_all=True, append_images=images[1:], duration=self.milliseconds, loop=0, optimize=True)


def race(visitor: Visitor) -> Film:
    """A guess, the race, its replay, and why."""
    film, page = Film(visitor), visitor.page
    visitor.wait_for("Who needs fewer passes")
    page.wait_for_timeout(1500)
    film.take(1800)
    page.locator(".voice").get_by_role("button", name="sdca", exact=True).click()
    visitor.wait_until(lambda: visitor.voice.startswith("After "))
    while visitor.voice.startswith("After "):  # the replay
        began = time.monotonic()
        film.take(0)
        page.wait_for_timeout(PACE)
        film.milliseconds[-1] = round(1000 * (time.monotonic() - began))
    visitor.wait_for("Why:")
    page.wait_for_timeout(1000)
    film.take(5000)
    return film


def main(path: Path) -> None:
    with dashboard() as (address, _), browser() as chromium:
        film = race(Visitor(chromium, address, SIZE, STORY))
    film.save(path)
    print(f"{path}: {len(film.frames)} frames, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screen.gif")
