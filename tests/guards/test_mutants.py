"""The script that changes the code: what it changes, what it leaves alone, and how it counts."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="pip install -e .[mutants]")
FOLDER = Path(__file__).parent.parent.parent / ".ci"

SOURCE = '''
Both = Left | Right

@kernel
def f(x: int | None, n=3, *, k=0):
    """Words 1 < 2."""
    x += 1
    run.refresh()
    if x <= n * max(x, 2) and not x > 0:
        raise ValueError(f"{x + 1}")
    return list(zip(x, n, strict=True)) if isinstance(x, int | float) else k
'''


@pytest.fixture(scope="module")
def mutations():
    spec = importlib.util.spec_from_file_location("mutations", FOLDER / "mutations.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def changed(mutations):
    """Every line that some mutant has and the source has not."""
    found = set()
    for _, ways in mutations.places(SOURCE):
        for way in ways:
            if (mutant := mutations.apply(SOURCE, way)) is not None:
                found |= set(mutant.splitlines()) - set(SOURCE.splitlines())
    return {line.strip() for line in found}


@pytest.mark.parametrize(
    "line",
    [
        "def f(x: int | None, n= 4, *, k=0):",
        "pass",
        "x += 2",
        "if x < n * max(x, 2) and not x > 0:",
        "if x <= 1e3 * n * max(x, 2) and not x > 0:",
        "if x <= n * min(x, 2) and not x > 0:",
        "if x <= n and not x > 0:",
        "if x <= n * max(x, 2):",
        "if x <= n * max(x, 2) or not x > 0:",
        "if x <= n / max(x, 2) and not x > 0:",
    ],
)
def test_a_decorated_function_is_changed_in_the_ways_that_formulas_go_wrong(changed, line):
    assert line in {" ".join(each.split()) for each in changed} | changed


@pytest.mark.parametrize("left", ["x - 1", "strict=False", "&", "1e3 * 0", "1e3 *0", "/,"])
def test_words_types_and_what_changes_nothing_are_left_alone(changed, left):
    assert not any(left in line for line in changed)


@pytest.fixture
def scripts(monkeypatch):
    """The scripts' folder can be imported from, and what they set is put back."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setenv("HYPOTHESIS_STORAGE_DIRECTORY", "")
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)


def test_a_share_has_wilson_s_interval(scripts):
    import mutants

    assert mutants.wilson(0, 0) == (0.0, 1.0)
    assert mutants.wilson(8, 10) == pytest.approx((0.490, 0.943), abs=1e-3)
    assert mutants.wilson(10, 10)[1] == pytest.approx(1.0)


def test_every_file_that_a_subject_names_exists(scripts, tmp_path):
    from subjects import missing

    assert missing(FOLDER.parent) == []
    assert "cdlab/theory/lookup.py" in missing(tmp_path)
