"""What an SDCA epoch costs, beside the floor and beside liblinear. Prints nanoseconds per nonzero and paired ratios.

    python benchmarks/kernels.py [DATA ...]      default: news20.unigram news20.bigram covtype (needs CDLAB_DATA)

Everything is CPU time of one thread, measured in turn within each round, so that a neighbour's load hits all alike; a
ratio is the median over rounds of the ratio within a round. Columns:

    read        adding up the matrix's arrays once: no solver can be faster
    X @ w       one product of scipy (sparse) or numpy (dense)
    sdca        one epoch of cdlab's SDCA in a new random order, drawing included
    liblinear   one epoch of its dual coordinate descent (as shipped with scikit-learn) at the same C, in a new random
                order too: the time of 2k epochs less that of k, over k. For the squared hinge it shrinks: it drops rows
                whose variable stays at its bound. In epoch 2 nearly all rows are active; the later columns show what
                shrinking saves. Its logistic solver does not shrink, but needs fewer Newton steps later on.
"""

import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import cdlab
from cdlab import methods, samplings

ROUNDS = 9
STAGES = (1, 2, 4, 8)  # liblinear epochs k + 1 ... 2k
L2N = 0.1  # l2 = 0.1/n


def cpu_seconds(action) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def read(X) -> None:
    for array in (X.data, X.indices) if sp.issparse(X) else (X,):
        array.sum()


class Ours:
    """SDCA epochs of a fresh run, one after another."""

    def __init__(self, problem):
        method = methods.resolve("sdca")
        self.view, self.epoch = method.view(problem), method.epoch
        coordinates = problem.coordinates("dual")
        self.start = lambda: method.init(problem, None)
        self.orders = samplings.resolve("permutation").epochs(coordinates, np.random.default_rng(0))
        self.epoch(self.view, self.start(), np.empty(0, np.uint64))  # compile

    def seconds(self, epochs: int) -> np.ndarray:
        state = self.start()
        return np.array([cpu_seconds(lambda: self.epoch(self.view, state, next(self.orders))) for _ in range(epochs)])


def liblinear(problem, epochs: int) -> float:
    common = {"dual": True, "fit_intercept": False, "tol": 1e-300, "max_iter": epochs, "random_state": 0}
    if problem.loss.name == "logistic":
        model = LogisticRegression(solver="liblinear", C=1 / L2N, **common)
    else:
        model = LinearSVC(loss="squared_hinge", C=0.5 / L2N, **common)  # its squared hinge has no 1/2
    return cpu_seconds(lambda: model.fit(problem.X, problem.y))


def measure(name: str, X, y, loss: str) -> None:
    problem = cdlab.Problem(X, y, loss=loss, l2=L2N / X.shape[0])
    stored = problem.X.size if isinstance(problem.X, np.ndarray) else problem.nnz
    with_liblinear = sp.issparse(problem.X)
    ours, w = Ours(problem), np.ones(problem.d)
    rows = []
    for _ in range(ROUNDS):
        row = [cpu_seconds(lambda: read(problem.X)), cpu_seconds(lambda: problem.X @ w)]
        epochs = ours.seconds(2 * STAGES[-1])
        row += [epochs[k : 2 * k].mean() for k in STAGES]
        if with_liblinear:
            total = {k: liblinear(problem, k) for k in (*STAGES, 2 * STAGES[-1])}
            row += [(total[2 * k] - total[k]) / k for k in STAGES]
        rows.append(row)
    table = np.array(rows) / stored * 1e9
    medians, count = np.median(table, axis=0), len(STAGES)
    sdca = table[:, 2 : 2 + count]
    print(
        f"\n{name}, {loss}: {problem.n} x {problem.d}, {stored} stored numbers, {ROUNDS} rounds; ns per stored number"
    )
    print(f"  read {medians[0]:.2f}   X @ w {medians[1]:.2f}   sdca / read {ratio(sdca.mean(1), table[:, 0])}", end="")
    print(f"   sdca / (X @ w) {ratio(sdca.mean(1), table[:, 1])}")
    print("  epochs      " + "".join(f"{f'{k + 1} to {2 * k}':>22}" for k in STAGES))
    print("  sdca        " + "".join(f"{x:22.2f}" for x in medians[2 : 2 + count]))
    if with_liblinear:
        theirs = table[:, 2 + count :]
        print("  liblinear   " + "".join(f"{x:22.2f}" for x in medians[2 + count :]))
        print("  ratio       " + "".join(f"{ratio(sdca[:, k], theirs[:, k]):>22}" for k in range(count)))


def ratio(a: np.ndarray, b: np.ndarray) -> str:
    quotient = a / b
    low, middle, high = np.percentile(quotient, [25, 50, 75])
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name in names:
        X, y = cdlab.datasets.load(f"{name}.binary" if name == "covtype" else name, split="all")
        if not sp.issparse(X):
            X = X / np.abs(X).max(0)
        for loss in ("squared",) if not sp.issparse(X) else ("squared_hinge", "logistic"):
            measure(name, X, y, loss)


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:] or ["news20.unigram", "news20.bigram", "covtype"])
