"""Dask: the same bits as in one process, and workers that die are survived without a checkpoint."""

import os
import signal

import numpy as np
import pytest
from cases import pushed
from divided import cut, made, optimum, write

from cdlab import distributed

Client = pytest.importorskip("distributed").Client


@pytest.fixture(scope="module")
def client():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


@pytest.mark.parametrize(("method", "loss"), [("cocoa", "logistic"), ("lbfgs", "squared")])
def test_workers_have_the_bits_of_one_process(method, loss, client, tmp_path):
    folder = write(tmp_path / "s", cut(*made(loss=loss), 4))
    given = {"l2": 0.01, "loss": loss, "method": method, "tol": 1e-9}
    s, alone = distributed.solve(folder, engine=client, **given), distributed.solve(folder, parts=2, **given)
    assert np.array_equal(s.w, alone.w)
    assert s.trace.column("gap").tolist() == alone.trace.column("gap").tolist()


def test_a_scan_and_an_error_of_a_worker(client, tmp_path):
    X, y = made()
    folder = write(tmp_path / "s", cut(X, y, 4))
    assert distributed.scan(folder, engine=client).F == distributed.scan(folder).F
    (folder / "003.npz").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="003.npz"):
        distributed.solve(folder, engine=client.scheduler.address, l2=0.1)


@pytest.mark.parametrize("killed_in", pushed(range(4), 0, 3))
@pytest.mark.parametrize("loss", ["logistic", "hinge", "smooth_hinge"])
def test_a_worker_that_dies_is_survived(killed_in, loss, tmp_path):
    X, y = made()
    P, lower = optimum(X, y, loss=loss, l2=0.01)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as own:
        seen = []

        def kill(record):
            if len(seen) == killed_in:
                os.kill(sorted(own.run(os.getpid).values())[0], signal.SIGKILL)
            seen.append(record)

        s = distributed.solve(cut(X, y, 4), loss=loss, l2=0.01, engine=own, progress=kill, tol=1e-5)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - lower <= s.gap * (1 + 1e-9)
    assert [len(lost) for lost in s.trace.meta["lost"]] == [2]
    alone = distributed.solve(cut(X, y, 4), loss=loss, l2=0.01, parts=2, tol=1e-5)
    assert len(s.trace.records) <= 2 * len(alone.trace.records) + 10
