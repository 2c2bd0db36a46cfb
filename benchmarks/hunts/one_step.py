"""One step of a method from any state: what it gains on average, or takes away from the potential of a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from cdlab.distributed.solving import best_step
from cdlab.exact_rates.quadratics import dense
from cdlab.problems.problem import Problem
from cdlab.theory.derivations.spdc import BATCH, NORMS, NORMS_BLOCKS, Scheme, steps, weights
from cdlab.theory.evaluate import evaluate
from cdlab.theory.spectra import hessian

from .points import gradient_step
from .promises import (
    Draws,
    Promise,
    above,
    at_least,
    at_most,
    best_along,
    damped_moves,
    exact_moves,
    feasible,
    optimum,
    positive,
    primal_moves,
    shrunk,
    with_entries,
)  # fmt: skip

Share = np.ndarray | None  # logarithms of probabilities


# ------------------------------------------------------------ dual coordinates
def gain_of_dual_step(promise: Promise, problem: Problem, alpha: np.ndarray, share: Share = None) -> float:
    """E[D+] - D of exact steps, of a block all from the same w, is at least a share of the gap."""
    alpha, draws = feasible(problem, alpha), promise.draws(problem, share)
    return _gain_over_gap(promise, problem, alpha, draws, exact_moves(problem, draws, alpha))


def gain_of_damped_step(
    promise: Promise, problem: Problem, alpha: np.ndarray, share: Share = None, rounds: int = 0
) -> float:
    """The same of damped steps, or of rounds of exact ones after a damped one."""
    alpha, draws = feasible(problem, alpha), promise.draws(problem, share)
    rate, goal = promise.rate(problem, draws.p), problem.alpha(problem.w(alpha))

    def moves() -> Iterator[tuple[float, np.ndarray]]:
        for p, block, moved in damped_moves(draws, alpha, goal, rate):
            for _ in range(rounds):
                for i in block:
                    moved[i] = best_along(problem, moved, i)
            yield p, moved

    return _gain_over_gap(promise, problem, alpha, draws, moves())


def _gain_over_gap(
    promise: Promise, problem: Problem, alpha: np.ndarray, draws: Draws, moves: Iterator[tuple[float, np.ndarray]]
) -> float:
    rate, D, P = promise.rate(problem, draws.p), problem.dual(alpha), problem.primal(problem.w(alpha))
    gained = sum(p * (problem.dual(moved) - D) for p, moved in moves)
    return at_least(gained, rate * (P - D), rate * (abs(P) + abs(D)) if rate > 1e-6 else 1.0)


def gain_of_global_step(promise: Promise, problem: Problem, alpha: np.ndarray) -> float:
    """L(theta) - D, at most what the global step of CoCoA+ gains, is at least a share of the gap."""
    alpha, n = feasible(problem, alpha), problem.n
    w, D, v = problem.w(alpha), problem.dual(alpha), problem.v(alpha)
    P, goal = problem.primal(w), problem.alpha(w)
    conjugates = [-problem.dual(a) - problem.reg.g_conj(problem.v(a)) for a in (alpha, goal)]
    bend = problem.loss.gamma * float((goal - alpha) @ (goal - alpha)) / n
    change = problem.v(goal) - v
    _, value = best_step(problem.l2, problem.l1, v, change, conjugates[0] - conjugates[1], bend)
    return at_least(value - conjugates[0] - D, promise(problem) * (P - D), abs(P) + abs(D))


def gain_of_local_steps(promise: Promise, problem: Problem, alpha: np.ndarray) -> float:
    """Two parts that maximise their G_k gain at least a share of the gap."""
    alpha, n, X = feasible(problem, alpha), problem.n, dense(problem.X)
    w, D, moved = problem.w(alpha), problem.dual(alpha), alpha.copy()
    P = problem.primal(w)
    for part in np.array_split(np.arange(n), 2):
        v = problem.v(alpha)
        for _ in range(60):
            for i in part:
                u, q = X[i] @ problem.reg.grad_g_conj(v), X[i] @ X[i] / (problem.l2 * part.size)
                new = -problem.loss.dualprox(u, -moved[i], q, problem.loss_y[i])
                v = v + (new - moved[i]) * X[i] / part.size
                moved[i] = new
    return at_least(problem.dual(moved) - D, promise(problem, nodes=2) * (P - D), abs(P) + abs(D))


def gain_of_lipschitz_step(promise: Promise, problem: Problem, alpha: np.ndarray, share: Share = None) -> float:
    """E[D+] - D is at least what the main lemma says at its best s."""
    alpha, draws = feasible(problem, alpha), promise.draws(problem, share)
    D, P = problem.dual(alpha), problem.primal(problem.w(alpha))
    gained = sum(p * (problem.dual(moved) - D) for p, moved in exact_moves(problem, draws, alpha))
    return at_least(float(gained), promise(problem, draws.p, gap0=max(P - D, 0.0)), 1e-3 * (abs(P) + abs(D)))


def gain_of_adaptive_step(promise: Promise, problem: Problem, alpha: np.ndarray) -> float:
    """E[D+] - D is at least theta_1 times the gap, and theta_1 at least importance sampling's rate."""
    w, D, n = problem.w(alpha), problem.dual(alpha), problem.n
    r, s = alpha - problem.alpha(w), problem.coordinates("dual").smoothness
    p = np.abs(r) * np.sqrt(s) / (np.abs(r) * np.sqrt(s)).sum() if r.any() else np.full(n, 1 / n)
    some, P = p > 0, problem.primal(w)
    theta = problem.l2 * n * float(r @ r) / float((r[some] ** 2 * s[some] / p[some]).sum()) if r.any() else 1.0
    moved = [problem.dual(with_entries(alpha, i, best_along(problem, alpha, i))) - D for i in range(n)]
    return max(at_least(theta, promise(problem)), at_least(float(p @ moved), theta * (P - D), theta * (P + abs(D))))


