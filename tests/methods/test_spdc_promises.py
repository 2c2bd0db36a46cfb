"""SPDC: what every method owes, its certificate, its passes, and what it refuses."""

import numpy as np
import pytest
from cases import each_of
from problems import problem
from spdc_box import after, blocks, every_kind, primal

import cdlab
from cdlab import testing
from cdlab.methods.spdc import LAST, SPDC, U
from cdlab.problems.proximal import ProximalProblem
from cdlab.samplings import Batches, TauNice


# ---------------------------------------------------------------- what every method owes
@pytest.mark.full
@every_kind
def test_it_keeps_what_a_method_promises(method, sampling):
    assert testing.check_method(method, sampling, max_passes=20_000) is None


@each_of("sampling", ["permutation", "fixed_permutation", "cyclic"])
def test_it_runs_in_orders_that_no_theorem_covers(sampling):
    s = cdlab.solve(problem(l1=0.02), SPDC(), sampling=sampling, tol=1e-8, max_passes=1000)
    assert s.status == "tolerance reached"


def test_how_often_it_is_measured_changes_nothing():
    often, rarely = (
        cdlab.solve(problem("hinge", l1=0.02), SPDC(), tol=0, max_passes=60, every=every) for every in (1, 15)
    )
    np.testing.assert_array_equal(often.w, rarely.w)


def test_the_certificate_is_the_better_of_two_primal_points():
    P, method = problem(l1=0.02), SPDC()
    kinds = set()
    for count in (1, 3, 10, 30, 100, 300):
        S = after(P, method, blocks(P.n, 1, count))
        points, x, w = method.points(P, S), primal(S), P.w(-S.y)
        assert P.primal(points.w) == pytest.approx(min(P.primal(x), P.primal(w)), rel=1e-14)
        kinds.add(P.primal(x) < P.primal(w))
        np.testing.assert_array_equal(points.alpha, -S.y)
        np.testing.assert_allclose(points.z, P.predict(points.w), atol=1e-15)
        np.testing.assert_allclose(points.v, P.v(points.alpha), atol=1e-15)
    assert kinds == {False, True}


@pytest.mark.parametrize("m", [1, 4])
def test_refresh_restores_u_and_leaves_x(m):
    P, method = problem(l1=0.02), SPDC()
    S = after(P, method, blocks(30, m, 50), TauNice(m))
    np.testing.assert_allclose(-S.rows[:, U], P.v(-S.y), atol=1e-15)
    x = primal(S)
    S.rows[:, U] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(-S.rows[:, U], P.v(-S.y), atol=1e-16)
    np.testing.assert_allclose(primal(S), x, atol=1e-14)


def test_passes_are_the_nonzeros_of_the_drawn_examples():
    P, method = problem(sparse=True), SPDC(batch_size=2)
    order = Batches(np.array([3, 0, 3, 7], np.uint64), np.array([0, 2, 4], np.uint64))
    counts = np.diff(P.X.indptr)
    assert method.count(P, after(P, method, order), order)[:2] == (2, 2 * counts[3] + counts[0] + counts[7])
    order = Batches(order.indices, np.arange(5, dtype=np.uint64))
    assert method.count(P, after(P, SPDC(), order), order)[:2] == (4, 2 * counts[3] + counts[0] + counts[7])


@pytest.mark.parametrize("m", [1, 4])
def test_a_long_run_does_not_drift(m):
    P, method = problem(l1=0.02), SPDC()
    S = after(P, method, blocks(30, m, 50_000), TauNice(m))
    np.testing.assert_allclose(-S.rows[:, U], P.v(-S.y), atol=1e-13)
    assert S.rows[:, LAST].max() == S.t - 1
    points = method.points(P, S)
    assert P.gap(points.w, points.alpha) <= 1e-14


@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.1, 0.02)])
def test_it_solves_proximal_problems(l2, l1):
    Q = ProximalProblem(problem(l2=l2, l1=l1, sparse=True), 0.05, np.random.default_rng(5).standard_normal(8))
    s = cdlab.solve(Q, SPDC(batch_size=4), tol=1e-10, max_passes=20_000)
    assert s.status == "tolerance reached"
    np.testing.assert_allclose(s.w, cdlab.solve(Q, "sdca", tol=1e-12, max_passes=5000).w, atol=1e-4)


@pytest.mark.parametrize("m", [1, 4])
def test_the_iterate_alone_is_x_and_never_better(m):
    P, order = problem(l1=0.02), blocks(30, m, 50)
    S = after(P, SPDC(), order, TauNice(m))
    alone, better = SPDC(primal_point="iterate").points(P, S), SPDC().points(P, S)
    np.testing.assert_array_equal(alone.w, primal(S))
    np.testing.assert_array_equal(alone.alpha, better.alpha)
    assert P.primal(better.w) == min(P.primal(alone.w), P.primal(P.w(better.alpha)))


def test_a_primal_point_is_one_of_two_words():
    with pytest.raises(ValueError, match="primal_point must be 'better' or 'iterate'"):
        SPDC(primal_point="best")


def test_steps_that_are_too_long_diverge_and_it_is_said():
    s = cdlab.solve(problem("squared"), SPDC(step=1e3, dual_step=1e3), max_passes=5000)
    assert s.status == "diverged"


# ---------------------------------------------------------------- refusals
@each_of(
    "method, sampling, settings, sentence",
    [
        (SPDC(), "importance", {}, "importance sampling does not promise: use norms or uniform"),
        (SPDC(), "lipschitz", {}, "use norms or uniform"),
        (SPDC(), np.full(30, 1 / 30), {}, "given sampling does not promise"),
        (SPDC(), cdlab.samplings.Independent(0.1), {}, "use uniform"),
        (SPDC(batch_size=4), "cyclic", {}, "use uniform or norms, or leave batch_size out"),
        (SPDC(batch_size=31), "uniform", {}, "take batch_size <= 30"),
        (SPDC(delta=None), "uniform", {"loss": "hinge"}, "needs a smooth loss and l2 > 0: use delta"),
        (SPDC(delta=None), "uniform", {"l2": 0.0}, "needs a smooth loss and l2 > 0: use delta"),
    ],
)
def test_what_does_not_fit_is_refused(method, sampling, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        cdlab.solve(problem(**settings), method, sampling=sampling)
