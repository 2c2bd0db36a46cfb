"""The expected gap of exact steps from the start on: an estimate, by one equation in place of one for each coordinate.

A step along i moves e, in coordinates where it is exact, by T_i = I - e_i e_i'H, H = D^(-1/2) A D^(-1/2). Where each
coordinate is drawn at rate 1 a pass, V = E[ee'] obeys V' = -HV - VH + diag(s), s_i = (H V H)_ii, so that

    s(t) = diag(r r') + int_0^t K(t - u) s(u) du,   r = e^(-Ht) b,   K_ij(t) = (H e^(-Ht))_ij^2,   b = H e_0,

exactly, and the expected gap is sum_i weight_i D_i s_i. The estimate is that s keeps the shares of the start,
q_i = b_i^2/|b|^2. The sum of s then solves one equation, with the kernel k(t) = sum_i q_i (H^2 e^(-2Ht))_ii and the
start b'e^(-2Ht)b, and both are integrals over spectral measures, which a few products with A give. With unit diagonal
int k = 1/2, whatever the data. Where the lines are alike the estimate is exact for many of them; the smallest
eigenvalue, which decides in the end, counts as far as b enters its direction, or the draws do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..numerics.eigenvalues import MAX_DENSE_SIZE, spectral_measure
from .quadratics import Curvature

MAX_PROBES, PROBED = 4, 20_000  # random signs by which the kernel is known: so many, or for so many coordinates in all
FIRST_STEP, STEP_SHARE = 0.02, 0.02  # of the time that has passed
LAST = 1e9  # passes
GONE = 1e-40  # of the gap at the start


class GapCurve(NamedTuple):
    """An estimate of the expected gap.

    Attributes
    ----------
    passes, gaps : (k,) array
        The gap after so many passes.
    energy : float
        e_0'A e_0.
    size : int
        N.
    """

    passes: np.ndarray
    gaps: np.ndarray
    energy: float
    size: int

    def passes_to(self, gap: float) -> float:
        """Passes to this gap; inf where the curve ends above it."""
        below = np.flatnonzero(self.gaps <= gap)
        if not below.size:
            return math.inf
        k = int(below[0])
        if k == 0 or self.gaps[k] <= 0:
            return float(self.passes[k])
        (a, b), logs = self.passes[k - 1 : k + 1], np.log(self.gaps[k - 1 : k + 1])
        return float(a + (b - a) * (logs[0] - math.log(gap)) / (logs[0] - logs[1]))

    def slow_below(self, passes: float) -> float:
        """The gap below which a factor e takes so many passes or more; 0 where the curve ends above it."""
        with np.errstate(divide="ignore"):
            faster = np.flatnonzero(-np.diff(np.log(self.gaps)) * passes > np.diff(self.passes))
        last = int(faster[-1]) + 1 if faster.size else 0
        return float(self.gaps[last]) if last < self.gaps.size - 1 else 0.0


def probes(N: int) -> int:
    """Number of random signs; 0 where all eigenvalues are computed."""
    return 0 if N <= MAX_DENSE_SIZE else min(MAX_PROBES, max(1, PROBED // N))


def expected_gaps(A: Curvature, D: np.ndarray, pull: np.ndarray, weights: np.ndarray, steps: int) -> GapCurve:
    """Estimate the expected gap of uniform draws.

    Parameters
    ----------
    A : Curvature
        Of N coordinates.
    D : (N,) array
        A step along i is the gradient over D_i >= A_ii.
    pull : (N,) array
        The gradient at the start, A e_0.
    weights : (N,) array
        The gap is sum_i weights_i (A e)_i^2.
    steps : int
        Of Lanczos' method, from each of 1 + `probes` starts.
    """
    b = pull / np.sqrt(D)
    size = float(b @ b)
    if not size > 0:
        return GapCurve(np.zeros(1), np.zeros(1), 0.0, D.size)
    shares = b * b / size
    of_start, of_draws = _measures(A, D, b, shares, steps)
    lowest = float((A.E / D).min())  # FF' >= 0
    nodes, masses = np.maximum(of_start[0], lowest), of_start[1]
    passes, sums = _solved(nodes, masses, np.maximum(of_draws[0], lowest), of_draws[1])
    return GapCurve(passes, float(shares @ (weights * D)) * sums, float((masses / nodes).sum()), D.size)


Measure = tuple[np.ndarray, np.ndarray]  # nodes and weights


def _measures(A: Curvature, D: np.ndarray, b: np.ndarray, shares: np.ndarray, steps: int) -> tuple[Measure, Measure]:
    """The spectral measures of b, and the mean of those of coordinates, by their shares."""
    scale, F, N = 1 / np.sqrt(D), A.F, D.size
    if not probes(N):
        values, vectors = np.linalg.eigh(A.matrix * np.outer(scale, scale))
        return (values, (b @ vectors) ** 2), (values, shares @ vectors**2)
    F = sp.csr_matrix(sp.diags_array(scale) @ F) if sp.issparse(F) else scale[:, None] * F
    diagonal = A.E / D

    def product(u: np.ndarray) -> np.ndarray:
        return diagonal * u + F @ (F.T @ u)

    signs = np.random.default_rng(0).choice([-1.0, 1.0], (probes(N), N))
    found = [spectral_measure(product, each * np.sqrt(shares), steps) for each in signs]
    nodes, masses = (np.concatenate(each) for each in zip(*found, strict=True))
    masses /= len(found)
    # few eigenvalues are large, so that signs tell little of them; the mean of all is known
    mean = float(shares @ (A.diagonal / D))
    large = nodes > mean
    rest = max(mean - float(nodes[~large] @ masses[~large]), 0.0)
    masses[large] *= rest / float(nodes[large] @ masses[large])
    return spectral_measure(product, b, steps), (nodes, masses)


def _solved(nodes: np.ndarray, masses: np.ndarray, rates: np.ndarray, shares: np.ndarray) -> Measure:
    """Times and sums of s, by the trapezoidal rule on steps that grow with the time."""
    t, total = 0.0, float(masses.sum())
    gained = np.zeros(rates.size)  # of each rate, that from draws so far
    times, sums = [t], [total]
    while t < LAST and total > GONE * sums[0]:
        step = max(FIRST_STEP, STEP_SHARE * t)
        t += step
        kept = np.exp(-2 * rates * step)
        gain = shares * rates * (1 - kept) / 4  # of half the sum before, and of half the sum after
        begun = float(masses @ np.exp(-2 * nodes * t))
        gained *= kept
        new = (begun + float(gained.sum()) + total * float(gain.sum())) / (1 - float(gain.sum()))
        gained += gain * (total + new)
        total = new
        times.append(t)
        sums.append(total)
    return np.array(times), np.array(sums)
