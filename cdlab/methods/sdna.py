"""SDNA, stochastic dual Newton ascent: blocks of coordinates with the exact curvature between them, on either side.

Problem     max_alpha D(alpha), as in sdca.py, l2 > 0; or min_w P(w), phi smooth, l2 > 0 (PrimalSDNA)
Algorithm   dual: draw a block S of m examples;  C = X_S X_S'/(l2 n)
            Delta = argmax -sum_{i in S} phi*(-alpha_i - Delta_i) - Delta'X_S w - Delta'C Delta/2,  w = grad g*(v)
            alpha_S += Delta;  v += X_S'Delta/n  (l1 > 0: this maximises a lower bound of D, as Prox-SDCA does)
            squared loss: Delta solves (1/phi'' + C) Delta = (-phi'(X_S w) - alpha_S)/phi''; other losses: from the step
            of the ESO model, v_i/(l2 n) in place of C, exact steps along one coordinate after another of the block,
            until none moves, 20 rounds at most
            primal: draw a block S of m features;  M = X'X/(gamma n) + l2 I;  w_S -= (M_SS)^-1 grad_S P(w);  keep z
Guarantee   D(alpha) never falls, P(w) never rises. Every loss: with h the step of the ESO model for all coordinates,
            a block begins at h_S, and no round lowers the model. So D gains at least the model's gain at h_S, of which
            the mean over S is at least the ESO step's, as E h_S'C h_S <= sum_i p_i v_i h_i^2/(l2 n): what is proved of
            that step holds (Csiba & Richtarik 2016, Theorem 1, eq. 9). Squared loss, A = I + XX'/(l2 n), (A_S)^-1 the
            inverse of the block, 0 elsewhere: E[D* - D+] <= (1 - sigma)(D* - D), sigma the smallest eigenvalue of
            A^1/2 E[(A_S)^-1] A^1/2. Primal, any smooth loss: E[P+ - P*] <= (1 - sigma)(P - P*) with
            sigma = l2 lambda_min(E[(M_S)^-1])
Cost        of a block: m^2 times the nonzeros of a line for C or M_SS, and m^3 for the solution
Reference   Qu, Richtarik, Takac & Fercoq, SDNA: stochastic dual Newton ascent for empirical risk minimization (2016)
Notation    our v is X'alpha/n; blocks of one are sdca and rcd
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import samplings
from ..losses import unweighted
from ..numerics.jit import kernel
from ..problems.points import View
from ..problems.problem import Problem
from ..regularizers import L2
from ..samplings import Batches, Blocks, Bucket, Distributed, Sampling, SamplingLike, TauNice
from .base import Count, Points
from .blocks import MiniBatch
from .descent import Descent, dual_start

MAX_ROUNDS = 20  # Rounds over the coordinates of a block.
ROUNDING = 2.0**-52
NO_CHANGE = 1e-15  # Relative change of a dual variable that counts as none.
MAX_BLOCK_SIZE = 2000  # The curvature of so many coordinates takes 32 MB, and each block seconds.
OF_ONE_SIZE = (TauNice, Bucket, Distributed)  # Samplings whose blocks have one size.


class Block(NamedTuple):
    """Scratch for blocks of up to m coordinates."""

    C: np.ndarray  # (m, m) curvature; factors of it
    r: np.ndarray  # (m,) right-hand sides, then solutions; products with C
    new: np.ndarray  # (m,) what the coordinates become


class State(NamedTuple):
    """The dual point and its v."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n), the diagonal of C
    safe: np.ndarray  # (n,) v_i/(l2 n), with which the coordinates of a block may move at once
    full: np.ndarray  # (d,) scratch: a row of X with its zeros; 0 between blocks
    plain: L2  # whose shrink changes nothing
    block: Block
    quadratic: bool  # whether the loss is


class PrimalState(NamedTuple):
    """The primal point and X w."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    q: np.ndarray  # (d,) ||X_:j||^2/(gamma n) + l2, the diagonal of M
    full: np.ndarray  # (n,) scratch: a column of X with its zeros; 0 between blocks
    plain: L2  # whose shrink changes nothing
    block: Block
    curvature: float  # 1/(gamma n)


@kernel
def fill_curvature(P: View, S: Any, indices: np.ndarray, first: int, m: int, scale: float) -> None:
    """C_ab = scale X_a'X_b of the m lines X_a of a block, and q on the diagonal."""
    C = S.block.C
    for a in range(m):
        i = indices[first + a]
        C[a, a] = S.q[i]
        if a > 0:
            P.X.add(i, 1.0, S.full)
            for b in range(a):
                C[a, b] = C[b, a] = scale * P.X.dot(indices[first + b], S.full, S.plain)
            P.X.add(i, -1.0, S.full)


