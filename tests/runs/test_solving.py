"""The loop: records, stopping rules, counting, resuming, and the same result for the same seed."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from columns_of_traces import columns
from problems import data, problem

import cdlab
from cdlab.runs.limits import STATUSES, Status
from cdlab.runs.running import Run

METHODS = ["sdca", "quartz", "rcd"]
every_method = pytest.mark.parametrize("method", METHODS)


@every_method
@pytest.mark.parametrize("sampling", ["uniform", "permutation", "importance"])
def test_same_seed_same_trace(method, sampling):
    a, b, other = (
        cdlab.solve(problem(), method, sampling=sampling, tol=0, max_passes=5, seed=s).trace for s in (3, 3, 4)
    )
    np.testing.assert_array_equal(columns(a), columns(b))
    assert not np.array_equal(columns(a), columns(other))


@pytest.mark.parametrize("method", ["sdca", "gd", "newton_cd"])
def test_the_points_of_a_run_are_those_of_its_state_also_after_they_were_measured(method):
    P = problem()
    run = cdlab.iterate(P, method)
    for _ in range(3):
        primal = next(run).primal
        np.testing.assert_allclose(P.primal(run.w), primal, rtol=1e-14)
        np.testing.assert_array_equal(run.w, run.method.points(P, run._state).w)
    assert primal < P.at_zero


@pytest.mark.parametrize(("method", "l1"), [(m, l1) for m in METHODS for l1 in (0.0, 0.02)])
def test_dense_and_csr_agree(method, l1):
    dense, sparse = (cdlab.solve(problem(l1=l1, sparse=s), method, tol=0, max_passes=30, seed=1) for s in (False, True))
    np.testing.assert_allclose(columns(dense.trace), columns(sparse.trace), atol=1e-10)
    np.testing.assert_allclose(dense.w, sparse.w, atol=1e-10)


@every_method
def test_inputs_are_not_changed(method):
    X, y = (a.copy() for a in data())
    cdlab.solve(cdlab.Problem(X, y, l2=0.1), method, max_passes=3)
    np.testing.assert_array_equal(X, data()[0])
    np.testing.assert_array_equal(y, data()[1])


@every_method
def test_records_are_measured_from_their_definition(method):
    P = problem()
    run = cdlab.iterate(P, method, seed=0, test=data())
    first = next(run)
    assert first[:3] == (0, 0.0, 0.0)
    assert first.primal == pytest.approx(P.primal(np.zeros(8)))
    for _ in range(5):
        record = next(run)
    assert record.primal == pytest.approx(P.primal(run.w), rel=1e-13)
    assert record.dual == pytest.approx(P.dual(run.alpha), rel=1e-13)
    assert record.gap == pytest.approx(P.gap(run.w, run.alpha), abs=1e-15)
    assert record.test_error == P.test_error(run.w, data())


@every_method
def test_every_method_stops_on_the_duality_gap(method):
    s = cdlab.solve(problem(), method, tol=1e-9, max_passes=2000)
    assert s.status == "tolerance reached"
    assert 0 <= s.relative_gap <= 1e-9
    assert s.gap == pytest.approx(s.relative_gap * (np.log(2) - s.trace.records[-1].dual), rel=1e-9)


def test_passes_count_visited_nonzeros():
    """Under a permutation an epoch is one pass, on either side; under any order it is the sum of line counts."""
    for method in METHODS:
        s = cdlab.solve(problem(sparse=True), method, sampling="permutation", tol=0, max_passes=4, every=1)
        np.testing.assert_array_equal(s.trace.column("passes"), np.arange(5))
    P = problem(sparse=True)
    run = Run(P, "sdca", sampling="uniform", seed=5)
    next(run)
    order = np.random.default_rng(5).integers(P.n, size=P.n, dtype=np.uint64)
    assert next(run).passes == P.row_profile.counts[order].sum() / P.nnz


def test_explicit_zeros_do_not_count():
    X, y = data()
    stored = sp.csr_matrix(np.where(X == 0, 1.0, X))
    stored.data[stored.data == 1.0] = 0.0
    a, b = (cdlab.solve(cdlab.Problem(Z, y, l2=0.1), tol=0, max_passes=3).trace for Z in (stored, X))
    np.testing.assert_array_equal(a.column("passes"), b.column("passes"))


def test_limits_and_their_words():
    P = problem()
    assert cdlab.solve(P, tol=1e-13, max_passes=1).status == "pass limit"
    assert cdlab.solve(P, tol=1e-13, max_passes=None, max_seconds=1e-9).status == "time limit"
    assert cdlab.solve(P, stop=lambda record: record.passes >= 2).status == "stopped"
    assert cdlab.solve(P, max_passes=0).trace.records[-1].passes == 0


def test_a_status_is_the_text_that_it_always_was():
    s = cdlab.solve(problem(), "sdca", tol=0, max_passes=2)
    assert isinstance(s.status, Status)
    assert (s.status, repr(s.status), f"{s.status}") == ("pass limit", "'pass limit'", "pass limit")
    assert json.dumps([s.status]) == '["pass limit"]'
    assert {"pass limit": 1}[s.status] == 1
    assert pickle.loads(pickle.dumps(s.status)) is s.status
    assert type(s.trace.meta["status"]) is str
    assert "pass limit" in STATUSES


def test_a_run_without_any_limit_is_refused():
    with pytest.raises(ValueError, match="give max_passes or max_seconds"):
        cdlab.solve(problem(), max_passes=None)


@each_of("bad", [{"tol": -1}, {"tol": None}, {"max_passes": "3"}, {"max_seconds": float("nan")}, {"every": 0}])
def test_bad_limits_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        cdlab.solve(problem(), **bad)


def test_every_measures_less_often_and_changes_nothing_else():
    one, three = (cdlab.solve(problem(), "sdca@permutation", tol=0, max_passes=6, every=e).trace for e in (1, 3))
    np.testing.assert_array_equal(columns(one)[[0, 3, 6]], columns(three))


@every_method
def test_resuming_is_as_if_it_had_never_stopped(method):
    P, rest = problem(), {"tol": 0}
    whole = cdlab.solve(P, method, max_passes=8, seed=2, every=1, **rest)
    part = cdlab.solve(P, method, max_passes=3, seed=2, every=1, **rest).resume(max_passes=8, **rest)
    np.testing.assert_array_equal(columns(part.trace), columns(whole.trace))
    np.testing.assert_array_equal(part.w, whole.w)


def test_solutions_can_be_pickled_but_then_not_resumed():
    s = pickle.loads(pickle.dumps(cdlab.solve(problem(), max_passes=2)))
    assert s.status == "pass limit"
    with pytest.raises(ValueError, match="call solve again"):
        s.resume()


def test_long_runs_do_not_drift():
    """Maintained vectors are refreshed: after 500 epochs v is X'alpha/n to rounding, z is X w."""
    P = problem(sparse=True)
    for method, maintained in (("sdca", lambda S: (S.v, P.v(S.alpha))), ("rcd", lambda S: (S.z, P.predict(S.w)))):
        run = Run(P, method)
        for _ in range(501):
            next(run)
        kept, defined = maintained(run._state)
        np.testing.assert_allclose(kept, defined, rtol=0, atol=1e-14)


