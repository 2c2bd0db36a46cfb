"""SDCA on l2 = 0 < l1 through an added l2, certified for the problem without it."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from multiclass import softmax_optimum, softmax_problem
from problems import LOSSES, data, optimum, problem

import cdlab
from cdlab.methods import SDCA, AddedL2, Averaged, Points
from cdlab.methods.wrappers.added_l2 import SOLVED_SHARE, State
from cdlab.problems.proximal import ProximalProblem

AUTO = AddedL2(SDCA(), "auto")
both_forms = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])


@both_forms
@pytest.mark.parametrize("loss", LOSSES)
def test_auto_reaches_the_optimum_of_the_problem_without_it(loss, sparse):
    P = problem(loss, l2=0.0, l1=0.05, sparse=sparse)
    s = cdlab.solve(
        P, AUTO, tol=2e-2 if loss in ("absolute", "pinball", "epsilon_insensitive") else 1e-3, max_passes=5000
    )
    assert s.status == "tolerance reached"
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-15)
    best = optimum(loss, 0.0, 0.05)
    assert -1e-8 <= P.primal(s.w) - best <= s.gap + 1e-8


def test_auto_takes_the_softmax_loss():
    P = softmax_problem(l2=0.0, l1=0.05)
    s = cdlab.solve(P, AUTO, tol=1e-3, max_passes=5000)
    assert s.status == "tolerance reached"
    assert -1e-8 <= P.primal(s.w) - softmax_optimum(0.0, 0.05) <= s.gap + 1e-8


@each_of("loss", ["logistic", "hinge"])
@each_of("added", ["auto", 0.01])
def test_every_recorded_gap_bounds_the_suboptimality(loss, added):
    P, best = problem(loss, l2=0.0, l1=0.05), optimum(loss, 0.0, 0.05)
    for record in cdlab.solve(P, "sdca", added_l2=added, tol=0, max_passes=60).trace.records:
        assert record.dual <= best + 1e-9
        assert record.gap >= record.primal - best - 1e-9


@pytest.mark.parametrize("eps", [0.1, 0.01])
def test_the_a_priori_choice_reaches_eps(eps):
    """l2 = eps (l1/P(0))^2, perturbed problem solved to eps/2: P(w) - P* <= eps (Shalev-Shwartz & Zhang 2012)."""
    P = problem(l2=0.0, l1=0.05)
    Q = ProximalProblem(P, eps * (0.05 / P.primal(np.zeros(P.d))) ** 2, np.zeros(P.d))
    S, orders = (
        SDCA().init(Q, "uniform"),
        SDCA().orders(Q, cdlab.samplings.resolve("permutation"), np.random.default_rng(0)),
    )
    while Q.gap(SDCA().points(Q, S).w, S.alpha) > eps / 2:
        S = SDCA().epoch(Q.by_rows, S, next(orders))
    suboptimality = P.primal(SDCA().points(Q, S).w) - optimum("logistic", 0.0, 0.05)
    assert 0 < suboptimality <= eps


def test_a_number_is_the_perturbed_problem_iterate_by_iterate():
    P = problem(l2=0.0, l1=0.05, sparse=True)
    Q = cdlab.Problem(P.X, P.y, l2=0.02, l1=0.05)
    a = cdlab.solve(P, "sdca", added_l2=0.02, sampling="importance", tol=0, max_passes=5, seed=2, every=1)
    b = cdlab.solve(Q, "sdca", sampling="importance", tol=0, max_passes=5, seed=2, every=1)
    np.testing.assert_array_equal(a.w, b.w)
    np.testing.assert_array_equal(a.alpha, b.alpha)
    assert a.gap == pytest.approx(P.gap(b.w, b.alpha), rel=1e-12)
    assert a.trace.column("passes").tolist() == b.trace.column("passes").tolist()


def test_a_number_stalls_and_auto_goes_on():
    P = problem(l2=0.0, l1=0.05)
    stalled, auto = (cdlab.solve(P, "sdca", added_l2=a, tol=0, max_passes=400) for a in (0.1, "auto"))
    assert auto.gap < 0.05 * stalled.gap


@both_forms
def test_l2_is_halved_when_the_perturbed_problem_is_solved_better_than_p(sparse):
    """And half a pass is counted whenever the two gaps are compared."""
    P = problem(l2=0.0, l1=0.05, sparse=sparse)
    S, view = AUTO.init(P, "uniform"), AUTO.view(P)
    assert S.perturbed.l2 == P.beta * P.R**2 / P.n
    order, weights = np.arange(P.n, dtype=np.uint64), []
    for _ in range(40):
        before, S = S, AUTO.epoch(view, S, order)
        compared = before.epochs + 1 >= 1.25 * before.compared
        assert AUTO.count(P, S, order)[:2] == (P.n, P.nnz + (P.nnz / 2 if compared else 0))
        core, Q = S.core, before.perturbed
        w = Q.w(core.alpha)
        ripe = compared and Q.gap(w, core.alpha) <= SOLVED_SHARE * P.gap(w, core.alpha)
        assert S.perturbed.l2 == (Q.l2 / 2 if ripe else Q.l2)
        np.testing.assert_allclose(core.q, P.row_profile.norms2 / (S.perturbed.l2 * P.n))
        weights.append(S.perturbed.l2)
    assert weights[-1] < weights[0] / 8


def test_a_gap_of_rounding_does_not_lower_l2():
    """w = 0 is optimal from l1 = ||X'phi'(0)||_inf/n on; l2 then stays, and nothing overflows in a long run."""
    P = problem(l2=0.0, l1=10.0)
    s = cdlab.solve(P, AUTO, tol=0, max_passes=3000)
    assert (s.w == 0).all()
    assert s.gap < 1e-14
    long = cdlab.solve(problem("squared", l2=0.0, l1=0.3), AUTO, tol=0, max_passes=3000)
    assert np.isfinite(long.w).all()


def test_orders_know_the_added_l2():
    """Zero rows have probability 0 under importance sampling with l2 = 0: they would keep their gap for ever."""
    X, y = (a.copy() for a in data())
    X[[0, 5]] = 0
    P = cdlab.Problem(X, y, l2=0.0, l1=0.05)
    s = cdlab.solve(P, AUTO, sampling="importance", tol=1e-3, max_passes=5000)
    assert s.status == "tolerance reached"


def test_warming_does_not_move_the_state():
    P = problem(l2=0.0, l1=0.05)
    S = AUTO.init(P, "uniform", Points(None, P.alpha(np.ones(8))))
    copies = [a.copy() for a in S.core]
    AUTO.warm(AUTO.view(P), S)
    for a, b in zip(S.core, copies, strict=True):
        np.testing.assert_array_equal(a, b)
    S.core.v[:] += 1e-6
    AUTO.refresh(P, S)
    np.testing.assert_array_equal(S.core.v, P.v(S.core.alpha))
    assert isinstance(AUTO.lower(S), State)


@each_of("loss", ["squared", "absolute", "hinge"])
@each_of("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
def test_a_zero_matrix_and_zero_targets(loss, form):
    for X, y in ((np.zeros((3, 2)), [1.0, -1, 1]), (np.eye(3), [0.0, 0, 0])):
        s = cdlab.solve(cdlab.Problem(form(X), y, loss=loss, l2=0.0, l1=0.5), AUTO, max_passes=50)
        assert s.status == "tolerance reached"


def test_a_seed_repeats_and_a_solution_resumes():
    P = problem(l2=0.0, l1=0.05)
    straight = cdlab.solve(P, AUTO, tol=0, max_passes=60, seed=4)
    part = cdlab.solve(P, AUTO, tol=0, max_passes=20, seed=4).resume(tol=0, max_passes=60)
    np.testing.assert_array_equal(straight.w, part.w)
    assert straight.trace.label == "sdca(added_l2='auto'), uniform"


# ---------------------------------------------------------------- refusals
def test_without_it_sdca_refuses_and_names_it():
    with pytest.raises(ValueError, match=r"needs l2 > 0 .* l2 = 0 < l1: use added_l2='auto'"):
        cdlab.solve(problem(l2=0.0, l1=0.05), "sdca")


@each_of("added", [None, "auto", 0.1])
def test_without_any_regulariser_sdca_always_refuses(added):
    with pytest.raises(ValueError, match="sdca.*l2 = 0"):
        cdlab.solve(problem(l2=0.0), "sdca", added_l2=added)


def test_it_is_refused_where_l2_is_there_already():
    with pytest.raises(ValueError, match=r"is for l2 = 0 < l1 and this problem has l2 = 0.1, l1 = 0.*added_l2=None"):
        cdlab.solve(problem(), "sdca", added_l2="auto")


@each_of("bad", [0.0, -1.0, np.inf, np.nan, True, "automatic"])
def test_bad_values_are_refused(bad):
    with pytest.raises(ValueError, match="added_l2 must be a finite number > 0, 'auto' or None"):
        AddedL2(SDCA(), bad)
    with pytest.raises(ValueError, match="leave average out"):
        Averaged(AddedL2(SDCA(), 0.1), "half")


def test_samplings_that_do_not_fit_are_refused_as_ever():
    with pytest.raises(ValueError, match="importance sampling needs a smooth loss"):
        cdlab.solve(problem("hinge", l2=0.0, l1=0.05), AUTO, sampling="importance")
