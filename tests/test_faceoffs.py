"""The face-off against its definitions, on hand-checked, random and hostile matrices."""

import json
import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import cdlab
from cdlab.faceoffs import RELIABLE, TOO_CLOSE, Work, winner

SMOOTH = {"squared": 1.0, "logistic": 0.25, "squared_hinge": 1.0, "smooth_hinge": 1.0, "huber": 1.0}
NAMES = ("K_P", "K_D", "W_P", "W_D", "T_P", "T_D")


@st.composite
def matrices(draw):
    """Small matrices with zeros everywhere, also whole zero rows and columns."""
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = (
        rng.standard_normal((n, d))
        * 10.0 ** rng.uniform(-2, 2, (n, 1))
        * (rng.random((n, d)) < draw(st.floats(0.1, 1)))
    )
    X[rng.integers(n), rng.integers(d)] = 1.0  # not X = 0
    return X


def problem(X, loss="squared", l2=0.1, l1=0.0, **given):
    return cdlab.Problem(X, np.resize([1.0, -1.0], X.shape[0]), loss=loss, l2=l2, l1=l1, **given)


def without_empty_lines(X):
    return X[X.any(axis=1)][:, X.any(axis=0)]


def defined(X, beta, l2n, p, q):
    """K, W and T from eq. (8) to (13), coordinate by coordinate; no row or column is empty."""
    n, d = X.shape
    K_P = max((beta * X[:, j] @ X[:, j] + l2n) / (p[j] * l2n) for j in range(d))
    K_D = max((beta * X[i] @ X[i] + l2n) / (q[i] * l2n) for i in range(n))
    W_P = sum(p[j] * np.count_nonzero(X[:, j]) for j in range(d))
    W_D = sum(q[i] * np.count_nonzero(X[i]) for i in range(n))
    return K_P, K_D, W_P, W_D, K_P * W_P, K_D * W_D


# ---------------------------------------------------------------- the numbers
@given(matrices(), st.sampled_from(sorted(SMOOTH)), st.floats(1e-4, 10))
@settings(max_examples=60, deadline=None)
def test_K_W_T_are_those_of_theorem_1(X, loss, l2):
    f, beta, l2n = cdlab.faceoff(problem(X, loss, l2)), SMOOTH[loss], l2 * X.shape[0]
    X = without_empty_lines(X)
    n, d = X.shape
    s_P, s_D = beta * (X**2).sum(0) + l2n, beta * (X**2).sum(1) + l2n
    importance = defined(X, beta, l2n, s_P / s_P.sum(), s_D / s_D.sum())
    uniform = defined(X, beta, l2n, np.full(d, 1 / d), np.full(n, 1 / n))
    np.testing.assert_allclose([getattr(f, name) for name in NAMES], importance, rtol=1e-10)
    np.testing.assert_allclose([getattr(f.uniform, name) for name in NAMES], uniform, rtol=1e-10)
    assert f.ratio == pytest.approx(f.T_P / f.T_D)
    assert f.uniform.ratio == pytest.approx(f.uniform.T_P / f.uniform.T_D)
    # (14), (15) and, for uniform sampling, section 5.1
    b = beta / l2n
    np.testing.assert_allclose([f.K_P, f.K_D], [d + b * f.F, n + b * f.F], rtol=1e-10)
    np.testing.assert_allclose([f.T_P, f.T_D], [f.nnz + b * f.C_P, f.nnz + b * f.C_D], rtol=1e-10)
    uniform = [f.nnz * (1 + b * (X**2).sum(side).max()) for side in (0, 1)]
    np.testing.assert_allclose([f.uniform.T_P, f.uniform.T_D], uniform, rtol=1e-10)


