"""What a person does at the choices: changes with repairs and undo, cards, stories, guesses."""

import json

import pytest
from cases import each_of

from cdlab.dashboard.choices import links
from cdlab.dashboard.choices.cards import CARDS, card_of, example
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.choices.data_sources import at_hand
from cdlab.dashboard.choices.stories import STORIES
from cdlab.dashboard.choices.story_steps import Place
from cdlab.dashboard.chooser.component import Chooser
from cdlab.dashboard.chooser.layout import layout
from cdlab.dashboard.chooser.story_bar import StoryBar
from cdlab.dashboard.visitor_limits import set_limits
from cdlab.datasets import describe, load

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def chooser(choosing: Choosing | None = None) -> Chooser:
    made = Chooser(choosing or Choosing(), lambda name: made.told.append({"pressed": name}))
    made.told = []
    made._send_msg = made.told.append
    return made


def shown(made: Chooser) -> dict:
    return json.loads(made.content)


# ---------------------------------------------------------------- what is offered
@each_of("name", CARDS)
def test_a_card_makes_data_of_its_kind_and_has_a_picture(name):
    choosing = Choosing()
    choosing.card(name)
    assert card_of(choosing.choices) == name
    assert choosing.why_not == ""
    assert example(name).shape[0] == 24


def test_the_default_choices_are_skewed_words():
    assert card_of(Choices()) == "words"
    assert card_of(Choices(data="mushrooms")) == "real"
    assert card_of(Choices(data="upload")) == "upload"


# ---------------------------------------------------------------- what comes from the browser
def test_a_change_is_taken_and_its_number_answered():
    made = chooser()
    made._handle_msg({"set": {"n": 500}, "versions": {"n": 3}})
    assert made._choosing.choices.n == 500
    assert shown(made)["values"]["n"] == 500
    assert shown(made)["heard"] == {"n": 3}


def test_numbers_are_answered_in_any_order_of_names():
    made = chooser()
    made._handle_msg({"set": {"n": 500}, "versions": {"n": 1}})
    made._handle_msg({"set": {"density": 0.5}, "versions": {"density": 1}})
    made._handle_msg({"set": {"n": 700}, "versions": {"n": 2}})
    assert shown(made)["heard"] == {"n": 2, "density": 1}


@each_of(
    "values, why",
    [
        ({"n": 1}, "Examples n: it must be at least 2"),
        ({"n": 2.5}, "Examples n: it must be a whole number."),
        ({"density": None}, "Density: it must be a number."),
        ({"methods": ["nobody"]}, "Methods: "),
    ],
)
def test_what_is_refused_is_told_and_the_old_value_answered(values, why):
    made = chooser()
    (name,) = values
    made._handle_msg({"set": values, "versions": {name: 1}})
    (told,) = made.told
    assert told["refused"].startswith(why)
    assert made._choosing.choices.to_query() == {}
    assert shown(made)["heard"] == {name: 1}


def test_only_the_buttons_that_there_are_can_be_pressed():
    made = chooser()
    for name in ("run", "stop", "step"):
        made._handle_msg({"press": name})
    assert made.told == [{"pressed": name} for name in ("run", "stop", "step")]
    with pytest.raises(ValueError, match="no button 'explode'"):
        made._handle_msg({"press": "explode"})


def test_a_repair_is_told_and_undone():
    made = chooser()
    before = made._choosing.choices.values()
    made._handle_msg({"set": {"methods": ["rcd", "apcg"]}, "versions": {"methods": 1}})
    assert shown(made)["told"] == [
        "apcg does not run with importance sampling: dual sampling importance became uniform."
    ]
    assert shown(made)["undo"]
    made._handle_msg({"undo": True})
    assert made._choosing.choices.values() == before
    assert shown(made)["told"] == []
    assert not shown(made)["undo"]


def test_a_change_in_a_form_is_repaired_and_undone_too():
    choosing = Choosing(Choices(methods=["rcd", "quartz"], dual_sampling="uniform"))
    before = choosing.choices.values()
    choosing.choices.loss = "hinge"
    assert choosing.choices.methods == ["rcd", "sdca"]
    assert choosing.told == (
        "quartz needs a smooth loss and hinge is not: quartz became sdca.",
        "rcd does not run: it needs a smooth loss and hinge is not: take smooth_hinge instead, or use the method sdca.",
    )
    choosing.undo()
    assert choosing.choices.values() == before


