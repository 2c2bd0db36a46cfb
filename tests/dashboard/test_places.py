"""A story survives changes, has a way back, and leaves nothing of its own behind."""

import pytest

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.stories import STORIES
from cdlab.dashboard.choices.story_steps import FIRST, SECOND, Place, find

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


@pytest.fixture(params=STORIES)
def place(request):
    return Place(request.param)


def entered(place: Place) -> Choices:
    choices = Choices(n=77, l1=0.5)
    place.enter(choices)
    return choices


def test_a_step_sets_all_choices(place):
    assert entered(place).values() == Choices(**place.story.choices()).values()
    assert place.variation(entered(place)) == {}
    assert find(entered(place)) == place


def test_the_change_leads_to_the_second_step(place):
    choices = entered(place)
    second = place.go_on(choices)
    assert second == Place(place.name, SECOND)
    assert choices.values() == Choices(**place.story.choices(1)).values()
    assert find(choices) == second


def test_a_change_makes_a_variation_which_goes_on_as_one_and_has_a_way_back(place):
    choices = entered(place)
    choices.noise = 0.7
    assert place.variation(choices) == {"noise": 0.7}
    assert place.go_on(choices).variation(choices) == {"noise": 0.7}
    place.enter(choices)
    assert place.variation(choices) == {}


def test_what_a_story_set_beyond_the_data_goes_with_it():
    choices = entered(Place("the order"))
    assert (choices.passes, choices.dual_sampling) == (6000, "cyclic")
    assert Place("the order").leaves("mushrooms")
    choices.param.update(**Place("the order").leave(choices), data="mushrooms")
    assert {name: value for name, value in choices.to_query().items() if name != "n"} == {"data": "mushrooms"}


def test_what_the_person_changed_stays_when_the_story_goes():
    place, choices = Place("the order"), entered(Place("the order"))
    choices.param.update(passes=123, seeds=3)
    choices.param.update(**place.leave(choices), data="mushrooms")
    assert (choices.passes, choices.seeds, choices.dual_sampling) == (123, 3, "importance")


def test_other_densities_of_the_same_data_are_variations_and_not_other_data():
    assert not Place("long rows").leaves("worst_dual")
    assert not Place("long rows").leaves("synthetic")
    assert Place("frequent words").leaves("arrow")


@pytest.mark.parametrize(("name", "step", "why"), [("nothing", FIRST, "there is no story"), ("a kink", 2, "not 3")])
def test_a_story_that_does_not_exist_is_refused(name, step, why):
    with pytest.raises(ValueError, match=why):
        Place(name, step)
