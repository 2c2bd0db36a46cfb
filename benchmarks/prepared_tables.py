"""The face-off's verdict beside races, on 60 tables prepared as docs/own_data.md says or does not say.

``python benchmarks/prepared_tables.py`` races rcd against sdca with uniform draws on each, three seeds, to a relative
best gap of 1e-6, and puts `FaceOff.recommended` and `cdlab.advise` (by passes) beside it: one line a table, then how
often the verdict agrees with the race, is silent, or is wrong, and why where it does not agree. It takes some minutes.
``--draw 1`` draws all generators, rows of real sets and weights anew, and words choose tables by their names. Real sets
come from CDLAB_DATA.

The list, `TABLES` with the losses and weights of `cases`, was committed before any verdict on it was looked at. The
rule of `FaceOff.recommended` was found while these races were seen, and made more careful after one wrong verdict of
``--draw 1``; it had seen nothing of ``--draw 2``.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import cdlab

EPS = 1e-6
SEEDS = (0, 1, 2)
MAX_PASSES, MAX_VISITS = 3000, 4e8  # of a run
TIE = 1.25  # medians of three runs nearer than this name no winner
MAX_EXACT = 100  # coordinates of both sides whose exact rate is computed
SMOOTH = ("logistic", "squared_hinge", "smooth_hinge")
WEIGHTS = (0.1, 1.0, 10.0)  # l2 n
SIDE = {"rcd": "primal", "sdca": "dual"}
drawn = 0  # which seeds and weights
ENTRIES = [f"{method}@uniform" for method in SIDE]
Table = tuple[Any, np.ndarray]


# ---------------------------------------------------------------- preparing
def centred(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0."""
    return X - X.mean(axis=0)


def standardised(X: np.ndarray) -> np.ndarray:
    """Centred columns of unit deviation; constant ones become 0."""
    deviations = X.std(axis=0)
    return centred(X) / np.where(deviations > 1e-12, deviations, 1.0)


def dummies(codes: np.ndarray, drop_first: bool = False) -> np.ndarray:
    """A column of zeros and ones for each level of each column."""
    columns = [codes[:, [j]] == np.unique(codes[:, j])[drop_first:] for j in range(codes.shape[1])]
    return np.hstack(columns).astype(float)


def signs(t: np.ndarray) -> np.ndarray:
    """Two classes, divided at the median."""
    return np.where(t > np.median(t), 1.0, -1.0)


def generator(seed: int) -> np.random.Generator:
    """Of a seed, and of `drawn`."""
    return np.random.default_rng(seed + 1000 * drawn)


def real(name: str, rows: int | None = None) -> Table:
    """A set of CDLAB_DATA, or rows of it."""
    X, y = cdlab.datasets.load(name)
    if rows is not None and rows < X.shape[0]:
        chosen = np.sort(generator(0).choice(X.shape[0], rows, replace=False))
        X, y = X[chosen], y[chosen]
    return X, np.asarray(y, dtype=float)


def array(X: Any) -> np.ndarray:
    """A dense copy."""
    return X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)


def genes(n: int, d: int, seed: int, factors: int = 5) -> Table:
    """Few samples of many correlated columns, as of gene expression, with a label of some of the factors."""
    rng = generator(seed)
    hidden = rng.standard_normal((n, factors))
    X = hidden @ rng.standard_normal((factors, d)) + rng.standard_normal((n, d)) * rng.uniform(0.5, 2, d) + 8
    return X, signs(hidden[:, 0] + 0.5 * rng.standard_normal(n))


