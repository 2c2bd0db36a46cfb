"""Bounds drawn beside the curves of a race."""

import numpy as np
import pytest
from plotted import ENTRIES, race, source_with
from problems import problem

import cdlab
from cdlab import plots, theory
from cdlab.plots import RacePlot, best_of, errors, guarantee, relative


@pytest.mark.parametrize(
    ("method", "y"), [(m, y) for m in ENTRIES for y in ("gap", "primal", "dual") if m != "rcd" or y == "primal"]
)
def test_a_drawn_bound_lies_above_the_mean_of_the_drawn_curves(method, y):
    """Theorems bound expectations: thirty seeds, three standard errors."""
    P = problem()
    promise = guarantee(theory.bound(method), P, passes=8, points=9)
    assert plots.applies(promise, y)
    traces = cdlab.race(P, [method], seeds=range(30), max_passes=8, tol=0.0).traces
    best = best_of(traces)
    bound = relative(promise, best, y)
    curves = np.array([np.interp(promise.passes, t.column("passes"), errors(t, best, y)) for t in traces])
    assert (curves.mean(0) - 3 * curves.std(0) / 30**0.5 <= bound * (1 + 1e-9)).all()


def test_a_bound_on_the_primal_is_not_drawn_as_one_on_the_gap():
    promise = guarantee(theory.bound("rcd"), problem(), 5)
    assert [plots.applies(promise, y) for y in ("gap", "primal", "dual")] == [False, True, False]
    promise = guarantee(theory.bound("sdca"), problem(), 5)
    assert [plots.applies(promise, y) for y in ("gap", "primal", "dual")] == [True, True, True]


@pytest.mark.parametrize("y", ["gap", "primal", "dual"])
def test_a_drawn_bound_is_the_whole_bound_to_the_eye(y):
    traces = race().traces
    promises = [guarantee(theory.bound(t.meta["method"]), problem(), 40) for t in traces]
    bounds = source_with(plots.race(traces, promises, y=y), "offset")
    for promise, xs, ys in zip(promises, bounds["xs"], bounds["ys"], strict=True):
        assert len(xs) <= 40
        if len(xs):
            there = promise.passes <= xs[-1]
            whole = np.log10(relative(promise, best_of(traces), y)[there])
            drawn = np.interp(promise.passes[there], xs, np.log10(ys))
            assert np.abs(drawn - whole).max() <= 1e-3 * np.ptp(whole)


def test_a_bound_and_a_curve_can_be_left_out_and_the_others_stay_where_they_are():
    traces = race().traces
    promises = [guarantee(theory.bound(t.meta["method"]), problem(), 40) for t in traces]
    plot = RacePlot([t.label for t in traces], ["dual", "dual", "primal"], y="primal")
    plot.show(traces, promises)
    before = [list(ys) for ys in source_with(plot.figure, "dash")["ys"]]
    plot.show(traces, promises, hidden=[traces[0].label], unbounded=[traces[1].label])
    assert [list(ys) for ys in source_with(plot.figure, "dash")["ys"]] == [[], *before[1:]]
    assert [len(xs) > 0 for xs in source_with(plot.figure, "offset")["xs"]] == [False, False, True]
    assert [item.visible for item in plot.figure.legend[0].items] == [False, True, True]
    plot.show(traces, promises)
    assert [list(ys) for ys in source_with(plot.figure, "dash")["ys"]] == before
