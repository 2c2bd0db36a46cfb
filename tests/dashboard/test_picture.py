"""What the picture shows, and the words beside it."""

import re

import numpy as np
import pytest

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.misfits import left_out
from cdlab.dashboard.drawers.race_words import notes, race_table, sentences, status
from cdlab.dashboard.drawers.runs_tab import described, head
from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.held_out import held_out, why_none
from cdlab.dashboard.races.measured import at_the_end, reached
from cdlab.dashboard.races.picture import Picture, curves, refused
from cdlab.dashboard.races.results import Lane, Result
from cdlab.dashboard.races.runs import Kept
from cdlab.dashboard.races.story import PENDING
from cdlab.methods import METHODS
from cdlab.plots.style import fade
from cdlab.runs.trace import Record, Trace

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


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
    assert Picture().y == "primal"  # where all bounds exist, and no race is without values
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
    assert "<strong>run 0</strong>: The dual won" in words
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


def test_the_same_method_has_the_same_colour_in_every_race():
    one, two = first_picture(), first_picture()
    two.lanes = two.lanes[::-1]
    first, second = ({curve.label: curve.look for curve in curves(kept(one, two))[k : k + 3]} for k in (0, 3))
    assert first == {label: fade(latest, 1) for label, latest in second.items()}  # paler, and else the same
    assert len({latest[:4] for latest in second.values()}) == 3


def test_bounds_on_one_other_quantity_are_one_sentence():
    race = first_picture()
    for lane in race.lanes:
        lane.guarantee = race.lanes[-1].guarantee  # that of rcd
    assert (
        "The bounds of sdca, importance; quartz, importance; rcd, importance are on another quantity: "
        "choose relative primal suboptimality to see them."
    ) in notes(kept(race), "gap")


def test_who_was_left_out_of_the_race_is_said_with_the_reason():
    race = first_picture()
    race.choices = Choices(methods=["sdca", "rcd", "quartz"], batch=64)
    reason = race.choices.refusals()["rcd"]
    assert f"Not run: rcd, because {reason}." in re.sub("&.*?;|<.*?>", "", sentences(kept(race), stale=False))
    assert "Not run" not in sentences(kept(first_picture()), stale=False)


def test_of_two_samplings_only_the_one_that_does_not_fit_is_left_out():
    choices = Choices(methods=["saga"], dual_sampling="uniform", against="importance")
    assert list(left_out(choices)) == ["saga, importance"]


def test_the_legend_speaks_of_what_the_code_calls_sides():
    words = (
        "Blue: methods that draw examples (dual and stochastic gradient methods); orange: methods of features (primal)"
    )
    assert words in notes(kept(first_picture()), "gap")
    assert {METHODS[name].side for name in ("sgd", "sag", "saga", "svrg", "rda", "spdc")} == {"dual"}
    assert {METHODS[name].side for name in ("gd", "agd", "fista", "lbfgs", "greedy", "acc_cd")} == {"primal"}


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
    assert reached(seeds(4, 9), 1e-3, "passes") == "6.5"  # as numpy, and so Race.winner, has it
    assert reached(seeds(4, 9, 30, 30), 1e-9, "passes") == "not reached"  # unless more than half got there
    assert reached(seeds(4, 9, 30), 1e-9, "passes") == "not reached"


def test_without_a_gap_nothing_is_said_about_it():
    lanes = seeds(4)
    lanes[0].trace.records[:] = [record._replace(gap=float("inf")) for record in lanes[0].trace.records]
    assert (at_the_end(lanes), reached(lanes, 1e-3, "passes")) == ("–", "–")


def unregularised() -> Result:
    """Two runs of which nothing is certified: the second is 10 times nearer the best P(w) = 1 at each pass."""
    result = Result(Choices(l2=0.0), [], PENDING)
    for label, factor in (("appa, uniform", 1.0), ("saga, uniform", 0.1)):
        primal = [2.0, *(1 + factor * 10.0**-k for k in range(1, 9)), 1.0]
        records = [Record(k, k, k, p, -np.inf, np.inf, 0.0) for k, p in enumerate(primal)]
        result.lanes.append(Lane(label, "dual", 0, trace=Trace(records), status="pass limit"))
    return result


def test_without_a_gap_the_table_has_the_primal_suboptimality():
    text = race_table(kept(unregularised()))
    assert "passes to a relative primal suboptimality of 10⁻⁶" in text
    assert "relative primal suboptimality at the end" in text
    assert re.findall(r"</th><td>(\d+)</td>", text) == ["6", "5"]
    assert "–" not in text


def test_without_a_gap_the_table_of_runs_says_what_it_measures_by():
    assert [cells[2] for cells in described(unregularised(), 1e-6)["rows"]] == ["6", "5"]
    assert head([unregularised()])[4] == "relative primal suboptimality at the end"
    assert head([first_picture()])[4] == "relative gap at the end"
    assert head([first_picture(), unregularised()])[4] == (
        "relative gap (without a regulariser: relative primal suboptimality) at the end"
    )


def test_without_a_regulariser_a_bound_on_the_optimum_is_not_known():
    assert "no lower bound on P* is known" in notes(kept(unregularised()), "primal")


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
    row = described(example, 1e-6)
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
