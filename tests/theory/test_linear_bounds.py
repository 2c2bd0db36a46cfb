"""Kaczmarz's method, accelerated Kaczmarz and accelerated coordinate descent against their bounds."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
import sympy as sp
from problems import data

import cdlab
from cdlab import theory
from cdlab.theory.symbols import P0, F, d, eps, lmin, mu_cols, n, nnz, omega, w2
from cdlab.theory.theorems import linear_systems

BOUNDS = {(b.method, b.sampling): b for b in linear_systems.BOUNDS}
SEEDS = range(30)


@cache
def system(rows, columns, noise=0.0, rank=None):
    """A system, its solution of least norm, and the constants of the theorems by singular values."""
    rng = np.random.default_rng(rows)
    X = data(n=rows, d=columns, seed=2, density=1.0)[0]
    if rank is not None:
        U, s, V = np.linalg.svd(X, full_matrices=False)
        X = np.ascontiguousarray((U[:, :rank] * s[:rank]) @ V[:rank])
    y = X @ rng.standard_normal(columns) + noise * rng.standard_normal(rows)
    P = cdlab.Problem(X, y, loss="squared", l2=0.0)
    w = np.linalg.pinv(X, rcond=1e-10) @ y

    def smallest(A):
        s2 = np.linalg.svd(A, compute_uv=False) ** 2
        return s2[s2 > 1e-10].min()

    known = {
        "P0": P.primal(np.zeros(P.d)) - P.primal(w),
        "w2": w @ w,
        "lmin": smallest(X),
        "mu_rows": smallest(X / np.linalg.norm(X, axis=1, keepdims=True)),
        "mu_cols": smallest(X / np.linalg.norm(X, axis=0)),
    }
    return P, w, known


# ------------------------------------------------------------ by hand
def test_rates_by_hand():
    numbers = {
        "n": 50, "d": 20, "nnz": 300, "l2": 0.0, "l1": 0.0, "F": 70.0, "C_D": 500.0, "lmin": 0.35, "mu_rows": 0.04,
        "mu_cols": 0.25, "w2": 2.0, "P0": 0.5, "eps": 1e-3,
    }  # fmt: skip
    for sampling in ("importance", "uniform"):
        kaczmarz = BOUNDS["kaczmarz", sampling]
        assert kaczmarz.at(**numbers) == pytest.approx(200 * np.log(2000))
        assert kaczmarz.per("arithmetic").at(**numbers) == pytest.approx(500 / 0.35 * np.log(2000))
    assert BOUNDS["acc_kaczmarz", "uniform"].at(**numbers) == pytest.approx(250 * np.log(4000))
    assert BOUNDS["acc_kaczmarz", "uniform"].per("passes").at(**numbers) == pytest.approx(5 * np.log(4000))
    assert BOUNDS["acc_cd", "uniform"].per("passes").at(**numbers) == pytest.approx(2 * np.log(1000))
    pseudoinverse, row_sampling = (BOUNDS[m, "none"].per("arithmetic") for m in ("pseudoinverse", "row_sampling"))
    assert pseudoinverse.at(**numbers, omega=3) == pytest.approx(50 * 20**2)
    assert row_sampling.at(**numbers, omega=2) == pytest.approx((1000 + 400) * np.log(500))


def test_orthonormal_rows_and_one_row():
    """Orthonormal rows: F = n lmin, so plain and accelerated Kaczmarz need n iterations for a factor e."""
    kaczmarz, accelerated = (
        BOUNDS["kaczmarz", "importance"],
        BOUNDS["acc_kaczmarz", "uniform"],
    )
    numbers = {
        "n": 7,
        "nnz": 70,
        "l2": 0.0,
        "l1": 0.0,
        "F": 7.0,
        "lmin": 1.0,
        "mu_rows": 1.0,
    }
    assert kaczmarz.per("K").at(**numbers) == accelerated.per("K").at(**numbers) == 7
    assert accelerated.per("K").at(**numbers | {"n": 1}) == 2  # the method's momentum stops at half the rows


def test_acceleration_pays_exactly_where_mu_is_below_1():
    """On rows of norm 1: n/mu against n/sqrt(mu)."""
    mu = sp.Symbol("mu", positive=True)
    plain = BOUNDS["kaczmarz", "importance"].K.subs({F: n, lmin: mu})
    accelerated = linear_systems.momentum(n, mu).args[1]  # of the maximum with 2
    assert sp.simplify(plain / accelerated) == 1 / sp.sqrt(mu)


# ------------------------------------------------------------ on problems
def test_accuracy_of_a_system_is_relative_to_its_own_start():
    P, _, known = system(16, 5)
    kaczmarz = BOUNDS["kaczmarz", "importance"]
    passes = kaczmarz.per("passes").for_problem(P, eps=1e-4, **known)
    assert passes == pytest.approx(P.row_profile.C / known["lmin"] / P.nnz * np.log(1e4))
    assert kaczmarz.curve(P, [passes], **known)[0] <= 1e-4 * known["w2"]


def test_constants_are_found_on_the_problem():
    for size in ((16, 5), (6, 16), (12, 8, 0.0, 4)):
        P, w, known = system(*size)
        for method in ("kaczmarz", "acc_kaczmarz", "acc_cd"):
            b = theory.bound(method, "iterations")
            assert b.for_problem(P) == pytest.approx(b.for_problem(P, **known), rel=1e-9)
            assert b.curve(P, [0.0])[0] >= b.curve(P, [0.0], **known)[0] * (1 - 1e-12)
        # ||w*||^2 is bounded for least squares without weights, of gradient methods too
        assert theory.bound("fista", "iterations", theorem="convex").for_problem(P) > 0


def test_finding_mu_costs_the_smaller_gram_matrix():
    P, *_ = system(16, 5)
    for method in ("acc_kaczmarz", "acc_cd"):
        run = cdlab.iterate(P, method)
        next(run)
        assert next(run).passes == 1 + 5  # 16 rows of 5 nonzeros: 16 * 5^2 visits
        b = theory.bound(method)
        steps = b.per("iterations").for_problem(P) / {"acc_kaczmarz": 16, "acc_cd": 5}[method]
        assert b.for_problem(P) == pytest.approx(steps + 5)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_other_losses_and_weights_are_refused(loss):
    X, y = data(density=1.0)
    for b in BOUNDS.values():
        with pytest.raises(ValueError, match="needs L = infinity"):
            b.for_problem(cdlab.Problem(X, y, loss=loss, l2=0.0))
        with pytest.raises(ValueError, match="needs l2 = 0"):
            b.for_problem(cdlab.Problem(X, y, loss="squared", l2=0.1))


def test_a_system_without_solution_is_refused_once_its_optimum_is_measured():
    P, _, known = system(16, 5, noise=0.5)
    for key in (("kaczmarz", "importance"), ("acc_kaczmarz", "uniform")):
        with pytest.raises(ValueError, match=r"needs P0 >= 0\.999999\*P_zero"):
            BOUNDS[key].for_problem(P, **known)
    assert BOUNDS["acc_cd", "uniform"].for_problem(P, **known) > 0


def test_table_1_is_asymptotic():
    P, *_ = system(16, 5)
    for method in ("pseudoinverse", "row_sampling"):
        b = BOUNDS[method, "none"]
        assert b.kind == "asymptotic"
        assert b.per("arithmetic").for_problem(P) > 0  # with matrix multiplication by rows and columns
        assert method not in cdlab.methods.METHODS
        with pytest.raises(ValueError, match="no curve"):
            b.curve(P, [0.0])
    positive = {s: sp.Symbol(s.name, positive=True) for s in (d, n, omega)}
    arithmetic = BOUNDS["pseudoinverse", "none"].per("arithmetic").expr
    assert sp.simplify((arithmetic - n * d ** (omega - 1)).subs(positive)) == 0
    arithmetic = BOUNDS["row_sampling", "none"].per("arithmetic").expr
    assert sp.simplify((arithmetic - (n * d + d**omega) * sp.log(P0 / eps)).subs(positive)) == 0


# ------------------------------------------------------------ one step by enumeration
def test_one_step_of_acc_cd_needs_no_independent_columns():
    """E Phi+ <= (1 - 1/K) Phi with v - u* projected onto the range of C', from points that a run visits."""
    for shape in ((12, 5), (6, 10)):
        P, w, known = system(*shape, noise=0.5)
        norms = np.linalg.norm(P.X, axis=0)
        C, u_star = P.X / norms, norms * w
        projection = np.linalg.pinv(C) @ C
        r = np.sqrt(known["mu_cols"])
        K = float(BOUNDS["acc_cd", "uniform"].K.subs({mu_cols: known["mu_cols"], d: P.d}))
        theta, rng = r / (P.d + r), np.random.default_rng(0)

        def step(x, v, j, C=C, b=P.y, r=r, theta=theta, lines=P.d):
            y = theta * v + (1 - theta) * x
            e = np.eye(lines)[j]
            g = C[:, j] @ (C @ y - b)
            return y - g * e, (1 - r / lines) * v + r / lines * y - g / r * e

        def potential(x, v, C=C, u=u_star, Pi=projection, r=r):
            return ((Pi @ (v - u)) ** 2).sum() + ((C @ (x - u)) ** 2).sum() / r**2

        x = v = np.zeros(P.d)
        assert potential(x, v) <= 4 * P.n * known["P0"] * P.loss.gamma / r**2 * (1 + 1e-12)
        worst = 0.0
        for _ in range(60):
            after = np.mean([potential(*step(x, v, j)) for j in range(P.d)])
            worst = max(worst, after / potential(x, v) / (1 - 1 / K))
            x, v = step(x, v, rng.integers(P.d))
        assert 0.9 < worst <= 1 + 1e-9


