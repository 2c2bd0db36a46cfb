"""Exact rates on the page: of entries in an order that no theorem covers, as `cdlab.theory.exact_rate` has them."""

import pytest
from small_choices import small

from cdlab import theory
from cdlab.dashboard.engine import advise, facts
from cdlab.dashboard.engine.choices import Choices
from cdlab.dashboard.engine.rates import rates
from cdlab.numerics.written_numbers import number


def in_order(**values):
    return small(primal_sampling="cyclic", dual_sampling="permutation", **values)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_rates_are_those_of_the_library_beside_uniform_draws(loss):
    choices = in_order(loss=loss, methods=["rcd", "sdca", "quartz", "sdca@uniform"])
    found, problem = rates(choices), choices.problem()
    assert set(found.passes) == {"rcd", "sdca, permutation", "quartz"} == set(found.words)
    for label, sampling in (("rcd", "cyclic"), ("sdca, permutation", "permutation")):
        own, uniform = (theory.exact_rate(problem, label.split(",")[0], each) for each in (sampling, "uniform"))
        assert found.passes[label] == own.passes
        assert number(own.passes) in found.words[label]
        assert number(uniform.passes) in found.words[label]
        assert ("near the optimum" in found.words[label]) == (loss != "squared")


def test_where_no_rate_is_known_within_seconds_nothing_is_said():
    assert rates(small(methods=["rcd", "sdca"])).words == {}
    assert rates(in_order(methods=["saga", "spdc", "lbfgs"])).words == {}
    assert rates(in_order(loss="hinge", methods=["sdca"])).words == {}
    large = Choices(n=300, d=30, density=0.3, primal_sampling="cyclic", dual_sampling="permutation")
    assert set(rates(large).words) == {"rcd"}


def test_drawer_and_advice_have_the_rate():
    choices = in_order(loss="squared", methods=["sdca"])
    passes = rates(choices).passes["sdca"]
    (table,) = (each for each in facts("Bounds", choices).tables if "Exact rates" in each["title"])
    assert [row[:2] for row in table["rows"]] == [["sdca", passes]]
    advice = advise(small())
    assert advice.label == "sdca in random order"
    (own,) = rates(small().but(methods=["sdca@permutation"])).passes.values()
    assert f"exact rate is {number(own)} passes" in advice.words
