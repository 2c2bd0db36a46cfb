"""Where and with what something was measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .peers import packages
from .worker import ONE_THREAD

BENEATH = ("cdlab", "numpy", "scipy", "numba")


def conditions() -> dict[str, Any]:
    """Date, machine, versions and thread settings, as JSON takes them."""
    versions = {name: _version(name) for name in (*BENEATH, *(package.name for package in packages()))}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version for name, version in versions.items() if version},
        "threads": ONE_THREAD,
    }


def processor(told: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name where the system tells it, else its kind."""
    try:
        lines = told.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
