"""What accprox_sdca, appa, acc_appa and dual_appa share: optimum, certificate, counting, warm starts, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each_of
from problems import SMOOTH, optimum, pairwise, problem
from variants import VARIANTS

import cdlab
from cdlab import testing
from cdlab.methods import METHODS, Points
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.accprox_sdca import AccProxSDCA
from cdlab.methods.apcg import APCG
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA
from cdlab.methods.quartz import Quartz
from cdlab.methods.shared.inner_problem import proximal, shift
from cdlab.methods.svrg import SVRG

SOLVERS = [
    AccProxSDCA(),
    AccProxSDCA(prox_weight=0.3),
    AccProxSDCA(prox_weight=0.3, epochs=2),
    AccProxSDCA(inner=Quartz(), prox_weight=0.3),
    APPA(),
    APPA(accuracy="theory"),
    APPA(epochs=1),
    APPA(inner=APCG()),
    APPA(inner=AccProxSDCA()),
    APPA(inner=SVRG(), prox_weight=0.1),
    APPA(inner=SVRG(), epochs=2),
    AccAPPA(),
    AccAPPA(accuracy="theory"),
    AccAPPA(epochs=3),
    AccAPPA(inner=APCG()),
    AccAPPA(inner=SVRG(), prox_weight=0.2),
    DualAPPA(),
    DualAPPA(accuracy="theory"),
    APPA(decreasing=True),
    DualAPPA(first_dual="primal"),
    DualAPPA(epochs=1),
    DualAPPA(inner=Quartz(step="local")),
    DualAPPA(inner=APCG()),
    DualAPPA(inner=AccProxSDCA()),
    DualAPPA(decreasing=True),
]


def label(value):
    return value.label if hasattr(value, "label") else str(value)


# ------------------------------------------------------------ the optimum
KNOWN = {*VARIANTS, *METHODS}  # are checked in methods/test_every_method.py


@pytest.mark.parametrize("method", [m for m in SOLVERS if m.label not in KNOWN], ids=label)
def test_it_keeps_what_a_method_promises(method):
    assert testing.check_method(method) is None


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "loss", "l1", "sparse"), pairwise(SOLVERS, SMOOTH, [0.0, 0.02], [False, True]), ids=label
)
def test_reaches_the_independent_optimum(method, loss, l1, sparse):
    P = problem(loss, l2=0.1, l1=l1, sparse=sparse)
    s = cdlab.solve(P, method, tol=1e-8, max_passes=20_000, seed=1)
    assert s.status == "tolerance reached"
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-14)
    assert -1e-8 * P.primal(np.zeros(P.d)) <= P.primal(s.w) - optimum(loss, 0.1, l1) <= s.gap + 1e-8


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_begun_at_zero_each_time_it_needs_many_epochs(loss, l1):
    """With fewer, an inner solve ends too early: the gap falls and rises again."""
    P = problem(loss, l2=0.1, l1=l1)
    s = cdlab.solve(P, DualAPPA(dual_start="zero", epochs=80), tol=1e-8, max_passes=20_000, seed=1)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - optimum(loss, 0.1, l1)) <= s.gap + 1e-8


@pytest.mark.full
@pytest.mark.parametrize("loss", ["hinge", "absolute"])
@pytest.mark.parametrize(
    "method", [APPA(prox_weight=0.1), AccAPPA(prox_weight=0.2), DualAPPA(prox_weight=0.1)], ids=label
)
def test_losses_that_are_not_smooth_need_a_weight(loss, method):
    P = problem(loss, l2=0.1)
    s = cdlab.solve(P, method, tol=1e-4, max_passes=5000)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - optimum(loss, 0.1, 0.0)) <= s.gap + 1e-8
    with pytest.raises(ValueError, match=r"prox_weight.*take (smooth_hinge|huber)|floor"):
        cdlab.solve(P, type(method)())


# ------------------------------------------------------------ passes
def passes(method, epochs, **settings):
    """Passes of each epoch, when every epoch of the inner method is exactly one pass."""
    run = cdlab.iterate(problem(sparse=True, **settings), method, sampling="permutation")
    return np.diff([next(run).passes for _ in range(epochs + 1)])


def test_fixed_epochs_cost_what_they_visit():
    np.testing.assert_allclose(passes(DualAPPA(epochs=1), 9), 1)
    np.testing.assert_allclose(passes(AccProxSDCA(prox_weight=0.3, epochs=1), 9), 1)


def test_a_gap_test_is_half_a_pass():
    """It comes after the epochs 1, 2, 3, 4, 6, 8, 11, ... of a stage: here the first stage is endless."""
    tested = passes(DualAPPA(accuracy=1e300, prox_weight=1e-4), 12, l2=1e-4)
    np.testing.assert_allclose(tested, np.array([3, 3, 3, 3, 2, 3, 2, 3, 2, 2, 3, 2]) / 2)


def test_a_stage_from_alpha_of_x_takes_v_anew_and_x_where_no_test_has_made_it():
    """v is half a pass, X x another half. An accuracy this low ends every stage with its first test."""
    np.testing.assert_allclose(passes(APPA(accuracy=1e-300), 5), 2)
    np.testing.assert_allclose(passes(AccAPPA(accuracy=1e-300), 5), 2)
    np.testing.assert_allclose(passes(DualAPPA(accuracy=1e-300), 5), 1.5)
    np.testing.assert_allclose(passes(APPA(epochs=1), 5), [1.5, 2, 2, 2, 2])
    np.testing.assert_allclose(passes(AccAPPA(epochs=2), 6), [1.5, 1, 2, 1, 2, 1])
    np.testing.assert_allclose(passes(DualAPPA(epochs=1, dual_start="zero"), 5), 1)
    np.testing.assert_allclose(passes(DualAPPA(epochs=1, first_dual="primal"), 5), [1.5, 1, 1, 1, 1])


def test_a_decreasing_weight_costs_half_a_pass_a_stage():
    """For P(x), whose X x appa takes for alpha(x), too."""
    np.testing.assert_allclose(passes(DualAPPA(decreasing=True, epochs=2), 6), [1, 1, 1.5, 1, 1.5, 1])
    np.testing.assert_allclose(passes(APPA(decreasing=True, epochs=2), 6), [1.5, 1, 2, 1, 2, 1])


def test_accprox_sdca_counts_its_tests_and_nothing_where_it_is_sdca():
    np.testing.assert_allclose(passes(AccProxSDCA(), 5), 1)
    tested = passes(AccProxSDCA(prox_weight=0.3), 20)  # each stage ends with its first test
    np.testing.assert_allclose(tested[:10], 1.5)
    np.testing.assert_allclose(tested[-3:], 2)  # where rounding in v would matter, v is computed anew


def test_svrg_inside_counts_as_svrg():
    """Every stage: a full gradient, n steps; and half a pass for X w where the next one opens."""
    P = problem(sparse=True)
    method = APPA(inner=SVRG(), epochs=1)
    alone = SVRG()
    S = alone.init(P, "permutation")
    order = next(alone.orders(P, cdlab.samplings.resolve("permutation"), np.random.default_rng(0)))
    S = alone.epoch(alone.view(P), S, order)
    one = alone.count(P, S, order)[1] / P.nnz
    run = cdlab.iterate(P, method, sampling="permutation")
    np.testing.assert_allclose(np.diff([next(run).passes for _ in range(5)]), [one, one + 0.5, one + 0.5, one + 0.5])


def test_iterations_are_the_inner_methods():
    run = cdlab.iterate(problem(), DualAPPA())
    assert [next(run).iteration for _ in range(4)] == [0, 30, 60, 90]


# ------------------------------------------------------------ warm starts
@pytest.mark.parametrize("method", [DualAPPA(epochs=1), AccProxSDCA(prox_weight=0.3, epochs=1)])
@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_a_new_stage_sweeps_over_nothing_and_has_the_right_v(method, l1, monkeypatch):
    P = problem(l1=l1)
    S = method.init(P, "uniform")
    orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(0))
    with monkeypatch.context() as patch:
        for sweep in ("v", "predict"):
            patch.setattr(cdlab.Problem, sweep, lambda *_: pytest.fail("swept over X"))
        for _ in range(6):
            S = method.epoch(method.view(P), S, next(orders))
    Q, inner = S.stage.problem, S.stage.state
    np.testing.assert_allclose(inner.v, P.X.T @ inner.alpha / P.n + Q.weight * Q.center, atol=1e-14)


@each_of("l2, l1", [(0.0, 0.0), (0.1, 0.0), (0.0, 0.05), (0.1, 0.05)])
def test_the_primal_point_after_the_center_moves(l2, l1):
    """2x - s with neither l2 nor l1; x + lambda/(l2 + lambda) (x - s) with l2; soft(v + lambda x, l1)/(l2 + lambda)."""
    P, lam = problem(l2=l2, l1=l1), 0.7
    method = DualAPPA(prox_weight=lam, epochs=2)
    S = method.init(P, "uniform", Points(np.linspace(-1, 1, 8), np.zeros(P.n)))
    order = np.arange(P.n, dtype=np.uint64)
    for _ in range(2):
        S = method.epoch(None, S, order)
    x, s, alpha = method.points(P, S).w, S.stage.problem.center, S.stage.state.alpha
    moved = method.next_stage(S)
    new = moved.stage.problem.reg.grad_g_conj(moved.stage.state.v)
    np.testing.assert_array_equal(moved.stage.problem.center, x)
    if l1 == 0:
        np.testing.assert_allclose(new, x + lam / (l2 + lam) * (x - s), atol=1e-14)
    v = P.X.T @ alpha / P.n + lam * x
    np.testing.assert_allclose(new, np.sign(v) * np.maximum(abs(v) - l1, 0) / (l2 + lam), atol=1e-14)


@pytest.mark.parametrize("method", [APPA(), AccAPPA(), APPA(inner=Quartz()), APPA(accuracy=10.0)], ids=label)
@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_stages_of_appa_begin_at_alpha_of_x(method, l1):
    """Algorithms 1 and 2: the oracle starts at x, where the last stage ended, around whatever center."""
    P, first = problem("squared", l1=l1), np.linspace(-1, 1, 8)
    S = method.init(P, "uniform", Points(first, np.zeros(P.n)))
    inner, x, begun = method.inner, first, 0
    orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(0))
    while begun < 4:
        at = inner.points(S.stage.problem, S.stage.state)
        np.testing.assert_allclose(at.alpha, P.y - P.X @ x, atol=1e-14)
        np.testing.assert_allclose(at.v, S.stage.problem.v(at.alpha), atol=1e-14)
        while not S.stage.solved:
            S = method.epoch(method.view(P), S, next(orders))
        x, begun = np.array(S.stage.at.w), begun + 1
        S = method.next_stage(S)


@pytest.mark.parametrize(
    "method", [APPA(), AccAPPA(), DualAPPA(), AccProxSDCA(prox_weight=0.3), APPA(inner=SVRG())], ids=label
)
def test_the_point_that_theorems_are_about_is_the_last_outer_iterate(method):
    """From the end of a stage to that of the next one; with its X x."""
    P = problem()
    S, ends = method.init(P, "uniform"), [np.zeros(P.d)]
    orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(0))
    for _ in range(25):
        at = method.bounded_points(P, S)
        np.testing.assert_allclose(at.w, ends[-1], atol=1e-14)
        np.testing.assert_allclose(at.z, P.X @ at.w, atol=1e-14)
        np.testing.assert_allclose(at.alpha, P.alpha(at.w), atol=1e-14)
        S = method.epoch(method.view(P), S, next(orders))
        if S.stage.solved:
            ends.append(np.array(method.points(P, S).w))
    assert len(ends) > 4


@each_of("method", [APPA(), AccAPPA(), APPA(epochs=2), APPA(inner=SVRG()), APPA(inner=Quartz())])
@each_of("l2", [0.1, 0.0])
def test_a_run_begins_at_its_start(method, l2):
    """The first record is P(x_0), though stages go on from alpha(x_0): relative gaps refer to P(0)."""
    P, x = problem(l2=l2), np.linspace(-1, 1, 8)
    method = replace(method, mu=0.1)
    for start in (None, Points(x, np.zeros(P.n))):
        at = method.points(P, method.init(P, "uniform", start))
        np.testing.assert_array_equal(at.w, np.zeros(8) if start is None else x)
        np.testing.assert_allclose(at.alpha, P.alpha(at.w), atol=1e-15)


def test_without_certified_stages_theorems_are_about_the_point_that_is_shown():
    P = problem()
    for method in (APPA(epochs=2), DualAPPA(decreasing=True), AccProxSDCA(), cdlab.methods.SDCA()):
        assert method.bounded_points(P, method.init(P, "uniform")) is None


def test_two_quadratics_are_one():
    P, rng = problem(l2=0.02, l1=0.01), np.random.default_rng(0)
    s, y, w, alpha = rng.standard_normal(8), rng.standard_normal(8), rng.standard_normal(8), P.y * rng.random(P.n)
    Q = proximal(proximal(P, 0.3, s), 0.5, y)

    def by_definition(u):
        return P.primal(u) + 0.15 * ((u - s) ** 2).sum() + 0.25 * ((u - y) ** 2).sum()

    constant = by_definition(w) - Q.primal(w)
    for u in rng.standard_normal((5, 8)):
        assert by_definition(u) - Q.primal(u) == pytest.approx(constant)
    np.testing.assert_allclose(Q.v(alpha), P.v(alpha) + 0.3 * s + 0.5 * y)
    np.testing.assert_allclose(shift(Q), 0.3 * s + 0.5 * y)
    assert proximal(P, 0.0, y) is P


@each_of("method", [m for m in SOLVERS if "svrg" not in m.label])
def test_refresh_restores_the_definition(method):
    P = problem(l1=0.001)
    S = method.init(P, "uniform")
    orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(0))
    for _ in range(7):
        S = method.epoch(method.view(P), S, next(orders))
    method.refresh(P, S)
    at = method.points(P, S)
    np.testing.assert_allclose(at.v, P.v(at.alpha), atol=1e-15)
    np.testing.assert_allclose(S.stage.problem.v(at.alpha) - shift(S.stage.problem), P.v(at.alpha), atol=1e-15)


def test_long_runs_do_not_drift():
    """3,000 changes of the center, each moving v by what is added to the last."""
    P = problem("squared", l2=0.0)
    run = cdlab.iterate(P, DualAPPA(epochs=1), every=40)
    for _ in range(76):
        next(run)
    best = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    np.testing.assert_allclose(run.w, best, atol=1e-12)


def test_records_come_within_a_stage():
    """The first stage of this one would last thousands of passes; a run reports every epoch and can stop."""
    s = cdlab.solve(problem(l2=1e-6), DualAPPA(prox_weight=1e-5), stop=lambda r: r.iteration >= 90, every=1)
    assert s.status == "stopped"
    assert len(s.trace.records) == 4