def fall_of_halved(promise: Promise, problem: Problem, x: np.ndarray, share: Share = None) -> float:
    """A step takes 1/K' of F + sum_i p_min (c + h_i)/(2 p_i) (x_i - x*_i)^2, see derivations/halved.py."""
    draws, best, n = promise.draws(problem, share), optimum(problem), problem.n
    p, lowest = draws.p, problem.primal(best)
    if promise.bound.side == "dual":
        x, goal, c, h = feasible(problem, x), problem.alpha(best), problem.loss.gamma / n, draws.v / problem.l2 / n**2
        after = list(exact_moves(problem, draws, x))
        error: Callable[[np.ndarray], float] = lambda a: lowest - problem.dual(a)  # noqa: E731
    else:
        goal, c, h = best, problem.l2, draws.v / (n * problem.loss.gamma)
        after, error = list(primal_moves(problem, draws, x)), lambda w: problem.primal(w) - lowest
    weight = p.min() * (c + h) / (2 * p)

    def V(x: np.ndarray) -> float:
        return error(x) + float(weight @ (x - goal) ** 2)

    before, rate, size = V(x), promise.rate(problem, p), abs(lowest) + abs(error(x))
    return at_least(before - sum(q * V(a) for q, a in after), rate * before, rate * size if rate > 1e-5 else size)


# ------------------------------------------------------------ primal coordinates, and all of them
def fall_of_primal_step(promise: Promise, problem: Problem, w: np.ndarray, share: Share = None) -> float:
    """A step of proximal coordinate descent takes 1/K of P - P*."""
    draws, P, lowest = promise.draws(problem, share), problem.primal(w), problem.primal(optimum(problem))
    fallen = sum(q * (P - problem.primal(moved)) for q, moved in primal_moves(problem, draws, w))
    rate = promise.rate(problem, draws.p)
    return at_least(float(fallen), rate * (P - lowest), rate * P if rate > 1e-5 else P)


