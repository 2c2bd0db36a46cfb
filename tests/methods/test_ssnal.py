"""ssnal: optima of losses with kinks, with and without a free intercept, against rational arithmetic, linear programs
and interior points.
"""

import itertools
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of, pushed
from problems import CONVEX, minimise
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_regression

import cdlab
from benchmarks.peers.drawn import draw_data, draw_problem

X = np.array([[1, -2, 0.5], [0, 1, -1], [2, 0.5, 1], [-1, 1.5, 0], [0.5, -0.5, 2]])
REAL, SIGNS = np.array([1.5, -0.5, 3, 0.5, 2]), np.array([1.0, -1, 1, -1, 1])
S, O = np.array([1, 2, 0.5, 1, 1.5]), np.array([0.2, -0.1, 0, 0.5, -0.3])


def value(s):
    return s.trace.records[-1].primal


def solved(P, tol=1e-9, **options):
    s = cdlab.solve(P, "ssnal", tol=tol, **options)
    assert s.status == "tolerance reached"
    assert (np.diff(s.trace.column("primal")) <= 0).all()
    assert (np.diff(s.trace.column("dual")) >= 0).all()
    return s


@each_of(
    "loss, y, options, best, w, b",
    [
        ("hinge", SIGNS, {}, Fraction(24, 941), [0.4505844846, -0.2763018066, 0.4803400638], -0.2433581296),
        ("absolute", REAL, {"sample_weight": S}, Fraction(7919, 28800), [0.225, -31 / 120, 2 / 3], 0.425),
        ("absolute", REAL, {"offset": O}, Fraction(20369, 145800), [37 / 45, 11 / 54, 199 / 270], 31 / 60),
        ("hinge", SIGNS, {"offset": O}, Fraction(12521, 324000), [22 / 45, -31 / 60, 31 / 60], -17 / 72),
    ],
)
def test_golden_optima(loss, y, options, best, w, b):
    """Optima whose KKT conditions were checked in rational arithmetic."""
    s = solved(cdlab.Problem(X, y, loss, 0.1, intercept=True, **options), 1e-12)
    assert value(s) == pytest.approx(float(best), rel=1e-9)
    assert s.w == pytest.approx(np.array(w), abs=1e-6)
    assert s.intercept == pytest.approx(b, abs=1e-6)


