"""Two processes collect the same tests, seconds apart and with other hashes: otherwise xdist refuses to run them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
APART = 1.5  # seconds: time stamps in files, such as gzip's, are whole ones


def started(*arguments, hash_seed, folder=ROOT):
    """A process that prints the ids of the tests it collects."""
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


def collected(process):
    printed, _ = process.communicate(timeout=280)
    assert process.returncode == 0, printed
    return [line for line in printed.splitlines() if "::" in line]


def twice(*arguments, folder=ROOT):
    first = started(*arguments, hash_seed=1, folder=folder)
    time.sleep(APART)
    second = started(*arguments, hash_seed=2, folder=folder)
    return collected(first), collected(second)


def test_all_ids_depend_on_nothing_but_the_sources():
    first, second = twice()
    assert len(first) > 1000
    assert first == second


@pytest.mark.parametrize(
    "value", ['gzip.compress(b"1,2")', "next(iter(set(map(str, range(999)))))", "os.getpid()", "int(time.time())"]
)
def test_an_id_that_does_is_seen(value, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "test_it.py").write_text(
        f"import gzip, os, time, pytest\n@pytest.mark.parametrize('x', [{value}])\ndef test_it(x): pass\n"
    )
    first, second = twice("test_it.py", folder=tmp_path)
    assert first != second
