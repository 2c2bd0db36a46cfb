import numpy as np
import pytest

import cdlab
from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.problems import PreparedProblem
from cdlab.dashboard.engine.sampling_facts import adaptive, best_sampling_sentence, sampling_facts
from cdlab.methods.adasdca import AdaSDCA, residuals
from cdlab.samplings import SAMPLINGS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def problem(**choices):
    small = {"n": 60, "d": 20, "density": 0.4, "row_spread": 1.0, "loss": "smooth_hinge", "scale": "mean"}
    return Choices(**small | choices).problem()


@pytest.mark.parametrize("side", ["dual", "primal"])
def test_every_sampling_of_the_registry_is_there_with_probabilities(side):
    facts = sampling_facts(PreparedProblem(problem()), side)
    labels = ", ".join(each.label for each in facts.schemes)
    assert all(name in labels for name in SAMPLINGS)
    for each in facts.schemes:
        assert each.p.sum() == pytest.approx(1)
        assert each.p.size == facts.lines.norms2.size


@pytest.mark.parametrize(("side", "letter"), [("dual", "D"), ("primal", "P")])
def test_costs_and_bounds_are_those_of_the_face_off(side, letter):
    P = problem()
    others = [name for name, kind in SAMPLINGS.items() if kind.has_theorem and name not in ("uniform", "importance")]
    face = cdlab.faceoff(P, samplings=others)
    works = {"uniform": face.uniform, "importance": face, **face.by_sampling}
    for each in sampling_facts(PreparedProblem(P), side).schemes:
        if each.T is not None:
            assert (each.K, each.W, each.T) == pytest.approx(
                [getattr(works[each.label], f"{name}_{letter}") for name in "KWT"]
            )


def test_importance_has_the_smallest_bound_and_the_sentence_says_so():
    facts = sampling_facts(PreparedProblem(problem()), "dual")
    bounds = {each.label: each.T for each in facts.schemes if each.T is not None}
    assert min(bounds, key=bounds.get) == "importance"
    assert "importance sampling has the smallest bound" in best_sampling_sentence(facts)


def test_adaptive_probabilities_are_those_of_the_solver():
    P = problem()
    alpha = cdlab.solve(P, "sdca", max_passes=2, tol=0.0).alpha
    method = AdaSDCA()
    state = method.init(P, "uniform")
    state.alpha[:] = alpha
    method.refresh(P, state)
    residuals(method.view(P), state)
    assert adaptive(P, alpha).p == pytest.approx(state.weight / state.weight.sum())


def test_at_the_optimum_nothing_is_left_to_draw():
    P = cdlab.Problem(np.eye(2), [0.0, 0.0], loss="squared", l2=0.1)
    assert "optimum" in adaptive(P, np.zeros(2)).reason


@pytest.mark.parametrize(
    "P",
    [
        cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], l2=0.1),
        cdlab.Problem(np.zeros((3, 2)), [1.0, 2, 3], loss="squared", l2=0.0),
        cdlab.Problem(np.ones((1, 2)), [1.0], loss="squared", l2=0.1),
        cdlab.Problem(np.eye(3), [1.0, 2.0, 3.0], loss="squared", l2=0.0),
        cdlab.Problem(np.diag([1.0, 0, 2]), [1.0, 2.0, 3.0], loss="squared", l2=0.0),
        cdlab.Problem(np.eye(3), [1, -1, 1], loss="hinge", l2=0.1),
        cdlab.Problem(np.eye(3), [1, -1, 1], loss="logistic", l2=0.1, l1=0.2),
        cdlab.Problem(np.eye(3), [0, 1, 2], loss="softmax", l2=0.1),
    ],
    ids=["X = 0", "X = 0 and l2 = 0", "n = 1", "l2 = 0", "a zero row, l2 = 0", "hinge", "l1 > 0", "softmax"],
)
@pytest.mark.parametrize("side", ["dual", "primal"])
def test_degenerate_problems_give_sentences(P, side):
    facts = sampling_facts(PreparedProblem(P), side)
    assert best_sampling_sentence(facts).endswith((".", ".)"))
    assert "nan" not in best_sampling_sentence(facts)
    for each in facts.schemes:
        assert each.T is not None or each.reason
