"""newton_cd's models: H against finite differences, what is kept and counted, samples, and the line search."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st
from problems import SMOOTH, problem

import cdlab
from cdlab import losses
from cdlab.losses.per_example import curvatures, expansion
from cdlab.methods import NewtonCD, cost_model
from cdlab.methods.newton.gram import Dual, Gram, gram_visits
from cdlab.methods.newton.line_search import STEEP, Line, share
from cdlab.methods.newton.model import SAMPLED_SHARE, Model, sample
from cdlab.methods.newton.preconditioned import EXAMPLES_PER_FEATURE, Preconditioned, ProductThroughFactor
from cdlab.methods.newton.truncated import Product, Truncated, VectorProduct
from cdlab.methods.newton.truncated_first import TruncatedFirst

H = 1e-5
TWICE = [name for name in SMOOTH if losses.has_hessian(losses.resolve(name))]
seeds = st.integers(0, 10_000)


def model_at(P, w):
    z = P.predict(w)
    at, g = expansion(P.loss, z, P.loss_y), P.gradient(w)
    return Model(w, z, at.curvatures, g, g, np.full(w.shape, P.l2), np.zeros(w.shape), at, 0.0)


def unbent(P, w, s):
    """Whether no example's phi'' jumps between w - H s and w + H s."""
    here = curvatures(P.loss, P.predict(w), P.y)
    return all(np.allclose(curvatures(P.loss, P.predict(w + side * H * s), P.y), here, atol=1e-2) for side in (-1, 1))


@given(seed=seeds, loss=st.sampled_from(TWICE), sparse=st.booleans())
def test_the_hessian_is_the_slope_of_the_gradient(seed, loss, sparse):
    P, rng = problem(loss, 0.05, sparse=sparse), np.random.default_rng(seed)
    w, s = rng.standard_normal((2, P.d))
    if not unbent(P, w, s):
        return
    slope = (P.gradient(w + H * s) - P.gradient(w - H * s)) / (2 * H)
    model, gram = model_at(P, w), Gram(P)
    gram.update(P, model.h)
    lower = np.tril(gram.G)
    whole = lower + np.tril(lower, -1).T + P.l2 * np.eye(P.d)
    np.testing.assert_allclose(whole @ s, slope, atol=1e-6)
    product = Product(P, model)
    np.testing.assert_allclose(product(s), slope, atol=1e-6)
    np.testing.assert_allclose(product.diagonal, whole.diagonal())


@given(
    seed=seeds,
    inner=st.sampled_from([Gram, Dual]),
    sparse=st.booleans(),
    intercept=st.booleans(),
    started=st.booleans(),
)
def test_a_step_minimises_its_model_wherever_shorter_steps_led(seed, inner, sparse, intercept, started):
    """Also from a start that no step led to: there Dual knows no t with w = X't."""
    rng = np.random.default_rng(seed)
    P = problem("squared_hinge", 0.05, sparse=sparse)
    P = cdlab.Problem(P.X, P.y, "squared_hinge", 0.05, intercept=intercept)
    w, way = started * rng.standard_normal(P.d), inner(P)
    A = P.X.toarray() if scipy.sparse.issparse(P.X) else P.X
    for length in (0.5, 1.0, 3.0, rng.random()):
        z = P.predict(w)
        at, ridge = expansion(P.loss, z, P.y), P.zeros(P.d) + P.reg.l2s
        ridge[-1] += 0.01 * intercept
        g = P.reg.l2s * w - P.v(P.alpha(w, z=z))
        h, model = at.curvatures, Model(w, z, at.curvatures, g, g, ridge, np.zeros(P.d), at, 0.0)
        p = way.step(P, model).p
        np.testing.assert_allclose(A.T @ (h * (A @ p)) / P.n + ridge * p, -g, atol=1e-10)
        w = w + length * p


@given(seed=seeds, sparse=st.booleans())
def test_so_is_that_of_softmax(seed, sparse):
    P, rng = problem(sparse=sparse), np.random.default_rng(seed)
    P = cdlab.Problem(P.X, np.arange(30) % 3, loss="softmax", l2=0.05)
    w, s = rng.standard_normal((2, P.d, 3))
    slope = (P.gradient(w + H * s) - P.gradient(w - H * s)) / (2 * H)
    np.testing.assert_allclose(VectorProduct(P, model_at(P, w))(s), slope, atol=1e-6)


