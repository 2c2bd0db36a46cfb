"""What two threads bring: a race's runs side by side, `n_jobs` of a problem, and what is not done: shared batches.

    python benchmarks/threads.py [DATA ...]      default: reuters21578.earnacq news20.unigram w8a (needs CDLAB_DATA)

Wall time, interleaved; medians of the ratios within a round, with the smallest and largest. Races use threads
(`race(jobs=2)`), mini-batches do not: their products, half of what a batch costs, gain from about a hundred rows on
while both cores are free, and lose up to tens of times where one is not, because each waits for the other at the end.
"""

import sys
import time

import numba
import numpy as np

import cdlab
from cdlab.methods.newton.gram import add_examples

MAX_GRAM_FEATURES = 1000
ROUNDS, ROWS = 9, (8, 32, 128, 512, 2048)
AT_LEAST = 4096  # rows in a timing


def product(values, columns, starts, w, rows, out):
    """out = x_i'w for the rows of a batch."""
    for k in numba.prange(rows.size):
        total = 0.0
        for e in range(starts[rows[k]], starts[rows[k] + 1]):
            total += values[e] * w[columns[e]]
        out[k] = total


one, two = numba.njit(product), numba.njit(parallel=True)(product)


def wall(action, times: int = 1) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        action()
    return (time.perf_counter() - begun) / times


def median_and_range(ratios) -> str:
    return f"{np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def batches(X) -> None:
    rng = np.random.default_rng(0)
    w, columns = rng.standard_normal(X.shape[1]), X.indices.astype(np.uint32)
    for m in ROWS:
        rows, out = rng.integers(X.shape[0], size=m), np.empty(m)
        given = (X.data, columns, X.indptr, w, rows, out)
        one(*given), two(*given)  # compiles
        each = [
            [wall(lambda f=f, given=given: f(*given), max(1, AT_LEAST // m)) for f in (one, two)] for _ in range(ROUNDS)
        ]
        ratios = median_and_range([b / a for a, b in each])
        print(f"  products of {m:5} rows, two threads over one: {ratios}", flush=True)


def shared(X, y) -> None:
    """Products and the Gram matrix of all rows on one and two threads, and runs and a path made of them."""
    rng, alpha = np.random.default_rng(0), np.random.default_rng(1).standard_normal(X.shape[0])
    problems = [cdlab.Problem(X, y, loss="logistic", l2=1e-4, n_jobs=jobs) for jobs in (1, 2)]
    one = problems[0]
    w, examples = rng.standard_normal(one.d), np.arange(one.n, dtype=np.uint64)
    compare("X w", lambda P: P.predict(w), problems, 20)
    compare("H s", lambda P: P.products.add_curvature(examples, alpha, w, np.zeros(P.d)), problems, 20)
    if one.d <= MAX_GRAM_FEATURES:
        G = np.zeros((one.d, one.d))
        compare("X'diag(h)X", lambda P: add_examples(P, examples, alpha, P.row_pairs, G), problems, 20)
    for method in ("auto", "newton_cd", "lbfgs", "sdca"):
        compare(method, lambda P, method=method: cdlab.solve(P, method, max_seconds=5), problems, 3)
    largest = np.abs(one.v(one.alpha(one.zeros(one.d)))).max()
    compare("a path", lambda P: cdlab.path(P, l1=np.geomspace(largest, largest / 100, 20), l2=0), problems, 1)


def compare(what: str, act, problems, times: int) -> None:
    for P in problems:
        act(P)  # compiles
    each = [[wall(lambda P=P: act(P), times) for P in problems] for _ in range(ROUNDS)]
    milliseconds = 1e3 * np.median([a for a, _ in each])
    print(f"  {what} of {milliseconds:.2f} ms, n_jobs=2: {median_and_range([b / a for a, b in each])}", flush=True)


def races(X, y) -> None:
    P = cdlab.Problem(X, y, loss="logistic", l2=1 / X.shape[0])

    def race(jobs: int) -> None:
        cdlab.race(P, ["sdca@permutation"], seeds=range(4), tol=0, max_passes=20, jobs=jobs)

    race(1)  # compiles
    each = [[wall(lambda j=j: race(j)) for j in (1, 2)] for _ in range(ROUNDS)]
    print(f"  a race of four runs, two jobs over one: {median_and_range([b / a for a, b in each])}", flush=True)


def main(names) -> None:
    numba.set_num_threads(2)
    for name in names:
        print(name)
        X, y = cdlab.datasets.load(name)
        batches(X)
        shared(X, y)
        races(X, y)


if __name__ == "__main__":
    main(sys.argv[1:] or ("reuters21578.earnacq", "news20.unigram", "w8a"))
