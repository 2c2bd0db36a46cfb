"""Data made here, and what fits them."""

import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.data_sources import FAMILIES, SYNTHETIC, data_call
from cdlab.dashboard.engine.predicting import entry_refusals, refusal
from cdlab.dashboard.visitor_limits import set_limits
from cdlab.dashboard.words import sentence as as_sentence
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

SMALL = {"n": 40, "d": 10, "density": 0.2}


@pytest.fixture(autouse=True)
def afterwards_as_before():
    yield
    set_limits()


@each_of("data", FAMILIES)
def test_a_family_is_the_call_that_it_says(data):
    choices = Choices(**SMALL, data=data, scale="none", condition=3.0, row=0.5, correlation=0.5, data_seed=4)
    X, y = eval(str(data_call(choices)), {"cdlab": cdlab})
    P = choices.problem()
    assert P.digest == cdlab.Problem(X, y, loss=P.loss, l2=P.l2).digest
    assert (P.n, P.d) == choices.shape()


@each_of("data", FAMILIES)
def test_only_what_is_asked_for_matters(data):
    choices = Choices(**SMALL, data=data)
    before, other = choices.problem(), {"n": 41, "d": 11, "density": 0.3, "skew": 0.5, "row_spread": 0.1, "noise": 1.0}
    other |= {"corner": 2.0, "column": 2.0, "row": 2.0, "correlation": 0.1, "data_seed": 9, "condition": 2.0}
    for name, value in other.items():
        changed = Choices(**SMALL | {"data": data, name: value})
        same = changed.problem_key() == choices.problem_key()
        assert same == (name not in FAMILIES[data].asks)
        assert same == (changed.problem().digest == before.digest)


@each_of("data", [name for name in FAMILIES if name != SYNTHETIC])
def test_families_have_limits_too(data):
    set_limits(entries=30)
    with pytest.raises(ValueError, match="this dashboard takes at most 30: lower n"):
        Choices(**SMALL, data=data).problem()


def test_a_density_without_a_one_for_each_row_is_refused():
    with pytest.raises(ValueError, match="set the density to at least 0.1"):
        Choices(n=40, d=10, density=0.01, data="worst_dual").problem()


# ---------------------------------------------------------------- batches, comparisons
@each_of("batch", [1, 2, 7, 10, 11, 40, 41])
@each_of("sampling", ["uniform", "importance"])
def test_what_is_refused_is_what_solve_refuses(batch, sampling):
    choices = Choices(
        **SMALL, batch=batch, dual_sampling=sampling, primal_sampling=sampling, row=0.5, loss="smooth_hinge"
    )
    P = choices.problem()
    for name in METHODS:
        chosen = choices.but(methods=[name])
        (entry,) = chosen.contestants()
        why = refusal(P, entry.method, sampling=entry.sampling)
        told = [each.why for each in entry_refusals(chosen) if each.what == name]
        assert told == ([as_sentence(why)] if why else [])


def test_each_method_also_runs_with_the_sampling_to_compare():
    choices = Choices(methods=["sdca", "lbfgs"], dual_sampling="importance", against="uniform")
    raced = [(entry.method.name, entry.draws and entry.draws.name) for entry in choices.contestants()]
    assert raced == [("sdca", "importance"), ("lbfgs", None), ("sdca", "uniform")]


@each_of("loss", list(cdlab.losses.LOSSES))
def test_a_sampling_is_greyed_if_no_entry_runs_with_it(loss):
    choices = Choices(**SMALL, loss=loss, methods=["sdca", "quartz", "rcd"])
    told, P = {each.what for each in entry_refusals(choices)}, choices.problem()
    for name in SAMPLINGS:
        if name != "uniform":
            assert (name in told) == all(refusal(P, each.method, sampling=name) for each in choices.contestants())