# ------------------------------------------------------------ what is kept
@pytest.mark.parametrize("sparse", [False, True])
def test_a_gram_matrix_that_was_kept_is_the_one_made_anew_and_costs_what_changed(sparse):
    P, rng = problem("squared_hinge", sparse=sparse), np.random.default_rng(0)
    kept = Gram(P)
    h = np.where(rng.random(P.n) < 0.8, 1.0, 0.0)
    kept.update(P, h)
    changed = rng.choice(P.n, 4, replace=False)
    h = h.copy()
    h[changed] = 1 - h[changed]
    assert kept.update(P, h) == gram_visits(P, changed)
    assert kept.update(P, h.copy()) == 0
    anew = Gram(P)
    anew.update(P, h)
    np.testing.assert_allclose(np.tril(kept.G), np.tril(anew.G), atol=1e-14)


def test_an_iteration_is_two_products_beside_its_model():
    """The first one also counts the gradient of the start."""
    P = problem("logistic")
    passes = cdlab.solve(P, NewtonCD(inner="gram"), tol=0, every=1, max_passes=40).trace.column("passes")
    model = (gram_visits(P, np.arange(P.n)) + P.d**3 / 6) / P.nnz
    np.testing.assert_allclose(passes[:4], [0, 1.5 + model, 2.5 + 2 * model, 3.5 + 3 * model])


# ------------------------------------------------------------ samples
def tall(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 3))
    return cdlab.Problem(X, np.where(X[:, 0] + rng.standard_normal(20_000) > 0, 1.0, -1.0), loss, l2=1e-6)


def test_a_sample_is_unbiased():
    h, rng = np.linspace(0, 1, 1000), np.random.default_rng(0)
    mean = np.mean([sample(h, rng) for _ in range(2000)], axis=0)
    np.testing.assert_allclose(mean, h, atol=5 * np.sqrt((1 / SAMPLED_SHARE - 1) / 2000))


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_with_many_examples_a_feature_the_first_model_is_that_of_a_sample(loss):
    P = tall(loss)
    a, same, other = (cdlab.solve(P, "newton_cd", tol=1e-11, every=1, seed=seed).trace for seed in (0, 0, 1))
    assert a.meta["status"] == "tolerance reached"
    assert (
        a.column("passes")[1] < 1.5 + 2 * SAMPLED_SHARE * P.d / 2 + 1e-3
    )  # 1.5 products, and a tenth of a Gram matrix
    np.testing.assert_array_equal(a.column("primal"), same.column("primal"))
    assert a.column("primal")[1] != other.column("primal")[1]


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_samples_do_where_they_contract_and_the_whole_matrix_is_never_formed(loss):
    P = cdlab.Problem(*cdlab.datasets.make(n=90_000, d=30, condition=100, noise=0.5, seed=0), loss=loss, l2=1e-5)
    trace = cdlab.solve(P, "newton_cd", tol=1e-8, every=1).trace
    assert trace.meta["status"] == "tolerance reached"
    assert (np.diff(trace.column("passes")) < 1.5 + 1.1 * SAMPLED_SHARE * P.d / 2).all()


def test_ridge_is_not_sampled():
    assert len(cdlab.solve(tall("squared"), "newton_cd", tol=1e-10).trace.records) == 2


# ------------------------------------------------------------ conjugate gradients until they are dear
def test_conjugate_gradients_end_where_they_cost_as_much_as_an_exact_model_and_never_begin_again():
    P, rng = ill_conditioned(600, 30), np.random.default_rng(0)
    way = TruncatedFirst(P, Gram(P), products=5, models=8)
    few = model_at(P, rng.standard_normal(P.d))._replace(accuracy=0.9)
    np.testing.assert_array_equal(way.step(P, few).p, Truncated(P).step(P, few).p)
    many = few._replace(accuracy=1e-8)
    exact = Gram(P).step(P, many)
    assert Truncated(P).step(P, many).visits > 7 * P.nnz
    changed = way.step(P, many)
    np.testing.assert_array_equal(changed.p, exact.p)
    diagonal = 0.5 * P.nnz
    assert changed.visits <= exact.visits + 6 * P.nnz + diagonal
    again = way.step(P, few._replace(g=2 * few.g))
    np.testing.assert_allclose(again.p, 2 * exact.p, rtol=1e-9)


