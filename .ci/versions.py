"""Resolve the dependencies from wheels for every Python version that the classifiers promise; fail where one does not.

    python .ci/versions.py             all of them, before a release; writes .ci/resolved.json
    python .ci/versions.py --changed   those whose requirements are not the ones in .ci/resolved.json

Nothing is installed. What the tests need is resolved, too: a version on which they cannot run is not promised. Each
version takes pip 20 CPU seconds, and a wheel that was once published stays: a push does not ask again for the same
requirements.
"""

import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
RESOLVED = Path(__file__).with_name("resolved.json")
PREFIX = "Programming Language :: Python :: "


def promised(project: dict) -> list[str]:
    """The versions among the classifiers, as "3.11"."""
    return [line.removeprefix(PREFIX) for line in project["classifiers"] if line.startswith(PREFIX)]


def resolved(version: str, requirements: list[str]) -> str:
    """Look for wheels of all requirements for this version: the complaint, or nothing."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--python-version", version, "--only-binary=:all:", "--target", "unused", *requirements]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR")]
    return " ".join(errors or [run.stderr]) if run.returncode else ""


def main(changed_only: bool) -> None:
    """Print a line for each version, and end with what is wrong."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = sorted(project["dependencies"] + project["optional-dependencies"]["test"])
    digest = hashlib.sha256("\n".join(requirements).encode()).hexdigest()
    before = json.loads(RESOLVED.read_text()) if changed_only else {}
    wrong, found = [], {}
    for version in promised(project):
        if version not in SpecifierSet(project["requires-python"]):
            wrong.append(f"Python {version}: a classifier promises it, requires-python excludes it")
        elif before.get(version) == digest:
            print(f"Python {version}: resolved before, with the same requirements")
        elif complaint := resolved(version, requirements):
            wrong.append(f"Python {version}: {complaint}")
        else:
            found[version] = digest
            print(f"Python {version}: every requirement has a wheel", flush=True)
    if wrong:
        sys.exit("\n".join(wrong))
    if not changed_only:
        RESOLVED.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main(changed_only="--changed" in sys.argv[1:])
