"""Exact steps: the halved rate for every smooth loss, and rates from eigenvalues for the squared one.

E V+ <= (1 - 1/K') V in one step, by enumeration of what a sampling can draw, for the Lyapunov functions of
`cdlab.theory.derivations`, with x = alpha, F = D* - D(alpha), or x = w, F = P(w) - P*:

halved      V = F + sum_i (p_min (c + h_i)/(2 p_i)) (x_i - x*_i)^2, K' = (K + 1/p_min)/2
spectral    V = e'(p_min P^-1 + G)e, K' = (1/lam_p + 1/p_min)/2
worst case  V = e'(I + theta G)e, K' = n/r
"""

from functools import cache

import numpy as np
from claims import claim
from faceoff import SCHEMES, M, marginals, mean_after, outcomes
from problems import data

import cdlab
from cdlab import samplings, theory
from cdlab.methods import SDCA, Points
from cdlab.methods.rcd import RCD
from cdlab.theory import spectra
from cdlab.theory.derivations import quadratics
from cdlab.theory.symbols import G_max, G_min

OWN = "own derivation"
LOSSES = ("squared", "logistic", "smooth_hinge", "squared_hinge")
SERIAL = {"uniform": "uniform", "importance": "importance", "given p": SCHEMES["given p"]}
BLOCKS = {name: SCHEMES[name] for name in ("tau_nice(3)", "independent", "bucket", "distributed")}
METHODS = {"sdca": (SDCA(), "dual"), "rcd": (RCD(), "primal")}


@cache
def setting(loss, l1, n=M):
    """A problem and its optimum, to rounding."""
    P = cdlab.Problem(*data(n=n, d=n, seed=4), loss=loss, l2=0.1, l1=l1)
    best = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-14, max_passes=100_000)
    assert best.gap <= 1e-13
    return P, best


def rate_of(method, scheme, P, name):
    return theory.bound(method, "K", scheme, name).for_problem(P)


class Side:
    """What the Lyapunov functions are made of on one side of a problem, for a sampling."""

    def __init__(self, P, best, side, scheme):
        self.P, self.side, self.best, self.N = P, side, best, P.n if side == "dual" else P.d
        self.p = marginals(P, side, scheme)
        v = cdlab.eso(P, scheme, side=side)
        strong, smooth = (P.loss.gamma / P.n, v / (P.l2 * P.n**2)) if side == "dual" else (P.l2, v * P.beta / P.n)
        self.K = (1 + smooth / strong) / self.p
        self.curvature = strong + smooth
        self.solution = best.alpha if side == "dual" else best.w

    def point(self, points):
        return points.alpha if self.side == "dual" else points.w

    def error(self, x):
        P = self.P
        return P.primal(self.best.w) - P.dual(x) if self.side == "dual" else P.primal(x) - P.dual(self.best.alpha)

    def halved(self, x):
        distance = self.p.min() * self.curvature / (2 * self.p) @ (x - self.solution) ** 2
        return self.error(x) + distance

    def starts(self):
        """Points near and far, feasible on the dual side."""
        rng = np.random.default_rng(1)
        ws = [np.zeros(self.P.d), *rng.standard_normal((3, self.P.d)), self.best.w + 0.1]
        return [self.P.alpha(w) for w in ws] if self.side == "dual" else ws

    def after(self, method, scheme, x, value):
        start = Points(None, x) if self.side == "dual" else Points(x, None)
        S = method.init(self.P, scheme, start)
        fed = outcomes(self.P, self.side, scheme)
        return mean_after(self.P, method, S, fed, lambda P, points: value(self.point(points)))


def halved(name, scheme):
    method, side = METHODS[name]

    def measure(_):
        measured, promised = [], []
        for loss in LOSSES:
            for l1 in (0.0, 0.05):
                P, best = setting(loss, l1)
                at = Side(P, best, side, scheme)
                rate = (at.K.max() + 1 / at.p.min()) / 2
                stated = theory.bound(method, "K", samplings.resolve(scheme), "halved").for_problem(P)
                assert abs(stated / rate - 1) < 1e-12
                for x in at.starts():
                    V = at.halved(x)
                    assert at.error(x) <= V <= (1 + at.p.min() * at.K.max()) * at.error(x) + 1e-12
                    measured.append(at.after(method, scheme, x, at.halved))
                    promised.append((1 - 1 / rate) * V + 1e-13)
        return np.array(measured) / promised, np.ones(len(promised))

    return measure


