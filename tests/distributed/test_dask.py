"""Dask: the same bits as in one process, and workers that die are survived without a checkpoint."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cases import each_of, pushed
from divided import cut, made, optimum, write

import cdlab
from cdlab import distributed

Client = pytest.importorskip("distributed").Client
dask, da, dd = map(pytest.importorskip, ("dask", "dask.array", "dask.dataframe"))


@pytest.fixture(scope="module")
def client():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


@pytest.mark.parametrize(("method", "loss"), [("cocoa", "logistic"), ("lbfgs", "squared")])
def test_workers_have_the_bits_of_one_process(method, loss, client, tmp_path):
    folder = write(tmp_path / "s", cut(*made(loss=loss), 4))
    given = {"l2": 0.01, "loss": loss, "method": method, "tol": 1e-9, "intercept": method == "lbfgs"}
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


@pytest.mark.parametrize("killed_in", pushed(range(4), 3))
@pytest.mark.parametrize(
    ("loss", "method"),
    [
        ("logistic", "cocoa"),
        *(
            pytest.param(*each, marks=pytest.mark.full)
            for each in (("hinge", "cocoa"), ("smooth_hinge", "cocoa"), ("logistic", "lbfgs"))
        ),
    ],
)
def test_a_worker_that_dies_is_survived(killed_in, loss, method, tmp_path):
    X, y = made()
    P, lower = optimum(X, y, loss=loss, l2=0.01)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as own:
        seen = []

        def kill(record):
            if len(seen) == killed_in:
                os.kill(sorted(own.run(os.getpid).values())[0], signal.SIGKILL)
            seen.append(record)

        s = distributed.solve(cut(X, y, 4), loss=loss, l2=0.01, method=method, engine=own, progress=kill, tol=1e-5)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - lower <= s.gap * (1 + 1e-9)
    assert [len(lost) for lost in s.trace.meta["lost"]] == [2]
    alone = distributed.solve(cut(X, y, 4), loss=loss, l2=0.01, method=method, parts=2, tol=1e-5)
    assert len(s.trace.records) <= 2 * len(alone.trace.records) + 10


# ------------------------------------------------------------ Dask's own collections
def as_array(X, chunks, client):
    """A Dask array whose chunks are at workers; sparse if X is."""
    if sp.issparse(X):
        return as_array(X.toarray(), chunks, client).map_blocks(sp.csr_matrix).persist()
    return da.from_array(X, chunks=chunks).persist()


@pytest.mark.parametrize("sparse", [False, True])
def test_chunks_are_solved_where_they_are(sparse, client):
    """No row goes through this process, where none could be made: chunks are made at workers, of unknown length."""
    X, y = made(sparse=sparse)
    order = da.arange(240, chunks=60)
    dX, dy = (
        order.map_blocks(lambda i: X[i], chunks=((np.nan,) * 4, (12,)), new_axis=1),
        order.map_blocks(lambda i: y[i]),
    )
    s = distributed.solve(dX, dy, l2=0.01, tol=1e-12)
    P, lower = optimum(X, y, l2=0.01)
    assert P.primal(s.w) - lower <= s.gap * (1 + 1e-9) + 1e-12
    assert s.trace.meta["parts"] <= 2
    assert s.w == pytest.approx(cdlab.solve(P, "sdca", tol=1e-12).w, abs=1e-5)


def test_parts_are_the_chunks_of_each_worker(client):
    """The bits are those of these shards in one process."""
    X, y = made()
    workers = sorted(client.nthreads())
    placed = [client.scatter(made()[0][a : a + 60], workers=[workers[a // 60 % 2]]) for a in range(0, 240, 60)]
    dX = da.concatenate([da.from_delayed(each, (60, 12), float) for each in map(dask.delayed, placed)])
    s = distributed.solve(dX, da.from_array(y, chunks=60), l2=0.01, tol=1e-9, engine=client)
    rows = [(X[a : a + 60], y[a : a + 60]) for a in (0, 120, 60, 180)]
    alone = distributed.solve(rows, l2=0.01, tol=1e-9, parts=2)
    assert np.array_equal(s.w, alone.w)


@pytest.mark.full
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_classifier_of_a_frame_is_that_of_its_rows(classes, weighed, client):
    X, _ = made()
    names = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.1, 0.2] if classes == 3 else [0.1])]
    frame = pd.DataFrame(X, columns=list("abcdefghijkl")).assign(y=names, s=np.arange(240) % 3)
    parts = dd.from_pandas(frame, npartitions=5)
    parts = parts[parts.a > -0.5]  # of unknown lengths
    frame, x = frame[frame.a > -0.5], list("abcdefghijkl")
    mine = cdlab.CDClassifier(tol=1e-9).fit(parts[x], parts.y, parts.s if weighed else None)
    whole = cdlab.CDClassifier(tol=1e-12).fit(frame[x], frame.y, frame.s if weighed else None)
    assert mine.classes_.tolist() == whole.classes_.tolist()
    assert mine.feature_names_in_.tolist() == x
    assert mine.coef_ == pytest.approx(whole.coef_, abs=2e-5 * np.abs(whole.coef_).max())
    assert mine.certificate_.primal - whole.certificate_.dual <= mine.gap_ * (1 + 1e-9)
    predicted, z = mine.predict(parts[x]), mine.decision_function(parts[x])
    assert isinstance(predicted, da.Array)
    assert predicted.compute().tolist() == mine.predict(frame[x]).tolist()
    assert z.compute() == pytest.approx(mine.decision_function(frame[x]), rel=1e-12, abs=1e-14)


def test_a_regressor_of_an_array(client):
    X, y = made(loss="huber")
    dX, dy = as_array(X, (50, 7), client), as_array(y, 50, client)
    mine, whole = (cdlab.CDRegressor("huber", l2=0.01, tol=1e-9).fit(*data) for data in ((dX, dy), (X, y)))
    assert mine.coef_ == pytest.approx(whole.coef_, abs=1e-4)
    assert mine.intercept_ == pytest.approx(whole.intercept_, abs=1e-4)
    assert mine.predict(dX).chunks == dX.chunks[:1]
    assert mine.predict(dX).compute() == pytest.approx(mine.predict(X), rel=1e-14)


@each_of(
    "given, fitted, error, words",
    [
        ({"loss": "hinge"}, lambda X, y: (X, y), ValueError, "a free intercept has no method over parts"),
        ({"class_weight": "balanced"}, lambda X, y: (X, y), ValueError, "class_weight is not for Dask"),
        ({}, lambda X, y: (X, y.rechunk(120)), ValueError, "X has 4 and y has 2"),
        ({}, lambda X, y: (X, y.compute()), TypeError, "ndarray"),
        ({}, lambda X, y: (X, 0 * y), ValueError, "one class only"),
    ],
)
def test_what_does_not_fit_is_refused(given, fitted, error, words, client):
    X, y = made()
    with pytest.raises(error, match=words):
        cdlab.CDClassifier(**given).fit(*fitted(as_array(X, (60, 12), client), as_array(y, 60, client)))