def test_what_a_link_asks_for_is_taken_as_it_is():
    choosing = Choosing()
    values = Choices(loss="hinge", methods=["rcd", "sdca"], dual_sampling="uniform").values()
    choosing.load(values, Place("a kink"))
    assert (choosing.choices.values(), choosing.place, choosing.told) == (values, Place("a kink"), ())


def test_why_nothing_can_run_is_shown():
    made = chooser()
    made._handle_msg({"set": {"methods": []}, "versions": {"methods": 1}})
    assert shown(made)["why_not"] == "No method can run. Choose at least one."


# ---------------------------------------------------------------- stories
def test_a_story_is_entered_changed_gone_on_with_and_left():
    choosing = Choosing()
    choosing.enter("short side")
    choosing.set(noise=0.4)
    assert choosing.variation == {"noise": 0.4}
    choosing.go_on()
    assert choosing.place == Place("short side", 1)
    assert choosing.variation == {"noise": 0.4}
    choosing.enter("short side", 1)
    assert choosing.variation == {}
    choosing.leave()
    assert choosing.place is None
    assert set(choosing.choices.to_query()) <= {"n", "d", "density", "skew"}


def test_other_data_end_a_story_and_take_with_it_what_it_set_and_undo_brings_it_back():
    choosing = Choosing()
    choosing.enter("the order")
    before = choosing.choices.values()
    choosing.card("dense")
    assert choosing.place is None
    assert (choosing.choices.passes, choosing.choices.dual_sampling, choosing.choices.loss) == (
        200,
        "importance",
        "smooth_hinge",
    )
    assert choosing.can_undo
    choosing.undo()
    assert choosing.place == Place("the order")
    assert choosing.choices.values() == before


def test_who_leaves_a_story_is_told_what_goes_back():
    choosing = Choosing()
    choosing.enter("a kink")
    choosing.leave()
    assert choosing.choices.loss == "smooth_hinge"
    (told,) = choosing.told
    assert told.startswith("The story has been left; ")
    assert "loss" in told


def test_the_keys_of_a_presenter_walk_through_all_steps_and_stop_at_the_ends():
    choosing, seen = Choosing(), []
    for _ in range(14):
        choosing.walk(1)
        seen.append(choosing.place)
    assert seen[:12] == [Place(name, step) for name in STORIES for step in (0, 1)]
    assert seen[12:] == [seen[11]] * 2
    choosing.walk(-1)
    assert choosing.place == seen[10]


def test_the_strip_shows_the_question_then_what_is_true():
    choosing = Choosing()
    bar = StoryBar(choosing)
    assert bar.place == "null"
    choosing.enter("a kink")
    assert json.loads(bar.place)["question"] == STORIES["a kink"].first.question
    bar.tell("So it is.")
    assert json.loads(bar.place)["told"] == "So it is."
    choosing.set(noise=0.7)
    assert (json.loads(bar.place)["told"], json.loads(bar.place)["variation"]) == ("", "noise 0.7 instead of 0.5")
    choosing.go_on()
    assert json.loads(bar.place)["question"] == STORIES["a kink"].second.question


@pytest.fixture
def few_numbers():
    """A dashboard that takes the data set mushrooms, and none that stores more."""
    set_limits(entries=2e5)
    yield
    set_limits()


def test_real_data_that_are_too_large_cannot_be_chosen(few_numbers):
    choosing = Choosing()
    for name in at_hand():
        stored = describe(name).stored
        if stored is None or stored <= 2e5:
            choosing.set(data=name)
            assert choosing.choices.data == name
        else:
            before = choosing.choices.to_query()
            with pytest.raises(ValueError, match="this dashboard takes at most"):
                choosing.set(data=name)
            (complaint,) = links.read({"data": name, "l2": "0.5"}).complaints
            assert name in complaint
            assert choosing.choices.to_query() == before
    offered = {each["name"]: each["beyond"] for each in layout()["real"]}
    assert {name for name, why in offered.items() if not why} == {
        name for name in at_hand() if (describe(name).stored or 0) <= 2e5
    }


@pytest.mark.parametrize("name", ["mushrooms", "leu", "housing_scale"])
def test_how_many_numbers_a_known_set_stores_is_what_it_stores(name):
    if name in at_hand():
        assert load(name)[0].size == describe(name).stored
    else:
        assert describe(name).stored is not None
