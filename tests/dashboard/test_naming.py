"""A kept race is named by what differs from the one before."""

import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.naming import FIRST, LONGEST_NAME, SAME, called, differences
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


@each_of(
    "before, after, name",
    [
        ({}, {"density": 0.3}, "density 0.3 instead of 0.05"),
        ({"density": 0.3}, {}, "density 0.05 instead of 0.3"),
        ({}, {"data": "mushrooms"}, "mushrooms instead of synthetic"),
        ({}, {"l2": 10.0}, "l2 10/n instead of 1/n"),
        ({}, {"l2_over_n": False}, "l2 1 instead of 1/n"),
        ({}, {"loss": "hinge"}, "hinge instead of smooth_hinge"),
        ({}, {"methods": ["sdca", "quartz", "rcd", "saga"]}, "with saga"),
        ({}, {"methods": ["sdca", "rcd"]}, "without quartz"),
        ({}, {"methods": ["sdca", "spdc", "rcd"]}, "spdc instead of quartz"),
        ({}, {"dual_sampling": "cyclic"}, "dual cyclic instead of importance"),
        ({}, {"dual_sampling": "uniform", "primal_sampling": "uniform"}, "uniform instead of importance"),
        ({}, {"tol": 1e-3}, "target 0.001 instead of 10⁻⁶"),
        ({"data": "mushrooms"}, {"data": "mushrooms", "density": 0.3}, SAME),  # it has its own
    ],
)
def test_a_race_is_named_by_what_differs(before, after, name):
    assert called(Choices(**after), Choices(**before)) == name


def test_the_first_race_and_a_repeated_one_have_names_too():
    assert called(Choices()) == FIRST
    assert called(Choices(), Choices()) == SAME


def test_of_many_differences_as_many_are_named_as_there_is_room_for():
    assert (
        called(Choices(n=200, d=50, passes=30), Choices()) == "n 200 instead of 1,000, d 50 instead of 200 and 1 more"
    )


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "data": st.sampled_from(["synthetic", "arrow", "sun_ye", "mushrooms"]),
        "n": st.integers(2, 100_000),
        "density": st.floats(0.0001, 1),
        "l2": st.floats(0, 1e12),
        "methods": st.lists(st.sampled_from(list(METHODS)), unique=True),
        "dual_sampling": st.sampled_from(list(SAMPLINGS)),
        "primal_sampling": st.sampled_from(list(SAMPLINGS)),
        "seed": st.integers(0, 2**32 - 1),
    },
)


@given(VALUES, VALUES)
def test_a_name_fits_and_is_that_of_a_repetition_only_where_nothing_differs(before, after):
    new, old = Choices(**after), Choices(**before)
    assert 0 < len(called(new, old)) <= LONGEST_NAME
    assert (called(new, old) == SAME) == (not differences(new, old))
