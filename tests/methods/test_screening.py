"""Screening: runs that leave settled coordinates out end where the others do, with the certificate of all of them."""

import numpy as np
import pytest
from cases import each_of, pushed
from problems import minimiser, optimum, problem

import cdlab
from cdlab.methods import RCD, SDCA, NewtonCD, Screened
from cdlab.methods.wrappers.screened import Active
from cdlab.problems.points import Points
from cdlab.runs.running import Run

RULES = ("gap_safe", "shrink")
STRAIGHT = ("hinge", "smooth_hinge", "squared_hinge", "absolute", "huber")
EXAMPLES = [("sdca", loss, 0.1, l1) for loss in STRAIGHT for l1 in (0.0, 0.03)]
FEATURES = [(m, loss, l2, 0.05) for m in ("rcd", "newton_cd") for loss in ("squared", "logistic") for l2 in (0.0, 0.1)]
PUSHED = pushed(EXAMPLES + FEATURES, EXAMPLES[0], *FEATURES[::3])

each_rule = pytest.mark.parametrize("rule", RULES)


def recorded(P, method, **options):
    """A run that measures after every epoch, up to a small gap."""
    return cdlab.solve(P, method, tol=1e-9, max_passes=20_000, every=1, **options)


@each_rule
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("method", "loss", "l2", "l1"), PUSHED)
def test_the_answer_and_its_certificate_are_those_of_all_coordinates(method, loss, l2, l1, sparse, rule):
    P, best = problem(loss, l2=l2, l1=l1, sparse=sparse), optimum(loss, l2, l1)
    s = recorded(P, method, screening=rule)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - best) < 1e-7
    assert s.gap == pytest.approx(P.gap(s.w, s.alpha), rel=1e-6, abs=1e-14)
    assert all(record.dual <= best + 1e-8 for record in s.trace.records)
    assert s.active == s.trace.records[-1].active
    assert s.active < s.trace.records[0].active or len(s.trace.records) == 2  # one step may be all that it takes


@pytest.mark.parametrize(("method", "loss", "l2", "l1"), PUSHED)
def test_what_is_left_out_is_where_it_is_at_the_optimum(method, loss, l2, l1):
    """A referee that knows nothing of it: no coordinate between the ends ever leaves, and what left stays put."""
    P, best = problem(loss, l2=l2, l1=l1), minimiser(loss, l2, l1)
    run = Run(P, method, screening="gap_safe")
    there, before = P.alpha(best) if method == "sdca" else best, np.ones(0, bool)
    for _ in range(300):
        next(run)
        out = ~run.feed.active.mask
        at = (run.alpha if method == "sdca" else run.w)[out]
        np.testing.assert_allclose(at, there[out], atol=1e-5)
        assert not before.size or out[before].all(), "a coordinate that was settled is visited again"
        before = out
    assert before.any()


@each_rule
@pytest.mark.parametrize(
    "sampling", ["uniform", "permutation", "fixed_permutation", "cyclic", "symmetric", "norms", "given"]
)
def test_every_serial_sampling_is_one_of_the_coordinates_that_are_left(sampling, rule):
    P = problem("squared_hinge", l2=0.1)
    drawn = np.linspace(1, 2, P.n) if sampling == "given" else sampling
    s = recorded(P, "sdca", sampling=drawn, screening=rule)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - optimum("squared_hinge", 0.1, 0.0)) < 1e-7


def test_orders_hold_the_coordinates_that_are_left_alone_and_sweep_few_of_them_more_often():
    P, rng = problem("hinge", l2=0.1), np.random.default_rng(0)
    method, mask = Screened(SDCA(), "gap_safe"), np.zeros(P.n, bool)
    mask[[1, 5]] = True
    order = next(method.orders_among(P, cdlab.samplings.Permutation(), rng, mask))
    assert set(order.tolist()) == {1, 5}
    assert P.nnz / 4 <= P.row_profile.counts[order].sum() <= P.nnz / 2
    assert all(set(pair) == {1, 5} for pair in order.reshape(-1, 2).tolist()), "each sweep is a permutation"
    mask[:] = True
    assert sorted(next(method.orders_among(P, cdlab.samplings.Permutation(), rng, mask))) == list(range(P.n))


