"""newton_cd: proximal Newton with a line search; its quadratic model by Cholesky, conjugate gradients or descent.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2 + l1||w||_1 with phi'' known; l2 > 0, l1 > 0, or
            the squared loss
Algorithm   g = grad f(w), f the mean loss plus (l2/2)||.||^2;  H = X'diag(phi''(z))X/n + l2 I + diag(nu),  z = X w
            p = argmin_p g'p + p'Hp/2 + l1||w + p||_1, as far as `inner` does it;  u = X p
            t by a line search: newton/line_search.py halves it until P decreases, and lengthens it where P is flat
            w += t p;  z += t u
Model       `inner` says how p is found: cost_model.py says at which cost, and takes the cheapest for "auto", or begins
            with conjugate gradients and changes once they are dear (newton/truncated_first.py). Inexact models end at a
            share eta of the residual r at p = 0, eta = min(1/5, sqrt(||r||/||r_0||)): it vanishes with r
            With "columns" p is what several models over a working set make together (newton/set_newton.py), t = 1
Sample      Where examples are many (choice.py), H is that of a tenth, another each time, while ||r|| falls to
            SAMPLED_CONTRACTION of what it was or is above SAMPLED_RESIDUAL ||r_0||, and t = 1
l2 = 0      nu_j = DAMPING ||r||/||r_0|| ||X_:j||^2/(n gamma) makes the model strongly convex; l2 > 0, or with l1 > 0
            the squared loss, whose model is P: nu = 0
Intercept   without l2 and l1; where the mean of phi'' is below DAMPING ||r||/(||r_0|| gamma), this is what H_bb becomes
Guarantee   P(w) decreases, and converges to P*. Near w* with phi'' M-Lipschitz and the model minimised exactly,
            ||w+ - w*|| <= M R gamma L_f/(2 l2) ||w - w*||^2, L_f = ||X||_2^2/(n gamma): quadratically; with the squared
            loss (M = 0) in one iteration. With eta -> 0 superlinearly
Cost        a gradient is nnz/2, X p nnz/2, the model as its file says; the line search reads z and u only
Reference   Lee, Sun & Saunders, Proximal Newton-type methods for minimizing composite functions (2014), sections 2.2,
            3.1; the damping: Yue, Zhou & So, A family of inexact SQA methods for non-smooth convex minimization (2019)
Notation    their x is w, H_k is H, Delta x is p
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from math import nan, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..losses import has_hessian, hess_lipschitz, hessian_formula, unweighted
from ..losses.per_example import Expansion, expansion
from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .base import Count, Points
from .newton import choice
from .newton.line_search import Line, share
from .newton.model import InnerSolver, Model, dual_share, sample
from .newton.sweeps import find_violations, violation_cost
from .shared.full_gradient import FullGradient

DAMPING = 1e-3
MOVED: tuple[str, ...] = ("v",)  # Products that are fresh where z was moved along u.
MULTIPLIED: tuple[str, ...] = ("z", "v")  # Products that are fresh where z is X w itself.
SAMPLED_RESIDUAL = 1e-2  # Share ||r||/||r_0|| above which the curvature of a sample is enough.
SAMPLED_CONTRACTION = 0.2  # Below, a sample is enough while an iteration leaves no more of ||r|| than this share.

_warmed: set[tuple[Any, ...]] = set()  # what kernels have been compiled for in this process


class State(NamedTuple):
    """The iterate with X w, what follows from them, and what the model keeps from one iteration to the next."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    at: Expansion  # of the losses at z
    alpha: np.ndarray  # (n,) -phi'(z)
    v: np.ndarray  # (d,) X'alpha/n
    l1: np.ndarray  # (d,) weights of |w_j|
    violations: np.ndarray  # (d,) smallest subgradient of P
    inner: InnerSolver
    first: float  # ||r_0||
    left: float  # ||r||/||r_0|| at the last iteration
    sampling: bool  # whether the next model may be that of a sample
    t: float  # of the last iteration,
    decrement: float  # and half of what its model's slope promised: about what P fell by
    visits: float  # nonzeros of the last epoch; 0 before the first
    fresh: tuple[str, ...]  # see `Points`


