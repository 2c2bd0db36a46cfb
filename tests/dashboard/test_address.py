"""What an address asks for in vain is said."""

import pytest

from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.state import State
from cdlab.dashboard.views import _take


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_look_is_the_browsers(look):
    state = State(result=first_picture())
    _take(state, {"look": look})
    assert state.error == ""


def test_a_look_that_does_not_exist_is_said():
    state = State(result=first_picture())
    _take(state, {"look": "blue", "n": "50"})
    assert state.error == "The address asks for look=blue, which was left out: it must be light or dark."
    assert state.choices.n == 50
