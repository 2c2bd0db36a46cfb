"""Whether a certificate is true: P in 60 digits, and points that are better than the one that is certified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import mpmath
import numpy as np

mpmath.mp.dps = 60
STEPS = 12  # of Newton's method
ZERO = mpmath.mpf(0)
FLOOR = 1e-6  # of P(0): what the decrease is taken for at least, see `relative_gap`


def exact(values: Iterable[float]) -> list[mpmath.mpf]:
    """The same numbers, as mpmath has them."""
    return [mpmath.mpf(float(x)) for x in values]


class Exact:
    """The objective of a problem of one prediction, in 60 digits."""

    def __init__(self, problem):
        X = problem.X if isinstance(problem.X, np.ndarray) else problem.X.toarray()
        self.X, self.y = [exact(row) for row in X], exact(problem.y)
        self.n, self.d = X.shape
        self.l2, self.l1 = mpmath.mpf(problem.l2), mpmath.mpf(problem.l1)
        self.kind = type(problem.loss).__name__.partition("#")[0]
        self.parameters = {name: mpmath.mpf(float(value)) for name, value in problem.loss._asdict().items()}

    def margins(self, w):
        return [mpmath.fsum(x * each for x, each in zip(row, w, strict=True)) for row in self.X]

    def __call__(self, w) -> mpmath.mpf:
        losses = [self.phi(u, y)[0] for u, y in zip(self.margins(w), self.y, strict=True)]
        norms = self.l2 / 2 * mpmath.fsum(x * x for x in w) + self.l1 * mpmath.fsum(abs(x) for x in w)
        return mpmath.fsum(losses) / self.n + norms

    def phi(self, u, y):
        """The loss, its derivative and its second derivative, on one side of a kink."""
        c, gamma = self.parameters.get("c", mpmath.mpf(1) / 2), self.parameters.get("gamma", ZERO)
        match self.kind:
            case "Squared":
                return c * (u - y) ** 2, 2 * c * (u - y), 2 * c
            case "Logistic":
                m = y * u
                s = 1 / (1 + mpmath.exp(m)) if m < 10**6 else ZERO
                value = mpmath.log1p(mpmath.exp(-abs(m))) if abs(m) < 10**6 else ZERO
                return value + max(-m, ZERO), -y * s, s * (1 - s)
            case "SquaredHinge":
                short = max(1 - y * u, ZERO)
                return c * short**2, -2 * c * y * short, 2 * c if short > 0 else ZERO
            case "SmoothHinge":
                short = 1 - y * u
                if short <= 0:
                    return ZERO, ZERO, ZERO
                if short >= gamma:
                    return short - gamma / 2, -y, ZERO
                return short**2 / (2 * gamma), -y * short / gamma, 1 / gamma
            case "Huber":
                size = abs(u - y)
                if size >= gamma:
                    return size - gamma / 2, mpmath.sign(u - y), ZERO
                return size**2 / (2 * gamma), (u - y) / gamma, 1 / gamma
        raise ValueError(f"the truth of {self.kind} is not known here")

    def better(self, points) -> Iterator[tuple[mpmath.mpf, list]]:
        """The points themselves, and what Newton's method makes of each among the coordinates that are not 0."""
        for w in points:
            w = exact(w)
            yield self(w), w
            yield from self._newton(w)

    def _newton(self, w):
        value = self(w)
        free = [j for j in range(self.d) if self.l1 == 0 or w[j] != 0]
        for _ in range(STEPS if free else 0):
            slopes = [self.phi(u, y) for u, y in zip(self.margins(w), self.y, strict=True)]
            gradient = [
                mpmath.fsum(s[1] * row[j] for s, row in zip(slopes, self.X, strict=True)) / self.n
                + self.l2 * w[j] + self.l1 * mpmath.sign(w[j])
                for j in free
            ]  # fmt: skip
            H = mpmath.matrix(len(free))
            for a, j in enumerate(free):
                for b, k in enumerate(free):
                    H[a, b] = (
                        mpmath.fsum(s[2] * row[j] * row[k] for s, row in zip(slopes, self.X, strict=True)) / self.n
                    )
                H[a, a] += self.l2
            try:
                step = mpmath.lu_solve(H, mpmath.matrix(gradient))
            except (ZeroDivisionError, ValueError, TypeError):  # mpmath's, of a singular matrix
                return
            share = mpmath.mpf(1)
            for _ in range(8):
                moved = list(w)
                for a, j in enumerate(free):
                    moved[j] = w[j] - share * step[a]
                    if self.l1 > 0 and moved[j] * w[j] < 0:
                        moved[j] = ZERO
                found = self(moved)
                if found < value:
                    break
                share /= 4
            else:
                return
            small = value - found < mpmath.mpf(10) ** -45 * abs(value)
            value, w = found, moved
            if self.l1 > 0:
                free = [j for j in free if w[j] != 0]
            if small or not free:
                break
        yield value, w


def falsity(problem, w, gap: float, relative: float | None = None, others: Iterable = ()) -> str | None:
    """What is false of a certificate that `w` is within `gap` of the optimum; None where no better point tells."""
    P = Exact(problem)
    zero = np.zeros(problem.d)
    here, at_zero = P(exact(w)), P(exact(zero))
    best = min((value for value, _ in P.better([w, zero, *others])), default=here)
    true = here - best
    told = f"of P(0) = {mpmath.nstr(at_zero, 3)}"
    if np.isfinite(gap) and true > mpmath.mpf(gap):
        excess = mpmath.nstr((true - mpmath.mpf(gap)) / at_zero, 2) if at_zero else "inf"
        return f"gap {gap:.3g} and P(w) - P* >= {mpmath.nstr(true, 3)}, {excess} {told} more"
    # (P - D)/max(P(0) - D, f) is at least (P - P*)/max(P(0) - P*, f) for every D <= P*, where P(w) <= P(0)
    least = mpmath.mpf(FLOOR) * at_zero
    if relative is not None and here <= at_zero and true > mpmath.mpf(relative) * max(at_zero - best, least):
        return f"relative gap {relative:.3g} and P(w) - P* >= {mpmath.nstr(true, 3)} {told}"
    return None