@dataclass(frozen=True)
class NewtonCD(FullGradient[State]):
    """Proximal Newton with a line search; its model by Cholesky, conjugate gradients or coordinate descent.

    Parameters
    ----------
    inner : "auto", "gram", "dual", "truncated", "preconditioned" or "columns", default "auto"
        How the quadratic model is minimised: by the d x d Gram matrix (Cholesky, or with l1 > 0 coordinate descent on
        it), by the n x n one, by truncated conjugate gradients, by those preconditioned by the Gram matrix of a sample,
        or with l1 > 0 by coordinate descent on the columns of a working set. "auto" takes what is cheapest for the
        problem's size; where exact models are costly it begins with conjugate gradients, and changes to those once
        these have cost as much.

    References
    ----------
    Lee, Sun & Saunders, Proximal Newton-type methods for minimizing composite functions (2014).
    """

    inner: str = "auto"

    name: ClassVar[str] = "newton_cd"
    summary: ClassVar[str] = "full gradients and the curvature itself: few iterations, each of many passes"
    guarantee: ClassVar[str] = "log log near w*: quadratic"
    reference: ClassVar[str] = "Lee, Sun & Saunders 2014"

    def __post_init__(self) -> None:
        checks.one_of("newton_cd's inner", self.inner, choice.INNER)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if not has_hessian(unweighted(problem.loss)):
            yield (
                f"newton_cd needs the second derivative of the loss, and {problem.loss.name} has no "
                f"{hessian_formula(problem.loss)}: add that formula to its class, or use lbfgs"
            )
        if not problem.is_certified and (problem.bounded or hess_lipschitz(problem.loss) > 0):
            lacks = "features with penalty factor 0" if problem.l2 > 0 or problem.l1 > 0 else "neither"
            yield f"newton_cd needs l2 > 0 or l1 > 0 and this problem has {lacks}: set one, or use lbfgs"
        if (refusal := choice.refusal(self.inner, problem)) is not None:
            yield refusal

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        return self.begin(problem, w, choice.create_inner_solver(self.inner, problem))

    def begin(self, problem: Problem, w: np.ndarray, inner: InnerSolver) -> State:
        """The state at w, which becomes its own, with this way to minimise models."""
        z = problem.predict(w)
        at = expansion(problem.loss, z, problem.loss_y)
        alpha = -at.slopes
        v = problem.v(alpha)
        l1 = problem.zeros(problem.d) + problem.reg.l1s
        r = violations(problem, w, v, l1)
        samples = choice.samples(problem, inner)
        first = sqrt(np.vdot(r, r))
        return State(w, z, at, alpha, v, l1, r, inner, first, 1.0, samples, 1.0, np.inf, 0.0, MULTIPLIED)

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return repeat(rng)

    def epoch(self, P: Problem, S: State, order: np.random.Generator) -> State:
        is_smooth = P.l1 == 0 and not P.bounded
        gradient = S.violations if is_smooth else P.reg.l2s * S.w - S.v
        left = sqrt(np.vdot(S.violations, S.violations)) / S.first if S.first > 0 else 0.0
        sampled = S.sampling and (left > SAMPLED_RESIDUAL or left <= SAMPLED_CONTRACTION * S.left)
        h = sample(S.at.curvatures, order) if sampled else S.at.curvatures
        ridge, accuracy = self.ridge(P, h, left), self.accuracy(P, left)
        model = Model(S.w, S.z, h, gradient, S.violations, ridge, S.l1, S.at, accuracy)
        p, visits, z = S.inner.step(P, model)
        is_decrease = S.inner.decreases_objective or (S.inner.decreases_model and _is_model(P))
        if is_decrease and np.isfinite(p).all():
            t, w = 1.0, _inside(P, S.w + p)
            z, fresh = P.predict(w) if z is None else z, MULTIPLIED
            at = expansion(P.loss, z, P.loss_y)
        else:
            u = P.predict(p) if z is None else z - S.z
            line = Line(P, S.w, S.z, S.at, p, u)
            t, z, at = line.go(share(line, gradient))
            w, fresh = _inside(P, S.w + t * p), MOVED
        slope = float(np.vdot(gradient, p))
        if P.l1 > 0:
            slope += float(np.vdot(S.l1, np.abs(S.w + p) - np.abs(S.w)))
        alpha = -at.slopes
        v = P.v(alpha)
        visits += P.nnz if S.visits else 1.5 * P.nnz  # X p and a gradient; the first epoch counts that of `init`, too
        samples, r = sampled and t >= 1, violations(P, w, v, S.l1)
        return State(w, z, at, alpha, v, S.l1, r, S.inner, S.first, left, samples, t, -slope / 2, visits, fresh)

    def estimated_gap(self, problem: Problem, S: State) -> float:
        """Of alpha(w), where an intercept is right already; with l1 = 0 it is the gap, with a box it is not known."""
        if problem.bounded:
            return nan
        features = slice(problem.d - problem.intercept)
        r = S.violations[features]
        if problem.l1 > 0:
            return float(violation_cost(S.w[features], r, S.l1[features], problem.l2, 0.0))
        return float(np.vdot(r, r)) / (2 * problem.l2) if problem.l2 > 0 else nan

    def accuracy(self, P: Problem, left: float) -> float:
        """The share of a model's first residual that may be left; `left` is ||r||/||r_0||."""
        return min(0.2, sqrt(left))

    def ridge(self, P: Problem, h: np.ndarray, left: float) -> np.ndarray:
        """Return what the model adds to the diagonal of the loss's, shaped like w; `left` is ||r||/||r_0||."""
        is_singular = P.l2 == P.l1 == 0  # perhaps
        damping = DAMPING * min(1.0, left) if is_singular or hess_lipschitz(P.loss) > 0 else 0.0
        ridge = P.zeros(P.d) + P.reg.l2s
        if P.mu == 0:
            return ridge + damping * _smoothness(P) if damping else ridge
        if P.intercept:
            least = max(damping, np.finfo(float).eps) * P.beta  # of H_bb, or with no phi'' > 0 there is no minimiser
            ridge[-1] = max(0.0, least - h.mean()) if h.size else least  # softmax has none along equal shifts
        return ridge

    def set_coordinates(
        self, problem: Problem, S: State, which: np.ndarray, values: np.ndarray, remaining: np.ndarray
    ) -> tuple[State, float]:
        """Do as `Descent.set_coordinates` does; models are of few features anyway, or of a Gram matrix that is kept."""
        if not which.size:
            return S, 0.0
        S.w[which] = values[which]
        self._recompute(problem, S)
        return S, float(problem.nnz)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return Count(1, S.visits, examples=problem.n)

    def warm(self, P: Problem, S: State) -> None:
        loss, inner = (type(P.loss), type(unweighted(P.loss)), P.loss_y.dtype), map(type, vars(S.inner).values())
        types = (*loss, type(P.reg), P.is_full, P.n_jobs > 1, type(S.inner), *inner)
        if types in _warmed:
            return
        _warmed.add(types)
        super().warm(P, S)
        S.inner.warm(P)
        if not P.outputs:
            expansion(P.loss, S.z[:0], P.loss_y[:0])
            none = S.w[:0]
            find_violations(none, none, none, none)
            violation_cost(none, none, none, 1.0, 0.0)

    def refresh(self, problem: Problem, S: State) -> None:
        if S.fresh != MULTIPLIED:
            self._recompute(problem, S)

    def _recompute(self, problem: Problem, S: State) -> None:
        S.z[:] = problem.predict(S.w)
        for old, new in zip(S.at, expansion(problem.loss, S.z, problem.loss_y), strict=True):
            old[:] = new
        S.alpha[:] = -S.at.slopes
        S.v[:] = problem.v(S.alpha)
        S.violations[:] = violations(problem, S.w, S.v, S.l1)

    def points(self, problem: Problem, S: State) -> Points:
        if problem.l1 == 0 or problem.intercept or problem.outputs or problem.bounded:
            return Points(S.w, S.alpha, z=S.z, v=S.v, fresh=S.fresh)
        share = dual_share(problem, S.alpha, S.v)
        return Points(S.w, share * S.alpha, z=S.z, v=share * S.v, fresh=S.fresh)


def violations(P: Problem, w: np.ndarray, v: np.ndarray, l1: np.ndarray) -> np.ndarray:
    """The smallest subgradient of P at w, v = X'alpha(w)/n: 0 where w is optimal, the gradient where l1 = 0."""
    gradient = P.reg.l2s * w - v
    if P.bounded:
        return P.of_features.smallest_subgradient(w, gradient)
    if P.l1 > 0:
        find_violations(w, gradient, l1, gradient)
    return gradient


def _inside(P: Problem, w: np.ndarray) -> np.ndarray:
    """The point nearest to w within the bounds."""
    return P.reg.clipped(w) if P.bounded else w


def _is_model(P: Problem) -> bool:
    """Tell whether P is its own model, so that a step that makes the model smaller needs no line search."""
    return hess_lipschitz(P.loss) == 0


def _smoothness(P: Problem) -> np.ndarray:
    """The smoothness of the mean loss along each coordinate, shaped like w; 1 along a column of zeros.

    One ridge for all would be that of the steepest, and where columns differ in scale no other would move.
    """
    along = P.column_profile.norms2 * P.beta / P.n
    return (P.zeros(P.d).T + np.where(along > 0, along, 1.0)).T