def test_of_a_quadratic_the_products_of_all_steps_count():
    """Its matrix stays, so that each step goes on where the last one ended."""
    X, y = cdlab.datasets.make(n=300, d=40, condition=1e6, noise=0.5, seed=0, task="regression")
    P = cdlab.Problem(X, y, "squared", l2=1e-9)
    reached = []
    for products in (3, np.inf):
        method, way = NewtonCD("truncated"), TruncatedFirst(P, Gram(P), products, models=1)
        S, rng = method.begin(P, P.zeros(P.d), way), np.random.default_rng(0)
        for _ in range(4):
            S = method.epoch(P, S, rng)
        reached.append(P.primal(S.w))
    exact = np.linalg.solve(X.T @ X / P.n + P.l2 * np.eye(P.d), X.T @ y / P.n)
    assert reached[0] == pytest.approx(P.primal(exact), rel=1e-12)
    assert reached[1] > reached[0]


@pytest.mark.parametrize(
    ("loss", "l2", "condition"),
    [("logistic", 1e-6, 1), ("logistic", 1e-4, 1), ("logistic", 1e-4, 1e6), ("squared_hinge", 1e-2, 1)],
)
def test_it_costs_about_as_much_as_the_cheaper_way(loss, l2, condition, monkeypatch):
    X, y = cdlab.datasets.make(n=600, d=500, condition=condition, noise=0.1, seed=0)
    P = cdlab.Problem(X, y, loss, l2=l2)
    exact = cost_model.way_after_truncated(P)
    assert exact.name == "gram"

    def cost(inner):
        spent = []
        with monkeypatch.context() as patch:
            multiply, step = Product.__call__, Gram.step
            patch.setattr(Product, "__call__", lambda *args: spent.append(1.0) or multiply(*args))
            patch.setattr(Gram, "step", lambda *args: spent.append(exact.products) or step(*args))
            assert cdlab.solve(P, NewtonCD(inner), tol=1e-8).status == "tolerance reached"
        return sum(spent)

    costs = {inner: cost(inner) for inner in ("auto", "truncated", "gram")}
    assert costs["auto"] <= 2 * min(costs["truncated"], costs["gram"]), costs


@pytest.mark.parametrize("l2", [1e-4, 1e-6])
def test_where_few_examples_are_curved_models_are_exact_at_once(l2):
    """Of less accurate ones the squared hinge needs 20 times as many here."""
    X, y = cdlab.datasets.make(n=600, d=500, noise=0.1, seed=0)
    s = cdlab.solve(cdlab.Problem(X, y, "squared_hinge", l2=l2), "newton_cd", tol=1e-8, every=1)
    assert len(s.trace.records) <= 20


# ------------------------------------------------------------ the line search
def along(P, w, p):
    z = P.predict(w)
    return share(Line(P, w, z, expansion(P.loss, z, P.loss_y), p, P.predict(p)), P.gradient(w))


@given(seed=seeds, loss=st.sampled_from(TWICE), scale=st.floats(1e-3, 1e3))
def test_along_any_direction_of_descent_p_decreases(seed, loss, scale):
    P, rng = problem(loss, 0.01), np.random.default_rng(seed)
    w = rng.standard_normal(P.d)
    p = -scale * P.gradient(w) * rng.random(P.d)
    t = along(P, w, p)
    assert t > 0
    assert P.primal(w + t * p) < P.primal(w)


@example(seed=5484, loss="smooth_hinge")  # the slope leaves 0 within a sixth of the last doubling
@given(seed=seeds, loss=st.sampled_from(TWICE))
def test_a_step_that_is_too_short_is_lengthened_to_where_p_is_flat(seed, loss):
    P, rng = problem(loss, 0.01), np.random.default_rng(seed)
    w = rng.standard_normal(P.d)
    p = -1e-2 * P.gradient(w)
    t = along(P, w, p)
    first, last = P.gradient(w) @ p, P.gradient(w + t * p) @ p
    assert t > 1
    assert STEEP * first <= last <= 1e-12 or t >= 1024


def test_near_the_optimum_a_whole_step_is_taken():
    P = problem()
    w = cdlab.solve(P, "newton_cd", tol=1e-6).w
    step = Gram(P).step(P, model_at(P, w))
    assert along(P, w, step.p) == 1
    assert along(P, w, np.zeros(P.d)) == 1


def test_uphill_p_does_not_rise():
    P = problem()
    w = np.ones(P.d)
    t = along(P, w, P.gradient(w))
    assert P.primal(w + t * P.gradient(w)) <= P.primal(w) * (1 + 1e-13)


