"""Of a product a push takes cases that have each value once; a table of cases is one test, which names what fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
CASES = """
import pytest
from cases import each_of

@pytest.mark.parametrize("x", range(4))
@pytest.mark.parametrize("y, z", [(1, 2), (3, 4)])
def test_product(x, y, z): assert z == y + 1

@pytest.mark.every_pair("the pairs matter")
@pytest.mark.parametrize("x", range(2))
@pytest.mark.parametrize("y", range(3))
def test_pairs(x, y): assert y < 3

@each_of("x, y", [(1, 1), (2, 3), (4, 4), (5, 7)])
def test_table(x, y): assert x == y

@each_of("x", [0, 1])
def test_a_silent_case(x):
    if x: assert x

@each_of("x", [1, 2])
def test_with_a_fixture(x, tmp_path): assert x and tmp_path.exists()
"""
SETTINGS = """
[tool.pytest.ini_options]
pythonpath = ["."]
addopts = "-m 'not full'"
enable_assertion_pass_hook = true
markers = ["full", "every_pair(why)"]
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What pytest prints on a push, and what for the rest."""
    folder = tmp_path_factory.mktemp("cases")
    for name in ("asserting.py", "cases.py"):
        shutil.copy(TESTS / name, folder)
    hooks = "from asserting import pytest_assertion_pass, pytest_configure, pytest_pyfunc_call\n"
    (folder / "conftest.py").write_text(hooks + "from cases import pytest_collection_modifyitems\n")
    (folder / "test_it.py").write_text(CASES)
    (folder / "pyproject.toml").write_text(SETTINGS)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "test_it.py"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    options = {"cwd": folder, "env": alone, "capture_output": True, "text": True, "check": False}
    return [subprocess.run([*command, *rest], **options).stdout for rest in ([], ["-m", "full"])]


def passed(printed, name):
    lines = (line for line in printed.splitlines() if line.startswith(f"PASSED test_it.py::{name}["))
    return {line.partition("[")[2][:-1] for line in lines}


def test_a_push_takes_each_value_of_a_product_and_the_rest_is_full(ran):
    pushed, full = ran
    taken, left = passed(pushed, "test_product"), passed(full, "test_product")
    assert len(taken) == len(left) == 4
    assert not taken & left
    assert {case[:3] for case in taken} == {"1-2", "3-4"}
    assert {case.rpartition("-")[2] for case in taken} == {"0", "1", "2", "3"}
    assert len(passed(pushed, "test_pairs")) == 6


def test_a_table_names_the_cases_that_fail_and_those_that_show_nothing(ran):
    printed, _ = ran
    assert "2 of 4 cases fail\n" in printed
    assert "2, 3: AssertionError" in printed
    assert "5, 7: AssertionError" in printed
    assert "FAILED test_it.py::test_a_silent_case - Failed: this case" in printed
    assert "PASSED test_it.py::test_with_a_fixture" in printed
