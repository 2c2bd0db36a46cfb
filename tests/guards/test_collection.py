"""An id that depends on more than the sources is seen: xdist would refuse to run such tests."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / ".ci" / "same_ids.py"

COLLECTED = """
import gzip, os, time, pytest

@pytest.mark.parametrize("x", [gzip.compress(b"1,2")])
def test_of_bytes_with_a_time(x): ...

@pytest.mark.parametrize("x", [os.getpid()])
def test_of_a_process(x): ...

@pytest.mark.parametrize("x", [next(iter({str(k) for k in range(999)}))])
def test_of_a_hash(x): ...

@pytest.mark.parametrize("x", [1, "a", b"bytes"])
def test_of_constants(x): ...
"""


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("same_ids", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.full
def test_ids_that_depend_on_time_process_or_hash_are_named(script, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "test_it.py").write_text(COLLECTED)
    complaint = script.difference(*script.twice(tmp_path, ["test_it.py"]))
    for name in ("test_of_bytes_with_a_time", "test_of_a_process", "test_of_a_hash"):
        assert complaint.count(f"only once: test_it.py::{name}[") == 2
    assert "test_of_constants" not in complaint


def test_the_order_counts_too(script):
    assert script.difference(["a", "b"], ["b", "a"]) == "the same tests in another order"
    assert script.difference(["a", "b"], ["a", "b"]) == ""


@pytest.mark.full
def test_all_tests_have_the_same_ids_twice(script):
    """A push compares less: xdist refuses to run where its workers, started at the same moment, differ."""
    first, second = script.twice()
    assert len(first) > 1000
    assert script.difference(first, second) == ""
