"""The two-variable view: its paths are runs of the library, its levels are those of P, and it is of the same kind."""

import numpy as np
import pytest

from cdlab import Problem, datasets, solve
from cdlab.dashboard.stage.levels import frame_around, levels
from cdlab.dashboard.stage.planes import plane, tiny

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

ENTRIES = ["rcd@importance", "sdca@importance", "quartz@importance"]


def problem(loss: str = "smooth_hinge", **weights) -> Problem:
    X, y = datasets.make(n=60, d=20, density=0.3, row_spread=0.5, seed=2)
    return Problem(X, y, loss, **{"l2": 0.05} | weights)


@pytest.mark.parametrize("loss", ["smooth_hinge", "logistic", "squared"])
def test_the_paths_are_those_of_solve_on_the_tiny_problem(loss):
    P = problem(loss)
    small, drawn = tiny(P), plane(P, ENTRIES)
    assert [path["side"] for path in drawn["paths"]] == ["primal", "dual"]
    for path, entry in zip(drawn["paths"], ENTRIES, strict=False):
        found = solve(small, entry, tol=0.0, max_passes=1000, stop=lambda record: record.passes >= 3)
        after = found.trace.records[-1]
        k = path["steps"]["passes"].index(after.passes)
        assert path["w"][k + 1] == tuple(found.w)
        assert (path["steps"]["primal"][k], path["steps"]["dual"][k]) == (after.primal, after.dual)
        if path["side"] == "dual":
            np.testing.assert_allclose(path["w"][k + 1], small.w(found.alpha), rtol=1e-12)  # of the same epoch


def test_primal_and_dual_values_close_around_the_optimum():
    P = problem()
    drawn = plane(P, ENTRIES)
    for path in drawn["paths"]:
        primal, dual = np.array(path["steps"]["primal"]), np.array(path["steps"]["dual"])
        assert (primal >= drawn["best"]).all()
        assert (dual <= drawn["best"] + 1e-12).all()
        assert primal[-1] - dual[-1] < 0.05 * (path["start"][0] - path["start"][1])
    assert tiny(P).primal(np.array(drawn["optimum"])) == pytest.approx(drawn["best"], abs=1e-9)


def test_on_a_level_p_has_its_height():
    small = tiny(problem("logistic"))
    w = solve(small, "sdca", tol=1e-12).w
    best, scale = small.primal(w), small.primal(np.zeros(2)) - small.primal(w)
    found = levels(small, frame_around([w, np.zeros(2)]), best, scale)
    assert len(found) >= 4
    for level in found:
        points = np.array([point for line in level["lines"] for point in line])
        heights = [(small.primal(point) - best) / scale for point in points]
        np.testing.assert_allclose(heights, level["height"], rtol=0.05, atol=0.01)


def test_the_tiny_problem_is_of_the_same_kind():
    P = problem(l2=0.5, l1=0.01)
    small = tiny(P)
    assert (small.n, small.d, small.loss, small.l1) == (12, 2, P.loss, P.l1)
    assert small.l2 * small.n == pytest.approx(P.l2 * P.n)
    assert small.row_profile.norms2.mean() == pytest.approx(P.row_profile.norms2.mean())


def test_a_heavy_row_is_heavy_among_a_dozen_too():
    P = problem()
    X = P.X.toarray() if hasattr(P.X, "toarray") else P.X.copy()
    X[3] *= 6 * np.median(np.linalg.norm(X, axis=1)) / np.linalg.norm(X[3])
    heavy = Problem(X, P.y, P.loss, l2=0.05)
    norms, small = (np.sqrt(each.row_profile.norms2) for each in (heavy, tiny(heavy)))
    assert small.max() / small.min() == pytest.approx(norms.max() / np.median(norms[norms > 0]))
    assert small.max() / small.min() > 3


def test_a_small_l2_is_raised_until_paths_arrive():
    small = tiny(problem(l2=1e-7))
    assert small.l2 * small.n == pytest.approx(0.25 * small.row_profile.norms2.mean())
    assert tiny(problem(l2=0.0)).l2 == 0


def test_without_two_coordinates_or_methods_there_is_no_view():
    X, _ = datasets.make(n=30, d=5, seed=0)
    classes = np.arange(30) % 3
    assert plane(Problem(X, classes, "softmax", l2=0.1), ["sdca"]) is None
    assert plane(problem(), [("sdca", {"sampling": np.full(60, 1 / 60)})]) is None


def test_a_path_along_an_axis_has_room_on_both_sides():
    left, right, bottom, top = frame_around([np.array([0.0, 0.0]), np.array([2.0, 0.0]), np.array([np.inf, 0.0])])
    assert left < 0 < 2 < right
    assert bottom < 0 < top