for _name in METHODS:
    for _scheme, _sampling in (SERIAL | (BLOCKS if _name == "rcd" else {})).items():
        claim(_name, f"{OWN}, halved, one step: {_scheme}", kind="exact")(halved(_name, _sampling))


def lyapunov(P, side, p, kind):
    """The matrix of V in x - x*, its rate by the theory's object, and its constant."""
    A = spectra.hessian(P.X, P.loss.gamma, P.l2, side)
    D = A.diagonal()
    if kind == "spectral":
        return np.diag(p.min() / p * D) + A
    found = spectra.unit_diagonal(spectra.largest_curvature(P.X, P.loss.gamma, P.l2, side), p)
    theta = float(quadratics.worst_case()[1].subs({G_min: found.G_min, G_max: found.G_max}))
    assert -1e-12 <= theta <= 1
    return np.diag(D) + theta * A


def quadratic(name, scheme, kind):
    method, side = METHODS[name]

    def measure(_):
        measured, promised = [], []
        for size in (3, M):
            P, best = setting("squared", 0.0, size)
            drawn = scheme[:size] if isinstance(scheme, np.ndarray) else scheme
            at = Side(P, best, side, drawn)
            V = lyapunov(P, side, at.p, kind)
            stated = theory.bound(method, "iterations", drawn, kind)
            rate = stated.per("K").for_problem(P)
            error = 1 / (2 * P.n) if side == "dual" else 0.5
            first = stated.curve(P, [0.0], D0=1.0, P0=1.0)[0]
            A = spectra.hessian(P.X, P.loss.gamma, P.l2, side)
            at.solution = np.linalg.solve(A, P.y if side == "dual" else P.X.T @ P.y / P.n)
            eigenvalues = np.linalg.eigvals(np.linalg.solve(V, A)).real
            assert first >= eigenvalues.max() / eigenvalues.min() * (1 - 1e-9)
            for x in at.starts():
                assert abs(at.error(x) - error * (x - at.solution) @ A @ (x - at.solution)) < 1e-10
                value = lambda x, V=V, at=at: (x - at.solution) @ V @ (x - at.solution)  # noqa: E731
                measured.append(at.after(method, drawn, x, value))
                promised.append((1 - 1 / rate) * value(x))
        return np.array(measured) / promised, np.ones(len(promised))

    return measure


for _name in METHODS:
    for _scheme, _sampling in SERIAL.items():
        claim(_name, f"{OWN}, spectral, one step: {_scheme}", kind="exact")(quadratic(_name, _sampling, "spectral"))
    claim(_name, f"{OWN}, worst case, one step", kind="exact")(quadratic(_name, "uniform", "worst case"))


def weighted_convex(scheme):
    """rcd's 1/t rate: one step of V_t = (1 + p_min t)(P - P*) + the weighted distance that the bound has at t = 0."""

    def measure(_):
        measured, promised = [], []
        for loss, l2, l1 in (("squared", 0.0, 0.0), ("logistic", 0.0, 0.03)):
            P = cdlab.Problem(*data(n=M, d=5, seed=4), loss=loss, l2=l2, l1=l1)
            best = cdlab.solve(P, "rcd", sampling="cyclic", tol=1e-13, max_passes=100_000, strong_convexity=None)
            p, H = marginals(P, "primal", scheme), P.beta * (P.X**2).sum(axis=0) / P.n
            bound = theory.bound("rcd", "iterations", scheme, "convex")
            weighted = (H / p * best.w**2).sum()
            P0 = P.primal(np.zeros(P.d)) - P.primal(best.w)
            steps = P.d * np.arange(1.0, 40)
            curve = bound.curve(P, steps * (p @ P.column_profile.counts) / P.nnz, P0=P0, w2_p=weighted)
            measured += [P0 + p.min() / 2 * weighted] * steps.size
            promised += list(curve.values * (1 + p.min() * steps))
        return np.array(measured) / promised, np.ones(len(promised))

    return measure


for _scheme, _sampling in SERIAL.items():
    draws = np.arange(1.0, 6.0) if _scheme == "given p" else _sampling
    claim("rcd", f"Lu & Xiao 2015, Theorem 1, weighted start: {_scheme}", kind="exact")(weighted_convex(draws))
