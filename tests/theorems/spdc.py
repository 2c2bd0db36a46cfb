"""Zhang & Xiao, Stochastic primal-dual coordinate method for regularized empirical risk minimization (2015).

Theorem 1    (1/(2 tau) + l2) E||x_t - x*||^2 + (1/(4s) + gamma) E||y_t - y*||^2/m
             <= theta^t [(1/(2 tau) + l2) ||x_0 - x*||^2 + (1/(2s) + gamma) ||y_0 - y*||^2/m]
Corollary 1  E||x_T - x*||^2 <= eps and E||y_T - y*||^2 <= eps for T >= (n/m + R sqrt(n/(m l2 gamma))) ln(C/eps),
             C = [the bracket above]/min{1/(2 tau) + l2, (1/(4s) + gamma)/m}  (printed with a parenthesis missing)
Theorem 2    the same for Algorithm 2, with sum_i (7/(16 s) + gamma/(p_i n)) E(y_i - y_i*)^2 on the left and
             sum_i (1/(2s) + gamma/(p_i n)) (y_i - y_i*)^2 on the right. Printed with 2 gamma/n and 2 gamma for
             gamma/(p_i n), which lies between 2 gamma/(n + 1) and 2 gamma.
In batches   by Algorithm 2's probabilities, which is ours: sum_i (1/(4 s m) + gamma/(pi_i n)) E(y_i - y_i*)^2 on the
             left and sum_i (1/(2 s m) + gamma/(pi_i n)) (y_i - y_i*)^2 on the right, pi_i that of i to be in a block
Their proof  E V_{t+1} <= theta V_t at every state, V = (1/(2 tau) + l2) ||x_t - x*||^2 + sum_i c_i (y_i - y_i*)^2
             + ||x_t - x_{t-1}||^2/(4 tau) + (y - y*)'X(x_t - x_{t-1})/n,  c_i = (1/(2s) + gamma)/m, or
             1/(2s) + gamma/(p_i n). It holds for every tau and s with 4 tau s M^2 = 1, and theta the slower rate.
Corollary 2  gamma = l2 = delta = eps/C_1, C_1 = ||x*||^2 + L^2, g Lipschitz with G: E P(x_T) - P* <= eps for
             T >= (n/m + (C_1 R/eps) sqrt(n/m)) ln(4 C_2/eps^2), C_2 = (L R + G)^2
             (||x_0 - x_delta*||^2 + (1/(2s) + delta)/(1/(2 tau) + delta) ||y_0 - y_delta*||^2/m), printed with s twice;
             because P(x_delta*) - P* <= (delta/2) C_1, less the term of what is not perturbed
Softmax      is not in the paper: y_i in R^3, and Euclidean norms in the place of absolute values
"""

from collections import deque
from functools import cache
from itertools import combinations, product

import numpy as np
from claims import claim
from multiclass import softmax_problem
from problems import optimum, problem

import cdlab
from cdlab.methods.spdc import SPDC, X, arrive_all
from cdlab.samplings import Batches, Norms, NormsBlocks, TauNice, Uniform

PAPER = "Zhang & Xiao 2015"
RECORDS = 30
SIZE = {"n": 20, "d": 6, "seed": 3}


@cache
def setting(loss, l2, l1, n=20, delta=0.0):
    """A problem, perturbed by delta where it lacks curvature, and its x*, y*, to rounding."""
    if loss == "softmax":
        P = softmax_problem(l2, l1, **(SIZE | {"n": n}))
    else:
        P = problem(loss, l2=l2, l1=l1, **(SIZE | {"n": n}))
    smoothed = {"hinge": cdlab.losses.SmoothHinge, "absolute": cdlab.losses.Huber}
    perturbed = cdlab.Problem(P.X, P.y, smoothed[loss](delta) if loss in smoothed else loss, l2=l2 or delta, l1=l1)
    s = cdlab.solve(perturbed, "sdca", sampling="permutation", tol=0, max_passes=6000)
    assert s.gap <= 1e-13
    return P, s.w, -s.alpha


def primal(S):
    """x_t, every coordinate brought up to date."""
    rows = S.rows.copy()
    arrive_all(S, rows.reshape(-1, 4))
    return rows[..., X]


def squares(y):
    """||y_i||^2 (n,)."""
    return (y**2).reshape(len(y), -1).sum(axis=1)


def run(P, method, sampling, seed, epochs):
    """The states after each of so many epochs."""
    S, view = method.init(P, sampling), method.view(P)
    orders = method.orders(P, sampling, np.random.default_rng(seed))
    for _, order in zip(range(epochs), orders, strict=False):
        S = method.epoch(view, S, order)
        yield S