def credit(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, codes of words, and a label: a table of loans."""
    rng = generator(seed)
    numbers = np.c_[rng.gamma(2, 10, n), rng.lognormal(7, 1, n), rng.integers(18, 75, n), rng.integers(1, 5, (n, 3))]
    levels = (4, 5, 10, 5, 5, 4, 3, 4, 3, 3, 4, 2, 2)
    codes = np.c_[*(rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0))) for k in levels)]
    effects = sum(rng.standard_normal(k)[codes[:, j]] for j, k in enumerate(levels))
    return numbers, codes, signs(effects - 0.05 * numbers[:, 0] + rng.logistic(size=n))


def linear(X: np.ndarray, seed: int, noise: float = 0.5, offset: float = 0.0) -> Table:
    """Labels of a few columns, with noise of that share of their deviation."""
    rng = generator(seed)
    t = standardised(X) @ (rng.standard_normal(X.shape[1]) * (rng.random(X.shape[1]) < 0.3))
    return X, t + noise * t.std() * rng.standard_normal(len(X)) + offset


def normal(n: int, d: int, seed: int) -> np.ndarray:
    """Independent normal entries."""
    return generator(seed).standard_normal((n, d))


def of_X(change: Callable[[np.ndarray], Any], table: Table) -> Table:
    """A table with another X."""
    return change(array(table[0])), table[1]


def in_float32(X: np.ndarray) -> np.ndarray:
    """Centred and scaled in single precision, so that columns are centred but for its rounding."""
    return standardised(X.astype(np.float32)).astype(np.float32).astype(float)


def credit_table(encode: Callable[[np.ndarray, np.ndarray], Any], n: int, seed: int) -> Table:
    """A table of loans, with numbers and codes made to X."""
    numbers, codes, y = credit(n, seed)
    return encode(numbers, codes), y


def doubled(X: np.ndarray) -> np.ndarray:
    """Each column twice."""
    return np.hstack([X, X])


def with_constant(X: np.ndarray) -> np.ndarray:
    """A column of ones more."""
    return np.hstack([X, np.ones((len(X), 1))])


def mixed(numbers: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Numbers standardised, and a column for each level."""
    return np.hstack([standardised(numbers), dummies(codes)])


TABLES: dict[str, Callable[[], Table]] = {
    # few rows, many columns
    "genes 64 x 15000, standardised": lambda: of_X(standardised, genes(64, 15_000, 1)),
    "genes 64 x 15000, centred": lambda: of_X(centred, genes(64, 15_000, 2)),
    "genes 40 x 2000, standardised in float32": lambda: of_X(in_float32, genes(40, 2000, 3)),
    "leukemia72.raw, standardised": lambda: of_X(standardised, real("leukemia72.raw")),
    "leu, as it is": lambda: real("leu"),
    "leu, standardised": lambda: of_X(standardised, real("leu")),
    "genes 100 x 300, standardised": lambda: of_X(standardised, genes(100, 300, 4)),
    "normal 60 x 400, standardised, rows doubled": lambda: of_X(
        lambda X: np.vstack([X, X]), (standardised(normal(60, 400, 5)), normal(120, 1, 6)[:, 0])
    ),
    # words as zeros and ones
    "credit 1000, all levels": lambda: credit_table(lambda a, c: dummies(c), 1000, 1),
    "credit 1000, all levels, centred": lambda: credit_table(lambda a, c: centred(dummies(c)), 1000, 1),
    "credit 1000, all levels, standardised": lambda: credit_table(lambda a, c: standardised(dummies(c)), 1000, 2),
    "credit 1000, first levels dropped, standardised": lambda: credit_table(
        lambda a, c: standardised(dummies(c, drop_first=True)), 1000, 2
    ),
    "credit 1000, numbers and all levels": lambda: credit_table(mixed, 1000, 3),
    "credit 120, numbers and all levels": lambda: credit_table(mixed, 120, 4),
    "mushrooms 2000, as it is": lambda: real("mushrooms", 2000),
    "mushrooms 2000, standardised": lambda: of_X(standardised, real("mushrooms", 2000)),
    "a9a 2000, centred": lambda: of_X(centred, real("a9a", 2000)),
    # more rows than columns
    "housing_scale, standardised": lambda: of_X(standardised, real("housing_scale")),
    "housing_scale, with a constant": lambda: of_X(with_constant, real("housing_scale")),
    "bodyfat_scale, standardised": lambda: of_X(standardised, real("bodyfat_scale")),
    "abalone_scale 1500, standardised, doubled": lambda: of_X(
        lambda X: doubled(standardised(X)), real("abalone_scale", 1500)
    ),
    "covtype.binary 2000, standardised": lambda: of_X(standardised, real("covtype.binary", 2000)),
    "normal 300 x 60, standardised": lambda: linear(standardised(normal(300, 60, 7)), 8),
    "normal 300 x 60, standardised, doubled": lambda: linear(doubled(standardised(normal(300, 60, 9))), 10),
    "normal 1000 x 20, far from 0": lambda: linear(normal(1000, 20, 11) + 3, 12),
    "normal 200 x 200, standardised": lambda: linear(standardised(normal(200, 200, 13)), 14),
    "normal 400 x 50, centred, labels far from 0": lambda: linear(centred(normal(400, 50, 15)), 16, offset=5.0),
    # sparse
    "reuters 1500, as it is": lambda: real("reuters21578.earnacq", 1500),
    "rcv1_vw1000, as it is": lambda: real("rcv1_vw1000"),
    "w8a 3000, as it is": lambda: real("w8a", 3000),
}


@dataclass(frozen=True)
class Case:
    """A table with a loss and a weight."""

    table: str
    loss: str
    l2n: float

    @property
    def name(self) -> str:
        return f"{self.table}; {self.loss}, l2 n = {self.l2n:g}"

    def problem(self) -> cdlab.Problem:
        X, y = TABLES[self.table]()
        if self.loss != "squared":
            y = signs(y) if np.unique(y).size > 2 else np.where(y == y.max(), 1.0, -1.0)
        return cdlab.Problem(X, y, loss=self.loss, l2=self.l2n / X.shape[0])


def cases() -> Iterator[Case]:
    """Each table with the squared loss and with another one; the weights take turns."""
    for k, table in enumerate(TABLES):
        yield Case(table, "squared", WEIGHTS[(k + drawn) % 3])
        yield Case(table, SMOOTH[k % 3], WEIGHTS[(k // 3 + drawn) % 3])


# ---------------------------------------------------------------- measuring
def raced(P: cdlab.Problem) -> dict[str, float]:
    """Median passes of each method to a relative best gap of EPS; inf where they were not reached."""
    limit = min(MAX_PASSES, max(30.0, MAX_VISITS / P.nnz))
    found = cdlab.race(P, ENTRIES, seeds=SEEDS, tol=EPS, max_passes=limit)
    return dict(zip(SIDE, np.median(found.reached(EPS), axis=1).tolist(), strict=True))


def winner(passes: dict[str, float]) -> str | None:
    """The side that is ahead by TIE or more."""
    first, last = sorted(passes, key=lambda name: passes[name])
    if math.isinf(passes[first]) or passes[last] < TIE * passes[first]:
        return None
    return SIDE[first]


def advised(P: cdlab.Problem) -> str | None:
    """The side of the better of the two that raced, by `cdlab.advise`."""
    for choice in cdlab.advise(P, EPS, by="passes", max_seconds=2):
        if choice.label in ENTRIES and choice.passes is not None:
            return SIDE[choice.method]
    return None


def in_the_end(P: cdlab.Problem) -> str:
    """Passes per factor e in the end, primal and dual, where these are exact."""
    if P.loss.name != "squared" or max(P.n, P.d) > MAX_EXACT:
        return ""
    rates = (cdlab.theory.exact_rate(P, name, "uniform").passes for name in SIDE)
    return "in the end {:.3g} and {:.3g} a factor e".format(*rates)


def outcome(side: str | None, measured: str | None) -> str:
    """What a race says of a verdict."""
    if measured is None:
        return "open"  # medians nearer than TIE, or no run at the level within its limit
    return "silent" if side is None else "agrees" if side == measured else "WRONG"


def main(words: list[str]) -> None:
    """Print a line for each table, and the counts."""
    verdicts: Counter[str] = Counter()
    advice: Counter[str] = Counter()
    reasons = []
    for case in cases():
        if not all(word in case.name for word in words):
            continue
        P = case.problem()
        start = time.perf_counter()
        face = cdlab.faceoff(P)
        recommended, verdict = face.recommended, face.verdict.split("\n")
        seconds = time.perf_counter() - start
        passes, by_advice = raced(P), advised(P)
        measured = winner(passes)
        found, of_advice = outcome(recommended, measured), outcome(by_advice, measured)
        verdicts[found] += 1
        advice[of_advice] += 1
        estimates = f"{face.exact.from_zero_P.rough} {face.exact.from_zero_D.rough}" if face.exact else ""
        print(
            f"{found:7} {case.name:74} verdict {recommended or '-':7} race {measured or '-':7} "
            f"rcd {passes['rcd']:<6.4g} sdca {passes['sdca']:<6.4g} estimated {estimates:15} "
            f"advice {by_advice or '-'} ({of_advice})  verdict in {seconds:.2f} s  {in_the_end(P)}",
            flush=True,
        )
        if found not in ("agrees", "open") or recommended != by_advice:
            exact_words = next((line for line in verdict if line.startswith("From 0")), "")
            reasons.append(f"{case.name}: the verdict {found}, advice {of_advice}. {verdict[0]} {exact_words}")
    print("\nwhere the verdict, the race and advice are not of one mind:\n\n" + "\n".join(reasons))
    print(f"\nverdict: {dict(verdicts)}; advice: {dict(advice)}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("words", nargs="*")
    arguments.add_argument("--draw", type=int, default=0)
    options = arguments.parse_args()
    drawn = options.draw
    warnings.filterwarnings("ignore", message="the columns of X have mean 0")
    main(options.words)
