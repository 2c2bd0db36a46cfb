"""Inequalities at a single point: gaps, distances and balls, and what a small l2 or a perturbation costs."""

from __future__ import annotations

import math

import numpy as np

from cdlab.eso_parameters import eso
from cdlab.exact_rates.quadratics import dense
from cdlab.problems.problem import Problem
from cdlab.samplings import TauNice

from .promises import Promise, at_least, at_most, best_along, feasible, optimum, positive, shrunk, smoothness, softmax

ROUNDS = 40  # of exact dual steps, to bound D* from above by the P that they lead to


# ------------------------------------------------------------ derivations/gaps.py, and what follows from distances
def gap_of_primal(problem: Problem, w: np.ndarray) -> float:
    """P(w) - D(alpha(w)) <= (L/l2)(P(w) - P*)."""
    P, (_, L) = problem.primal(w), smoothness(problem)
    return at_most(
        P - problem.dual(problem.alpha(w)), L / problem.l2 * (P - problem.primal(optimum(problem))), P * L / problem.l2
    )


def gap_of_dual(problem: Problem, alpha: np.ndarray) -> float:
    """P(w(alpha)) - D(alpha) <= (L/l2)(D* - D(alpha))."""
    alpha, (_, L) = feasible(problem, alpha), smoothness(problem)
    D, size = problem.dual(alpha), problem.primal(np.zeros(problem.d)) + problem.primal(problem.w(alpha))
    excess = problem.primal(optimum(problem)) - D
    return at_most(problem.primal(problem.w(alpha)) - D, L / problem.l2 * excess, size * L / problem.l2)


def by_distance(problem: Problem, w: np.ndarray, what: str) -> float:
    """A difference at w over its bound in ||w - w*||^2: "gap", "primal" without l1; "dual", "own gap" with any.

    "dual" is D* - D(alpha(w)), and "own gap" the gap at grad g*(X'alpha(w)/n).
    """
    best, alpha, (L_f, L), l2 = optimum(problem), problem.alpha(w), smoothness(problem), problem.l2
    P, P_best, D = problem.primal(w), problem.primal(best), problem.dual(alpha)
    own = problem.primal(problem.w(alpha))
    seen, factor = {
        "gap": (P - D, L**2 / (2 * l2)),
        "primal": (P - P_best, L / 2),
        "dual": (P_best - D, L_f * L / (2 * l2)),
        "own gap": (own - D, L_f * L**2 / (2 * l2**2)),
    }[what]
    return at_most(seen, factor * float((w - best) @ (w - best)), max(P, P_best, own, abs(D)))


def last_point_of_hinge(problem: Problem, alpha: np.ndarray) -> float:
    """The gap at w(alpha) is at most sqrt(2 H u) for u = D* - D(alpha) <= H/2, else u + H/2.

    A step of length s towards -phi'(Xw) gains s gap - s^2 H/2 or more. H is (width of the box)^2 times
    min((mean ||x_i||)^2, lambda_max(X'X)/n)/l2.
    """
    alpha, X = feasible(problem, alpha), dense(problem.X)
    low, high = problem.dual_box if problem.dual_box is not None else (np.zeros(1), np.ones(1))
    size = min(float(np.linalg.norm(X, axis=1).mean()), float(np.linalg.norm(X, 2)) / math.sqrt(problem.n))
    H = (float((high - low).max()) * size) ** 2 / problem.l2
    D, better = problem.dual(alpha), alpha.copy()
    for _ in range(ROUNDS):
        for i in range(problem.n):
            better[i] = best_along(problem, better, i)
    u = max(problem.primal(problem.w(better)) - D, 0.0)
    gap = problem.primal(problem.w(alpha)) - D
    return at_most(gap, math.sqrt(2 * H * u) if u <= H / 2 else u + H / 2, gap + abs(D))


# ------------------------------------------------------------ lemmas of theorems/
def gap_of_dual_point(promise: Promise, problem: Problem, alpha: np.ndarray) -> float:
    """apcg's constant on the gap."""
    D, P = problem.dual(alpha), problem.primal(problem.w(alpha))
    promised = promise(problem, D0=max(problem.primal(optimum(problem)) - D, 0.0))
    return at_most(P - D, promised, promised / (1e-30 + problem.primal(optimum(problem)) - D) * (P + abs(D)))


def step_from_dual_point(promise: Promise, problem: Problem, alpha: np.ndarray) -> float:
    """A proximal gradient step from w(alpha)."""
    L_f, w, best = smoothness(problem)[0], problem.w(alpha), problem.primal(optimum(problem))
    D = problem.dual(alpha)
    promised = promise(problem, D0=max(best - D, 0.0))
    return at_most(problem.primal(gradient_step(problem, w)) - best, promised, L_f / problem.l2 * (abs(D) + abs(best)))


