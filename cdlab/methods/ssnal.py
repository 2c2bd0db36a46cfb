"""ssnal: semismooth Newton on the augmented Lagrangian, a proximal-point method on the dual of a loss with kinks.

Problem     min_w P(w) = (1/n) sum_i s_i phi(x_i'w; y_i) + g(w), phi piecewise linear (hinge, absolute, pinball,
            epsilon_insensitive) or with its kinks rounded, for which it is where these are sharp; l2 + l1 > 0
Algorithm   stage k: by newton_cd, from where the last one ended, until its own gap is at most (P - D)/1000,
                P and D the best values so far,
                    min_w (1/n) sum_i s_i phi_sigma(x_i'w + sigma beta_i; y_i) + g(w)
                phi_sigma* = phi* + (sigma/2) beta^2: problems/smoothed.py says why this is the proximal step;
            beta_i <- phi_sigma'(x_i'w + sigma beta_i);  with an intercept the best b for w, and sum_i s_i beta_i = 0
            w and alpha = -s beta are kept where P(w) or D(alpha) are the best so far;
            sigma /= 10 where the gap has halved (/3 after more than MANY iterations, the same after TOO_MANY), else
            /= 3, or times 3 where the stage was not solved in MAX_ITERATIONS or until steps were rounding
Model       H = X'diag(h)X/n + l2 I + (nu/sigma) diag(X'X/n), nu /= 10 after a full step, times 3 after a shorter one,
            up to MOST_DAMPING: only examples on the bend have curvature. H_bb of an intercept, which has no l2, is at
            least FIRST_DAMPING/sigma instead. By the n x n matrix of rows w is not damped
Guarantee   no theorem here: the proximal-point method converges, and for piecewise linear losses superlinearly
Cost        an iteration as newton_cd; a stage two passes beside
Reference   Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex programming
            (1976); Li, Sun & Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving lasso
            problems (2018)
Notation    their y is beta, their sigma 1/sigma; their inner problem is ours but for a constant
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..problems.points import Points
from ..problems.problem import Problem
from ..problems.rounding import EPS
from ..problems.smoothed import best_intercept, can_smooth, is_piecewise_linear, smoothed
from ..samplings import Sampling, SamplingLike
from . import cost_model
from .base import Count
from .newton_cd import NewtonCD
from .newton_cd import State as NewtonState
from .shared.full_gradient import FullGradient

GAP_SHARE = 1e-3  # What a stage's own gap may be of the gap so far.
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-4, 1e-12, 1.0
ROUNDED_STEP = 10 * EPS  # Step relative to z below which it is rounding.
LEAST_SIGMA = 1e-7  # Least sigma, relative to the first.
MANY, TOO_MANY, MAX_ITERATIONS = 15, 24, 50  # Newton's, of a stage


class Best(NamedTuple):
    """The best points so far, with their products."""

    w: np.ndarray  # (d,)
    z: np.ndarray  # (n,) X w
    primal: float
    alpha: np.ndarray  # (n,)
    v: np.ndarray  # (d,) X'alpha/n
    dual: float


class State(NamedTuple):
    """The stage that runs, and Newton's state in it."""

    stage: Problem
    newton: NewtonState
    best: Best
    sigma: float
    largest: float  # sigma
    damping: float  # nu
    iterations: int  # of Newton's method in this stage
    visits: float  # nonzeros of the last epoch


@dataclass(frozen=True)
class _Damped(NewtonCD):
    """Newton's method of a stage, with the ridge nu/sigma diag(X'X/n) and one of its own for an intercept."""

    nu: float = 0.0

    name: ClassVar[str] = "newton_cd"

    def ridge(self, P: Problem, h: np.ndarray, left: float) -> np.ndarray:
        sigma = P.loss.gamma
        ridge = P.reg.l2s + self.nu / sigma * np.maximum(P.column_profile.norms2 / P.n, EPS)
        if P.intercept:  # large damping would hold it, and without curvature a step is endless
            ridge[-1] = max(0.0, FIRST_DAMPING / sigma - h.mean())
        return ridge


