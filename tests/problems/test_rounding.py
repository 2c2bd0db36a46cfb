"""Gaps hold what float64 has lost: P(w) - P* in exact arithmetic is at most the gap that is claimed."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from cases import each_of
from hypothesis import given, settings
from hypothesis import strategies as st

import cdlab
from cdlab.methods import METHODS


def exact(values):
    return [[Fraction(float(x)) for x in row] for row in np.atleast_2d(values)]


def excess(P, w):
    """P(w) - P* of a ridge problem, exactly: (w - w*)'H(w - w*)/2 with H = X'X/n + l2 I and H w* = X'y/n."""
    X, (y,), (w,) = exact(P.X), exact(P.y), exact(w)
    n, d, l2 = P.n, P.d, Fraction(P.l2)
    H = [[sum(X[i][j] * X[i][k] for i in range(n)) / n + l2 * (j == k) for k in range(d)] for j in range(d)]
    slope = [sum(X[i][j] * y[i] for i in range(n)) / n - sum(H[j][k] * w[k] for k in range(d)) for j in range(d)]
    rational = lambda x: sympy.Rational(x.numerator, x.denominator)  # noqa: E731
    step = sympy.Matrix(d, d, lambda j, k: rational(H[j][k])).LUsolve(sympy.Matrix([rational(s) for s in slope]))
    return sum(Fraction(int(s.p), int(s.q)) * g for s, g in zip(step, slope, strict=True)) / 2


@each_of("l2", [1e-300, 1e-12, 1.0])
def test_one_number_solved_to_the_last_digit_is_not_claimed_to_be_nearer_than_it_is(l2):
    P = cdlab.Problem([[0.7]], [0.3], "squared", l2=l2)
    s = cdlab.solve(P, "sdca", tol=1e-12)
    assert 0 < excess(P, s.w) <= Fraction(s.gap) <= Fraction(1, 10**12)
    assert excess(P, s.w) <= Fraction(P.gap(s.w, s.alpha))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    method=st.sampled_from(["sdca", "rcd", "newton_cd", "spdc", "quartz", "agd"]),
    offset=st.sampled_from([0.0, 1.0, 1e4, 1e8]),
    scale=st.sampled_from([1e-80, 1e-8, 1.0, 1e8, 1e80]),
)
def test_no_record_of_a_run_is_nearer_to_the_optimum_than_its_gap_allows(seed, method, offset, scale):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5, 2)) + offset
    P = cdlab.Problem(X * scale, X @ rng.normal(size=2) + 0.1 * rng.normal(size=5), "squared", l2=1e-4 * scale**2)
    run = cdlab.iterate(P, method, seed=seed % 10, every=40)
    for record, _ in zip(run, range(4), strict=False):
        assert record.gap >= excess(P, run.w)


@pytest.mark.parametrize("method", ["rcd", "sdca", "spdc", "greedy", "newton_cd", "saga"])
@pytest.mark.parametrize("size", [1e6, 1e10, 1e14, 1e60])
def test_records_after_a_huge_start_are_true(method, size):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8, 3))
    P = cdlab.Problem(X, X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=8), "squared", l2=0.1)
    run = cdlab.iterate(P, method, seed=1, start=(size * rng.normal(size=3), None))
    for record, _ in zip(run, range(30), strict=False):
        assert record.gap >= excess(P, run.w)


def test_a_tolerance_below_rounding_ends_there():
    P = cdlab.Problem(*cdlab.datasets.make(n=50, d=5, seed=0), l2=0.1)
    s = cdlab.solve(P, "sdca", tol=1e-18, max_passes=60)
    assert s.status == "rounding limit"
    assert 0 < s.relative_gap < 1e-12


@each_of("method", ["agd", "sdca", "lbfgs"])
def test_the_smallest_tolerance_is_one(method):
    P = cdlab.Problem(*cdlab.datasets.make(n=50, d=5, seed=0), l2=0.1)
    assert cdlab.solve(P, method, tol=5e-324, max_passes=30).status in ("pass limit", "rounding limit")


@each_of("loss", ["squared", "huber", "absolute"])
def test_labels_whose_loss_underflows_are_refused(loss):
    small = {"absolute": 1e-300}.get(loss, 1e-170)
    with pytest.raises(ValueError, match="too small"):
        cdlab.Problem([[1.0], [2.0]], [small, 3 * small], loss, l2=0.1)
    assert cdlab.Problem([[1.0], [2.0]], [0.0, 0.0], loss, l2=0.1).primal(np.zeros(1)) == 0


@each_of("l2, size", [(5e-324, 1e-162), (1e300, 1e-160), (1e-300, 1e-150)])
def test_the_regulariser_and_its_conjugate_do_not_underflow(l2, size):
    P = cdlab.Problem([[size]], [1.0], "squared", l2=l2)
    alpha = np.ones(1)
    conjugate = Fraction(size) ** 2 / (2 * Fraction(l2))
    assert P.dual(alpha) == pytest.approx(float(Fraction(1, 2) - conjugate), rel=1e-12)


@pytest.mark.full
def test_every_method_tells_the_rounding_of_its_gap():
    P = cdlab.Problem(*cdlab.datasets.make(n=30, d=5, seed=0), l2=0.1)
    for name, made in METHODS.items():
        if made().refusal(P, cdlab.samplings.resolve("uniform")) is None:
            record = cdlab.solve(P, name, tol=0, max_passes=3).trace.records[-1]
            assert 0 < record.rounding < 1e-12
            assert record.gap == pytest.approx(max(0.0, record.primal - record.dual) + record.rounding, rel=1e-15)
