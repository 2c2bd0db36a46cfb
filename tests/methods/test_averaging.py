"""sgd and rda against their boxes in plain numpy, and the sums that make their averages cheap."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from forms import forms
from hypothesis import given
from hypothesis import strategies as st
from problems import problem

import cdlab
from cdlab.methods import Points
from cdlab.methods.rda import RDA, power_sum
from cdlab.methods.sgd import SGD

LIPSCHITZ = ["logistic", "smooth_hinge", "huber", "hinge", "absolute"]


def sgd_iterates(P, order, w, weight, c=1.0):
    """w^1, w^2, ... as printed."""
    X = P.X.toarray() if sp.issparse(P.X) else P.X
    for t, i in enumerate(order, start=1):
        w = (1 - c / t) * w - c * weight[i] * P.loss.grad_phi(X[i] @ w, P.y[i]) * X[i] / (P.l2 * t)
        yield w


def rda_iterates(P, order, w, weight, gamma_r=0.0):
    X = P.X.toarray() if sp.issparse(P.X) else P.X
    mean = np.zeros(P.d)
    for t, i in enumerate(order, start=1):
        mean = (1 - 1 / t) * mean + weight[i] * P.loss.grad_phi(X[i] @ w, P.y[i]) * X[i] / t
        soft = np.sign(mean) * np.maximum(np.abs(mean) - P.l1, 0)
        w = -soft / P.l2 if P.l2 > 0 else -np.sqrt(t) / gamma_r * soft
        yield w


def answer(iterates, average, ends):
    """The average over the window: its start moves to where the last epoch ended that is at most half the time ago."""
    iterates = np.array(list(iterates))
    first = middle = 0
    for t in ends if average == "half" else []:
        if t >= 2 * middle:
            first, middle = middle, t
    return iterates[-1] if average is None else iterates[first:].mean(axis=0)


def after(P, method, order, ends, **kwargs):
    S = method.init(P, kwargs.pop("sampling", "uniform"), **kwargs)
    for part in np.split(np.asarray(order, np.uint64), ends[:-1]):
        S = method.epoch(method.view(P), S, part)
    return method.points(P, S).w


def setting(loss, l2, l1, sparse, steps=600):
    P = problem(loss, l2=l2, l1=l1, sparse=sparse, d=12, density=0.2)
    rng = np.random.default_rng(0)
    return P, rng.integers(P.n, size=steps), Points(rng.standard_normal(P.d), np.zeros(P.n))


ENDS = [30, 60, 90, 120, 300, 301, 600]
averages = pytest.mark.parametrize("average", ["all", "half", None])


@averages
@pytest.mark.parametrize("loss", LIPSCHITZ)
@pytest.mark.parametrize("sampling", ["uniform", "norms"])
def test_sgd_is_its_box(loss, sampling, average):
    P, order, start = setting(loss, 0.1, 0.0, sparse=True)
    weight = 1 / (P.n * SGD().probabilities(P, sampling))
    lazy = after(P, SGD(average=average), order, ENDS, start=start, sampling=sampling)
    np.testing.assert_allclose(lazy, answer(sgd_iterates(P, order, start.w, weight), average, ENDS), atol=1e-11)


@averages
@pytest.mark.parametrize("c", [0.01, 0.5, 2, 2.5, 30])
def test_sgd_is_its_box_with_any_factor_also_where_its_first_steps_grow(c, average):
    P, order, start = setting("hinge", 0.1, 0.0, sparse=True, steps=4000)
    ends = [*ENDS, 4000]
    lazy = after(P, SGD(average=average, factor=c), order, ends, start=start)
    iterates = list(sgd_iterates(P, order, start.w, np.ones(P.n), c))
    largest = np.abs(iterates).max() if average == "all" else np.abs(iterates[ends[-3] :]).max()
    np.testing.assert_allclose(lazy, answer(iterates, average, ends), atol=1e-11 * max(1, largest))


@averages
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(["logistic", "hinge", "absolute"], 0.05))
@pytest.mark.parametrize(("l2", "gamma_r"), [(0.1, 0), (0.0, 2.0)])
def test_rda_is_its_box(loss, l2, l1, gamma_r, sparse, average):
    P, order, start = setting(loss, l2, l1, sparse)
    method = RDA(average=average, gamma_r=gamma_r or None)
    lazy = after(P, method, order, ENDS, start=start)
    naive = rda_iterates(P, order, start.w, np.ones(P.n), gamma_r)
    np.testing.assert_allclose(lazy, answer(naive, average, ENDS), atol=1e-11)


@averages
def test_without_l1_rda_is_sgd(average):
    P, order, start = setting("hinge", 0.1, 0.0, sparse=True)
    a, b = (after(P, method(average=average), order, ENDS, start=start) for method in (SGD, RDA))
    np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("method", [SGD(average=None), RDA(average=None)], ids=lambda m: m.name)
def test_the_first_step_erases_the_start(method):
    """w^1 = -phi'(x_i'w^0) x_i/l2: of the start only the sign of a hinge's margin is left."""
    P, order, start = setting("hinge", 0.1, 0.0, sparse=False)
    near, far = (after(P, method, order[:1], [1], start=Points(s * start.w, None)) for s in (1e-3, -1e-3))
    np.testing.assert_array_equal(near, far)


