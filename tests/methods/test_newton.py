"""newton_cd: the optimum of an interior-point method, from every start and by every way to minimise its model."""

import numpy as np
import pytest
import scipy.sparse
from cases import each_of
from problems import SMOOTH, data, optimum, problem

import cdlab
from cdlab import losses
from cdlab.methods import NewtonCD, cost_model
from cdlab.testing import small

WEIGHTS = [(0.1, 0.0), (1e-4, 0.0), (0.01, 0.02), (0.0, 0.02)]
WITH_L1, WITHOUT_L1 = ("gram", "columns"), ("gram", "dual", "truncated", "preconditioned")
TWICE = [name for name in SMOOTH if losses.has_hessian(losses.resolve(name))]


def suited(l1):
    return WITH_L1 if l1 > 0 else WITHOUT_L1


@each_of("l2, l1", WEIGHTS)
@each_of("loss", TWICE)
def test_its_optimum_is_that_of_an_interior_point_method(loss, l2, l1):
    s = cdlab.solve(problem(loss, l2, l1), "newton_cd", tol=1e-11, max_passes=2000)
    assert s.status == "tolerance reached"
    assert s.trace.records[-1].primal == pytest.approx(optimum(loss, l2, l1), abs=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("l2", "l1"), WEIGHTS)
@pytest.mark.parametrize("loss", TWICE)
def test_every_way_leads_to_the_same_point_and_p_never_rises(loss, l2, l1, sparse):
    P, found = problem(loss, l2, l1, sparse=sparse), []
    for inner in suited(l1):
        s = cdlab.solve(P, "newton_cd", inner=inner, tol=1e-12, max_passes=5000)
        assert s.status == "tolerance reached"
        assert (np.diff(s.trace.column("primal")) <= 1e-14).all()
        found.append(s.w)
    for w in found[1:]:
        np.testing.assert_allclose(w, found[0], atol=1e-5)


@each_of("intercept", [False, True])
@each_of("inner", ["auto", "gram", "truncated", "preconditioned"])
@each_of("shape", ["tall", "wide", "columns twice", "rows twice"])
def test_least_squares_without_a_regulariser_are_those_of_lapack(shape, inner, intercept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6) if shape in ("tall", "columns twice") else (6, 40)) * 10.0 ** rng.integers(-2, 3, 1)
    X = {"columns twice": np.hstack([X, X]), "rows twice": np.vstack([X, X])}.get(shape, X)
    y = rng.standard_normal(len(X)) + 5
    s = cdlab.solve(cdlab.Problem(X, y, "squared", l2=0.0, intercept=intercept), NewtonCD(inner), tol=1e-9)
    A = np.column_stack([X, np.ones(len(X))]) if intercept else X
    best = np.mean((A @ np.linalg.lstsq(A, y)[0] - y) ** 2)
    assert s.status == "gradient small"
    assert np.mean((X @ s.w + s.intercept - y) ** 2) == pytest.approx(best, abs=1e-10)


