"""Proved digits are those of the optimum in 60 digits, and whatever else is said of it is so."""

import pickle
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
from cases import each_of
from mpmath import mpf
from sixty_digits import optimum

import cdlab
from cdlab import losses
from cdlab.proofs import Proved, prove

SETTINGS = [
    {}, {"l2": 1e-6}, {"l1": 0.02}, {"l2": 0.0, "l1": 0.02}, {"intercept": True}, {"weights": True},
    {"l1": 0.02, "intercept": True, "weights": True}, {"offset": True}, {"scales": True}, {"l2": 3.0},
    {"l2": 0.0, "l1": 0.05, "intercept": True}, {"l2": 1e-9, "intercept": True}, {"far": True, "intercept": True},
]  # fmt: skip
TOLERANCES = [1e-14, 1e-9, 1e-4]


def made(loss, seed, l2=0.02, l1=0.0, intercept=False, weights=False, offset=False, scales=False, far=False, n=24, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.normal(size=n)
    if losses.resolve(loss).classification:
        y = np.where(y > 0, 1.0, -1.0)
    if loss == "softmax":
        y = np.arange(n) % 3 + 0.0
    X = X * 10.0 ** np.arange(-3, d - 3) if scales else X + 100.0 * far
    more = {"sample_weight": rng.integers(1, 5, n) + 0.5} if weights else {}
    more |= {"offset": rng.normal(size=n)} if offset and loss != "softmax" else {}
    return cdlab.Problem(X, y, loss, l2, l1, intercept=intercept, **more)


def holds(proved, w, b):
    """Tell whether the intervals hold 60 digits, and what they prove is so of these."""
    inside = [
        mpf(float(lo)) <= x <= mpf(float(hi))
        for lo, x, hi in zip(*map(np.ravel, (proved.low, w, proved.high)), strict=True)
    ]
    signs = np.array([[-1, 0, 1][int(x > 0) - int(x < 0) + 1] for x in w.ravel()]).reshape(w.shape)
    of_b = len(b) > 1 or proved.intercept[0] <= b[0] <= proved.intercept[1]
    right = np.all((proved.signs == 0) | (proved.signs == signs)) and np.all(signs[proved.zeros] == 0)
    return all(inside) and of_b and bool(right)


def is_settled_rightly(known, w, alpha):
    """Tell whether the coordinates that safe balls settle are what they are at the optimum, to 40 digits."""
    values = zip(known.alpha[known.examples].tolist(), alpha[known.examples], strict=True)
    right = all(abs(mpf(value) - exact) < mpf(10) ** -40 for value, exact in values)
    signs = all(sign * x > 0 for sign, x in zip(known.signs.tolist(), w, strict=False) if sign)
    return right and signs and not np.any(w[known.zeros[: w.size]])


def checked(loss, seed, tol, **how):
    """The proved digits (d,) of a problem that was solved to tol, which are those of the 60."""
    P = made(loss, seed, **how)
    precise = cdlab.solve(P, tol=1e-15, max_passes=20_000)
    s = cdlab.solve(P, tol=tol, max_passes=20_000)
    proved, (w, b, alpha) = s.proved(), optimum(P, precise)
    assert holds(proved, w, b)
    assert loss == "softmax" or is_settled_rightly(s.certified, w, alpha)
    return proved.digits[~proved.zeros]


CASES = [(loss, seed) for seed in range(26) for loss in losses.LOSSES][:200]


@pytest.mark.full
def test_intervals_hold_the_optimum_in_60_digits_of_200_problems():
    found = defaultdict(lambda: defaultdict(list))
    for k, (loss, seed) in enumerate(CASES):
        how = SETTINGS[seed % len(SETTINGS)]
        if loss in ("hinge", "absolute") and how.get("l2") == 0:
            how = {**how, "l2": 0.1}  # with l2 = 0 nothing is proved of losses with kinks
        tol = TOLERANCES[k % 3]
        found[loss][tol].extend(checked(loss, seed, tol, **how))
    for loss, digits in found.items():
        print(f"| {loss} | {' | '.join(f'{np.median(digits[tol]):.0f}' for tol in TOLERANCES)} |")


@each_of("loss, seed, tol", [(loss, seed, tol) for seed, tol in enumerate(TOLERANCES) for loss in losses.LOSSES][:20])
def test_intervals_hold_the_optimum_in_60_digits(loss, seed, tol):
    checked(loss, seed, tol, **SETTINGS[(2 * seed + len(loss)) % 3])


# ------------------------------------------------------------ edges
def test_every_point_proves_only_what_is_so():
    """Any point will do, however far: what it proves is of the optimum, and the farther it is, the less that is."""
    P, rng = made("logistic", 0, l1=0.02, intercept=True), np.random.default_rng(0)
    s = cdlab.solve(P, tol=1e-15)
    w, b, _ = optimum(P, s)
    signs = []
    for off in (0.0, 1e-12, 1e-6, 1e-3, 1.0, 1e6, 1e100):
        proved = prove(P, s.w + off * rng.normal(size=4), s.intercept + off, P.alpha(np.append(s.w, s.intercept)))
        assert holds(proved, w, b)
        signs.append(np.count_nonzero(proved.signs))
    assert signs[0] > 0
    assert signs == sorted(signs, reverse=True)


@each_of("loss", ["squared", "logistic", "huber", "squared_hinge", "smooth_hinge"])
def test_columns_of_unlike_scales_cost_no_digits(loss):
    for how in ({}, {"scales": True}, {"scales": True, "intercept": True, "weights": True}):
        P = made(loss, 3, l2=1e-3, **how)
        w, b, _ = optimum(P, cdlab.solve(P, tol=1e-13, max_passes=20_000))
        w, b = w.astype(float), float(b[0])
        proved = prove(P, w, b, P.alpha(np.append(w, b) if P.intercept else w))
        assert holds(proved, w, [b])
        assert proved.digits.min() >= 10


def test_of_equal_columns_each_has_half_and_without_l2_nothing_is_told():
    x = np.random.default_rng(0).normal(size=20)
    X, y = np.column_stack([x, x]), x + 0.1
    P = cdlab.Problem(X, y, "squared", l2=0.01)
    proved = cdlab.solve(P, tol=1e-15).proved()
    sums = [Fraction(v) for v in x.tolist()]
    exact = sum(v * Fraction(t) for v, t in zip(sums, y.tolist(), strict=True)) / (
        2 * sum(v * v for v in sums) + 20 * Fraction(0.01)
    )
    assert all(
        Fraction(lo) <= exact <= Fraction(hi) for lo, hi in zip(proved.low.tolist(), proved.high.tolist(), strict=True)
    )
    assert proved.digits.min() >= 10
    for l1 in (0.0, 0.01):  # any way to share the weight is an optimum
        found = cdlab.solve(P.with_(l2=0.0, l1=l1), tol=1e-10, max_passes=1000).proved()
        assert np.all(found.digits == 0)
        assert str(found).startswith("nothing is proved")


@each_of("loss", ["squared", "logistic", "huber", "squared_hinge", "smooth_hinge"])
def test_where_0_is_the_optimum_zeros_are_proved(loss):
    proved = cdlab.solve(made(loss, 1, l1=100.0), tol=1e-10).proved()
    assert proved.zeros.all()
    assert str(proved).splitlines()[1] == "w[0] = 0"


def test_least_squares_without_a_penalty_are_proved_where_they_are_unique():
    P = made("squared", 5, l2=0.0, intercept=True)
    s = cdlab.solve(P, tol=1e-14, strong_convexity="compute")
    proved = s.proved()
    assert holds(proved, *optimum(P, s)[:2])
    assert proved.digits.min() >= 8


def test_with_bounds_and_factors_intervals_hold_the_optimum_of_one_column_each():
    y, lower, upper, factor = np.array([0.7, -0.9, 2.0, 0.3]), [0, -0.1, -1, 0], [np.inf, 0.5, 9, 0.2], [0.3, 1, 0.1, 2]
    s = cdlab.solve(cdlab.Problem(np.eye(4), y, "squared", 0.1, 0.02, lower=lower, upper=upper, penalty_factor=factor))
    assert (s.proved().high - s.proved().low).max() < 1e-6
    for j, (t, p) in enumerate(zip(map(Fraction, y.tolist()), map(Fraction, factor), strict=True)):
        size = (abs(t) - 4 * p * Fraction(0.02)) / (1 + 4 * p * Fraction(0.1))
        exact = min(max(size if t > 0 else -size, lower[j]), upper[j])
        assert s.proved().low[j] <= exact <= s.proved().high[j]


def test_digits_are_those_that_all_numbers_of_an_interval_share():
    low = np.array([0.123456, -0.5000001, 99.9, 0.0, -1e-7, 1.0, -np.inf, 0.1])
    high = np.array([0.123459, -0.4999999, 100.1, 0.0, 1e-9, np.nextafter(1.0, 2), -2.0, np.inf])
    proved = Proved(low, high, (1234.5, 1239.0), tuple("abcdefgh"))
    assert proved.digits.tolist() == [5, 0, 0, 0, 0, 16, 0, 0]
    assert proved.signs.tolist() == [1, -1, 1, 0, 0, 1, -1, 1]
    assert str(proved).splitlines()[1:] == [
        "w[a] = 0.12345..", "w[b] < 0", "w[c] > 0", "w[d] = 0", "w[f] = 1.000000000000000..", "w[g] < 0", "w[h] > 0",
        "b = 1.23..e+3", "nothing is proved of 1 more: solve with a smaller tol",
    ]  # fmt: skip


def test_decisions_are_those_of_the_optimum_or_open():
    P = made("logistic", 2, intercept=True)
    precise, X = cdlab.solve(P, tol=1e-15), np.random.default_rng(1).normal(size=(500, 4))
    w, b, _ = optimum(P, precise)
    z = [sum(mpf(x) * v for x, v in zip(row, w, strict=True)) + b[0] for row in X.tolist()]
    shares = []
    for tol in (1e-1, 1e-4, 1e-12):
        decided = cdlab.solve(P, tol=tol, method="sdca").proved().decisions(X)
        assert all(d == 0 or d * u > 0 for d, u in zip(decided.tolist(), z, strict=True))
        shares.append(np.mean(decided != 0))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert set(np.unique(decided)) == {-1, 1}
    with pytest.raises(ValueError, match="features"):
        cdlab.solve(P, tol=0.1).proved().decisions(X[:, :3])


def test_beyond_exact_sizes_the_gap_has_its_rounding(monkeypatch):
    for how in ({}, {"intercept": True, "weights": True}):
        P = made("hinge", 4, **how)
        s = cdlab.solve(P, tol=1e-14)
        exact = s.proved()
        with monkeypatch.context() as changed:
            changed.setattr("cdlab.proofs.digits.EXACT_NONZEROS", 0)
            rounded = s.proved()
        assert holds(rounded, *optimum(P, s)[:2])
        assert np.all(rounded.high - rounded.low >= exact.high - exact.low)
        assert rounded.digits.min() >= 3


def test_what_cannot_be_proved_is_refused_or_empty():
    P = made("squared", 0)
    loaded = pickle.loads(pickle.dumps(cdlab.solve(P)))
    with pytest.raises(ValueError, match="without its problem"):
        loaded.proved()
    nan = np.full(4, np.nan)
    assert str(prove(P, nan, 0.0, np.zeros(P.n))).startswith("nothing is proved")


@each_of("intercept", [False, True])
def test_weights_at_bounds_are_proved(intercept):
    """The slopes at rest are far from where w_j would move, so that each is known to the last digit."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    y = X @ np.array([1, -2, 0.3, 0.5, 2]) + rng.standard_normal(60)
    low, high = np.array([-np.inf, 0, -1, 0, -0.1]), np.array([np.inf, 1, 1, np.inf, 0.1])
    P = cdlab.Problem(X, y, loss="squared", l2=0.01, lower=low, upper=high, intercept=intercept)
    s = cdlab.solve(P, tol=1e-13)
    known = s.proved()
    w = scipy.optimize.lsq_linear(
        np.vstack([X - intercept * X.mean(0), np.sqrt(0.6) * np.eye(5)]),
        np.append(y - intercept * y.mean(), np.zeros(5)),
        (low, high),
        tol=1e-15,
    ).x
    assert (known.low <= w + 1e-8).all()
    assert (known.high >= w - 1e-8).all()
    assert (known.low[1], known.high[1]) == (0.0, 0.0)
    assert (known.low[4], known.high[4]) == (0.1, 0.1)
    assert (known.high - known.low).max() < 1e-5