def fall_of_convex_potential(promise: Promise, problem: Problem, w: np.ndarray, share: Share = None) -> float:
    """A step takes p_min (P - P*) of P - P* + sum_j p_min H_j/(2 p_j) (w_j - w*_j)^2, whatever l2 is."""
    draws, best, P = promise.draws(problem, share), optimum(problem), problem.primal(w)
    weight = draws.p.min() * draws.v / (problem.n * problem.loss.gamma) / (2 * draws.p)

    def V(w: np.ndarray) -> float:
        return problem.primal(w) + float(weight @ (w - best) ** 2)

    fallen = sum(q * (V(w) - V(moved)) for q, moved in primal_moves(problem, draws, w))
    return at_least(float(fallen), float(draws.p.min()) * (P - problem.primal(best)), V(w))


def fall_of_full_step(promise: Promise, problem: Problem, w: np.ndarray) -> float:
    """A proximal gradient step takes 1/K of P - P*."""
    P, rate = problem.primal(w), promise.rate(problem)
    promised = rate * (P - problem.primal(optimum(problem)))
    return at_least(P - problem.primal(gradient_step(problem, w)), promised, P)


def fall_of_greedy_step(promise: Promise, problem: Problem, w: np.ndarray, scaled: bool) -> float:
    """A step along the largest derivative, or the largest over sqrt(L_j), takes 1/K of P - P*."""
    L = problem.column_profile.norms2 / (problem.n * problem.loss.gamma) + problem.l2
    g, P = problem.gradient(w), problem.primal(w)
    j = int(np.argmax(np.abs(g) / (np.sqrt(L) if scaled else 1)))
    moved = with_entries(w, j, w[j] - g[j] / L[j])
    return at_least(P - problem.primal(moved), promise.rate(problem) * (P - problem.primal(optimum(problem))), P)


# ------------------------------------------------------------ momentum, any draws: two sequences
@dataclass(frozen=True)
class Composite:
    """F = f + sum_i Psi_i of one side, to be minimised, with the minimisers that steps of momentum ask for."""

    value: Callable[[np.ndarray], float]  # F
    slopes: Callable[[np.ndarray], np.ndarray]  # of f
    psi: Callable[[np.ndarray], np.ndarray]  # each Psi_i
    step: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # argmin_t { g t + Psi_i(t) + (c/2)(t - z)^2 }
    convexity: float  # of f
    best: np.ndarray


def composite(problem: Problem, side: str) -> Composite:
    """F = P on the primal side; F = -D on the dual one, where f takes phi*'s strong convexity from Psi."""
    n, gamma, y = problem.n, problem.loss.gamma, problem.loss_y
    if side == "primal":
        psi = lambda w: problem.l1 * np.abs(w)  # noqa: E731
        step = lambda g, z, c: shrunk(z - g / c, problem.l1 / c)  # noqa: E731
        return Composite(problem.primal, problem.gradient, psi, step, problem.l2, optimum(problem))

    def dual_step(g: np.ndarray, z: np.ndarray, c: np.ndarray) -> np.ndarray:
        each = zip(n * g - gamma * z, z, n * c - gamma, y, strict=True)
        return np.array([-problem.loss.dualprox(u, -at, q, label) for u, at, q, label in each])

    return Composite(
        lambda a: -problem.dual(a),
        lambda a: (dense(problem.X) @ problem.w(a) + gamma * a) / n,
        lambda a: (
            np.array([problem.loss.phi_conj(*each) - gamma / 2 * each[0] ** 2 for each in zip(a, y, strict=True)]) / n
        ),
        dual_step,
        gamma / n,
        problem.alpha(optimum(problem)),
    )


def smoothness_of(promise: Promise, problem: Problem, draws: Draws) -> np.ndarray:
    """L_i of f along each coordinate, or what takes its place in blocks."""
    n, gamma, l2 = problem.n, problem.loss.gamma, problem.l2
    return draws.v / (n * gamma) + l2 if promise.bound.side == "primal" else draws.v / (l2 * n**2) + gamma / n