@dataclass(frozen=True)
class SSNAL(FullGradient[State]):
    """Semismooth Newton on the augmented Lagrangian of losses with kinks; also with a free intercept.

    Parameters
    ----------
    inner : str, default "auto"
        How Newton's models are minimised, as for `newton_cd`; "auto" takes what is cheapest for the last stages.

    References
    ----------
    Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex programming (1976);
    Li, Sun & Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving lasso problems (2018).
    """

    inner: str = "auto"

    name: ClassVar[str] = "ssnal"
    summary: ClassVar[str] = "Newton's method on a loss whose kinks are smoothed, less from stage to stage"
    reference: ClassVar[str] = "Rockafellar 1976; Li, Sun & Toh 2018"
    needs: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = ("l1", "intercept")

    def __post_init__(self) -> None:
        NewtonCD(self.inner)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if not can_smooth(problem.loss):
            names = "hinge, absolute, pinball, epsilon_insensitive, smooth_hinge and huber"
            yield f"ssnal is for {names}, and this loss is {problem.loss.name}: use newton_cd"
        elif problem.l2 == 0 and problem.l1 == 0:
            yield "ssnal needs l2 > 0 or l1 > 0 and this problem has neither: set one"
        else:
            for reason in NewtonCD(self.inner).objections(problem, sampling):  # the same as of a stage
                yield reason.replace("newton_cd", "ssnal")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        alpha = problem.zeros(problem.n) if start is None else start.alpha.copy()
        z = problem.predict(w)
        n, d = problem.n, problem.d
        best = Best(w, z, problem.primal(w, z=z), problem.zeros(n), problem.zeros(d), problem.dual_at_zero)
        best = _with_dual(problem, best, alpha)
        largest = max(1.0, problem.at_zero) if problem.loss.classification else _first_sigma(problem)
        above = problem.at_zero - best.dual
        left = (best.primal - best.dual) / above if above > 0 else 1.0
        sigma = largest * min(1.0, max(LEAST_SIGMA, left) ** 0.5)
        stage = smoothed(problem, sigma, _slopes(problem, alpha))
        way = NewtonCD(self._way(problem))
        newton = way.init(stage, sampling, Points(w, alpha))._replace(sampling=False)
        return State(stage, newton, best, sigma, largest, FIRST_DAMPING, 0, 1.5 * problem.nnz)

    def _way(self, problem: Problem) -> str:
        """The way in which the models of all stages are minimised."""
        if self.inner != "auto":
            return self.inner
        known = cost_model.ssnal_ways(problem, cost_model.USUAL_FALL)
        return min(known, key=known.__getitem__)

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return NewtonCD().orders(problem, sampling, rng)

    def epoch(self, P: Problem, S: State, order: np.random.Generator) -> State:
        method = _Damped(self.inner, S.damping)
        newton = method.epoch(S.stage, S.newton, order)
        damping = max(S.damping / 10, LEAST_DAMPING) if newton.t >= 1 else min(3 * S.damping, MOST_DAMPING)
        S = S._replace(newton=newton, damping=damping, iterations=S.iterations + 1, visits=newton.visits)
        enough = max(GAP_SHARE * (S.best.primal - S.best.dual), EPS * P.at_zero)
        is_solved = method.estimated_gap(S.stage, newton) <= enough
        has_moved = newton.t > 0 and newton.decrement > ROUNDED_STEP**2 * P.at_zero * S.largest / S.sigma
        is_over = is_solved or not has_moved or S.iterations >= MAX_ITERATIONS
        return self._next_stage(P, S, is_solved) if is_over else S

    def _next_stage(self, P: Problem, S: State, is_solved: bool) -> State:
        best, sigma = _better(P, S.best, S.newton), S.sigma
        if best.primal - best.dual <= 0.5 * (S.best.primal - S.best.dual):
            sigma /= 1 if S.iterations > TOO_MANY else 3 if S.iterations > MANY else 10
        elif is_solved:
            sigma /= 3
        else:
            sigma *= 3  # a wider bend, where Newton's method is faster, and beta, known to EPS z/sigma, is exacter
        sigma = min(max(sigma, LEAST_SIGMA * S.largest), S.largest)
        stage = smoothed(P, sigma, _slopes(P, S.newton.alpha))
        newton = NewtonCD(self.inner).begin(stage, S.newton.w, S.newton.inner)._replace(sampling=False)
        visits = S.visits + 3.5 * P.nnz  # z and v of the best points, D, and a gradient
        return S._replace(stage=stage, newton=newton, best=best, sigma=sigma, iterations=0, visits=visits)

    def estimated_gap(self, problem: Problem, S: State) -> float:
        return inf if S.iterations else nan  # `best` changes from stage to stage

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return Count(1, S.visits, examples=problem.n)

    def warm(self, P: Problem, S: State) -> None:
        at, stage = S.newton, S.stage
        NewtonCD(self.inner).warm(stage, at)
        stage.primal(at.w, z=at.z)
        if P.intercept and is_piecewise_linear(P.loss):
            best_intercept(P, at.z)

    def refresh(self, problem: Problem, S: State) -> None:
        NewtonCD(self.inner).refresh(S.stage, S.newton)

    def points(self, problem: Problem, S: State) -> Points:
        w, z, _, alpha, v, _ = S.best
        return Points(w, alpha, z=z, v=v, fresh=("z", "v"))


def _first_sigma(P: Problem) -> float:
    """Of a loss of the residual P(0), the scale of residuals; of one with kinks over the mean square of its slopes."""
    if not is_piecewise_linear(P.loss):
        return P.at_zero or 1.0
    alpha = P.alpha(P.zeros(P.d)) if P.start is None else P.start.alpha
    steepness = float(np.mean(alpha * -_slopes(P, alpha)))
    return P.at_zero / steepness if P.at_zero > 0 and steepness > 0 else 1.0


def _slopes(P: Problem, alpha: np.ndarray) -> np.ndarray:
    """beta (n,) of the losses without weights, where alpha = -s beta."""
    s = P.sample_weight
    return -alpha if s is None else -np.divide(alpha, s, out=np.zeros_like(alpha), where=s > 0)


def _better(P: Problem, best: Best, newton: NewtonState) -> Best:
    """The best of these points and those that a stage ended at."""
    w = newton.w.copy()
    if P.intercept and is_piecewise_linear(P.loss):
        w[-1] = best_intercept(P, newton.z - w[-1])
    z = P.predict(w)
    primal = P.primal(w, z=z)
    if primal < best.primal:
        best = best._replace(w=w, z=z, primal=primal)
    return _with_dual(P, best, newton.alpha)


def _with_dual(P: Problem, best: Best, alpha: np.ndarray) -> Best:
    """The same with this dual point, if its value is larger."""
    alpha, v = P.feasible_point(alpha)
    dual = P.dual(alpha, v=v)
    return best._replace(alpha=alpha, v=v, dual=dual) if dual > best.dual else best
