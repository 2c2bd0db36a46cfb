import re

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.bounds.moving import Crossing, Setting, crossing_in_words, movable, move, moved_table, sentence
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.drawers.moved_plot import MovedPlot
from cdlab.methods import resolve
from cdlab.plots.style import look
from cdlab.samplings import resolve as sampling

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def problem(**choices):
    return Choices(**({"n": 60, "d": 20, "density": 0.4} | choices)).problem()


def bounds(*methods, name="uniform", P=None):
    P = P or problem()
    return movable(P, [(resolve(method), sampling(name)) for method in methods], 1e-6)


def test_at_home_the_bounds_are_those_of_the_problem():
    b = bounds("sdca", "gd")
    moved = move(b, b.home)
    assert (moved.here == moved.home).all()
    P = problem()
    from cdlab import theory

    assert moved.here == pytest.approx([theory.bound(m).for_problem(P) for m in ("sdca", "gd")])


@each_of("against", ["l2", "n", "eps", "m"])
def test_at_a_crossing_two_bounds_are_equal_and_change_places(against):
    b = bounds("sdca", "spdc", "rcd", "fista", "quartz", "asdca")
    moved = move(b, Setting(60, 1 / 60, 1e-6, 1, against))
    labels = [what.label for what in b.bounds]
    for crossing in moved.crossings:
        for x, sign in ((crossing.x * 0.9, -1), (crossing.x, 0), (crossing.x * 1.1, 1)):
            at = {"n": 60, "l2": 1 / 60, "eps": 1e-6, "m": 1.0} | {against: x}
            places = [labels.index(each.split(" and ")[0]) for each in (crossing.low, crossing.high)]
            low, high = (float(b.bounds[k].passes(**at)) for k in places)
            if sign:
                assert np.sign(low - high) == sign
            else:
                assert low == pytest.approx(high, rel=1e-3)
                assert crossing.y == pytest.approx(low, rel=1e-3)
    if against == "l2":
        assert moved.crossings


def test_a_bound_never_falls_as_the_accuracy_grows():
    b = bounds("sdca", "spdc", "fista")
    moved = move(b, Setting(60, 1 / 60, 1e-6, against="eps"))
    assert (np.diff(moved.curves, axis=1) <= 0).all()


def test_equal_formulas_do_not_cross():
    b = bounds("sdca", "quartz")
    assert move(b, b.home).crossings == ()
    assert "No two of the bounds cross" in sentence(b, move(b, b.home))


def test_bounds_of_one_formula_cross_others_together():
    b = bounds("sdca", "quartz", "fista")
    moved = move(b, b.home)
    assert {crossing.low for crossing in moved.crossings} | {crossing.high for crossing in moved.crossings} == {
        "sdca, uniform and quartz, uniform", "fista",
    }  # fmt: skip


def test_the_words_name_the_smallest_bound_and_the_crossings():
    b = bounds("sdca", "fista", "spdc")
    moved = move(b, b.home)
    words = sentence(b, moved)
    assert f"the smallest bound is that of {b.bounds[int(moved.here.argmin())].label}" in words
    assert crossing_in_words(moved.crossings[0], "l2") in words
    assert moved_table(b, moved).count("<tr>") == 4


def test_methods_without_a_bound_keep_their_reason():
    b = bounds("sdca", "lbfgs", "adasdca")
    assert len(b.bounds) == 1
    assert [label for label, _ in b.reasons] == ["lbfgs", "adasdca"]
    assert all(reason for _, reason in b.reasons)


@pytest.mark.parametrize(
    "P",
    [
        cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], l2=0.1),
        cdlab.Problem(np.ones((1, 2)), [1.0], loss="squared", l2=0.1),
        cdlab.Problem(np.eye(3), [1.0, 2.0, 3.0], loss="squared", l2=0.0),
        cdlab.Problem(np.eye(3), [1, -1, 1], loss="hinge", l2=0.1),
        cdlab.Problem(np.eye(3), [1, -1, 1], loss="logistic", l2=0.1, l1=0.2),
    ],
    ids=["X = 0", "n = 1", "l2 = 0", "hinge", "l1 > 0"],
)
def test_degenerate_problems_give_sentences(P):
    b = movable(
        P, [(resolve(m), sampling("uniform")) for m in ("sdca", "rcd", "quartz", "fista", "spdc", "kaczmarz")], 1e-6
    )
    for against in b.names():
        moved = move(b, Setting(b.home.n, b.home.l2, 1e-6, against=against))
        assert sentence(b, moved).endswith(".")
        plot = MovedPlot([w.label for w in b.bounds], b.looks)
        plot.show(moved.xs, moved.curves, 1.0, against)
    assert ("l2" in b.names()) == (P.l2 > 0)


def test_the_picture_draws_every_curve_and_marks_every_crossing():
    b = bounds("sdca", "rcd", "fista")
    moved = move(b, b.home)
    plot = MovedPlot([what.label for what in b.bounds], b.looks)
    plot.show(moved.xs, moved.curves, b.home.l2, "l2", [(c.x, c.y, c.leads) for c in moved.crossings])
    sources = {len(r.data_source.data["x"]) for r in plot.figure.renderers if "size" in r.data_source.data}
    assert sources == {len(moved.crossings)}
    lines = next(r for r in plot.figure.renderers if "dash" in r.data_source.data).data_source.data
    assert lines["colour"] == [look(side).light for side in ("dual", "primal", "full")]
    assert np.array_equal(lines["ys"], moved.curves)
    assert len(plot.figure.legend[0].items) == 3


def test_examples_are_whole_in_words():
    b = bounds("sdca", "fista")
    moved = move(b, Setting(60, 1 / 60, 1e-6, against="n"))
    said = sentence(b, moved) + crossing_in_words(Crossing(63.3, 5.0, "sdca", "fista", leads=True), "n")
    assert "At n = 63 the bounds of sdca and of fista are nearly equal" in said
    assert not re.search(r"n = [\d,]*\.\d", said)


def test_what_needs_fewer_may_be_several():
    words = crossing_in_words(Crossing(0.1, 5.0, "sdca and quartz", "fista", leads=False), "l2")
    assert words.endswith("below that fewer suffice for sdca and quartz, above it for fista.")


def test_without_any_bound_there_is_nothing_to_move():
    b = bounds("lbfgs", "adasdca")
    assert sentence(b, move(b, b.home)).startswith("There is nothing to move")