def fall_of_proximal_momentum(
    promise: Promise, problem: Problem, x: np.ndarray, z: np.ndarray, share: Share = None
) -> float:
    """APCG: a step takes 1/K of f(x) + Psi^ - F* + sum_i W_i (z_i - x*_i)^2/2, whatever z and the points before it."""
    side, draws = promise.bound.side, promise.draws(problem, share)
    (x, z) = (x, z) if side == "primal" else (feasible(problem, x), feasible(problem, z))
    F, L, p = composite(problem, side), smoothness_of(promise, problem, draws), draws.p
    a = float((p * np.sqrt(F.convexity / L)).min())
    b = a / p
    x, hat = b * z + (1 - b) * x, b * F.psi(z) + (1 - b) * F.psi(x)
    y, carried = (x + a * z) / (1 + a), (z + a * x) / (1 + a)
    moved, psi_z = F.step(F.slopes(y), carried, b * L), F.psi(z)

    def V(x: np.ndarray, hat: np.ndarray, z: np.ndarray) -> float:
        excess = F.value(x) - F.value(F.best) + float((hat - F.psi(x)).sum())
        return excess + float(b**2 * L @ (z - F.best) ** 2) / 2

    before, after = V(x, hat, z), 0.0
    for q, S in draws.blocks:
        new = with_entries(carried, S, moved[list(S)])
        mean = b * F.psi(new) + ((a - b) * psi_z + (1 - a * b) * hat) / (1 + a)
        after += q * V(y + b * (new - carried), mean, new)
    return at_least(before - after, promise.rate(problem, p) * before, abs(F.value(x)) * 1e-4 + before * 1e-6)


def fall_of_approx(
    promise: Promise, problem: Problem, x: np.ndarray, z: np.ndarray, size: np.ndarray, share: Share = None
) -> float:
    """APPROX: (f(x) + Psi^ - F*)/theta^2 + sum_j L_j (z_j - w*_j)^2/(2 p_j^2), with the theta before, does not rise.

    The proof takes any convex f, so l2 is in it, however small.
    """
    draws = promise.draws(problem, share)
    F, p = composite(problem, "primal"), draws.p
    L = smoothness_of(promise, problem, draws)
    theta = float(p.min()) / above(1.0, size)
    last, b = theta / np.sqrt(1 - theta) if theta < 1 else np.inf, theta / p
    weight = np.minimum(last / p, 1.0)  # of z in x
    x, hat = weight * z + (1 - weight) * x, weight * F.psi(z) + (1 - weight) * F.psi(x)
    y = (1 - theta) * x + theta * z
    moved, psi_z = F.step(F.slopes(y), z, b * L), F.psi(z)

    def V(x: np.ndarray, hat: np.ndarray, z: np.ndarray, over: float) -> float:
        excess = F.value(x) - F.value(F.best) + float((hat - F.psi(x)).sum())
        return excess / over**2 + float(L / p**2 @ (z - F.best) ** 2) / 2

    before, after = V(x, hat, z, last), 0.0
    for q, S in draws.blocks:
        new = with_entries(z, S, moved[list(S)])
        mean = (1 - theta) * hat + (theta - b) * psi_z + b * F.psi(new)
        after += q * V(y + b * (new - z), mean, new, theta)
    return at_most(after, before, abs(F.value(x)))


def fall_of_momentum(promise: Promise, problem: Problem, x: np.ndarray, z: np.ndarray, share: Share = None) -> float:
    """acc_rcd: a step takes 1/K of (eta/tau)(P(y) - P*) + ((1 + eta l2)/2) ||z - w*||^2."""
    draws, best, l2 = promise.draws(problem, share), optimum(problem), problem.l2
    L, tau, p = smoothness_of(promise, problem, draws), promise.rate(problem, draws.p), draws.p
    eta = 1 / (tau * float((L / p**2).max()))
    at = tau * z + (1 - tau) * x
    g, still = problem.gradient(at), (z + eta * l2 * at) / (1 + eta * l2)

    def V(y: np.ndarray, z: np.ndarray) -> float:
        excess = problem.primal(y) - problem.primal(best)
        return eta / tau * excess + (1 + eta * l2) / 2 * float((z - best) @ (z - best))

    before, after = V(x, z), 0.0
    for q, block in draws.blocks:
        S = list(block)
        moved = with_entries(still, S, still[S] - eta / p[S] * g[S] / (1 + eta * l2))
        after += q * V(with_entries(at, S, at[S] - g[S] / L[S]), moved)
    return at_least(before - after, tau * before, before * 1e-6 / tau)