def example(loss, n, d, seed, whole=False):
    """Data with ties where numbers are whole, weights of which some are 0, and offsets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X = np.round(X) if whole else X
    u = X[:, 0] + 0.5 * rng.standard_normal(n) + 0.3
    y = np.where(u > 0, 1.0, -1.0) if "hinge" in loss else np.round(2 * u + 3)
    return X, y, {"sample_weight": rng.integers(0, 3, n), "offset": np.round(rng.standard_normal(n), 1)}


def linear_program(X, y, loss, l1, s, o, free):
    n, d = X.shape
    signed = np.hstack([X, np.full((n, 1), float(free))])
    signed = np.hstack([signed, -signed])
    cost = np.concatenate([np.tile(np.append(np.full(d, l1), 0.0), 2), s / s.sum()])
    if loss == "hinge":
        rows, right = np.hstack([-y[:, None] * signed, -np.eye(n)]), y * o - 1
    else:  # t >= steep (z + o - y - eps) and t >= steep (y - z - o - eps)
        steep, eps = 0.5 if loss == "pinball" else 1.0, 0.1 if loss == "epsilon_insensitive" else 0.0
        rows = np.vstack([np.hstack([steep * signed, -np.eye(n)]), np.hstack([-steep * signed, -np.eye(n)])])
        right = steep * np.concatenate([y - o + eps, o - y + eps])
    return linprog(cost, rows, right, bounds=(0, None)).fun


@pytest.mark.parametrize("loss", pushed(["hinge", "absolute", "pinball", "epsilon_insensitive"], "hinge"))
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("shape", [(30, 5), (20, 40)])
@pytest.mark.parametrize("whole", [False, True])
def test_l1_alone_agrees_with_a_linear_program(loss, free, shape, whole):
    X, y, options = example(loss, *shape, seed=sum(shape), whole=whole)
    s = solved(cdlab.Problem(X, y, loss, 0.0, 0.03, intercept=free, **options), max_passes=20_000)
    best = linear_program(X, y, loss, 0.03, *options.values(), free)
    assert value(s) == pytest.approx(best, rel=1e-8, abs=1e-9)


@each_of("free", [False, True])
@each_of("l1", [1e-4, 1e-2])
@each_of("shape", [(200, 20), (300, 100), (100, 400)])
@each_of("tol", [1e-6, 1e-10])
def test_l1_alone_is_solved_with_columns_of_all_scales_where_residuals_become_small(tol, shape, l1, free):
    n, d = shape
    X, y = make_regression(n, d, n_informative=10, noise=0.1, random_state=0)
    X *= 10 ** np.random.default_rng(0).uniform(-1, 1, d)
    P = cdlab.Problem(X, y, "absolute", 0.0, l1, intercept=free)
    s = cdlab.solve(P, tol=tol)
    assert s.status == "tolerance reached"
    best = linear_program(X, y, "absolute", l1, np.ones(n), np.zeros(n), free)
    assert value(s) == pytest.approx(best, abs=max(tol, 1e-8) * P.at_zero)


@pytest.mark.parametrize("loss", ["hinge", "absolute", "smooth_hinge", "huber"])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("l1", [0.0, 0.03])
@pytest.mark.parametrize("sparse", [False, True])
def test_l2_agrees_with_an_interior_point_method(loss, free, l1, sparse):
    X, y, options = example(loss, 60, 8, seed=1)
    P = cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss, 0.02, l1, intercept=free, **options)
    s, o = options.values()
    w, b = cp.Variable(8), cp.Variable()
    z = np.repeat(X, s, axis=0) @ w + np.repeat(o, s) + (b if free else 0)
    mean = CONVEX[loss](cp, cp.multiply(np.repeat(y, s), z), z - np.repeat(y, s)) / s.sum()
    minimise(mean + 0.01 * cp.sum_squares(w) + l1 * cp.norm1(w), 1e-11)
    at = np.append(w.value, b.value) if free else w.value
    assert value(solved(P)) == pytest.approx(P.primal(at), rel=1e-7)


@each_of("load", [load_iris, load_wine, load_breast_cancer])
def test_raw_data_are_solved_at_any_scale(load):
    X, t = load(return_X_y=True)
    y = np.where(t == 0, 1.0, -1.0)
    plain, *scaled = (
        solved(cdlab.Problem(c * X, y, "hinge", 1e-3 * c**2, intercept=True), 1e-6) for c in (1.0, 1e6, 1e-6)
    )
    for s in scaled:
        assert value(s) == pytest.approx(value(plain), rel=1e-5)


@each_of(
    "l2, l1, width", [*itertools.product((1e-3,), (0.0,), (1e4, 1e7)), *itertools.product((0.0,), (1e-3,), (1e4, 1e7))]
)
def test_huber_is_solved_where_residuals_are_far_wider_than_its_gamma(l2, l1, width):
    """As on seconds, where huber is the absolute loss within 1/2 and no example is curved at the null point."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = X @ [1, -2, 0.5] + rng.standard_normal(200)
    P = cdlab.Problem(X, 1e9 + width * y, "huber", l2, l1, intercept=True)
    s = cdlab.solve(P, tol=1e-6)
    assert s.status == "tolerance reached"
    w, b = cp.Variable(3), cp.Variable()
    minimise(cp.sum(cp.abs(X @ w + b - y)) / 200 + l2 * width / 2 * cp.sum_squares(w) + l1 * cp.norm1(w), 1e-11)
    at = P.primal(np.append(width * w.value, 1e9 + width * b.value))
    assert P.primal(np.append(s.w, s.intercept)) <= at + 2e-6 * (P.at_zero - at)


@each_of("loss, y, best", [("absolute", np.full(5, 3.5), 0.0), ("hinge", np.ones(5), 0.0), ("hinge", -np.ones(5), 0.0)])
def test_an_intercept_alone_does_for_constant_labels(loss, y, best):
    s = solved(cdlab.Problem(X, y, loss, 0.1, intercept=True))
    assert value(s) == pytest.approx(best, abs=1e-12)


@each_of("loss, y", [("hinge", SIGNS), ("absolute", REAL)])
def test_a_whole_weight_is_a_repeated_row(loss, y):
    times = np.array([1, 3, 0, 2, 1])
    weighed = cdlab.Problem(X, y, loss, 0.1, sample_weight=times, intercept=True)
    repeated = cdlab.Problem(np.repeat(X, times, axis=0), np.repeat(y, times), loss, 0.1, intercept=True)
    assert value(solved(weighed)) == pytest.approx(value(solved(repeated)), rel=1e-8)


