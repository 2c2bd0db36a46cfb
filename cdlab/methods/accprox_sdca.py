"""Accelerated proximal SDCA: Prox-SDCA on a sequence of better conditioned problems, with momentum between them.

Problem     min_w P(w), phi smooth, l2 > 0; for R^2/(l2 gamma) > 10 n, otherwise it is Prox-SDCA on P itself
Algorithm   kappa_a = R^2/(gamma n) - l2;  mu = l2/2;  rho = mu + kappa_a;  eta = sqrt(mu/rho);
            beta = (1 - eta)/(1 + eta);  y = w_1 = 0;  xi_1 = (1 + eta^-2)(P(0) - D(0));  for t = 2, 3, ...
            w_t <- Prox-SDCA on P(w) + (kappa_a/2)||w - y||^2, from the last alpha, until its gap is at most
                   eta/(2 (1 + eta^-2)) xi_(t-1)
            y <- w_t + beta (w_t - w_(t-1));  xi_t = (1 - eta/2) xi_(t-1)
Guarantee   P(w_t) - P* <= xi_t: to eps in 1 + (2/eta) ln(xi_1/eps) stages, O(n + sqrt(n R^2/(l2 gamma))) updates in all
            up to logarithms
Reference   Shalev-Shwartz & Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized loss
            minimization (2014), Accelerated Prox-SDCA
Notation    our kappa_a (prox_weight) is their kappa, our l2 their lambda; their test for the end of the run is replaced
            by the duality gap of P, which every run here stops on
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import struct
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .base import Points
from .shared.inner_problem import origin, proximal
from .shared.outer_loop import OuterInner, OuterState, solving_weight
from .shared.outer_steps import after_step, copy_into

WORTHWHILE = 10  # Ratio kappa/n from which acceleration pays, by the paper's rule.


@struct
class Extrapolation(NamedTuple):
    """y, an extrapolation of w around which a stage is solved, and the bound that says when it is."""

    center: np.ndarray  # (d,) y
    w: np.ndarray  # (d,) w_(t-1)
    z: np.ndarray  # (n,) X w_(t-1)
    xi: np.ndarray  # (1,) xi_(t-1), the bound on P(w_(t-1)) - P*
    beta: float
    eta: float
    share: float  # eta/(2 (1 + eta^-2)), of xi_(t-1)

    def move(self, w: np.ndarray, z: np.ndarray) -> None:
        """y, w and xi of the next stage, from w_t = w."""
        for j in range(w.size):
            self.center[j], self.w[j] = w[j] + self.beta * (w[j] - self.w[j]), w[j]
        copy_into(z, self.z)
        self.xi[0] *= 1 - self.eta / 2

    def allowed_gap(self, square: float) -> float:
        """eta/(2 (1 + eta^-2)) xi, however far w is from y."""
        return self.share * self.xi[0]

    def iterate(self) -> np.ndarray:
        """w_(t-1)."""
        return self.w


@dataclass(frozen=True)
class AccProxSDCA(OuterInner):
    """Accelerated Prox-SDCA; Prox-SDCA itself where that is as fast, for kappa = R^2/(l2 gamma) <= 10 n.

    Parameters
    ----------
    inner : SDCA or Quartz, default SDCA()
    prox_weight : float >= 0, optional
        kappa_a; R^2/(gamma n) - l2 by default, or 0 for kappa <= 10 n. With 0 the method is its inner method.
    epochs : int, optional
        Epochs a stage instead of the certified stop (of which a test counts as half a pass). No theorem covers it.
    eta : float in (0, 1], optional
        sqrt(mu/rho) by default; 1 means no momentum.

    References
    ----------
    Shalev-Shwartz & Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized loss minimization
    (2014).
    """

    eta: float | None = None

    name: ClassVar[str] = "accprox_sdca"
    summary: ClassVar[str] = "accelerated, dual, sdca inside of a proximal loop"
    guarantee: ClassVar[str] = "(n + √(nκ)) log²"
    reference: ClassVar[str] = "Shalev-Shwartz & Zhang 2014"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz")

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "eta", "a number in (0, 1]", high=1, ends="(]")

    def weight(self, problem: Problem) -> float:
        if self.prox_weight is not None:
            return self.prox_weight
        return solving_weight(problem) - problem.mu if problem.kappa > WORTHWHILE * problem.n else 0.0

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> OuterState:
        kappa_a, mu = self.weight(problem), problem.mu / 2
        eta = float(np.sqrt(mu / (mu + kappa_a))) if self.eta is None else self.eta
        if kappa_a == 0:  # y plays no part: nothing to end a stage for, nothing to test
            return OuterState(problem, sampling, self.opened(problem, sampling, start, problem), np.inf, None, kappa_a)
        alpha = origin(problem).alpha if start is None else start.alpha
        v = problem.v(alpha)
        w = problem.reg.grad_g_conj(v)
        z = problem.predict(w)
        xi = (1 + eta**-2) * (problem.primal(w, z=z) - problem.dual(alpha, v=v))
        Q, swept = proximal(problem, kappa_a, w), problem.nnz / 2 if w.any() else 0.0  # X w, for P(w)
        stage = self.opened(Q, sampling, Points(w, alpha, v=v), problem, swept)
        beta, share = (1 - eta) / (1 + eta), eta / (2 * (1 + eta**-2))
        outer = Extrapolation(w.copy(), w, z, np.array([xi]), beta, eta, share)
        return OuterState(problem, sampling, stage, self.epochs, outer, kappa_a)

    def next_stage(self, S: OuterState) -> OuterState:
        at = self.end(S)
        outer = after_step(S.outer, at.w, at.z)
        return S._replace(stage=self.moved(S, S.weight, outer.center, at), outer=outer)