def test_conjugate_gradients_of_a_quadratic_go_on_and_end_after_as_many_products_as_features():
    """In exact arithmetic; begun anew at each iteration, they would take many times as many."""
    X, y = cdlab.datasets.make(n=60, d=12, condition=30, seed=0, task="regression")
    P = cdlab.Problem(X, y, loss="squared", l2=1e-3)
    s = cdlab.solve(P, cdlab.methods.NewtonCD("truncated"), tol=1e-12, max_passes=500, every=1)
    assert s.status == "tolerance reached"
    iterations = s.trace.column("iteration")[-1]
    diagonal, gradients = 0.5, iterations + 0.5  # passes beside the products
    assert s.trace.column("passes")[-1] <= P.d + diagonal + gradients
    exact = np.linalg.solve(X.T @ X / P.n + P.l2 * np.eye(P.d), X.T @ y / P.n)
    np.testing.assert_allclose(s.w, exact, rtol=1e-5)


def test_a_quadratic_that_was_moved_between_iterations_begins_anew():
    X, y = cdlab.datasets.make(n=60, d=12, seed=0, task="regression")
    P = cdlab.Problem(X, y, loss="squared", l2=1e-3)
    method, rng = cdlab.methods.NewtonCD("truncated"), np.random.default_rng(0)
    S = method.epoch(P, method.init(P, "uniform"), rng)
    S, _ = method.set_coordinates(P, S, np.array([3]), np.full(P.d, 5.0), np.ones(P.d, bool))
    objectives = [P.primal(S.w)]
    for _ in range(12):
        S = method.epoch(P, S, rng)
        objectives.append(P.primal(S.w))
    assert (np.diff(objectives) <= 1e-15).all()
    assert P.gap(S.w, P.alpha(S.w)) <= 1e-10


# ------------------------------------------------------------ preconditioned by a sample
def ill_conditioned(n, d):
    X, y = cdlab.datasets.make(n=n, d=d, condition=1000, noise=0.5, seed=0)
    return cdlab.Problem(X, y, l2=1e-7)


def test_the_product_through_a_factor_is_that_in_its_coordinates():
    P, rng = problem("logistic"), np.random.default_rng(0)
    model = model_at(P, rng.standard_normal(P.d))
    U, s = np.triu(rng.standard_normal((P.d, P.d))) + 5 * np.eye(P.d), rng.standard_normal(P.d)
    product = ProductThroughFactor(Product(P, model), U)
    inverse = np.linalg.inv(U)
    H = (P.X.T * model.h) @ P.X / P.n + P.l2 * np.eye(P.d)
    np.testing.assert_allclose(product(s), inverse.T @ H @ inverse @ s, rtol=1e-9)
    np.testing.assert_allclose(U @ product.from_new(s), s, rtol=1e-9)
    np.testing.assert_allclose(U.T @ product.to_new(s), s, rtol=1e-9)


@pytest.mark.parametrize("heavy", [False, True])
def test_a_sample_saves_most_products_where_the_diagonal_says_little(heavy):
    """Also where some rows are far larger than others: they are drawn more often."""
    P = ill_conditioned(6000, 40)
    if heavy:
        scales = np.exp(np.random.default_rng(0).standard_normal(P.n))
        P = cdlab.Problem(P.X * scales[:, None], P.y, l2=1e-7)
    plain, sampled = (cdlab.solve(P, NewtonCD(inner), tol=1e-10) for inner in ("truncated", "preconditioned"))
    assert plain.status == sampled.status == "tolerance reached"
    assert sampled.trace.column("passes")[-1] < 0.6 * plain.trace.column("passes")[-1]


def test_its_samples_are_of_the_size_that_is_said_and_their_mean_is_the_whole():
    P = ill_conditioned(600, 5)
    inner, h = Preconditioned(P), np.random.default_rng(0).random(P.n)
    drawn = np.array([inner.draw(P, h) for _ in range(2000)])
    assert np.count_nonzero(drawn, axis=1).mean() == pytest.approx(EXAMPLES_PER_FEATURE * P.d, rel=0.05)
    whole, mean = ((P.X.T * weights) @ P.X for weights in (h, drawn.mean(axis=0)))
    assert np.linalg.norm(mean - whole) <= 0.03 * np.linalg.norm(whole)


@given(seed=seeds)
def test_its_step_is_as_exact_as_was_asked_for(seed):
    """In the norm of H's inverse, up to how far the preconditioners are from H."""
    P, rng = ill_conditioned(1500, 20), np.random.default_rng(seed)
    model = model_at(P, 0.1 * rng.standard_normal(P.d))._replace(accuracy=1e-6)
    H = (P.X.T * model.h) @ P.X / P.n + P.l2 * np.eye(P.d)
    p = Preconditioned(P).step(P, model).p
    exact = -np.linalg.solve(H, model.g)
    assert (p - exact) @ H @ (p - exact) <= 1e-9 * (exact @ H @ exact)