@kernel
def solve_in_place(C: np.ndarray, r: np.ndarray, m: int) -> None:
    """r <- C^-1 r, of the first m of each, by Cholesky's method; C > 0, whose lower half becomes the factor."""
    for a in range(m):
        least = ROUNDING * m * C[a, a]  # of a pivot: one that rounding has used up would be no number
        for b in range(a + 1):
            c = C[a, b]
            for k in range(b):
                c -= C[a, k] * C[b, k]
            C[a, b] = np.sqrt(max(c, least)) if a == b else c / C[b, b]
        for b in range(a):
            r[a] -= C[a, b] * r[b]
        r[a] /= C[a, a]
    for e in range(m):
        a = m - 1 - e
        for b in range(a + 1, m):
            r[a] -= C[b, a] * r[b]
        r[a] /= C[a, a]


@kernel
def sdna_epoch(P: View, S: State, order: Batches) -> None:
    """Take a step for each block of `order`, of alpha and v in place."""
    alpha, v, y, n, l2 = S.alpha, S.v, P.y, P.y.size, P.reg.l2
    C, u, new, indices, starts = S.block.C, S.block.r, S.block.new, order.indices, order.starts
    for b in range(starts.size - 1):
        first, m = starts[b], int(starts[b + 1] - starts[b])
        for k in range(m):
            i = indices[first + k]
            u[k] = P.X.dot(i, v, P.reg) / l2  # X_S w + C Delta, where Delta is still 0
            new[k] = alpha[i]
        fill_curvature(P, S, indices, first, m, 1 / (l2 * n))
        for k in range(m if m > 1 else 0):
            i = indices[first + k]
            new[k] = -P.loss.dualprox(u[k], -alpha[i], S.safe[i], y[i])
        for k in range(m if m > 1 else 0):
            change = new[k] - alpha[indices[first + k]]
            for j in range(m):
                u[j] += C[k, j] * change
        for _ in range(MAX_ROUNDS if m > 1 else 1):
            moved = False
            for k in range(m):
                before = new[k]
                new[k] = -P.loss.dualprox(u[k], -before, C[k, k], y[indices[first + k]])
                change = new[k] - before
                if change != 0:
                    for j in range(m):
                        u[j] += C[k, j] * change
                    moved = moved or abs(change) > NO_CHANGE * abs(before)
            if not moved:
                break
        for k in range(m):
            i = indices[first + k]
            if new[k] != alpha[i]:
                P.X.add(i, (new[k] - alpha[i]) / n, v)  # v += Delta_i x_i/n
                alpha[i] = new[k]


@kernel
def sdna_quadratic_epoch(P: View, S: State, order: Batches) -> None:
    """The same for the squared loss, whose step is the solution of a linear system."""
    alpha, v, y, n, l2 = S.alpha, S.v, P.y, P.y.size, P.reg.l2
    C, r, indices, starts = S.block.C, S.block.r, order.indices, order.starts
    for b in range(starts.size - 1):
        first, m = starts[b], int(starts[b + 1] - starts[b])
        for k in range(m):
            i = indices[first + k]
            u = P.X.dot(i, v, P.reg) / l2
            r[k] = (-P.loss.grad_phi(u, y[i]) - alpha[i]) / P.loss.hess_phi(u, y[i])
        fill_curvature(P, S, indices, first, m, 1 / (l2 * n))
        for k in range(m):
            C[k, k] += 1 / P.loss.hess_phi(0.0, y[indices[first + k]])
        solve_in_place(C, r, m)
        for k in range(m):
            i = indices[first + k]
            alpha[i] += r[k]
            P.X.add(i, r[k] / n, v)


@kernel
def primal_sdna_epoch(P: View, S: PrimalState, order: Batches) -> None:
    """Take a step for each block of `order`, of w and z in place."""
    w, z, y, n, g, indices, starts = S.w, S.z, P.y, P.y.size, S.block.r, order.indices, order.starts
    for b in range(starts.size - 1):
        first, m = starts[b], int(starts[b + 1] - starts[b])
        for k in range(m):
            j = indices[first + k]
            g[k] = P.X.slope(j, z, y, P.loss) / n + P.reg.l2 * w[j]
        fill_curvature(P, S, indices, first, m, S.curvature)
        solve_in_place(S.block.C, g, m)
        for k in range(m):
            j = indices[first + k]
            w[j] -= g[k]
            P.X.add(j, -g[k], z)