# ------------------------------------------------------------ measured
CASES = [
    (("kaczmarz", "importance"), (16, 5)),
    (("kaczmarz", "uniform"), (24, 6)),
    (("kaczmarz", "importance"), (6, 16)),  # the nearest of many solutions
    (("acc_kaczmarz", "uniform"), (16, 5)),
    (("acc_kaczmarz", "uniform"), (6, 16)),
    (("acc_kaczmarz", "uniform"), (12, 8, 0.0, 4)),
    (("acc_cd", "uniform"), (16, 5, 0.5)),
    (("acc_cd", "uniform"), (12, 8, 0.5, 4)),  # dependent columns
    (("acc_cd", "uniform"), (6, 16)),
]


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(("key", "size"), CASES, ids=str)
def test_the_mean_of_30_runs_stays_below_the_curve(key, size):
    b, (P, w, known) = BOUNDS[key], system(*size)
    best = P.primal(w)
    quantity = {
        "P(w)-P*": lambda u: P.primal(u) - best,
        "|w-w*|^2": lambda u: ((u - w) ** 2).sum(),
    }[b.bounded]
    rows = []
    for seed in SEEDS:
        run = cdlab.iterate(P, b.method, sampling=b.sampling, seed=seed)
        rows.append([quantity(run.w) for _ in islice(run, 41)])
    iterations = np.array([record.iteration for record in run.trace.records])
    lines = P.n if b.side == "dual" else P.d
    curve = b.curve(P, iterations / lines, **known)  # X is dense: nnz/lines nonzeros an iteration
    rows, compared = np.array(rows), curve > 1e-12 * curve[0]
    compared &= curve > 1e-13 * known["P0"]  # w* is known to rounding
    mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
    assert (mean - 3 * error <= curve * (1 + 1e-12))[compared].all(), (mean / curve)[compared].max()
    assert (mean / curve)[1:][compared[1:]].max() > 0.01  # and the curve says something


def test_cost_of_a_step():
    P, *_ = system(16, 5)
    sparse = P.X * (np.arange(80).reshape(16, 5) % 3 > 0)
    Q = cdlab.Problem(sparse, P.y, loss="squared", l2=0.0)
    p = Q.row_profile.norms2 / Q.row_profile.norms2.sum()
    known = {"lmin": 0.1, "mu_rows": 0.01, "mu_cols": 0.01, "w2": 1.0}
    costs = {
        ("kaczmarz", "importance"): p @ Q.row_profile.counts,
        ("acc_kaczmarz", "uniform"): Q.nnz / 16,
    }
    costs["acc_cd", "uniform"] = Q.nnz / 5
    for key, cost in costs.items():
        assert BOUNDS[key].per("cost per iteration").for_problem(Q, **known) == pytest.approx(cost)
    assert BOUNDS["kaczmarz", "importance"].unit == w2
    assert BOUNDS["acc_cd", "uniform"].W.has(nnz)
