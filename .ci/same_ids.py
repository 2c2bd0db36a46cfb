"""Fail unless two processes collect the same tests, seconds apart and with other hashes: xdist runs nothing otherwise.

    python .ci/same_ids.py             all tests
    python .ci/same_ids.py tests/cli   these

No id may depend on the time, a process, a hash seed or a computed result: gzip, for one, writes the time.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
APART = 1.5  # seconds: most time stamps are whole ones


def started(folder: Path, paths: list[str], hash_seed: int) -> subprocess.Popen:
    """A process that prints the ids of the tests it collects."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *paths]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


def twice(folder: Path = ROOT, paths: list[str] | None = None) -> tuple[list[str], list[str]]:
    """The ids that two processes collect, in their order."""
    processes = []
    for hash_seed in (1, 2):
        processes.append(started(folder, paths or [], hash_seed))
        time.sleep(APART)
    found = []
    for process in processes:
        printed, _ = process.communicate()
        if process.returncode != 0:
            sys.exit(f"pytest cannot collect:\n{printed}")
        found.append([line for line in printed.splitlines() if "::" in line])
    return found[0], found[1]


def difference(first: list[str], second: list[str]) -> str:
    """What only one of them has, or that the order differs; empty where they are the same."""
    lines = [f"only once: {name}" for name in sorted({*first} ^ {*second})]
    return "\n".join(lines) or ("" if first == second else "the same tests in another order")


if __name__ == "__main__":
    first, second = twice(paths=sys.argv[1:])
    if complaint := difference(first, second):
        sys.exit(complaint)
    print(f"{len(first)} tests, the same twice")
