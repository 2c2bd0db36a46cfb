"""What a certificate settles is so at the optimum: counts, values and signs, at any points and by any method."""

import numpy as np
import pytest
from cases import each_of, pushed
from hypothesis import given
from hypothesis import strategies as st
from problems import LOSSES, minimiser, problem

import cdlab
from cdlab.certificates import balls, settled_curve

FAR = 1e-6  # how far the referee's w* may be off
SIZE = {"n": 25, "d": 6, "seed": 0}
STRAIGHT = ["hinge", "smooth_hinge", "squared_hinge", "absolute", "huber"]


def check(P, best, known):
    z = P.predict(best)
    for side in (-FAR, FAR):  # on both sides of the referee's prediction: it is inside a straight part
        there = P.alpha(best, z=z + side)
        np.testing.assert_allclose(there[known.examples], known.alpha[known.examples], atol=10 * FAR)
    assert np.abs(best[known.zeros]).max(initial=0.0) <= FAR
    signed = known.signs != 0
    assert (np.sign(best[signed]) == known.signs[signed]).all()
    assert not (known.zeros & signed).any()


@pytest.mark.parametrize("loss", LOSSES)
@given(st.sampled_from([0.05, 0.3]), st.sampled_from([0.0, 0.05]), st.floats(0, 1), st.integers(0, 10**6))
def test_nothing_is_settled_that_is_not_so(loss, l2, l1, near, seed):
    """At w and alpha that have nothing to do with each other, at any distance."""
    P, best = problem(loss, l2=l2, l1=l1, **SIZE), minimiser(loss, l2, l1, **SIZE)
    rng = np.random.default_rng(seed)
    w = best + near**4 * rng.standard_normal(P.d)
    alpha = P.alpha(best + near**4 * rng.standard_normal(P.d))
    check(P, best, balls(P, (w, alpha)))


@pytest.mark.parametrize("loss", pushed(STRAIGHT, STRAIGHT[0]))
def test_a_solution_knows_what_it_settles(loss):
    P, best = problem(loss, l2=0.1, **SIZE), minimiser(loss, 0.1, 0.0, **SIZE)
    for method in ("sdca", "rcd", "fista")[: 3 if P.loss.gamma > 0 else 1]:
        s = cdlab.solve(P, method, tol=1e-9, max_passes=100_000)
        check(P, best, s.certified)
        z = P.predict(best)
        straight = P.alpha(best, z=z - 0.01) == P.alpha(best, z=z + 0.01)
        assert straight.any()
        assert s.certified.examples[straight].all()
        assert (s.certified.signs[np.abs(best) > 0.01] != 0).all()
        counts = f"{np.count_nonzero(s.certified.examples)} of {P.n} examples"
        assert counts in repr(s)
        assert "Certain at the optimum: alpha_i" in s._repr_html_()


@each_of("loss, l2", [("squared", 0.0), ("squared", 0.1), ("logistic", 0.0), ("huber", 0.1), ("squared_hinge", 0.0)])
def test_near_the_optimum_zeros_and_signs_of_features_are_settled(loss, l2):
    P, best = problem(loss, l2=l2, l1=0.08, **SIZE), minimiser(loss, l2, 0.08, **SIZE)
    s = cdlab.solve(P, "rcd", tol=1e-11, max_passes=100_000)
    check(P, best, s.certified)
    slack = P.l1 - np.abs(P.v(P.alpha(best)))
    assert s.certified.zeros[slack > 1e-3].all()
    assert (slack > 1e-3).any()
    if l2 > 0:
        assert (s.certified.signs[np.abs(best) > 0.01] != 0).all()


