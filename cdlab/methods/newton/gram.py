"""The models of few features or few examples, by Cholesky.

Gram        the matrix X'diag(h)X/n, d x d. Cost: sum of c_i^2/2 over the examples whose phi'' changed (c_i their
            nonzeros), d^3/6 for the factor. Both are kept: with the squared loss there is one, and a hinge pays for
            examples that change sides. Where the factor meets a pivot <= 0, the ridge grows until it does not
Dual        through X X', n x n. The minimiser of the model is X't with n l2 t = alpha - h (X X't + b - z). It is found
            as t + u from the t of the step before, 0 at first, as iterative refinement does: on flat examples
            u = (alpha - n l2 t)/(n l2), on the others u = s y, s = sqrt(h), where with A = diag(s) X
            (n l2 I + A A') y = (alpha - n l2 t)/s + s (z - X X't - b - X X'u_flat).
            -H^-1 g by the Woodbury identity would be a difference divided by l2, and diverge where that is rounding.
            An intercept has no l2, so A leaves it out. It moves by c, and mean(alpha) becomes r_b c, r_b its ridge.
            With y_0 for c = 0 and q = (n l2 I + A A')^-1 s: y = y_0 - c q, c = l2 (sum(t + u_flat) + s'y_0)/
            (r_b + l2 s'q).
            Cost: X X' once, sum over features of c_j^2/2; then m^3/6 for the m examples with curvature, half a pass
            for X'u, and a pass for X X'u_flat where it is not 0; X X't is z - b
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np

from ...losses import hess_lipschitz
from ...numerics.jit import kernel
from ...numerics.threads import cuts, run_at_once, threads_for
from ...problems.problem import Problem
from .model import InnerSolver, Model, Step, examples_with

GRAM, PRODUCTS = "X'HX", "XX'"  # Keys in `Problem.shared`, which all weights of a path share.
BLAS_SHARE = 0.1  # Cost of a product in LAPACK or a dense Gram matrix, relative to one on sparse rows.
BLOCK_ROWS = 512  # Rows of a dense X that are scaled at once: the copy stays in the cache.
VISITS_PER_THREAD = 3e5  # Least nonzeros for a thread in a Gram matrix: handing them over takes about as long.
COUNTED_EXAMPLES = 1000  # Number of examples, about, by which rows of G are shared out.
RIDGE_GROWTH = 100.0  # Factor of a ridge that is too small for the factorisation.
ON_STEP = 1e-13  # Share of the largest |w_j| within which rounding moves w off a step.
SAFE_RIDGE = 1e-10  # Share of the largest squared norm above which a step of Dual decreases in spite of rounding.


def share_rows(
    size: int,
    visits: float,
    n_jobs: int,
    count: Callable[[np.ndarray], None],
    form: Callable[[int, int], None],
) -> None:
    """Form a Gram matrix, a stretch of its rows on each thread, so that each sum is that of one.

    Parameters
    ----------
    size : int
        Its rows.
    visits : float
        Nonzeros visited.
    n_jobs : int
        Threads at most: as many as have enough to do.
    count : callable
        Adds to an array (size,) about what each row takes.
    form : callable
        form(first, end): these rows.
    """
    threads, work = threads_for(visits, VISITS_PER_THREAD, n_jobs), np.ones(size)
    if threads > 1:
        count(work)
    run_at_once([partial(form, part.start, part.stop) for part in cuts(work, threads)])


def entries(P: Problem) -> float:
    """Numbers that a product reads: of a full X zeros, too."""
    return P.n * P.d if P.is_full else P.nnz


@kernel
def add_outer_products(X: Any, examples: np.ndarray, weights: np.ndarray, first: int, end: int, G: np.ndarray) -> None:
    """The rows first to end of the lower triangle of G (d, d) += sum of weights_i x_i x_i'; indices of a row rise."""
    for e in range(examples.size):
        i = examples[e]
        line = X.line(i)
        for p in line:
            j, c = X.indices[p], weights[i] * X.data[p]
            if j < first:
                continue
            if j >= end:
                break
            for q in range(line.start, p + np.uint64(1)):
                G[j, X.indices[q]] += c * X.data[q]


@kernel
def count_visits(X: Any, examples: np.ndarray, step: int, out: np.ndarray) -> None:
    """Count what every step-th of these examples adds to each row of G, in nonzeros visited."""
    for e in range(0, examples.size, step):
        line = X.line(examples[e])
        for p in line:
            out[X.indices[p]] += p - line.start + np.uint64(1)