def test_the_tolerance_is_certified_from_fresh_vectors():
    """A maintained v that has drifted can make D(alpha) too large; the gap that stops a run is computed anew."""
    P = problem()
    beyond = np.clip(1.5 * cdlab.solve(P, "sdca").alpha * P.y, 0, 1) * P.y
    run = Run(P, "sdca", start=(None, beyond))
    true = next(run).gap
    run._state.v[:] *= 0.9
    assert run._measure(True, False).record.gap < 0.7 * true
    assert run.certify().record.gap == pytest.approx(true, rel=1e-12)


def test_on_small_data_no_maintained_vector_is_believed():
    P = problem()
    run = Run(P, "sdca")
    next(run), next(run)
    run._state.v[:] *= 0.9
    assert run._measure(True, False).record.gap == pytest.approx(P.gap(run.w, run.alpha), rel=1e-12)


@pytest.mark.parametrize("every", [1000, 10**9])
def test_limits_cut_every(every):
    """Measuring rarely must not run past a limit."""
    s = cdlab.solve(problem(), "sdca", sampling="permutation", tol=0, max_passes=20, every=every)
    assert (s.status, s.trace.records[-1].passes) == ("pass limit", 20)
    s = cdlab.solve(problem(), "sdca", tol=0, max_passes=None, max_seconds=0.05, every=every)
    assert s.status == "time limit"
    assert s.trace.records[-1].seconds < 5


