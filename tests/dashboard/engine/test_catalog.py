"""What can be chosen: words for every method, and by what it is found."""

import numpy as np
from cases import each_of

from cdlab.dashboard.engine import Choices, catalog
from cdlab.dashboard.engine.choices import read
from cdlab.losses import LOSSES
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS


def found(words):
    return {method.name for method in catalog().methods if any(words in each.lower() for each in method.search)}


@each_of(
    "words, names",
    [
        ("momentum", {"acc_rcd", "apcg", "agd", "spdc"}),
        ("mini-batch", {"quartz", "asdca", "sdna"}),
        ("gradient descent", {"gd", "sgd", "agd", "svrg"}),
        ("saddle point", {"spdc"}),
    ],
)
def test_methods_are_found_by_the_words_that_people_know(words, names):
    assert names <= found(words)


def test_gradient_methods_are_of_no_side():
    sides = {method.name: method.side for method in catalog().methods}
    assert {sides[name] for name in ("sgd", "sag", "saga", "svrg", "rda", "gd", "agd", "fista", "lbfgs")} == {"full"}
    assert sides["rcd"] == "primal"
    assert sides["sdca"] == "dual"


def test_everything_is_there_with_words():
    here = catalog()
    assert [method.name for method in here.methods] == list(METHODS)
    assert [each.name for each in here.samplings] == list(SAMPLINGS)
    assert [each.name for each in here.losses] == list(LOSSES)
    named = (*here.methods, *here.samplings, *here.losses, *here.cards, *here.sliders)
    assert not [each.name for each in named if not each.words], "of a loss they stand in LOSS_WORDS of catalog.py"
    assert [card.name for card in here.cards][:4] == ["dense", "sparse", "words", "heavy row"]
    assert len(here.stories) == 12


def test_cards_and_stories_are_choices():
    here, sliders = catalog(), {slider.name for slider in catalog().sliders}
    for card in here.cards:
        choices = read(card.sets)
        assert set(card.sliders) <= sliders
        assert np.max(card.thumbnail) == 1
        assert choices.problem().n > 0
    for story in here.stories:
        chosen = {}
        for step in story.steps:
            chosen |= step.choices
            assert read(here.defaults | chosen).contestants()
            assert step.question


def test_each_slider_reaches_only_what_can_be_chosen():
    for slider in catalog().sliders:
        for value in (slider.least, slider.most):
            number = int(value) if slider.whole else value
            assert getattr(Choices(**{slider.name: number}), slider.name) == number
