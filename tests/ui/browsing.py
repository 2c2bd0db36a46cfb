"""A dashboard server in a process of its own, and a browser that keeps account of everything that goes wrong."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("background-networking", "component-update", "sync")
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"  # other hosts do not exist
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", ALONE]
FLAGS += [f"--disable-{what}" for what in QUIET]
DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 360, "height": 740}

# the source of the curves in the first figure that is on the page: see RacePlot
CURVES = """name => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  const figures = models.filter((model) => model.type === "Figure")
  const sources = figures.flatMap((figure) => figure.renderers.map((renderer) => renderer.data_source))
  const source = sources.find((each) => "dash" in each.data)
  return source ? Array.from(source.data[name], (curve) => Array.from(curve)) : []
}"""
TEXT = r"""main => {
  const inside = (node) => [node.shadowRoot, node].filter(Boolean).flatMap((root) => [...root.childNodes])
  const read = (node) => node.nodeType === Node.TEXT_NODE ? node.data
    : ["STYLE", "SCRIPT"].includes(node.nodeName) ? "" : inside(node).map(read).join(" ")
  return read(main).replace(/\s+/g, " ")
}"""

RACE = """() => Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  .map((model) => model.data?.race).find((race) => race !== undefined)"""

# all elements, also those in shadow roots
ALL = """const all = (node) => [node.shadowRoot, node].filter(Boolean)
  .flatMap((each) => [...each.children]).flatMap((child) => [child, ...all(child)])"""
INSIDE = f"""(name) => {{
  {ALL}
  return all(document.body).find((each) => each.className === name).getBoundingClientRect().toJSON()
}}"""


@contextmanager
def served(*command: object) -> Iterator[tuple[str, int]]:
    """The address that a Python process with these arguments says on its standard output, and the process's id."""
    with subprocess.Popen([sys.executable, *map(str, command)], stdout=subprocess.PIPE, text=True) as server:
        try:
            found = next(filter(None, (re.search(r"http://\S+", line) for line in server.stdout)), None)
            assert found, "the server ended before it said its address"
            yield found.group(), server.pid
        finally:
            server.terminate()
            server.wait(20)


@contextmanager
def dashboard(**options: object) -> Iterator[tuple[str, int]]:
    """The address and the process id of a running dashboard; `options` are those of cdlab.dashboard.serve."""
    options = {"port": 0} | options
    with served("-c", f"from cdlab.dashboard import serve; serve(show=False, **{options})") as running:
        yield running


@contextmanager
def browser() -> Iterator:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Visitor:
    """One page, as a person uses it.

    Attributes
    ----------
    page : playwright page
    complaints : list of str
        Console errors, exceptions, failed answers and requests to other hosts, which the browser does not find.
    """

    def __init__(
        self, chromium, address: str, size: dict[str, int] = DESKTOP, query: str = "", there: str = "Convergence"
    ):
        self.page, self.complaints = chromium.new_page(), []
        self.page.set_viewport_size(size)
        self._host = urlsplit(address).netloc
        self.page.on("request", self._account_for)
        self.page.on("response", self._look_at)
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address + query)
        self.region(there).wait_for()

    def _account_for(self, request) -> None:
        url = urlsplit(request.url)
        if url.netloc != self._host and url.scheme not in ("data", "blob"):
            self.complaints.append(f"a request to {url.netloc}: {url.geturl()}")

    def _look_at(self, answer) -> None:
        if answer.status >= 400:
            self.complaints.append(f"{answer.status} {answer.url}")

    def _listen(self, message) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    # ------------------------------------------------------------ doing
    def choose(self, label: str, value: str) -> None:
        """Set a choice of the open drawer, or a list of the screen: pick from it, or type and leave the field."""
        field = self.page.get_by_label(label, exact=True)
        if field.evaluate("element => element.tagName") == "SELECT":
            field.select_option(label=value)
        else:
            field.fill(value)
            field.press("Tab")

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def open(self, drawer: str) -> None:
        """Open a drawer, the one that is open stays so."""
        button = self.page.locator("#drawers").get_by_role("button", name=drawer, exact=True)
        if button.get_attribute("aria-expanded") == "false":
            button.click()

    def card(self, name: str) -> None:
        """Take a kind of data."""
        self.region("Data").get_by_role("button", name=name, exact=True).click()

    def slide(self, name: str, steps: int) -> None:
        """Move a slider of the data by the keyboard."""
        slider = self.region("Data").get_by_role("slider", name=name, exact=True)
        slider.focus()
        for _ in range(abs(steps)):
            slider.press("ArrowRight" if steps > 0 else "ArrowLeft")

    def region(self, name: str):
        """A part of the screen."""
        return self.page.get_by_role("region", name=name, exact=True)

    # ------------------------------------------------------------ seeing
    @property
    def status(self) -> str:
        return self.page.locator("span.status").inner_text()

    @property
    def outcome(self) -> str:
        return self.region("Outcome").get_by_role("status").inner_text()

    @property
    def race(self) -> dict | None:
        """What the stage draws of the race."""
        return json.loads(self.page.evaluate(RACE) or "null")

    @property
    def passes(self) -> float:
        """How far the longest run on the stage is."""
        return max((lane["passes"][-1] for lane in (self.race or {"lanes": []})["lanes"]), default=0.0)

    @property
    def text(self) -> str:
        """All text of the main area, also inside shadow roots."""
        return self.page.locator("#main").evaluate(TEXT)

    @property
    def curves(self) -> list[list[float]]:
        """The heights of the drawn points, curve by curve."""
        return self.page.evaluate(CURVES, "ys")

    @property
    def reach(self) -> float:
        """How far to the right the longest curve goes."""
        return max((xs[-1] for xs in self.page.evaluate(CURVES, "xs") if xs), default=0.0)

    def wait_until(self, holds: Callable[[], bool], seconds: float = 30) -> float:
        """Seconds until `holds()` is true."""
        start = time.monotonic()
        while not (held := holds()) and time.monotonic() - start <= seconds:
            self.page.wait_for_timeout(100)
        assert held, f"still not so after {seconds} s; status {self.status!r}, {self.complaints}"
        return time.monotonic() - start
