"""A guess: what waits for it, when it goes, and how it is judged."""

import pytest
from cases import each_of

from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.chooser.content import content
from cdlab.dashboard.races.guesses import judged, result
from cdlab.dashboard.races.story import Outcome

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def test_a_guess_goes_with_the_step_it_was_about():
    choosing = Choosing()
    choosing.guess = "dual"
    assert content(choosing)["guess"] == "dual"
    choosing.enter("a kink")
    assert choosing.guess == ""
    with pytest.raises(ValueError, match="does not accept"):
        choosing.guess = "nobody"


def test_in_a_story_theory_waits_for_the_guess_or_for_who_will_not_guess():
    choosing = Choosing()
    assert not choosing.veiled
    choosing.enter("a kink")
    assert choosing.veiled
    choosing.guess = "dual"
    assert not choosing.veiled
    choosing.go_on()
    assert choosing.veiled
    choosing.look()
    assert not choosing.veiled
    choosing.walk(-1)
    choosing.leave()
    assert not choosing.veiled


RCD, SDCA = "rcd, uniform", "sdca, uniform"


@each_of(
    "guess, outcome, words",
    [
        ("dual", Outcome(1e-6, RCD, SDCA, 80.0, 10.0), "You guessed the dual, rightly."),
        ("primal", Outcome(1e-6, RCD, SDCA, 80.0, 10.0), "You guessed the primal."),
        ("tie", Outcome(1e-6, RCD, SDCA, 11.0, 10.0), "You guessed a tie, rightly."),
        ("dual", Outcome(1e-6, RCD, SDCA, primal_passes=20.0, dual_spent=100.0), "You guessed the dual."),
        ("primal", Outcome(1e-6, None, SDCA, dual_passes=10.0), "You guessed the primal."),
    ],
)
def test_a_guess_is_judged_by_the_outcome(guess, outcome, words):
    assert judged(guess, outcome) == words


def test_nothing_is_judged_before_anything_is_known():
    assert judged("", Outcome(1e-6, RCD, SDCA, 80.0, 10.0)) == ""
    assert judged("dual", Outcome(1e-6, RCD, SDCA)) == ""
    assert result(Outcome(1e-6, None, SDCA, dual_passes=10.0, running=True)) is None
