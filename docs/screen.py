"""The film of a race on the dashboard, a minute with captions, and the README's animated picture, its first half.

    .venv/bin/pip install -e ".[test]" imageio-ffmpeg && .venv/bin/python docs/screen.py

It serves the page, drives and photographs it, and so shows it as it is: docs/static/film.webm (VP9, by the ffmpeg that
imageio-ffmpeg brings along) with captions in the picture, the same as text in film.vtt, for screen readers, the poster
film.png, and docs/screen.gif. A busy machine makes it slower to make, not slower to watch: how long a photograph is
shown is said here.
"""

import io
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "ui")]

from browsing import Visitor, browser, dashboard  # noqa: E402

PAGE = {"width": 1280, "height": 720}
STRIP = 64  # pixels below the page, for the caption
STORY = "?story=1&step=1"
FRAMES_A_SECOND = 12
GIF_WIDTH, GIF_SECONDS, GIF_FRAMES_A_SECOND, COLOURS = 960, 35, 4, 96
POINTER = [(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (13, 12)]
ENCODE = "-c:v libvpx-vp9 -crf 38 -b:v 0 -row-mt 1 -g 240 -pix_fmt yuv420p -an"
CAPTION = """<body style="margin: 0"><div style="box-sizing: border-box; height: {height}px; padding: 0 24px;
display: flex; align-items: center; background: #1b2430; color: white; font: 20px/1.25 sans-serif">{words}</div>"""
SET_RAIL = "(rail, part) => { rail.value = rail.max * part; rail.dispatchEvent(new Event('input', {bubbles: true})) }"
PATIENCE = 600  # seconds, for a race on a busy machine
FEWEST_ROWS = 4  # of 200 steps of the slider


class Film:
    """Photographs of a page with a pointer and a caption, and how long each is shown.

    Attributes
    ----------
    frames : list of (image, seconds)
    captions : list of (seconds from the beginning, words)
    """

    def __init__(self, visitor: Visitor, chromium) -> None:
        self.page = visitor.page
        self.frames: list[tuple[Image.Image, float]] = []
        self.captions: list[tuple[float, str]] = []
        self._titles = chromium.new_page(viewport={"width": PAGE["width"], "height": STRIP})
        self._at = (640.0, 400.0)

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.frames)

    def say(self, words: str) -> None:
        """The caption from here on."""
        self.captions.append((self.seconds, words))

    @cache  # noqa: B019  there is one film
    def _strip(self, words: str) -> Image.Image:
        self._titles.set_content(CAPTION.format(height=STRIP, words=words))
        return _image(self._titles.screenshot())

    def take(self, seconds: float = 1 / FRAMES_A_SECOND) -> None:
        """Photograph the page; shown for so long."""
        image = Image.new("RGB", (PAGE["width"], PAGE["height"] + STRIP))
        image.paste(_image(self.page.screenshot()))
        x, y = self._at
        ImageDraw.Draw(image).polygon([(x + dx, y + dy) for dx, dy in POINTER], fill="black", outline="white")
        image.paste(self._strip(self.captions[-1][1]), (0, PAGE["height"]))
        self.frames.append((image, seconds))

    def hold_until(self, second: float) -> None:
        """Show the page as it is until this second of the film."""
        assert second > self.seconds, f"{self.seconds:.1f} s are shown already"
        self.take(second - self.seconds)

    def point(self, x: float, y: float, seconds: float = 0.8) -> None:
        """Move the pointer."""
        (from_x, from_y), count = self._at, round(seconds * FRAMES_A_SECOND)
        for k in range(1, count + 1):
            part = (k / count) ** 2 * (3 - 2 * k / count)
            self._at = from_x + part * (x - from_x), from_y + part * (y - from_y)
            self.page.mouse.move(*self._at)
            self.take()

    def press(self, target) -> None:
        box = target.bounding_box()
        self.point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        target.click()

    def replay(self, until: float) -> None:
        """Let the playhead pass over the race, from its beginning to its end."""
        rail = self.page.get_by_role("slider", name="Playhead")
        count = round((until - self.seconds) * FRAMES_A_SECOND)
        for k in range(1, count + 1):
            rail.evaluate(SET_RAIL, k / count)
            self.take()

    def drag(self, name: str, places: list[float], until: float) -> None:
        """Drag a slider by its thumb, slowly enough for the page to follow, through places between 0 and 1."""
        box = self.page.get_by_role("slider", name=name, exact=True).first.bounding_box()
        thumb, y = box["height"] / 2, box["y"] + box["height"] / 2
        along = [box["x"] + thumb + place * (box["width"] - 2 * thumb) for place in places]
        self.point(along[0], y)
        self.page.mouse.down()
        count = round((until - self.seconds) * FRAMES_A_SECOND)
        for k in range(count):
            self._at = along[(k * (len(along) - 1)) // (count - 1)], y
            self.page.mouse.move(*self._at)
            self.page.wait_for_timeout(250)
            self.take()
        self.page.wait_for_timeout(1500)  # the last place may still be on its way
        self.page.mouse.up()


def _image(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGB")


def film(visitor: Visitor, chromium) -> Film:
    """A guess, the race, its outcome beside the bounds, a slider that turns it round, and why: a minute."""
    shown, page = Film(visitor, chromium), visitor.page
    visitor.wait_for("Who needs fewer passes", PATIENCE)
    page.wait_for_timeout(1500)
    shown.say(
        "One problem, two algorithms: rcd moves a weight, quartz a multiplier of the dual. "
        "Which needs fewer passes over the data?"
    )
    shown.take(5)
    shown.press(page.locator(".voice").get_by_role("button", name="primal (rcd)", exact=True))
    visitor.wait_for("Why:", PATIENCE)
    page.wait_for_timeout(500)
    shown.say("The guess is rcd. They race: a step of rcd reads a column, a step of quartz a row. Equal work for both.")
    shown.replay(22)
    visitor.wait_for("Why:", PATIENCE)
    page.wait_for_timeout(500)
    outcome = visitor.voice.partition(".")[0]
    shown.say(f"{outcome}. The guess was wrong: for the same work quartz takes twenty times as many steps.")
    shown.hold_until(28)
    shown.say("Dotted: what the theorems promise, for the worst case. Here the runs need a third and an eighth of it.")
    shown.point(720, 470, 1)
    shown.hold_until(35)
    shown.say("One slider turns it round: with fewer rows, columns get short and the bounds change sides.")
    page.get_by_role("button", name="Explore", exact=True).click()
    page.wait_for_timeout(1000)
    start = float(page.get_by_role("slider", name="rows", exact=True).first.input_value())
    steps = 80
    shown.drag("rows", [(start + (FEWEST_ROWS - start) * k / steps) / 200 for k in range(steps + 1)], 45)
    for _ in range(PATIENCE):  # it may ask first
        if page.locator(".voice", has_text="Why:").count():
            break
        asks = page.locator(".voice").get_by_role("button", name="Run", exact=False)
        if asks.count():
            asks.first.click()
        page.wait_for_timeout(1000)
    visitor.wait_for("Why:", PATIENCE)
    page.wait_for_timeout(1000)
    rows = re.search(r"([\d,]+) examples", page.locator(".screen").inner_text())[1]
    shown.say(f"Raced again, with {rows} rows and 40 columns: now rcd is first, as the theorems said before it began.")
    shown.hold_until(50)
    shown.say("It says why, in the numbers of this matrix; your own data, methods and bounds can stand in their place.")
    shown.point(660, 300)
    shown.hold_until(60)
    return shown


# ------------------------------------------------------------ files
def captions(shown: Film) -> str:
    """WebVTT."""
    ends = [start for start, _ in shown.captions[1:]] + [shown.seconds]
    cues = [
        f"00:{a:06.3f} --> 00:{b - 0.001:06.3f}\n{words}" for (a, words), b in zip(shown.captions, ends, strict=True)
    ]
    return "\n\n".join(["WEBVTT", *cues, ""])


def write_video(shown: Film, path: Path) -> None:
    from imageio_ffmpeg import get_ffmpeg_exe

    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for k, (image, seconds) in enumerate(shown.frames):
            image.save(Path(folder, f"{k}.png"), compress_level=1)
            lines += [f"file {k}.png", f"duration {seconds:.6f}"]
        Path(folder, "list").write_text(
            "\n".join([*lines, lines[-2], ""])
        )  # the last file again: else it has no length
        of_list = ["-f", "concat", "-i", str(Path(folder, "list")), "-vf", f"fps={FRAMES_A_SECOND}"]
        command = [
            get_ffmpeg_exe(),
            "-v",
            "error",
            "-y",
            *of_list,
            *ENCODE.split(),
            "-t",
            f"{shown.seconds:.3f}",
            str(path),
        ]
        subprocess.run(command, check=True)


def write_gif(shown: Film, path: Path) -> None:
    """The film's first part, with fewer frames and colours; one palette for all, so that what stays is stored once."""
    images, milliseconds, at = [], [], 0.0
    for image, seconds in shown.frames:
        if at < GIF_SECONDS and (not images or sum(milliseconds) <= 1000 * at + 1):
            images.append(image.resize((GIF_WIDTH, GIF_WIDTH * image.height // image.width), Image.Resampling.LANCZOS))
            milliseconds.append(round(1000 * max(seconds, 1 / GIF_FRAMES_A_SECOND)))
        at += seconds
    width, height = images[0].size
    some = images[:: max(len(images) // 6, 1)]
    together = Image.new("RGB", (width, height * len(some)))
    for k, image in enumerate(some):
        together.paste(image, (0, k * height))
    palette = together.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=milliseconds, loop=0, optimize=True)


def main() -> None:
    with dashboard() as (address, _), browser() as chromium:
        shown = film(Visitor(chromium, address, PAGE, STORY), chromium)
    static = ROOT / "docs" / "static"
    write_video(shown, static / "film.webm")
    (static / "film.vtt").write_text(captions(shown), encoding="utf-8")
    poster = next(image for image, seconds in shown.frames if seconds > 5.5)
    poster.crop((0, 0, PAGE["width"], PAGE["height"])).quantize(64, dither=Image.Dither.NONE).save(
        static / "film.png", optimize=True
    )
    write_gif(shown, ROOT / "docs" / "screen.gif")
    for path in (*static.glob("film.*"), ROOT / "docs" / "screen.gif"):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.2f} MB")
    print(f"{shown.seconds:.1f} s, {len(shown.frames)} photographs")


if __name__ == "__main__":
    main()