@each_of("loss, y", [("hinge", SIGNS), ("absolute", REAL)])
def test_a_run_may_start_where_another_ended(loss, y):
    P = cdlab.Problem(X, y, loss, 0.1, intercept=True, sample_weight=S)
    first = solved(P, 1e-10)
    again = solved(P, 1e-9, start=first)
    assert len(again.trace.records) <= 2
    half = (np.append(first.w, 0.0), None)
    assert value(solved(P, 1e-10, start=half)) == pytest.approx(value(first), rel=1e-8)


@pytest.mark.parametrize("inner", ["gram", "dual", "truncated", "preconditioned"])
def test_every_way_to_models_leads_there(inner):
    X, y, options = example("hinge", 60, 8, seed=2)
    P = cdlab.Problem(X, y, "hinge", 0.02, intercept=True, **options)
    assert value(solved(P, inner=inner)) == pytest.approx(value(solved(P)), rel=1e-7)


@each_of(
    "loss, l2, sentence",
    [
        ("logistic", 0.1, "ssnal is for hinge, absolute, pinball, .* and huber, and this loss is logistic"),
        ("hinge", 0.0, "ssnal needs l2 > 0 or l1 > 0"),
    ],
)
def test_refusals(loss, l2, sentence):
    with pytest.raises(ValueError, match=sentence):
        cdlab.solve(cdlab.Problem(X, SIGNS, loss, l2), "ssnal")


@each_of("method", ["quartz", "rcd", "newton_cd", "lbfgs"])
def test_other_methods_name_it(method):
    with pytest.raises(ValueError, match="ssnal"):
        cdlab.solve(cdlab.Problem(X, SIGNS, "hinge", 0.1, intercept=True), method)


# ------------------------------------------------------------ the other method that takes an intercept and kinks
@pytest.mark.parametrize("loss", ["hinge", "absolute"])
@pytest.mark.parametrize("l1", [0.0, 0.03])
@pytest.mark.parametrize("sparse", [False, True])
def test_sdca_ends_there_too(loss, l1, sparse):
    X, y, options = example(loss, 60, 8, seed=1)
    P = cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss, 0.02, l1, intercept=True, **options)
    best = value(solved(P))
    for method in ("sdca@permutation", "auto"):
        s = cdlab.solve(P, method, tol=1e-6, max_passes=20_000)
        assert s.status == "tolerance reached"
        assert 0 <= value(s) - best + 1e-9 <= s.gap + 2e-9


def test_an_intercept_of_sdca_moves_after_so_many_steps_however_they_are_fed():
    X, y, options = example("hinge", 60, 8, seed=1)
    P = cdlab.Problem(X, y, "hinge", 0.02, intercept=True, **options)
    whole = cdlab.solve(P, "sdca", seed=1, tol=0, max_passes=8, every=1)
    parts = cdlab.solve(P, "sdca", seed=1, tol=0, max_passes=8, records="log")
    assert value(parts) == pytest.approx(value(whole), rel=1e-12)


@each_of("options", [{"screening": "shrink"}, {"anderson": 3}, {"average": "half"}])
def test_wrappers_of_sdca_take_none(options):
    with pytest.raises(ValueError, match="takes no intercept, which is no coordinate of alpha"):
        cdlab.solve(cdlab.Problem(X, SIGNS, "hinge", 0.1, intercept=True), "sdca", **options)


def test_sdca_takes_no_intercept_of_softmax():
    with pytest.raises(ValueError, match="sdca takes softmax without an intercept: use lbfgs"):
        cdlab.solve(cdlab.Problem(X, [0, 1, 2, 1, 0], "softmax", 0.1, intercept=True), "sdca")


@pytest.mark.parametrize("k", [7, 42, pytest.param(44, marks=pytest.mark.full)])
def test_drawn_problems_on_which_stages_were_not_solved(k):
    """7: a start from which shorter steps led; 42: conjugate gradients without end; 44: stages that did not end."""
    seed = 7202 if k == 44 else 7001
    (X, y), drawn = draw_data(seed, k), draw_problem(seed, k)
    P = cdlab.Problem(X, y, drawn.loss, drawn.c / len(y), intercept=drawn.intercept)
    start = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=50) if k == 7 else None
    s = cdlab.solve(P, "ssnal", start=start, tol=1e-6, max_passes=None, max_seconds=60)
    assert s.status == "tolerance reached"
    assert len(s.trace.records) < (1500 if k == 44 else 150)
