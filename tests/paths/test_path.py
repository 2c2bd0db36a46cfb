"""A path is its solutions, each certified, found with less work than one by one."""

import itertools

import numpy as np
import pytest
from cases import each_of
from sklearn.linear_model import ElasticNet

import cdlab

L2 = [1e-1, 1e-2, 1e-3]


def problem(**options):
    X, y = cdlab.datasets.make(n=120, d=15, density=0.5, seed=2)
    return cdlab.Problem(X, y, **options)


def alone(l2, l1=0.0, **options):
    X, y = cdlab.datasets.make(n=120, d=15, density=0.5, seed=2)
    return cdlab.Problem(X, y, l2=l2, l1=l1, **options)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "softmax"])
def test_every_solution_is_certified_for_its_own_weights(loss):
    along = cdlab.path(problem(loss=loss), l2=L2, tol=1e-4)
    assert list(along.l2) == L2
    for l2, s in zip(L2, along, strict=True):
        P = alone(l2, loss=loss)
        assert s.status == "tolerance reached"
        assert P.gap(s.w, s.alpha) <= 1e-4 * (P.primal(P.zeros(P.d)) - P.dual(s.alpha)) * (1 + 1e-9)


def test_the_order_in_which_weights_are_given_makes_no_difference():
    one, other = (cdlab.path(problem(), l2=order, tol=1e-6) for order in (L2, L2[::-1]))
    for s, t in zip(one, other, strict=True):
        np.testing.assert_array_equal(s.w, t.w)


def test_pairs_go_from_strong_to_weak():
    along = cdlab.path(problem(), l2=[1e-3, 1e-1], l1=[1e-4, 1e-2], method="sdca", tol=1e-3)
    assert list(zip(along.l1, along.l2, strict=True)) == list(itertools.product([1e-2, 1e-4], [1e-1, 1e-3]))


def test_starting_from_the_neighbour_takes_fewer_passes():
    weights = np.geomspace(1e-1, 1e-3, 12)
    warm = cdlab.path(problem(), l2=weights, tol=1e-8).to_frame()["passes"].sum()
    cold = sum(cdlab.solve(alone(l2), tol=1e-8).trace.records[-1].passes for l2 in weights)
    assert warm < 0.8 * cold


def test_other_weights_share_the_data():
    P = problem()
    columns = P.columns
    Q = P.with_(l2=0.5, l1=0.25)
    assert (Q.l2, Q.l1, Q.by_rows.reg.l2, Q.by_columns.reg.l1) == (0.5, 0.25, 0.5, 0.25)
    assert np.shares_memory(Q.columns.a, columns.a)
    assert P.by_columns.reg.l2 == P.l2 == 1e-3


def test_a_table_of_the_path():
    frame = cdlab.path(problem(), l2=L2, l1=1e-2, tol=1e-9).to_frame()
    assert list(frame["l2"]) == L2
    assert (frame["l1"] == 1e-2).all()
    assert (frame["relative_gap"] <= 1e-9).all()
    assert list(frame["nonzeros"]) == [np.count_nonzero(cdlab.solve(alone(l2, 1e-2), tol=1e-9).w) for l2 in L2]


def test_a_path_that_is_stopped_at_once_is_an_empty_table():
    frame = cdlab.path(problem(), l2=L2, stop=lambda _: True).to_frame()
    assert (len(frame), list(frame.columns[:3])) == (0, ["l2", "l1", "method"])


def test_a_path_that_is_stopped_keeps_what_was_found():
    seen = []
    along = cdlab.path(problem(), l2=L2, on_solution=lambda *found: seen.append(found), stop=lambda _: len(seen) == 2)
    assert [found[0] for found in seen] == list(along.l2) == L2[:2]