def test_with_weights_an_example_counts_as_so_many_of_its_kind():
    X, y = cdlab.datasets.make(n=30, d=4, seed=0)
    times = np.arange(30) % 3
    weighed = cdlab.Problem(X, y, "hinge", l2=0.1, sample_weight=times)
    s = recorded(weighed, "sdca", screening="gap_safe")
    repeated = cdlab.Problem(np.repeat(X, times, axis=0), np.repeat(y, times), "hinge", l2=0.1)
    assert s.status == "tolerance reached"
    assert s.active < 30
    np.testing.assert_allclose(s.w, cdlab.solve(repeated, "sdca", tol=1e-10, max_passes=20_000).w, atol=1e-4)


@each_rule
@pytest.mark.parametrize("method", ["rcd", "newton_cd"])
@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_an_intercept_is_never_left_out(l2, method, rule):
    X, y = cdlab.datasets.make(n=40, d=12, seed=0)
    P = cdlab.Problem(X, y, "logistic", l2=l2, l1=0.05, intercept=True)
    s = recorded(P, method, screening=rule)
    plain = recorded(P, method)
    assert s.status == plain.status == "tolerance reached"
    assert s.active < P.d
    assert P.primal(s.run.w) == pytest.approx(P.primal(plain.run.w), rel=1e-8)
    assert s.run.feed.active.mask[-1]


def test_a_guess_that_was_wrong_is_undone_at_the_next_measurement():
    """Predictions that stood still since the last measurement let every example leave that is where it should be."""
    P = cdlab.Problem([[1.0], [-1.0], [1.0]], [1, -1, -1], "hinge", l2=0.1)
    method = Screened(SDCA(), "shrink")
    S = method.init(P, "uniform", Points(np.zeros(1), np.array([0.0, 0.0, -0.3])))

    def left(w):
        points = Points(w, S.alpha, z=P.predict(w), v=S.v)
        return method.screen(P, S, points, 1.0, Active(np.zeros(3, bool), points.z.copy()))[1].mask.tolist()

    assert left(np.array([2.0])) == [False, False, True]  # margins 2, 2, -2: alpha = 0 is right for the first two
    assert left(np.array([0.5])) == [True, True, True]  # margins 1/2: now b alpha = 1 is, and all are back


def test_one_example_that_moved_far_holds_no_other_back():
    """Nineteen margins stood still, at 2, and one went from 0 to 10: all have alpha = 0, and all may leave."""
    P = cdlab.Problem(np.eye(20), [1, -1] * 10, "hinge", l2=0.1)
    method, margins = Screened(SDCA(), "shrink"), np.full(20, 2.0)
    S = method.init(P, "uniform")
    margins[3] = 10.0
    points = Points(P.y * margins, S.alpha, z=P.y * margins, v=S.v)
    before = points.z.copy()
    before[3] = 0.0
    assert not method.screen(P, S, points, 1.0, Active(np.ones(20, bool), before))[1].mask.any()
    before[:3] = -8.0 * P.y[:3]  # three in twenty moved by 10: only the margin of 10 is safely beyond the bend
    left = method.screen(P, S, points, 1.0, Active(np.ones(20, bool), before))[1].mask
    assert np.flatnonzero(~left).tolist() == [3]


@pytest.mark.parametrize(("method", "loss", "l1"), [("sdca", "hinge", 0.0), ("rcd", "squared", 10.0)])
def test_a_run_of_which_nothing_is_left_goes_on_to_its_limit(method, loss, l1):
    P = cdlab.Problem(0.01 * np.eye(4), [1, -1, 1, -1], loss, l2=1.0, l1=l1)
    s = cdlab.solve(P, method, tol=0, max_passes=5, screening="gap_safe")
    assert s.status == "pass limit"
    assert s.active == 0
    assert s.gap <= 1e-14


