"""The optimum in 60 digits, by mpmath, and independent of how it was guessed.

Which w_j are 0 and which examples are at a kink is read off a solution; the equations that these make are solved by
Newton's method in 60 digits, and the optimality conditions of all that was guessed are verified. So it is the optimum.
"""

import numpy as np
from mpmath import mp, mpf

from cdlab import losses

mp.dps = 60
SMALL = mpf(10) ** -50


def slope(loss, u, y):
    """phi' and phi'' of a loss of one prediction, with one side of phi'' where it jumps."""
    if loss.name == "squared":
        return 2 * loss.c * (u - y), mpf(2 * loss.c)
    if not loss.classification:
        r, eps, gamma = u - y, epsilon(loss), mpf(loss.gamma)
        t = mp.sign(r) * max(abs(r) - eps, mpf(0))
        low, high = ends(loss)
        if low * gamma < t < high * gamma:
            return t / gamma, 1 / gamma if t or not eps else mpf(0)
        return high if t > 0 else low if t < 0 else mpf(0), mpf(0)
    short = 1 - y * u
    if loss.name == "logistic":
        p = 1 / (1 + mp.exp(1 - short))
        return -y * (1 - 1 / (1 + mp.exp(short - 1))), p * (1 - p)
    if short <= 0:
        return mpf(0), mpf(0)
    if loss.name == "squared_hinge":
        return -y * 2 * loss.c * short, mpf(2 * loss.c)
    gamma = mpf(loss.gamma)  # of hinges
    return (-y, mpf(0)) if short >= gamma else (-y * short / gamma, 1 / gamma)


def ends(loss):
    """Of phi' of a loss of the residual."""
    if loss.name == "squared_epsilon_insensitive":
        return -mp.inf, mp.inf
    return (-mpf(loss.quantile), 1 - mpf(loss.quantile)) if loss.name == "pinball" else (mpf(-1), mpf(1))


def epsilon(loss):
    return mpf(getattr(loss, "epsilon", 0))