# ------------------------------------------------------------ quadratics: state and optimum differ by e
def fall_of_spectral(promise: Promise, problem: Problem, e: np.ndarray, share: Share = None) -> float:
    """A step takes 1/K of e'(p_min P^-1 + G) e, see derivations/quadratics.py."""
    draws, side = promise.draws(problem, share), promise.bound.side
    A = hessian(problem.X, 1.0, problem.l2, side)
    G = A / np.sqrt(np.outer(A.diagonal(), A.diagonal()))
    M = np.diag(draws.p.min() / draws.p) + G
    after = sum(q * (a @ M @ a) for q, S in draws.blocks for a in [with_entries(e, S, e[S[0]] - G[S[0]] @ e)])
    before = float(e @ M @ e)
    return at_least(before - float(after), promise.rate(problem, draws.p) * before, before * 1e-6)


def no_K_below(promise: Promise, problem: Problem, share: Share = None) -> float:
    """The K of the second moments of the error, by their matrix, is at least this."""
    draws = promise.draws(problem, share)
    A = hessian(problem.X, 1.0, problem.l2, promise.bound.side)
    G = A / np.sqrt(np.outer(A.diagonal(), A.diagonal()))
    moved = [(q, np.eye(len(G)) - np.outer(np.eye(len(G))[S[0]], G[S[0]])) for q, S in draws.blocks]
    left = 1 - float(np.abs(np.linalg.eigvals(sum(q * np.kron(T, T) for q, T in moved))).max())
    return at_least(1 / left, promise(problem, draws.p)) if left > 0 else 0.0


def fall_of_block_newton(promise: Promise, problem: Problem, e: np.ndarray) -> float:
    """Steps with the exact curvature of a block take sigma_1 of the error, of the squared loss."""
    draws, A = promise.draws(problem), hessian(problem.X, 1.0, problem.l2, promise.bound.side)
    g = A @ e
    fallen = sum(q * (g[list(S)] @ np.linalg.solve(A[np.ix_(S, S)], g[list(S)])) for q, S in draws.blocks)
    return at_least(float(fallen), promise.rate(problem) * float(e @ g))


def fall_of_smooth_block_newton(promise: Promise, problem: Problem, w: np.ndarray) -> float:
    """Steps with the curvature M of a block, which is at least P's, take sigma_1 of P - P*, of any smooth loss."""
    draws, A = promise.draws(problem), hessian(problem.X, problem.loss.gamma, problem.l2, "primal")
    g, P, fallen = problem.gradient(w), problem.primal(w), 0.0
    for q, S in draws.blocks:
        fallen += q * (
            P - problem.primal(with_entries(w, S, w[list(S)] - np.linalg.solve(A[np.ix_(S, S)], g[list(S)])))
        )
    rate = promise.rate(problem)
    return at_least(fallen, rate * (P - problem.primal(optimum(problem))), P if rate < 1e-5 else rate * P)


def fall_of_accelerated_rows(promise: Promise, problem: Problem, x: np.ndarray, v: np.ndarray) -> float:
    """acc_kaczmarz: a step takes 1/K of ||v||^2_(A'A)^+ + ||x||^2/mu, x and v made of the rows, as distances."""
    X, norms = dense(problem.X), np.sqrt(problem.row_profile.norms2)
    system = Problem(X, X.sum(axis=1), "squared", 0.0)
    A = X / np.where(norms > 0, norms, 1)[:, None]
    K, n = promise(system), problem.n
    r, x, v, inverse = n / K, A.T @ x, A.T @ v, np.linalg.pinv(A.T @ A, rcond=1e-8, hermitian=True)

    def V(x: np.ndarray, v: np.ndarray) -> float:
        return float(v @ inverse @ v + x @ x / r**2)

    y = (r * v + n * x) / (n + r)
    after = np.mean([V(y - (a @ y) * a, (1 - r / n) * v + r / n * y - (a @ y) / r * a) for a in A])
    return at_least(V(x, v) - float(after), V(x, v) / K, 1e-6 * V(x, v) * K)


