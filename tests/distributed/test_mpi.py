"""MPI: the same numbers as in one process, resumed to the same bits after a kill; one failed process ends the job."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from divided import MPIRUN, cut, made, write

from cdlab import distributed

RUN = """
import json, os, signal, sys
from mpi4py import MPI
from cdlab import distributed

rank, (folder, given) = MPI.COMM_WORLD.rank, sys.argv[1:]
given = json.loads(given)
killed = given.pop("killed", None)

def die(record):
    if killed is not None and record.iteration >= killed:
        os.kill(os.getpid(), signal.SIGKILL)

s = distributed.solve(folder, engine="mpi", progress=die, **given)
if rank == 0:
    print(json.dumps({"w": s.w.tobytes().hex(), "status": s.status, "records": len(s.trace.records)}))
"""


@pytest.fixture(autouse=True)
def _installed():
    pytest.importorskip("mpi4py")
    if MPIRUN is None:
        pytest.skip("this system has no mpirun")


def mpirun(processes, folder, **given):
    words = [MPIRUN, "-n", str(processes), sys.executable, "-c", RUN, str(folder), json.dumps(given)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


def solved(processes, folder, **given):
    done = mpirun(processes, folder, **given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("method", "loss"), [("cocoa", "logistic"), ("lbfgs", "squared")])
@pytest.mark.parametrize("processes", [2, 4])
def test_processes_have_the_numbers_of_one(processes, method, loss, tmp_path):
    folder = write(tmp_path / "s", cut(*made(loss=loss), 4))
    given = {"l2": 0.01, "loss": loss, "method": method, "tol": 1e-9, "intercept": method == "lbfgs"}
    found, alone = solved(processes, folder, **given), distributed.solve(folder, parts=processes, **given)
    w = np.frombuffer(bytes.fromhex(found["w"]))  # near the optimum theta is a ratio of differences that are rounded
    assert w == pytest.approx(alone.w, rel=0, abs=0 if processes == 2 else 1e-10)
    assert (found["status"], found["records"]) == (alone.status, len(alone.trace.records))


def kills(seed):
    """The updates after which the process that leads kills itself, one kill after another."""
    return sorted(np.random.default_rng(seed).integers(1, 240 * 8, size=2).tolist())


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 5))])
def test_a_killed_job_goes_on_to_the_same_bits(seed, tmp_path):
    folder, given = write(tmp_path / "s", cut(*made(), 4)), {"l2": 0.001, "tol": 1e-9}
    whole = solved(2, folder, **given)
    for killed in kills(seed):
        assert mpirun(2, folder, checkpoint=str(tmp_path / "ck"), killed=killed, **given).returncode != 0
    assert solved(2, folder, checkpoint=str(tmp_path / "ck"), **given) == whole


@pytest.mark.full
def test_an_error_in_one_process_ends_the_job(tmp_path):
    """A shard of the second process is damaged: the job ends, and says which."""
    folder = write(tmp_path / "s", cut(*made(), 4))
    (folder / "003.npz").write_bytes(b"damaged")
    began = time.monotonic()
    done = mpirun(2, folder, l2=0.01)
    assert done.returncode not in (0, -signal.SIGKILL)
    assert "003.npz" in done.stderr
    assert time.monotonic() - began < 60


def test_an_error_of_one_process_alone_aborts_the_others(tmp_path):
    """What one process raises outside of a step, the others would wait for."""
    folder = write(tmp_path / "s", cut(*made(), 4))
    code = RUN.replace("os.kill(os.getpid(), signal.SIGKILL)", "raise RuntimeError('my own')")
    words = [MPIRUN, "-n", "2", sys.executable, "-c", code, str(folder), json.dumps({"l2": 0.01, "killed": 1})]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "my own" in done.stderr


@pytest.mark.full
def test_the_command_of_the_docs(tmp_path):
    folder = write(tmp_path / "s", cut(*made(), 4))
    cdlab = [sys.executable, "-m", "cdlab"]
    words = [*cdlab, "solve", str(folder), "--l2", "1/n", "--engine", "mpi", "--checkpoint", str(tmp_path / "ck")]
    done = subprocess.run([MPIRUN, "-n", "2", *words], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("tolerance reached") == 1
    again = subprocess.run([MPIRUN, "-n", "2", *words], capture_output=True, text=True, timeout=120, check=False)
    assert again.stdout.splitlines()[-1].partition(" s: ")[2] == done.stdout.splitlines()[-1].partition(" s: ")[2] != ""
    words = [*words[:-4], "--engine", "alone", "--intercept"]
    alone = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert alone.returncode == 0


@pytest.mark.full
def test_a_refusal_is_one_sentence_of_one_process(tmp_path):
    X, y = made()
    shards = cut(X, y, 4)
    folder = write(tmp_path / "s", [*shards[:3], (shards[3][0], np.full(shards[3][1].size, 7.0))])
    words = [MPIRUN, "-n", "2", sys.executable, "-m", "cdlab", "solve", str(folder), "--engine", "mpi"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count("has the label 7.0, which no shard before it has") == 1
    assert "Traceback" not in done.stderr