@each_of("inner", ["truncated", "preconditioned"])
@each_of("seed", range(8))
def test_after_the_optimum_of_flat_least_squares_w_stays(inner, seed):
    """What is left of the gradient is rounding, which lies along directions without curvature, too."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 8))
    P = cdlab.Problem(X, X[:, 0] + rng.standard_normal(60), "squared", 0.0)
    least = np.linalg.lstsq(X, P.y)[0]
    run = cdlab.iterate(P, NewtonCD(inner))
    for _ in range(40):
        last = next(run)
        assert np.linalg.norm(run.w) <= 3 * np.linalg.norm(least)
    assert last.primal - P.primal(least) <= 1e-14


@each_of("inner", ["truncated", "preconditioned"])
def test_an_exact_optimum_is_one_from_which_newton_goes_nowhere(inner):
    P = cdlab.Problem(np.eye(4), np.arange(4.0), "squared", 0.0)
    run = cdlab.iterate(P, NewtonCD(inner))
    assert [next(run).primal for _ in range(8)][-1] == 0


@each_of("inner", ["truncated", "preconditioned"])
def test_conjugate_gradients_of_flat_least_squares_forget_nothing(inner):
    rng, d = np.random.default_rng(1), 12
    U, V = (np.linalg.qr(rng.standard_normal((m, d)))[0] for m in (200, d))
    X = np.hstack([U * np.geomspace(1, 1e-3, d) @ V.T, np.zeros((200, 1))])  # condition 1e6, an empty column
    y = U @ rng.standard_normal(d) + 0.1 * rng.standard_normal(200)
    P = cdlab.Problem(X, y, "squared", 0.0)
    run = cdlab.iterate(P, NewtonCD(inner))
    while next(run).passes < 4 * d:  # d products would do but for rounding; two passes an iteration are beside them
        next(run)
    least = P.primal(np.linalg.lstsq(X, y)[0])
    assert run.trace.records[-1].primal - least <= 1e-12 * P.primal(np.zeros(d + 1))


@each_of("l2, l1", WEIGHTS)
@each_of("inner", [*WITH_L1, *WITHOUT_L1])
@each_of("loss", ["logistic", "squared"])
def test_what_it_calls_fresh_is_a_product_of_its_points(loss, inner, l2, l1):
    """Measurements believe it, and multiply nothing again."""
    if inner not in suited(l1):
        inner = suited(l1)[0]
    P, method, rng = problem(loss, l2, l1), NewtonCD(inner), np.random.default_rng(0)
    S = method.init(P, "uniform")
    for _ in range(4):
        points = method.points(P, S)
        assert "v" in points.fresh
        np.testing.assert_allclose(points.v, P.v(points.alpha), rtol=1e-14, atol=1e-17)
        if "z" in points.fresh:
            np.testing.assert_allclose(points.z, P.predict(points.w), rtol=1e-13, atol=1e-15)
        S = method.epoch(P, S, rng)


@each_of("sparse", [False, True])
@each_of("loss", TWICE)
def test_a_working_set_grows_to_the_optimum_and_p_never_rises(loss, sparse):
    X, y = small.small_data(n=40, d=400, seed=3, density=0.1 if sparse else 1.0)
    X = 10 * X  # far from w = 0, where models promise too much
    P = cdlab.Problem(scipy.sparse.csr_array(X) if sparse else X, y, loss, l2=0.0, l1=3e-3)
    s = cdlab.solve(P, "newton_cd", inner="columns", tol=1e-9, max_passes=50_000)
    assert s.status == "tolerance reached"  # the gap says so
    assert (np.diff(s.trace.column("primal")) <= 1e-14 * P.at_zero).all()
    assert 0 < np.count_nonzero(s.w) < P.d / 2


@each_of("sparse", [False, True])
@each_of("loss", ["squared", "logistic"])
def test_where_0_is_optimal_no_feature_enters(loss, sparse):
    P = problem(loss, 0.0, 10.0, sparse=sparse)
    s = cdlab.solve(P, "newton_cd", inner="columns", tol=0.0, max_passes=20)
    assert not s.w.any()


@pytest.mark.parametrize("inner", ["gram", "dual"])
def test_ridge_is_one_factorisation(inner):
    P = problem("squared", 1e-4)
    s = cdlab.solve(P, "newton_cd", inner=inner, tol=1e-10)
    assert len(s.trace.records) == 2  # the start, and one epoch
    np.testing.assert_allclose(s.w, np.linalg.solve(P.X.T @ P.X / P.n + P.l2 * np.eye(P.d), P.X.T @ P.y / P.n))


@each_of("inner", WITHOUT_L1)
@each_of("loss", TWICE)
def test_ill_conditioned_problems_are_certified(loss, inner):
    X, y = small.small_data(n=200, d=40, seed=1)
    P = cdlab.Problem(X * np.geomspace(1, 1e-2, 40), y, loss, l2=0.01 / 200)
    s = cdlab.solve(P, "newton_cd", inner=inner, tol=1e-9, max_passes=20_000)
    assert s.status == "tolerance reached"


@pytest.mark.parametrize("l1", [0.0, 0.02])
@pytest.mark.parametrize("loss", TWICE)
def test_at_the_optimum_it_stays_and_goes_on(loss, l1):
    """tol = 0: a line search that waits for a decrease beyond rounding would go nowhere, or never end."""
    s = cdlab.solve(problem(loss, l1=l1), "newton_cd", tol=0, max_passes=1500)
    assert s.status == "pass limit"
    assert s.relative_gap <= 1e-13
    assert np.ptp(s.trace.column("primal")[-5:]) <= 1e-14


def test_a_start_at_the_optimum_is_certified_after_an_epoch():
    P = problem()
    best = cdlab.solve(P, "newton_cd", tol=1e-12)
    assert len(cdlab.solve(P, "newton_cd", tol=1e-11, start=(best.w, None)).trace.records) <= 2


@pytest.mark.parametrize("sparse", [False, True])
def test_softmax(sparse):
    from sklearn.linear_model import LogisticRegression

    P = problem(sparse=sparse)
    P = cdlab.Problem(P.X, np.arange(30) % 3, loss="softmax", l2=0.01)
    s = cdlab.solve(P, "newton_cd", tol=1e-11, max_passes=2000)
    model = LogisticRegression(C=1 / (P.l2 * P.n), fit_intercept=False, tol=1e-12, max_iter=10_000)
    assert s.status == "tolerance reached"
    np.testing.assert_allclose(s.w, model.fit(data()[0], P.y).coef_.T, atol=1e-4)


@each_of("inner", WITHOUT_L1)
def test_columns_that_are_equal_or_far_apart_do_not_stop_the_factor(inner):
    X, y = data()
    P = cdlab.Problem(np.c_[X, X, 1e6 * X], y, l2=1e-9)
    s = cdlab.solve(P, "newton_cd", inner=inner, tol=1e-6, max_passes=5000)
    assert s.status == "tolerance reached"


# ------------------------------------------------------------ refusals
@each_of(
    "settings, inner, words",
    [
        ({"l2": 0.0}, "auto", "needs l2 > 0 or l1 > 0 and this problem has neither"),
        ({"l1": 0.02}, "dual", r'inner="dual" does not handle l1 > 0: use inner="gram" or "columns"'),
        ({}, "columns", 'inner="columns" is for l1 > 0'),
        ({"loss": "hinge"}, "auto", "needs a smooth loss"),
    ],
)
def test_what_does_not_fit_is_refused(settings, inner, words):
    with pytest.raises(ValueError, match=words):
        cdlab.solve(problem(**settings), NewtonCD(inner=inner))


@pytest.mark.parametrize(
    ("l1", "inner", "words"), [(0.02, "auto", "takes softmax with l1 = 0 only"), (0.0, "gram", "does not take softmax")]
)
def test_softmax_has_one_way(l1, inner, words):
    P = cdlab.Problem(data()[0], np.arange(30) % 3, loss="softmax", l2=0.1, l1=l1)
    with pytest.raises(ValueError, match=words):
        cdlab.solve(P, NewtonCD(inner=inner))


def test_a_loss_without_a_second_derivative_is_refused():
    from modified_huber import ModifiedHuber

    with pytest.raises(ValueError, match="modified_huber has no hess_phi: add that formula to its class"):
        cdlab.solve(problem(ModifiedHuber()), "newton_cd")


def test_another_word_for_the_inner_way_is_refused():
    with pytest.raises(ValueError, match="newton_cd's inner must be"):
        NewtonCD(inner="cg")


# ------------------------------------------------------------ which way
@each_of(
    "n, d, l1, name",
    [(400, 5, 0.0, "gram"), (5, 400, 0.0, "dual"), (400, 5, 0.01, "gram"), (5, 400, 0.01, "columns")],
)
def test_the_small_side_of_x_chooses(n, d, l1, name):
    X, y = small.small_data(n=n, d=d)
    assert cost_model.cheapest_way(cdlab.Problem(X, y, l2=0.1, l1=l1)) == name


def test_large_and_sparse_on_both_sides_takes_no_matrix():
    import scipy.sparse as sp

    X = sp.random(3000, 3000, density=2e-3, format="csr", random_state=np.random.default_rng(0))
    y = np.where(np.arange(3000) % 2, 1.0, -1.0)
    assert cost_model.cheapest_way(cdlab.Problem(X, y, l2=0.1)) == "truncated"


def test_tall_and_full_takes_conjugate_gradients_of_a_sample_for_a_loss_that_bends_everywhere():
    X, y = small.small_data(n=4000, d=250)
    P = cdlab.Problem(X, y, l2=0.1)
    assert cost_model.cheapest_way(P) == "preconditioned"
    assert cost_model.cheapest_way(P.with_(loss="squared")) == "gram"


@pytest.mark.every_pair("each way has products of its own for each storage")
@pytest.mark.parametrize("inner", ["gram", "dual", "truncated", "preconditioned"])
@pytest.mark.parametrize("stored", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("intercept", [False, True])
def test_where_X_is_0_so_is_w(inner, stored, intercept):
    P = cdlab.Problem(stored(np.zeros((20, 5))), np.resize([1.0, 2.0], 20), "squared", l2=0.1, intercept=intercept)
    s = cdlab.solve(P, "newton_cd", inner=inner)
    assert s.status == "tolerance reached"
    assert not s.w.any()


@pytest.mark.every_pair("what rounding does depends on all of them")
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    ("l2", "repeats"),  # of rows that are there twice X X' is singular; 1e-15 is below its rounding: see the next test
    [(1e-3, 1), (1e-3, 2), (1e-10, 1), (1e-10, 2), (1e-13, 1), (1e-13, 2), (1e-15, 1)],
)
def test_wide_ridge_with_a_tiny_weight_is_solved(l2, intercept, repeats):
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.standard_normal((25, 100)), (repeats, 1)), rng.standard_normal(25 * repeats)
    s = cdlab.solve(cdlab.Problem(X, y, "squared", l2=l2, intercept=intercept), "newton_cd", inner="dual", tol=1e-7)
    assert s.status == "tolerance reached"
    assert np.abs(s.w).max() < 1


@pytest.mark.parametrize("l2", [1e-15, 1e-18])
def test_a_weight_below_all_rounding_leaves_the_best_point_that_was_found(l2):
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.standard_normal((25, 100)), (2, 1)), rng.standard_normal(50)
    P = cdlab.Problem(X, y, "squared", l2=l2)
    s = cdlab.solve(P, "newton_cd", inner="dual", max_passes=200)
    least = np.linalg.lstsq(X, y, rcond=None)[0]
    assert np.abs(s.w).max() < 1
    assert P.primal(s.w) == pytest.approx(P.primal(least), rel=1e-3)


@each_of("loss", [name for name in TWICE if name != "squared"])
def test_a_column_with_a_fill_value_does_not_hold_the_others(loss):
    """Without l2 the damping of a coordinate is by its own column: one of 1e6 in two rows leaves the rest free."""
    rng = np.random.default_rng(0)
    X, noise = rng.standard_normal((100, 2)), rng.standard_normal(100)
    y = X[:, 1] + 0.1 * noise if loss == "huber" else np.sign(X[:, 1] + noise)
    X[:2, 0] = 1e6
    P = cdlab.Problem(X, y, loss, l2=0, l1=1e-3, intercept=True)
    s = cdlab.solve(P, "newton_cd", max_passes=1000)
    assert s.status == "tolerance reached"
    by_quasi_newton = cdlab.solve(P, "lbfgs", tol=1e-7, max_passes=10_000)
    assert s.record.primal <= by_quasi_newton.record.primal + 1e-6 * P.at_zero
