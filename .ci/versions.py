"""Resolve the dependencies from wheels for every Python version that the classifiers promise; fail where one does not.

    python .ci/versions.py         all of them
    python .ci/versions.py 3.14    this one

Nothing is installed. What the tests need is resolved, too: a version on which they cannot run is not promised.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
PREFIX = "Programming Language :: Python :: "


def promised(project: dict) -> list[str]:
    """The versions among the classifiers, as "3.11"."""
    return [line.removeprefix(PREFIX) for line in project["classifiers"] if line.startswith(PREFIX)]


def started(version: str, requirements: list[str]) -> subprocess.Popen:
    """A process that looks for wheels of all requirements for this version."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--python-version", version, "--only-binary=:all:", "--target", "unused", *requirements]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = project["dependencies"] + project["optional-dependencies"]["test"]
    wrong = []
    for version in sys.argv[1:] or promised(project):
        if version not in SpecifierSet(project["requires-python"]):
            wrong.append(f"Python {version}: a classifier promises it, requires-python excludes it")
            continue
        process = started(version, requirements)
        _, complaint = process.communicate()
        if process.returncode:
            errors = [line for line in complaint.splitlines() if line.startswith("ERROR")]
            wrong.append(f"Python {version}: " + " ".join(errors or [complaint]))
        else:
            print(f"Python {version}: every requirement has a wheel", flush=True)
    if wrong:
        sys.exit("\n".join(wrong))