def test_rda_is_sparse_and_its_default_gamma_r_is_the_theorems():
    P = problem("logistic", l2=0.0, l1=0.05)
    S = RDA().init(P, "uniform")
    assert S.gamma_r == pytest.approx(math.sqrt(2) * P.R * 0.05 / math.log(2), rel=1e-14)
    order = np.random.default_rng(0).integers(P.n, size=3000)
    assert (after(P, RDA(average=None), order, [3000]) == 0).sum() >= 2


@given(a=st.integers(0, 3000), k=st.integers(0, 300), q=st.sampled_from([-1.0, -0.5, 0.5]))
def test_sums_of_powers(a, k, q):
    exact = math.fsum(float(s) ** q for s in range(a + 1, a + k + 1))
    assert power_sum(float(a), float(a + k), q) == pytest.approx(exact, rel=3e-15)


@pytest.mark.parametrize("q", [-1.0, -0.5, 0.5])
def test_sums_of_powers_over_long_ranges(q):
    s = np.arange(1, 10**6 + 1) ** q
    assert power_sum(0.0, 1e6, q) == pytest.approx(math.fsum(s), rel=3e-15)
    assert power_sum(999_000.0, 1e6, q) == pytest.approx(math.fsum(s[999_000:]), rel=3e-15)


# ---------------------------------------------------------------- steps eta/sqrt(t), without a regulariser
def root_iterates(P, order, w, weight, step):
    """w^1, w^2, ... as printed."""
    X = P.X.toarray() if sp.issparse(P.X) else P.X
    for t, i in enumerate(order, start=1):
        w = w - step / np.sqrt(t) * weight[i] * P.loss.grad_phi(X[i] @ w, P.y[i]) * X[i]
        yield w


@pytest.mark.parametrize("average", ["all", "half", None])
@pytest.mark.parametrize(
    ("sampling", "loss", "l1", "sparse"),
    [
        case
        for loss, sampling in (("logistic", "uniform"), ("hinge", "norms"), ("squared", "uniform"))
        for case in forms([loss], 0.0, sampling)
    ],
)
def test_root_steps_are_the_box_from_any_start(loss, l1, sampling, average, sparse):
    P, order, start = setting(loss, 0.0, l1, sparse)
    method, ends = SGD(average=average, step=0.03), [100, 200, 350, 600]
    weight = 1 / (P.n * method.probabilities(P, sampling))
    expected = answer(root_iterates(P, order, start.w, weight, 0.03), average, ends)
    np.testing.assert_allclose(after(P, method, order, ends, sampling=sampling, start=start), expected, atol=1e-11)


def test_root_steps_solve_what_has_no_regulariser():
    """The last iterate, as in the experiments of the APPA paper: slow, but it falls; a step that is too long diverges
    where the loss is not Lipschitz, and the run says so."""
    P = problem("logistic", l2=0.0, n=200)
    best = cdlab.solve(P, "lbfgs", tol=1e-9).trace.records[-1].primal
    values = [
        cdlab.solve(P, SGD(average=None, step=1.0), tol=0, max_passes=p).trace.records[-1].primal for p in (5, 80)
    ]
    start = P.primal(np.zeros(P.d))
    assert values[1] - best < 0.5 * (values[0] - best) < 0.2 * (start - best)
    assert cdlab.solve(problem("squared", l2=0.0), SGD(step=50.0), max_passes=50).status == "diverged"


def test_root_steps_are_refused_with_a_regulariser_and_the_others_without():
    with pytest.raises(ValueError, match="set l2 = 0, or leave step out"):
        cdlab.solve(problem("logistic", l2=0.1), SGD(step=0.1))
    with pytest.raises(ValueError, match="sgd needs l2 > 0"):
        cdlab.solve(problem("logistic", l2=0.0), "sgd")
    with pytest.raises(ValueError, match="sgd does not handle l1 > 0"):
        cdlab.solve(problem("logistic", l2=0.0, l1=0.1), SGD(step=0.1))
    for wrong in (0.0, -1.0, np.inf, "fast"):
        with pytest.raises(ValueError, match="sgd's step must be a number > 0 or None"):
            SGD(step=wrong)


def test_a_factor_is_a_number_above_zero_and_not_for_root_steps():
    for wrong in (0.0, -1.0, np.inf, None):
        with pytest.raises(ValueError, match="sgd's factor must be a number > 0"):
            SGD(factor=wrong)
    with pytest.raises(ValueError, match="give one of them"):
        SGD(step=0.1, factor=2)


def test_no_theorem_covers_another_factor():
    with pytest.raises(ValueError, match="factor"):
        cdlab.theory.bound(SGD(factor=2.0))
