"""A dashboard server in a process of its own, and a browser that keeps account of everything that goes wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("background-networking", "component-update", "sync")
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"  # other hosts do not exist
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", ALONE]
FLAGS += [f"--disable-{what}" for what in QUIET]
PATIENCE = 90  # seconds: a server's first visitor waits for libraries to be loaded, on a busy machine long
DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 360, "height": 740}


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

    def __init__(self, chromium, address: str, size: dict[str, int] = DESKTOP, query: str = "", there: str = "Matrix"):
        self.page, self.complaints = chromium.new_page(), []
        self.page.set_viewport_size(size)
        self.page.set_default_timeout(1000 * PATIENCE)
        self._host = urlsplit(address).netloc
        self.page.on("request", self._account_for)
        self.page.on("response", self._look_at)
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address + query)
        if there:
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
    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def slide(self, name: str, steps: int) -> None:
        """Move a slider by the keyboard, and let it go; of a phone that of the page, not of its sheet."""
        slider = self.page.get_by_role("slider", name=name, exact=True).first
        slider.focus()
        for _ in range(abs(steps)):
            slider.press("ArrowRight" if steps > 0 else "ArrowLeft")

    def region(self, name: str):
        """A part of the page."""
        return self.page.get_by_role("region", name=name, exact=True)

    # ------------------------------------------------------------ seeing
    @property
    def voice(self) -> str:
        """What the page says now."""
        return self.page.locator(".voice").inner_text()

    def wait_for(self, words: str, seconds: float = PATIENCE) -> None:
        """Wait until the page says so."""
        self.page.locator(".voice", has_text=words).wait_for(timeout=1000 * seconds)

    def wait_until(self, holds: Callable[[], bool], seconds: float = PATIENCE) -> float:
        """Seconds until `holds()` is true."""
        start = time.monotonic()
        while not (held := holds()) and time.monotonic() - start <= seconds:
            self.page.wait_for_timeout(50)
        assert held, f"still not so after {seconds} s; the page says {self.voice!r}, {self.complaints}"
        return time.monotonic() - start


def violations(visitor: Visitor) -> list[str]:
    """What axe-core finds that keeps people out, but for the markup of Tabulator, whose grid holds more than rows."""
    # without preload: it would fetch what style sheets import, relative to the page in place of the sheet
    found = Axe().run(visitor.page, options={"preload": False}).response["violations"]
    told = [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
    return [each for each in told if "tabulator" not in each]
