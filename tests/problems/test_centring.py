"""Centring: with a free intercept kernels see columns less their means, and users only their own data."""

from fractions import Fraction as F

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given, settings
from hypothesis import strategies as st

import cdlab
from cdlab.problems.centring import column_means, moved_constant, subtract_means

RNG = np.random.default_rng(5)
N, D = 64, 6
X = np.round(RNG.normal(size=(N, D)) * 1024) / 1024  # so that X + 1e9 is exact
T = np.round((X @ RNG.normal(size=D) + 0.5 * RNG.normal(size=N)) * 1024) / 1024
SIGNS = np.where(T > 0.5, 1.0, -1.0)
LABELS = {"squared": T, "huber": T, "logistic": SIGNS, "squared_hinge": SIGNS, "softmax": (T > 0.5) + (T > 2)}
WEIGHTS = RNG.integers(0, 4, N).astype(float)
METHODS = ["rcd", "agd", "fista", "newton_cd", "auto"]


def problem(loss="logistic", X=X, far=0.0, **options):
    return cdlab.Problem(X + far, LABELS[loss], loss, 0.01, intercept=True, **options)


def exact_primal(P, X, y, w, b):
    """P(w, b) of the squared loss on these data in fractions."""
    z = [sum(F(x) * F(v) for x, v in zip(row, w, strict=True)) + F(b) for row in X.tolist()]
    loss = sum((u - F(t)) ** 2 for u, t in zip(z, y.tolist(), strict=True)) / (2 * len(y))
    return float(loss + F(P.l2) / 2 * sum(F(v) ** 2 for v in w))


@each_of("loss", list(LABELS), pushed=["squared", "logistic"])
@each_of("weights", [None, WEIGHTS])
def test_passes_and_weights_do_not_depend_on_where_the_columns_lie(loss, weights):
    for method in METHODS:
        if loss == "softmax" and method == "rcd":
            continue
        found = []
        for far in (0.0, 1e3, 1e9):
            s = cdlab.solve(problem(loss, far=far, sample_weight=weights), method, max_passes=3000.0)
            assert s.status == "tolerance reached"
            found.append((s.trace.records[-1].passes, s.w))
        assert {passes for passes, _ in found} == {found[0][0]}
        for _, w in found:
            np.testing.assert_allclose(w, found[0][1], atol=1e-6)


@each_of("far", [0.0, 1e3, 1e9])
def test_the_gap_is_that_of_the_point_returned(far):
    A, y = X + far, T + far
    P = cdlab.Problem(A, y, "squared", 0.01, intercept=True)
    s = cdlab.solve(P, tol=1e-10)
    primal = exact_primal(P, A, y, s.w.tolist(), s.intercept)
    record = s.trace.records[-1]
    assert abs(primal - record.primal) <= record.rounding
    best = cdlab.solve(cdlab.Problem(X, T, "squared", 0.01, intercept=True), tol=1e-15, max_passes=50.0).trace
    assert primal - (best.records[-1].dual) <= s.gap + 1e-13
    assert P.gap(np.append(s.w, s.intercept), s.alpha) <= 2.5 * s.gap
    assert cdlab.certify(s, A, y).gap <= 2.5 * s.gap  # both are rounding
    assert cdlab.certify(s.w, A, y, "squared", 0.01, intercept=s.intercept).gap <= 2.5 * s.gap


def test_users_see_their_own_data():
    far = 1e6
    P = problem("squared", far=far)
    np.testing.assert_array_equal(P.X, np.column_stack([X + far, np.ones(N)]))
    np.testing.assert_array_equal(P.y, T)
    run = cdlab.iterate(P, "fista")
    for record in run:
        if record.passes >= 50:
            break
    np.testing.assert_allclose(P.primal(run.w), record.primal, rtol=1e-9)
    s = cdlab.solve(P, tol=1e-8)
    np.testing.assert_allclose(s.decision_function(X + far), P.predict(np.append(s.w, s.intercept)), atol=1e-8)
    again = cdlab.solve(P, "rcd", start=s, tol=1e-7)
    assert again.trace.records[-1].passes == 0
    again = cdlab.solve(P, "rcd", start=(np.append(s.w, s.intercept), s.alpha), tol=1e-7)
    assert again.trace.records[-1].passes == 0
    assert P.with_(l2=0.1).digest == P.digest == cdlab.Problem(X + far, T, "huber", intercept=True).digest


def test_changed_problems_share_the_centred_columns():
    P = problem("squared", far=1e6)
    for other in (P.with_(l2=0.5), P.with_(loss="huber"), P.with_(n_jobs=2).with_(l1=0.1)):
        fresh = cdlab.Problem(X + 1e6, T, other.loss, other.l2, other.l1, intercept=True)
        assert other.centred.X is P.centred.X
        np.testing.assert_array_equal(other.centred.y, fresh.centred.y)
        assert other.at_zero == fresh.at_zero
        assert cdlab.solve(other, tol=1e-9).trace.records[-1].primal == pytest.approx(
            cdlab.solve(fresh, tol=1e-9).trace.records[-1].primal, rel=1e-8
        )


