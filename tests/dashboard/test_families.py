"""Data made here, and what fits them."""

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.choices import misfits
from cdlab.dashboard.choices.choices import SYNTHETIC, Choices, at_hand
from cdlab.dashboard.choices.data_sources import FAMILIES, data_call, kind
from cdlab.dashboard.choices.groups import of_its_side
from cdlab.dashboard.visitor_limits import set_limits
from cdlab.methods import METHODS
from cdlab.runs.entries import check_entrant, entrant
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


def test_sources_are_listed_under_titles():
    assert kind("arrow") == kind(SYNTHETIC) == "Made here"
    assert {kind(name) for name in at_hand()} == {"Real"}


def test_gradient_methods_are_of_no_side():
    for name in ("sgd", "sag", "saga", "svrg", "rda", "gd", "lbfgs"):
        assert not of_its_side(f"{name}, uniform")
    assert all(map(of_its_side, ("sdca, uniform", "asdca(batch_size=8), uniform", "spdc", "acc_cd")))


# ---------------------------------------------------------------- batches, seeds, comparisons
def test_a_batch_size_goes_to_the_methods_that_take_one():
    choices = Choices(batch=4, dual_sampling="uniform", methods=["sdca", "spdc", "quartz"])
    assert choices.entries() == [
        ("sdca", {"sampling": "uniform"}),
        ("spdc", {"sampling": "uniform", "batch_size": 4}),
        ("quartz", {"sampling": "uniform", "batch_size": 4}),
    ]


@each_of("batch", [1, 2, 7, 10, 11, 40, 41])
@each_of("sampling", ["uniform", "importance"])
def test_a_batch_that_does_not_fit_is_refused_as_solve_does(batch, sampling):
    choices = Choices(**SMALL, batch=batch, dual_sampling=sampling, primal_sampling=sampling, row=0.5)
    P, told = choices.problem(), {}
    for name in METHODS:
        try:
            check_entrant(P, *entrant(choices.entry(name, sampling)))
        except ValueError as error:
            told[name] = str(error)
    assert choices.refusals() == told


def test_each_method_also_runs_with_the_sampling_to_compare():
    choices = Choices(methods=["sdca", "lbfgs", "spdc"], dual_sampling="importance", against="uniform")
    assert choices.entries() == [
        ("sdca", {"sampling": "importance"}),
        ("sdca", {"sampling": "uniform"}),
        ("lbfgs", {}),  # draws nothing
        ("spdc", {"sampling": "uniform"}),  # refuses importance
    ]
    assert "spdc" not in choices.refusals()


def test_seeds_count_up_from_the_seed():
    assert Choices(seed=7, seeds=3).all_seeds() == [7, 8, 9]


# ---------------------------------------------------------------- what does not fit
@each_of("loss", list(cdlab.losses.LOSSES))
def test_a_sampling_is_greyed_if_nobody_runs_with_it_and_they_would_with_others(loss):
    choices = Choices(**SMALL, loss=loss, dual_sampling="uniform", methods=["sdca", "spdc", "rcd"])
    told, P = misfits.reasons(choices), choices.problem()
    fits = [name for name in choices.methods if misfits.refusal(P, (name, {"sampling": "uniform"})) is None]
    open_minded = {side: [name for name in fits if METHODS[name].side == side] for side in ("dual", "primal")}
    for name, side in misfits.SIDES.items():
        for sampling in SAMPLINGS:
            said = {misfits.refusal(P, (method, {"sampling": sampling})) for method in open_minded[side]}
            assert (sampling in told[name]) == bool(said and all(said))
            if sampling in told[name]:
                assert told[name][sampling] in said


def test_a_loss_is_greyed_if_no_chosen_method_takes_it():
    choices = Choices(**SMALL, methods=["quartz", "rcd"], dual_sampling="uniform", primal_sampling="uniform")
    told = misfits.reasons(choices)["loss"]
    assert {"hinge", "absolute"} <= set(told)
    assert "squared" not in told
    P = cdlab.Problem(np.eye(2), [1, -1], loss="hinge", l2=0.1)
    assert told["hinge"] == misfits.refusal(P, ("quartz", {}))
    choices.methods = ["quartz", "sdca"]
    assert misfits.reasons(choices)["loss"] == {}
