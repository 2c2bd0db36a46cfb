"""The folder for benchopt is one that benchopt runs, and what it measures falls to the optimum."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cdlab
from benchmarks import peers

WITHOUT = "benchopt is not installed (the extra peers has it; .ci/peers installs it before a release)"
FOLDER = Path(peers.__file__).with_name("benchopt")
SOLVER = "cdlab[method=sdca,sampling=permutation]"
OBJECTIVE = "Regularised linear prediction[loss=logistic,c=1.0]"


@pytest.mark.skipif(importlib.util.find_spec("benchopt") is None, reason=WITHOUT)
def test_benchopt_runs_it(tmp_path):
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)  # it writes beside its files
    command = [sys.executable, "-m", "benchopt", "run", str(tmp_path), "-s", SOLVER, "-o", OBJECTIVE]
    command += ["-d", "Generated[n=100,d=10]", "-n", "8", "-r", "1", "--no-plot", "--no-display"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"COLUMNS": "200"})
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "outputs").glob("*.parquet")
    values = pd.read_parquet(path)["objective_value"].to_numpy()
    P = cdlab.Problem(*cdlab.datasets.make(n=100, d=10, seed=0), loss="logistic", l2=0.01)
    assert values[0] == pytest.approx(np.log(2))
    assert 0 <= values[-1] - cdlab.solve(P, tol=1e-12).trace.records[-1].dual <= 1e-4