def wide(n=40, d=500):
    X, y = cdlab.datasets.make(n=n, d=d, seed=0, task="regression")
    P = cdlab.Problem(X, y, loss="squared", l2=0.0, l1=1.0)
    return P.with_(l1=0.3 * np.abs(P.v(P.alpha(np.zeros(P.d)))).max())


def many_at_their_ends():
    X, y = cdlab.datasets.make(n=400, d=5, seed=0)
    return cdlab.Problem(X, y, "smooth_hinge", l2=1e-3)


@each_rule
@pytest.mark.parametrize(("method", "P"), [("sdca", many_at_their_ends()), ("rcd", wide())])
def test_fewer_nonzeros_are_visited(method, P, rule):
    less, plain = (cdlab.solve(P, method, tol=1e-9, max_passes=20_000, screening=r) for r in (rule, "none"))
    assert less.status == plain.status == "tolerance reached"
    assert less.trace.records[-1].passes < plain.trace.records[-1].passes


@each_rule
def test_a_run_that_was_cut_short_goes_on_as_if_it_had_not_been(rule):
    P = many_at_their_ends()
    whole = cdlab.solve(P, "sdca", tol=1e-9, max_passes=20_000, screening=rule)
    cut = cdlab.solve(P, "sdca", tol=1e-9, max_passes=15, screening=rule).resume(tol=1e-9, max_passes=20_000)
    assert whole.trace.records[-1].passes > 15
    assert cut.active == whole.active
    np.testing.assert_array_equal(cut.w, whole.w)


def test_without_screening_a_trace_has_no_such_column():
    s = cdlab.solve(problem("hinge"), "sdca", max_passes=3)
    assert s.active is None
    assert "active" not in s.trace.to_frame()


def test_a_path_begins_each_solution_with_what_the_one_before_settles():
    """The gap of the last solution at the new weight is small: features leave before the first epoch."""
    P = wide()
    weights = P.l1 * np.array([1.0, 0.98, 0.96])
    safe, plain = (cdlab.path(P, l1=weights, method=m, tol=1e-8, max_passes=20_000) for m in ("rcd", RCD()))
    for one, other in zip(safe, plain, strict=True):
        assert one.status == other.status == "tolerance reached"
        np.testing.assert_allclose(one.w, other.w, atol=1e-3)
    assert all(s.trace.records[1].active < P.d / 2 for s in safe[1:])


@each_of(
    "made, P, sampling, reason",
    [
        (SDCA, problem("logistic"), "uniform", "losses with straight parts, and logistic has none"),
        (SDCA, problem("squared"), "uniform", "losses with straight parts, and squared has none"),
        (RCD, problem("squared"), "uniform", "l1 > 0, which holds features at 0, and this problem has l1 = 0"),
        (NewtonCD, problem("squared_hinge"), "uniform", "l1 > 0, which holds features at 0"),
        (
            RCD,
            problem("squared", l1=0.1),
            cdlab.samplings.TauNice(2),
            "coordinates drawn one at a time, and tau_nice draws blocks",
        ),
    ],
)
def test_where_nothing_can_be_left_out_it_is_refused(made, P, sampling, reason):
    with pytest.raises(ValueError, match=f"screening is for {reason}"):
        cdlab.solve(P, Screened(made(), "gap_safe"), sampling=sampling)


def test_softmax_is_refused():
    P = cdlab.Problem(np.eye(3), [0, 1, 2], "softmax", l2=0.1)
    with pytest.raises(ValueError, match="sdca's screening is for losses of one prediction, unlike softmax"):
        cdlab.solve(P, "sdca", screening="gap_safe")


def test_what_moves_points_in_other_ways_does_not_go_with_it():
    sdca, rcd = ({"average": "half"}, {"added_l2": "auto"}, {"anderson": 5}), ({"working_set": True}, {"anderson": 5})
    for method, others in [("sdca", other) for other in sdca] + [("rcd", other) for other in rcd]:
        with pytest.raises(ValueError, match="goes with .* one wrapper at a time.* leave .* out"):
            cdlab.methods.resolve(method, screening="gap_safe", **others)
    with pytest.raises(ValueError, match="screening must be 'gap_safe' or 'shrink', not 'safe'"):
        Screened(NewtonCD(), "safe")