@each_of("sparse", [False, True])
def test_a_path_does_not_depend_on_where_the_columns_lie(sparse):
    made = sp.csr_matrix if sparse else np.asarray
    weights = np.geomspace(0.3, 0.003, 5)
    near = cdlab.path(cdlab.Problem(made(X), T, "squared", intercept=True), weights=weights, tol=1e-8)
    far = cdlab.path(cdlab.Problem(made(X + 1e6), T + 1e6, "squared", intercept=True), weights=weights, tol=1e-8)
    for a, b in zip(near, far, strict=True):
        np.testing.assert_allclose(a.w, b.w, atol=1e-7)
        assert a.trace.records[-1].passes == b.trace.records[-1].passes


@each_of("fill", [1e9, -9999.0, 1e20, 1e37, 1e300])
def test_a_fill_value_does_not_spoil_a_mean(fill):
    A = RNG.normal(5, 1, size=(200, 3))
    A[17, 1] = fill
    rest = np.delete(A, 17, 0)
    near = abs(fill) < 5 * 2**20  # else it is left out
    expected = A.mean(axis=0) if near else np.where(np.arange(3) == 1, rest.mean(axis=0), A.mean(axis=0))
    np.testing.assert_allclose(column_means(A, None), expected, rtol=1e-12)


def test_constant_columns_become_0_and_columns_beyond_float64_stay():
    A = np.column_stack([np.full(9, 0.1), np.full(9, 1e9 + 0.3), 1.7e308 * (-1.0) ** np.arange(9), np.arange(9.0)])
    s = RNG.random(9)
    means = column_means(A, s / s.mean())
    assert means[2] == 0
    centred = subtract_means(A[:, [0, 1, 3]], means[[0, 1, 3]])
    assert not centred[:, :2].any()
    assert (centred[:, -1] == 1).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_sparse_columns_are_centred_as_dense_ones_where_they_are_half_full(seed):
    rng = np.random.default_rng(seed)
    A = (rng.random((20, 7)) < rng.random(7)) * (rng.normal(size=(20, 7)) + 10.0 ** rng.integers(-2, 6))
    A[0] = 1.0
    means = column_means(A, None)
    np.testing.assert_array_equal(column_means(sp.csr_matrix(A), None), means)
    half_full = np.count_nonzero(A, axis=0) >= 10
    assert not means[~half_full].any()
    np.testing.assert_array_equal(subtract_means(sp.csr_matrix(A), means).toarray(), subtract_means(A, means))
    y = np.where(rng.random(20) < 0.5, 1.0, -1.0)
    P = cdlab.Problem(sp.csr_matrix(A), y, intercept=True)
    assert P.centred.nnz <= 2 * P.nnz
    if not half_full.any():
        assert P.centred.nnz == P.nnz


@each_of("share", [0.2, 0.9])
@each_of("stored", [np.asarray, sp.csr_matrix])
def test_rows_are_measured_as_kernels_see_them(share, stored):
    A = np.where(RNG.random((60, 5)) < share, RNG.normal(3, 1, (60, 5)), 0.0)
    P = cdlab.Problem(stored(A), np.resize([-1.0, 1.0], 60), intercept=True).centred
    X = P.X.toarray() if sp.issparse(P.X) else P.X
    np.testing.assert_allclose(P.row_profile.norms2, np.square(X).sum(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(P.row_profile.counts, np.count_nonzero(X, axis=1))
    assert P.nnz == np.count_nonzero(X)


numbers = st.floats(-1e9, 1e9)


@given(st.lists(st.tuples(numbers, st.floats(-10, 10)), max_size=20), numbers, numbers, st.sampled_from([-1.0, 1.0]))
def test_constants_are_moved_with_one_rounding(pairs, b, shift, sign):
    m, w = np.array(pairs, float).reshape(-1, 2).T
    exact = F(b) + F(sign) * (sum(F(x) * F(y) for x, y in zip(m, w, strict=True)) - F(shift))
    rounded, lost = moved_constant(b, np.ascontiguousarray(m), np.ascontiguousarray(w), shift, sign)
    scale = abs(F(b)) + abs(F(shift)) + sum(abs(F(x) * F(y)) for x, y in zip(m, w, strict=True))
    unseen = scale * F(2) ** -90  # what twice the precision does not see
    assert abs(F(rounded) - exact) <= F(np.spacing(abs(rounded))) / 2 + unseen
    assert abs(F(rounded) + F(lost) - exact) <= unseen