@each_of(
    "options, sentence",
    [
        ({"l2": []}, "l2 is an empty list"),
        ({"l2": [0.1, 0.1]}, "given twice"),
        ({"l2": [0.1, -1]}, "finite number >= 0"),
        ({"l2": [0.1, "a"]}, "must be a number"),
        ({"method": "sdca", "l2": [0.1, 0]}, "needs l2 > 0"),
        ({"l1": "0.1"}, "must be a number"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_solved(options, sentence):
    def never(*_):
        raise AssertionError("a solution was found")

    with pytest.raises((ValueError, TypeError), match=sentence):
        cdlab.path(problem(), **options, on_solution=never)


@each_of("n, d", [(40, 8), (12, 60)])  # by a Gram matrix of features, and of examples
def test_weights_of_l2_share_the_products_of_the_data(n, d):
    X, y = cdlab.datasets.make(n=n, d=d, seed=3, task="regression")
    P, weights = cdlab.Problem(X, y, "squared"), [1.0, 0.1, 0.01]
    along = cdlab.path(P, "newton_cd", l2=weights, l1=0.0, tol=1e-9)
    alone = [cdlab.solve(P.with_(l2=l2, l1=0.0), "newton_cd", tol=1e-9) for l2 in weights]
    for s, other in zip(along, alone, strict=True):
        np.testing.assert_allclose(s.w, other.w, rtol=1e-6, atol=1e-9)
        assert s.relative_gap <= 1e-9
    assert along[-1].trace.records[-1].passes < 0.5 * alone[-1].trace.records[-1].passes
    assert P.shared is None  # nothing is kept beyond the path


def test_elastic_nets_at_a_fixed_share_of_l1():
    X, y = cdlab.datasets.make(n=40, d=8, seed=0, task="regression")
    problem, weights = cdlab.Problem(X, y, "squared", l2=0, l1=0), [0.01, 0.3, 0.1]
    for share in (0.3, 1.0):
        along = cdlab.path(problem, weights=weights, l1_ratio=share, tol=1e-10)
        for a, s in zip(sorted(weights, reverse=True), along, strict=True):
            there = ElasticNet(a, l1_ratio=share, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y)
            np.testing.assert_allclose(s.w, there.coef_, atol=1e-5)
        np.testing.assert_allclose(along.l1, share / (1 - share) * along.l2 if share < 1 else [0.3, 0.1, 0.01])
    assert len(cdlab.path(problem, weights=weights)) == 3
    for given in ({"l1_ratio": 0.5}, {"weights": weights, "l1": 0.1}, {"weights": weights, "l2": 0.1}):
        with pytest.raises(ValueError, match="give weights"):
            cdlab.path(problem, **given)
    with pytest.raises(ValueError, match="l1_ratio must be a number from 0 to 1"):
        cdlab.path(problem, weights=weights, l1_ratio=2)


# ------------------------------------------------------------ quantiles, and losses with kinks
def prices(free):
    X, y = cdlab.datasets.make(n=80, d=6, seed=3, task="regression")
    return cdlab.Problem(X, y, "pinball", 1e-2, intercept=free)


@each_of("free", [True, False])
@each_of("method", ["auto", "ssnal"])
def test_each_quantile_is_that_of_a_single_solve(free, method):
    P, quantiles = prices(free), [0.9, 0.1, 0.5, 0.25]
    along = cdlab.path(P, method, quantiles=quantiles, tol=1e-8)
    assert along.quantiles.tolist() == sorted(quantiles) == along.to_frame()["quantile"].tolist()
    for quantile, s in zip(along.quantiles, along, strict=True):
        own = P.with_(loss=cdlab.losses.Pinball(quantile))
        single = cdlab.solve(own, tol=1e-8)
        assert own.gap(own.point(s.w, s.intercept) if not free else np.append(s.w, s.intercept), s.alpha) <= s.gap * 2
        assert s.trace.records[-1].primal == pytest.approx(single.trace.records[-1].primal, rel=1e-6)


def test_a_quantile_begins_where_the_one_before_it_ended():
    """alpha moves with its interval [quantile - 1, quantile]: at 0.5 and 0.500001 it is nearly the same point."""
    along = cdlab.path(prices(True), "ssnal", quantiles=[0.5, 0.500001], tol=1e-6)
    first, second = (len(s.trace.records) for s in along)
    assert second < first / 2


def test_a_path_of_l1_takes_losses_with_kinks():
    P = prices(True)
    along = cdlab.path(P, l2=0, l1=[0.1, 0.01], tol=1e-7)
    assert np.isnan(along.quantiles).all()
    assert "quantile" not in along.to_frame()
    for l1, s in zip(along.l1, along, strict=True):
        single = cdlab.solve(P.with_(l2=0, l1=l1), tol=1e-7)
        assert s.trace.records[-1].primal == pytest.approx(single.trace.records[-1].primal, rel=1e-6)


@each_of(
    "options, sentence",
    [
        ({"quantiles": [0.1, 0.1]}, "none twice"),
        ({"quantiles": []}, "at least one"),
        ({"quantiles": [0.5, 1.0]}, r"a number in \(0, 1\), not 1.0"),
        ({"quantiles": [0.5], "l2": 0.1}, "the weights of quantiles are the problem's own"),
    ],
)
def test_quantiles_that_are_none_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cdlab.path(prices(False), **options)


def test_quantiles_are_of_the_pinball_loss():
    with pytest.raises(ValueError, match="this problem's is logistic: take loss='pinball'"):
        cdlab.path(problem(), quantiles=[0.5])