def test_after_a_limit_measurements_are_where_they_would_have_been():
    P, rest = problem(), {"tol": 0, "every": 6}
    whole = cdlab.solve(P, "sdca", sampling="permutation", max_passes=18, **rest)
    part = cdlab.solve(P, "sdca", sampling="permutation", max_passes=8, **rest).resume(max_passes=18, tol=0)
    np.testing.assert_array_equal(part.trace.column("passes"), [0, 6, 8, 12, 18])
    np.testing.assert_array_equal(columns(part.trace)[[0, 1, 3, 4]], columns(whole.trace))


def test_arguments_that_are_not_problems_or_methods():
    with pytest.raises(TypeError, match=r"must be a cdlab\.Problem"):
        cdlab.solve(np.eye(3), "sdca")
    with pytest.raises(ValueError, match="did you mean 'sdca'"):
        cdlab.solve(problem(), "sdcaa")
    with pytest.raises(TypeError, match="adasdca has no parameter batch_size"):
        cdlab.solve(problem(), "adasdca", batch_size=3)
    with pytest.raises(TypeError, match="already has its parameters"):
        cdlab.solve(problem(), cdlab.methods.Quartz(), averaged_primal=True)
    with pytest.raises(ValueError, match="'fixed', 'local' or 'long'"):
        cdlab.methods.Quartz(step="far")


@each_of("method", METHODS)
def test_a_coordinate_that_is_never_drawn_is_refused(method):
    """Also one that belongs to a zero row: its dual variable keeps its part of the gap for ever."""
    P = problem()
    p = np.ones(P.d if method == "rcd" else P.n)
    p[3] = 0
    with pytest.raises(ValueError, match="of coordinate 3 .* must be positive"):
        cdlab.solve(P, method, sampling=p)


def test_what_repeats_a_run_is_in_its_trace():
    meta = cdlab.solve(
        problem(), "quartz", averaged_primal=True, sampling="importance", seed=9, max_passes=1
    ).trace.meta
    assert meta["method"] == "quartz(averaged_primal=True)"
    assert (meta["sampling"], meta["seed"], meta["status"]) == ("importance", 9, "pass limit")
    assert meta["data"] == problem().digest
    assert meta["versions"]["cdlab"] == cdlab.__version__


@each_of("seed", ["a", -1, 1.5])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match="seed must be a whole number >= 0"):
        cdlab.solve(problem(), "sdca", seed=seed)


def test_a_solution_is_printed_in_one_line_that_says_how_far_it_is_certified():
    P = problem()
    s = cdlab.solve(P, tol=1e-4)
    passes = s.trace.records[-1].passes
    assert str(s).startswith(f"Solution(tolerance reached: relative_gap = {s.relative_gap:.2g}, gap = {s.gap:.2g}")
    assert str(s).endswith(f"{passes:.4g} passes; w ({P.d},), alpha ({P.n},))")
    assert "\n" not in str(s)
