"""Choices repair themselves: after any change something can run, or the reason is told; undo is exact."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.data_sources import FAMILIES
from cdlab.dashboard.choices.repairs import change, why_not
from cdlab.dashboard.choices.uploads import read_upload
from cdlab.dashboard.words import number
from cdlab.methods import METHODS
from cdlab.runs.entries import check_entrant, entrant
from cdlab.samplings import SAMPLINGS

VALUES = {
    "n": st.integers(2, 60),
    "d": st.integers(1, 60),
    "density": st.floats(0.0001, 1),
    "skew": st.floats(0, 3),
    "data": st.sampled_from([*FAMILIES, "mushrooms"]),
    "loss": st.sampled_from(list(cdlab.losses.LOSSES)),
    "methods": st.lists(st.sampled_from(list(METHODS)), unique=True, max_size=4),
    "dual_sampling": st.sampled_from(list(SAMPLINGS)),
    "primal_sampling": st.sampled_from(list(SAMPLINGS)),
    "batch": st.sampled_from([1, 2, 8]),
    "l1": st.sampled_from([0.0, 0.1]),
    "l2": st.sampled_from([0.0, 1.0]),
}
ANY = st.fixed_dictionaries({}, optional=VALUES)
ONE = st.sampled_from(list(VALUES)).flatmap(lambda name: st.fixed_dictionaries({name: VALUES[name]}))


@given(ANY, ONE)
def test_after_any_change_of_any_choices_the_race_can_run_or_it_is_said_why_not(start, changed):
    choices = Choices(**{"n": 40, "d": 20} | start)
    done = change(choices, **changed)
    if done.why_not:
        assert done.why_not == why_not(choices)
        return
    entries = choices.entries()
    assert entries
    try:
        problem = choices.problem()
    except ValueError as error:  # two examples with the same label: nobody knows before the data are there
        assert "all labels are" in str(error)  # noqa: PT017
        return
    for entry in entries:
        try:
            check_entrant(problem, *entrant(entry))
        except ValueError as error:  # an empty row or column: nobody knows before the data are there
            assert "never drawn" in str(error)  # noqa: PT017


@given(ANY, ONE)
def test_undo_gives_back_the_exact_choices(start, changed):
    choices = Choices(**start)
    before = choices.values()
    change(choices, **changed).undo(choices)
    assert choices.values() == before


@given(ANY, ONE)
def test_what_the_person_set_stays_as_it_was_set_but_for_a_density_that_makes_no_matrix(start, changed):
    choices = Choices(**start)
    done = change(choices, **changed)
    for name, value in changed.items():
        held = getattr(choices, name)
        assert held == value or (name == "density" and held > value and done.repairs)


@given(ANY)
def test_choices_that_fit_are_left_alone(start):
    choices = Choices(**{"n": 40, "d": 20} | start)
    change(choices, noise=0.2)  # whatever did not fit is repaired now
    again = change(choices, noise=0.3)
    assert again.repairs == ()


@each_of(
    "start, changed, told",
    [
        (
            {"methods": ["quartz"], "dual_sampling": "uniform"},
            {"loss": "hinge"},
            "quartz needs a smooth loss and hinge is not: quartz became sdca.",
        ),
        (
            {"methods": ["sdca"]},
            {"loss": "hinge"},
            "importance sampling needs a smooth loss and hinge is not: dual sampling importance became uniform.",
        ),
        (
            {"methods": ["sdca"], "loss": "hinge", "dual_sampling": "uniform"},
            {"methods": ["sdca", "quartz"]},
            "quartz needs a smooth loss and hinge is not: loss hinge became smooth_hinge.",
        ),
        (
            {"methods": ["apcg"], "dual_sampling": "uniform"},
            {"dual_sampling": "importance"},
            "apcg does not run with importance sampling: apcg became sdca.",
        ),
        (
            {"methods": ["greedy", "sdca"]},
            {"l1": 0.1},
            "greedy does not handle l1 > 0: greedy became rcd.",
        ),
        (
            {"data": "worst_dual", "n": 100, "d": 20, "density": 0.1},
            {"density": 0.01},
            "at density 0.01 some row or column of the 100 x 20 matrix worst_dual would be empty: "
            "density 0.01 became 0.05.",
        ),
    ],
)
def test_a_repair_is_told_with_its_reason(start, changed, told):
    choices = Choices(**start)
    assert change(choices, **changed).repairs == (told,)


def test_a_method_for_which_there_is_no_repair_stays_chosen_and_the_others_run():
    choices = Choices(methods=["sdca", "rcd"], dual_sampling="uniform", primal_sampling="uniform")
    done = change(choices, loss="hinge")  # no primal method steps on a kink
    assert choices.methods == ["sdca", "rcd"]
    assert done.repairs == (
        "rcd does not run: it needs a smooth loss and hinge is not: take smooth_hinge instead, or use the method sdca.",
    )
    assert done.why_not == ""
    assert [name for name, _ in choices.entries()] == ["sdca"]


def test_a_method_that_did_not_run_before_is_left_as_it_is_while_others_run():
    hinge = {"loss": "hinge", "dual_sampling": "uniform", "primal_sampling": "uniform"}
    choices = Choices(methods=["sdca", "rcd"], **hinge)
    assert change(choices, noise=0.7).repairs == ()
    alone = Choices(methods=["rcd"], **hinge)
    assert change(alone, noise=0.7).repairs != ()


def test_a_change_out_of_range_changes_nothing():
    choices = Choices()
    with pytest.raises(ValueError, match="at least 2"):
        change(choices, n=1, loss="hinge")
    assert choices.to_query() == {}


def test_a_file_with_numbers_for_labels_gets_a_loss_that_takes_them():
    rng = np.random.default_rng(0)
    text = "".join(f"{rng.normal():.3f} 1:{rng.normal():.3f} 2:1\n" for _ in range(20))
    choices = Choices()
    choices.take(read_upload("mine.txt", text.encode()))
    done = change(choices, scale="unit")
    assert choices.loss == "squared"
    assert done.repairs[0].endswith("loss smooth_hinge became squared.")
    assert done.why_not == ""
    assert choices.problem().n == 20


def test_without_a_method_it_is_said_that_one_is_to_be_chosen():
    assert change(Choices(), methods=[]).why_not == "No method can run. Choose at least one."


def test_a_matrix_too_large_for_the_page_gets_sparser_or_is_refused():
    choices = Choices(density=0.5)
    done = change(choices, n=100_000, d=100_000)
    assert choices.density < 0.0021
    assert done.repairs == (
        f"100,000 x 100,000 at density 0.5 is more than this dashboard takes: density 0.5 became "
        f"{number(choices.density)}.",
    )
    assert done.why_not == ""
    assert "this dashboard takes at most" in change(Choices(n=100_000, d=100_000, density=0.001), density=0.5).why_not