def test_weights_and_an_intercept_settle_no_less_truly():
    X, y = cdlab.datasets.make(n=40, d=5, seed=3)
    weight = 1.0 + np.arange(40) % 3
    P = cdlab.Problem(X, y, loss="smooth_hinge", l2=0.1, sample_weight=weight)
    known, best = cdlab.solve(P, tol=1e-6).certified, cdlab.solve(P, tol=1e-12, max_passes=None, max_seconds=9)
    there = P.alpha(best.w)
    assert known.examples.sum() > 5
    np.testing.assert_allclose(there[known.examples], known.alpha[known.examples], atol=1e-9)
    P = cdlab.Problem(X, y, loss="logistic", l2=0.01, l1=0.05, intercept=True)
    known, best = cdlab.solve(P, tol=1e-7).certified, cdlab.solve(P, tol=1e-12, max_passes=None, max_seconds=9)
    assert known.zeros.any()
    assert not known.examples.any()
    assert (best.w[known.zeros[:-1]] == 0).all()


def test_the_middle_of_two_points_settles_more_than_either_end():
    """The ball around (w + w(alpha))/2 is half as large as that around w = w(alpha), which the gap alone gives."""
    P = problem("huber", l2=0.05, **SIZE)
    s = cdlab.solve(P, "gd", tol=1e-3, max_passes=1000)
    known = balls(P, s)
    norms = np.sqrt(P.row_profile.norms2)
    far = np.abs(P.y - P.predict(s.w)) > P.loss.gamma + np.sqrt(2 * s.gap / P.l2) * norms
    assert known.examples[far].all()
    assert np.count_nonzero(known.examples) >= np.count_nonzero(far)


def test_the_settled_share_rises_along_a_run_to_all_that_is_not_on_a_bend():
    P = problem("smooth_hinge", l2=0.1, **SIZE)
    curve = settled_curve(P, "sdca", sampling="permutation", tol=1e-9, max_passes=1000)
    assert (curve.examples[0], curve.examples[-1] > 0.2) == (0.0, True)
    assert curve.features[-1] == 1.0
    assert (np.diff(curve.passes) > 0).all()
    assert curve.relative_gap[-1] <= 1e-9
    frame = curve.to_frame()
    assert list(frame) == ["passes", "relative_gap", "examples", "features"]


@each_of(
    "loss, l1, method",
    [("smooth_hinge", 0.0, "sdca"), ("huber", 0.05, "rcd"), ("squared", 0.08, "fista"), ("hinge", 0.0, "sdca")],
)
def test_what_is_proved_once_stays_proved_and_is_so(loss, l1, method):
    P, best = problem(loss, l2=0.1, l1=l1, **SIZE), minimiser(loss, 0.1, l1, **SIZE)
    curve = settled_curve(P, method, sampling=None if method == "fista" else "norms", tol=1e-8, max_passes=2000)
    for share, end in ((curve.examples, curve.known.examples), (curve.features, curve.known.features)):
        assert (np.diff(share) >= 0).all()
        assert share[-1] == end.mean()
    check(P, best, curve.known)


def test_two_points_prove_together_what_either_proves():
    P, best = problem("huber", l2=0.1, l1=0.05, **SIZE), minimiser("huber", 0.1, 0.05, **SIZE)
    rng = np.random.default_rng(0)
    near = [balls(P, (best + 0.01 * rng.standard_normal(P.d), None)) for _ in range(8)]
    together = near[0]
    for known in near[1:]:
        together = known.joined(together)
    check(P, best, together)
    assert (together.examples == np.any([known.examples for known in near], axis=0)).all()
    assert (together.zeros == np.any([known.zeros for known in near], axis=0)).all()
    assert together.values >= max(known.values for known in near) > 0


def test_where_no_ball_is_known_a_sentence_says_why():
    X, y = cdlab.datasets.make(n=20, d=3, seed=0)
    with pytest.raises(ValueError, match="without a regulariser"):
        balls(cdlab.Problem(X, y, l2=0.0), (np.zeros(3), None))
    softmax = cdlab.Problem(X, np.arange(20) % 3, loss="softmax", l2=0.1)
    with pytest.raises(ValueError, match="one prediction"):
        balls(softmax, (np.zeros((3, 3)), None))
    assert cdlab.solve(softmax, tol=1e-3).certified is None
    with pytest.raises(TypeError, match=r"must be a cdlab\.Problem"):
        settled_curve(X)
    assert str(balls(cdlab.Problem(X, y), (np.full(3, 1e300), None))) == "Nothing of the optimum is certain yet."
