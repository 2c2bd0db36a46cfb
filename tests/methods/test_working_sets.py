"""rcd over working sets: the answer and the certificate are those of all features."""

import numpy as np
import pytest
from cases import pushed
from problems import SMOOTH, optimum, problem

import cdlab
from cdlab.methods import Points, WorkingSet
from cdlab.methods.rcd import RCD
from cdlab.methods.wrappers import working_set


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("l2", [0.0, 0.05])
@pytest.mark.parametrize("loss", pushed(SMOOTH, "squared", "logistic"))
def test_a_run_ends_at_the_optimum_of_all_features_with_a_certificate(loss, l2, sparse):
    P, best = problem(loss, l2=l2, l1=0.05, sparse=sparse), optimum(loss, l2, 0.05)
    s = cdlab.solve(P, "rcd", sampling="cyclic", working_set=True, tol=1e-9)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - best) < 1e-7
    duals = [record.dual for record in s.trace.records]
    assert all(dual <= best + 1e-8 for dual in duals)
    assert duals == sorted(duals), "the best dual point so far is kept"
    assert s.trace.records[-1].dual == pytest.approx(P.dual(s.alpha), rel=1e-12)


def wide(l1):
    X, y = cdlab.datasets.make(n=40, d=500, seed=0, task="regression")
    return cdlab.Problem(X, y, loss="squared", l2=0.0, l1=l1)


def test_a_set_holds_what_is_in_use_and_what_is_nearest_to_leaving_0():
    P = wide(0.05)
    w = np.zeros(P.d)
    w[[3, 7, 11, 200, 201, 202, 203]] = 1e-3  # twice as many are fewer than MIN_SET_SIZE
    S = WorkingSet(RCD()).init(P, "cyclic", Points(w, None))
    taken = working_set.next_set(P, S)
    assert taken.sum() == working_set.MIN_SET_SIZE
    assert taken[w != 0].all()
    room = (P.l1 - np.abs(P.v(P.alpha(w)))) / np.linalg.norm(P.X, axis=0)
    free = w == 0
    assert room[taken & free].max() <= room[~taken].min()


def test_few_features_are_swept_and_many_are_left_out():
    P = wide(0.3)
    sets = cdlab.solve(P, "rcd", sampling="cyclic", working_set=True, tol=1e-8)
    all_of_them = cdlab.solve(P, "rcd", sampling="cyclic", tol=1e-8, max_passes=10_000)
    assert sets.status == all_of_them.status == "tolerance reached"
    assert P.primal(sets.w) == pytest.approx(P.primal(all_of_them.w), rel=1e-8)
    assert sets.trace.records[-1].passes < all_of_them.trace.records[-1].passes


def test_passes_count_sweeps_looks_and_the_start(monkeypatch):
    """A sweep visits the set's nonzeros, a look at a column half of them; X is dense here."""
    P, seen, epoch = wide(0.1), [], RCD.epoch

    def watched(self, view, S, order):
        if order.size:
            seen.append((order.size, np.unique(order).size))
        return epoch(self, view, S, order)

    monkeypatch.setattr(RCD, "epoch", watched)
    run = cdlab.iterate(P, WorkingSet(RCD()), sampling="cyclic")
    next(run)
    record = next(run)
    updates = sum(size for size, _ in seen)
    looks = sum(few for _, few in seen) / working_set.POINTS
    assert record.iteration == updates
    assert record.passes * P.d == pytest.approx(updates + looks / 2 + (run.w != 0).sum() / 2 + P.d / 2 + P.d / 2)


def test_empty_columns_stay_0():
    X = np.zeros((6, 4))
    X[:, 1:3] = np.random.default_rng(0).standard_normal((6, 2))
    s = cdlab.solve(cdlab.Problem(X, np.ones(6), loss="squared", l2=0.0, l1=0.01), WorkingSet(RCD()), sampling="cyclic")
    assert s.status == "tolerance reached"
    assert s.w[0] == s.w[3] == 0
    zero = cdlab.Problem(np.zeros((3, 2)), np.ones(3), l2=0.0, l1=0.1)
    assert cdlab.solve(zero, WorkingSet(RCD()), sampling="cyclic").gap < 1e-14


def test_what_has_no_working_set_is_refused():
    with pytest.raises(ValueError, match="working_set is for l1 > 0.* this problem has l1 = 0"):
        cdlab.solve(problem(), "rcd", sampling="cyclic", working_set=True)
    with pytest.raises(ValueError, match="sweeps over its set in an order, not by uniform: use cyclic"):
        cdlab.solve(problem(l1=0.1), "rcd", working_set=True)
    with pytest.raises(ValueError, match="with batch_size=2 draws blocks .* cannot follow cyclic"):
        cdlab.solve(problem(l1=0.1), "rcd", sampling="cyclic", working_set=True, batch_size=2)
    with pytest.raises(ValueError, match="no theorem covers rcd with working_set=True"):
        cdlab.theory.bound(WorkingSet(RCD()))
    with pytest.raises(ValueError, match="working_set must be True or False, not 3"):
        WorkingSet(RCD(), 3)
