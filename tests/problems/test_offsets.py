"""Offsets o_i: the loss is phi(x_i'w + o_i; y_i), as if a column of X had the coefficient 1."""

import numpy as np
import pytest
from cases import each_of
from scipy.optimize import check_grad, minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import cdlab

X = np.array([[1, -2, 0.5], [0, 1, -1], [2, 0.5, 1], [-1, 1.5, 0], [0.5, -0.5, 2]])
REAL, SIGNS = np.array([1.5, -0.5, 3, 0.5, 2]), np.array([1.0, -1, 1, -1, 1])
S, O = np.array([1, 2, 0.5, 1, 1.5]), np.array([0.2, -0.1, 0, 0.5, -0.3])
SMOOTH = [("squared", REAL), ("huber", REAL), ("logistic", SIGNS), ("squared_hinge", SIGNS), ("smooth_hinge", SIGNS)]
OTHERS = ["rcd", "auto", "saga", "newton_cd", "rcd"]
KINKS = [("absolute", REAL), ("hinge", SIGNS)]


def with_offset(loss, y, o=O, **options):
    return cdlab.Problem(X, y, loss, **{"l2": 0.1, "sample_weight": S, "offset": o, **options})


def value(s):
    return s.trace.records[-1].primal


@each_of("loss, y", [*SMOOTH, *KINKS])
def test_the_objective_is_that_of_moved_predictions(loss, y):
    """By the formulas of the loss itself; and P >= D, with equality of D's supremum at alpha = -phi'."""
    P, plain, w = with_offset(loss, y), cdlab.losses.resolve(loss), np.array([0.3, -0.7, 0.2])
    z = X @ w + O
    mean = np.average([plain.phi(*each) for each in zip(z, y, strict=True)], weights=S)
    assert P.primal(w) == pytest.approx(mean + 0.05 * w @ w, rel=1e-13)
    slopes = np.array([plain.grad_phi(*each) for each in zip(z, y, strict=True)])
    assert P.alpha(w) == pytest.approx(-S / S.mean() * slopes, rel=1e-13)
    rng = np.random.default_rng(0)
    for _ in range(20):
        alpha = rng.random(5) * P.alpha(rng.standard_normal(3))
        assert P.dual(alpha) <= P.primal(rng.standard_normal(3)) + 1e-12


@each_of("loss, y, other", [(*each, other) for each, other in zip(SMOOTH, OTHERS, strict=True)])
def test_every_kind_of_method_agrees_with_scipy(loss, y, other):
    P = with_offset(loss, y)
    assert check_grad(P.primal, P.gradient, np.array([0.1, 0.2, -0.3])) < 1e-5
    best = minimize(P.primal, np.zeros(3), jac=P.gradient, method="BFGS", options={"gtol": 1e-11}).fun
    for method in ("sdca", other):  # the steps of each loss, and each other kind on one
        assert value(cdlab.solve(P, method, tol=1e-10, max_passes=10**5)) == pytest.approx(best, rel=1e-8)


@each_of("s", [None, S])
def test_golden_optima_of_the_logistic_loss(s):
    """Optima whose KKT conditions were checked in rational arithmetic."""
    known = {True: (0.22423497964, [0.903078087, -0.8278565867, 0.9024265095], -0.1856926857)}
    known[False] = (0.220729971001, [0.7200190255, -0.8696418846, 1.007055267], -0.3859252875)
    best, w, b = known[s is None]
    found = cdlab.solve(with_offset("logistic", SIGNS, intercept=True, sample_weight=s), tol=1e-13)
    assert value(found) == pytest.approx(best, rel=1e-9)
    assert found.w == pytest.approx(np.array(w), abs=1e-6)
    assert found.intercept == pytest.approx(b, abs=1e-6)