def share_outer_products(
    X: Any, examples: np.ndarray, weights: np.ndarray, visits: float, n_jobs: int, G: np.ndarray, size: int
) -> None:
    """Add them to the first `size` rows of G, with so many nonzeros visited."""

    def form(first: int, end: int) -> None:
        add_outer_products(X, examples, weights, first, end, G)

    step = max(1, examples.size // COUNTED_EXAMPLES)
    share_rows(size, visits, n_jobs, partial(count_visits, X, examples, step), form)


def warm_outer_products(X: Any, n_jobs: int, G: np.ndarray) -> None:
    """Compile or load what `share_outer_products` needs."""
    none, nothing = np.empty(0, np.uint64), np.empty(0)
    add_outer_products(X, none, nothing, 0, 0, G)
    if n_jobs > 1:
        count_visits(X, none, 1, nothing)


@kernel
def count_changes(h: np.ndarray, known: np.ndarray, counts: np.ndarray) -> tuple[int, float, float]:
    """Count the h_i that changed; return `gram_visits` of these examples, and of those with curvature."""
    changed, of_changed, of_curved = 0, 0.0, 0.0
    for i in range(h.size):
        pairs = 0.5 * float(counts[i]) * float(counts[i])
        if h[i] != known[i]:
            changed += 1
            of_changed += pairs
        if h[i] != 0.0:
            of_curved += pairs
    return changed, of_changed, of_curved


def gram_visits(P: Problem, examples: np.ndarray) -> float:
    """sum of c_i^2/2 over these examples: each nonzero meets those before it on its row."""
    if examples.size == P.n:
        return P.row_pairs
    counts = P.row_profile.counts[examples].astype(float)
    return float(counts @ counts) / 2


class Gram(InnerSolver):
    """X'diag(h)X/n, its lower triangle, for the last h; `step` adds the ridge and factorises."""

    def __init__(self, P: Problem) -> None:
        self.G, self.h = np.zeros((P.d, P.d)), np.zeros(P.n)
        self.factor: np.ndarray | None = None
        self.ridge = np.empty(0)  # that of the factor

    def update(self, P: Problem, h: np.ndarray) -> float:
        """Bring G to this h, by what changed or from scratch, whichever reads less; the nonzeros visited."""
        changed, fewer, visits = count_changes(h, self.h, P.row_profile.counts)
        if not changed:
            return 0.0
        shared = P.shared if hess_lipschitz(P.loss) == 0 else None
        if shared is not None and GRAM in shared:
            self.G, self.h, self.factor = shared[GRAM], h, None
            return 0.0
        change = h
        if fewer < visits:
            change, visits = h - self.h, fewer
        else:
            self.G[:] = 0.0
        add_examples(P, examples_with(change), change / P.n, visits, self.G)
        self.h, self.factor = h, None
        if shared is not None:
            shared[GRAM] = self.G
        return visits

    def step(self, P: Problem, model: Model) -> Step:
        from scipy.linalg import lapack

        visits = self.update(P, model.h)
        if self.factor is None or not np.array_equal(self.ridge, model.ridge):
            self.factor, self.ridge = cholesky(self.G, model.ridge), model.ridge
            visits += P.d**3 / 6
        p, _ = lapack.dpotrs(self.factor, -model.g)
        return Step(p, visits)

    def warm(self, P: Problem) -> None:
        from scipy.linalg import lapack

        assert lapack
        count_changes(self.h[:0], self.h[:0], P.row_profile.counts[:0])
        if not P.is_full:
            warm_outer_products(P.rows, P.n_jobs, self.G)


def add_examples(P: Problem, examples: np.ndarray, weights: np.ndarray, visits: float, G: np.ndarray) -> None:
    """The lower triangle of G (d, d) += sum over these examples of weights_i x_i x_i', with so many `gram_visits`.

    All other weights are 0.
    """
    X = P.full_X
    if X is None:
        share_outer_products(P.rows, examples, weights, visits, P.n_jobs, G, P.d)
        return
    from scipy.linalg import blas

    if examples.size == P.n and weights.min() == weights.max():  # as with the squared loss: nothing is to be scaled
        blas.dsyrk(weights[0], X.T, beta=1.0, c=G.T, overwrite_c=1)  # of Fortran's G' the upper triangle
        return
    for sign, chosen in ((1.0, np.flatnonzero(weights > 0)), (-1.0, np.flatnonzero(weights < 0))):
        for rows in _blocks(chosen, P.n):
            scaled = X[rows] * np.sqrt(np.abs(weights[rows]))[:, None]
            blas.dsyrk(sign, scaled.T, beta=1.0, c=G.T, overwrite_c=1)


def _blocks(examples: np.ndarray, n: int) -> Iterator[np.ndarray | slice]:
    """The examples in blocks; where they are all, as slices, which numpy reads without a copy."""
    for first in range(0, examples.size, BLOCK_ROWS):
        yield slice(first, min(n, first + BLOCK_ROWS)) if examples.size == n else examples[first : first + BLOCK_ROWS]


def cholesky(G: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """The factor of G + diag(ridge), G given by its lower triangle, as LAPACK's dpotrs takes it.

    Raises
    ------
    OverflowError
        If G is not finite.
    """
    from scipy.linalg import lapack

    largest = float(np.maximum.reduce(G.diagonal()))
    if not np.isfinite(largest):
        raise OverflowError("the Gram matrix overflows")
    while True:
        H = G.copy()
        H.ravel()[:: len(G) + 1] += ridge
        factor, failed = lapack.dpotrf(H.T, overwrite_a=1, clean=0)  # which reads the upper triangle of Fortran's H'
        if not failed:
            return factor
        ridge = np.maximum(RIDGE_GROWTH * ridge, max(len(G) * np.finfo(float).eps * largest, np.finfo(float).tiny))


@kernel
def share_of_step(w: np.ndarray, begun: np.ndarray, p: np.ndarray) -> float:
    """How far along p, from where it began, w is; NaN where it is beside that step, beyond rounding."""
    along, square, off, largest = 0.0, 0.0, 0.0, 0.0
    for j in range(w.size):
        along += (w[j] - begun[j]) * p[j]
        square += p[j] * p[j]
    share = along / square if square > 0.0 else 0.0
    for j in range(w.size):
        off = max(off, abs(w[j] - begun[j] - share * p[j]))
        largest = max(largest, abs(w[j]))
    return share if off <= ON_STEP * largest else nan


class Dual(InnerSolver):
    """X X', made by the first step."""

    def __init__(self, P: Problem) -> None:
        self.K: np.ndarray | None = None
        self.t: np.ndarray | None = np.zeros(P.n)  # Where the last step began, w = X't; None if not known.
        self.u = np.zeros(P.n)  # What it added to t, or where it led if that is None.
        self.w = self.p = np.zeros(P.d)  # the same of w

    def step(self, P: Problem, model: Model) -> Step:
        from scipy.linalg import lapack

        visits = 0.5 * P.nnz
        if self.K is None:
            shared = {} if P.shared is None else P.shared
            if PRODUCTS not in shared:
                shared[PRODUCTS] = products(P) - float(P.intercept)  # what its column of ones adds
                visits += products_visits(P)
            self.K = shared[PRODUCTS]
            self.decreases_model = P.n * P.l2 > SAFE_RIDGE * self.K.diagonal().max()
        X, weight, curved = P.X if P.full_X is None else P.full_X, P.n * P.l2, np.flatnonzero(model.h)

        def features(t: np.ndarray) -> np.ndarray:
            """X't without what an intercept's column of ones adds."""
            w = X.T @ t
            if P.intercept:
                w[-1] = 0.0
            return w

        w, t, left = model.w.copy(), self._reached(model.w), np.zeros(P.n)
        self.t = t
        if t is None:
            w, t, left = np.zeros(P.d), np.zeros(P.n), model.z - (model.w[-1] if P.intercept else 0.0)
        r = -model.at.slopes - weight * t
        u = np.where(model.h > 0, 0.0, r / weight)
        if u.any():
            left, visits = left - P.predict(features(u)), visits + P.nnz

        root = np.sqrt(model.h[curved])
        inside = root[:, None] * self.K[np.ix_(curved, curved)] * root
        factor = cholesky(inside, np.full(curved.size, weight)) if curved.size else inside

        def solved(right: np.ndarray) -> np.ndarray:
            return lapack.dpotrs(factor, right)[0] if curved.size else right

        y, c = solved(r[curved] / root + root * left[curved]), 0.0
        if P.intercept:
            q = solved(root)
            c = P.l2 * (t.sum() + u.sum() + root @ y) / (model.ridge[-1] + P.l2 * (root @ q))
            y -= c * q
        u[curved] = root * y
        w += features(u)
        if P.intercept:
            w[-1] = model.w[-1] + c
        self.u, self.w, self.p = u, model.w.copy(), w - model.w
        return Step(self.p.copy(), visits + curved.size**3 / 6)

    def _reached(self, w: np.ndarray) -> np.ndarray | None:
        """The t with w = X't, where w is on the last step; None where it came there in another way, as at first."""
        share = share_of_step(w, self.w, self.p)
        if self.t is None:  # of which nothing but the end of the step is known
            return self.u if abs(share - 1) <= ON_STEP else None
        return None if isnan(share) else self.t + share * self.u

    def warm(self, P: Problem) -> None:
        from scipy.linalg import lapack

        assert lapack
        share_of_step(*[self.p[:0]] * 3)
        if not P.is_full:
            warm_outer_products(P.columns, P.n_jobs, np.empty((0, 0)))


def products(P: Problem) -> np.ndarray:
    """X X', of which the lower triangle is read; that of a sparse X is a sum over features, as their lines come."""
    if (X := P.full_X) is not None:
        return X @ X.T
    K = np.zeros((P.n, P.n))
    features = np.arange(P.d, dtype=np.uint64)
    share_outer_products(P.columns, features, np.ones(P.d), products_visits(P), P.n_jobs, K, P.n)
    return K


def products_visits(P: Problem) -> float:
    """Nonzeros visited to form X X': on a column each meets those before it."""
    counts = P.column_profile.counts.astype(float)
    return float(counts @ counts) / 2
