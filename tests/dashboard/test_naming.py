"""A kept race is named by what differs from the one before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.naming import FIRST, LONGEST_NAME, SAME, called, differences
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def test_the_first_race_and_a_repeated_one_have_names_too():
    assert called(Choices()) == FIRST
    assert called(Choices(), Choices()) == SAME


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
