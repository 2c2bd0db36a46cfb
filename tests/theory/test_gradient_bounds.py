"""Gradient descent, agd and fista against their bounds, and what SDCA's authors compare with batch methods."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from cases import each_of
from problems import problem

import cdlab
from cdlab import theory
from cdlab.theory.symbols import P0, L, L_f, R, eps, gamma, l2, n, nnz, t, w2
from cdlab.theory.theorems import comparisons, gradient

BOUNDS = {(b.method, b.theorem): b for b in gradient.BOUNDS if b.bounded == "P(w)-P*"}
COMPARED = {(b.method, b.theorem): b for b in comparisons.BOUNDS}
STEPS = 60
PROBLEMS = [
    ("logistic", 0.1, 0.02),
    ("squared", 3.0, 0.0),
    ("squared", 1e-3, 0.0),
    ("logistic", 0.0, 0.02),
]


@cache
def setting(loss, weight, l1):
    """A problem, and its true P0, w2 and L_f; the optimum by agd, certified by a gap of 1e-13."""
    P = problem(loss, l2=weight, l1=l1, density=1.0)
    best = cdlab.solve(P, "agd", tol=1e-13, max_passes=200_000, every=50)
    assert best.status == "tolerance reached"
    star = P.primal(best.w)
    smoothness = np.linalg.norm(P.X, 2) ** 2 / (P.n * P.loss.gamma)
    return (
        P,
        star,
        {
            "P0": P.primal(np.zeros(P.d)) - star,
            "w2": best.w @ best.w,
            "L_f": smoothness,
        },
    )


# ------------------------------------------------------------ by hand
def test_rates_by_hand():
    numbers = {
        "l2": 0.01,
        "L_f": 0.24,
        "gamma": 1.0,
        "P0": 1.0,
        "w2": 50.0,
        "eps": 1e-4,
    }  # kappa_f = 24
    assert BOUNDS["gd", "strongly convex"].at(**numbers) == pytest.approx(25 * np.log(1e4))
    assert BOUNDS["fista", "strongly convex"].at(**numbers) == pytest.approx(5 * np.log(1.25e4))
    agd = BOUNDS["agd", "strongly convex"].sharper().at(**numbers)
    growth = 1 + np.sqrt(1 / 24) / 2
    assert agd == pytest.approx(np.log(0.12 * 50 * growth**2 / 1e-4) / (2 * np.log(growth)))
    numbers["l2"] = 0.0
    assert BOUNDS["gd", "convex"].at(**numbers) == pytest.approx(0.24 * 50 / 2e-4)
    assert BOUNDS["fista", "convex"].at(**numbers) == pytest.approx(np.sqrt(2 * 0.24 * 50 / 1e-4) - 1)
    assert BOUNDS["agd", "convex"].at(**numbers) == pytest.approx(np.sqrt(2 * 0.24 * 50 / 1e-4))
    passes = BOUNDS["agd", "convex"].per("passes").at(**numbers, nnz=300)
    assert passes == pytest.approx(4 * np.sqrt(2 * 0.24 * 50 / 1e-4))  # two trials, each of two gradients


def test_agd_is_the_theorem_about_A():
    b = BOUNDS["agd", "strongly convex"]
    positive = {symbol: sp.Symbol(symbol.name, positive=True) for symbol in (L_f, l2, w2)}
    kept = sp.simplify((1 - 1 / b.K).subs(positive) - (1 + sp.sqrt(l2 / L_f) / 2).subs(positive) ** -2)
    assert kept == 0
    for k in (1, 2, 7):
        promised = (w2 / (2 * gradient.A)).subs(t, k).subs(positive)
        assert sp.simplify(promised - b.guarantee.subs(positive).subs({t: k, P0: 0})) == 0
        assert sp.simplify((w2 / (2 * gradient.A_CONVEX)).subs(t, k) - 2 * L_f * w2 / k**2) == 0


def test_limits_without_strong_convexity():
    """All but gd become sqrt(L_f/l2); the theorem for l2 = 0 takes over."""
    x, smooth = sp.symbols("x L_f", positive=True)
    for method, limit in (("agd", 1), ("fista", 1), ("gd", 0)):
        K = BOUNDS[method, "strongly convex"].K.subs({l2: x**2, L_f: smooth})
        assert sp.limit(sp.sqrt(smooth) / (x * K), x, 0) == limit


# ------------------------------------------------------------ on problems
def test_for_problem_finds_the_spectral_norm():
    P, _, known = setting("squared", 1e-3, 0.0)
    b = BOUNDS["gd", "strongly convex"].per("K")
    exact = 1 + known["L_f"] / 1e-3
    assert exact * (1 - 1e-12) <= b.for_problem(P) <= exact * (1 + 2e-3)
    assert known["L_f"] < P.R**2  # sharper than R^2/gamma
    softmax = cdlab.Problem(P.X, np.arange(P.n) % 3, loss="softmax", l2=0.1)
    assert BOUNDS["fista", "strongly convex"].for_problem(softmax) > 0


@each_of("name", BOUNDS)
def test_the_guarantee_reaches_eps_after_the_count_and_never_rises(name):
    b = BOUNDS[name]
    P, _, known = setting(*PROBLEMS[-1] if "convex" == b.theorem else PROBLEMS[0])
    start = float(b.guarantee.subs({t: 0, l2: P.l2, **{theory.SYMBOLS[k]: v for k, v in known.items()}}))
    assert start >= known["P0"] * (1 - 1e-12)
    count = b.for_problem(P, eps=1e-3, **known)
    steps = np.array([0, 1, count / 2, count, 2 * count])
    values = [
        float(b.guarantee.subs({t: k, l2: P.l2} | {theory.SYMBOLS[k]: v for k, v in known.items()})) for k in steps
    ]
    assert values[3] <= 1e-3 * known["P0"] * (1 + 1e-9)
    assert (np.diff(values) <= 0).all()


@each_of("which", PROBLEMS)
@each_of("name", BOUNDS)
def test_every_iterate_obeys_the_bound(name, which):
    b = BOUNDS[name]
    P, star, known = setting(*which)
    if theory.evaluate.first_failed(b.assumptions, {"gamma": P.loss.gamma, "l2": P.l2}) is not None:
        with pytest.raises(ValueError, match="needs l2"):
            b.for_problem(P)
        return
    run = cdlab.iterate(P, b.method)
    measured = np.array([next(run).primal for _ in range(STEPS + 1)]) - star
    per_step = float(b.W.subs(nnz, 1))
    curve = b.curve(P, per_step * np.arange(STEPS + 1), P0=known["P0"], w2=known["w2"])
    assert curve.bounded == "P(w)-P*"
    compared = curve > 1e-12 * curve[0]
    assert (measured <= curve * (1 + 1e-12))[compared].all()
    assert (measured / curve)[compared].max() > 1e-3  # it says something


@each_of("name", BOUNDS)
def test_what_a_method_spends_to_find_L_f_counts_on_a_problem(name):
    """Without that, the curve would run ahead of the iterates: here L_f/l2 is about 2."""
    which = PROBLEMS[-1] if BOUNDS[name].theorem == "convex" else ("squared", 3.0, 0.0)
    b, (P, star, known) = BOUNDS[name], setting(*which)
    run = cdlab.iterate(P, b.method)
    records = [next(run) for _ in range(STEPS)]
    curve = b.curve(P, [record.passes for record in records], P0=known["P0"], w2=known["w2"])
    measured = np.array([record.primal for record in records]) - star
    compared = curve > 1e-12 * curve[0]
    assert (measured <= curve * (1 + 1e-12))[compared].all()
    extra = b.per("passes").for_problem(P) - b.for_problem(P) * float(b.W.subs(nnz, 1))
    before = {"gd": records[1].passes - 1, "fista": records[1].passes - 1, "agd": 0.0}[b.method]
    assert extra == pytest.approx(before) if before else 0 <= extra <= 2 * np.log2(min(P.n, P.d)) + 1e-9


@each_of("which", PROBLEMS)
def test_agd_pays_for_two_trials_a_step_and_the_way_from_its_first_L(which):
    P, star, known = setting(*which)
    S = cdlab.methods.AGD().init(P, "uniform")
    run = cdlab.iterate(P, "agd")
    for record in (next(run) for _ in range(STEPS)):
        if record.primal - star > 1e-9 * known["P0"]:  # below, rounding fails trials that are long enough
            assert record.passes <= 4 * record.iteration + 2 * np.log2(known["L_f"] / S.L) + 1e-9


@pytest.mark.parametrize("method", ["lbfgs", "ssnal", "adasdca_plus"])
def test_methods_without_theorem_are_refused_with_the_reason(method):
    assert method in cdlab.methods.METHODS
    with pytest.raises(ValueError, match=f"no bound for '{method}'.*; .* have theorems$"):
        theory.bound(method)


# ------------------------------------------------------------ comparisons
def test_batch_methods_process_n_examples_where_stochastic_ones_process_one():
    kappa = R**2 / (gamma * l2)
    examples = {key: b.per("examples").expr for key, b in COMPARED.items() if b.counts}
    log = sp.log(P0 / eps)
    assert sp.simplify(examples["gd", "order, smooth"] - n * kappa * log) == 0
    assert sp.simplify(examples["sdca", "order, smooth"] - (n + kappa) * log) == 0
    steps = L**2 * R**2 / (l2 * eps)
    for method, count in (
        ("subgradient_descent", n * steps),
        ("sgd", steps),
        ("sdca", n + steps),
    ):
        assert sp.simplify(examples[method, "order, lipschitz"] - count) == 0
    assert examples["sdca", "earlier analyses"].has(n / eps)


def test_l1_alone_by_an_added_l2():
    """With R = L = gamma = ||w*|| = 1: n + 1/eps, 1/eps^2 and n/sqrt(eps); 1/eps < n/sqrt(eps) iff eps > 1/n^2."""
    size = {R: 1, L: 1, gamma: 1, w2: 1}
    examples = {b.method: b.per("examples").expr.subs(size) for b in COMPARED.values() if b.theorem == "order, l1"}
    assert examples == {"sdca": n + 1 / eps, "rda": eps**-2, "fista": n / sp.sqrt(eps)}
    threshold = COMPARED["sdca", "l1, against fista"]
    assert threshold.expr.subs(size) == n**-2
    numbers = {"n": 100, "gamma": 2.0, "R": 3.0, "w2": 0.5, "l2": 0.0}
    at = threshold.at(**numbers)
    for eps_, less in ((1.01 * at, True), (0.99 * at, False)):
        sdca, fista = (
            COMPARED[method, "order, l1"].per("examples").at(**numbers, eps=eps_, nnz=1) for method in ("sdca", "fista")
        )
        assert (sdca - 100 < fista) == less


def test_comparisons_have_no_curve():
    P, *_ = setting(*PROBLEMS[0])
    with pytest.raises(ValueError, match="no curve: its constants are not known"):
        COMPARED["gd", "order, smooth"].curve(P, [0.0])