@given(matrices(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_theorem_2_no_sampling_beats_importance(X, seed):
    f, l2n, rng = cdlab.faceoff(problem(X)), 0.1 * X.shape[0], np.random.default_rng(seed)
    X = without_empty_lines(X)
    n, d = X.shape
    p, q = rng.dirichlet(np.full(d, 2.0)) + 1e-9, rng.dirichlet(np.full(n, 2.0)) + 1e-9
    other = dict(zip(NAMES, defined(X, 1.0, l2n, p / p.sum(), q / q.sum()), strict=True))
    for name in ("K_P", "K_D", "T_P", "T_D"):
        assert getattr(f, name) <= other[name] * (1 + 1e-9)


@given(matrices())
@settings(max_examples=60, deadline=None)
def test_theorem_3(X):
    f, (n, d) = cdlab.faceoff(X), without_empty_lines(X).shape
    assert (f.n_nonempty, f.d_nonempty) == (n, d)
    assert f.theorem3.C_P_bounds == (f.F, n * f.F)
    assert f.theorem3.C_D_bounds == (f.F, d * f.F)
    assert f.theorem3.ratio_bounds == (1 / d, n)
    slack = 1 + 1e-12
    assert f.F <= f.C_P * slack <= n * f.F * slack**2
    assert f.F <= f.C_D * slack <= d * f.F * slack**2
    assert 1 / d <= f.theorem3.ratio * slack <= n * slack**2
    if n * d > 1:
        low, high = f.theorem3.ratio_bounds
        assert low ** (1 - f.theorem3.position) * high**f.theorem3.position == pytest.approx(f.C_P / f.C_D)


@pytest.mark.parametrize(("big", "position"), [("row", 0.0), ("column", 1.0)])
def test_theorem_3_is_approached_by_arrow_matrices(big, position):
    """A long heavy row is one dear update of the dual and cheap ones of the primal; a heavy column, the reverse."""
    X = np.zeros((6, 4))
    X[0, 1:], X[1:, 0] = (1e6, 1.0) if big == "row" else (1.0, 1e6)
    X[0, 0] = 1.0
    f = cdlab.faceoff(X)
    assert f.theorem3.position == pytest.approx(position, abs=1e-9)
    assert f.theorem3.ratio == pytest.approx(1 / 4 if big == "row" else 6)


@given(matrices())
@settings(max_examples=40, deadline=None)
def test_transposing_swaps_the_sides(X):
    n, d = X.shape
    f, g = cdlab.faceoff(problem(X, l2=0.3 / n)), cdlab.faceoff(problem(X.T, l2=0.3 / d))  # the same l2 n
    for letter, other in ("PD", "DP"):
        assert getattr(f, f"C_{letter}") == pytest.approx(getattr(g, f"C_{other}"))
        for quantity in "KWT":
            assert getattr(f, f"{quantity}_{letter}") == pytest.approx(getattr(g, f"{quantity}_{other}"))
    assert f.ratio_table == pytest.approx(1 / g.ratio_table)


@given(matrices())
@settings(max_examples=40, deadline=None)
def test_sparse_dense_order_and_stored_zeros_do_not_matter(X):
    f = cdlab.faceoff(problem(X))
    rng = np.random.default_rng(0)
    shuffled = X[rng.permutation(X.shape[0])][:, rng.permutation(X.shape[1])]
    stored = sp.csr_matrix((X.ravel(), np.indices(X.shape).reshape(2, -1)), shape=X.shape)  # zeros stored
    for same in (sp.csc_matrix(X), stored, shuffled):
        other = cdlab.faceoff(problem(same))
        assert other.nnz == f.nnz
        np.testing.assert_allclose([getattr(other, k) for k in NAMES], [getattr(f, k) for k in NAMES], rtol=1e-12)
    alone = cdlab.faceoff(sp.csr_array(X))
    np.testing.assert_allclose([alone.C_P, alone.C_D, alone.ratio_table], [f.C_P, f.C_D, f.ratio_table], rtol=1e-12)


def test_the_table_convention_is_beta_over_l2n_equal_to_1():
    X = np.random.default_rng(0).standard_normal((5, 9)) * (np.random.default_rng(1).random((5, 9)) < 0.5)
    f = cdlab.faceoff(problem(X, "squared", l2=1 / 5))
    assert f.ratio_table == pytest.approx(f.ratio)
    assert cdlab.faceoff(problem(X, "logistic", l2=1e-5)).ratio_table == pytest.approx(f.ratio)


def test_the_constants_are_the_problems():
    P = problem(np.random.default_rng(0).standard_normal((5, 3)))
    f, c = cdlab.faceoff(P), P.constants()
    assert (f.n, f.d, f.nnz) == (c["n"], c["d"], c["nnz"])
    np.testing.assert_allclose([f.F, f.C_P, f.C_D], [c["F"], c["C_P"], c["C_D"]], rtol=1e-14)


# ---------------------------------------------------------------- what a derivative costs
def test_the_cost_model():
    X = np.ones((2, 3))
    f = cdlab.faceoff(problem(X, "logistic", l2=0.5), derivative_cost=7)
    # nnz 6, F 6, C_P 12, C_D 18, beta/(l2 n) = 1/4: T_P = 9, T_D = 10.5, K_D = 3.5
    np.testing.assert_allclose([f.T_P, f.T_D, f.K_D], [9, 10.5, 3.5])
    assert f.cost_P() == pytest.approx(8 * 9)
    assert f.cost_D() == pytest.approx(10.5 + 7 * 3.5)
    assert f.cost_P(0) == f.T_P
    assert f.cost_D(0) == f.T_D
    assert f.break_even == pytest.approx(1.5 / 5.5)
    assert f.cost_P(f.break_even) == pytest.approx(f.cost_D(f.break_even))
    assert f.cost_P(0.9 * f.break_even) < f.cost_D(0.9 * f.break_even)
    assert f.cost_P(1.1 * f.break_even) > f.cost_D(1.1 * f.break_even)
    assert (f.derivative_cost, f.derivative_cost_source) == (7.0, "given")


def test_break_even_is_none_where_derivatives_cost_both_sides_alike():
    assert cdlab.faceoff(problem(np.eye(4)[:, :3])).break_even is None  # T_P < K_D: a zero row still costs a derivative
    rng = np.random.default_rng(0)
    for _ in range(50):  # one nonzero a line: T_P = K_D up to rounding
        assert cdlab.faceoff(problem(np.diag(rng.standard_normal(7)), l2=rng.random())).break_even is None


def test_assumed_costs():
    X = np.eye(3)
    assert cdlab.faceoff(problem(X, "logistic")).derivative_cost == 50
    assert "Csiba & Richtarik" in cdlab.faceoff(problem(X, "logistic")).derivative_cost_source
    for loss in ("squared", "squared_hinge", "huber", "smooth_hinge"):
        f = cdlab.faceoff(problem(X, loss))
        assert (f.derivative_cost, f.derivative_cost_source) == (0, "assumed")


@pytest.mark.parametrize(
    "cost",
    [
        -1,
        np.inf,
        np.nan,
        "dear",
        True,
        np.True_,
        pytest.param(10**400, id="beyond float64"),
        np.complex128(1),
        [1.0],
        np.longdouble("1e400"),
    ],
)
def test_impossible_costs_are_refused(cost):
    with pytest.raises(ValueError, match="derivative_cost must be a number >= 0 or 'measured'"):
        cdlab.faceoff(problem(np.eye(3)), derivative_cost=cost)
    f = cdlab.faceoff(problem(np.eye(3)))
    for work in (f.cost_P, f.cost_D):
        with pytest.raises(ValueError, match="derivative_cost must be a number >= 0, not"):
            work(cost)


# ---------------------------------------------------------------- words
@pytest.mark.parametrize(
    ("n", "d", "side", "words"),
    [
        (2, 20, "primal", "favour the primal by a factor of 7"),
        (20, 2, "dual", "favour the dual by a factor of 7"),
        (9, 11, None, "call it a tie (T_P/T_D = 0.833)"),
        (4, 10, "primal", "within a factor of 4 do not settle a race"),
    ],
)
def test_the_winner_is_a_side_and_the_verdict_says_how_sure(n, d, side, words):
    f = cdlab.faceoff(problem(np.ones((n, d)), "squared", l2=1 / n))  # ratio (1 + n)/(1 + d)
    factor = max(f.ratio, 1 / f.ratio)
    assert f.winner == side
    assert words in f.verdict
    assert (f.winner is None) == (factor < TOO_CLOSE)
    assert ("do not settle" in f.verdict) == (TOO_CLOSE <= factor < RELIABLE)


def test_ratios_name_a_winner_from_the_smallest_factor_on():
    assert [winner(ratio) for ratio in (1.25, 1.24, 1.0, 0.81, 0.8, 0.0, np.inf)] == [
        "dual", None, None, None, "primal", "primal", "dual",
    ]  # fmt: skip
    assert winner(None) is None
    assert winner(np.nan) is None


@pytest.mark.parametrize(("n", "said"), [(90, True), (20, False)])
def test_many_examples_a_feature_weaken_the_verdict(n, said):
    """The bounds know l2 only; with n >> d the data make P far more strongly convex, and the primal faster."""
    f = cdlab.faceoff(problem(np.ones((n, 3)), l2=1 / n))
    assert f.winner == "dual"
    assert ("times as many examples as features" in f.verdict) == said
    assert ("times as many examples as features" in " ".join(str(f).split())) == said


def test_empty_features_do_not_hide_that_there_are_many_examples():
    X = np.hstack([np.ones((90, 3)), np.zeros((90, 1000))])
    assert "30 times as many examples as features" in " ".join(str(cdlab.faceoff(problem(X, l2=1 / 90))).split())


def test_a_verdict_against_the_dual_says_that_it_is_not_about_exact_steps():
    f = cdlab.faceoff(problem(np.ones((2, 20)), "squared", l2=0.5))
    assert "This is about rcd and quartz" in f.verdict
    assert "sdca takes the exact step" in f.verdict
    assert "sdca" not in cdlab.faceoff(problem(np.ones((20, 2)), "squared", l2=0.05)).verdict


def test_samplings_that_disagree_are_both_told():
    """One heavy feature: importance sampling rarely pays for it, uniform sampling waits for it."""
    X = np.vstack([np.eye(30), np.ones((30, 30))])
    X[:, 0] *= 30
    f = cdlab.faceoff(problem(X, l2=1.0))
    assert winner(f.ratio) != winner(f.uniform.ratio)
    assert "With uniform sampling the bounds favour the" in f.verdict


def test_the_verdict_tells_what_derivatives_change():
    f = cdlab.faceoff(problem(np.ones((4, 40)), "logistic", l2=1 / 16))  # beta/(l2 n) = 1
    assert f.winner == "primal"
    assert "the bounds favour the primal by a factor of 8.2" in f.verdict  # (1 + 40)/(1 + 4)
    assert f.cost_P() > f.cost_D()
    assert "Counting a loss derivative as 50 visited nonzeros (assumed" in f.verdict
    assert "favour the dual by a factor of" in f.verdict


def test_it_prints_its_numbers_and_its_verdict():
    X = np.hstack([np.random.default_rng(0).standard_normal((6, 4)), np.zeros((6, 5))])
    f = cdlab.faceoff(problem(X))
    text = str(f)
    assert text.startswith("6 examples, 9 features, 24 nonzeros; 6 examples and 4 features are not empty")
    for value in (f.C_P, f.C_D, f.F, f.theorem3.ratio, f.K_P, f.uniform.T_D, f.ratio, f.ratio_acc, f.ratio_table):
        assert f"{value:.4g}" in text
    assert " ".join(text.split()).endswith(f.verdict)
    assert repr(f) == f"FaceOff(n=6, d=9, nnz=24, T_P/T_D={f.ratio:.3g}, winner={f.winner!r})"


@pytest.mark.parametrize("f", [[[3.0]], np.zeros((2, 3)), problem(np.zeros((2, 3))), problem(np.eye(3), "hinge")])
def test_it_prints_without_a_verdict_too(f):
    f = cdlab.faceoff(f)
    assert " ".join(str(f).split()).endswith(f"There is no verdict: {f.reason}.")
    assert "T_P/T_D=" not in repr(f)


# ---------------------------------------------------------------- where there is no bound
NOTHING = Work()


@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_losses_that_are_not_smooth(loss):
    f = cdlab.faceoff(problem(np.eye(3), loss))
    assert [getattr(f, name) for name in NAMES] == [None] * 6
    assert (f.ratio, f.winner, f.break_even, f.cost_P(), f.cost_D()) == (None,) * 5
    assert f.uniform == NOTHING
    assert f.uniform.ratio is None
    assert f"needs a smooth loss, but {loss} is not" in f.reason
    assert (f.C_P, f.C_D, f.ratio_table) == (3, 3, 1)


def test_no_l2():
    f = cdlab.faceoff(problem(np.eye(3), l2=0.0))
    assert f.T_P is None
    assert f.ratio is None
    assert "l2 > 0" in f.reason
    assert f.C_D == 3


def test_l1_leaves_the_dual_only():
    f, plain = cdlab.faceoff(problem(np.eye(3), l1=0.1)), cdlab.faceoff(problem(np.eye(3)))
    for work, without in ((f, plain), (f.uniform, plain.uniform)):
        assert (work.K_P, work.T_P, work.ratio) == (None, None, None)
        assert (work.K_D, work.W_D, work.T_D) == (without.K_D, without.W_D, without.T_D)
    assert "l1" in f.reason
    assert f.winner is None
    assert f.break_even is None
    assert f.cost_P() is None
    assert f.cost_D() == f.T_D


def test_a_matrix_alone():
    f = cdlab.faceoff([[1.0, 0.0], [2.0, 3.0]])
    assert (f.C_P, f.C_D, f.F, f.nnz) == (2 * 5 + 9, 1 + 2 * 13, 14, 3)
    assert f.ratio_table == 22 / 30
    assert (f.T_P, f.winner, f.derivative_cost) == (None, None, None)
    assert "pass a Problem" in f.reason
    with pytest.raises(ValueError, match="pass faceoff a Problem"):
        cdlab.faceoff(np.eye(2), derivative_cost=3)


def test_nothing_but_zeros():
    f = cdlab.faceoff(problem(np.zeros((3, 2))))
    assert [getattr(f, name) for name in NAMES] == [0] * 6
    assert (f.n, f.d, f.n_nonempty, f.d_nonempty, f.theorem3.ratio_bounds) == (3, 2, 0, 0, None)
    assert (f.ratio, f.ratio_table, f.theorem3.ratio, f.theorem3.position, f.winner) == (None,) * 5
    assert "nothing to compare" in f.reason
    assert f.table()["passes"].isna().all()


def test_empty_lines_are_no_coordinates():
    X = np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    f = cdlab.faceoff(problem(X, "squared", l2=0.5))  # l2 n = 1, F = 5
    np.testing.assert_allclose([f.K_P, f.K_D, f.T_P, f.T_D], [2 + 5, 1 + 5, 2 + 5, 2 + 10])
    assert (f.n, f.d, f.n_nonempty, f.d_nonempty) == (2, 3, 1, 2)


SAMPLINGS = ["uniform", "importance", "norms", cdlab.samplings.Lipschitz(0.5)]


@given(matrices(), st.integers(0, 3), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_empty_lines_change_nothing(X, rows, columns):
    """Theorem 3 excludes them: what they add to n and d neither moves the position nor costs an iteration."""
    n, d = X.shape
    padded = np.zeros((n + rows, d + columns))
    padded[rows:, columns:] = X
    for loss in ("squared", "logistic"):
        f, g = (
            cdlab.faceoff(problem(each, loss, l2=0.3 / each.shape[0]), samplings=SAMPLINGS[:2]) for each in (X, padded)
        )
        plain, same = f.to_dict(), g.to_dict()
        for name in ("n", "d"):
            del plain[name], same[name]
        assert same == nearly(plain)


def nearly(value):
    """Equal but for rounding, in every number of a nested dict."""
    if isinstance(value, dict):
        return {key: nearly(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(map(nearly, value))
    return pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=lambda s: s if isinstance(s, str) else s.label)
def test_draws_of_empty_lines_are_no_iterations(sampling):
    X = np.zeros((6, 5))
    X[:4, 1:4] = np.random.default_rng(0).standard_normal((4, 3))
    P = problem(X)
    work = cdlab.faceoff(P, samplings=[sampling]).by_sampling.popitem()[1]
    p, q = (cdlab.methods.resolve(method).probabilities(P, sampling) for method in ("rcd", "quartz"))
    p, q = p[1:4], q[:4]
    assert (p.sum(), q.sum()) == pytest.approx((1, 1))
    np.testing.assert_allclose([getattr(work, k) for k in NAMES], defined(X[:4, 1:4], 1.0, 0.6, p, q), rtol=1e-12)


def test_an_empty_line_needs_no_probability():
    P = problem(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]))
    work = cdlab.faceoff(P, samplings=[([1.0, 0.0], [0.5, 0.5, 0.0])]).by_sampling["given"]
    assert (work.W_P, work.W_D) == (2, 1)
    with pytest.raises(ValueError, match="never draws coordinate 1: K = inf"):
        cdlab.faceoff(P, samplings=[([1.0, 0.0], [0.5, 0.0, 0.5])])


def test_a_single_entry_has_no_position():
    f = cdlab.faceoff([[3.0]])
    assert (f.theorem3.ratio, f.theorem3.position) == (1.0, None)


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_scaled_entries_give_right_answers(scale):
    X = np.random.default_rng(0).standard_normal((5, 4))
    f, g = cdlab.faceoff(X), cdlab.faceoff(X * scale)
    assert g.theorem3.ratio == pytest.approx(f.theorem3.ratio, rel=1e-12)
    assert g.theorem3.position == pytest.approx(f.theorem3.position, rel=1e-12)
    h = cdlab.faceoff(problem(X * scale, l2=1.0))
    assert h.ratio == pytest.approx(f.C_P / f.C_D if scale > 1 else 1.0, rel=1e-12)


def test_beyond_float64():
    with pytest.raises(ValueError, match="too large for float64"):
        cdlab.faceoff(np.full((2, 2), 1e160))
    with pytest.raises(ValueError, match="too small for float64"):
        cdlab.faceoff(np.full((2, 2), 1e-160))
    f = cdlab.faceoff(problem(np.full((2, 2), 1e100), l2=1e-200))
    assert f.T_P is None
    assert f.ratio is None
    assert "overflow" in f.reason
    assert cdlab.faceoff(problem(np.eye(2), l2=1e-320)).T_D is None
    assert "smaller l2" in cdlab.faceoff(np.eye(20), loss="squared", l2=1e307).reason


@pytest.mark.parametrize(
    "l2", [np.nan, np.inf, -1.0, True, "1", pytest.param(10**400, id="beyond float64"), np.complex128(1)]
)
def test_l2_beside_a_matrix_is_a_number(l2):
    with pytest.raises(ValueError, match="l2 must be a finite number >= 0, not"):
        cdlab.faceoff(np.eye(2), loss="squared", l2=l2)


# ---------------------------------------------------------------- for other programs
@pytest.mark.parametrize("given_", [{}, {"loss": "hinge"}, {"l1": 0.1}, {"loss": "logistic"}])
def test_plain_values_survive_json(given_):
    f = cdlab.faceoff(problem(np.eye(3, 4), **given_))
    plain = json.loads(json.dumps(f.to_dict(), allow_nan=False))
    assert plain["C_P"] == f.C_P
    assert plain["ratio"] == f.ratio
    assert plain["uniform"]["T_D"] == f.uniform.T_D
    assert plain["theorem3"]["ratio_bounds"] == list(f.theorem3.ratio_bounds)
    assert plain["winner"] == f.winner
    assert plain["verdict"] == f.verdict
    assert plain["reason"] == f.reason


def test_the_table():
    f = cdlab.faceoff(problem(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])))
    table = f.table()
    assert list(table.columns) == ["K", "W", "T", "passes"]
    assert table.loc[("primal", "importance"), "T"] == f.T_P
    assert table.loc[("dual", "uniform"), "K"] == f.uniform.K_D
    assert table.loc[("dual", "importance"), "passes"] == f.T_D / 4
    assert cdlab.faceoff(np.eye(2)).table().isna().all(axis=None)


