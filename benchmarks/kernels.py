"""The cost of a visited nonzero: SDCA beside liblinear, and every method, all beside reading the matrix once.

    python benchmarks/kernels.py [DATA ...] > docs/kernels.md      five minutes; needs CDLAB_DATA

DATA are by default news20.bigram, news20.unigram and covtype. The output is Markdown, and says under which
conditions it was measured.

CPU time of one thread, measured in turn within each round, so that a neighbour's load hits all alike; a ratio is the
median over rounds of the ratio within a round, with its quartiles. liblinear's epochs 3 and 4, say, are the time of
four epochs less that of two: neither its start nor its conversion of the data counts.
"""

import itertools
import os
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
import sklearn
from kernels_methods import of_every_method
from peers.report import conditions
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import cdlab
from cdlab import methods, samplings
from cdlab.numerics.jit import reduction

ROUNDS = 15
STAGES = ((1, 2), (2, 4), (4, 8), (1, 8), (8, 16))  # from the first number of epochs to the second
EPOCHS = sorted(set(itertools.chain(*STAGES)))
L2N = 0.1  # l2 = 0.1/n
HEAD = """# What a visited nonzero costs

Printed by `python benchmarks/kernels.py`; do not edit. Nanoseconds a stored number, CPU time of one thread, medians of
interleaved rounds with the quartiles of ratios; l2 = {l2n}/n.
{processor}, {cores} cores, load average {load:.1f}; Python {python}, numpy {numpy}, scipy {scipy}, numba {numba};
liblinear of scikit-learn {sklearn}.

## SDCA in random orders

One read adds up the matrix's arrays in compiled code: no solver can be faster. X @ w is scipy's (sparse) or numpy's
(dense). An epoch of `sdca` draws a new random order of all rows and takes a step for each; so does one of liblinear's
dual coordinate descent, at the same C, but that for the squared hinge it drops rows whose variable stays at its bound.
In its second epoch nearly all rows are active, and what comes later shows what shrinking saves. Its logistic solver
does not shrink; both need fewer Newton steps in later epochs.
"""


def cpu_seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


@reduction
def added_up(a: np.ndarray) -> float:
    total = 0.0
    for k in range(a.size):
        total += a[k]
    return total


def read(X: np.ndarray | sp.csr_matrix) -> None:
    """Read once through all that an epoch reads of X."""
    for array in (X.data, X.indices) if sp.issparse(X) else (X.ravel(),):
        added_up(array)


class Ours:
    """SDCA epochs of a fresh run, one after another."""

    def __init__(self, problem: cdlab.Problem):
        method, sampling = methods.resolve("sdca"), samplings.resolve("permutation")
        self.view, self.epoch = method.view(problem), method.epoch
        self.start = lambda: method.init(problem, sampling)
        self.orders = sampling.epochs(problem.coordinates("dual"), np.random.default_rng(0))
        method.warm(self.view, self.start())

    def seconds(self, epochs: int) -> np.ndarray:
        state = self.start()
        return np.array([cpu_seconds(lambda: self.epoch(self.view, state, next(self.orders))) for _ in range(epochs)])


def liblinear(problem: cdlab.Problem, epochs: int) -> float:
    common = {"dual": True, "fit_intercept": False, "tol": 1e-300, "max_iter": epochs, "random_state": 0}
    if problem.loss.name == "logistic":
        model = LogisticRegression(solver="liblinear", C=1 / L2N, **common)
    else:
        model = LinearSVC(loss="squared_hinge", C=0.5 / L2N, **common)  # its squared hinge has no 1/2
    return cpu_seconds(lambda: model.fit(problem.X, problem.y))


def measured(problem: cdlab.Problem, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seconds, one row a round: of a read and of X @ w; of an epoch of sdca and of liblinear in each stage."""
    ours, w = Ours(problem), np.ones(problem.d)
    floors, epochs, theirs = [], [], []
    for _ in range(rounds):
        floors.append([cpu_seconds(lambda: read(problem.X)), cpu_seconds(lambda: problem.X @ w)])
        seconds = ours.seconds(EPOCHS[-1])
        epochs.append([seconds[start:end].mean() for start, end in STAGES])
        total = {k: liblinear(problem, k) if sp.issparse(problem.X) else np.nan for k in EPOCHS}
        theirs.append([(total[end] - total[start]) / (end - start) for start, end in STAGES])
    return np.array(floors), np.array(epochs), np.array(theirs)


def table(problem: cdlab.Problem) -> str:
    """The stages of sdca, of liblinear, and their ratio, as a Markdown table."""
    floors, epochs, theirs = measured(problem)
    stored = problem.X.size if isinstance(problem.X, np.ndarray) else problem.nnz
    of_read, of_product = (ratio(epochs.mean(axis=1), floor) for floor in floors.T)
    rows = [
        ["epochs", *(f"{start + 1} to {end}" if end > start + 1 else f"{end}" for start, end in STAGES)],
        ["---"] * (1 + len(STAGES)),
        ["sdca", *(f"{x:.2f}" for x in np.median(epochs, axis=0) / stored * 1e9)],
    ]
    if sp.issparse(problem.X):
        rows.append(["liblinear", *(f"{x:.2f}" for x in np.median(theirs, axis=0) / stored * 1e9)])
        rows.append(["ratio", *(ratio(*both) for both in zip(epochs.T, theirs.T, strict=True))])
    one, product = np.median(floors, axis=0) / stored * 1e9
    about = f"One read {one:.2f} ns, X @ w {product:.2f} ns; an epoch is {of_read} reads, {of_product} products."
    return about + "\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def ratio(a: np.ndarray, b: np.ndarray) -> str:
    low, middle, high = np.percentile(a / b, [25, 50, 75])
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def load(name: str) -> tuple[np.ndarray | sp.csr_matrix, np.ndarray]:
    X, y = cdlab.datasets.load(f"{name}.binary" if name == "covtype" else name, split="all")
    return (X, y) if sp.issparse(X) else (X / np.abs(X).max(axis=0), y)


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    here = conditions()
    print(HEAD.format(**here, **here["versions"], sklearn=sklearn.__version__, load=os.getloadavg()[0], l2n=L2N))
    problems = []
    for name in names:
        X, y = load(name)
        for loss in ("squared_hinge", "logistic") if sp.issparse(X) else ("squared", "logistic"):
            problem = cdlab.Problem(X, y, loss=loss, l2=L2N / X.shape[0])
            print(f"### {name}, {loss}: {problem.n} x {problem.d}\n\n{table(problem)}\n", flush=True)
            if loss != "logistic":
                problems.append((name, problem))
    print(of_every_method(problems, lambda problem: cpu_seconds(lambda: read(problem.X))))


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:] or ["news20.bigram", "news20.unigram", "covtype"])
