"""The browsers that this machine has, each opened at an address."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import pytest

BROWSERS = {
    "chromium": ["chromium", "--headless", "--no-sandbox", "--disable-gpu"],
    "firefox": ["firefox-esr", "--headless", "--no-remote"],
    "webkit": ["xvfb-run", "-a", "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"],
}


@contextmanager
def opened(browser: str, address: str) -> Iterator[None]:
    """A browser that shows an address, with a profile of its own; the test is skipped where it is missing."""
    command = BROWSERS[browser]
    for program in {command[0], next(word for word in reversed(command) if not word.startswith("-"))}:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    with TemporaryDirectory(prefix=browser, ignore_cleanup_errors=True) as profile:  # sockets need a short path
        shown = _start(browser, command, address, profile)
        try:
            yield
        finally:
            _end(shown)


def _start(browser: str, command: list[str], address: str, profile: str) -> subprocess.Popen[bytes]:
    own = {"firefox": ["--profile", profile], "chromium": [f"--user-data-dir={profile}"]}.get(browser, [])
    folders = dict.fromkeys(("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TMPDIR"), profile)
    return subprocess.Popen(
        [*command, *own, address],
        env=os.environ | folders,  # webkit has no flag for its profile
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _end(leader: subprocess.Popen[bytes]) -> None:
    """End a program and all that it has started: what a shell runs outlives the shell."""
    os.killpg(leader.pid, signal.SIGTERM)
    leader.wait(20)
    for _ in range(100):
        try:
            os.killpg(leader.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(leader.pid, signal.SIGKILL)
