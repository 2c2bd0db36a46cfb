"""Variance-reduced gradients: their rates by hand, and one step by enumeration."""

from itertools import combinations, islice, product

import numpy as np
import pytest
import sympy as sp
from cases import each_of
from formulas import pick
from problems import problem
from stochastic_runs import NUMBERS, setting

import cdlab
from cdlab import theory
from cdlab.samplings import Distributed, Importance, Independent, Lipschitz, Norms, TauNice, Uniform
from cdlab.theory.evaluate import evaluate
from cdlab.theory.symbols import L_f, R, gamma, l2, n
from cdlab.theory.theorems import variance_reduction


def test_rates_by_hand():
    kappa = 100  # 4/(0.01 * 4)
    for many, sag, saga, in_g in ((50, 16 * (kappa + 1), 3 * (kappa + 1), 151), (1000, 8 * 1000, 4 * 1000, 2 * 1000)):
        numbers = NUMBERS | {"n": many}  # few examples: the condition number rules; many: they do
        assert pick("sag", "l2 in the table").per("K").at(**numbers) == sag
        assert pick("saga", "smooth").per("K").at(**numbers) == saga
        assert pick("saga", "l2 in g").per("K").at(**numbers) == in_g
    long = pick("svrg", "averaged long stages")
    assert long.per("K").at(**NUMBERS) == 6.25
    assert long.per("passes").at(**NUMBERS) == pytest.approx(6.25 * (1 + 100 * kappa / 50) * np.log(0.5e4))
    equal_rows = NUMBERS | {
        "F": 50 * 4.0,
        "C_D": 300 * 4.0,
    }  # then importance sampling is uniform
    importance = pick("svrg", "averaged long stages", "importance")
    assert importance.per("T").at(**equal_rows) == pytest.approx(long.per("T").at(**NUMBERS))


def test_svrg_stages_are_the_printed_factor():
    eta, m, smooth, weight = sp.symbols("eta m L l2", positive=True)
    rest = 1 - 4 * smooth * eta
    printed = 1 / (weight * eta * rest * m) + 4 * smooth * eta * (m + 1) / (rest * m)
    ours = variance_reduction.averaged_stage_factor(smooth, m).subs(l2, weight)
    assert sp.simplify(printed.subs(eta, 1 / (10 * smooth)) - ours) == 0
    assert variance_reduction.averaged_stage_factor(smooth, 100 * smooth / weight).subs(l2, weight).subs(
        smooth, weight
    ) == (sp.Rational(21, 25))
    short = pick("svrg", "averaged stages")
    assert sp.simplify((1 - 1 / short.K).subs(l2, weight) - ours.subs({smooth: R**2 / gamma, m: 2 * n})) == 0


def test_the_printed_saga_theorem_follows_from_the_sharper_one():
    smooth, weight = sp.symbols("L l2", positive=True)
    sharper = variance_reduction.contraction_of_memory(smooth)
    of_table, of_w = (1 / K.subs(l2, weight) for K in sharper.K.args)
    rates = {of_table: 1 / (4 * n), of_w: weight / (3 * (smooth + weight))}
    if of_table.has(weight):
        rates = dict(zip((of_w, of_table), rates.values(), strict=True))
    for faster, printed in rates.items():
        assert sp.factor(sp.together(faster - printed)).is_positive
    assert sp.factor(2 * n / (3 * smooth) - sharper.weight.subs(l2, weight)).is_positive


def test_the_constant_of_saga_grows_with_upper_bounds():
    """It bounds w2 + c B_0 for every B_0 <= P0 - (l2/2) w2, whatever upper bounds are put for P0 and w2."""
    rng = np.random.default_rng(0)
    c = rng.exponential(50, 2000)
    true_w2, bregman = rng.exponential(1, (2, 2000))
    true_P0 = bregman + 0.005 * true_w2
    constant = variance_reduction.spread(sp.Symbol("C_P"))  # any name will do
    more = [x * rng.uniform(1, 3, 2000) for x in (true_P0, true_w2)]
    at = evaluate(constant, {"C_P": c, "P0": more[0], "w2": more[1], "l2": 0.01}, "constant")
    assert (at >= true_w2 + c * bregman - 1e-9).all()


# ------------------------------------------------------------ variance reduction, one step by enumeration
def gradients(P, w):
    """grad phi_i at w, a row each."""
    return -P.alpha(w)[:, None] * P.X


def bregman(P, u, w):
    """Of every phi_i, from w."""
    values = [np.array([P.loss.phi(z, b) for z, b in zip(P.X @ x, P.y, strict=True)]) for x in (u, w)]
    return values[0] - values[1] - gradients(P, w) @ (u - w)


STRONG = [("squared", 0.05, 0.02), ("logistic", 0.01, 0.0)]


