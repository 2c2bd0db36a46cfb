"""The picture of a race: every run is a curve with its values, on any axes, below its bound."""

import holoviews as hv
import numpy as np
import pytest
from cases import each_of
from plotted import ENTRIES, bounds, curves, data, elements, looks, options, race
from problems import optimum, problem

import cdlab
from cdlab import plots, theory
from cdlab.methods import RCD
from cdlab.plots import FLOOR, best_of, errors, guarantee, relative
from cdlab.plots.race import Line, y_range
from cdlab.runs.trace import Record, Trace


def promises(traces, passes=40):
    return [guarantee(theory.bound(t.meta["method"]), problem(), passes) for t in traces]


# ---------------------------------------------------------------- curves
def test_every_run_is_a_curve_with_its_values():
    traces = race().traces
    drawn = curves(plots.race(traces))
    assert list(drawn) == [trace.label for trace in traces]
    for trace, (xs, ys) in zip(traces, drawn.values(), strict=True):
        np.testing.assert_array_equal(xs, trace.column("passes"))
        np.testing.assert_allclose(ys, np.maximum(trace.column("relative_gap"), FLOOR), rtol=1e-12)


def test_pictures_are_put_on_and_beside_each_other():
    picture = plots.race(race())
    both = picture * hv.HLine(1e-3) + plots.theorem3(cdlab.faceoff(problem()))
    assert [type(each) for each in both] == [hv.Overlay, hv.Overlay]
    assert curves(list(both)[0]).keys() == curves(picture).keys()


def test_curves_differ_also_without_colour():
    picture = plots.race(race())
    dashes, marks = looks(picture, names=["line_dash"]), looks(picture, "Scatter", ["marker"])
    assert dashes[0] != dashes[1]  # two dual methods
    assert len(set(marks)) == 3


def test_a_race_of_one_side_has_a_colour_for_each_method():
    dual = plots.race(cdlab.race(problem(), ["sdca", "quartz", "spdc"], max_passes=3))
    assert len(set(looks(dual, names=["color"]))) == 3
    assert not {plots.look("primal", k).light for k in range(3)} & {each for (each,) in looks(dual, names=["color"])}


def test_a_method_of_a_users_own_is_drawn_like_the_others():
    """By its own side, and where a file does not say that either, in grey."""

    class Doubtful(RCD):
        name = "doubtful"

    P = problem("squared")
    own = cdlab.solve(P, Doubtful(), max_passes=3).trace
    nobody_knows = Trace(own.records, {name: value for name, value in own.meta.items() if name != "side"})
    known = cdlab.solve(P, "rcd", max_passes=3).trace

    own, nobody_knows, known = (looks(plots.race([t]), names=["color"])[0][0] for t in (own, nobody_knows, known))
    assert own == known == plots.look("primal").light
    assert nobody_knows == plots.look("").light


def test_seeds_are_one_line_in_a_band_of_its_colour():
    traces = race(seeds=range(5)).traces
    picture = plots.race(traces)
    drawn, bands = curves(picture), elements(picture, "Area")
    assert list(drawn) == list(dict.fromkeys(trace.label for trace in traces))
    assert looks(picture, names=["color"]) == looks(picture, "Area", ["color"])
    for (label, (xs, ys)), around in zip(drawn.items(), bands, strict=True):
        own = [trace for trace in traces if trace.label == label]
        for x, y in zip(xs, ys, strict=True):
            here = [10 ** np.interp(x, t.column("passes"), np.log10(t.column("relative_gap"))) for t in own]
            assert min(here) * (1 - 1e-9) <= y <= max(here) * (1 + 1e-9)
        gaps = np.concatenate([trace.column("relative_gap") for trace in own])
        _, low, high = data(around)
        assert gaps.min() * (1 - 1e-9) <= low.min()
        assert high.max() == pytest.approx(gaps.max())


def test_many_curves_share_the_points_that_are_drawn():
    gaps = 0.99 ** np.arange(2000) * np.random.default_rng(0).uniform(0.5, 1, 2000)
    records = [Record(k, float(k), 0.0, 1.0 + gap, 1.0, gap, float("nan")) for k, gap in enumerate(gaps)]
    traces = [Trace(records, {"method": "sdca", "label": f"run {k}"}) for k in range(40)]
    xs = [xs for xs, _ in curves(plots.race(traces)).values()]
    assert sum(map(len, xs)) <= 8000
    assert all(each[-1] == 1999 for each in xs)