def weights(P, S, sampling):
    """Of ||x - x*||^2, and of (y_i - y_i*)^2 on the left and on the right of the theorem."""
    gamma, tau, s, m = P.loss.gamma, S.table.tau, S.s, S.m
    if sampling.name == "norms":
        sharp = gamma / (S.p * P.n)
        return 1 / (2 * tau) + P.l2, 7 / (16 * s) + sharp, 1 / (2 * s) + sharp
    if sampling.name == "norms_blocks":
        sharp = gamma / (S.p * P.n)
        return 1 / (2 * tau) + P.l2, 1 / (4 * s * m) + sharp, 1 / (2 * s * m) + sharp
    ones = np.ones(P.n)
    return 1 / (2 * tau) + P.l2, (1 / (4 * s) + gamma) / m * ones, (1 / (2 * s) + gamma) / m * ones


def theorem(loss, l2, l1, sampling, printed=False):
    def measure(seeds):
        P, x_best, y_best = setting(loss, l2, l1)
        S = SPDC().init(P, sampling)
        of_x, left, right = weights(P, S, sampling)
        if printed:
            left, right = 7 / (16 * S.s) + 2 * P.loss.gamma / P.n, 1 / (2 * S.s) + 2 * P.loss.gamma

        def size(x, y, of_y):
            return of_x * ((x - x_best) ** 2).sum() + (of_y * squares(y - y_best)).sum()

        measured = [[size(primal(S), S.y, left) for S in run(P, SPDC(), sampling, k, RECORDS)] for k in seeds]
        t = -(-P.n // S.m) * np.arange(1, RECORDS + 1)
        return measured, S.theta**t * size(0, np.zeros_like(y_best), right)

    return measure


def corollary_1(part, m):
    def measure(seeds):
        P, x_best, y_best = setting("logistic", 0.1, 0.02)
        sampling = TauNice(m)
        S = SPDC().init(P, sampling)
        of_x, left, right = weights(P, S, sampling)
        C = (of_x * (x_best**2).sum() + right @ y_best**2) / min(of_x, left[0])
        eps = (x_best**2).sum() * np.geomspace(1, 1e-6, 7)
        T = (P.n / m + P.R * np.sqrt(P.n / (m * P.l2 * P.loss.gamma))) * np.log(C / eps)
        epochs = np.ceil(T / -(-P.n // m)).astype(int)
        measured = []
        for seed in seeds:
            row = []
            for epoch, S in enumerate(run(P, SPDC(), sampling, seed, epochs[-1]), 1):
                distance = primal(S) - x_best if part == "x" else S.y - y_best
                row += [(distance**2).sum()] * int((epochs == epoch).sum())
            measured.append(row)
        return measured, eps

    return measure


def copied(S):
    return S._replace(rows=S.rows.copy(), y=S.y.copy(), xbar=S.xbar.copy(), change=S.change.copy())


def all_blocks(P, S, sampling):
    """Every block that can be drawn, and its probability."""
    if sampling.name != "norms_blocks":
        blocks = [np.array(K, np.uint64) for K in combinations(range(P.n), S.m)]
        return blocks, S.p if S.m == 1 else np.full(len(blocks), 1 / len(blocks))
    p, chances = Norms().probabilities(P.coordinates("dual")), {}
    for draws in product(range(P.n), repeat=S.m):
        K = tuple(sorted(set(draws)))
        chances[K] = chances.get(K, 0.0) + np.prod(p[list(draws)])
    return [np.array(K, np.uint64) for K in chances], np.array(list(chances.values()))


def one_step(loss, l2, l1, sampling, n, times=1.0):
    """All blocks with their probabilities, at states along a run; with tau so many times as long."""

    def measure(_):
        P, x_best, y_best = setting(loss, l2, l1, n)
        method = SPDC() if times == 1.0 else SPDC(step=times * SPDC().init(P, sampling).table.tau)
        view, rng, S = method.view(P), np.random.default_rng(0), method.init(P, sampling)
        of_x, _, of_y = weights(P, S, sampling)
        blocks, chances = all_blocks(P, S, sampling)

        def V(x, before, y):
            moved = x - before
            cross = ((y - y_best) * (P.X @ moved)).sum() / n
            near = of_x * ((x - x_best) ** 2).sum() + of_y @ squares(y - y_best)
            return near + (moved**2).sum() / (4 * S.table.tau) + cross

        measured, promised, before = [], [], primal(S)
        for _ in range(40):
            x, after = primal(S), []
            for K in blocks:
                T = method.epoch(view, copied(S), Batches(K, np.array([0, K.size], np.uint64)))
                after.append(V(primal(T), x, T.y))
            measured.append(chances @ after)
            promised.append(S.theta * V(x, before, S.y))
            before = x
            K = blocks[rng.integers(len(blocks))]
            S = method.epoch(view, S, Batches(K, np.array([0, K.size], np.uint64)))
        return measured, promised

    return measure


def corollary_2(loss, m):
    def measure(seeds):
        l1, n = 0.05, 10
        best = optimum(loss, 0.0, l1, **(SIZE | {"n": n}))
        near = cdlab.solve(problem(loss, l2=1e-3, l1=l1, **(SIZE | {"n": n})), tol=1e-4, max_passes=1000).w
        C1, measured, promised = 1.5 * (near @ near) + 1, [], []  # a bound of ||x*|| will do
        for eps in (0.5, 0.2):
            delta = eps / C1
            P, x_delta, y_delta = setting(loss, 0.0, l1, n, delta)
            method, sampling = SPDC(delta=delta), TauNice(m)
            S = method.init(P, sampling)
            ratio = (1 / (2 * S.s) + delta) / (1 / (2 * S.table.tau) + delta)
            C2 = (P.R + l1 * np.sqrt(P.d)) ** 2 * (x_delta @ x_delta + ratio * y_delta @ y_delta / m)
            T = (n / m + C1 * P.R / eps * np.sqrt(n / m)) * np.log(4 * C2 / eps**2)
            epochs = int(np.ceil(T / -(-n // m)))
            ends = [deque(run(P, method, sampling, seed, epochs), maxlen=1)[0] for seed in seeds]
            measured.append([P.primal(primal(S)) - best for S in ends])
            promised.append(eps)
        return np.transpose(measured), promised

    return measure


def perturbation(loss, l2, l1):
    def measure(_):
        P = problem(loss, l2=l2, l1=l1, **SIZE)
        best, deltas = optimum(loss, l2, l1, **SIZE), np.geomspace(1e-3, 1, 7)
        _, x_best, _ = setting(loss, l2, l1, delta=1e-3)
        C1 = ((x_best @ x_best) if l2 == 0 else 0) + (1 if P.loss.gamma == 0 else 0)
        return [P.primal(setting(loss, l2, l1, delta=delta)[1]) - best for delta in deltas], deltas / 2 * C1

    return measure


for _loss, _l2, _l1, _m in (
    ("logistic", 0.02, 0.0, 1),
    ("smooth_hinge", 0.1, 0.02, 1),
    ("squared", 0.1, 0.0, 4),
    ("logistic", 0.1, 0.02, 10),
    ("softmax", 0.1, 0.0, 1),
    ("softmax", 0.1, 0.02, 4),
):
    claim("spdc", f"{PAPER}, Theorem 1: {_loss}, l1 = {_l1}, m = {_m}")(
        theorem(_loss, _l2, _l1, TauNice(_m) if _m > 1 else Uniform())
    )

for _part in "xy":
    for _m in (1, 4):
        claim("spdc", f"{PAPER}, Corollary 1: {_part}, m = {_m}")(corollary_1(_part, _m))

for _loss, _l2, _l1 in (("logistic", 0.02, 0.0), ("squared", 0.1, 0.02), ("softmax", 0.1, 0.0)):
    _name = f"{_loss}, l1 = {_l1}"
    claim("spdc", f"{PAPER}, Theorem 2, each y_i: {_name}")(theorem(_loss, _l2, _l1, Norms()))
    claim("spdc", f"{PAPER}, Theorem 2 as printed: {_name}")(theorem(_loss, _l2, _l1, Norms(), printed=True))

for _loss, _l1, _m in (("logistic", 0.0, 3), ("squared", 0.02, 8)):
    claim("spdc", f"after {PAPER}, Theorem 2 in batches: {_loss}, l1 = {_l1}, m = {_m}")(
        theorem(_loss, 0.05, _l1, NormsBlocks(_m))
    )

for _loss, _l1, _sampling, _n in (
    ("squared", 0.0, Uniform(), 8),
    ("logistic", 0.02, TauNice(3), 8),
    ("squared", 0.02, TauNice(6), 6),
    ("smooth_hinge", 0.02, Norms(), 8),
    ("squared", 0.0, Norms(), 8),
    ("squared", 0.0, NormsBlocks(2), 8),
    ("smooth_hinge", 0.02, NormsBlocks(4), 5),
    ("softmax", 0.0, Uniform(), 6),
    ("softmax", 0.02, TauNice(3), 6),
    ("softmax", 0.0, Norms(), 6),
    ("softmax", 0.02, NormsBlocks(3), 5),
):
    claim("spdc", f"{PAPER}, in one step: {_loss}, l1 = {_l1}, {_sampling.label}", kind="exact")(
        one_step(_loss, 0.1, _l1, _sampling, _n)
    )

for _times in (0.2, 5.0):
    claim("spdc", f"{PAPER}, Theorem 1 in one step with tau times {_times}: squared", kind="exact")(
        one_step("squared", 0.1, 0.0, Uniform(), 8, _times)
    )

for _loss, _m in (("hinge", 1), ("absolute", 3)):
    claim("spdc", f"{PAPER}, Corollary 2: {_loss}, m = {_m}")(corollary_2(_loss, _m))

for _loss, _l2, _l1 in (("hinge", 0.1, 0.0), ("logistic", 0.0, 0.02), ("absolute", 0.0, 0.02)):
    claim("spdc", f"{PAPER}, the perturbed optimum: {_loss}, l2 = {_l2}, l1 = {_l1}", kind="exact")(
        perturbation(_loss, _l2, _l1)
    )
