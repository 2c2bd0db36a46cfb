"""A stage of a proximal-point method from any state, its inner problem solved as badly as its rule admits.

P is the squared loss with l2 and labels 0, so that w* = 0, P* = 0 and P(w) = w'Hw/2, which loses nothing. An error has
a direction, and the size at which the rule ends the stage. f(w) = P(w) + (lambda/2)||w - y||^2 has the dual D_f with
the primal point (X'alpha/n + lambda y)/(l2 + lambda) and the Hessian -Q.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cdlab.exact_rates.quadratics import dense
from cdlab.problems.problem import Problem

from .promises import Promise, above, at_least, at_most, positive

ORACLE, CLOSE = "an oracle", "a gap relative to the step"


class Inner(NamedTuple):
    """The inner problem around y.

    Attributes
    ----------
    H : (d, d) array
        The Hessian of P.
    Q : (n, n) array
        That of -D_f.
    weight, mu, L : float
        lambda, l2 and the smoothness of P.
    y, best : (d,) array
        The centre, and the minimiser of f.
    """

    X: np.ndarray
    H: np.ndarray
    Q: np.ndarray
    weight: float
    mu: float
    L: float
    y: np.ndarray
    best: np.ndarray

    @classmethod
    def around(cls, problem: Problem, weight: float, y: np.ndarray) -> Inner:
        """The inner problem of this weight and centre."""
        X, n, d = dense(problem.X), problem.n, problem.d
        H = X.T @ X / n + problem.l2 * np.eye(d)
        Q = np.eye(n) / n + X @ X.T / (n**2 * (problem.l2 + weight))
        best = np.linalg.solve(H + weight * np.eye(d), weight * y)
        return cls(X, H, Q, weight, problem.l2, float(np.linalg.eigvalsh(H)[-1]), y, best)

    def P(self, w: np.ndarray) -> float:
        """P(w) - P*."""
        return float(w @ self.H @ w) / 2

    def excess(self, w: np.ndarray) -> float:
        """f(w) - f*."""
        return self.P(w - self.best) + self.weight / 2 * square(w - self.best)

    def dual_error(self, alpha: np.ndarray) -> float:
        """f* - D_f(alpha)."""
        away = alpha + self.X @ self.best
        return float(away @ self.Q @ away) / 2

    def moved_to(self, y: np.ndarray) -> Inner:
        """The inner problem around another centre."""
        best = np.linalg.solve(self.H + self.weight * np.eye(len(self.H)), self.weight * y)
        return self._replace(y=y, best=best)

    def ended(self, u: np.ndarray, budget: float) -> np.ndarray:
        """The point in direction u of the minimiser at which f is `budget` above f*."""
        size = self.excess(self.best + u)
        return self.best + math.sqrt(max(budget, 0.0) / size) * u if size > 0 else self.best

    def ended_close(self, u: np.ndarray, share: float = 1.0, more: float = 0.0) -> np.ndarray:
        """The point there at which f is share (lambda/2)(||x' - y||^2 + more) above f*."""
        return self.best + longest(self.excess(self.best + u), share * self.weight / 2, self.best - self.y, u, more) * u

    def dual_ended_close(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """alpha in direction u of the dual optimum, and its primal point: the gap is (lambda/2)||x' - y||^2."""
        shift = self.X.T @ u / (len(self.X) * (self.mu + self.weight))
        gap = self.excess(self.best + shift) + float(u @ self.Q @ u) / 2
        t = longest(gap, self.weight / 2, self.best - self.y, shift, 0.0)
        return -self.X @ self.best + t * u, self.best + t * shift


def square(x: np.ndarray) -> float:
    """||x||^2."""
    return float(x @ x)


def longest(size: float, share: float, a: np.ndarray, u: np.ndarray, more: float) -> float:
    """The positive t with t^2 size = share (||a + t u||^2 + more); 0 where u is 0."""
    A, B, C = size - share * square(u), share * float(a @ u), share * (square(a) + more)
    return (B + math.sqrt(B**2 + A * C)) / A if A > 0 else 0.0


# ------------------------------------------------------------ appa
def fall_of_appa(
    promise: Promise, problem: Problem, x: np.ndarray, u: np.ndarray, weight: np.ndarray, size: np.ndarray, rule: str
) -> float:
    """A stage takes a share of P - P*: with a gap relative to the step, or an oracle that starts at x."""
    f = Inner.around(problem, problem.l2 * positive(weight), x)
    lam, mu, numbers = f.weight, f.mu, {}
    if rule == CLOSE:
        ended = f.ended_close(u)
    elif rule == ORACLE:
        c = above(2 * (lam + mu) / mu, size)
        numbers = {"accuracy": c} if promise.bound.theorem == "lemma 3.2" else {}
        ended = f.ended(u, f.excess(x) / c)
    else:
        ended = f.best
    promised = promise(problem, prox_weight=lam, **numbers)
    share = 1 / promised if promise.bound.counts else 1 - promised
    return at_least(f.P(x) - f.P(ended), share * f.P(x), 1e-6 * f.P(x))


def start_over_end_of_appa(problem: Problem, x: np.ndarray, u: np.ndarray, weight: np.ndarray) -> float:
    """A stage from alpha(x) with a relative gap: E_0 over the gap at its end is at most
    (1 + sqrt(q))^2 (L + lambda)^2/(lambda (l2 + lambda)), q = lambda/(lambda + mu)."""
    f = Inner.around(problem, problem.l2 * positive(weight), x)
    lam, q = f.weight, f.weight / (f.weight + f.mu)
    ended = lam / 2 * square(f.ended_close(u) - x)
    bound = (1 + math.sqrt(q)) ** 2 * (f.L + lam) ** 2 / (lam * (f.mu + lam))
    return at_most(f.dual_error(-f.X @ x), bound * ended)


# ------------------------------------------------------------ acc_appa
def potential(f: Inner, x: np.ndarray, v: np.ndarray) -> float:
    """V = P(x) - P* + (mu/4)||v - w*||^2."""
    return f.P(x) + f.mu / 4 * square(v)


def accelerated(problem: Problem, x: np.ndarray, v: np.ndarray, weight: np.ndarray) -> tuple[Inner, float]:
    """The inner problem around y, of a weight of 2 mu or more, and r = rho^(-1/2)."""
    lam = above(2 * problem.l2, weight)
    r = (1 + 2 * lam / problem.l2) ** -0.5
    return Inner.around(problem, lam, (x + r * v) / (1 + r)), r


def fall_of_acc_appa(
    promise: Promise,
    problem: Problem,
    x: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    weight: np.ndarray,
    size: np.ndarray,
    rule: str,
) -> float:
    """A stage takes a share of V: exact, or with a gap relative to the step and to ||x - y||.

    With an oracle that starts at x it is a share of V + r (P(x) - P*).
    """
    f, r = accelerated(problem, x, v, weight)
    more, ended = 0.0, f.best
    if rule == CLOSE:
        ended = f.ended_close(u, 1 / (1 + r**-2), r * square(x - f.y))
    elif rule == ORACLE:
        c, more = above((1 + r**-2) / r, size), r
        ended = f.ended(u, f.excess(x) / (c + 1))
    promised = promise(problem, prox_weight=f.weight)
    share = 1 / promised if promise.bound.counts else 1 - promised
    return fall_of_potential(f, r, x, v, ended, share, more)


def fall_of_potential(
    f: Inner, r: float, x: np.ndarray, v: np.ndarray, ended: np.ndarray, share: float, more: float = 0.0
) -> float:
    """The promised share of V + more (P(x) - P*) over what a stage that ends there takes of it."""
    g, zeta, before = f.weight * (f.y - ended), 2 / f.mu + 1 / f.weight, potential(f, x, v) + more * f.P(x)
    after = potential(f, ended, (1 - r) * v + r * (f.y - zeta * g)) + more * f.P(ended)
    return at_least(before - after, share * before, 1e-6 * before)


def fall_with_oracle(
    problem: Problem, x: np.ndarray, v: np.ndarray, u: np.ndarray, weight: np.ndarray, size: np.ndarray
) -> float:
    """f(x') - f* <= (P(x) - P* + (lambda/2)||x - y||^2)/c, c >= 2 (1 + rho) sqrt(rho), leaves 1 - r/2 of V."""
    f, r = accelerated(problem, x, v, weight)
    start = f.P(x) + f.weight / 2 * square(x - f.y)
    return fall_of_potential(f, r, x, v, f.ended(u, start / above(2 * (1 + r**-2) / r, size)), r / 2)


def start_over_end_of_acc_appa(
    problem: Problem, x: np.ndarray, v: np.ndarray, u: np.ndarray, weight: np.ndarray
) -> float:
    """The same from alpha(x): E_0 over the gap at its end is at most
    (16/9)(1 + rho)(1 + sqrt(rho))(L + lambda)^2/(lambda (l2 + lambda))."""
    f, r = accelerated(problem, x, v, weight)
    rho, lam, more = r**-2, f.weight, r * square(x - f.y)
    ended = lam / 2 * (square(f.ended_close(u, 1 / (1 + rho), more) - f.y) + more) / (1 + rho)
    bound = 16 / 9 * (1 + rho) * (1 + math.sqrt(rho)) * (f.L + lam) ** 2 / (lam * (f.mu + lam))
    return at_most(f.dual_error(-f.X @ x), bound * ended)


def start_of_oracle(problem: Problem, x: np.ndarray, center: np.ndarray, weight: np.ndarray) -> float:
    """At alpha(x) the dual error E_0 is at most (L_f/(l2 + lambda))(f(x) - f*): the gap's bound, less f(x) - f*."""
    f = Inner.around(problem, problem.l2 * positive(weight), center)
    return at_most(f.dual_error(-f.X @ x), (f.L - f.mu) / (f.mu + f.weight) * f.excess(x), 1e-3 * f.excess(x))


def start_over_end_of_oracle(
    problem: Problem, x: np.ndarray, center: np.ndarray, u: np.ndarray, weight: np.ndarray, size: np.ndarray
) -> float:
    """E_0 at alpha(x) is at most (c + 1)(L + lambda)/(l2 + lambda) times the gap (f(x) - f(x'))/c at the end."""
    f, c = Inner.around(problem, problem.l2 * positive(weight), center), above(1.0, size)
    end = (f.excess(x) - f.excess(f.ended(u, f.excess(x) / (c + 1)))) / c
    return at_most(f.dual_error(-f.X @ x), (c + 1) * (f.L + f.weight) / (f.mu + f.weight) * end)


# ------------------------------------------------------------ dual_appa: warm duals
def fall_of_dual_appa(
    promise: Promise, problem: Problem, x: np.ndarray, alpha: np.ndarray, u: np.ndarray, weight: np.ndarray
) -> float:
    """A stage takes a share of P(x) - P* + mu/(4 lambda) E, E = f* - D_f(alpha), which its oracle divides by sigma."""
    f = Inner.around(problem, problem.l2 * positive(weight), x)
    lam, mu = f.weight, f.mu
    a, B = mu / (4 * lam), 1 + problem.R**2 / (mu + lam)
    sigma = (B + 2 * a * (1 + B)) / ((1 + 2 * a) * lam / (lam + mu) * a)
    E, size = f.dual_error(alpha), float(u @ f.Q @ u) / 2
    t = math.sqrt(E / sigma / size) if size > 0 else 0.0
    ended = f.best + t * f.X.T @ u / (problem.n * (mu + lam))
    before = f.P(x) + a * E
    after = f.P(ended) + a * f.moved_to(ended).dual_error(-f.X @ f.best + t * u)
    promised = promise(problem, prox_weight=lam)
    return at_least(before - after, (1 / promised if promise.bound.counts else 1 - promised) * before, 1e-6 * before)


def start_of_warm_duals(problem: Problem, x: np.ndarray, alpha: np.ndarray, weight: np.ndarray) -> float:
    """The next stage of alpha, around its primal point x', has a dual error of at most 2 e + lambda ||x' - x||^2."""
    f = Inner.around(problem, problem.l2 * positive(weight), x)
    ended = (f.X.T @ alpha / problem.n + f.weight * x) / (f.mu + f.weight)
    return at_most(f.moved_to(ended).dual_error(alpha), 2 * f.dual_error(alpha) + f.weight * square(ended - x))


def cost_of_warm_duals(problem: Problem, x: np.ndarray, u: np.ndarray, then: np.ndarray, weight: np.ndarray) -> float:
    """With relative gaps, the next stage's E_0 over the gap at its end is at most 64 ((lambda + mu)/mu)^3 times the
    gain of f* - P* over a stage."""
    f = Inner.around(problem, problem.l2 * positive(weight), x)
    alpha, ended = f.dual_ended_close(u)
    following = f.moved_to(ended)
    _, last = following.dual_ended_close(then)
    gain = (f.P(f.best) + f.weight / 2 * square(f.best - x)) / max(
        following.P(following.best) + f.weight / 2 * square(following.best - ended), 1e-300
    )
    promised = 64 * ((f.weight + f.mu) / f.mu) ** 3 * gain
    return at_most(following.dual_error(alpha), promised * f.weight / 2 * square(last - ended))


# ------------------------------------------------------------ accprox_sdca
def warm_start(promise: Promise, problem: Problem, now: np.ndarray, last: np.ndarray, first: np.ndarray) -> float:
    """The dual error with which a stage starts over the gap that it has to reach.

    At most the gap of the stage before it and kappa_a^2/(2 (l2 + kappa_a)) ||y_t - y_(t-1)||^2, w_t to w_(t-2) as far
    from w* as xi_t to xi_(t-2) admit; xi_t = 1.
    """
    bound, l2 = promise(problem), problem.l2
    r = problem.R**2 / (l2 * problem.n)
    eta, kappa_a = 1 / math.sqrt(2 * r - 1), problem.R**2 / problem.n - l2
    beta, q = (1 - eta) / (1 + eta), 1 - eta / 2
    w, v, u = (
        x * math.sqrt(2 * xi / l2) / max(1e-300, math.sqrt(square(x)))
        for x, xi in ((now, 1.0), (last, 1 / q), (first, q**-2))
    )
    moved = (1 + beta) * w - (1 + 2 * beta) * v + beta * u
    target = eta / (2 * (1 + eta**-2))
    return at_most(target / q + kappa_a**2 / (2 * (l2 + kappa_a)) * square(moved), bound * target)
