"""Iterates of full-gradient methods, and a problem that counts products with X."""

import numpy as np

ONCE = np.zeros(1, np.uint64)  # the order of one iteration


def states(P, method, count, start=None):
    S = method.init(P, "uniform", start=start)
    for _ in range(count):
        S = method.epoch(method.view(P), S, ONCE)
        yield S._replace(w=S.w.copy())


class Watched:
    """A problem whose products with X are counted."""

    def __init__(self, problem):
        self._problem, self.products = problem, 0

    def __getattr__(self, name):
        return getattr(self._problem, name)

    def predict(self, w):
        self.products += 1
        return self._problem.predict(w)

    def v(self, alpha):
        self.products += 1
        return self._problem.v(alpha)

    def alpha(self, w, *, z=None):
        return self._problem.alpha(w, z=self.predict(w) if z is None else z)

    def gradient(self, w, *, z):
        return self._problem.l2 * w - self.v(self.alpha(w, z=z))