def test_frozen():
    with pytest.raises(AttributeError):
        cdlab.faceoff(np.eye(2)).C_P = 1.0


# ---------------------------------------------------------------- the paper's Table 1
real_data = pytest.mark.skipif("CDLAB_DATA" not in os.environ, reason="CDLAB_DATA names no folder of data sets")


@real_data
@pytest.mark.parametrize(("name", "ratio"), [("leu", 0.486), ("news20.bigram", 2.78)])
def test_ratios_of_real_data(name, ratio):
    """The paper prints 0.5 for leukemia on another normalisation of the file; the other is news20's stand-in."""
    X, y = cdlab.datasets.load(name, scale="mean" if name == "leu" else "none")
    f = cdlab.faceoff(cdlab.Problem(X, y, loss="logistic", l2=1 / len(y)))
    assert f.ratio_table == pytest.approx(ratio, rel=0.01)
    assert cdlab.faceoff(X).ratio_table == pytest.approx(f.ratio_table, rel=1e-12)


@real_data
def test_rcv1_has_fewer_features_than_columns():
    X, y = cdlab.datasets.load("rcv1_vw1000", scale="mean")
    f = cdlab.faceoff(cdlab.Problem(X, y, loss="logistic", l2=1 / len(y)))
    assert (f.n_nonempty, f.d, f.d_nonempty) == (1000, 47236, 9738)
    assert f.K_P == pytest.approx(9738 + f.F / 4)
    assert f.theorem3.position == pytest.approx(0.51, abs=0.005)