def fall_of_ordered_rows(promise: Promise, problem: Problem, u: np.ndarray) -> float:
    """kaczmarz: an epoch of all rows, one after another, takes 1/K of ||e||^2, e = w - w*."""
    X, norms = dense(problem.X), np.sqrt(problem.row_profile.norms2)
    A = X / np.where(norms > 0, norms, 1)[:, None]
    before = e = np.linalg.pinv(A, rcond=1e-7) @ A @ u
    for a in A:
        e = e - (a @ e) * a
    size, K = float(before @ before), promise(Problem(X, X.sum(axis=1), "squared", 0.0))
    return at_least(size - float(e @ e), size / K, 1e-6 * size)


def fall_of_accelerated_columns(promise: Promise, problem: Problem, x: np.ndarray, v: np.ndarray) -> float:
    """acc_cd: a step takes 1/K of ||v||^2 + ||C x||^2/mu, v projected onto the range of C'."""
    X, norms = dense(problem.X), np.sqrt(problem.column_profile.norms2)
    C = X / np.where(norms > 0, norms, 1)
    K, d = promise(Problem(X, problem.y, "squared", 0.0)), problem.d
    r, onto = d / K, np.linalg.pinv(C, rcond=1e-8) @ C

    def V(x: np.ndarray, v: np.ndarray) -> float:
        return float((onto @ v) @ (onto @ v) + (C @ x) @ (C @ x) / r**2)

    y = (r * v + d * x) / (d + r)
    g, E = C.T @ (C @ y), np.eye(d)
    after = np.mean([V(y - g[j] * E[j], (1 - r / d) * v + r / d * y - g[j] / r * E[j]) for j in range(d)])
    return at_least(V(x, v) - float(after), V(x, v) / K, 1e-6 * V(x, v) * K)


# ------------------------------------------------------------ examples, with a memory
def fall_of_saga(promise: Promise, problem: Problem, w: np.ndarray, table: np.ndarray, share: Share = None) -> float:
    """A step of 1/(3 L) takes 1/K of ||w - w*||^2 + 2/(3 L + 2 l2) sum_i B_i/(n p_i), B_i from the table's points."""
    draws, X, best, n = promise.draws(problem, share), dense(problem.X), optimum(problem), problem.n
    L = (draws.v / (n * draws.p)).max()

    def V(w: np.ndarray, table: np.ndarray) -> float:
        memory = (((table - X @ best) ** 2) / draws.p).sum() / (2 * n)
        return float((w - best) @ (w - best) + 2 / (3 * L + 2 * problem.l2) * memory)

    moves = _variance_reduced(problem, draws, 1 / (3 * L), w, table)
    after = sum(p * V(moved, with_entries(table, list(S), (X @ w)[list(S)])) for p, S, moved in moves)
    before = V(w, table)
    return at_least(before - after, promise.rate(problem, draws.p) * before, 1e-6 * before)


def fall_of_lsvrg(
    promise: Promise, problem: Problem, w: np.ndarray, snapshot: np.ndarray, share: Share = None
) -> float:
    """A step of 1/(3 L) takes 1/K of ||w - w*||^2 + 2/(rho (3 L + 2 l2)) B(s), with the rho of the theorem."""
    draws, X, best, n = promise.draws(problem, share), dense(problem.X), optimum(problem), problem.n
    L, rho = (draws.v / (n * draws.p)).max(), draws.p.min()

    def V(w: np.ndarray, s: np.ndarray) -> float:
        memory = ((X @ (s - best)) ** 2).mean() / 2
        return float((w - best) @ (w - best) + 2 / (rho * (3 * L + 2 * problem.l2)) * memory)

    moves = _variance_reduced(problem, draws, 1 / (3 * L), w, X @ snapshot)
    after = sum(p * (rho * V(moved, w) + (1 - rho) * V(moved, snapshot)) for p, _, moved in moves)
    before = V(w, snapshot)
    return at_least(before - after, promise.rate(problem, draws.p) * before, 1e-6 * before)


