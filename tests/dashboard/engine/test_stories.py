"""What a story says is true of at least 9 of 10 seeds."""

import re

import pytest
from cases import pushed

from cdlab import methods
from cdlab.dashboard.engine.choices import Choices
from cdlab.dashboard.engine.predicting import predict
from cdlab.dashboard.engine.problems import prepared
from cdlab.dashboard.engine.racing import run_race
from cdlab.dashboard.engine.stories import STORIES

SEEDS, MOST_WRONG = 10, 1
CLAIMS = {  # story -> step, who needs fewer passes (or rounds), who more, how many times at least; at most
    "short side": [(0, "quartz", "rcd", 2.5, 4.5), (1, "rcd", "quartz", 1.6, 5)],
    "long rows": [(0, "rcd", "sdca", 1, 1.8), (1, "rcd", "sdca", 8, 25), (2, "sdca", "rcd", 1.25, 3)],
    "frequent words": [(0, "sdca", "rcd", 1.6, 2.4), (1, "sdca", "rcd", 4, 6.5)],
    "one heavy row": [(0, "rcd", "quartz", 8, 14), (1, "quartz", "rcd", 2.5, 12)],
    "the order": [(0, "rcd", "sdca", 8, 16), (1, "sdca", "rcd", 2.2, 6), (2, "sdca", "rcd", 4, 9)],
    "a kink": [(1, "sdca", "rcd", 5, 10)],
    "acceleration": [(0, "acc_rcd", "rcd", 1.3, 2), (1, "acc_rcd", "rcd", 5, 10)],
    "mini-batches": [(0, "quartz(32)", "quartz", 14, 26), (1, "quartz(32)", "quartz", 1.1, 1.6)],
    "un-regularising": [(0, "sdca", "appa", 1.1, 2.5), (1, "appa", "sdca", 12, 25)],
    "importance that loses": [
        (0, "rcd, uniform", "rcd, importance", 3.5, 6),
        (1, "sdca, uniform", "sdca, importance", 0.8, 1.25),
    ],
    "sparse answers": [(0, "sdca", "rcd", 1.5, 3), (1, "sdca", "rcd", 0.7, 1.4)],
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
    assert sum(1.4 * shuffled["sdca"] >= drawn["sdca"] for shuffled, drawn in pairs) <= MOST_WRONG


@pytest.mark.full
def test_order_and_kink_and_regulariser_slow_the_dual():
    passes = {
        (story, step): {r.label: r.reached for r in run_race(choices_of(story, step), 1).outcome.results}
        for story, step in (("the order", 0), ("the order", 1), ("a kink", 0), ("a kink", 1), ("un-regularising", 2))
    }
    assert passes["the order", 0]["sdca"] > 15 * passes["the order", 1]["sdca"]
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
                labels = {entry.label for entry in choices_of(story.name, "abc".index(letter)).contestants()}
                label = re.sub(r"\.(weights|passes)$", "", name)
                assert label in labels | {"lead", "ratio"}, (story.name, name)


def test_the_larger_l1_the_fewer_weights():
    few, many = (run_race(choices_of("sparse answers", step), 1).outcome for step in (1, 0))
    assert choices_of("sparse answers", 0).d == 200
    assert max(result.weights for result in few.results) < 25 < min(result.weights for result in many.results)
    assert max(result.weights for result in many.results) < 100


def test_bound_of_the_dual_falls_though_importance_makes_it_slower():
    uniform, importance = (choices_of("long rows", step) for step in (0, 1))
    bounds = [{each.label: each.value for each in predict(choices).theorems} for choices in (uniform, importance)]
    assert bounds[1]["sdca"] < bounds[0]["sdca"] / 3


def test_problems_of_appa_are_easier_than_their_number_of_examples():
    problem = prepared(choices_of("un-regularising", 2)).problem
    added = methods.resolve("appa").weight(problem)
    assert added == pytest.approx(problem.R**2 / (problem.loss.gamma * problem.n))
    assert problem.R**2 / (problem.loss.gamma * (problem.l2 + added)) / problem.n < 1
