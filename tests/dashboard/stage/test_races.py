"""A race on the stage: the numbers of its traces, on the axis of the plots."""

import json

import numpy as np
import pytest
from cases import each_of
from recording import KINDS, recorded

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.growing import Growing
from cdlab.dashboard.races.measured import NEAREST
from cdlab.dashboard.races.results import Lane, Result
from cdlab.dashboard.races.story import PENDING
from cdlab.dashboard.stage.lanes import SMALLEST, UNCERTIFIED, looks_of, of_each_side, race
from cdlab.plots.errors import best_of, errors, relative

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


@pytest.fixture(scope="module")
def shown():
    result = first_picture()
    return result, race(result.choices.problem(), result)


def test_curves_are_those_of_the_traces(shown):
    result, made = shown
    best = best_of(result.traces)
    for lane, source in zip(made["lanes"], result.lanes, strict=True):
        kept = np.isin(source.trace.column("passes"), lane["passes"])
        expected = np.maximum(errors(source.trace, best, "primal"), SMALLEST)
        np.testing.assert_array_equal(lane["error"], expected[kept])
        np.testing.assert_array_equal(lane["dual"], source.trace.column("dual")[kept])
        assert lane["passes"][0] == 0
        assert lane["passes"][-1] == source.trace.records[-1].passes


def test_a_bound_is_drawn_where_the_plots_draw_it(shown):
    result, made = shown
    best = best_of(result.traces)
    for lane, source in zip(made["lanes"], result.lanes, strict=True):
        whole = relative(source.guarantee, best, "primal")
        places = np.searchsorted(source.guarantee.passes, lane["promise"]["passes"])
        np.testing.assert_array_equal(lane["promise"]["error"], whole[places])


def test_the_first_updates_are_shown_one_by_one(shown):
    result, made = shown
    for lane in made["lanes"]:
        steps = lane["steps"]
        assert len({len(values) for values in steps.values()}) == 1
        assert len(steps["coordinates"]) == 60
        assert steps["error"][0] <= 1.1  # relative to the start
        assert all(a < b for a, b in zip(steps["passes"], steps["passes"][1:], strict=False))


def test_touched_cells_are_those_of_the_row_or_column(shown):
    result, made = shown
    X = result.choices.problem().X.toarray()
    for lane in made["lanes"]:
        lines = X if lane["side"] == "dual" else X.T
        for (k,), cells in zip(lane["steps"]["coordinates"], lane["steps"]["cells"], strict=True):
            m = lines.shape[1]
            there = np.unique(np.flatnonzero(lines[k]) * min(m, 96) // m)
            assert (np.arange(min(m, 96)) if cells is None else cells) == pytest.approx(there)


def test_colours_tell_sides_and_shades_tell_methods():
    looks = looks_of(["rcd", "sdca", "quartz", "gd", "sdca@importance"])
    assert len({look["light"] for look in looks.values()}) == 5
    assert [looks[label]["dash"] for label in ("rcd, uniform", "sdca, uniform", "gd")] == [
        [],
        [],
        [],
    ]  # first of a side
    duals = [looks[label] for label in ("sdca, uniform", "quartz, uniform", "sdca, importance")]
    assert len({tuple(look["dash"]) for look in duals}) == len({look["marker"] for look in duals}) == 3


def test_each_side_is_shown_by_a_method_of_the_face_off_if_one_runs():
    assert of_each_side(["svrg", "gd", "sdca", "rcd"]) == {"primal": "rcd", "dual": "sdca", "full": "gd"}
    assert of_each_side(["svrg", "acc_rcd"]) == {"primal": "acc_rcd", "dual": "svrg"}
    assert of_each_side([]) == {}


@each_of("kind", KINDS)
def test_a_recorded_stage_is_json_of_a_size_that_a_page_can_take(kind):
    assert len(json.dumps(recorded(kind), allow_nan=False)) < 150_000


def test_a_race_that_has_not_begun_has_no_lanes():
    result = first_picture().now()
    for lane in result.lanes:
        lane.trace.records.clear()
    made = race(result.choices.problem(), result)
    assert made["lanes"] == []


def test_where_a_gap_came_to_the_target_is_what_the_outcome_counts(shown):
    result, made = shown
    assert made["target"] == result.choices.target
    for lane, source in zip(made["lanes"], result.lanes, strict=True):
        assert lane["reached"] == source.trace.reached(made["target"])
        at = lane["passes"].index(lane["reached"])
        assert lane["gap"][at] <= made["target"]


def test_what_nothing_certifies_is_not_drawn_down_to_its_own_end():
    choices = Choices(n=60, d=20, l2=0.0, loss="logistic", noise=1.0, methods=["fista", "gd"], passes=30)
    runs = cdlab.race(choices.problem(), choices.entries(), max_passes=30, tol=choices.tol).traces
    lanes = [Lane(run.label, "full", 0, trace=Growing(run.records, run.meta), status="ended") for run in runs]
    made = race(None, Result(choices, lanes, PENDING))
    assert made["up"] == UNCERTIFIED
    assert min(error for lane in made["lanes"] for error in lane["error"] if error is not None) > NEAREST / 2
    assert any(lane["error"][-1] is None for lane in made["lanes"])
    assert [lane["reached"] for lane in made["lanes"]] == [None, None]
