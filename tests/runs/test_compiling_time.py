"""Compiling is never timed: in a new process without kept kernels, no kernel is compiled while a run's clock goes."""

import os
import subprocess
import sys

import numpy as np
import pytest

import cdlab
from cdlab.methods import METHODS

KERNELS_AS_TIME = """
import sys
import numpy as np
from numba.core import event
import cdlab
from cdlab.runs.running import Run

class Counter(event.Listener):
    compiled = 0
    def on_start(self, event): Counter.compiled += 1
    def on_end(self, event): pass

X = np.random.default_rng(0).standard_normal((60, 8))
y = np.where(X[:, 0] > 0, 1.0, -1.0)
loss, l1, intercept = sys.argv[2:]
P = cdlab.Problem(X, y, loss=loss, l2=0.01, l1=float(l1), intercept=bool(intercept))
with event.install_listener("numba:compile", Counter()):
    run = Run(P, sys.argv[1], clock=lambda: float(Counter.compiled))
    for _ in range(30 if loss == "hinge" else 5):
        record = next(run)
print(Counter.compiled, record.seconds)
"""
RIDGE = cdlab.Problem(np.eye(3), np.ones(3), loss="squared", l2=0.01)
FITTING = [name for name in METHODS if METHODS[name]().refusal(RIDGE, cdlab.samplings.resolve("uniform")) is None]


def check(method, folder, loss="squared", l1="0", intercept=""):
    done = subprocess.run(
        [sys.executable, "-c", KERNELS_AS_TIME, method, loss, l1, intercept],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    compiled, seconds = map(float, done.stdout.split())
    assert compiled > 0
    assert seconds == 0


@pytest.mark.full
def test_newton_is_compiled_before_it_is_timed(tmp_path):
    check("newton_cd", tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("method", ["ssnal", "sdca"])
@pytest.mark.parametrize("l1", ["0", "0.01"])
def test_free_intercepts_are_compiled_before_they_are_timed(method, l1, tmp_path):
    check(method, tmp_path / "with", "hinge", l1, "1")
    check(method, tmp_path / "without", "hinge", l1)


@pytest.mark.full
@pytest.mark.parametrize("method", FITTING)
def test_every_method_is_compiled_before_it_is_timed(method, tmp_path):
    check(method, tmp_path)
