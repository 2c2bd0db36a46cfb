"""Each story is told with ten seeds, of the data and of the race: what it claims holds for at least nine of them."""

import math

import numpy as np
import pytest
from cases import each_of, pushed

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.stories import STORIES, Seen, Story
from cdlab.dashboard.races.story import labels, outcome, predict
from cdlab.faceoffs import TIE_FACTOR

SEEDS, ENOUGH = range(10), 9


def seen(choices: Choices) -> Seen:
    """The race of these choices, judged as the page judges it."""
    problem = choices.problem()
    race = cdlab.race(problem, choices.entries(), seeds=[choices.seed], tol=choices.tol, max_passes=choices.passes)
    found = outcome(race.traces, choices.target, labels(choices))
    return Seen(
        cdlab.faceoff(problem).C_P / cdlab.faceoff(problem).C_D,
        predict(problem, choices).ratio,
        found.primal_passes,
        found.dual_passes,
    )


def race(story: Story, step: int, seed: int) -> Seen:
    return seen(Choices(**story.choices(step) | {"seed": seed, "data_seed": seed}))


def claimed(story: Story, step: int, shown: Seen) -> bool:
    """Whether the side that the story says won, by as much as it says."""
    at = story.steps[step]
    if at.winner is None:
        return shown.lead <= at.lead
    won = "primal" if shown.primal_passes < shown.dual_passes else "dual"
    return won == at.winner and shown.lead >= at.lead


@pytest.fixture(scope="module", params=pushed(STORIES, "short side"))
def told(request):
    story = STORIES[request.param]
    return story, [[race(story, step, seed) for step in (0, 1)] for seed in SEEDS]


@pytest.mark.parametrize("step", [0, 1])
def test_what_a_step_claims_holds_for_nine_of_ten_seeds(told, step):
    story, races = told
    assert sum(claimed(story, step, both[step]) for both in races) >= ENOUGH, races


def test_what_the_change_does_to_the_dual_holds_for_nine_of_ten_seeds(told):
    story, races = told
    assert sum(a.dual_passes >= story.drop * b.dual_passes for a, b in races) >= ENOUGH, races


@pytest.mark.parametrize("step", [0, 1])
def test_the_race_that_is_shown_is_none_of_the_extremes(told, step):
    story, races = told
    own = seen(Choices(**story.choices(step)))
    for side in ("primal_passes", "dual_passes"):
        middle = np.median([getattr(both[step], side) for both in races])
        if math.isfinite(middle):
            assert getattr(own, side) == pytest.approx(middle, rel=0.5)


def test_the_sentence_has_the_numbers_of_both_races(told):
    story, races = told
    words = story.told(*races[0])
    assert "{" not in words
    assert "∞" not in words
    assert "–" not in words
    assert words.count(".") >= 1


@pytest.mark.full
@pytest.mark.parametrize("told", ["the order"], indirect=True)
def test_a_fixed_order_slows_the_dual_and_not_the_primal_and_the_story_says_both(told):
    story, races = told
    assert sum(a.primal_passes < b.primal_passes for a, b in races) >= ENOUGH, races
    a, b = races[0]
    for shown, other in ((a, b), (b, a)):
        for name in ("primal", "dual"):
            mine = getattr(shown.words(), name)
            assert mine != getattr(other.words(), name)
            assert f" {mine}" in story.told(a, b)


@each_of("name", ["short side", "long rows", "frequent words"])
@each_of("step", [0, 1])
def test_where_the_data_decide_the_bounds_predict_the_winner(name, step):
    story = STORIES[name]
    ratio = race(story, step, seed=0).T_ratio
    winner = cdlab.faceoffs.winner(ratio)
    assert winner == story.steps[step].winner


def test_in_dense_data_the_ratio_of_the_sums_is_n_over_d():
    for step, ratio in enumerate((20, 1 / 20)):
        assert race(STORIES["short side"], step, 0).C_ratio == pytest.approx(ratio)


def test_the_hinge_lets_no_primal_method_of_the_story_step():
    first = race(STORIES["a kink"], 0, 0)
    assert math.isinf(first.primal_passes)
    assert first.T_ratio is None
    assert "rcd" in Choices(**STORIES["a kink"].choices(0)).refusals()


def test_a_tie_is_what_the_face_off_calls_one():
    assert {step.lead for story in STORIES.values() for step in story.steps if step.winner is None} == {TIE_FACTOR}


def test_six_stories_and_every_choice_in_them_exists():
    assert len(STORIES) == 6
    for story in STORIES.values():
        assert not story.first.button
        assert story.second.button
        for step in (0, 1):
            choices = Choices(**story.choices(step))
            assert choices.to_query()
            assert set(story.choices(step)) <= set(choices.values())
