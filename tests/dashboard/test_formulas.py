import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.bounds.formulas import crossing_formula, pairs, paper_table, paper_tables
from cdlab.dashboard.bounds.moving import movable
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.words import number
from cdlab.methods import resolve
from cdlab.samplings import resolve as sampling

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def bounds(*methods, name="uniform", **choices):
    P = Choices(**({"n": 60, "d": 20, "density": 0.4} | choices)).problem()
    return P, movable(P, [(resolve(method), sampling(name)) for method in methods], 1e-6)


def test_spdc_takes_over_from_sdca_at_kappa_equal_to_n():
    P, b = bounds("sdca", "spdc")
    words = crossing_formula((0, 1), (P, b))
    assert "= 60 (where m = 1" in words
    assert r"\kappa &lt; m n:\quad \text{sdca, uniform}" in words


def test_equal_formulas_are_called_equal():
    P, b = bounds("sdca", "quartz")
    assert "the same but for the logarithm" in crossing_formula((0, 1), (P, b))


@pytest.mark.parametrize(
    ("methods", "name", "why"), [(("sdca", "asdca"), "uniform", "no formula"), (("sdca", "rcd"), "norms", "K and W")]
)
def test_without_a_closed_form_the_reader_is_sent_to_the_picture(methods, name, why):
    P, b = bounds(*methods, name=name)
    with pytest.raises(ValueError, match=why):
        crossing_formula((0, 1), (P, b))


def test_every_two_bounds_are_a_pair():
    _, b = bounds("sdca", "rcd", "gd", "lbfgs")
    assert list(pairs(b)) == [
        "sdca, uniform against rcd, uniform",
        "sdca, uniform against gd",
        "rcd, uniform against gd",
    ]


@each_of("choices", [{}, {"loss": "hinge"}, {"l2": 0.0, "loss": "squared"}, {"l1": 0.1}, {"loss": "softmax"}])
def test_every_table_is_typeset_and_evaluated_or_says_why_not(choices):
    P, _ = bounds(**choices)
    for name in paper_tables().values():
        text = paper_table(name, (P, 1e-6))
        assert r"\( " in text
        assert "nan" not in text
        assert ("<br>=" in text) or "it has no values" in text


def test_a_table_s_values_are_the_theory_s():
    X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    P = cdlab.Problem(X, y, l2=0.1)
    face = cdlab.faceoff(P)
    text = paper_table("face-off", (P, 1e-6))
    assert f"= {number(face.K_D)}<" in text
    assert f"= {number(face.T_P)}<" in text