def gradient_step(problem: Problem, w: np.ndarray) -> np.ndarray:
    """The minimiser of the mean loss's quadratic model of curvature L_f, plus g."""
    L_f = smoothness(problem)[0]
    x = L_f * w - (problem.gradient(w) - problem.l2 * w)
    return shrunk(x, problem.l1) / (L_f + problem.l2)


def ball_around_w(promise: Promise, problem: Problem, alpha: np.ndarray) -> float:
    """||w(alpha) - w*||."""
    w, D = problem.w(alpha), problem.dual(alpha)
    gap = problem.primal(w) - D
    if gap <= 1e-9 * (problem.primal(w) + abs(D)):
        return 0.0
    return at_most(float(np.linalg.norm(w - optimum(problem))), promise(problem, gap0=gap))


def ball_around_alpha(promise: Promise, problem: Problem, w: np.ndarray) -> float:
    """||alpha(w) - alpha*||."""
    alpha, P = problem.alpha(w), problem.primal(w)
    gap = P - problem.dual(alpha)
    if gap <= 1e-9 * P:
        return 0.0
    return at_most(float(np.linalg.norm(alpha - problem.alpha(optimum(problem)))), promise(problem, gap0=gap))


def cost_of_added_l2(promise: Promise, problem: Problem, accuracy: np.ndarray) -> float:
    """(added/2)||w*||^2 <= eps/2, whatever l2 there is already."""
    eps, w = positive(accuracy), optimum(problem)
    if problem.l1 == 0 or not problem.y.any():
        return 0.0
    added = promise.bound.at(eps=eps, l1=problem.l1, P_zero=problem.primal(np.zeros(problem.d)), l2=0.0)
    return at_most(float(added) / 2 * float(w @ w), eps / 2)


def bad_primal(promise: Promise, problem: Problem, w: np.ndarray) -> float:
    """P(0) - P* >= 1 - eps, of rows that are turned and lengthened until their margins at w are 1 or more."""
    X, labels = dense(problem.X), np.where(problem.y > 0, 1.0, -1.0)
    margins = X @ w * labels
    eps = problem.l2 * float(w @ w) / 2
    if eps >= 1 or np.abs(margins).min(initial=np.inf) < 1e-6:
        return 0.0
    separable = Problem(
        X * (np.sign(margins) * np.maximum(1 / np.abs(margins), 1))[:, None], labels, "hinge", problem.l2
    )
    gained = separable.primal(np.zeros(problem.d)) - separable.primal(w)
    return at_least(gained, float(promise.bound.at(eps=eps)))


def quadratic_near_optimum(promise: Promise, problem: Problem, w: np.ndarray) -> float:
    """||w+ - w*||/||w - w*||^2 of Newton's step."""
    X, best, z = dense(problem.X), optimum(problem), problem.predict(w)
    s = 1 / (1 + np.exp(-z))
    H = X.T @ ((s * (1 - s))[:, None] * X) / problem.n + problem.l2 * np.eye(problem.d)
    after, before = w - np.linalg.solve(H, problem.gradient(w)) - best, float((w - best) @ (w - best))
    return at_most(float(np.linalg.norm(after)), promise(problem) * before) if before > 1e-8 else 0.0


def perturbed(problem: Problem, what: str, amount: np.ndarray) -> float:
    """Distances and sizes of a perturbed saddle point, and what the regulariser's costs; of the squared loss."""
    delta, n, X, y = positive(amount), problem.n, dense(problem.X), problem.y
    gamma = 1 + (delta if what != "regulariser" else 0.0)
    l2 = problem.l2 + (delta if what != "loss" else 0.0)

    def saddle(gamma: float, l2: float) -> tuple[np.ndarray, np.ndarray]:
        alpha = np.linalg.solve(gamma * np.eye(n) + X @ X.T / (l2 * n), y)
        return X.T @ alpha / (l2 * n), alpha

    (x, a), (x_d, a_d) = saddle(1.0, problem.l2), saddle(gamma, l2)
    xx, aa = float(x @ x), float(a @ a)
    away, away_dual = float((x_d - x) @ (x_d - x)), float((a_d - a) @ (a_d - a))
    if what == "loss":
        return max(at_most(problem.l2 * away, delta * aa / (4 * n)), at_most(float(a_d @ a_d), aa))
    if what == "regulariser":
        cost = at_most(problem.primal(x_d) - problem.primal(x), delta * xx / 2, problem.primal(x))
        return max(at_most(away_dual / n, delta * xx / 4), at_most(float(x_d @ x_d), xx), cost)
    return at_most(float(x_d @ x_d) + float(a_d @ a_d) / n, xx + aa / n)


