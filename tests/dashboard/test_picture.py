"""What the picture shows, and the words beside it."""

import re

import pytest

from cdlab.dashboard.choices import Choices
from cdlab.dashboard.first_picture import first_picture
from cdlab.dashboard.held_out import held_out, why_none
from cdlab.dashboard.picture import Picture, curves, refused
from cdlab.dashboard.race_words import final_gap, notes, race_table, reached, sentences, status
from cdlab.dashboard.results import Lane, Result
from cdlab.dashboard.runs import Kept
from cdlab.dashboard.runs_tab import described
from cdlab.dashboard.story import PENDING
from cdlab.trace import Record, Trace


def race(**choices) -> Result:
    return Result(Choices(**choices), [Lane("sdca, uniform", "dual", 0, status="pass limit")], PENDING)


def kept(*races: Result) -> list[Kept]:
    return [Kept(k, f"run {k}", each) for k, each in enumerate(races)]


# ---------------------------------------------------------------- axes
def test_random_data_have_no_test_error_and_that_is_said():
    assert refused([first_picture()]) == {"test": "random data have no test part"}
    assert refused([race(data="mushrooms")]) == {"test": "mushrooms has no test part"}
    assert refused([race(data="a9a")]) == {}
    assert refused([first_picture(), race(data="a9a")]) == {}  # one of them has one


def test_without_a_regulariser_neither_gap_nor_dual_is_known():
    assert set(refused([race(l2=0.0)])) == {"gap", "dual", "test"}
    assert set(refused([race(l2=0.0, l1=0.1)])) == {"test"}
    picture = Picture(y="dual")
    assert picture.shown_y(refused([race(l2=0.0)])) == "primal"
    assert picture.shown_y(refused([race()])) == "dual"  # what was chosen comes back


def test_the_test_part_is_scaled_as_the_train_part():
    choices = Choices(data="a9a", scale="unit")
    assert why_none(choices) == ""
    X, _ = held_out(choices)
    assert X.shape[0] == 16281
    assert X.power(2).sum(axis=1).max() == pytest.approx(1)
    assert held_out(Choices()) is None


def test_a_switch_touches_one_label_and_is_idempotent():
    picture = Picture()
    for _ in range(2):
        picture.switch("muted", "sdca, uniform", True)
    assert picture.muted == ["sdca, uniform"]
    picture.switch("unbounded", "rcd, uniform", True)
    picture.switch("muted", "sdca, uniform", False)
    assert (picture.muted, picture.unbounded) == ([], ["rcd, uniform"])


# ---------------------------------------------------------------- several races
def test_compared_races_are_told_apart_by_their_names():
    one, two = kept(first_picture(), first_picture())
    assert [curve.name for curve in curves([one])] == ["sdca, importance", "quartz, importance", "rcd, importance"]
    names = [curve.name for curve in curves([one, two])]
    assert names[0] == "run 0: sdca, importance"
    assert len(set(names)) == 6
    words = sentences([one, two], stale=True)
    assert "<strong>run 0</strong>" in words
    assert words.index("press Run") > words.index("run 1")
    assert race_table([one, two]).count("<tr>") == 7


def test_races_on_different_problems_carry_a_warning():
    warning = "These races are on different problems"
    assert warning not in notes(kept(first_picture(), first_picture()), "gap")
    assert warning in notes(kept(first_picture(), race(l2=3.0)), "gap")


def test_nothing_to_show_is_said():
    assert "All runs are muted" in sentences([], stale=False)
    assert "<tbody></tbody>" in race_table([])


def test_names_are_shown_as_they_are_written():
    nasty = Kept(1, "<script>alert(1)</script>", first_picture())
    text = sentences([nasty, nasty], False) + race_table([nasty, nasty]) + notes([nasty, nasty], "gap")
    assert "<script>" not in text


# ---------------------------------------------------------------- several seeds
def seeds(*passes: float) -> list[Lane]:
    """Runs that reach a relative gap of 1e-3 after so many passes."""
    lanes = []
    for seed, count in enumerate(passes):
        gaps = [(0.0, 1.0), (count, 1e-3)]
        records = [Record(k, at, at, gap, 0.0, gap, float("nan")) for k, (at, gap) in enumerate(gaps)]
        lanes.append(Lane("sdca, uniform", "dual", seed, trace=Trace(records), status="pass limit"))
    return lanes


def test_the_table_has_the_median_over_seeds():
    assert reached(seeds(4, 9, 30), 1e-3, "passes") == "9"
    assert reached(seeds(4, 9), 1e-3, "passes") == "9"  # more than half got there, not less
    assert reached(seeds(4, 9, 30), 1e-9, "passes") == "not reached"


def test_without_a_gap_nothing_is_said_about_it():
    lanes = seeds(4)
    lanes[0].trace.records[:] = [record._replace(gap=float("inf")) for record in lanes[0].trace.records]
    assert (final_gap(lanes), reached(lanes, 1e-3, "passes")) == ("–", "–")


def test_how_the_runs_ended_is_counted():
    lanes = seeds(1, 2, 3, 4)
    assert status(lanes) == "pass limit"
    lanes[3].status, lanes[2].status = "", "diverged"
    assert re.sub("<.*?>", "", status(lanes)) == "2 pass limit, 1 diverged, 1 running"
    lanes[3].trace = Trace()
    assert status(lanes).endswith("1 waiting")


def test_a_band_is_explained():
    result = first_picture()
    assert "median" not in notes(kept(result), "gap")
    result.lanes = [*result.lanes, *first_picture().lanes]
    assert "a line is the median" in notes(kept(result), "gap")


# ---------------------------------------------------------------- the table of runs
def test_a_run_is_described_by_its_choices_and_its_data():
    example = first_picture()
    row = described(example)
    assert row["facts"] == {
        "data": "synthetic, sparse 1000 x 200",
        "loss": "smooth_hinge(1)",
        "l2": "1/n",
        "l1": "0",
        "seed": "0",
        "data hash": example.lanes[0].trace.meta["data"],
    }
    assert [cells[:2] for cells in row["rows"]] == [[m, "importance"] for m in ("sdca", "quartz", "rcd")]
    assert row["rows"][0][-1] == "tolerance reached"
