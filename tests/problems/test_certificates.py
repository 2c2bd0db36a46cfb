"""What a measurement certifies where there is no duality gap."""

import numpy as np
import pytest
from cases import each_of
from problems import data, problem

import cdlab
from cdlab.methods import Points
from cdlab.problems.certificates import Certificate, certificate
from cdlab.problems.convexity import strong_convexity
from cdlab.problems.rounding import gap_between
from cdlab.runs.trace import Record, relative_gap


def least_squares():
    P = problem("squared", l2=0.0)
    w = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    return P, w


def test_the_gradient_certifies_a_strongly_convex_problem():
    """P(w) - P* <= ||grad P(w)||^2/(2 mu), with mu = lambda_min(X'X)/n for the squared loss (c = 1/2)."""
    P, best = least_squares()
    mu = strong_convexity(P, "compute")
    assert mu == pytest.approx(np.linalg.svd(P.X, compute_uv=False)[-1] ** 2 / P.n)
    for shift in np.random.default_rng(0).standard_normal((20, 8)):
        known = certificate(P, Points(best + shift, None), mu)
        assert known.dual <= P.primal(best) + 1e-12
        assert known.gap >= P.primal(best + shift) - P.primal(best) - 1e-12


def test_without_mu_there_is_a_gradient_and_no_bound():
    P, best = least_squares()
    known = certificate(P, Points(best, None), None)
    assert known.gap == np.inf
    assert known.gradient < 1e-12


def test_non_smooth_without_a_regulariser_has_neither():
    known = certificate(problem("hinge", l2=0.0), Points(np.zeros(8), None), None)
    assert known.gap == np.inf
    assert np.isnan(known.gradient)


@each_of(
    "settings, mu, sentence",
    [
        ({"l2": 0.1}, 0.5, "leave strong_convexity out"),
        ({"l2": 0.0, "l1": 0.1}, 0.5, "leave strong_convexity out"),
        ({"l2": 0.0}, -1.0, "strong_convexity must be a number > 0"),
        ({"l2": 0.0}, "guess", "strong_convexity must be a number > 0"),
        ({"l2": 0.0}, "compute", "squared loss only"),
        ({"l2": 0.0, "loss": "squared", "n": 5, "d": 8}, "compute", "more columns than rows"),
    ],
)
def test_what_is_refused(settings, mu, sentence):
    with pytest.raises(ValueError, match=sentence):
        strong_convexity(problem(**settings), mu)


def test_dependent_columns_have_no_mu():
    P = cdlab.Problem(np.ones((4, 2)), [1.0, 2, 3, 4], loss="squared", l2=0.0)
    with pytest.raises(ValueError, match="strong_convexity = 0"):
        strong_convexity(P, "compute")


NOT_FINITE = [(np.nan, 0.0), (1.0, np.nan), (np.inf, 0.0), (1.0, np.inf), (1.0, -np.inf)]


@each_of("values", [*NOT_FINITE, (0.5, 0.6)])
def test_what_is_not_finite_or_contradicts_weak_duality_certifies_nothing(values):
    """max(0, nan) is 0 in Python, and P - D < 0 beyond rounding means that one of the two is wrong."""
    assert Certificate(*values, np.nan, 0.0).gap == np.inf


@each_of("values", NOT_FINITE)
def test_no_relative_gap_without_finite_values(values):
    assert relative_gap(Record(1, 1.0, 0.0, *values, 0.0, np.nan), 1.0) == np.inf
    assert relative_gap(Record(1, 1.0, 0.0, 1.0, 0.5, 0.5, np.nan), np.inf) == np.inf


def test_rounding_below_zero_is_a_gap_of_zero():
    assert gap_between(1.0, 1.0 + 1e-15, 1e-14) == 1e-14


