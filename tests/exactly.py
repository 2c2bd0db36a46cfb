"""P(w) and D(alpha) of a `Problem` in exact rational arithmetic; exponentials and logarithms to 60 digits."""

from fractions import Fraction
from functools import partial

import mpmath
import numpy as np

from cdlab import losses

DIGITS = 60
HALF = Fraction(1, 2)


def fractions(x):
    """The numbers of an array, exactly; in lists as deep as it has axes."""
    return list(map(fractions, x)) if np.ndim(x) else Fraction(float(x))


def entropy(p):
    """p ln p, to `DIGITS`."""
    if p <= 0:
        assert p == 0, "a probability is at least 0"
        return Fraction(0)
    with mpmath.workdps(DIGITS):
        return p * rational(mpmath.log(mpmath.mpf(p.numerator) / p.denominator))


def rational(x):
    sign, man, exp, _ = x._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** int(exp)


def log_sum_exp(u):
    top = max(u)
    with mpmath.workdps(DIGITS):
        parts = [mpmath.exp(mpmath.mpf((x - top).numerator) / (x - top).denominator) for x in u]
        return top + rational(mpmath.log(mpmath.fsum(parts)))


def bend(loss):
    return Fraction(float(loss.gamma))


def phi(loss, u, y):
    """The loss at u: a fraction, of softmax a list of them."""
    name = loss.name
    if name == "softmax":
        return log_sum_exp(u) - u[int(y)]
    if name == "logistic":
        return log_sum_exp([Fraction(0), -y * u])
    if name in ("squared", "squared_hinge"):
        short = u - y if name == "squared" else max(Fraction(0), 1 - y * u)
        return Fraction(float(loss.c)) * short**2
    short = max(Fraction(0), 1 - y * u) if "hinge" in name else abs(u - y)
    return short - bend(loss) / 2 if short >= bend(loss) else short**2 / (2 * bend(loss))


def phi_conj(loss, a, y):
    """phi*(-a), which must be finite."""
    name = loss.name
    if name == "softmax":
        assert sum(a) == 0
        return sum(entropy((k == int(y)) - x) for k, x in enumerate(a))
    b = y * a
    if name == "squared":
        return a * a / (4 * Fraction(float(loss.c))) - b
    if name in ("huber", "absolute"):
        assert abs(a) <= 1
        return bend(loss) * a * a / 2 - b
    assert b >= 0, "it is in the domain"
    if name == "squared_hinge":
        return b * b / (4 * Fraction(float(loss.c))) - b
    assert b <= 1, "it is in the domain"
    return entropy(b) + entropy(1 - b) if name == "logistic" else bend(loss) * b * b / 2 - b


def transposed(rows):
    return list(map(list, zip(*rows, strict=True)))


def inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


class Exact:
    """P and D of a problem."""

    def __init__(self, problem):
        self.problem, self.loss, self.n = problem, losses.unweighted(problem.loss), problem.n
        X = problem.X if isinstance(problem.X, np.ndarray) else problem.X.toarray()
        self.X, self.y, self.l2, self.l1 = fractions(X), fractions(problem.y), *map(Fraction, (problem.l2, problem.l1))
        self.s = fractions(np.ones(self.n) if problem.sample_weight is None else problem.sample_weight)
        self.d = problem.d - problem.intercept

    def primal(self, w):
        """P(w) of an array."""
        classes = transposed(fractions(w)) if np.ndim(w) > 1 else [fractions(w)]
        z = [[inner(x, u) for u in classes] for x in self.X]
        loss = inner(self.s, [phi(self.loss, u if np.ndim(w) > 1 else u[0], y) for u, y in zip(z, self.y, strict=True)])
        kept = [x for u in classes for x in u[: self.d]]
        return loss / self.n + self.l2 / 2 * inner(kept, kept) + self.l1 * sum(map(abs, kept))

    def dual(self, alpha):
        """D at an exactly feasible point that is near alpha, an array in the domain of the losses' conjugates."""
        several, rows = np.ndim(alpha) > 1, fractions(alpha)
        if several:
            rows = list(map(self.in_simplex, rows, self.y, self.s))
        if self.problem.intercept:
            rows = self.balanced(rows, several)
        classes = transposed(rows) if several else [rows]
        v = [inner(x, a) / self.n for x in transposed(self.X)[: self.d] for a in classes]
        if self.l2 == 0:
            told = Fraction(self.problem.feasible_share(self.problem.inside(alpha)[1][: self.d]))
            share = min(told, self.l1 / max(self.l1, *map(abs, v)))
            rows = [[share * x for x in row] if several else share * row for row in rows]
            conjugate = 0
        else:
            conjugate = sum(max(Fraction(0), abs(x) - self.l1) ** 2 for x in v) / (2 * self.l2)
        return -sum(map(self.conjugate, rows, self.y, self.s)) / self.n - conjugate

    def conjugate(self, a, y, s):
        if s == 0:
            assert not np.any(a)
            return 0
        return s * phi_conj(self.loss, [x / s for x in a] if isinstance(a, list) else a / s, y)

    @staticmethod
    def in_simplex(row, y, s):
        others = [0 if k == int(y) else x for k, x in enumerate(row)]
        assert max(others) <= 0
        share = min(Fraction(1), s / -sum(others)) if any(others) else 1
        return [share * (x if k != int(y) else -sum(others)) for k, x in enumerate(others)]

    @staticmethod
    def balanced(rows, several):
        assert not several
        up, down = sum(x for x in rows if x > 0), -sum(x for x in rows if x < 0)
        shares = (min(Fraction(1), down / up) if up else 1, min(Fraction(1), up / down) if down else 1)
        return [x * shares[x < 0] for x in rows]

    def gap(self, w, alpha):
        """P(w) - D(alpha)."""
        return self.primal(w) - self.dual(alpha)


exact_sum = partial(sum, start=Fraction(0))
