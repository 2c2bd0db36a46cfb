"""A case without an assertion fails, whoever forgot it; what asserts in another way than `assert` counts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PLUGIN = Path(__file__).parent.parent / "asserting.py"
CASES = """
import numpy as np, pytest
from hypothesis import given, strategies
from helper import check

@pytest.mark.parametrize("x", [0, 1])
def test_early_return(x):
    if x == 0:
        return
    assert x

def test_empty_loop():
    for x in []:
        assert x

def test_nothing_raised(): ...

@pytest.mark.raises_nothing("importing is the statement")
def test_with_a_reason(): ...

@pytest.mark.raises_nothing
def test_without_a_reason(): ...

def test_numpy(): np.testing.assert_allclose(1.0, 1.0)

def test_raises():
    with pytest.raises(ZeroDivisionError): 1 / 0

def test_helper(): check(1)

@given(strategies.integers())
def test_property(x): assert x == x

@given(strategies.integers())
def test_empty_property(x):
    if x != x: assert x

def test_skipped(): pytest.skip("has a reason")

def test_false(): assert 1 > 2
"""


def test_it_fails_just_the_cases_that_show_nothing(tmp_path):
    shutil.copy(PLUGIN, tmp_path)
    hooks = "pytest_assertion_pass, pytest_configure, pytest_pyfunc_call"
    (tmp_path / "conftest.py").write_text(f"from asserting import {hooks}\n")
    (tmp_path / "helper.py").write_text("def check(x):\n    assert x\n")
    (tmp_path / "test_cases.py").write_text(CASES)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npythonpath = ["."]\nenable_assertion_pass_hook = true\n'
    )
    command = [sys.executable, "-m", "pytest", "-q", "-rfps", "-p", "no:cacheprovider", "test_cases.py"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # no plugin is needed, and some load slowly
    printed = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False).stdout
    failed = {line.split()[1].partition("::")[2]: line for line in printed.splitlines() if line.startswith("FAILED")}
    silent = {"test_early_return[0]", "test_empty_loop", "test_nothing_raised", "test_empty_property"}
    assert set(failed) == {*silent, "test_without_a_reason", "test_false"}, printed
    assert printed.count("this case executed no assertion") >= len(silent)
    assert "raises_nothing needs its reason" in printed
    assert "6 passed, 1 skipped" in printed
