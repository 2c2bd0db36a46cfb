"""Files that the commands read, in a folder of each test's own."""

import subprocess
import sys

import numpy as np
import pytest
from commands import write_data

import cdlab


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """Relative names mean files of this test; the caller's own data folder and window do not matter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CDLAB_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def data(tmp_path):
    """A CSV file `small.csv` with a test part beside it; the training data."""
    write_data(tmp_path)
    return cdlab.datasets.load(tmp_path / "small.csv")


@pytest.fixture
def golden(tmp_path):
    """d = 4, n = 5, X_ji = (((3j + 5i) mod 7) - 3)/2 in the face-off's transposed notation, as LIBSVM text."""
    X = np.array([[(((3 * j + 5 * i) % 7) - 3) / 2 for j in range(4)] for i in range(5)])
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x)
        for label, row in zip((1, -1, 1, 1, -1), X, strict=True)
    ]
    (tmp_path / "golden").write_text("\n".join(lines) + "\n")
    return "./golden"


@pytest.fixture
def process():
    """Starts `python -m cdlab WORDS`; whatever happens, it does not outlive its test."""
    started = []

    def start(*words, stdout=subprocess.PIPE):
        command = [sys.executable, "-m", "cdlab", *words]
        started.append(subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for run in started:
        with run:
            run.kill()