def test_on_the_logarithmic_axis_it_is_the_decades_that_count():
    """Whether a gap of 1e-9 jumps to 1e-8 is as visible as whether 0.1 jumps to 1."""
    gaps = 0.9997 ** np.arange(100_000.0)
    gaps[90_000] *= 10
    records = [Record(k, float(k), k / 1e3, 1.0 + gap, 1.0, gap, float("nan")) for k, gap in enumerate(gaps)]
    ((xs, _),) = curves(plots.race([Trace(records, {"method": "sdca", "label": "sdca, uniform"})])).values()
    assert xs.size <= 400
    assert 90_000 in xs
    assert xs[[0, -1]].tolist() == [0, 99_999]


def test_one_seed_has_no_band():
    assert not elements(plots.race(race()), "Area")


def test_a_gap_of_zero_is_drawn_at_the_floor_and_a_diverging_run_as_a_hole():
    nan = float("nan")
    meta = {"method": "sdca", "label": "sdca, uniform"}
    exact = Trace([Record(0, 0.0, 0.0, 1.0, 0.0, 1.0, nan), Record(1, 1.0, 0.1, 0.5, 0.5, 0.0, nan)], meta)
    worse = Trace([exact.records[0], Record(1, 1.0, 0.1, np.inf, 0.5, np.inf, nan)], meta | {"label": "other"})
    picture = plots.race([exact, worse])
    (_, one), (_, other) = curves(picture).values()
    assert one[-1] == FLOOR
    assert np.isnan(other[-1])
    assert options(picture, "plot")["ylim"][0] < FLOOR


def test_runs_that_have_not_begun_leave_empty_axes():
    low, high = options(plots.race([Trace([], {"method": "sdca", "label": "sdca"})]), "plot")["ylim"]
    assert 0 < low < high


def test_under_the_pointer_stand_the_label_and_both_values():
    picture = plots.race(race())
    for each in elements(picture, "Curve"):
        tips = options(each, "plot")["hover_tooltips"]
        assert [name for name, _ in tips] == ["", "passes", "gap"]
        assert tips[0][1] == each.label


@each_of("what", [None, "sdca", [1, 2], problem()], ids=["None", "a word", "numbers", "a problem"])
def test_what_is_no_race_is_refused_in_a_sentence(what):
    with pytest.raises(TypeError, match=r"plots\.race draws a Race or a list of traces"):
        plots.race(what)


# ---------------------------------------------------------------- axes
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
    given = promises(traces)
    picture = plots.race(traces, given, x=x, y="primal")
    np.testing.assert_array_equal(curves(picture)[traces[0].label][0], traces[0].column(x))
    assert options(picture, "plot")["xlabel"] == plots.X_AXES[x]
    drawn = bounds(picture)
    assert len(drawn) == 3
    per_pass = traces[0].column(x)[-1] / traces[0].column("passes")[-1]
    last = given[0].passes[relative(given[0], best_of(traces), "primal") >= FLOOR][-1]
    assert drawn[0][0][-1] == pytest.approx(last * per_pass)


def test_each_run_is_measured_from_the_best_values_of_its_own_problem():
    """P* of one problem says nothing about another."""
    one = cdlab.race(problem(), ["rcd"], max_passes=40, tol=0.0).traces
    other = cdlab.race(cdlab.Problem(problem().X, problem().y, l2=1.0), ["sdca"], max_passes=40, tol=0.0).traces
    for traces, (_, ys) in zip((one, other), curves(plots.race([*one, *other], y="primal")).values(), strict=True):
        own = np.maximum(errors(traces[0], best_of(traces), "primal"), FLOOR)
        np.testing.assert_allclose(ys, own, rtol=1e-12)


def test_the_test_error_has_a_linear_axis_without_bounds():
    P = problem()
    traces = cdlab.race(P, ENTRIES, max_passes=10, test=(P.X, P.y)).traces
    picture = plots.race(traces, promises(traces), y="test", tolerance=1e-3)
    np.testing.assert_array_equal(curves(picture)[traces[0].label][1], traces[0].column("test_error"))
    assert not bounds(picture)
    assert not elements(picture, "HLine")
    low, high = options(picture, "plot")["ylim"]
    later = np.concatenate([trace.column("test_error")[1:] for trace in traces])
    assert 0 <= low <= later.min() <= later.max() <= high < 1  # at w = 0 the error is 1
    assert not options(picture, "plot")["logy"]


def test_without_a_regulariser_the_best_primal_value_stands_in_for_the_optimum():
    P = cdlab.Problem(problem().X, problem().y, loss="squared", l2=0.0)
    traces = cdlab.race(P, ["gd", "agd"], max_passes=30, tol=0.0).traces
    ys = [ys for _, ys in curves(plots.race(traces, y="primal")).values()]
    assert min(ys[0].min(), ys[1].min()) == FLOOR  # the best run ends there
    assert all(np.isfinite(each).all() for each in ys)
    assert all(np.isnan(ys).all() for _, ys in curves(plots.race(traces)).values())  # no gap is known