@dataclass(frozen=True)
class _ExactBlocks(MiniBatch[Any], Descent[Any]):
    """Base of both sides: which blocks there may be, and what they cost."""

    name: ClassVar[str] = "exact_blocks"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2",)
    counts_ideal: ClassVar[bool] = True

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        yield from super().objections(problem, sampling)
        if (size := self.largest_block(problem, sampling)) > MAX_BLOCK_SIZE:
            yield (
                f"{self.name} keeps the curvature between all coordinates of a block, and there can be {size} in one: "
                f"take batch_size <= {MAX_BLOCK_SIZE}"
            )

    def largest_block(self, problem: Problem, sampling: SamplingLike) -> int:
        """The most coordinates that a block can have."""
        drawn = self.draws(samplings.resolve(sampling))
        if drawn.serial:
            return 1
        drawn = drawn.on(c := problem.coordinates(self.side)) if isinstance(drawn, Blocks) else drawn
        p = drawn.probabilities(c)
        return round(p.sum()) if isinstance(drawn, OF_ONE_SIZE) else int(np.count_nonzero(p))

    def scratch(self, problem: Problem, sampling: SamplingLike) -> Block:
        """Make the arrays in which a block is worked out."""
        m = self.largest_block(problem, sampling)
        return Block(np.zeros((m, m)), np.zeros(m), np.zeros(m))

    def count(self, problem: Problem, S: Any, order: Batches) -> Count:
        """Lines are read and written once for the step; for the curvature, each is read by all that follow it.

        The k-th of the m lines of a block is read m - 1 - k times and, but for the first, written to scratch and back.
        """
        starts = order.starts.astype(np.int64)
        sizes, alone = starts[1:] - starts[:-1], super().count(problem, S, order)
        if sizes.max(initial=0) <= 1:
            return alone._replace(ideal=alone.visits)
        nonzeros = self.visits(problem)[order.indices]
        block = np.repeat(np.arange(order.size), sizes)  # which each coordinate is in
        place, left = np.arange(block.size) - starts[block], starts[block + 1] - 1 - np.arange(block.size)
        reads = 1 + left / 2 + (place > 0)
        return alone._replace(visits=float(nonzeros @ reads), ideal=alone.visits)


@dataclass(frozen=True)
class SDNA(_ExactBlocks):
    """Stochastic dual Newton ascent: the dual maximised over a block of examples at a time, with their exact curvature.

    Parameters
    ----------
    batch_size : int, optional
        Examples of a block, drawn without replacement; 1 by default, which is sdca. An iteration costs as much as m^2/2
        updates of sdca, and mostly gains more than m of them.

    References
    ----------
    Qu, Richtarik, Takac & Fercoq, SDNA: stochastic dual Newton ascent for empirical risk minimization (2016).
    """

    name: ClassVar[str] = "sdna"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "exact steps on blocks of examples, with all curvature between them"
    guarantee: ClassVar[str] = "1/λ_min(A^½ E[(A_S)⁻¹] A^½) log"
    reference: ClassVar[str] = "Qu, Richtarik, Takac & Fercoq 2016"
    side: ClassVar[str] = "dual"
    takes: ClassVar[tuple[str, ...]] = ("l1", "blocks", "bounds")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        alpha = dual_start(problem, start)
        q = problem.row_profile.norms2 / (problem.mu * problem.n)
        safe = self.norms2_in_blocks(problem, sampling) / (problem.mu * problem.n)
        weights = problem.sample_weight
        quadratic = unweighted(problem.loss).name == "squared" and (weights is None or bool((weights > 0).all()))
        return State(
            alpha, problem.v(alpha), q, safe, np.zeros(problem.d), L2(1.0), self.scratch(problem, sampling), quadratic
        )

    def epoch(self, P: View, S: State, order: Batches) -> State:
        (sdna_quadratic_epoch if S.quadratic else sdna_epoch)(P, S, order)
        return S


@dataclass(frozen=True)
class PrimalSDNA(_ExactBlocks):
    """SDNA's steps on w: Newton's, along a block of features at a time, with the largest curvature of the loss.

    Parameters
    ----------
    batch_size : int, optional
        Features of a block, drawn without replacement; 1 by default, which is rcd.

    References
    ----------
    Qu, Richtarik, Takac & Fercoq, SDNA: stochastic dual Newton ascent for empirical risk minimization (2016), whose
    method this is for a smooth function.
    """

    name: ClassVar[str] = "primal_sdna"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "steps on blocks of features, with all curvature between them"
    guarantee: ClassVar[str] = "1/(λ λ_min(E[(M_S)⁻¹])) log"
    reference: ClassVar[str] = "Qu, Richtarik, Takac & Fercoq 2016"
    side: ClassVar[str] = "primal"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("blocks",)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> PrimalState:
        w = np.zeros(problem.d) if start is None else start.w.copy()
        curvature = problem.beta / problem.n
        q = curvature * problem.column_profile.norms2 + problem.l2
        return PrimalState(
            w, problem.predict(w), q, np.zeros(problem.n), L2(1.0), self.scratch(problem, sampling), curvature
        )

    def epoch(self, P: View, S: PrimalState, order: Batches) -> PrimalState:
        primal_sdna_epoch(P, S, order)
        return S
