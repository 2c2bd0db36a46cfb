"""What the axes of a race show: errors measured from the best values, over any measure of work."""

import numpy as np
import pytest
from plotted import ENTRIES, race, source_with
from problems import optimum, problem

import cdlab
from cdlab import plots, theory
from cdlab.plots import FLOOR, RacePlot, best_of, errors, guarantee, relative


def test_the_gap_axis_shows_what_the_tolerance_is_compared_with():
    trace = race().traces[0]
    np.testing.assert_array_equal(errors(trace, best_of([trace]), "gap"), trace.column("relative_gap"))


@pytest.mark.parametrize("column", ["primal", "dual"])
def test_measured_suboptimality_is_never_below_the_true_one(column):
    """P* from an independent solver; the dual optimum is equal to it."""
    star = optimum("logistic", 0.1, 0.0)
    for passes in (3, 40):
        result = race(max_passes=passes)
        best = best_of(result.traces)
        for trace in result.traces:
            first = trace.records[0]
            if column == "primal":
                true = (trace.column("primal") - star) / (first.primal - star)
            else:
                true = (star - trace.column("dual")) / (star - first.dual)
            assert (errors(trace, best, column) >= true - 1e-6).all()


def test_the_best_values_enclose_the_optimum():
    best = best_of(race().traces)
    star = optimum("logistic", 0.1, 0.0)
    assert best.dual <= star + 1e-7
    assert best.primal >= star - 1e-7
    assert best.primal - best.dual < 1e-8


@pytest.mark.parametrize("x", plots.X_AXES)
def test_the_horizontal_axis_can_be_any_measure_of_work(x):
    traces = race().traces
    promises = [guarantee(theory.bound(t.meta["method"]), problem(), 40) for t in traces]
    figure = plots.race(traces, promises, x=x, y="primal")
    np.testing.assert_array_equal(source_with(figure, "dash")["xs"][0], traces[0].column(x))
    bounds = source_with(figure, "offset")
    assert all(len(xs) for xs in bounds["xs"])
    per_pass = traces[0].column(x)[-1] / traces[0].column("passes")[-1]
    last = promises[0].passes[relative(promises[0], best_of(traces), "primal") >= FLOOR][-1]
    assert bounds["xs"][0][-1] == pytest.approx(last * per_pass)


def test_each_race_is_measured_from_the_best_values_of_its_own_problem():
    """P* of one problem says nothing about another."""
    one = cdlab.race(problem(), ["rcd"], max_passes=40, tol=0.0).traces
    other = cdlab.race(cdlab.Problem(problem().X, problem().y, l2=1.0), ["rcd"], max_passes=40, tol=0.0).traces
    plot = RacePlot(["one", "other"], ["primal", "primal"], y="primal")
    plot.show([*one, *other], [None, None])
    for traces, ys in zip((one, other), source_with(plot.figure, "dash")["ys"], strict=True):
        own = np.maximum(errors(traces[0], best_of(traces), "primal"), FLOOR)
        np.testing.assert_allclose(ys, own, rtol=1e-12)


def test_the_test_error_has_a_linear_axis_without_bounds():
    P = problem()
    traces = cdlab.race(P, ENTRIES, max_passes=10, test=(P.X, P.y)).traces
    promises = [guarantee(theory.bound(t.meta["method"]), P, 40) for t in traces]
    figure = plots.race(traces, promises, y="test", tolerance=1e-3)
    np.testing.assert_array_equal(source_with(figure, "dash")["ys"][0], traces[0].column("test_error"))
    assert not any(len(xs) for xs in source_with(figure, "offset")["xs"])
    assert figure.y_range.start >= 0
    later = np.concatenate([trace.column("test_error")[1:] for trace in traces])
    assert figure.y_range.start <= later.min() <= later.max() <= figure.y_range.end < 1  # at w = 0 the error is 1
    assert type(figure.yaxis[0]).__name__ == "LinearAxis"


def test_without_a_regulariser_the_best_primal_value_stands_in_for_the_optimum():
    P = cdlab.Problem(problem().X, problem().y, loss="squared", l2=0.0)
    traces = cdlab.race(P, ["gd", "agd"], max_passes=30, tol=0.0).traces
    ys = source_with(plots.race(traces, y="primal"), "dash")["ys"]
    assert min(ys[0].min(), ys[1].min()) == FLOOR  # the best run ends there
    assert all(np.isfinite(each).all() for each in ys)
    assert all(np.isnan(each).all() for each in source_with(plots.race(traces), "dash")["ys"])  # no gap is known


@pytest.mark.parametrize("axis", [{"x": "hours"}, {"y": "joy"}])
def test_an_unknown_axis_is_refused_with_the_known_ones(axis):
    with pytest.raises(ValueError, match="must be one of"):
        plots.race(race().traces, **axis)
