"""No gap is below P(w) - P*: gaps against exact rational arithmetic, at arbitrary points and at the edge."""

import itertools
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of, pushed
from exactly import Exact

import cdlab
from cdlab.losses import Squared
from cdlab.methods import Points
from cdlab.problems.certificates import certificate
from cdlab.problems.products import Products
from cdlab.problems.rounding import rounding_of_terms

LOSSES = ("squared", "logistic", "hinge", "smooth_hinge", "squared_hinge", "absolute", "huber", "softmax")


def matrix(rng):
    """Few rows and columns, or many of one: off centre, constant, of large and small scales."""
    n, d = (rng.integers(1, 10), rng.integers(1, 9)) if rng.random() < 0.9 else ((2, 200), (200, 2))[rng.integers(2)]
    X = rng.normal(size=(n, d))
    kinds = (
        lambda: X,
        lambda: np.full((n, d), 1 + rng.random()),
        lambda: X + 10.0 ** rng.uniform(1, 8),
        lambda: X * 10.0 ** rng.uniform(-8, 8),
        lambda: X * 10.0 ** rng.uniform(-4, 4, size=d),
    )
    X = kinds[rng.integers(5)]()
    if rng.random() < 0.3:
        X[:, rng.integers(d)] = rng.normal() * 10.0 ** rng.uniform(-3, 6)
    return X


def at_kinks(rng, X, w, is_regression):
    """X and y of which the predictions are where phi bends, but for rounding, in half of the cases."""
    n, z = len(X), X @ w
    if is_regression:
        y = z if rng.random() < 0.5 else rng.normal(size=n) * 10.0 ** rng.uniform(-3, 3)
        return X, (y + rng.integers(-1, 2, size=n) if rng.random() < 0.3 else y)
    y = rng.choice([-1.0, 1.0], size=n)
    factor = y / z
    return X * factor[:, None] if rng.random() < 0.5 and (np.abs(np.log(np.abs(factor))) < 20).all() else X, y


def problem_and_point(rng, loss):
    X = matrix(rng)
    w = rng.normal(size=(X.shape[1], 3) if loss == "softmax" else X.shape[1]) * 10.0 ** rng.uniform(-3, 3)
    if loss == "softmax":
        X, y = np.vstack([X[:1], X[:1] / 2, X]), np.append([0, 1], rng.integers(0, 3, size=len(X)))
        y[-1] = 2
    else:
        X, y = at_kinks(rng, X, w, loss in ("squared", "absolute", "huber"))
    s = rng.uniform(0.1, 3, size=len(y)) * (rng.random(len(y)) < 0.9) + 1e-3 if rng.random() < 0.4 else None
    small, l1 = 10.0 ** rng.uniform(-12, 2), 10.0 ** rng.uniform(-6, 1)
    l2, l1 = ((small, 0.0), (small, l1), (0.0, l1))[rng.integers(3)]
    free = loss != "softmax" and rng.random() < 0.15
    return cdlab.Problem(X, y, loss, l2, l1, sample_weight=s, intercept=free), np.append(w, 0.1) if free else w


def dual_point(rng, P, w):
    """alpha(w), or a point of the domain: inside, at its corners and beyond by rounding."""
    alpha, s = P.alpha(w), np.ones(P.n) if P.sample_weight is None else P.sample_weight
    kind = rng.integers(4)
    if kind == 0:
        return alpha
    if P.outputs:
        own = np.eye(3)[P.y.astype(int)]
        pi = rng.dirichlet(np.full(3, 10.0 ** rng.uniform(-2, 1)), size=P.n)
        return (own - pi + (kind - 1) * 1e-13 * rng.normal(size=pi.shape)) * s[:, None]
    if P.loss.name == "squared":
        return alpha * rng.uniform(0, 2) + (kind == 3) * 5e-13
    low, high = (np.clip(end, -10, 10) for end in P.dual_box)
    if kind == 1:
        return low + (high - low) * rng.random(P.n)
    return np.where(rng.random(P.n) < 0.5, low, high) + (kind - 2) * 5e-13 * rng.choice([-1, 1], size=P.n) * s


def ill_told(seeds):
    """The cases of these seeds whose gap is below P(w) - D of the alpha that it is of; how many were looked at."""
    wrong, looked = [], 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        with np.errstate(all="ignore"):
            P, w = problem_and_point(rng, LOSSES[seed % len(LOSSES)])
            alpha = dual_point(rng, P, w)
            if P.l2 > 0 and not P.intercept and rng.random() < 0.5:
                w = P.w(alpha)
            known, gap = certificate(P, Points(w, alpha), None), P.gap(w, alpha)
        exact = Exact(P)
        primal, inside = exact.primal(w), P.clipped(alpha, None)[0]
        for told, of in ((gap, inside), (known.gap, known.alpha)):
            if np.isfinite(told):
                looked += 1
                wrong += [(seed, repr(P))] * (primal - exact.dual(of) > Fraction(told))
    return wrong, looked


