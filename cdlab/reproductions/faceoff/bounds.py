"""The numbers behind Theorems 2 to 5 and Corollary 6 of the face-off, each compared with the matrices themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp

from ... import datasets
from ...comparisons.claims import Outcome
from ...faceoffs import arrow, faceoff
from ...faceoffs.binary_matrices import R, d_threshold, theorem4
from ...problems.problem import Problem
from ..judging import fact

MOST = 20  # entries of the matrices that are all tried
LARGEST = 14  # rows and columns of those that the builders make
DRAWS = 1000
ROUNDING = 1e-9


def figure1(mode: str) -> dict[int, dict[int, tuple[np.ndarray, np.ndarray]]]:
    """R(alpha, d, n) against alpha: by n, then by d."""
    drawn = {10: (10, 20, 30, 31, 40, 130), 100: (100, 500, 1500, 2550, 4000)}
    return {n: {d: _curve(d, n) for d in ds} for n, ds in drawn.items()}


def _curve(d: int, n: int, most: int = 400) -> tuple[np.ndarray, np.ndarray]:
    alphas = np.unique(np.geomspace(max(d, n), d * n, most).astype(int)) if d * n > most else np.arange(d, d * n + 1)
    return alphas, np.array([R(int(alpha), d, n) for alpha in alphas])


def below_one(found: dict[int, dict[int, tuple[np.ndarray, np.ndarray]]]) -> dict[str, Outcome]:
    """Whether the largest R of the largest d is below 1."""
    most = {n: float(max(curves.items())[1][1].max()) for n, curves in found.items()}
    return {f"n = {n}, d = {max(found[n])}": fact(x < 1, "largest R < 1", x) for n, x in most.items()}


def threshold(_: Any) -> dict[str, Outcome]:
    """The smallest d from which R <= 1 for all alpha, by trying all, against floor((n + 1)^2/4)."""
    n, wrong = 10, []
    for d in range(n, 46):
        largest = max(R(alpha, d, n) for alpha in range(d, d * n + 1))
        if (largest <= 1) != (d >= d_threshold(n)):
            wrong.append(d)
    return {f"n = {n}, all d from {n} to 45": fact(not wrong, "number of d that disagree = 0", len(wrong))}


def theorems(mode: str) -> dict[str, Outcome]:
    """Theorems 2 to 5 and Corollary 6: violations found, which must be none."""
    checks: dict[str, Callable[[], tuple[int, int]]] = {
        "Theorem 3, attained in the limit": _limits,
        f"Theorem 4, ends attained for d, n <= {LARGEST}": _ends,
        f"Theorem 5 and Corollary 6, all binary matrices with d n <= {MOST}": _all_matrices,
        f"Theorem 2, importance sampling against {DRAWS} others": _importance,
    }
    found = {name: check() for name, check in checks.items()}
    return {
        f"{name} ({tried} tried)": fact(wrong == 0, "violations = 0", wrong) for name, (wrong, tried) in found.items()
    }


def _limits() -> tuple[int, int]:
    shapes = list(product(range(2, 40, 3), repeat=2))
    ends = [(arrow(d, n, 1.0, np.inf, 1.0).ratio / n, arrow(d, n, 1.0, 1.0, np.inf).ratio * d) for d, n in shapes]
    return sum(abs(end - 1) > ROUNDING for pair in ends for end in pair), 2 * len(shapes)


def _ends() -> tuple[int, int]:
    wrong = tried = 0
    for d, n in product(range(1, LARGEST + 1), repeat=2):
        for alpha in range(max(d, n), d * n + 1):
            low, high = theorem4(alpha, d, n)
            for X, end in ((datasets.worst_dual(d, n, alpha)[0], low), (datasets.worst_primal(d, n, alpha)[0], high)):
                wrong += abs(_ratio(X) / end - 1) > ROUNDING
                tried += 1
    return wrong, tried


def _ratio(X: sp.csr_matrix) -> float:
    columns, rows = np.bincount(X.indices, minlength=X.shape[1]), np.diff(X.indptr)
    return float((columns**2).sum() / (rows**2).sum())


def _all_matrices() -> tuple[int, int]:
    """C_P <= C_D where d >= n and alpha >= n^2 - 1, and where d >= floor((n + 1)^2/4), no row or column empty."""
    wrong = tried = 0
    for n in range(1, MOST + 1):
        for d in range(n, MOST // n + 1):
            numbers = np.arange(2 ** (d * n), dtype=np.uint32)
            X = np.array([numbers >> k & 1 for k in range(d * n)], dtype=np.uint8).reshape(n, d, -1)  # their bits
            rows, columns = X.sum(axis=1, dtype=int), X.sum(axis=0, dtype=int)
            full = (rows > 0).all(axis=0) & (columns > 0).all(axis=0)
            C_P, C_D, alpha = (columns**2).sum(axis=0), (rows**2).sum(axis=0), rows.sum(axis=0)
            covered = full & ((alpha >= n * n - 1) | (d >= d_threshold(n)))
            wrong += int((covered & (C_P > C_D)).sum())
            tried += int(covered.sum())
    return wrong, tried


def _importance() -> tuple[int, int]:
    X, y = datasets.make(n=40, d=25, density=0.4, row_spread=1.0, seed=0)
    problem = Problem(X, y, "logistic", l2=1 / 40)
    rng = np.random.default_rng(0)
    others = [(rng.dirichlet(np.ones(problem.d)), rng.dirichlet(np.ones(problem.n))) for _ in range(DRAWS)]
    found = faceoff(problem, samplings=others)
    best = found.importance
    pairs = [(getattr(best, name), getattr(work, name)) for work in found.by_sampling.values()
             for name in ("K_P", "K_D", "T_P", "T_D")]  # fmt: skip
    return sum(ours > theirs * (1 + ROUNDING) for ours, theirs in pairs), len(pairs)
