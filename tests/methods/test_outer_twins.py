"""Each outer loop is its paper's box: the same iterates as a naive form in plain numpy that recomputes everything from
definitions, epoch by epoch, on the same orders. Squared loss, where the dual step is one line."""

from itertools import count, islice

import numpy as np
import pytest
from problems import data, problem

from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.accprox_sdca import AccProxSDCA
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA

X, Y = data()
N, D = X.shape
R2 = (X**2).sum(1).max()
EPOCHS = 60  # later on rounding decides whether a gap is small beside how far a stage has moved


def soft(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0)


class Twin:
    """P(w) = mean (x_i'w - y_i)^2/2 + (l2/2)||w||^2 + l1||w||_1 and its inner problems, by definition."""

    def __init__(self, l2, l1, seed):
        self.l2, self.l1, self.rng = l2, l1, np.random.default_rng(seed)
        self.last = 0  # epochs of the last stage

    def primal(self, w, weight=0.0, center=0.0):
        quadratic = self.l2 / 2 * w @ w + weight / 2 * ((w - center) ** 2).sum()
        return ((X @ w - Y) ** 2).mean() / 2 + quadratic + self.l1 * np.abs(w).sum()

    def dual(self, alpha, weight, center):
        v = X.T @ alpha / N + weight * center
        conjugate = (soft(v, self.l1) ** 2).sum() / (2 * (self.l2 + weight)) - weight / 2 * center @ center
        return -(alpha**2 / 2 - Y * alpha).mean() - conjugate

    def w(self, alpha, weight, center):
        return soft(X.T @ alpha / N + weight * center, self.l1) / (self.l2 + weight)

    def stage(self, alpha, weight, center, solved, epochs=None):
        """Prox-SDCA on the inner problem, alpha in place; yields w after each epoch and returns the last one."""
        due, self.last = max(1, 3 * self.last // 4), 0
        for e in count(1):
            self.last = e
            for i in self.rng.integers(N, size=N):
                residual = Y[i] - X[i] @ self.w(alpha, weight, center) - alpha[i]
                alpha[i] += residual / (1 + X[i] @ X[i] / ((self.l2 + weight) * N))
            w = self.w(alpha, weight, center)
            yield w
            if epochs is None and e >= due:
                due = e + 1 + e // 4
                f, d = self.primal(w, weight, center), self.dual(alpha, weight, center)
                if solved(f, d):
                    return w
            if e == epochs:
                return w

    # ------------------------------------------------------------ the boxes
    def at_primal(self, x, alpha):
        """alpha(x) = -phi'(X x), where APPA and accelerated APPA begin a stage."""
        return Y - X @ x

    def warm(self, x, alpha):
        """Where the last stage ended, as dual APPA."""
        return alpha

    def at_zero(self, x, alpha):
        return np.zeros(N)

    def relative(self, lam, starts):
        x, alpha = np.zeros(D), np.zeros(N)
        while True:
            alpha = starts(x, alpha)

            def solved(f, d, x=x, alpha=alpha):
                return f - d <= lam / 2 * ((self.w(alpha, lam, x) - x) ** 2).sum()

            x = yield from self.stage(alpha, lam, x, solved)

    def appa(self, lam, mu, epochs=None):
        """Algorithm 1 with the accuracy of Theorem 2.4."""
        x, c = np.zeros(D), 2 * (lam + mu) / mu
        while True:
            alpha = self.at_primal(x, None)
            x = yield from self.stage(alpha, lam, x, lambda f, d, x=x: f - d <= (self.primal(x) - f) / c, epochs)

    def acc_appa(self, lam, mu, rule="relative", epochs=None):
        """Algorithm 2 around y, begun at x."""
        rho, zeta = (mu + 2 * lam) / mu, 2 / mu + 1 / lam
        r = rho**-0.5
        x, v = np.zeros(D), np.zeros(D)
        while True:
            y, alpha = (x + r * v) / (1 + r), self.at_primal(x, None)

            def relative(f, d, x=x, y=y, alpha=alpha):
                moved = ((self.w(alpha, lam, y) - y) ** 2).sum()
                return f - d <= lam / 2 * (moved + r * ((x - y) ** 2).sum()) / (1 + rho)

            def theory(f, d, x=x, y=y):
                return f - d <= (self.primal(x, lam, y) - f) / ((1 + rho) * rho**0.5)

            solved = {"relative": relative, "theory": theory}[rule]
            x = yield from self.stage(alpha, lam, y, solved, epochs)
            g = lam * (y - x)
            v = (1 - r) * v + r * (y - zeta * g)

    def dual_appa(self, lam, mu, epochs=None):
        x, alpha = np.zeros(D), np.zeros(N)
        B, a, r = 1 + R2 / (self.l2 + lam), mu / (4 * lam), 1 - mu / (2 * (lam + mu))
        sigma = (B + 2 * a * (1 + B)) / (r * a)
        while True:
            d0 = self.dual(alpha, lam, x)
            x = yield from self.stage(alpha, lam, x, lambda f, d, d0=d0: f - d <= (d - d0) / sigma, epochs)

    def decreasing(self, lam, floor, epochs, starts):
        x, alpha, frozen, rises = np.zeros(D), np.zeros(N), 0, 0
        values = [self.primal(x)]
        while True:
            alpha = starts(x, alpha)
            x = yield from self.stage(alpha, lam, x, None, epochs)
            values.append(self.primal(x))
            rises = rises + 1 if values[-1] > values[-2] else 0
            if frozen:
                frozen -= 1
            elif rises == 2:
                lam, frozen, rises = 4 * lam, 5, 0
            elif len(values) > 2 and values[-2] - values[-1] > 0.5 * (values[-3] - values[-2]):
                lam = max(floor, lam / 4)

    def accprox_sdca(self, kappa_a, epochs=None):
        mu = self.l2 / 2
        eta = (mu / (mu + kappa_a)) ** 0.5
        beta, w, y, alpha = (1 - eta) / (1 + eta), np.zeros(D), np.zeros(D), np.zeros(N)
        xi = (1 + eta**-2) * (self.primal(w) - self.dual(alpha, 0.0, w))
        while True:
            last = w
            w = yield from self.stage(
                alpha, kappa_a, y, lambda f, d, xi=xi: f - d <= eta / (2 * (1 + eta**-2)) * xi, epochs
            )
            y, xi = w + beta * (w - last), (1 - eta / 2) * xi


def iterates(method, P, seed):
    """w after each epoch, and how many stages were begun."""
    rng, S, stages, out = np.random.default_rng(seed), method.init(P, "uniform"), 1, []
    for _ in range(EPOCHS):
        stages += S.stage.solved
        S = method.epoch(method.view(P), S, rng.integers(N, size=N).astype(np.uint64))
        out.append(np.array(method.points(P, S).w))
    return np.array(out), stages


FLOOR = R2 / N
MU = 0.05
CASES = {
    "appa": (APPA(prox_weight=0.4), lambda t: t.relative(0.4, t.at_primal)),
    "appa-theory": (APPA(prox_weight=0.4, mu=MU, accuracy="theory"), lambda t: t.appa(0.4, MU)),
    "appa-2": (APPA(prox_weight=0.4, epochs=2), lambda t: t.appa(0.4, MU, 2)),
    "appa-decreasing": (APPA(decreasing=True), lambda t: t.decreasing(300 * FLOOR, FLOOR, 1, t.at_primal)),
    "acc_appa": (AccAPPA(prox_weight=0.4, mu=MU), lambda t: t.acc_appa(0.4, MU)),
    "acc_appa-theory": (AccAPPA(prox_weight=0.4, mu=MU, accuracy="theory"), lambda t: t.acc_appa(0.4, MU, "theory")),
    "acc_appa-2": (AccAPPA(prox_weight=0.4, mu=MU, epochs=2), lambda t: t.acc_appa(0.4, MU, epochs=2)),
    "dual_appa": (DualAPPA(prox_weight=2.0), lambda t: t.relative(2.0, t.warm)),
    "dual_appa-theory": (DualAPPA(prox_weight=2.0, mu=MU, accuracy="theory"), lambda t: t.dual_appa(2.0, MU)),
    "dual_appa-zero": (DualAPPA(prox_weight=2.0, dual_start="zero"), lambda t: t.relative(2.0, t.at_zero)),
    "dual_appa-1": (DualAPPA(prox_weight=2.0, epochs=1), lambda t: t.dual_appa(2.0, MU, 1)),
    "decreasing": (DualAPPA(decreasing=True), lambda t: t.decreasing(300 * FLOOR, FLOOR, 1, t.warm)),
    "accprox_sdca": (AccProxSDCA(prox_weight=0.3), lambda t: t.accprox_sdca(0.3)),
    "accprox_sdca-2": (AccProxSDCA(prox_weight=0.3, epochs=2), lambda t: t.accprox_sdca(0.3, 2)),
}


WEIGHTS = [(0.0, 0.0), (0.0, 0.01), (0.02, 0.0), (0.02, 0.01)]
SETTINGS = [  # an outer loop does not know how X is stored: a push tries CSR
    pytest.param(case, *w, sparse, marks=pytest.mark.full if not sparse or w != WEIGHTS[-1] else ())
    for case in CASES
    for w in WEIGHTS
    for sparse in (False, True)
    if w[0] > 0 or "l2" not in CASES[case][0].needs
]


@pytest.mark.parametrize(("case", "l2", "l1", "sparse"), SETTINGS)
def test_the_box_in_plain_numpy(case, l2, l1, sparse):
    method, box = CASES[case]
    ours, stages = iterates(method, problem("squared", l2=l2, l1=l1, sparse=sparse), seed=3)
    naive = np.array(list(islice(box(Twin(l2, l1, seed=3)), EPOCHS)))
    np.testing.assert_allclose(ours, naive, atol=1e-11)
    assert stages > 3
    assert np.ptp(ours[-1]) > 0.1  # something happened