def test_gaps_of_any_two_points_are_no_smaller_than_in_exact_arithmetic():
    wrong, looked = ill_told(range(160))
    assert wrong == []
    assert looked > 300


@pytest.mark.full
def test_gaps_of_a_thousand_problems_are_no_smaller_than_in_exact_arithmetic():
    wrong, looked = ill_told(range(1000, 3000))
    assert wrong == []
    assert looked > 3900


def test_a_dual_point_beyond_its_box_by_rounding_claims_nothing():
    """P(w) - P* is 3.6e-13; with D of an alpha of 1 + 9e-13 the gap was 1.3e-15."""
    P = cdlab.Problem([[1.0]], [1], "hinge", 2.0)
    w, alpha = np.array([0.5 + 6e-7]), np.array([1 + 9e-13])
    truth = Exact(P).primal(w) - Exact(P).primal(np.array([0.5]))
    known = certificate(P, Points(w, alpha), None)
    assert truth <= Fraction(P.gap(w, alpha))
    assert truth <= Fraction(known.gap)
    assert known.alpha == [1.0]
    assert truth <= Fraction(cdlab.certify(w, P.X, P.y, "hinge", 2.0).gap)
    run = cdlab.iterate(P, "sdca", start=(w, alpha))
    record = next(run)
    assert run.alpha == [1.0]
    assert Exact(P).gap(run.w, run.alpha) <= Fraction(record.gap)


@each_of("seed, offset, l2", [(25, 1e6, 1e-12), (59, 1e8, 1e-8), (51, 1e6, 1e-6)])
def test_at_an_optimum_whose_examples_are_all_at_the_kink(seed, offset, l2):
    """The rounded optimum predicts 1 but for rounding: alpha_i says too little of how steep the loss is nearby."""
    rng = np.random.default_rng(seed)
    X, y = offset + rng.normal(size=(4, 8)), np.array([1, -1, 1, -1.0])
    gram = [[sum(Fraction(a) * Fraction(b) for a, b in zip(r, q, strict=True)) for q in X.tolist()] for r in X.tolist()]
    c = solved(gram, [Fraction(t) for t in y])
    W = [sum(ci * Fraction(r[j]) for ci, r in zip(c, X.tolist(), strict=True)) for j in range(8)]
    w, alpha = np.array(list(map(float, W))), np.array([float(4 * l2 * ci) for ci in map(float, c)])
    P = cdlab.Problem(X, y, "hinge", l2)
    truth = Exact(P).primal(w) - Fraction(l2) / 2 * sum(x * x for x in W)  # all losses are 0 there
    assert 0 < truth <= Fraction(P.gap(w, alpha))
    assert truth <= Fraction(cdlab.certify(w, X, y, "hinge", l2).gap)


def solved(M, right):
    """The solution of a linear system of fractions."""
    M = [[*row, x] for row, x in zip(M, right, strict=True)]
    for i in range(len(M)):
        M[i] = [x / M[i][i] for x in M[i]]
        for k in range(len(M)):
            if k != i:
                M[k] = [a - M[k][i] * b for a, b in zip(M[k], M[i], strict=True)]
    return [row[-1] for row in M]


@pytest.mark.parametrize("terms", pushed([7, 100, 128, 129, 1000, 30_000, 300_000], 100, 1000, 30_000))
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_products_of_constants_are_within_their_rounding(form, terms):
    """Each addition of a constant may round alike, so that errors add up as the terms do."""
    rng, stored = np.random.default_rng(terms), np.ascontiguousarray if form == "dense" else hidden
    for _ in range(10):
        c, w = 1 + rng.random(), 1 + rng.random()
        exact = terms * Fraction(c) * Fraction(w)
        X = np.full((1, terms), c)
        P = cdlab.Problem(stored(X), [1.0], "squared")
        PT = cdlab.Problem(stored(X.T), np.ones(terms), "squared")
        for found in (P.products.times(np.full(P.d, w)), PT.products.transposed_times(np.full(terms, w))):
            assert abs(Fraction(float(found[0])) - exact) <= Fraction(rounding_of_terms(terms)) * exact


def hidden(X):
    """X among zeros, so that it is not stored as an array."""
    return sp.csr_matrix(np.hstack([X, np.zeros((len(X), 1 + X.shape[1]))]))


@pytest.mark.full
@each_of("c", [1.1, 1.7, 1e-8 / 3])
def test_a_value_of_300_000_constant_columns(c):
    d = 300_000
    P = cdlab.Problem(np.full((2, d), c), [1, -1], "hinge", 1e-3)
    w = np.full(d, 1 / (c * d))
    z, size = Fraction(c) * Fraction(w[0]) * d, Fraction(w[0]) ** 2 * d
    exact = (max(Fraction(0), 1 - z) + 1 + z) / 2 + Fraction(P.l2) / 2 * size
    assert exact - Fraction(P.dual_at_zero) <= Fraction(P.gap(w, np.zeros(2)))
    assert abs(exact - Fraction(P.primal(w))) <= Fraction(P.gap(w, np.zeros(2)) - P.primal(w))


