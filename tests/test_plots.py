import numpy as np
import pytest
from problems import optimum, problem

import cdlab
from cdlab import plots, theory
from cdlab.plots import FLOOR, RacePlot, best_of, errors, guarantee, relative
from cdlab.trace import Record, Trace

ENTRIES = ["sdca", "quartz", "rcd"]


def race(**kwargs):
    return cdlab.race(problem(), ENTRIES, **({"max_passes": 40, "tol": 1e-10} | kwargs))


def sources(figure) -> list[dict]:
    return [renderer.data_source.data for renderer in figure.renderers]


def source_with(figure, column: str) -> dict:
    return next(data for data in sources(figure) if column in data)


def labels(figure) -> list[str]:
    return [item.label.value for item in figure.legend[0].items]


# ---------------------------------------------------------------- what the axis shows
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


@pytest.mark.parametrize("method", ENTRIES)
@pytest.mark.parametrize("y", ["gap", "primal", "dual"])
def test_a_drawn_bound_lies_above_the_mean_of_the_drawn_curves(method, y):
    """Theorems bound expectations: thirty seeds, three standard errors."""
    P = problem()
    promise = guarantee(theory.bound(method), P, passes=8, points=9)
    if not plots.applies(promise, y):
        return
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


# ---------------------------------------------------------------- the race
def test_every_run_is_a_curve_with_its_values():
    traces = race().traces
    figure = plots.race(traces)
    data = source_with(figure, "dash")
    assert labels(figure) == [trace.label for trace in traces]
    for trace, xs, ys in zip(traces, data["xs"], data["ys"], strict=True):
        np.testing.assert_array_equal(xs, trace.column("passes"))
        np.testing.assert_array_equal(ys, np.maximum(trace.column("relative_gap"), FLOOR))


def test_curves_differ_also_without_colour():
    figure = plots.race(race().traces)
    data, marks = source_with(figure, "dash"), source_with(figure, "marker")
    assert data["dash"][0] == data["dash"][1] != data["dash"][2]  # two dual methods, one primal
    assert len(set(marks["marker"][:3])) == 3


def test_many_curves_all_look_different():
    labels = [f"method {k}, uniform" for k in range(30)]
    plot = RacePlot(labels, ["dual"] * 30)
    data, marks = source_with(plot.figure, "dash"), source_with(plot.figure, "marker")
    assert len(set(zip(data["colour"], marks["marker"], strict=True))) == 30


def test_seeds_share_a_look_and_a_legend_entry():
    figure = plots.race(race(seeds=range(3)).traces)
    data = source_with(figure, "dash")
    assert len(labels(figure)) == 3
    assert len(data["xs"]) == 9
    assert len(set(data["colour"])) == 3


@pytest.mark.parametrize("x", plots.X_AXES)
def test_the_horizontal_axis_can_be_any_measure_of_work(x):
    traces = race().traces
    promises = [guarantee(theory.bound(t.meta["method"]), problem(), 40) for t in traces]
    figure = plots.race(traces, promises, x=x, y="primal")
    np.testing.assert_array_equal(source_with(figure, "dash")["xs"][0], traces[0].column(x))
    (bounds,) = (data for data in sources(figure) if set(data) == {"xs", "ys", "label", "colour"})
    assert all(len(xs) for xs in bounds["xs"])
    per_pass = traces[0].column(x)[-1] / traces[0].column("passes")[-1]
    assert bounds["xs"][0][1] == pytest.approx(promises[0].passes[1] * per_pass)


def test_a_gap_of_zero_is_drawn_at_the_floor_and_a_diverging_run_as_a_hole():
    nan = float("nan")
    meta = {"method": "sdca", "label": "sdca, uniform"}
    exact = Trace([Record(0, 0.0, 0.0, 1.0, 0.0, 1.0, nan), Record(1, 1.0, 0.1, 0.5, 0.5, 0.0, nan)], meta)
    worse = Trace([exact.records[0], Record(1, 1.0, 0.1, np.inf, 0.5, np.inf, nan)], meta | {"label": "other"})
    figure = plots.race([exact, worse])
    ys = source_with(figure, "dash")["ys"]
    assert ys[0][-1] == FLOOR
    assert np.isnan(ys[1][-1])
    assert figure.y_range.start < FLOOR


def test_a_hundred_thousand_points_are_thinned_and_the_last_is_kept():
    nan = float("nan")
    records = [Record(k, float(k), k / 1e3, 1.0 + 0.9**k, 1.0, 0.9**k, nan) for k in range(100_000)]
    trace = Trace(records, {"method": "sdca", "label": "sdca, uniform"})
    xs = source_with(plots.race([trace]), "dash")["xs"][0]
    assert xs.size <= 402
    assert xs[0] == 0
    assert xs[-1] == 99_999


def test_an_empty_picture_has_axes():
    figure = RacePlot(["sdca, uniform"], ["dual"]).figure
    assert 0 < figure.y_range.start < figure.y_range.end


def test_a_plot_can_be_shown_more_and_more():
    plot = RacePlot(["sdca, uniform", "rcd, uniform"], ["dual", "primal"])
    run = cdlab.iterate(problem(), "sdca", seed=0)
    empty = Trace()
    plot.show([empty, empty], [None, None])
    for k in range(1, 6):
        next(run)
        plot.show([run.trace, empty], [None, None])
        assert [len(xs) for xs in source_with(plot.figure, "dash")["xs"]] == [k, 0]


@pytest.mark.parametrize("axis", [{"x": "hours"}, {"y": "joy"}])
def test_an_unknown_axis_is_refused_with_the_known_ones(axis):
    with pytest.raises(ValueError, match="must be one of"):
        plots.race(race().traces, **axis)


# ---------------------------------------------------------------- Theorem 3
def test_the_marker_stands_at_the_ratio_between_its_ends():
    face = cdlab.faceoff(problem())
    figure = plots.theorem3(face)
    assert [face.C_P / face.C_D] in [list(data["x"]) for data in sources(figure) if "x" in data]
    assert figure.x_range.start < 1 / 8 < 30 < figure.x_range.end  # d = 8, n = 30


def test_zero_data_have_no_place():
    with pytest.raises(ValueError, match="X = 0"):
        plots.theorem3(cdlab.faceoff(np.zeros((3, 2))))
