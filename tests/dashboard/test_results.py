import json

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races.first_picture import STORED, first_picture, run
from cdlab.dashboard.races.growing import Growing
from cdlab.dashboard.races.results import Lane, Result
from cdlab.dashboard.races.story import PENDING


# ---------------------------------------------------------------- the first picture
def test_the_first_picture_is_a_race_of_the_default_choices_with_prediction_and_outcome():
    race = first_picture()
    assert race.choices.to_query() == {}
    assert [lane.side for lane in race.lanes] == ["dual", "dual", "primal"]
    assert all(lane.guarantee is not None and lane.status for lane in race.lanes)
    assert "predict" in race.sentence()
    assert "Measured" in race.sentence()
    assert STORED.stat().st_size < 30_000
    json.loads(STORED.read_text(), parse_constant=pytest.fail)  # no NaN, which JSON does not have


def test_the_first_picture_is_what_a_run_gives_today():
    stored, fresh = first_picture(), run()
    assert stored.prediction.ratio == pytest.approx(fresh.prediction.ratio)
    for old, new in zip(stored.lanes, fresh.lanes, strict=True):
        assert (old.label, old.seed, old.status) == (new.label, new.seed, new.status)
        assert old.trace.meta["data"] == new.trace.meta["data"]
        for column in ("iteration", "passes", "primal", "dual"):
            np.testing.assert_allclose(old.trace.column(column), new.trace.column(column), rtol=1e-9)
        np.testing.assert_allclose(old.guarantee.values, new.guarantee.values, rtol=1e-9)


def test_two_visitors_do_not_share_the_first_picture():
    first, second = first_picture(), first_picture()
    first.lanes.clear()
    first.choices.n = 77
    assert len(second.lanes) == 3
    assert second.choices.n == 1000
    assert isinstance(second.choices, Choices)


# ---------------------------------------------------------------- a race that goes on
def test_one_look_at_a_growing_race_is_consistent():
    """All columns are equally long, whatever another thread measures meanwhile."""
    P = Choices(n=40, d=10, density=0.5).problem()
    steps = cdlab.iterate(P, "sdca", seed=0)
    next(steps)
    lane = Lane("sdca, uniform", "dual", 0, trace=Growing(steps.trace.records, steps.trace.meta))
    race = Result(Choices(), [lane], PENDING)
    for k in range(1, 8):
        still = race.now().lanes[0].trace
        before = still.column("passes")
        next(steps)
        assert len(before) == len(still.column("relative_gap")) == len(still.records) == k
        np.testing.assert_array_equal(lane.trace.column("gap"), steps.trace.column("gap"))


def lane(label: str, seed: int, status: str) -> Lane:
    return Lane(label, "dual", seed, status=status)


@each_of(
    "statuses, compared",
    [
        (["", "", "", ""], {0}),  # the first seed runs
        (["pass limit", "", "", ""], {0}),
        (["pass limit", "pass limit", "pass limit", ""], {0}),  # the second seed runs
        (["pass limit", "pass limit", "stopped", "stopped"], {0}),
        (["pass limit", "tolerance reached", "pass limit", "diverged"], {0, 1}),
        (["stopped", "stopped", "stopped", "stopped"], {0}),
    ],
)
def test_only_seeds_that_every_method_has_run_are_compared(statuses, compared):
    lanes = [lane(label, seed, status) for (seed, label), status in zip(GRID, statuses, strict=True)]
    race = Result(Choices(), lanes, PENDING)
    assert {each.seed for each in race.compared()} == compared
    assert race.running == ("" in statuses)
    assert [len(group) for group in race.methods.values()] == [2, 2]


GRID = [(seed, label) for seed in (0, 1) for label in ("sdca, uniform", "quartz, uniform")]