def _variance_reduced(
    problem: Problem, draws: Draws, eta: float, w: np.ndarray, table: np.ndarray
) -> Iterator[tuple[float, tuple[int, ...], np.ndarray]]:
    """Each block with its chance, and w after its step, on the squared loss with table_i for x_i's."""
    X, n = dense(problem.X), problem.n
    full = X.T @ (table - problem.y) / n
    for p, block in draws.blocks:
        S = list(block)
        direction = X[S].T @ ((X[S] @ w - table[S]) / (n * draws.p[S])) + full
        yield p, block, shrunk(w - eta * direction, eta * problem.l1) / (1 + eta * problem.l2)


def fall_of_averaged_quartz(
    promise: Promise, problem: Problem, w: np.ndarray, alpha: np.ndarray, share: Share = None
) -> float:
    """A step takes 1/K of the gap P(w) - D(alpha), w any point."""
    draws, gap = promise.draws(problem, share), problem.primal(w) - problem.dual(alpha)
    theta = promise.rate(problem, draws.p)
    moved = (1 - theta) * w + theta * problem.w(alpha)
    P, steps = problem.primal(moved), damped_moves(draws, alpha, problem.alpha(moved), theta)
    after = sum(p * (P - problem.dual(stepped)) for p, _, stepped in steps)
    return at_least(gap - after, theta * gap, 1e-6 * gap)


def fall_of_distances(promise: Promise, problem: Problem, alpha: np.ndarray, share: Share = None) -> float:
    """A long damped step takes 1/K of (gamma/n) ||alpha - alpha*||^2 + (l2/2)||w - w*||^2."""
    draws, best, n = promise.draws(problem, share), optimum(problem), problem.n
    theta, goal = promise.rate(problem, draws.p), problem.alpha(best)

    def V(alpha: np.ndarray) -> float:
        away, moved = alpha - goal, problem.w(alpha) - best
        return float(problem.loss.gamma / n * (away @ away) + problem.l2 / 2 * (moved @ moved))

    steps = damped_moves(draws, alpha, problem.alpha(problem.w(alpha)), theta)
    before, after = V(alpha), sum(p * V(stepped) for p, _, stepped in steps)
    return at_least(before - after, theta * before, 1e-6 * before)


SCHEMES = {"uniform": BATCH, "norms": NORMS, "norms_blocks": NORMS_BLOCKS}


def by_scheme(promise: Promise, problem: Problem) -> tuple[Scheme, int, np.ndarray]:
    """SPDC's scheme for a sampling, the draws of a block, and the probabilities of a draw."""
    scheme, n, norms = SCHEMES[promise.bound.sampling], problem.n, np.sqrt(problem.row_profile.norms2)
    p = np.full(n, 1 / n) if scheme is BATCH else 1 / (2 * n) + norms / (2 * n * norms.mean())
    return scheme, 2 if scheme is NORMS_BLOCKS else 1, p


def spdc_potential(
    problem: Problem, scheme: Scheme, m: int, pi: np.ndarray, x: np.ndarray, before: np.ndarray, y: np.ndarray
) -> float:
    """The proof's distances with its cross term: of x, x before and y, as distances from the optimum."""
    tau, s = (number(part, problem, m) for part in steps(scheme))
    c, n = x - before, problem.n
    of_y = (1 / (2 * m * s) + problem.loss.gamma / (n * pi)) @ y**2
    return float((1 / (2 * tau) + problem.l2) * x @ x + of_y + c @ c / (4 * tau) + y @ dense(problem.X) @ c / n)


