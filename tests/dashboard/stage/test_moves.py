"""What a step is said to have moved is what the method moved."""

import numpy as np
import pytest

from cdlab import Problem, datasets
from cdlab.dashboard.stage.frames import Frames, frames
from cdlab.dashboard.stage.moves import moves_of
from cdlab.samplings import TauNice

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

X, y = datasets.make(n=30, d=12, density=0.4, seed=1)
PROBLEM = Problem(X, y, "smooth_hinge", l2=0.05)


def moved(entry, side, most=20):
    made = frames(PROBLEM, entry, most=most)
    return made, moves_of(PROBLEM, entry, made, side)


def test_a_dual_step_moves_one_dual_variable_and_w_along_its_row():
    made, moves = moved("sdca@importance", "dual")
    p = PROBLEM.row_profile.norms2 / PROBLEM.loss.gamma + PROBLEM.l2 * PROBLEM.n
    for k, (i,) in enumerate(made.coordinates):
        assert moves["moved"][k] == [made.points[k][1][i], made.points[k + 1][1][i]]
        assert moves["p"][k] == pytest.approx(p[i] / p.sum())
        if not np.isclose(*moves["moved"][k], rtol=1e-12):  # drawn twice in a row, the second step is but rounding
            assert moves["weights"][k] == PROBLEM.row_profile.counts[i]


def test_a_primal_step_moves_one_weight():
    made, moves = moved("rcd", "primal")
    for k, (j,) in enumerate(made.coordinates):
        assert moves["moved"][k] == [made.points[k][0][j], made.points[k + 1][0][j]]
        assert moves["p"][k] == pytest.approx(1 / PROBLEM.d)
    assert set(moves["weights"]) == {1}


def test_in_an_order_nothing_is_drawn():
    assert moved("sdca@permutation", "dual")[1]["p"] == [None] * 20


def test_what_is_not_one_coordinate_has_no_before_and_after():
    assert moved(("quartz", {"sampling": TauNice(4)}), "dual", most=5)[1]["moved"] == [None] * 5
    assert None in moved("acc_rcd", "primal")[1]["moved"]


def test_without_steps_there_is_nothing():
    assert moves_of(None, None, Frames(), "dual") == {"p": [], "moved": [], "weights": []}
