"""Working sets of newton_cd: who joins, sweeps along their columns, and the points that are extrapolated from these."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import SMOOTH, problem

import cdlab
from cdlab import losses
from cdlab.losses.per_example import curvatures, expansion, gradients, mean_loss
from cdlab.methods import NewtonCD
from cdlab.methods.newton.extrapolated import descend_by_share, extrapolate, new_history, remember
from cdlab.methods.newton.feature_set import FIRST_GROWTH, MIN_SET_SIZE, FeatureSet, entering
from cdlab.methods.newton.model import Model
from cdlab.methods.newton.sweeps import ColumnModel, ResidualModel, find_violations, model_value, sweep_state
from cdlab.methods.shared.anderson import POINTS
from cdlab.numerics import matrices
from cdlab.numerics.jit import kernel
from cdlab.samplings import Uniform

TWICE = [name for name in SMOOTH if losses.has_hessian(losses.resolve(name))]
seeds = st.integers(0, 10_000)


class Quadratic:
    """The model (1/2n) sum_i h_i (x_i'p)^2 + s'p + (ridge/2)||p||^2 + l1 ||p||_1 from p = 0, as sweeps see it."""

    def __init__(self, seed, n=12, size=4, l1=0.0, ridge=0.1, alike=False, sparse=False):
        rng = np.random.default_rng(seed)
        self.A = rng.standard_normal((n, size)) * (rng.random((n, size)) < (0.5 if sparse else 1.0))
        self.h = np.full(n, 0.7) if alike else rng.uniform(0.2, 1.0, n)
        self.s, self.l1, self.ridge = rng.standard_normal(size), l1, ridge
        self.H = self.A.T @ (self.h[:, None] * self.A) / n + ridge * np.eye(size)
        self.x = np.zeros(size)
        X = matrices.columns(sp.csr_matrix(self.A) if sparse else self.A)
        self.u, places, ridges = np.zeros(n), np.arange(size, dtype=np.uint64), np.full(size, ridge)
        common = (self.u, self.s.copy(), ridges)
        self.model = (
            ColumnModel(X, places, 0.7 / n, *common) if alike else ResidualModel(X, places, self.h / n, *common)
        )
        self.state = sweep_state(self.H.diagonal().copy(), np.full(size, l1), 0.0, 0.0)
        self.history = new_history(size, n)
        self.history.start[:], self.history.first[:] = self.x, self.s

    def descend(self, sweeps, share=0.0):
        return descend_by_share(self.model, self.x, self.state, self.history, 0.0, share, sweeps)

    def value(self, x):
        return self.s @ x + x @ self.H @ x / 2 + self.l1 * np.abs(x).sum()

    def violation(self):
        slopes = self.s + self.H @ self.x
        at_zero = np.maximum(0, np.abs(slopes) - self.l1)
        return np.where(self.x == 0, at_zero, np.abs(slopes + self.l1 * np.sign(self.x))).max()


# ------------------------------------------------------------ extrapolation
@given(seed=seeds, alike=st.booleans(), sparse=st.booleans())
def test_of_fewer_features_than_points_it_is_the_minimiser(seed, alike, sparse):
    q = Quadratic(seed, size=3, alike=alike, sparse=sparse)
    q.descend(POINTS + 1)  # the last begins at the extrapolated point
    best = q.value(np.linalg.solve(q.H, -q.s))
    assert q.value(q.x) - best <= 1e-9 * (q.value(np.zeros(3)) - best)


@given(seed=seeds, alike=st.booleans(), l1=st.floats(0, 0.5))
def test_it_makes_the_model_no_larger_and_keeps_u_and_zeros(seed, alike, l1):
    q = Quadratic(seed, n=10, size=14, l1=l1, ridge=0.01, alike=alike)
    for row in range(POINTS + 1):
        remember(q.history, row, q.x, q.model.u)
        if row < POINTS:
            q.descend(1)
            remember(q.history, 0, np.zeros(14), np.zeros(10))
    zeros, before = q.x == 0, q.value(q.x)
    extrapolate(q.model, q.x, q.state, q.history)
    assert q.value(q.x) <= before + 1e-12 * abs(before)
    assert (q.x[zeros] == 0).all()
    np.testing.assert_allclose(q.model.u, q.A @ q.x if alike else q.h * (q.A @ q.x) / 10, atol=1e-12)
    np.testing.assert_allclose(q.model.s, q.s + q.ridge * q.x, atol=1e-12)


@given(seed=seeds, alike=st.booleans(), l1=st.floats(0, 0.5))
def test_sweeps_with_it_lead_to_the_minimiser(seed, alike, l1):
    q = Quadratic(seed, n=20, size=8, l1=l1, alike=alike)
    for _ in range(40):
        q.descend(2 * POINTS, share=0.1)
    assert q.violation() <= 1e-9
    there = model_value(q.model, q.x, q.history.start, q.history.first, q.state.l1)
    np.testing.assert_allclose(there, q.value(q.x), atol=1e-12)


def test_correlated_columns_take_far_fewer_sweeps_with_it():
    """Plain sweeps: as many, in rounds that end before a point is extrapolated."""
    left = []
    for sweeps in (4, 2 * POINTS):
        q = Quadratic(0, n=100, size=30, ridge=1e-3)
        common = np.random.default_rng(1).standard_normal(100)
        q.A += 2 * common[:, None]
        q = rebuilt(q)
        for _ in range(200 // sweeps):
            q.descend(sweeps)
        left.append(q.violation())
    assert left[1] < 0.1 * left[0]


def rebuilt(q):
    n = q.A.shape[0]
    q.H = q.A.T @ (q.h[:, None] * q.A) / n + q.ridge * np.eye(q.A.shape[1])
    q.model = q.model._replace(X=matrices.columns(q.A))
    q.state = q.state._replace(diagonal=q.H.diagonal().copy())
    return q


# ------------------------------------------------------------ what sweeps read
@kernel
def dots(X, v, out):
    for j in range(out.size):
        out[j] = X.dot_in_blocks(j, v)


@pytest.mark.parametrize("sparse", [False, True])
def test_dots_on_lanes_are_dots_whatever_the_length(sparse):
    rng = np.random.default_rng(0)
    A = np.tril(rng.standard_normal((12, 12)))  # columns of 1 to 12 entries
    A[:, 3] = 0
    v, out = rng.standard_normal(12), np.empty(12)
    dots(matrices.columns(sp.csr_matrix(A) if sparse else A), v, out)
    np.testing.assert_allclose(out, A.T @ v, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("loss", TWICE)
@pytest.mark.parametrize("n", [30, 3000])  # of the logistic loss many are evaluated elsewhere
def test_the_expansion_is_what_its_parts_say(loss, n):
    rng = np.random.default_rng(0)
    P = cdlab.Problem(rng.standard_normal((n, 2)), np.where(rng.random(n) < 0.5, 1.0, -1.0), loss)
    z = 3 * rng.standard_normal(n)
    at = expansion(P.loss, z, P.loss_y)
    assert at.mean == mean_loss(P.loss, z, P.loss_y)
    np.testing.assert_allclose(at.slopes, gradients(P.loss, z, P.loss_y), rtol=1e-14)
    np.testing.assert_allclose(at.curvatures, curvatures(P.loss, z, P.loss_y), rtol=1e-14)


# ------------------------------------------------------------ who joins
def model_at_zero(P):
    zeros, gradient = np.zeros(P.d), P.gradient(np.zeros(P.d))
    violations = np.empty(P.d)
    find_violations(zeros, gradient, np.full(P.d, P.l1), violations)
    at = expansion(P.loss, np.zeros(P.n), P.loss_y)
    return Model(zeros, np.zeros(P.n), np.ones(P.n), gradient, violations, zeros, np.full(P.d, P.l1), at, 0.5)


def drawn(share, n=400, d=3000):
    X, y = cdlab.datasets.make(n, d, density=0.02, skew=1.0, seed=5)
    P = cdlab.Problem(X, y, "squared", l2=0.0, l1=1.0)
    return P.with_(l1=share * float(np.abs(P.gradient(np.zeros(d))).max()))


def test_where_few_features_leave_0_all_of_them_join_and_as_many_more():
    P = drawn(0.15)
    violating = np.flatnonzero(np.abs(P.gradient(np.zeros(P.d))) > P.l1)
    assert 2 * violating.size > MIN_SET_SIZE
    taken = entering(P, FeatureSet(P), model_at_zero(P), first_share=1.0)
    assert taken.left_out == 0
    assert taken.features.size == FIRST_GROWTH * violating.size
    assert np.isin(violating, taken.features).all()


def test_where_many_do_the_set_is_smaller_and_says_how_many_it_leaves_out():
    P = drawn(0.01)
    violating = (np.abs(P.gradient(np.zeros(P.d))) > P.l1).sum()
    taken = entering(P, FeatureSet(P), model_at_zero(P), first_share=0.1)
    assert MIN_SET_SIZE <= taken.features.size < violating
    assert taken.left_out == violating - taken.features.size


# ------------------------------------------------------------ products that are fresh
@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("sparse", [False, True])
def test_after_an_iteration_z_is_one_product_and_a_refresh_changes_nothing(loss, sparse):
    P, method, rng = problem(loss, 0.0, 0.02, sparse), NewtonCD(inner="columns"), np.random.default_rng(0)
    S = method.init(P, Uniform())
    method.warm(P, S)
    for _ in range(3):
        S = method.epoch(P, S, rng)
        assert S.fresh == ("z", "v")
        np.testing.assert_allclose(S.z, P.predict(S.w), atol=1e-14)
        before = S.z.copy()
        method.refresh(P, S)
        np.testing.assert_array_equal(S.z, before)
    changed, _ = method.set_coordinates(P, S, np.array([0]), np.ones(P.d), np.arange(P.d))
    np.testing.assert_allclose(changed.z, P.predict(changed.w), atol=1e-14)


def test_products_to_which_steps_were_added_are_refreshed():
    P, method, rng = problem("logistic", 0.1, 0.02), NewtonCD(inner="gram"), np.random.default_rng(0)
    S = method.init(P, Uniform())
    method.warm(P, S)
    S = method.epoch(P, S, rng)
    assert "z" not in S.fresh
    S.z[:] = 0.0
    method.refresh(P, S)
    np.testing.assert_allclose(S.z, P.predict(S.w))
