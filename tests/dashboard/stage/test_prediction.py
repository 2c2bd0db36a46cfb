"""What is shown before a run is what the library says."""

import numpy as np
import pytest
from cases import each_of

from cdlab import faceoff
from cdlab.dashboard.bounds.theorems import theorem_for
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.story import predict
from cdlab.dashboard.stage.draws import drawn
from cdlab.dashboard.stage.histograms import histograms
from cdlab.dashboard.stage.prediction import PARTS, prediction
from cdlab.dashboard.stage.typeset import mathml
from cdlab.dashboard.words import number
from cdlab.methods import METHODS
from cdlab.samplings import TauNice

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

SMALL = {"n": 120, "d": 40, "density": 0.2}


def made(**values):
    choices = Choices(**SMALL | values)
    problem = choices.problem()
    return problem, choices, prediction(problem, choices, eps=1e-4)


@each_of("values", [{}, {"skew": 2.0}, {"d": 5}])
def test_c_is_the_sum_of_its_lines(values):
    problem, _, stage = made(**values)
    face = faceoff(problem)
    for side, C, lines in (("primal", face.C_P, face.d_nonempty), ("dual", face.C_D, face.n_nonempty)):
        shown = stage["faceoff"][side]
        assert shown["C"] == C
        assert shown["lines"] == lines
        assert sum(shown["parts"]) + shown["rest"] == pytest.approx(C, rel=1e-12)
        assert len(shown["parts"]) == min(PARTS, lines)
        assert shown["parts"] == sorted(shown["parts"], reverse=True)


def test_the_ratio_is_that_of_the_two_works_and_the_page_s_own():
    problem, choices, stage = made()
    shown = stage["faceoff"]
    assert shown["primal"]["T"] / shown["dual"]["T"] == shown["predicted"]["value"] == predict(problem, choices).ratio
    assert shown["primal"]["T"] == faceoff(problem).T_P  # with importance sampling, the default
    assert shown["measured"] is None


def test_a_theorem_has_its_value_on_these_data():
    problem, _, stage = made()
    primal, dual = stage["bound"]["theorems"]
    assert (primal["label"], dual["label"]) == ("rcd, importance", "sdca, importance")
    for shown, method in ((primal, "rcd"), (dual, "sdca")):
        bound = theorem_for(problem, method, "importance")
        assert shown["value"] == bound.for_problem(problem, 1e-4)
        assert mathml(bound.latex(), "block") in shown["formula"]
        assert len(shown["meanings"]) == len(bound.where())
    assert "10⁻⁴" in stage["bound"]["target"]


def test_the_ratio_of_the_passes_is_told_apart_from_that_of_the_face_off():
    _, _, stage = made()
    primal, dual = (each["value"] for each in stage["bound"]["theorems"])
    ratio = stage["faceoff"]["predicted"]["value"]
    assert primal / dual != pytest.approx(ratio, rel=0.1)
    assert f"= {number(primal / dual, 2)} is not T_P/T_D = {number(ratio, 2)}" in stage["bound"]["note"]
    for methods in (["rcd", "lbfgs"], ["acc_rcd", "quartz"], ["rcd"]):  # there is no such ratio on the screen
        _, _, stage = made(methods=methods)
        assert "T_P/T_D" not in stage["bound"]["note"]


def test_a_run_whose_theorem_is_not_shown_is_named():
    _, _, stage = made(methods=["rcd", "quartz", "asdca"], dual_sampling="uniform")
    shown = [each["label"] for each in stage["bound"]["theorems"]]
    assert shown == ["rcd, importance", "quartz, uniform"]
    assert "asdca, uniform" in stage["bound"]["note"]


def test_without_a_theorem_the_reason_stands_in_its_place():
    _, _, stage = made(primal_sampling="cyclic", dual_sampling="cyclic")
    for shown in stage["bound"]["theorems"]:
        assert shown["value"] is None
        assert shown["formula"] == ""
        assert "cyclic" in shown["words"]


def test_without_any_method_the_matrix_is_still_shown():
    _, _, stage = made(methods=[])
    assert stage["bound"]["theorems"] == []
    assert stage["matrix"]["thumbnail"]["rows"] == SMALL["n"]
    assert stage["matrix"]["primal"] is None


def test_a_loss_with_a_kink_has_no_prediction_and_says_why():
    _, _, stage = made(loss="hinge")
    assert stage["faceoff"]["predicted"]["value"] is None
    assert "smooth" in stage["faceoff"]["predicted"]["words"]
    assert stage["faceoff"]["primal"]["T"] is None
    assert stage["faceoff"]["primal"]["C"] > 0


@pytest.mark.parametrize(("method", "side"), [("rcd", "primal"), ("sdca", "dual")])
def test_cells_hold_the_mean_of_p_m(method, side):
    problem, _, stage = made(n=700, skew=1.0)
    p = METHODS[method]().probabilities(problem, "importance")
    shown = stage["matrix"][side]
    cells = np.arange(p.size) * min(p.size, 96) // p.size
    expected = [p[cells == k].mean() * p.size for k in range(cells[-1] + 1)]
    np.testing.assert_allclose(shown["cells"], expected, rtol=1e-12)
    assert (shown["least"], shown["most"]) == pytest.approx((p.min() * p.size, p.max() * p.size))


def test_uniform_is_one_everywhere_and_what_draws_nothing_has_no_p():
    problem, *_ = made()
    np.testing.assert_allclose(drawn(problem, "sdca@uniform")["cells"], 1.0, rtol=1e-12)
    np.testing.assert_allclose(drawn(problem, ("quartz", {"sampling": TauNice(5)}))["cells"], 1.0, rtol=1e-12)
    assert drawn(problem, "gd") is None


def test_formulas_of_every_theorem_can_be_typeset():
    from cdlab.theory.registry import all_theorems

    for bound in all_theorems():
        for latex in (bound.latex(), *bound.latex_definitions(), *bound.where()):
            assert "\\" not in mathml(latex)


def test_for_an_order_that_no_theorem_covers_nothing_is_predicted():
    _, _, stage = made(primal_sampling="cyclic", dual_sampling="cyclic")
    predicted = stage["faceoff"]["predicted"]
    assert (predicted["value"], predicted["instead"]) == (None, "none")
    assert predicted["words"] == "The theory makes no prediction: no theorem covers the sampling of a side."


def test_empty_rows_are_never_drawn_and_leave_the_bars_of_the_others_alone():
    problem, choices, _ = made(density=0.01, methods=["sdca"], dual_sampling="uniform")
    empty = int(np.sum(problem.row_profile.counts == 0))
    assert empty > 0
    shown = drawn(problem, choices.entries()[0])
    assert shown["never"] == empty
    assert shown["least"] == shown["most"]
    heights = [height for height in (*shown["cells"], *histograms(problem, choices)["uniform"]) if height]
    assert heights == pytest.approx([1.0] * len(heights), abs=1e-4)
