"""Disks for a test, which are small, or cannot be written."""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FULL = r"no space is left in the folder .*: [0-9.]+ (bytes|kB) free, .* needed"


@contextlib.contextmanager
def disk(size):
    """The folder of a disk of this size, as "64k"."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        alone = not sys.platform.startswith("linux") or os.geteuid()
        if alone or subprocess.run(mount, capture_output=True).returncode:
            pytest.skip("a disk can be mounted by root alone")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def remount(folder, options):
    """Change a disk: "size=9m", or "ro"."""
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
