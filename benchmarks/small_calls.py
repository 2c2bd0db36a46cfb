"""Small calls: what a solution of a small problem costs beside its kernels, for every method that takes it.

    python benchmarks/small_calls.py [METHOD ...]

CPU ms of one thread from (X, y) to a solution certified to 1e-6, warm, the median of many repeats: in all; in compiled
kernels, as their callers see it; and the rest, which is Python, numpy and LAPACK. Then a full matrix of 62 x 2,000,
as an array and stored sparse.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab.methods import METHODS

REPEATS, MAX_SECONDS = 200, 2.0  # of each row


def consistent(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """X w = y with a solution: what Kaczmarz's methods take."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d)


CASES: tuple[tuple[str, dict[str, Any], tuple[np.ndarray, np.ndarray]], ...] = (
    ("squared", {"l2": 0.01}, cdlab.datasets.make(n=100, d=10, seed=0, task="regression")),
    ("logistic", {"l2": 0.01}, cdlab.datasets.make(n=100, d=10, seed=0)),
    ("squared", {"l2": 0.0}, consistent(100, 10)),
)


@contextmanager
def timed_kernels(spent: list[float]) -> Iterator[None]:
    """Add to `spent` the seconds that each call of a compiled kernel takes, seen from the modules that call it."""

    def timed(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any) -> Any:
            begun = time.thread_time()
            result = call(*arguments)
            spent.append(time.thread_time() - begun)
            return result

        return wrapper

    replaced = []
    for name, module in list(sys.modules.items()):
        if name.startswith("cdlab."):
            for key, value in list(vars(module).items()):
                if type(value).__name__ == "CPUDispatcher":
                    replaced.append((module, key, value))
                    setattr(module, key, timed(value))
    try:
        yield
    finally:
        for module, key, value in replaced:
            setattr(module, key, value)


def cpu_ms(call: Callable[[], Any]) -> float:
    """The median CPU time of a call."""
    seconds: list[float] = []
    while len(seconds) < REPEATS and sum(seconds) < MAX_SECONDS:
        begun = time.process_time()
        call()
        seconds.append(time.process_time() - begun)
    return 1e3 * median(seconds)


def kernels_ms(call: Callable[[], Any]) -> float:
    """The median time of the kernels of a call."""
    sums: list[float] = []
    while len(sums) < REPEATS / 4 and sum(sums) < MAX_SECONDS:
        spent: list[float] = []
        with timed_kernels(spent):
            call()
        sums.append(sum(spent))
    return 1e3 * median(sums)


def line(what: str, X: Any, y: np.ndarray, loss: str, weights: dict[str, float], method: str) -> None:
    def call() -> cdlab.Solution:
        return cdlab.solve(cdlab.Problem(X, y, loss, **weights), method)

    for _ in range(3):
        s = call()
    total, kernels = cpu_ms(call), kernels_ms(call)
    last = s.trace.records[-1]
    print(
        f"{what:24} {total:6.2f} {kernels:8.2f} {total - kernels:6.2f}  {s.status}, {last.passes:.0f} passes, "
        f"{len(s.trace.records)} records",
        flush=True,
    )


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    print(f"{'100 x 10':24} {'all':>6} {'kernels':>8} {'rest':>6}")
    for loss, weights, (X, y) in CASES:
        for name in names:
            P = cdlab.Problem(X, y, loss, **weights)
            method = cdlab.methods.resolve(name)
            takes_this = method.refusal(P, cdlab.samplings.Uniform()) is None
            if takes_this and (P.l2 > 0 or "kaczmarz" in name or name == "acc_cd"):
                line(f"{name} {loss}", X, y, loss, weights, name)
    print("62 x 2,000")
    X, y = cdlab.datasets.make(n=62, d=2000, seed=0)
    for stored, data in (("dense", X), ("sparse", sp.csr_matrix(X))):
        for loss in ("logistic", "squared_hinge"):
            line(f"auto {loss} {stored}", data, y, loss, {"l2": 0.1 / 62}, "auto")


if __name__ == "__main__":
    main(sys.argv[1:] or ["auto", *METHODS])
