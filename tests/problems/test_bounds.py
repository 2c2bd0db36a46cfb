"""Bounds and weights of features: golden optima, certificates against a referee, and what is refused."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, nnls
from sklearn.linear_model import ElasticNet, Lasso

import cdlab
from cdlab.problems.certificates import certificate
from cdlab.problems.points import Points
from cdlab.regularizers import PerFeature, beside_intercept

X = np.array([[1, -2, 0.5], [0, 1, -1], [2, 0.5, 1], [-1, 1.5, 0], [0.5, -0.5, 2]])
YR, Y3 = np.array([1.5, -0.5, 3, 0.5, 2]), np.array([2.5, -1, 2, -1.5, 1])
YC = np.array([1.0, -1, 1, -1, 1])
INF = np.inf
BOX = {"lower": [-0.2, -0.5, 0], "upper": [0.3, 0.2, INF], "penalty_factor": [0.5, 1, 2]}


def problem(y=YR, loss="squared", l2=0.1, l1=0.05, **options):
    return cdlab.Problem(X, y, loss, l2, l1, **options)


def with_weights(P, l2s, l1s, lower=-INF, upper=INF):
    """The problem with an l2 and an l1 of each feature that have no common factor."""
    arrays = [np.array(x, float) for x in np.broadcast_arrays(l2s, l1s, lower, upper, np.zeros(3))[:4]]
    P.feature_reg = reg = PerFeature(float(arrays[0].min()), 0, *arrays)
    P.reg = beside_intercept(reg, 3) if P.intercept else reg
    return P


# l2, l1, P*, w*, b*, P(0): KKT conditions checked in rational arithmetic
GOLDEN = {
    "positive": (
        problem(Y3, lower=0, intercept=True), 3784 / 10075, [1.071960298, 0, 0.3796526055], -0.1258064516, 1.27,
    ),
    "without l2": (
        problem(Y3, l2=0, lower=0, intercept=True), 9733 / 31900, [1.184952978, 0, 0.3667711599], -0.175862069, 1.27,
    ),
    "a box alone": (
        problem(l2=0, l1=0, lower=-0.1, upper=0.3), 95433 / 124000, [0.3, -0.08709677419, 0.3], 0, 1.575,
    ),
    "hinge": (problem(YC, "hinge", l1=0, lower=0, upper=0.35), 1569 / 4000, [0.35, 0, 0.35], 0, 1),
    "all of each": (
        with_weights(
            problem(Y3, intercept=True, penalty_factor=[1, 2, 3]), [0.1, 0.05, 0.2], [0.05, 0, 0.1],
            [-0.2, -0.5, 0], [0.3, 0.2, INF],
        ), 3811 / 12000, [0.3, -0.5, 0.3666666667], 0.3166666667, 1.27,
    ),
    "weights of each": (
        with_weights(problem(intercept=True, penalty_factor=[1, 2, 3]), [0, 0.1, 0.2], [0, 0.05, 0.2]),
        19977 / 95872, [0.7995243658, 0.0370911215, 0.3838451268], 0.7046061415, 0.73,
    ),
}  # fmt: skip


@each_of("name", list(GOLDEN), pushed=["a box alone", "all of each"])
def test_golden_optima(name):
    P, best, w, b, at_zero = GOLDEN[name]
    certified = name != "weights of each"  # whose first feature has neither l2, l1 nor bounds
    s = cdlab.solve(P, "auto", tol=1e-12, max_passes=10**5)
    assert s.w == pytest.approx(np.array(w), abs=2e-6)
    assert s.intercept == pytest.approx(b, abs=2e-6)
    value = P.primal(np.append(s.w, s.intercept) if P.intercept else s.w)
    assert value == pytest.approx(best, rel=1e-9)
    assert P.at_zero == pytest.approx(at_zero)
    assert P.is_certified == certified
    assert s.gap >= value - best if certified else s.gap == INF


def test_scipy_and_scikit_learn_agree():
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal((30, 6)), rng.standard_normal(30)
    of_box = lsq_linear(A, y, (-0.1, 0.2), tol=1e-14).x
    box = cdlab.solve(cdlab.Problem(A, y, "squared", 0, 0, lower=-0.1, upper=0.2), tol=1e-12)
    assert str(box.status) == "tolerance reached"
    assert box.w == pytest.approx(of_box, abs=1e-6)
    free = cdlab.solve(cdlab.Problem(A, y, "squared", 0, 0, lower=0), tol=1e-10, max_passes=10**5)
    assert free.w == pytest.approx(nnls(A, y)[0], abs=1e-8)
    assert str(free.status) == "gradient small"
    for l1, l2, theirs in ((0.05, 0, Lasso(0.05, positive=True, tol=1e-12)),
                           (0.05, 0.05, ElasticNet(0.1, l1_ratio=0.5, positive=True, tol=1e-12))):  # fmt: skip
        s = cdlab.solve(cdlab.Problem(A, y, "squared", l2, l1, lower=0, intercept=True), tol=1e-12)
        theirs.fit(A, y)
        assert s.w == pytest.approx(theirs.coef_, abs=1e-6)
        assert s.intercept == pytest.approx(theirs.intercept_, abs=1e-6)


def exact_gap(P, w, alpha):
    """P(w) - D(alpha) of the squared loss by rational numbers, from the definitions of g and g*."""
    y, w, alpha, l2s, l1s, low, high = (
        [x if np.isinf(x) else Fraction(float(x)) for x in a] for a in (P.y, w, alpha, *P.of_features[2:])
    )
    A = [[Fraction(float(x)) for x in row] for row in P.X]
    n, half = len(y), Fraction(1, 2)
    z = [sum(a * b for a, b in zip(row, w, strict=True)) for row in A]
    primal = sum(half * (a - b) ** 2 for a, b in zip(z, y, strict=True)) / n
    dual = sum(b * a - half * a * a for a, b in zip(alpha, y, strict=True)) / n
    for j in range(len(w)):
        assert low[j] <= w[j] <= high[j]
        primal += half * l2s[j] * w[j] ** 2 + l1s[j] * abs(w[j])
        v = sum(A[i][j] * alpha[i] for i in range(n)) / n
        s = max(v - l1s[j], Fraction(0)) + min(v + l1s[j], Fraction(0))
        if s:
            at = max(min(s / l2s[j], high[j]), low[j]) if l2s[j] else (high[j] if s > 0 else low[j])
            dual -= s * at - half * l2s[j] * at * at
    return primal - dual


@each_of("options", [BOX, {"lower": 0}, {"lower": -0.1, "upper": 0.2}, {"penalty_factor": [0.5, 1, 2]}])
@each_of("l2, l1", [(0.1, 0.05), (0.1, 0.0), (1e-9, 0.0)])
def test_a_gap_with_its_rounding_is_never_below_the_exact_one(options, l2, l1):
    P, rng = problem(l2=l2, l1=l1, **options), np.random.default_rng(1)
    s = cdlab.solve(P, "fista", tol=1e-14, max_passes=3000)
    for alpha in (s.alpha, P.alpha(s.w), rng.standard_normal(5)):
        for w in (s.w, P.reg.clipped(rng.standard_normal(3))):
            known = certificate(P, Points(w, alpha), None)
            assert known.gap >= exact_gap(P, w, known.alpha) >= 0
            assert P.gap(w, alpha) >= exact_gap(P, w, alpha)


def cvxpy_optimum(loss, A, y, l2s, l1s, low, high, intercept):
    import cvxpy as cp

    w, b, n = cp.Variable(A.shape[1]), cp.Variable(), len(y)
    z = A @ w + (b if intercept else 0)
    m, r = cp.multiply(y, z), z - y
    mean = {
        "squared": lambda: cp.sum_squares(r) / 2,
        "logistic": lambda: cp.sum(cp.logistic(-m)),
        "hinge": lambda: cp.sum(cp.pos(1 - m)),
        "absolute": lambda: cp.sum(cp.abs(r)),
        "squared_hinge": lambda: cp.sum_squares(cp.pos(1 - m)) / 2,
        "huber": lambda: cp.sum(cp.huber(r, 1)) / 2,
    }[loss]()
    limits = [w[j] >= low[j] for j in range(len(low)) if low[j] > -INF]
    limits += [w[j] <= high[j] for j in range(len(low)) if high[j] < INF]
    value = mean / n + cp.sum(cp.multiply(l2s / 2, cp.square(w))) + cp.sum(cp.multiply(l1s, cp.abs(w)))
    stated = cp.Problem(cp.Minimize(value), limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a solution that may be inaccurate: then nothing is compared
        found = stated.solve(solver="CLARABEL")
    return found if stated.status == "optimal" else None


def check_random_problem(seed):
    rng = np.random.default_rng(seed)
    loss = ["squared", "logistic", "hinge", "absolute", "squared_hinge", "huber"][seed % 6]
    n, d = rng.integers(4, 25), rng.integers(1, 8)
    A = rng.standard_normal((n, d)) * (rng.random((n, d)) < rng.choice([0.4, 1.0]))
    y = rng.standard_normal(n) if loss in ("squared", "absolute", "huber") else np.where(np.arange(n) % 2, 1.0, -1.0)
    l2, l1, intercept = 10 ** rng.uniform(-3, 0), rng.choice([0, 0.02, 0.1]), bool(rng.integers(2))
    low = np.where(rng.random(d) < 0.5, -rng.random(d) * rng.integers(0, 2, d), -INF)
    high = np.where(rng.random(d) < 0.5, rng.random(d) * rng.integers(0, 2, d), INF)
    factor = rng.choice([0.5, 1.0, 3.0], d)
    if loss in ("squared", "logistic", "squared_hinge", "huber") and rng.random() < 0.3:
        l2, l1 = 0.0, 0.05
    options = {"lower": low, "upper": high, "penalty_factor": factor, "intercept": intercept}
    P = cdlab.Problem(sp.csr_matrix(A) if seed % 2 else A, y, loss, l2, l1, **options)
    s = cdlab.solve(P, tol=1e-7, max_passes=10**4)
    assert (low <= s.w).all()
    assert (s.w <= high).all()
    best = cvxpy_optimum(loss, A, y, l2 * factor, l1 * factor, low, high, intercept)
    value = P.primal(np.append(s.w, s.intercept) if intercept else s.w)
    assert s.relative_gap <= 1e-6, (seed, P, s)
    if best is not None:
        assert value - best <= s.gap + 1e-7 * max(1, abs(best)), (seed, P)
        assert value <= best + 1e-6 * max(1, abs(best))


@each_of("seed", range(12), pushed=[0, 1])
def test_random_problems_against_cvxpy(seed):
    check_random_problem(seed)


@pytest.mark.full
def test_many_random_problems_against_cvxpy():
    for seed in range(12, 212):
        check_random_problem(seed)


def test_limits_that_limit_nothing_make_the_problem_without_them():
    plain = problem()
    for options in ({"lower": -INF, "upper": INF}, {"penalty_factor": 1}, {"penalty_factor": [1, 1, 1]}):
        same = problem(**options)
        assert (repr(same), same.digest, same.reg) == (repr(plain), plain.digest, plain.reg)


def test_they_are_part_of_what_a_problem_is():
    plain, boxed = problem(), problem(**BOX)
    assert "lower -0.5 to 0, upper 0.2 to inf, penalty_factor 0.5 to 2" in repr(boxed)
    assert len({P.digest for P in (plain, boxed, problem(lower=0), problem(upper=0), problem(penalty_factor=2))}) == 5
    other = boxed.with_(l2=0.2, l1=0.4)
    assert other.mu == 0.1
    np.testing.assert_array_equal(other.reg.l1s, [0.2, 0.4, 0.8])
    np.testing.assert_array_equal(other.reg.lower, boxed.reg.lower)
    assert boxed.with_(loss="absolute").upper is boxed.upper
    assert problem(intercept=True, **BOX).centred.reg.free == 1


@each_of("sparse", [False, True])
def test_dual_curvatures_are_those_of_the_conjugate(sparse):
    """Without l1 and bounds g* is quadratic, and g*(v) + g*(-v) its second difference at 0."""
    A = sp.csr_matrix(X) if sparse else X
    P = cdlab.Problem(A, YR, "squared", 0.1, penalty_factor=[0.5, 1, 3])
    bends = [5 * (P.reg.g_conj(x / 5) + P.reg.g_conj(-x / 5)) for x in X]
    assert P.dual_curvatures == pytest.approx(np.array(bends))
    assert (P.dual_curvatures <= P.row_profile.norms2 / (P.mu * 5)).all()
    assert (P.with_(l2=0.2).dual_curvatures == P.dual_curvatures / 2).all()


def test_equal_limits_leave_a_feature_out():
    left_out = problem(lower=[0, -INF, -INF], upper=[0, INF, INF])
    without = cdlab.Problem(X[:, 1:], YR, "squared", 0.1, 0.05)
    s, t = (cdlab.solve(P, tol=1e-12) for P in (left_out, without))
    assert s.w == pytest.approx(np.append(0, t.w), abs=1e-5)


def test_outside_of_the_box_p_is_infinite():
    P = problem(lower=0)
    assert P.primal(np.array([1, -1e-9, 0])) == INF
    assert P.gap(np.array([1, -1e-9, 0]), np.zeros(5)) == INF


@each_of(
    "options, sentence",
    [
        ({"lower": 0.1}, "lower must be numbers <= 0 or -inf, and lower is 0.1"),
        ({"upper": [1, -2, 1]}, r"upper must be numbers >= 0 or inf, and upper\[1\] is -2"),
        ({"lower": [np.nan, 0, 0]}, r"lower must be numbers <= 0 or -inf, and lower\[0\] is nan"),
        ({"upper": [1, 2]}, "upper must be a number or one of each of the 3 features; it has shape \\(2,\\)"),
        ({"penalty_factor": -1}, "penalty_factor must be finite numbers >= 0, and penalty_factor is -1"),
        ({"penalty_factor": INF}, "penalty_factor must be finite numbers >= 0, and penalty_factor is inf"),
        ({"penalty_factor": [0, 0, 0]}, "penalty_factor is 0 for all features: set l2 = l1 = 0 instead"),
        ({"penalty_factor": 1e200, "l2": 1e200}, "leaves the range of float64"),
        ({"lower": "0"}, "lower must hold real numbers"),
        ({"y": np.arange(5), "loss": "softmax", "l1": 0, "lower": 0}, "are not for softmax: leave them out"),
    ],
)
def test_bad_limits_are_refused_in_one_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        problem(**options)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_what_is_settled_is_true(seed):
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((20, 6)), rng.standard_normal(20)
    low, high = (sign * rng.choice([0, 0.1, INF], 6) for sign in (-1, 1))
    P = cdlab.Problem(A, y, "huber", 0.05, 0.1, lower=low, upper=high, penalty_factor=rng.choice([0.5, 1, 2], 6))
    best = cdlab.solve(P, "newton_cd", tol=1e-13).w
    for passes in (1, 3, 10):
        known = cdlab.certificates.balls(P, cdlab.solve(P, "rcd", tol=0, max_passes=passes, every=1))
        assert not best[known.zeros].any()
        told = known.signs != 0
        assert (np.sign(best)[told] == known.signs[told]).all()
