"""A link says what is to be computed when it opens, within limits; it never shows another problem's outcome."""

from cases import each_of

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.links import read, write
from cdlab.dashboard.choices.stories import STORIES
from cdlab.dashboard.choices.story_steps import Place


def test_without_choices_there_is_nothing_to_compute():
    link = read({})
    assert (link.run, link.words, link.place) == (False, "", None)
    assert link.values == Choices().values()


@each_of("query", [{"n": "500"}, {"methods": "sdca"}, {"data": "mushrooms"}])
def test_a_link_with_choices_runs(query):
    link = read(query)
    assert (link.run, link.words, link.complaints) == (True, "", ())
    assert Choices(**link.values).to_query() == query


@each_of("name", STORIES)
@each_of("step", ["1", "2"])
def test_a_link_to_a_step_of_a_story_runs_it(name, step):
    link = read({"story": name, "step": step})
    assert link.place == Place(name, int(step) - 1)
    assert link.run
    assert link.values == Choices(**STORIES[name].choices(int(step) - 1)).values()


@each_of(
    "query, words",
    [
        ({"n": "100000", "passes": "100000"}, "press Run to start it"),
        ({"data": "upload", "upload": "mine.txt:0123456789abcdef"}, "about mine.txt (SHA-256 0123456789abcdef)"),
        ({"methods": ""}, "cannot run as they are"),
        ({"n": "100000", "d": "100000", "density": "0.5"}, "cannot run as they are"),
    ],
)
def test_what_is_too_much_or_not_there_waits_for_run_and_says_so(query, words):
    link = read(query)
    assert not link.run
    assert words in link.words


@each_of(
    "query, words",
    [
        ({"story": "no such"}, "there is no story 'no such'"),
        ({"story": "a kink", "step": "7"}, "it must be 1 or 2, not 7"),
        ({"story": "a kink", "step": "two"}, "it must be 1 or 2, not two"),
        ({"step": "2"}, "it names no story"),
        ({"n": "many"}, "whole number"),
    ],
)
def test_what_cannot_be_taken_is_said(query, words):
    (complaint,) = read(query).complaints
    assert words in complaint
    assert "which was left out" in complaint


def test_a_wrong_step_begins_the_story():
    assert read({"story": "a kink", "step": "7"}).place == Place("a kink")


@each_of("changed", [{}, {"noise": 0.7}, {"passes": 200, "methods": ["sdca"]}])
@each_of("place", [None, Place("the order"), Place("long rows", 1)])
def test_an_address_gives_back_choices_and_place(place, changed):
    choices = Choices()
    if place is not None:
        place.enter(choices)
    choices.param.update(**changed)
    link = read(write(choices, place))
    assert (link.place, link.values, link.complaints) == (place, choices.values(), ())


def test_the_address_of_a_story_is_short():
    choices, place = Choices(), Place("the order", 1)
    place.enter(choices)
    assert write(choices, place) == {"story": "the order", "step": "2"}
    choices.noise = 0.7
    assert write(choices, place) == {"story": "the order", "step": "2", "noise": "0.7"}


def test_the_item_of_a_paper_is_in_the_address_and_is_no_choice():
    link = read({"paper": "spdc-fig1"})
    assert (link.paper, link.run, link.words, link.complaints) == ("spdc-fig1", False, "", ())
    assert link.values == Choices().values()
    assert read({"paper": "spdc-fig1", "n": "500"}).run
    assert write(Choices(n=500), paper="spdc-fig1") == {"n": "500", "paper": "spdc-fig1"}
