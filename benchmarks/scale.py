"""What docs/scale.md tells of parts: rounds, seconds a round beside those of the model, and other programs.

    python benchmarks/scale.py two             two MPI processes against one where arithmetic takes the time
    python benchmarks/scale.py pings           sums of vectors over processes, and the constants fitted to them
    python benchmarks/scale.py rounds          seconds a round beside those of the model, for 1 and 2 processes
    python benchmarks/scale.py accuracies      rounds to a relative gap, for 1 to 16 parts (CDLAB_DATA)
    python benchmarks/scale.py memory          7.4 GiB of shards in 1 GiB of address space
    python benchmarks/scale.py peers PYTHON    beside dask-ml, which this Python has: seconds, and P - P*

A measured run is a process of its own under mpirun, or the client of workers that are processes of their own.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab import distributed, theory
from cdlab.datasets.npz import write_npz

SIZES = (1, 100, 10_000, 100_000, 1_000_000)  # numbers of a sum
MPIRUN = shutil.which("mpirun", path=str(Path(sys.executable).parent)) or shutil.which("mpirun")


def write(folder: Path, shards) -> Path:
    """NPZ files of pairs (X, y)."""
    folder.mkdir(parents=True)
    for k, (X, y) in enumerate(shards):
        write_npz(folder / f"{k:03}.npz", X, y)
    return folder


def dense(n: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) / d**0.5
    return X, np.sign(X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n))


def text(n: int, d: int, per_row: int = 40, seed: int = 0):
    """Rows of length 1, whose columns are drawn evenly."""
    rng = np.random.default_rng(seed)
    columns = np.sort(rng.integers(d, size=(n, per_row)), axis=1).astype(np.int32)
    X = sp.csr_matrix(
        (np.full(n * per_row, per_row**-0.5), columns.ravel(), np.arange(0, n * per_row + 1, per_row)), (n, d)
    )
    return X, np.sign(X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n))


def parts_of(k: int, X, y):
    return [(X[j::k], y[j::k]) for j in range(k)]


def over_mpi(processes: int, verb: str, *words):
    """What this script's verb prints in the first of so many processes."""
    command = [MPIRUN, "-n", str(processes), sys.executable, __file__, verb, *map(str, words)]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=one_thread).stdout)


# ------------------------------------------------------------ what runs in each process of mpirun
def run(folder: str, rounds: str, epochs: str) -> None:
    """Seconds of each round but the first."""
    from mpi4py import MPI

    seconds = seconds_of(folder, "mpi", int(rounds), int(epochs))
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(seconds))


def seconds_of(folder, engine, rounds: int, epochs: int, **given) -> list[float]:
    limits = {"tol": 0, "max_rounds": rounds, "local_epochs": epochs}
    s = distributed.solve(folder, l2="1/n", engine=engine, **limits, **given)
    return np.diff(s.trace.column("seconds"))[1:].tolist()


