"""How the modules of the chooser are joined for Panel."""

import pytest

from cdlab.dashboard.chooser.component import Chooser
from cdlab.dashboard.chooser.story_bar import StoryBar

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


@pytest.mark.parametrize("component", [Chooser, StoryBar])
def test_joined_they_are_one_module_that_asks_for_nothing(component):
    text = component._esm
    assert "\nimport " not in text
    assert text.count("\nexport ") == 1
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
