import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.drawers.faceoff_tab import counts_table, derivatives, doubted, drawn_cost, drawn_map, position
from cdlab.dashboard.races.story import Prediction
from cdlab.dashboard.words import number
from cdlab.faceoffs import faceoff

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

DEGENERATE = {
    "X = 0": cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], l2=0.1),
    "n = 1": cdlab.Problem(np.ones((1, 2)), [1.0], loss="squared", l2=0.1),
    "l2 = 0": cdlab.Problem(np.eye(3), [1.0, 2.0, 3.0], loss="squared", l2=0.0),
    "hinge": cdlab.Problem(np.eye(3), [1, -1, 1], loss="hinge", l2=0.1),
    "l1 > 0": cdlab.Problem(np.eye(3), [1, -1, 1], loss="logistic", l2=0.1, l1=0.2),
    "softmax": cdlab.Problem(np.eye(3), [0, 1, 2], loss="softmax", l2=0.1),
}


@pytest.mark.parametrize("source", ["assumed", "set"])
@pytest.mark.parametrize("P", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_problems_give_sentences(P, source):
    face = faceoff(P)
    picture, words = drawn_cost({"source": source, "cost": 3.0}, (face, P))
    assert (picture is None) == (face.T_P is None or face.T_D is None)
    assert "A primal method needs a derivative" in words
    drawn, words = drawn_map({"own": True, "density": 0.1}, face)
    assert "the diamond marks these data" in words
    assert "nan" not in counts_table(P)


def test_the_set_cost_is_counted():
    X, y = cdlab.datasets.make(n=50, d=400, density=0.2, skew=0.0, seed=0)
    P = cdlab.Problem(X, y, loss="logistic", l2=0.001)
    face = faceoff(P, derivative_cost=7.0)
    _, words = drawn_cost({"source": "set", "cost": 7.0}, (faceoff(P), P))
    assert number(face.cost_P()) in words
    assert number(face.cost_D()) in words
    assert f"costs less than {number(face.break_even)} visits" in words


def test_a_measured_cost_gives_seconds():
    P = cdlab.Problem(np.eye(3), [1, -1, 1], loss="logistic", l2=0.1)
    _, words = drawn_cost({"source": "measured", "cost": 0.0}, (faceoff(P), P))
    face = faceoff(P, derivative_cost="measured")
    assert number(face.seconds_P) in words
    assert number(face.derivative_cost) in words


def test_the_map_follows_the_slider():
    P = DEGENERATE["n = 1"]
    _, words = drawn_map({"own": False, "density": 0.25}, faceoff(P))
    assert "density 0.25" in words


def test_the_words_on_derivatives_tell_both_cases():
    dual = faceoff(cdlab.Problem(np.ones((20, 2)), np.tile([1, -1], 10), loss="logistic", l2=0.5))
    assert "The dual wins whatever" in derivatives(dual)
    assert "without that cost the bounds favour the dual" in derivatives(dual)
    assert "At a cost of 50 visits the bounds favour the dual" in derivatives(dual)


@each_of(
    "n, ratio, words",
    [
        (60, 8.0, "20 times as many examples as features"),
        (20, 8.0, "Exact steps with uniform draws take"),
        (20, 0.1, "sdca takes the exact step"),
        (20, 1.0, "sdca takes the exact step"),
        (20, None, ""),
    ],
)
def test_what_the_bounds_do_not_know_stands_beside_the_prediction(n, ratio, words):
    face = faceoff(cdlab.Problem(np.ones((n, 3)), np.tile([1, -1], n // 2), l2=0.5))
    found = doubted(face, Prediction(ratio))
    assert words in found if words else found == ""


def test_the_position_is_among_lines_that_are_not_empty():
    face = faceoff(np.hstack([np.ones((4, 2)), np.zeros((4, 6))]))
    words = position(face)
    assert f"1/d = {number(0.5)}" in words
    assert "4 of 4 examples and 2 of 8 features" in words
    assert "not empty" not in position(faceoff(np.ones((4, 2))))
