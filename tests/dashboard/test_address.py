"""What an address asks for in vain is said."""

import pytest
from cases import each_of

from cdlab.dashboard.choices import address, links
from cdlab.dashboard.views import _looks


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_look_is_the_browsers(look):
    query = {"look": look, "n": "50"}
    assert _looks(query) == []
    assert query == {"n": "50"}


def test_a_look_that_does_not_exist_is_said():
    query = {"look": "blue"}
    assert _looks(query) == ["The address asks for look=blue, which was left out: it must be light or dark."]


@each_of("name", ["passes", "l2", "data", "methods", "seed", "nothing"])
@each_of("text", ["9" * 400, "9" * 5000, "x " * 200, "-" + "1" * 400, "1e" + "9" * 400])
def test_what_an_address_says_at_length_is_not_repeated_at_length(name, text):
    for complaint in links.read({name: text}).complaints:
        assert len(complaint) < 300
        assert text[: 2 * address.LONGEST] not in complaint
    for complaint in links.read({"story": text}).complaints + links.read({text: "1"}).complaints:
        assert len(complaint) < 400


@each_of("many", [3, 4, 400])
def test_of_many_complaints_three_are_told_and_the_others_counted(many):
    complaints = links.read({f"unknown{k}": "1" for k in range(many)}).complaints
    for k in range(3):
        assert f"unknown{k}=1" in complaints[k]
    assert len(complaints) == min(many, 4)
    assert many == 3 or f" {many - 3} more " in complaints[3]