@pytest.mark.parametrize("loss", pushed(LOSSES, "hinge"))
def test_solutions_and_records_are_no_nearer_than_they_claim(loss):
    rng = np.random.default_rng(LOSSES.index(loss))
    X = rng.normal(size=(12, 4)) + 10.0 ** rng.uniform(0, 4, size=4)
    y = np.arange(12) % 3 if loss == "softmax" else np.sign(rng.normal(size=12))
    for (l2, l1), s in itertools.product([(1e-3, 0.0), (1e-4, 1e-2), (0.0, 0.1)], [None, rng.uniform(0.1, 2, 12)]):
        P = cdlab.Problem(X, y, loss, l2, l1, sample_weight=s)
        found = cdlab.solve(P, tol=0.0, max_passes=30)
        assert Exact(P).gap(found.w, found.alpha) <= Fraction(found.gap), (l2, l1)


@pytest.mark.parametrize("loss", pushed(["squared", "logistic", "huber", "squared_hinge"], "squared"))
@each_of("free", [False, True])
def test_paths_are_no_nearer_than_they_claim(loss, free):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(15, 6)) + 10.0 ** rng.uniform(-1, 3, size=6)
    y = np.sign(rng.normal(size=15))
    P = cdlab.Problem(X, y, loss, intercept=free)
    for l2 in (0.0, 1e-3):
        for s, l1 in zip(path := cdlab.path(P, l2=[l2], l1=[10.0, 1.0, 0.1], tol=1e-7), path.l1, strict=True):
            at = P.with_(l2=l2, l1=l1)
            w = np.append(s.w, s.intercept) if free else s.w
            assert Exact(at).gap(w, s.alpha) <= Fraction(s.gap), (l2, l1)


@each_of("l2, l1", [(0.1, 0.0), (0.0, 0.5), (0.1, 0.05)])
def test_where_alpha_is_worse_than_nothing_the_certificate_is_that_of_0(l2, l1):
    P = cdlab.Problem([[3.0, 1.0], [1.0, -2.0]], [1.0, 2.0], "squared", l2, l1)
    w, alpha = np.array([0.1, -0.1]), np.array([-30.0, -50.0])
    assert P.dual(alpha) < P.dual_at_zero
    known = certificate(P, Points(w, alpha), None)
    assert known.dual == P.dual_at_zero
    assert not known.alpha.any()
    assert known.gap == pytest.approx(P.primal(w) - P.dual_at_zero)
    assert P.gap(w, alpha) == pytest.approx(P.primal(w) - P.dual(alpha))
    run = cdlab.iterate(P, "rcd", start=(w, alpha))
    next(run)
    assert not run.alpha.any() or P.dual(run.alpha) >= P.dual_at_zero


@cdlab.jit.struct
class WithoutDomain(NamedTuple):
    """The squared loss, of somebody who says no domain."""

    c: float = 0.5

    name, classification, lipschitz = "without_domain", False, np.inf
    gamma = property(Squared.gamma.fget)
    phi, grad_phi, phi_conj, dualprox = Squared.phi, Squared.grad_phi, Squared.phi_conj, Squared.dualprox


def test_a_loss_of_a_user_without_a_domain_is_left_as_it_is():
    X, y, alpha = [[1.0, 2.0], [2.0, 1.0]], [1.0, -1.0], np.array([5.0, -7.0])
    P, Q = (cdlab.Problem(X, y, loss, 0.1) for loss in (WithoutDomain(), "squared"))
    assert P.dual_box is None
    assert P.clipped(alpha, None)[0] is alpha
    assert P.gap(np.ones(2), alpha) == Q.gap(np.ones(2), alpha)


@pytest.mark.parametrize("K", [1, 3])
def test_any_number_of_threads_has_the_same_bits(K):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 400))
    w = rng.normal(size=(400, K) if K > 1 else 400)
    P = cdlab.Problem(X, np.arange(3000) % 3 if K > 1 else X[:, 0], "softmax" if K > 1 else "squared")
    one, two = (Products(P.rows, X.shape, P.nnz, jobs) for jobs in (1, 2))
    assert two.threads == 2
    assert np.array_equal(one.times(w), two.times(w))
    assert np.allclose(one.times(w), X @ w, rtol=1e-12, atol=1e-11)
    c = rng.normal(size=(3000, K) if K > 1 else 3000)
    assert np.allclose(one.transposed_times(c), X.T @ c, rtol=1e-12, atol=1e-10)