@pytest.mark.parametrize("which", STRONG, ids=str)
def test_one_step_of_saga_contracts_the_potential(which):
    P, w_star, _, _ = setting(*which)
    smooth = P.R**2 / P.loss.gamma
    K, weight = (float(e.subs({R: smooth, l2: P.l2, n: P.n})) for e in variance_reduction.contraction_of_memory(R))
    eta, rng, worst = 1 / (3 * smooth), np.random.default_rng(1), 0.0
    for _ in range(40):
        w = w_star + 10 ** rng.uniform(-3, 1) * rng.standard_normal(P.d)
        points = w_star + 10 ** rng.uniform(-3, 1) * rng.standard_normal((P.n, P.d))  # where the table was filled
        table = np.array([gradients(P, points[i])[i] for i in range(P.n)])
        H = np.array([bregman(P, points[i], w_star)[i] for i in range(P.n)])
        at_w, new_H = gradients(P, w), bregman(P, w, w_star)
        after = []
        for i in range(P.n):
            u = P.reg.prox_g(w - eta * (at_w[i] - table[i] + table.mean(axis=0)), eta)
            after.append(((u - w_star) ** 2).sum() + weight * (H.sum() - H[i] + new_H[i]) / P.n)
        before = ((w - w_star) ** 2).sum() + weight * H.mean()
        worst = max(worst, np.mean(after) / before)
    assert 0.5 < worst <= 1 - 1 / K


def listed(P, sampling):
    """Every block with its chance, p_i and v_i."""
    c = P.coordinates("dual")
    p = sampling.probabilities(c)
    if sampling.serial:
        return [(q, (i,)) for i, q in enumerate(p)], p, c.norms2
    if isinstance(sampling, TauNice):
        blocks = list(combinations(range(P.n), sampling.tau))
        return [(1 / len(blocks), S) for S in blocks], p, cdlab.eso(P, sampling, "dual")
    drawn = list(product([False, True], repeat=P.n))
    return (
        [(np.where(S, p, 1 - p).prod(), tuple(np.flatnonzero(S))) for S in drawn], p, cdlab.eso(P, sampling, "dual")
    )  # fmt: skip


FEW = [Importance(), Norms(), TauNice(3), Independent(np.linspace(0.2, 0.9, 8))]


@pytest.mark.parametrize("which", STRONG, ids=str)
@pytest.mark.parametrize("sampling", FEW, ids=lambda each: each.name)
def test_one_step_by_any_sampling_contracts_the_potentials(sampling, which):
    """E[T+] <= (1 - 1/K) T for saga's table and lsvrg's snapshot, over all blocks and both sides of the coin."""
    P, w_star, _, _ = setting(*which, n=8, d=3)
    blocks, p, v = listed(P, sampling)
    L, rng = (v / (P.loss.gamma * P.n * p)).max(), np.random.default_rng(2)
    eta, weight, rho = 1 / (3 * L), 2 / (3 * L + 2 * P.l2), p.min()
    K = theory.bound("saga", "K", sampling=sampling).for_problem(P)
    assert theory.bound("lsvrg", "K", sampling=sampling).for_problem(P) == K
    assert K == pytest.approx(np.maximum(2 / p, 1 + 3 * v / (2 * P.loss.gamma * P.l2 * P.n * p)).max())
    worst = np.zeros(2)
    for _ in range(30):
        w, s = w_star + 10 ** rng.uniform(-3, 1, (2, 1)) * rng.standard_normal((2, P.d))
        points = w_star + 10 ** rng.uniform(-3, 1) * rng.standard_normal((P.n, P.d))
        at_w, at_s = gradients(P, w), gradients(P, s)
        table = np.array([gradients(P, points[i])[i] for i in range(P.n)])
        H = np.array([bregman(P, points[i], w_star)[i] for i in range(P.n)])
        of_w, of_s = bregman(P, w, w_star), bregman(P, s, w_star)
        after = np.zeros(2)
        for q, S in blocks:
            S = list(S)
            u = P.reg.prox_g(w - eta * ((at_w[S] - table[S]).T @ (1 / (P.n * p[S])) + table.mean(axis=0)), eta)
            H_then = H.copy()
            H_then[S] = of_w[S]
            after[0] += q * (((u - w_star) ** 2).sum() + weight * (H_then / p).mean())
            u = P.reg.prox_g(w - eta * ((at_w[S] - at_s[S]).T @ (1 / (P.n * p[S])) + at_s.mean(axis=0)), eta)
            B = rho * of_w.mean() + (1 - rho) * of_s.mean()
            after[1] += q * (((u - w_star) ** 2).sum() + weight / rho * B)
        D = ((w - w_star) ** 2).sum()
        before = D + weight * np.array([(H / p).mean(), of_s.mean() / rho])
        worst = np.maximum(worst, after / before)
    assert (worst > 0.5).all()
    assert (worst <= 1 - 1 / K).all()


@each_of("loss, l2", [("logistic", 1e-4), ("logistic", 0.1), ("squared", 3.0)])
def test_their_rate_is_quartz_s_up_to_a_factor(loss, l2):
    """6/7 K_quartz <= K <= 2 K_quartz, by the same v_i and p_i; so importance draws need at most 2 T_D."""
    P = problem(loss, l2=l2, n=20, d=6, density=0.6)
    for sampling in (Uniform(), *FEW[:3], Lipschitz(), Independent(0.3), Distributed(4, 2), np.arange(1.0, 21)):
        theorem = "l2 in g" if isinstance(sampling, Uniform) else None
        ours = theory.bound("saga", "K", sampling=sampling, theorem=theorem).for_problem(P)
        quartz = theory.bound("quartz", "K", sampling=sampling).for_problem(P)
        assert 6 / 7 * quartz <= ours * (1 + 1e-12)
        assert ours <= 2 * quartz * (1 + 1e-12)
    T = theory.bound("saga", "T", sampling="importance").for_problem(P)
    assert T <= 2 * cdlab.faceoff(P).T_D * (1 + 1e-12)


