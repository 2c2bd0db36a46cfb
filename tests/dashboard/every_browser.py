"""The browsers that this machine has, each opened at an address."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BROWSERS = {
    "chromium": ["chromium", "--headless", "--no-sandbox", "--disable-gpu"],
    "firefox": ["firefox-esr", "--headless", "--no-remote"],
    "webkit": ["xvfb-run", "-a", "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"],
}


@contextmanager
def opened(browser: str, address: str, profile: Path) -> Iterator[None]:
    """A browser that shows an address, with a profile of its own; the test is skipped where it is missing."""
    command = BROWSERS[browser]
    for program in {command[0], next(word for word in reversed(command) if not word.startswith("-"))}:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    own = {"firefox": ["--profile", str(profile)], "chromium": [f"--user-data-dir={profile}"]}.get(browser, [])
    shown = subprocess.Popen([*command, *own, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        shown.terminate()
        shown.wait(20)