@pytest.mark.parametrize("axis", [{"x": "hours"}, {"y": "joy"}])
def test_an_unknown_axis_is_refused_with_the_known_ones(axis):
    with pytest.raises(ValueError, match="must be '.*' or '"):
        plots.race(race().traces, **axis)


def test_a_curve_that_rises_stays_in_the_picture_up_to_a_hundred_times_its_start():
    xs = np.arange(3.0)
    tops = [y_range([Line(xs, np.array([1.0, high, 0.1]))], [], log=True)[1] for high in (1, 30, 1e5)]
    assert tops[0] < 30 < tops[1] < 100 < tops[2] < 1e4


# ---------------------------------------------------------------- bounds
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


@each_of("method, y", [("spdc", "gap"), ("spdc", "best_gap"), ("spdc", "dual"), ("svrg", "gap"), ("asdca", "best_gap")])
def test_a_bound_on_the_pair_of_its_theorem_lies_above_what_races_know_of_it(method, y):
    P = problem("logistic", l2=1.0)
    found = cdlab.race(P, [method], seeds=range(10), max_passes=8, tol=0)
    promise = guarantee(theory.sharpest(method), P, passes=8, points=9)
    best = best_of(found.traces)
    mean = np.mean([errors(trace, best, y)[:5] for trace in found.traces], axis=0)
    at = found.traces[0].column("passes")[:5]
    assert (mean <= np.interp(at, promise.passes, relative(promise, best, y)) * (1 + 1e-9)).all()
    assert len(bounds(plots.race(found, [promise] * 10, y=y))) == 1


def test_a_bound_on_the_primal_is_not_drawn_as_one_on_the_gap():
    promise = guarantee(theory.bound("rcd"), problem(), 5)
    assert [plots.applies(promise, y) for y in ("gap", "primal", "dual")] == [False, True, False]
    promise = guarantee(theory.bound("sdca"), problem(), 5)
    assert [plots.applies(promise, y) for y in ("gap", "primal", "dual")] == [True, True, True]


@pytest.mark.parametrize("y", ["gap", "primal", "dual"])
def test_a_drawn_bound_is_the_bound(y):
    traces = race().traces
    given = promises(traces)
    drawn = bounds(plots.race(traces, given, y=y))
    applying = [promise for promise in given if plots.applies(promise, y)]
    for promise, (xs, ys) in zip(applying, drawn, strict=True):
        there = promise.passes <= xs[-1]
        np.testing.assert_array_equal(xs, promise.passes[there])
        np.testing.assert_array_equal(ys, relative(promise, best_of(traces), y)[there])


def test_the_tolerance_is_a_level_where_the_gap_is_shown():
    (level,) = elements(plots.race(race(), tolerance=1e-3), "HLine")
    assert level.data == 1e-3
    assert not elements(plots.race(race(), y="primal", tolerance=1e-3), "HLine")


# ---------------------------------------------------------------- floors
def test_floors_below_runs_on_several_problems_are_refused():
    others = cdlab.race(problem(l2=0.5), ENTRIES, max_passes=5).traces
    with pytest.raises(ValueError, match="a picture of its own"):
        plots.race([*race().traces, *others], floors=[theory.floor(20, 80.0, "cyclic")])


def test_the_floor_of_unseen_examples_is_drawn_below_the_mean_of_the_curves():
    P = problem(loss="squared")
    best = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-14, max_passes=5000)
    traces = cdlab.race(P, ["sdca"], seeds=range(20), max_passes=5, tol=0.0).traces
    floor = theory.unseen_floor(P, best.alpha)
    for y in ("gap", "dual"):
        (drawn,) = elements(plots.race(traces, y=y, floors=[floor]), "Curve", "Floor")
        xs, ys = data(drawn)
        for k in range(5):
            measured = [errors(t, best_of(traces), y)[k] for t in traces]
            at = np.interp(traces[0].column("passes")[k], xs, ys)
            assert np.mean(measured) + 3 * np.std(measured) / 20**0.5 >= at * (1 - 1e-6)
        assert ys[0] > 0.05
    assert not elements(plots.race(traces, y="primal", floors=[floor]), "Curve", "Floor")
    assert not elements(plots.race(traces, x="seconds", floors=[floor]), "Curve", "Floor")


def test_the_floor_of_the_chain_is_drawn_with_what_it_says():
    picture = plots.race(race(), y="primal", floors=[theory.floor(20, 80.0, "uniform row")])
    (drawn,) = elements(picture, "Curve", "Floor")
    assert data(drawn)[1][0] == pytest.approx(0.75)
    assert "no method of this kind can promise more" in [str(each.data[2]) for each in elements(picture, "Text")]
