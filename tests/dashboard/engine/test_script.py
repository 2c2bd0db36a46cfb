"""The script of a race is run, and comes to the passes that the page shows."""

import subprocess
import sys

import numpy as np
import pytest
from small_choices import small

from cdlab.dashboard.engine import facts
from cdlab.dashboard.engine.outcomes import reach_of
from cdlab.dashboard.engine.racing import run_race

pytestmark = pytest.mark.full  # it starts Python


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "loss": "smooth_hinge",
            "gamma": 0.3,
            "scale": "mean",
            "methods": ["sdca@permutation", "quartz(4)", "gd"],
            "seed": 4,
        },
        {"data": "mushrooms", "sample": 300, "methods": ["sdca", "rcd"], "l2": 5.0},
    ],
)
def test_script_comes_to_the_same_passes(changes, tmp_path):
    choices = small(**changes)
    path = tmp_path / "race.py"
    path.write_text(facts("Code", choices).words, encoding="utf-8")
    run = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    race = run_race(choices)
    for line in run.stdout.splitlines():
        words = line.split()
        shown = reach_of(race.of(words[0])).high
        np.testing.assert_allclose([float(each) for each in words[1:-2]], shown, rtol=1e-8)
    assert len(run.stdout.splitlines()) == len(choices.methods)
