"""What two threads bring: a race's runs side by side; products and Gram matrices shared between threads.

    python benchmarks/threads.py [DATA ...]      default: reuters21578.earnacq news20.unigram w8a (needs CDLAB_DATA)

Wall time, interleaved; medians of the ratios within a round, with the smallest and largest. Races use threads
(`race(jobs=2)`), mini-batches do not: their products, half of what a batch costs, gain from about a hundred rows on
while both cores are free, and lose up to tens of times where one is not, because each waits for the other at the end.
Products with all of X and X'diag(h)X are tried by halves of the rows, whose sums are added: other bits than on one.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

import cdlab
from cdlab.methods.newton.gram import add_outer_products
from cdlab.problems.problem import NO_SHRINKING, _dots, _sum_of_lines

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


def whole(X, y) -> None:
    """X w, X'alpha and the Gram matrix of all rows, at once and by halves; kernels hold no lock of the interpreter."""
    P = cdlab.Problem(X, y)
    rng, half = np.random.default_rng(0), P.n // 2
    rows, w, alpha = P.by_rows.X, rng.standard_normal(P.d), rng.standard_normal(P.n)
    parts = [slice(0, half), slice(half, P.n)]
    lines = [rows._replace(indptr=rows.indptr[part.start : part.stop + 1]) for part in parts]
    z, sums = np.empty(P.n), np.zeros((3, P.d))
    examples = np.arange(P.n, dtype=np.uint64)
    tried = {
        "X w": (
            lambda: _dots(rows, w, NO_SHRINKING, z),
            lambda k: _dots(lines[k], w, NO_SHRINKING, z[parts[k]]),
            lambda: None,
        ),
        "X'alpha": (
            lambda: _sum_of_lines(rows, alpha, sums[2]),
            lambda k: _sum_of_lines(lines[k], alpha[parts[k]], sums[k]),
            lambda: sums[0] + sums[1],
        ),
    }
    if P.d <= MAX_GRAM_FEATURES:
        G = np.zeros((3, P.d, P.d))
        tried["X'diag(h)X"] = (
            lambda: add_outer_products(rows, examples, alpha, G[2]),
            lambda k: add_outer_products(rows, examples[parts[k]], alpha, G[k]),
            lambda: G[0] + G[1],
        )
    with ThreadPoolExecutor(1) as other:

        def by_halves(part, joined) -> None:
            first = other.submit(part, 0)
            part(1)
            first.result()
            joined()

        for what, (once, part, joined) in tried.items():
            once(), by_halves(part, joined)  # compiles
            each = [
                [wall(once, 20), wall(lambda part=part, joined=joined: by_halves(part, joined), 20)]
                for _ in range(ROUNDS)
            ]
            ratios = median_and_range([b / a for a, b in each])
            print(f"  {what} of {1e3 * np.median([a for a, _ in each]):.2f} ms, by halves: {ratios}", flush=True)


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
        whole(X, y)
        races(X, y)


if __name__ == "__main__":
    main(sys.argv[1:] or ("reuters21578.earnacq", "news20.unigram", "w8a"))