@pytest.mark.full
@pytest.mark.parametrize("method", ["saga", "lsvrg"])
@pytest.mark.parametrize("sampling", [Importance(), TauNice(4), Independent(0.3)], ids=lambda each: each.name)
@pytest.mark.parametrize("which", STRONG, ids=str)
def test_the_mean_of_30_runs_by_any_sampling_stays_below_the_curve(which, sampling, method):
    P, w_star, _, known = setting(*which)
    b, rows = theory.bound(method, sampling=sampling), []
    for seed in range(30):
        run = cdlab.iterate(P, method, sampling=sampling, seed=seed)
        rows.append([(record.iteration, ((run.w - w_star) ** 2).sum()) for record in islice(run, 60)])
    steps, distance = np.moveaxis(np.array(rows), -1, 0)
    # blocks of Independent are of many sizes, and epochs of several numbers of them: the least steps of each record
    passes = steps.min(axis=0) * b.per("cost per iteration").for_problem(P) / P.nnz
    curve = b.curve(P, passes, **known)
    mean, error = distance.mean(axis=0), distance.std(axis=0, ddof=1) / np.sqrt(30)
    compared = curve > 1e-12 * curve[0]
    assert (mean - 3 * error <= curve * (1 + 1e-12))[compared].all()
    assert (mean / curve)[1:][compared[1:]].max() > 1e-4


@pytest.mark.parametrize("which", STRONG, ids=str)
def test_one_step_of_svrg_adds_no_more_than_the_derivation_says(which):
    """E D+ <= q (D + c B(s)), c = 4/(190 L), q = 1/(1 + 2 eta l2), eta = 1/(10 L)."""
    P, w_star, _, _ = setting(*which)
    smooth = P.R**2 / P.loss.gamma
    eta, rng = 1 / (10 * smooth), np.random.default_rng(1)
    for _ in range(40):
        w, s = w_star + 10 ** rng.uniform(-3, 1, (2, 1)) * rng.standard_normal((2, P.d))
        directions = gradients(P, w) - gradients(P, s) + gradients(P, s).mean(axis=0)
        after = [((P.reg.prox_g(w - eta * v, eta) - w_star) ** 2).sum() for v in directions]
        kept = ((w - w_star) ** 2).sum() + 4 / (190 * smooth) * bregman(P, s, w_star).mean()
        assert np.mean(after) <= kept / (1 + 2 * eta * P.l2) * (1 + 1e-12)


def test_the_factor_of_last_points_by_summing_the_steps():
    smooth, weight, f, m = 3.0, 0.5, 2.0, 32
    q = 1 / (1 + weight / (5 * smooth))
    D = [1.0]
    for _ in range(m):
        D.append(q * (D[-1] + 4 / (190 * smooth) * f / 2))
    K = float(variance_reduction.last_point_rate(sp.Float(smooth), sp.Integer(m)).subs({l2: weight, L_f: f}))
    assert D[-1] <= 1 - 1 / K
    assert max(D) <= 1  # all through the stage
    exact = (1 - q**m) * (1 - f / (19 * weight))
    assert 1 - D[-1] == pytest.approx(exact)
    assert 1 / K <= exact <= 2 / K  # what Bernoulli's inequality gives away


def test_svrg_has_no_theorem_for_what_it_runs_where_the_loss_is_much_smoother_than_l2():
    b = pick("svrg", "last points")
    with pytest.raises(ValueError, match=r"needs L_f < 19\*l2"):
        b.at(**NUMBERS | {"l2": 1e-3, "L_f": 0.2})
    assert dict(b.parameters) == {
        "step": None,
        "m": None,
        "snapshot": "last",
    }  # svrg's defaults
    assert cdlab.methods.SVRG() == cdlab.methods.SVRG(**dict(b.parameters))


def test_saga_fills_its_table_in_half_a_pass():
    P, *_ = setting("logistic", 0.05, 0.0)
    b = pick("saga", "smooth")
    assert b.per("passes").for_problem(P) == pytest.approx(b.for_problem(P) / P.n + 0.5)
    run = cdlab.iterate(P, "saga")
    assert [next(run).passes for _ in range(3)] == [0.0, 1.5, 2.5]


def test_svrg_by_default_is_refused_on_problems_too():
    b = pick("svrg", "last points")
    P, *_ = setting("logistic", 0.05, 0.0)  # L_f is 7.4
    with pytest.raises(
        ValueError,
        match=r"needs L_f < 19\*l2, but this problem has L_f = 7\.4.* and l2 = 0\.05",
    ):
        b.for_problem(P)
    assert b.for_problem(setting("logistic", 0.5, 0.0)[0]) > 0