def unlike_columns():
    """A regression whose columns differ by eight orders of magnitude: a step that is right for most is too long."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6)) * 10.0 ** np.arange(-4, 5, 1.6)
    return cdlab.Problem(X, X @ rng.standard_normal(6), loss="squared", l2=1 / 60)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered")  # where kernels run as Python
@pytest.mark.parametrize("method", ["saga", "sag", "svrg"])
def test_a_run_that_diverges_reaches_nothing(method):
    s = cdlab.solve(unlike_columns(), method, step=0.5, tol=1e-6, max_passes=2000)
    assert s.status == "diverged"
    assert s.relative_gap >= 0.99  # what is returned is the start, and D(0)
    assert s.trace.reached(1e-6) == np.inf


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered")  # where kernels run as Python
def test_a_race_with_a_diverged_run_is_certified_by_the_others_alone():
    P = unlike_columns()
    race = cdlab.race(P, [("saga", {"step": 0.5}), "sdca"], max_passes=300)
    assert race[0][0].meta["status"] == "diverged"
    assert race.certificate == pytest.approx(race.optimum - np.max(race[1][0].column("dual")), rel=1e-5, abs=1e-12)
    alone = cdlab.race(P, [("saga", {"step": 0.5})], max_passes=300)
    assert alone.winner(1e-6) is None


@pytest.mark.parametrize("l2", [0.1, 0.0])
def test_a_maintained_vector_that_is_not_a_number_gives_no_lower_bound(l2):
    """With l2 = 0 < l1 the dual rescales alpha by l1/||v||: min(1, l1/nan) is 1 in Python."""
    P = problem("squared", l2=l2, l1=0.1)
    assert gap_between(P.primal(np.zeros(P.d)), P.dual(np.zeros(P.n), v=np.full(P.d, np.nan)), 0.0) == np.inf


def test_the_gap_of_points_that_are_not_numbers_is_infinite():
    P = problem()
    assert P.gap(np.full(P.d, np.nan), np.zeros(P.n)) == np.inf
    assert P.gap(np.zeros(P.d), np.full(P.n, np.nan)) == np.inf


@pytest.mark.parametrize("mu", [1e9, 2.0])
def test_strong_convexity_is_at_most_smoothness(mu):
    P, _ = least_squares()
    too_large = mu * np.linalg.norm(P.X, 2) ** 2 / P.n
    with pytest.raises(ValueError, match="cannot be true: P is only"):
        cdlab.solve(P, "gd", strong_convexity=too_large)


def test_a_modulus_that_the_run_refutes_is_no_certificate():
    """P - ||grad P||^2/(2 mu) is a lower bound for a true mu; a smaller P(w) shows that mu is not."""
    P, _ = least_squares()
    with pytest.raises(ValueError, match="is not true of this problem"):
        cdlab.solve(P, "gd", strong_convexity=0.9 * np.linalg.norm(P.X, 2) ** 2 / P.n, tol=0, max_passes=50)


def test_where_P_is_flat_along_a_direction_no_modulus_is_believed():
    X, y = data()
    for flat in (X[:5], np.hstack([X, np.zeros((30, 1))])):
        P = cdlab.Problem(flat, y[: len(flat)], loss="squared", l2=0)
        with pytest.raises(ValueError, match="P is not strongly convex"):
            cdlab.solve(P, "gd", strong_convexity=1e-9)


@pytest.mark.full
def test_a_method_keeps_its_own_mu():
    """`mu` sets the steps of the proximal point methods; what certifies is called strong_convexity."""
    P, _ = least_squares()
    assert cdlab.solve(P, "acc_appa", mu=0.05, max_passes=2).trace.meta["method"] == "acc_appa(mu=0.05)"
    with pytest.raises(TypeError, match="gd has no parameter mu"):
        cdlab.solve(P, "gd", mu=0.05)


@each_of("loss", ["absolute", "huber", "hinge", "squared_hinge"])
@each_of("l2, l1", [(0.0, 1e-3), (1e-3, 0.0)])
def test_where_rounding_leaves_an_alpha_nothing_zero_certifies_more(loss, l2, l1):
    """Two rows with a fill value, whose alpha cancel: D(alpha) is worth nothing beside its rounding, D(0) is."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 3)), rng.standard_normal(100)
    X[:2, 1], y[:2] = 1e30, (5, -5)
    P = cdlab.Problem(X, np.sign(y) if "hinge" in loss else y, loss, l2=l2, l1=l1, intercept=True).centred
    w = P.start.w
    at_zero = certificate(P, Points(w, P.zeros(P.n)), None)
    known = certificate(P, Points(w, P.start.alpha), None)
    assert known.gap <= at_zero.gap


def test_a_fill_value_does_not_end_a_run_where_it_begins():
    """The best constant is no optimum here, and a run that stayed there would have to warn."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 3)), rng.standard_normal(100)
    X[:2, 1], y[:2] = 1e30, (5, -5)
    y[2:] += 3 * X[2:, 0]
    P = cdlab.Problem(X, y, "absolute", l2=0, l1=1e-3, intercept=True)
    s = cdlab.solve(P, max_passes=500)
    assert s.record.primal < 0.5 * P.at_zero