def fall_of_spdc(promise: Promise, problem: Problem, x: np.ndarray, before: np.ndarray, dual: np.ndarray) -> float:
    """A block of m draws takes 1/K of the potential."""
    X, n, gamma, y = dense(problem.X), problem.n, problem.loss.gamma, dual
    scheme, m, p = by_scheme(promise, problem)
    tau, s = (number(part, problem, m) for part in steps(scheme))
    pi, K = 1 - (1 - p) ** m, 1 / (1 - promise(problem))
    step, xbar = pi * n / (m * s), x + (1 - 1 / K) * (x - before)
    u, after, change = X.T @ y / n, 0.0, (X @ xbar + step * y) / (gamma + step) - y
    for drawn in np.ndindex(*(n,) * m):
        S = sorted(set(drawn))
        moved = (x - tau * (u + X[S].T @ (change[S] / (pi[S] * n)))) / (1 + tau * problem.l2)
        V = spdc_potential(problem, scheme, m, pi, moved, x, with_entries(y, S, y[S] + change[S]))
        after += float(np.prod(p[list(drawn)])) * V
    now = spdc_potential(problem, scheme, m, pi, x, before, y)
    return at_least(now - after, now / K, 1e-6 * now)


def distances_within(promise: Promise, problem: Problem, x: np.ndarray, before: np.ndarray, dual: np.ndarray) -> float:
    """SPDC's weighted distances at the end are at most the potential, cross term and all."""
    scheme, m, p = by_scheme(promise, problem)
    at, V = weights(scheme), spdc_potential(problem, scheme, m, 1 - (1 - p) ** m, x, before, dual)
    end = number(at.x, problem, m) * x @ x + number(at.y_end, problem, m) * dual @ dual
    return float(end / V) if V > 0 else np.inf if end > 0 else 0.0


def number(expr: object, problem: Problem, m: int = 1) -> float:
    """A formula of the problem's constants."""
    return float(evaluate(expr, {**problem.constants(), "m": m}, "a step"))  # type: ignore[arg-type]


def distance_to_any_point(promise: Promise, problem: Problem, w: np.ndarray, u: np.ndarray, size: np.ndarray) -> float:
    """E||w+ - u||^2 <= (1 - eta l2)||w - u||^2 - 2 eta (P(w) - P(u)) + eta^2 G^2, of a step of sgd.

    G is L R, for all w, and with l2 twice that, for the w of a norm of at most L R/l2, where sgd stays.
    """
    l2 = problem.l2 if "average" in promise.bound.theorem else 0.0
    L, eta = problem.loss.lipschitz, positive(size)
    if l2 > 0:
        w, eta = w * min(1.0, L * problem.R / l2 / max(float(np.linalg.norm(w)), 1e-300)), min(eta, 1 / l2)
    G = L * problem.R * (2 if l2 > 0 else 1)
    plain = problem.with_(l2=l2)
    slopes = -problem.alpha(w)
    moved = [w - eta * (slope * x + l2 * w) for slope, x in zip(slopes, dense(problem.X), strict=True)]
    seen = np.mean([float((at - u) @ (at - u)) for at in moved]) - (1 - eta * l2) * float((w - u) @ (w - u))
    excess = 2 * eta * (plain.primal(w) - plain.primal(u))
    return at_most(float(seen + excess), eta**2 * G**2, float((w - u) @ (w - u)) + abs(excess))


def rate_of_sag(promise: Promise, problem: Problem) -> float:
    """The K of the second moments of (w, table), less the optimum, by their matrix, is at most the promised one."""
    X, n, d = dense(problem.X), problem.n, problem.d
    eta, moved = 1 / (16 * (problem.R**2 + problem.l2)), []
    for x, e in zip(X, np.eye(n), strict=True):
        T = np.eye(d + n)
        T[d:] += np.outer(e, np.concatenate([x, -e]))
        T[:d] = np.hstack([(1 - eta * problem.l2) * np.eye(d), np.zeros((d, n))]) - eta / n * X.T @ T[d:]
        moved.append(np.kron(T, T))
    left = 1 - float(np.abs(np.linalg.eigvals(np.mean(moved, axis=0))).max())
    return at_most(1 / left, promise(problem)) if left > 0 else np.inf
