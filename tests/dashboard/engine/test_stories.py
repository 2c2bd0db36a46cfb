"""What a story says is true of at least 9 of 10 seeds."""

import re

import pytest
from cases import pushed

from cdlab.dashboard.engine.choices import Choices
from cdlab.dashboard.engine.racing import run_race
from cdlab.dashboard.engine.stories import STORIES

SEEDS, MOST_WRONG = 10, 1
CLAIMS = {  # story -> step, who needs fewer passes (or rounds), who more, how many times at least; at most
    "short side": [(0, "quartz", "rcd", 2.5, 4.5), (1, "rcd", "quartz", 1.6, 5)],
    "long rows": [(0, "rcd", "sdca", 8, 25), (1, "sdca", "rcd", 1.25, 3)],
    "frequent words": [(0, "sdca", "rcd", 1.6, 2.4), (1, "sdca", "rcd", 4, 6.5)],
    "one heavy row": [(0, "rcd", "quartz", 8, 14), (1, "quartz", "rcd", 2.5, 12)],
    "the order": [(0, "rcd", "sdca", 50, 200), (1, "sdca", "rcd", 1.25, 2.5), (2, "sdca", "rcd", 1.25, 2.5)],
    "a kink": [(1, "sdca", "rcd", 5, 10)],
    "acceleration": [(0, "acc_rcd", "rcd", 1.3, 2), (1, "acc_rcd", "rcd", 5, 10)],
    "mini-batches": [(0, "quartz(32)", "quartz", 10, 18), (1, "quartz(32)", "quartz", 1.1, 1.6)],
    "un-regularising": [(0, "sdca", "appa", 1.1, 2.5), (1, "appa", "sdca", 12, 25)],
    "importance that loses": [(0, "rcd, uniform", "rcd, importance", 3.5, 6), (1, "sdca", "rcd, uniform", 4, 6.5)],
    "sparse answers": [(0, "sdca", "rcd", 4, 6.5), (1, "sdca", "rcd", 1.5, 3)],
    "a saddle point": [(0, "sdca", "spdc", 1.4, 2.5), (1, "spdc", "sdca", 1.8, 3)],
}
QUICK = {"frequent words"}


def choices_of(story, step):
    chosen = {}
    for each in STORIES[story].steps[: step + 1]:
        chosen |= each.choices
    return Choices(**chosen)


def holds(story, step, first, second, least, most, seed):
    choices = choices_of(story, step)
    found = run_race(choices.but(seed=choices.seed + seed), 1).outcome
    rounds = STORIES[story].axis == "iterations"
    needed = {result.label: result.iterations if rounds else result.reached for result in found.results}
    return needed[first] is not None and needed[second] is not None and least <= needed[second] / needed[first] <= most


@pytest.mark.parametrize("story", pushed(list(STORIES), *QUICK))
def test_claims_hold_for_nearly_all_seeds(story):
    for claim in CLAIMS[story]:
        right = [holds(story, *claim, seed) for seed in range(SEEDS)]
        assert right.count(False) <= MOST_WRONG, (claim, right)


@pytest.mark.full
def test_new_order_each_pass_beats_independent_draws():
    def passes(step, seed):
        found = run_race(choices_of("the order", step).but(seed=seed), 1).outcome
        return {result.label: result.reached for result in found.results}

    pairs = [(passes(2, seed), passes(1, seed)) for seed in range(SEEDS)]
    assert sum(shuffled["sdca"] >= drawn["sdca"] for shuffled, drawn in pairs) <= MOST_WRONG


@pytest.mark.full
def test_order_and_kink_and_regulariser_slow_the_dual():
    passes = {
        (story, step): {r.label: r.reached for r in run_race(choices_of(story, step), 1).outcome.results}
        for story, step in (("the order", 0), ("the order", 1), ("a kink", 0), ("a kink", 1), ("un-regularising", 2))
    }
    assert passes["the order", 0]["sdca"] > 20 * passes["the order", 1]["sdca"]
    assert passes["the order", 0]["rcd"] < passes["the order", 1]["rcd"]
    assert list(passes["a kink", 0]) == ["sdca"]
    assert passes["a kink", 0]["sdca"] > 1.7 * passes["a kink", 1]["sdca"]
    assert passes["un-regularising", 2]["sdca"] is None
    assert passes["un-regularising", 2]["appa"] < 200


def test_sentences_ask_for_numbers_that_their_races_have():
    for story in STORIES.values():
        for step, each in enumerate(story.steps):
            for letter, name in re.findall(r"\{(\w)\.([^{}]+)\}", each.sentence):
                assert "abc".index(letter) <= step, (story.name, "a race that is still to come")
                labels = {entry.label for entry in choices_of(story.name, "abc".index(letter)).entrants()}
                assert name.removesuffix(".weights") in labels | {"lead", "ratio"}, (story.name, name)


def test_fewer_weights_with_l1():
    with_l1, without = (run_race(choices_of("sparse answers", step), 1).outcome for step in (1, 0))
    assert max(result.weights for result in with_l1.results) < 100 < min(result.weights for result in without.results)