# ------------------------------------------------------------ the face-off
def curvature(promise: Promise, problem: Problem, w: np.ndarray, h: np.ndarray) -> float:
    """P(w + h) - P(w) - <grad P(w), h> of a smooth P, over a multiple of ||h||^2/2."""
    seen = problem.primal(w + h) - problem.primal(w) - float(problem.gradient(w) @ h)
    return at_most(seen, promise(problem) * float(h @ h) / 2, problem.primal(w + h) + problem.primal(w))


def curvature_of_blocks(promise: Promise, problem: Problem, w: np.ndarray, h: np.ndarray, gate: np.ndarray) -> float:
    """The ESO model of single coordinates, with the lemma's largest u', and of pairs, with their own."""
    thinned = masked(problem, gate)
    P, g, d = thinned.primal(w), thinned.gradient(w), problem.d
    size, found = P + thinned.primal(w + h), []
    serial = np.mean([thinned.primal(w + h * e) for e in np.eye(d)]) - P - float(g @ h) / d
    found.append(at_most(serial, promise(thinned) * float(h @ h) / (2 * d), size))
    if d > 1:
        pairs = [a + b for k, a in enumerate(np.eye(d)) for b in np.eye(d)[k + 1 :]]
        u = eso(thinned.X, TauNice(2), "primal") / (thinned.loss.gamma * problem.n) + problem.l2
        seen = np.mean([thinned.primal(w + h * e) for e in pairs]) - P - 2 / d * float(g @ h)
        found.append(at_most(seen, float(u @ h**2) / d, size))
    return max(found)


def masked(problem: Problem, gate: np.ndarray, binary: bool = False) -> Problem:
    """The problem with zeros where `gate` is not positive, and else its entries, or their signs."""
    X = dense(problem.X)
    return Problem(
        np.where(gate > 0, np.sign(X) if binary else X, 0.0), problem.y, problem.loss.name, problem.l2, problem.l1
    )


def sums(problem: Problem) -> dict[str, float]:
    """C_P, C_D, their ratio, and F."""
    X = dense(problem.X) ** 2
    counts = X > 0
    C_P, C_D = float((counts.sum(0) * X.sum(0)).sum()), float((counts.sum(1) * X.sum(1)).sum())
    return {"C_P": C_P, "C_D": C_D, "C_P/C_D": C_P / C_D if C_D else np.nan, "F": float(X.sum())}


def range_of_sums(promise: Promise, problem: Problem, gate: np.ndarray, what: str, least: bool, binary: bool) -> float:
    """A sum of the face-off against its largest or smallest value."""
    thinned = masked(problem, gate, binary)
    X = dense(thinned.X)
    if not X.any() or (binary and not (X.any(axis=0).all() and X.any(axis=1).all())):
        return 0.0
    seen = sums(thinned)[what]
    return (at_least if least else at_most)(seen, promise(thinned))


def primal_ahead_from(promise: Promise, problem: Problem, gate: np.ndarray, count: str) -> float:
    """C_P/C_D of binary data that have as many nonzeros, or features, as it takes for C_P <= C_D."""
    thinned = masked(problem, gate, binary=True)
    X = dense(thinned.X)
    if not (X.any(axis=0).all() and X.any(axis=1).all()) or getattr(thinned, count) < promise(thinned):
        return 0.0
    return sums(thinned)["C_P/C_D"]


def total_work(promise: Promise, problem: Problem, share: np.ndarray, gate: np.ndarray, power: float = 1.0) -> float:
    """K W of any probabilities, K = max_i s_i^power/p_i over the same of l2 n, against that of the best ones."""
    thinned = masked(problem, gate)
    drawn, p = thinned.coordinates(promise.bound.side), softmax(share)
    if not dense(thinned.X).any():
        return 0.0
    s = (1 + drawn.norms2 / (thinned.loss.gamma * thinned.n * thinned.l2)) ** power
    return at_least(float((s / p).max() * (p @ drawn.counts)), promise(thinned))


def uniform_work(promise: Promise, problem: Problem, gate: np.ndarray, best: Promise) -> float:
    """Importance sampling's T over uniform sampling's."""
    thinned = masked(problem, gate)
    return at_least(promise(thinned), best(thinned)) if dense(thinned.X).any() else 0.0
