"""Averages of subgradient methods, and variance-reduced gradients, against their bounds."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import data, problem
from scipy.optimize import linprog

import cdlab
from cdlab import theory
from cdlab.theory.derivations import variance_reduction
from cdlab.theory.derivations.sublinear import logarithmic_steps
from cdlab.theory.evaluate import evaluate
from cdlab.theory.symbols import L_f, R, eps, gamma, gamma_r, l2, n, nnz, t, w2
from cdlab.theory.theorems import stochastic

BOUNDS = {(b.method, b.theorem, b.sampling): b for b in stochastic.BOUNDS}
SEEDS = range(30)
NUMBERS = {
    "n": 50, "nnz": 300, "l2": 0.01, "l1": 0.0, "gamma": 4.0, "L": 1.0, "R": 2.0, "P0": 0.5, "w2": 2.0, "g2": 0.3,
    "P_zero": 0.69, "eps": 1e-4,
}  # fmt: skip


def bound(method, theorem, sampling="uniform"):
    return BOUNDS[method, theorem, sampling]


@cache
def setting(loss, weight, l1, n=16, d=4):
    """A problem, w* and P*, and the true constants of the start."""
    P = problem(loss, l2=weight, l1=l1, n=n, d=d, seed=3, density=1.0)
    method, smooth = ("sdca", "agd")[weight == 0], P.loss.gamma > 0
    best = cdlab.solve(
        P,
        method,
        tol=1e-13 if smooth else 1e-8,
        max_passes=None,
        max_seconds=20,
        every=50,
    )
    assert best.status == "tolerance reached"
    star, w = P.primal(best.w), best.w
    each = P.X * -P.alpha(w)[:, None] + P.l2 * w
    return (
        P,
        w,
        star,
        {
            "P0": P.primal(np.zeros(P.d)) - star,
            "w2": w @ w,
            "g2": (each**2).sum(1).mean(),
        },
    )


def dominated(b, which, epochs):
    """The mean over seeds, less 3 standard errors, stays below the curve; returns the largest later mean/curve."""
    P, w, star, known = setting(*which)
    quantity = {
        "P(w)-P*": lambda u: P.primal(u) - star,
        "|w-w*|^2": lambda u: ((u - w) ** 2).sum(),
    }[b.bounded]
    rows = []
    for seed in SEEDS:
        run = cdlab.iterate(P, b.method, sampling=b.sampling, seed=seed, **dict(b.parameters))
        rows.append([quantity(run.w) for _ in islice(run, epochs + 1)])
    records = run.trace.records
    # X is dense: passes are the same in every run. A stage counts its gradient; what a step costs is W
    step = float(b.W.subs({nnz: P.nnz, n: P.n})) / P.nnz if b.step == "iteration" else None
    passes = np.array([record.passes if step is None else record.iteration * step for record in records])
    curve = b.curve(
        P,
        passes,
        L_f=np.linalg.norm(P.X, 2) ** 2 / (P.n * max(P.loss.gamma, 1e-9)),
        **known,
    )
    rows, compared = np.array(rows), curve > 1e-12 * curve[0]
    mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
    assert (mean - 3 * error <= curve * (1 + 1e-12))[compared].all(), (mean / curve)[compared].max()
    return (mean / curve)[1:][compared[1:]].max()


# ------------------------------------------------------------ (a + ln t)/t
COUNTS = {offset: logarithmic_steps(w2, offset) for offset in (1, 2, 6)}


@given(st.floats(1e-6, 1e12), st.sampled_from(sorted(COUNTS)))
def test_lambert_counts_are_where_the_guarantee_reaches_eps(b, offset):
    count = evaluate(COUNTS[offset], {"w2": b, "eps": 1.0}, "count")
    assert count >= 1 - 1e-12
    left = b * (offset + np.log(count)) / count
    assert left == pytest.approx(min(1, offset * b), rel=1e-6)  # one step where that is enough


def test_counts_of_averages_evaluate_on_arrays_and_fall_with_eps():
    for key in (("sgd", "average"), ("rda", "strongly convex")):
        b = bound(*key)
        accuracies = np.geomspace(1e-12, 1e3, 10_000)
        counts = b.at(**NUMBERS | {"eps": accuracies})
        assert (np.diff(counts) <= 0).all()
        at = evaluate(b.guarantee, NUMBERS | {"t": counts}, "guarantee")
        assert (at <= accuracies * (1 + 1e-9)).all() or counts.min() == 1
        assert at[0] == pytest.approx(accuracies[0], rel=1e-9)


def test_averages_by_hand():
    # 2 L^2 R^2/l2 = 800: with t = 100, 8 (1 + ln 100)
    at = {**NUMBERS, "t": 100.0}
    assert evaluate(bound("sgd", "average").guarantee, at, "sgd") == pytest.approx(8 * (1 + np.log(100)))
    assert evaluate(bound("rda", "strongly convex").guarantee, at, "rda") == pytest.approx(2 * (6 + np.log(100)))
    # sqrt(2) L R/||w*|| = 2: 2 w2/2 + 4/2 = 4, so 4/10 at t = 100
    at["gamma_r"] = bound("rda", "best gamma_r", "any").at(**NUMBERS | {"l2": 0.0})
    assert at["gamma_r"] == pytest.approx(2)
    assert evaluate(bound("rda", "convex").guarantee, at, "rda") == pytest.approx(0.4)
    assert bound("sgd", "asymptotic").per("passes").expr == R**2 / (gamma * l2 * eps * n)


def test_one_step_more_fits_into_the_printed_averages():
    t = np.arange(1, 10_000)
    H = np.cumsum(1 / np.arange(1, 10_001))  # H[k] is H_(k+1)
    assert (H[t] <= 1 + np.log(t))[2:].all()  # of sgd, from t = 3 on
    assert (H[t - 1] <= 1 + np.log(t)).all()  # of rda


def test_no_other_gamma_r_is_better_and_the_best_gives_sqrt_2():
    promised = stochastic.DUAL_AVERAGING * sp.sqrt(t)
    positive = {s: sp.Symbol(s.name, positive=True) for s in promised.free_symbols}
    best = stochastic.best_weight()
    at_best = promised.subs(gamma_r, best).subs(positive)
    product = sp.sqrt(2) * stochastic.L * R * sp.sqrt(w2)
    assert sp.simplify(at_best - product.subs(positive)) == 0
    excess = promised - at_best  # a square over 2 gamma_r
    square = (gamma_r * sp.sqrt(w2) - sp.sqrt(2) * stochastic.L * R) ** 2 / (2 * gamma_r)
    assert sp.simplify((excess - square).subs(positive)) == 0


def test_the_default_gamma_r_is_the_methods():
    P, _, _, known = setting("logistic", 0.0, 0.05)
    b = bound("rda", "convex")
    by_hand = np.sqrt(2) * P.R * P.l1 / P.primal(np.zeros(P.d))
    assert b.for_problem(P, **known) == pytest.approx(b.for_problem(P, gamma_r=by_hand, **known), rel=1e-12)
    assert cdlab.methods.RDA().init(P, "uniform").gamma_r == pytest.approx(by_hand, rel=1e-12)
    best = bound("rda", "best gamma_r", "any").for_problem(P, **known)
    assert b.for_problem(P, gamma_r=best, **known) <= b.for_problem(P, **known)
    with pytest.raises(ValueError, match="needs gamma_r > 0"):
        b.for_problem(problem("logistic", l2=0.0))


# ------------------------------------------------------------ variance reduction, by hand
def test_rates_by_hand():
    kappa = 100  # 4/(0.01 * 4)
    for many, sag, saga, in_g in ((50, 16 * (kappa + 1), 3 * (kappa + 1), 151), (1000, 8 * 1000, 4 * 1000, 2 * 1000)):
        numbers = NUMBERS | {"n": many}  # few examples: the condition number rules; many: they do
        assert bound("sag", "l2 in the table").per("K").at(**numbers) == sag
        assert bound("saga", "smooth").per("K").at(**numbers) == saga
        assert bound("saga", "l2 in g").per("K").at(**numbers) == in_g
    long = bound("svrg", "averaged long stages")
    assert long.per("K").at(**NUMBERS) == 6.25
    assert long.per("passes").at(**NUMBERS) == pytest.approx(6.25 * (1 + 100 * kappa / 50) * np.log(0.5e4))
    equal_rows = NUMBERS | {
        "F": 50 * 4.0,
        "C_D": 300 * 4.0,
    }  # then importance sampling is uniform
    importance = bound("svrg", "averaged long stages", "importance")
    assert importance.per("T").at(**equal_rows) == pytest.approx(long.per("T").at(**NUMBERS))


def test_svrg_stages_are_the_printed_factor():
    eta, m, smooth, weight = sp.symbols("eta m L l2", positive=True)
    rest = 1 - 4 * smooth * eta
    printed = 1 / (weight * eta * rest * m) + 4 * smooth * eta * (m + 1) / (rest * m)
    ours = variance_reduction.averaged_stage(smooth, m).subs(l2, weight)
    assert sp.simplify(printed.subs(eta, 1 / (10 * smooth)) - ours) == 0
    assert variance_reduction.averaged_stage(smooth, 100 * smooth / weight).subs(l2, weight).subs(smooth, weight) == (
        sp.Rational(21, 25)
    )
    short = bound("svrg", "averaged stages")
    assert sp.simplify((1 - 1 / short.K).subs(l2, weight) - ours.subs({smooth: R**2 / gamma, m: 2 * n})) == 0


def test_the_printed_saga_theorem_follows_from_the_sharper_one():
    smooth, weight = sp.symbols("L l2", positive=True)
    sharper = variance_reduction.saga(smooth)
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
    constant = stochastic.spread(sp.Symbol("C_P"))  # any name will do
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
    K, weight = (float(e.subs({R: smooth, l2: P.l2, n: P.n})) for e in variance_reduction.saga(R))
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
    K = float(variance_reduction.last_point(sp.Float(smooth), sp.Integer(m)).subs({l2: weight, L_f: f}))
    assert D[-1] <= 1 - 1 / K
    assert max(D) <= 1  # all through the stage
    exact = (1 - q**m) * (1 - f / (19 * weight))
    assert 1 - D[-1] == pytest.approx(exact)
    assert 1 / K <= exact <= 2 / K  # what Bernoulli's inequality gives away


# ------------------------------------------------------------ measured
CASES = [
    (("sgd", "average", "uniform"), ("hinge", 0.1, 0.0), 15),
    (("sgd", "average", "uniform"), ("logistic", 0.01, 0.0), 15),
    (("rda", "strongly convex", "uniform"), ("absolute", 0.1, 0.02), 15),
    (("rda", "convex", "uniform"), ("logistic", 0.0, 0.05), 15),
    (("sag", "l2 in the table", "uniform"), ("logistic", 0.05, 0.0), 60),
    (("sag", "l2 in the table", "uniform"), ("squared", 0.5, 0.0), 60),
    (("saga", "smooth", "uniform"), ("logistic", 0.05, 0.0), 60),
    (("saga", "smooth", "uniform"), ("squared", 0.5, 0.02), 60),
    (("saga", "l2 in g", "uniform"), ("logistic", 0.05, 0.0), 60),
    (("saga", "l2 in g", "uniform"), ("squared", 0.5, 0.02), 60),
    (("svrg", "averaged long stages", "uniform"), ("logistic", 0.5, 0.0), 120),
    (("svrg", "averaged long stages", "importance"), ("smooth_hinge", 1.0, 0.02), 120),
    (("svrg", "averaged stages", "uniform"), ("logistic", 80.0, 0.0), 20),
    (("svrg", "last points", "uniform"), ("logistic", 0.5, 0.0), 60),
    (("svrg", "last points", "uniform"), ("squared", 4.0, 0.02), 60),
]


@pytest.mark.parametrize(
    ("key", "which", "epochs"),
    CASES,
    ids=lambda x: "-".join(map(str, np.atleast_1d(x))),
)
def test_the_mean_of_30_runs_stays_below_the_curve(key, which, epochs):
    assert dominated(BOUNDS[key], which, epochs) > 1e-4  # and the curve says something


def test_svrg_has_no_theorem_for_what_it_runs_where_the_loss_is_much_smoother_than_l2():
    b = bound("svrg", "last points")
    with pytest.raises(ValueError, match=r"needs L_f < 19\*l2"):
        b.at(**NUMBERS | {"l2": 1e-3, "L_f": 0.2})
    assert dict(b.parameters) == {
        "step": None,
        "m": None,
        "snapshot": "last",
    }  # svrg's defaults
    assert cdlab.methods.SVRG() == cdlab.methods.SVRG(**dict(b.parameters))


MAIN = (
    ("sgd", "hinge"),
    ("rda", "hinge"),
    ("sag", "logistic"),
    ("saga", "logistic"),
    ("svrg", "logistic"),
)


@pytest.mark.parametrize(("method", "loss"), MAIN)
def test_main_theorems_need_nothing_but_the_problem(method, loss):
    P, _, _, known = setting(loss, 0.1, 0.0)
    b = theory.bound(method)
    assert 0 < b.for_problem(P) < np.inf
    assert b.for_problem(P, 1e-9) > b.for_problem(P)
    # upper bounds stand for what depends on the optimum, so at an absolute accuracy the count is no smaller
    unit = {"P(w)-P*": 1.0, "|w-w*|^2": 2 / P.l2}[b.bounded]
    gap = P.constants()["gap0"]
    values = P.constants() | known
    at = {name: values[name] for name in theory.MEANINGS if name in values} | {"eps": 1e-6 * gap * unit}
    assert b.per("iterations").for_problem(P) >= b.per("iterations").at(**at) * (1 - 1e-12)


def test_saga_fills_its_table_in_half_a_pass():
    P, *_ = setting("logistic", 0.05, 0.0)
    b = bound("saga", "smooth")
    assert b.per("passes").for_problem(P) == pytest.approx(b.for_problem(P) / P.n + 0.5)
    run = cdlab.iterate(P, "saga")
    assert [next(run).passes for _ in range(3)] == [0.0, 1.5, 2.5]


def test_svrg_by_default_is_refused_on_problems_too():
    b = bound("svrg", "last points")
    P, *_ = setting("logistic", 0.05, 0.0)  # L_f is 7.4
    with pytest.raises(
        ValueError,
        match=r"needs L_f < 19\*l2, but this problem has L_f = 7\.4.* and l2 = 0\.05",
    ):
        b.for_problem(P)
    assert b.for_problem(setting("logistic", 0.5, 0.0)[0]) > 0


def test_refusals_name_what_is_missing():
    for key, changes, words in (
        (("sgd", "average"), {"L": np.inf}, "L < infinity"),
        (("sgd", "average"), {"l1": 0.1}, "l1 = 0"),
        (("rda", "strongly convex"), {"l2": 0.0}, "l2 > 0"),
        (("saga", "smooth"), {"gamma": 0.0}, "gamma > 0"),
        (("svrg", "averaged long stages"), {"l2": 10.0}, r"gamma\*l2 <= R\*\*2"),
        (("svrg", "averaged stages"), {}, r"25\*R\*\*2 < gamma\*l2"),
    ):
        with pytest.raises(ValueError, match=f"needs {words}"):
            bound(*key).at(**NUMBERS | changes)


# ------------------------------------------------------------ steps eta/sqrt(t), without a regulariser
def without_regulariser():
    """The hinge loss on data that no line separates: a minimiser exists, found by linear programming."""
    X, y = data(n=30, d=4, seed=5, density=1.0)
    y = np.where(np.arange(30) % 4 == 0, -y, y)
    n, d = X.shape
    costs = np.r_[np.zeros(2 * d), np.full(n, 1 / n)]
    margins = -np.c_[y[:, None] * X, -y[:, None] * X, np.eye(n)]
    found = linprog(costs, A_ub=margins, b_ub=-np.ones(n), bounds=(0, None))
    w = found.x[:d] - found.x[d : 2 * d]
    return cdlab.Problem(X, y, loss="hinge", l2=0.0), w, found.fun


@pytest.mark.parametrize("eta", [0.03, 0.3, 2.0])
def test_root_steps_stay_below_their_bound(eta):
    P, w, best = without_regulariser()
    b, known = bound("sgd", "root steps"), {"w2": w @ w, "P0": P.primal(np.zeros(P.d)) - best}
    errors = np.array(
        [
            [record.primal - best for record in islice(cdlab.iterate(P, "sgd", step=eta, seed=seed), 41)]
            for seed in SEEDS
        ]
    )
    curve = b.curve(P, np.arange(41), step=eta, **known)
    assert (errors.mean(axis=0) - 3 * errors.std(axis=0, ddof=1) / np.sqrt(len(SEEDS)) <= curve).all()
    passes = b.per("passes").for_problem(P, eps=0.5, step=eta, **known)
    assert passes * P.n >= 1


@given(st.floats(1e-3, 1e3), st.floats(1e-6, 1e6), st.floats(1e-8, 1e2))
def test_the_count_of_root_steps_solves_its_guarantee(eta, distance, accuracy):
    b = bound("sgd", "root steps")
    values = {"step": eta, "w2": distance, "L": 1.0, "R": 2.0, "P0": 1.0}
    count = b.at(eps=accuracy, **values)
    guaranteed = evaluate(stochastic.ROOT, {k: v for k, v in values.items() if k != "P0"} | {"t": count}, "it")
    assert count >= 1
    assert guaranteed <= accuracy * (1 + 1e-9)
    sooner = evaluate(stochastic.ROOT, {k: v for k, v in values.items() if k != "P0"} | {"t": count / 3}, "it")
    assert count <= 3 or sooner >= accuracy