class Optimum:
    """w* (d, K) and b* (K,) of a problem, K = 1 but with softmax, as mpmath's numbers."""

    def __init__(self, P, w, b, alpha):
        X = P.features.toarray() if hasattr(P.features, "toarray") else P.features
        self.P, self.loss = P, losses.unweighted(P.loss)
        self.X = [[mpf(x) for x in row] for row in X.tolist()]
        self.y = [mpf(y) for y in P.y.tolist()]
        s = np.ones(P.n) if P.sample_weight is None else P.sample_weight
        self.s, self.o = (
            [mpf(x) for x in s.tolist()],
            [mpf(x) for x in (np.zeros(P.n) if P.offset is None else P.offset)],
        )
        self.S, self.K, self.d = mp.fsum(self.s), P.outputs[0] if P.outputs else 1, X.shape[1]
        self.l2, self.l1 = mpf(P.l2), mpf(P.l1)
        self.w = [[mpf(x) for x in row] for row in np.reshape(w, (self.d, self.K)).tolist()]
        self.b = [mpf(x) for x in np.broadcast_to(b, self.K).tolist()]
        v = np.abs(P.v(alpha)[: self.d]).reshape(self.d, self.K)
        self.support = [
            (j, k) for j in range(self.d) for k in range(self.K) if P.l1 == 0 or v[j, k] > P.l1 * (1 - 1e-6)
        ]
        self.signs = {(j, k): mp.sign(P.v(alpha)[: self.d].reshape(self.d, self.K)[j, k]) for j, k in self.support}
        for j in range(self.d):
            for k in range(self.K):
                if (j, k) not in self.signs:
                    self.w[j][k] = mpf(0)
        self.free = range(self.K - 1 if self.K > 1 else 1) if P.intercept else range(0)  # softmax: one is held
        if self.loss.gamma == 0:
            self._by_kinks(alpha)
        else:
            self._by_newton()
        self._verify()

    def predictions(self):
        return [
            [
                mp.fsum(x * row[k] for x, row in zip(xs, self.w, strict=True)) + self.b[k] + self.o[i]
                for k in range(self.K)
            ]
            for i, xs in enumerate(self.X)
        ]

    def slopes(self):
        """s_i phi' (n, K), and the matrices s_i phi''."""
        first, second = [], []
        for z, y, s in zip(self.predictions(), self.y, self.s, strict=True):
            if self.K == 1:
                g, h = slope(self.loss, z[0], y)
                first.append([s * g])
                second.append([[s * h]])
            else:
                e = [mp.exp(u - max(z)) for u in z]
                p = [u / mp.fsum(e) for u in e]
                first.append([s * (q - (k == int(y))) for k, q in enumerate(p)])
                second.append([[s * (p[k] * (k == m) - p[k] * p[m]) for m in range(self.K)] for k in range(self.K)])
        return first, second

    def _by_newton(self):
        places = [*self.support, *((self.d, k) for k in self.free)]
        column = lambda i, j: self.X[i][j] if j < self.d else mpf(1)  # noqa: E731
        for _ in range(100 if places else 0):
            first, second = self.slopes()
            F, J = mp.matrix(len(places), 1), mp.matrix(len(places), len(places))
            for a, (j, k) in enumerate(places):
                F[a] = mp.fsum(first[i][k] * column(i, j) for i in range(len(self.X))) / self.S
                F[a] += self.l2 * self.w[j][k] + self.l1 * self.signs[j, k] if j < self.d else 0
                for c, (m, q) in enumerate(places[: a + 1]):
                    J[a, c] = (
                        mp.fsum(second[i][k][q] * column(i, j) * column(i, m) for i in range(len(self.X))) / self.S
                    )
                    J[a, c] += self.l2 if a == c and j < self.d else 0
                    J[c, a] = J[a, c]
            step = mp.lu_solve(J, F)
            for a, (j, k) in enumerate(places):
                if j < self.d:
                    self.w[j][k] -= step[a]
                else:
                    self.b[k] -= step[a]
            if mp.norm(step) < SMALL:
                break

    def _by_kinks(self, alpha):
        """Solve for w, b and the alpha_i of examples at a kink; with epsilon there are two, between them alpha is 0."""
        eps = epsilon(self.loss)
        inside = 1e-7 * np.abs(self.P.sample_weight if self.P.sample_weight is not None else np.ones(self.P.n))
        low, high = self.P.dual_box
        at = [i for i in range(self.P.n) if low[i] + inside[i] < alpha[i] < high[i] - inside[i]]
        at = [i for i in at if abs(alpha[i]) > inside[i] or not eps]
        support, n = [j for j, _ in self.support], len(self.X)
        size = len(support) + len(self.free) + len(at)
        A, c = mp.matrix(size, size), mp.matrix(size, 1)
        known = [(low[i], high[i], *([0.0] if eps else [])) for i in range(n)]
        self.given = [mpf(float(min(each, key=lambda x: abs(x - alpha[i])))) for i, each in enumerate(known)]
        given = [mpf(0) if i in at else a for i, a in enumerate(self.given)]
        for r, j in enumerate(support):
            A[r, r] = self.l2
            c[r] = mp.fsum(a * xs[j] for a, xs in zip(given, self.X, strict=True)) / self.S - self.l1 * self.signs[j, 0]
            for e, i in enumerate(at):
                A[r, len(support) + len(self.free) + e] = -self.X[i][j] / self.S
        if self.free:
            c[len(support)] = -mp.fsum(given)
            for e in range(len(at)):
                A[len(support), len(support) + 1 + e] = 1
        for e, i in enumerate(at):
            r = len(support) + len(self.free) + e
            for k, j in enumerate(support):
                A[r, k] = self.X[i][j]
            if self.free:
                A[r, len(support)] = 1
            c[r] = self.y[i] - self.o[i] - eps * mp.sign(alpha[i])  # y of absolute, and of hinge since 1/y = y
        found = mp.lu_solve(A, c)
        for k, j in enumerate(support):
            self.w[j][0] = found[k]
        if self.free:
            self.b[0] = found[len(support)]
        for e, i in enumerate(at):
            self.given[i] = found[len(support) + len(self.free) + e]
        self.at = at

    def _verify(self):
        first = [[-a] for a in self.given] if self.loss.gamma == 0 else self.slopes()[0]
        if self.loss.gamma == 0:
            for i, (z,) in enumerate(self.predictions()):
                if i in self.at:
                    a = first[i][0] / self.s[i]
                    low, high = (-1, 0) if self.loss.classification else ends(self.loss)
                    assert low < a * (self.y[i] if self.loss.classification else 1) < high, "inside"
                    assert not epsilon(self.loss) or a * (z - self.y[i]) > 0, "at the kink of its sign"
                else:
                    assert abs(self.s[i] * slope(self.loss, z, self.y[i])[0] - first[i][0]) < SMALL, "on its side"
        self.alpha = [[-x for x in row] for row in first]
        for j in range(self.d):
            for k in range(self.K):
                v = mp.fsum(g[k] * xs[j] for g, xs in zip(first, self.X, strict=True)) / self.S
                if (j, k) in self.signs:
                    assert abs(v + self.l2 * self.w[j][k] + self.l1 * self.signs[j, k]) < SMALL, "its slope is 0"
                    assert self.l1 == 0 or self.w[j][k] * self.signs[j, k] > 0, "its sign"
                else:
                    assert abs(v) < self.l1, "below l1"
        for k in self.free:
            assert abs(mp.fsum(g[k] for g in first)) < SMALL, "the intercept"


def optimum(P, s):
    """w*, b* and alpha*, as arrays of mpmath's numbers shaped like those of the solution s."""
    found = Optimum(P, s.w, s.intercept, s.alpha)
    w, alpha = (np.array(x, dtype=object) for x in (found.w, found.alpha))
    return w.reshape(s.w.shape), found.b, alpha.reshape(s.alpha.shape)
