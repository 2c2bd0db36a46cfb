"""The script of the Code tab is run, and gives the numbers of the dashboard's own race."""

import subprocess
import sys

import loops
import numpy as np
import pytest

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.uploads import read_upload
from cdlab.dashboard.races.code import script
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

SMALL = {"n": 60, "d": 12, "density": 0.5, "passes": 15, "tol": 1e-3}
FILE = b"".join(b"%d 1:%d 3:0.5 4:%d\n" % (k % 2, k % 5, k % 3) for k in range(30))


def printed(text: str, folder) -> dict[str, np.ndarray]:
    """(passes, error) by run, as the script prints them."""
    path = folder / "race.py"
    path.write_text(text)
    run = subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    curves, key = {}, ""
    for line in run.stdout.splitlines():
        if " seed " in line:
            key = line
            curves[key] = []
        else:
            curves[key].append([float(word) for word in line.split()])
    return {key: np.array(rows) for key, rows in curves.items()}


def raced(choices: Choices) -> dict[str, np.ndarray]:
    """The same of the dashboard's own race."""
    state = State(choices=choices)

    async def run():
        await Runner(state).start()

    loops.run(run())
    assert state.error == ""
    column = "primal" if choices.l1 == choices.l2 == 0 else "relative_gap"
    return {
        f"{lane.label} seed {lane.seed} {lane.status}": np.column_stack(
            [lane.trace.column("passes"), lane.trace.column(column)]
        )
        for lane in state.result.lanes
    }


@pytest.mark.parametrize(
    "values",
    [
        SMALL | {"seed": 3, "seeds": 2, "against": "uniform"},
        SMALL | {"loss": "logistic", "l2_over_n": False, "l2": 0.01, "l1": 0.001, "scale": "unit"},
        SMALL | {"dual_sampling": "uniform", "batch": 4, "methods": ["spdc", "quartz", "lbfgs"], "row_spread": 1.0},
        SMALL | {"loss": "logistic", "l2": 0.0, "methods": ["appa", "fista"], "dual_sampling": "uniform"},  # no gap
        {"data": "sun_ye", "n": 20, "scale": "none", "passes": 10, "loss": "squared"},
        *(
            pytest.param(values, marks=pytest.mark.full)
            for values in (
                {"data": "arrow", "n": 30, "d": 10, "column": 0.5, "row": 2.0, "passes": 10},
                {"data": "worst_primal", "n": 30, "d": 10, "density": 0.2, "passes": 10},
                {"data": "mushrooms", "passes": 3},
                SMALL | {"passes": 100_000, "seeds": 2, "methods": ["sdca", "quartz", "rcd"]},  # not after each epoch
            )
        ),
    ],
    ids=lambda values: f"{values.get('data', 'synthetic')} {values.get('methods', '')}",
)
def test_the_script_gives_the_curves_of_the_dashboard(values, tmp_path):
    choices = Choices(**values)
    script_s, ours = printed(script(choices, choices.problem().digest), tmp_path), raced(choices)
    assert list(script_s) == list(ours)
    for key, curve in ours.items():
        assert np.isfinite(script_s[key]).all()
        np.testing.assert_allclose(script_s[key], curve, rtol=1e-9)


def test_an_uploaded_file_is_named_for_the_reader_to_put_beside_the_script(tmp_path):
    choices = Choices(passes=5)
    choices.take(read_upload("mine.txt", FILE))
    text = script(choices, choices.problem().digest)
    assert "your file" in text
    (tmp_path / "mine.txt").write_bytes(FILE)
    script_s, ours = printed(text, tmp_path), raced(choices)
    for key, curve in ours.items():
        np.testing.assert_allclose(script_s[key], curve, rtol=1e-9)


def test_other_data_are_noticed(tmp_path):
    text = script(Choices(**SMALL), "0123456789abcdef")
    with pytest.raises(AssertionError, match="these are other data"):
        printed(text, tmp_path)


def test_without_anybody_to_run_the_reasons_are_given():
    with pytest.raises(ValueError, match="Choose at least one"):
        script(Choices(methods=[]))