@each_of("loss, y", SMOOTH)
def test_an_offset_alike_everywhere_moves_the_intercept(loss, y):
    plain, moved = (cdlab.solve(with_offset(loss, y, o, intercept=True), tol=1e-12) for o in (O, O + 3))
    assert value(moved) == pytest.approx(value(plain), rel=1e-9)
    assert moved.intercept == pytest.approx(plain.intercept - 3, abs=1e-4)


@each_of("loss, y", [*SMOOTH, *KINKS])
def test_certify_knows_the_offset(loss, y):
    P = with_offset(loss, y)
    s = cdlab.solve(P, tol=1e-6)
    given = cdlab.certify(s.w, X, y, loss, 0.1, sample_weight=S, offset=O)
    assert cdlab.certify(s, X, y).primal == pytest.approx(given.primal, rel=1e-12)
    assert given.primal == pytest.approx(value(s), rel=1e-12)
    assert given.relative_gap <= 1e-4
    assert cdlab.certify(s.w, X, y, loss, 0.1, sample_weight=S).relative_gap > 1e-3


@each_of("loss, y", [*SMOOTH, *KINKS])
def test_test_data_have_offsets_of_their_own(loss, y):
    P, w = with_offset(loss, y), np.array([0.3, -0.7, 0.2])
    scores = P.test_scores(w, P.test_data(X[:3], y[:3], O[:3]))
    plain = cdlab.losses.resolve(loss)
    mean = np.mean([plain.phi(*each) for each in zip(X[:3] @ w + O[:3], y[:3], strict=True)])
    assert scores.test_loss == pytest.approx(mean, rel=1e-13)
    with pytest.raises(ValueError, match="give that of the test data"):
        P.test_data(X[:3], y[:3])
    traced = cdlab.solve(P, test=(X, y, O), tol=1e-3)
    assert np.isfinite(traced.trace.records[-1].test_loss)


def test_an_offset_is_part_of_the_data():
    P = with_offset("logistic", SIGNS, sample_weight=None)
    weighed = cdlab.Problem(X, SIGNS, sample_weight=np.abs(O))
    digests = {P.digest, weighed.digest, with_offset("logistic", SIGNS, np.zeros(5), sample_weight=None).digest}
    assert len(digests) == 3
    assert "offsets -0.3 to 0.5" in repr(P)
    assert P.with_(loss="squared").targets == pytest.approx(SIGNS - O)


@each_of(
    "loss, y, o, sentence",
    [
        ("logistic", SIGNS, O[:3], "offset must have shape (5,), one number for each row of X; it has (3,)"),
        ("squared", REAL, [0, np.nan, 1, 2, 3], "offset must hold finite numbers; that of example 1"),
        ("squared", REAL, ["a"] * 5, "offset must hold real numbers"),
        ("softmax", [0, 1, 2, 1, 0], O, "softmax takes no offset"),
    ],
)
def test_refusals(loss, y, o, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        cdlab.Problem(X, y, loss, offset=o)
    assert sentence in str(caught.value)


def test_a_foreign_model_and_a_store_refuse_offsets(tmp_path):
    model = LogisticRegression().fit(X, SIGNS)
    with pytest.raises(ValueError, match="certify takes no offset with LogisticRegression"):
        cdlab.certify(model, X, SIGNS, offset=O)
    with pytest.raises(ValueError, match="leave store out"):
        cdlab.race(with_offset("logistic", SIGNS), ["sdca"], store=tmp_path / "store", max_passes=3)


def test_a_solution_asks_for_the_offsets_of_new_examples(tmp_path):
    s = cdlab.solve(with_offset("logistic", SIGNS, intercept=True))
    s.save(tmp_path / "s.npz")
    for each in (s, cdlab.load_solution(tmp_path / "s.npz")):
        assert each.decision_function(X, O) == pytest.approx(X @ s.w + s.intercept + O, rel=1e-14)
        assert np.array_equal(each.predict_proba(X, 0)[:, 1], expit(X @ s.w + s.intercept))
        with pytest.raises(ValueError, match="pass offset=0 for the baseline"):
            each.predict(X)
