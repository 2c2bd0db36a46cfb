"""The picture of a race: every run is a curve with its values."""

import numpy as np
import pytest
from plotted import race, source_with, sources
from problems import problem

import cdlab
from cdlab import plots
from cdlab.methods import RCD
from cdlab.plots import FLOOR, RacePlot
from cdlab.runs.trace import Record, Trace


def labels(figure) -> list[str]:
    return [item.label.value for item in figure.legend[0].items]


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
    assert data["dash"][0] != data["dash"][1]  # two dual methods
    assert len(set(marks["marker"][:3])) == 3


def test_a_method_of_a_users_own_is_drawn_like_the_others():
    """By its own side, and where a file does not say that either, in grey."""

    class Doubtful(RCD):
        name = "doubtful"

    P = problem("squared")
    own = cdlab.solve(P, Doubtful(), max_passes=3).trace
    nobody_knows = Trace(own.records, {name: value for name, value in own.meta.items() if name != "side"})
    known = cdlab.solve(P, "rcd", max_passes=3).trace

    own, nobody_knows, known = (
        source_with(plots.race([trace]), "dash")["colour"][0] for trace in (own, nobody_knows, known)
    )
    assert own == known == plots.look("primal").light
    assert nobody_knows == plots.look("").light


def test_many_curves_all_look_different():
    labels = [f"method {k}, uniform" for k in range(30)]
    plot = RacePlot(labels, ["dual"] * 30)
    data, marks = source_with(plot.figure, "dash"), source_with(plot.figure, "marker")
    assert len(set(zip(data["colour"], data["dash"], marks["marker"], strict=True))) == 30


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
