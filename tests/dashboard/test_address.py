"""What an address asks for in vain is said."""

import pytest

from cdlab.dashboard.views import _looks


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_look_is_the_browsers(look):
    query = {"look": look, "n": "50"}
    assert _looks(query) == []
    assert query == {"n": "50"}


def test_a_look_that_does_not_exist_is_said():
    query = {"look": "blue"}
    assert _looks(query) == ["The address asks for look=blue, which was left out: it must be light or dark."]
