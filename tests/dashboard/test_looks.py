"""A method looks the same wherever it is drawn."""

import numpy as np
import pytest
from plotted import elements, options

import cdlab
from cdlab import plots
from cdlab.dashboard.bounds.moving import movable
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.looks import looks_of
from cdlab.dashboard.races.picture import curves
from cdlab.dashboard.races.results import Lane, Result
from cdlab.dashboard.races.runs import Kept
from cdlab.dashboard.races.story import PENDING
from cdlab.dashboard.stage.lanes import race as on_stage
from cdlab.plots.style import SHADES
from cdlab.runs.entries import entrant

METHODS = ["sdca", "gd", "rcd", "quartz", "acc_rcd", "adasdca", "lbfgs", "greedy"]
SIDES = ["dual", "full", "primal", "dual", "primal", "dual", "full", "primal"]


@pytest.fixture(scope="module")
def problem():
    X, y = cdlab.datasets.make(n=30, d=8, seed=0)
    return cdlab.Problem(X, y, loss="logistic", l2=0.1)


def result(problem, methods) -> Result:
    traces = cdlab.race(problem, methods, max_passes=2).traces
    lanes = [Lane(each.label, each.meta["side"], 0, trace=each, status=each.meta["status"]) for each in traces]
    return Result(Choices(methods=methods), lanes, PENDING)


def in_picture(picture) -> dict[str, tuple]:
    """Colour, dash and marker of each curve, by label."""
    lines, marks = elements(picture, "Curve"), elements(picture, "Scatter")
    return {
        line.label: (options(line)["color"], tuple(options(line)["line_dash"]), options(mark)["marker"])
        for line, mark in zip(lines, marks, strict=True)
    }


def test_stage_race_drawer_and_plots_draw_a_method_alike(problem):
    race = result(problem, METHODS)
    public = in_picture(plots.race(race.traces))
    drawer = {curve.label: curve.look for curve in curves([Kept(0, "one", race)])}
    stage = {lane["label"]: lane["look"] for lane in on_stage(None, race)["lanes"]}
    assert list(public) == list(drawer) == list(stage) == [trace.label for trace in race.traces]
    for label, own in drawer.items():
        assert public[label] == (own.light, own.dash, own.marker)
        assert stage[label] == {
            "light": own.light, "dark": own.dark, "dash": list(own.dash), "marker": own.marker,
        }  # fmt: skip
    assert looks_of(METHODS) == drawer  # as the bounds and the plane have them before a race


def test_a_method_has_the_colour_of_its_side(problem):
    race = result(problem, METHODS)
    for curve, side in zip(curves([Kept(0, "one", race)]), SIDES, strict=True):
        assert curve.look.light in SHADES[side]["light"]


def test_a_bound_looks_as_in_a_race_also_where_methods_without_one_are_left_out(problem):
    bounds = movable(problem, [entrant(name) for name in ("adasdca", "sdca", "rcd")], 1e-6)
    assert [each.label for each in bounds.bounds] == ["sdca, uniform", "rcd, uniform"]
    looks = looks_of(["adasdca", "sdca", "rcd"])
    assert list(bounds.looks) == [looks[each.label] for each in bounds.bounds]


def test_beside_earlier_races_the_latest_looks_as_it_does_alone(problem):
    """And a method of both has one look, on the stage and in the drawer."""
    before, now = result(problem, ["sdca", "quartz", "rcd"]), result(problem, ["quartz", "svrg"])
    together = curves([Kept(0, "before", before), Kept(1, "now", now)])
    assert [curve.look for curve in together[3:]] == [curve.look for curve in curves([Kept(1, "now", now)])]
    quartz = [curve.look for curve in together if curve.label == "quartz, uniform"]
    assert quartz[0][2:4] == quartz[1][2:4]
    assert len({curve.look[2:4] for curve in together if curve.label != "rcd, uniform"}) == 3
    stage = on_stage(None, now, {"before": before})["lanes"]
    assert [np.array_equal(lane["look"]["dash"], curve.look.dash) for lane, curve in zip(
        stage, [*together[3:], *together[:3]], strict=True)] == [True] * 5  # fmt: skip
