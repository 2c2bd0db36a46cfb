import numpy as np
import pytest
from problems import optimum, problem

import cdlab
from cdlab import plots, theory
from cdlab.methods import RCD
from cdlab.plots import FLOOR, RacePlot, best_of, errors, guarantee, relative
from cdlab.runs.trace import Record, Trace

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


# ---------------------------------------------------------------- the race
def test_every_run_is_a_curve_with_its_values():
    traces = race().traces
    figure = plots.race(traces)
    data = source_with(figure, "dash")
    assert labels(figure) == [trace.label for trace in traces]
    for trace, xs, ys in zip(traces, data["xs"], data["ys"], strict=True):
        np.testing.assert_array_equal(xs, trace.column("passes"))
        np.testing.assert_allclose(ys, np.maximum(trace.column("relative_gap"), FLOOR), rtol=1e-12)


def test_curves_differ_also_without_colour():
    figure = plots.race(race().traces)
    data, marks = source_with(figure, "dash"), source_with(figure, "marker")
    assert data["dash"][0] == data["dash"][1] != data["dash"][2]  # two dual methods, one primal
    assert len(set(marks["marker"][:3])) == 3


def test_a_method_of_a_users_own_is_drawn_like_the_others():
    """By its own side, and where a file does not say that either, with dashes of its own."""

    class Doubtful(RCD):
        name = "doubtful"

    P = problem("squared")
    own = cdlab.solve(P, Doubtful(), max_passes=3).trace
    nobody_knows = Trace(own.records, {name: value for name, value in own.meta.items() if name != "side"})
    known = cdlab.solve(P, "rcd", max_passes=3).trace

    own, nobody_knows, known = (
        source_with(plots.race([trace]), "dash")["dash"][0] for trace in (own, nobody_knows, known)
    )
    assert own == known != nobody_knows


def test_many_curves_all_look_different():
    labels = [f"method {k}, uniform" for k in range(30)]
    plot = RacePlot(labels, ["dual"] * 30)
    data, marks = source_with(plot.figure, "dash"), source_with(plot.figure, "marker")
    assert len(set(zip(data["colour"], marks["marker"], strict=True))) == 30


def test_seeds_are_one_line_in_a_band_of_its_colour():
    traces = race(seeds=range(5)).traces
    figure = plots.race(traces)
    data = source_with(figure, "dash")
    (bands,) = (data for data in sources(figure) if set(data) == {"xs", "ys", "colour"})
    assert labels(figure) == list(dict.fromkeys(trace.label for trace in traces))
    assert len(data["xs"]) == len(bands["xs"]) == 3
    assert data["colour"] == bands["colour"]
    for label, xs, ys, around in zip(labels(figure), data["xs"], data["ys"], bands["ys"], strict=True):
        own = [trace for trace in traces if trace.label == label]
        for x, y in zip(xs, ys, strict=True):
            here = [10 ** np.interp(x, t.column("passes"), np.log10(t.column("relative_gap"))) for t in own]
            assert min(here) * (1 - 1e-9) <= y <= max(here) * (1 + 1e-9)
        gaps = np.concatenate([trace.column("relative_gap") for trace in own])
        assert gaps.min() * (1 - 1e-9) <= min(around)
        assert max(around) == pytest.approx(gaps.max())


def test_many_curves_share_the_points_that_are_drawn():
    gaps = 0.99 ** np.arange(2000) * np.random.default_rng(0).uniform(0.5, 1, 2000)
    records = [Record(k, float(k), 0.0, 1.0 + gap, 1.0, gap, float("nan")) for k, gap in enumerate(gaps)]
    traces = [Trace(records, {"method": "sdca", "label": f"run {k}"}) for k in range(40)]
    xs = source_with(plots.race(traces), "dash")["xs"]
    assert sum(map(len, xs)) <= 8000
    assert all(each[-1] == 1999 for each in xs)


def test_one_seed_has_no_band():
    figure = plots.race(race().traces)
    (bands,) = (data for data in sources(figure) if set(data) == {"xs", "ys", "colour"})
    assert bands["xs"] == []


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


def test_a_zoom_stays_while_the_race_goes_on_until_it_is_reset():
    X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    trace = cdlab.solve(cdlab.Problem(X, y, l2=0.1), "sdca", max_passes=20, tol=0).trace
    plot = RacePlot(["sdca"], ["dual"])
    axis, parts = plot.figure.y_range, [Trace(trace.records[:k], trace.meta) for k in (5, 10, 15)]
    plot.show(parts[:1], [None])
    zoomed = axis.start * 10, axis.end / 10
    axis.update(start=zoomed[0], end=zoomed[1])  # by the browser
    plot.show(parts[1:2], [None])
    assert (axis.start, axis.end) == zoomed
    axis.update(start=axis.reset_start, end=axis.reset_end)  # by its reset tool
    plot.show(parts[2:], [None])
    assert axis.start < zoomed[0]
    assert axis.start < float(np.nanmin(parts[2].column("relative_gap")))


@pytest.mark.parametrize("what", [None, "sdca", [1, 2], problem()], ids=["None", "a word", "numbers", "a problem"])
def test_what_is_no_race_is_refused_in_a_sentence(what):
    with pytest.raises(TypeError, match=r"plots\.race draws a Race or a list of traces"):
        plots.race(what)
