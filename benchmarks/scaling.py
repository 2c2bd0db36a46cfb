"""How costs grow: exponents fitted to measured costs of generated data, beside those of theory.

    python benchmarks/scaling.py

An exponent is the slope of the logarithm of the cost over that of what grows, by least squares, with its 95% interval.
Seconds are CPU time of one thread, the least of several rounds that take all sizes in turn; those of two threads are
wall time. Passes are counted. What a cost leaves out in theory (the cache, what a call costs by itself) is in what is
measured: hence 0.9 or 1.1 for 1.
"""

import time
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab.comparisons import loglog_slope

ROUNDS = 5
METHODS = ("sdca", "quartz", "spdc", "apcg", "rcd", "saga", "svrg")


def text(n: int, d: int, per_row: int, empty: int = 0) -> sp.csr_matrix:
    """n sparse rows of length 1 with `per_row` nonzeros among d columns, and `empty` columns without."""
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(d, size=(n, per_row)), axis=1).ravel()
    values = np.full(n * per_row, per_row**-0.5)
    return sp.csr_matrix((values, columns, np.arange(0, n * per_row + 1, per_row)), (n, d + empty))


def labels(n: int) -> np.ndarray:
    return np.random.default_rng(1).choice([-1.0, 1.0], n)


def problem(X, l2: float = 1e-4, loss: str = "smooth_hinge") -> cdlab.Problem:
    return cdlab.Problem(X, labels(X.shape[0]), loss=loss, l2=l2)


def seconds_a_pass(P: cdlab.Problem, method: str, passes: int = 5) -> float:
    """Of the trace: neither compiling nor measuring counts."""
    last = cdlab.solve(P, method, tol=0, max_passes=passes, every=10**6).trace.records[-1]
    return last.seconds / last.passes


def least(problems: Iterable[cdlab.Problem], seconds: Callable[[cdlab.Problem], float]) -> list[float]:
    made = list(problems)
    for P in made:
        seconds(P)  # compiles
    return list(np.min([[seconds(P) for P in made] for _ in range(ROUNDS)], axis=0))


def second_order_step(P: cdlab.Problem) -> float:
    begun = time.process_time()
    cdlab.solve(P, cdlab.methods.NewtonCD(inner="gram"), tol=0, max_passes=1)
    return time.process_time() - begun


def building(P: cdlab.Problem) -> float:
    begun = time.process_time()
    cdlab.Problem(P.X, P.y, loss=P.loss, l2=P.l2)
    return time.process_time() - begun


def certifying(P: cdlab.Problem) -> float:
    w, alpha = P.zeros(P.d), P.zeros(P.n)
    begun = time.process_time()
    P.gap(w, alpha)
    return time.process_time() - begun


def passes_of(P: cdlab.Problem, size: int) -> float:
    """Passes of SPDC to a relative gap of 1e-4."""
    return cdlab.solve(P, "spdc", batch_size=size, tol=1e-4, max_passes=10**5, every=1).trace.reached(1e-4)


def wall(P: cdlab.Problem, jobs: int) -> float:
    """Of four equal runs."""
    begun = time.perf_counter()
    cdlab.race(P, ["sdca"], seeds=range(4), tol=0, max_passes=20, jobs=jobs)
    return time.perf_counter() - begun


def show(what: str, along: str, sizes: Iterable[int], costs: Iterable[float], theory: str) -> None:
    slope = loglog_slope(sizes, costs)
    interval = f"[{slope.low:.2f}, {slope.high:.2f}]"
    tried = ", ".join(f"{size:,}" for size in sizes)
    print(f"{what:32}{along:24}{theory:>7}{slope.value:9.2f}  {interval:16}{tried}", flush=True)


def main() -> None:
    print(f"{'cost':32}{'grows with':24}{'theory':>7}{'measured':>9}  {'95% interval':16}sizes")
    ns = (32_000, 64_000, 128_000, 256_000, 512_000)
    more = [problem(text(n, 10_000, 30)) for n in ns]
    lengths = (30, 60, 120, 240, 480)
    longer = [problem(text(32_000, 10_000, r)) for r in lengths]
    emptier = (0, 100_000, 1_000_000, 3_000_000)
    wider = [problem(text(8_000, 10_000, 30, empty)) for empty in emptier]
    for method in METHODS:
        cost = partial(seconds_a_pass, method=method)
        show(f"a pass of {method}", "n, rows alike", ns, least(more, cost), "1")
        show(f"a pass of {method}", "nonzeros of a row", lengths, least(longer, cost), "1")
    for method in ("sdca", "spdc", "apcg"):
        ds = [10_000 + empty for empty in emptier]
        show(f"a pass of {method}", "d, empty columns", ds, least(wider, partial(seconds_a_pass, method=method)), "0")
    for what, cost in (("Problem(X, y)", building), ("a certificate", certifying)):
        show(what, "n, rows alike", ns, least(more, cost), "1")
    ds = (100, 200, 400, 800)
    dense = [problem(np.random.default_rng(0).standard_normal((20_000, d)), 1e-6, "logistic") for d in ds]
    show("a step of newton_cd (gram)", "d, dense", ds, least(dense, second_order_step), "2")
    ms = (16, 64, 256, 1024)
    P = problem(text(4_000, 4_000, 30), 1e-5)
    show("passes of spdc", "m, examples of a batch", ms, [passes_of(P, m) for m in ms], "<= 0.5")
    jobs = (1, 2)
    show("wall time of race", "jobs", jobs, np.min([[wall(more[2], j) for j in jobs] for _ in range(ROUNDS)], 0), "-1")


if __name__ == "__main__":
    main()