def allreduce() -> None:
    """Rows (nodes, bytes, seconds)."""
    from mpi4py import MPI

    comm, rows = MPI.COMM_WORLD, []
    for size in SIZES:
        x, times = np.ones(size), []
        for _ in range(max(7, min(300, 10**7 // size))):
            comm.Barrier()
            begun = time.perf_counter()
            comm.Allreduce(MPI.IN_PLACE, x)
            times.append(time.perf_counter() - begun)
        rows.append((comm.size, 8 * size, float(np.median(times))))
    if comm.rank == 0:
        print(json.dumps(rows))


# ------------------------------------------------------------ two processes against one
def two(folder: Path, repetitions: int = 8, rounds: int = 12) -> None:
    """Interleaved runs; a run's seconds a round are the median of its rounds."""
    given = {"dense, 200,000 x 100": dense(200_000, 100), "dense, 40,000 x 500": dense(40_000, 500)}
    for name, data in given.items():
        at = write(folder / name.replace(" ", ""), parts_of(2, *data))
        seconds = np.array([[np.median(over_mpi(k, "run", at, rounds, 4)) for k in (1, 2)] for _ in range(repetitions)])
        best = np.sort(seconds, axis=0)[: repetitions // 2].mean(axis=0)
        for what, (one, both) in (("best half", best), ("all", seconds.mean(axis=0))):
            print(f"{name}, H = 4, {what}: {1e3 * one:.1f} ms a round, two {1e3 * both:.1f} ms: {one / both:.2f}x")
        print("  ratios", (seconds[:, 0] / seconds[:, 1]).round(2).tolist(), flush=True)


# ------------------------------------------------------------ the network, and the model
class Echo:
    """What a worker of Dask holds, for pings."""

    def back(self, x):
        return x


def dask_pings(workers: int) -> list[tuple[int, int, float]]:
    """Sums through the client of what actors at so many workers give back."""
    from distributed import Client

    rows = []
    with Client(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as client:
        at = [client.submit(Echo, actor=True, pure=False, workers=[w]).result() for w in client.nthreads()]
        for size in SIZES:
            x, times = np.ones(size), []
            for _ in range(7 if size > 10**5 else 30):
                begun = time.perf_counter()
                sum(each.result() for each in [echo.back(x) for echo in at])
                times.append(time.perf_counter() - begun)
            rows.append((workers, 8 * size, float(np.median(times))))
    return rows


def fitted() -> dict[str, theory.Network]:
    """The networks of this machine."""
    rows = {"mpi": over_mpi(2, "allreduce"), "dask": [row for k in (1, 2) for row in dask_pings(k)]}
    networks = {engine: theory.fit_network(pings, engine) for engine, pings in rows.items()}
    for engine, network in networks.items():
        print(engine, "constants", ", ".join(f"{c:.3g}" for c in network.constants))
        for nodes, size, seconds in rows[engine]:
            model = network.seconds(size / 8, nodes)
            print(f"  {nodes} nodes, {size:10,} bytes: {1e6 * seconds:9.1f} us, model {1e6 * model:9.1f}")
    return networks


def pings(_: Path) -> None:
    fitted()


def rounds(folder: Path, count: int = 10) -> None:
    """The least seconds of rounds; of a visit those of both parts in one process, which sends nothing."""
    from distributed import Client

    networks = fitted()
    given = {
        "dense": dense(100_000, 100), "text, d = 2e4": text(150_000, 20_000), "text, d = 1e5": text(150_000, 100_000),
        "text, d = 1e6": text(800_000, 1_000_000)
    }  # fmt: skip
    for name, (X, y) in given.items():
        at, nnz, d = write(folder / name.replace(" ", ""), parts_of(2, X, y)), X.size, X.shape[1]
        visit = min(seconds_of(at, "alone", count, 1, parts=2)) / (2 * nnz)
        print(f"{name}: {1e9 * visit:.2f} ns a visit", flush=True)
        if d > 10**5:
            continue
        for engine, network in networks.items():
            for nodes in (1, 2):
                if engine == "mpi":
                    seconds = over_mpi(nodes, "run", at, count, 1)
                else:
                    with Client(n_workers=nodes, threads_per_worker=1, dashboard_address=":0") as client:
                        seconds = seconds_of(at, client, count, 1)
                told, model = min(seconds), theory.cocoa_time(network, visit, nodes=nodes, d=d, nnz=nnz)
                print(
                    f"  {engine}, K = {nodes}: {1e3 * told:7.2f} ms, model {1e3 * model:7.2f}: {told / model:.2f}",
                    flush=True,
                )


# ------------------------------------------------------------ rounds to an accuracy
def accuracies(_: Path) -> None:
    """Rounds of 1 to 16 parts to a relative gap of 1e-3 and 1e-6; parts in the order of the file."""
    unit, given, by_label = "rows of length 1", "as given", "rows of length 1, sorted by label"
    for name, loss, kinds in (
        ("a9a", "logistic", (unit, by_label, given)),
        ("a9a", "smooth_hinge", (unit,)),
        ("w8a", "logistic", (unit, by_label)),
        ("reuters21578.earnacq", "logistic", (unit, by_label)),
    ):
        for kind in kinds:
            X, y = cdlab.datasets.load(name, scale="none" if kind == given else "unit")
            order = np.argsort(y, kind="stable") if kind == by_label else slice(None)
            for what, more in METHODS.items():
                told = [reached(X[order], y[order], loss, k, **more) for k in (1, 2, 4, 8, 16)]
                print(f"| {name}, {loss}, {kind} | {what} | {' | '.join(told)} |", flush=True)


METHODS = {
    "cocoa": {}, "cocoa, H = 4": {"local_epochs": 4}, "without the step": {"global_step": False},
    "lbfgs": {"method": "lbfgs"},
}  # fmt: skip


def reached(X, y, loss: str, parts: int, most: int = 150, **given) -> str:
    ends = np.linspace(0, y.size, parts + 1).astype(int)
    shards = [(X[a:b], y[a:b]) for a, b in zip(ends, ends[1:], strict=False)]
    s = distributed.solve(shards, l2="1/n", loss=loss, parts=parts, max_rounds=most, **given)
    at = [s.trace.reached(eps, by="rounds") for eps in (1e-3, 1e-6)]
    return " / ".join(f"{rounds:.0f}" if rounds < np.inf else f"> {most}" for rounds in at)


# ------------------------------------------------------------ more data than memory
def memory(folder: Path, shards: int = 500) -> None:
    """The command line, with its address space limited by the system."""
    rows, d = 26_000, 76
    w = np.random.default_rng(0).standard_normal(d)
    at = folder / "shards"
    at.mkdir()
    for k in range(shards):
        rng = np.random.default_rng([1, k])
        X = rng.standard_normal((rows, d)) / d**0.5
        np.savez(at / f"{k:03}.npz", X=X, y=np.sign(X @ w + rng.standard_normal(rows)))
    size = sum(file.stat().st_size for file in at.iterdir())
    print(f"{size / 2**30:.2f} GiB in {shards} shards, {shards * rows:,} rows", flush=True)
    command = [sys.executable, "-m", "cdlab", "solve", str(at), "--l2", "1/n", "--engine", "alone", "--tol", "1e-1"]
    begun = time.perf_counter()
    subprocess.run(
        command, check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)),
    )  # fmt: skip
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{time.perf_counter() - begun:.0f} s in 1 GiB of address space; resident {largest:.0f} MB at most")


# ------------------------------------------------------------ beside dask-ml
PEER = """
import json, sys, time
import dask.array as da, numpy as np
from dask_ml.linear_model import LogisticRegression
from distributed import Client

if __name__ == "__main__":
    data, solvers = np.load(sys.argv[1]), sys.argv[2:]
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        X, y = (da.from_array(data[k], chunks=(len(data["y"]) // 2, *data[k].shape[1:])).persist() for k in ("X", "y"))
        for solver in solvers:
            begun = time.perf_counter()
            try:
                own = {"normalize": False}  # else the penalty is on the coefficients of columns of deviation 1
                model = LogisticRegression(
                    C=1.0, solver=solver, fit_intercept=False, max_iter=100, tol=1e-6, solver_kwargs=own
                )
                w = np.asarray(model.fit(X, y).coef_, float).ravel().tolist()
            except Exception as error:
                w = f"{type(error).__name__}: {str(error)[:150]}"
            print(json.dumps([solver, time.perf_counter() - begun, w]), flush=True)
"""


def peers(folder: Path, python: str) -> None:
    """The same problem, l2 = 1/n and C = 1, on two workers of Dask."""
    from distributed import Client

    X, y = dense(100_000, 50)
    at = write(folder / "shards", parts_of(2, X, y))
    np.savez(folder / "whole.npz", X=X, y=(y > 0).astype(int))
    (folder / "peer.py").write_text(PEER)
    P = cdlab.Problem(X, y, l2=1 / y.size)
    best = cdlab.solve(P, tol=1e-11).record.dual
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        for again in ("first", "second"):
            begun = time.perf_counter()
            s = distributed.solve(at, l2="1/n", engine=client, tol=1e-6)
            seconds = time.perf_counter() - begun
            print(f"cdlab, {again} call: {seconds:.2f} s, P - P* = {P.primal(s.w) - best:.1e}, certified {s.gap:.1e}")
    solvers = ("admm", "lbfgs", "newton", "gradient_descent", "proximal_grad")
    given = [python, str(folder / "peer.py"), str(folder / "whole.npz"), *solvers]
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(given, capture_output=True, text=True, env=own)
    for solver, seconds, w in map(json.loads, done.stdout.splitlines()):
        what = w if isinstance(w, str) else f"P - P* = {P.primal(np.array(w)) - best:.1e}"
        print(f"dask-ml, {solver}: {seconds:.2f} s, {what}")
    if done.returncode:
        print(done.stderr[-2000:])


VERBS = {each.__name__: each for each in (two, pings, rounds, accuracies, memory, peers)}
IN_A_PROCESS = {each.__name__: each for each in (run, allreduce)}

if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    if verb in IN_A_PROCESS:
        IN_A_PROCESS[verb](*words)
    else:
        with tempfile.TemporaryDirectory() as made:
            VERBS[verb](Path(made), *words)
