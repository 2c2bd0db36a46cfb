"""One target judges a race: headline, table and the drawer of runs count passes to the same relative gap."""

from cases import each_of

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.sliders import TARGET
from cdlab.dashboard.drawers.race_words import race_table
from cdlab.dashboard.drawers.runs_tab import described, head
from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.measured import common_target
from cdlab.dashboard.races.results import Result
from cdlab.dashboard.races.runs import Kept
from cdlab.dashboard.words import number


def judged_at(tol: float) -> Result:
    """The race that comes with the package, judged at another gap."""
    race = first_picture()
    race.choices.tol = tol
    return race


@each_of("tol", [1e-2, 1e-4, 1e-6])
def test_headline_table_and_runs_count_passes_to_the_chosen_target(tol):
    race = judged_at(tol)
    words = f"a relative gap of {number(tol)}"
    assert words in race.sentence()
    assert f'<th scope="col">passes to {number(tol)}' in race_table([Kept(0, "race", race)])
    assert words in head([race])[2]
    passes = {lane.label: number(lane.trace.reached(tol)) for lane in race.lanes}
    rows = described(race, common_target([race]))["rows"]
    assert [row[2] for row in rows] == list(passes.values())
    assert f"needed {passes['sdca, importance']} passes" in race.outcome().sentence(race.prediction)


def test_the_target_is_a_millionth_unless_another_is_chosen():
    assert Choices().target == Choices(tol=0.0).target == TARGET == 1e-6
    assert Choices(tol=1e-3).target == 1e-3


def test_races_with_different_targets_are_compared_where_all_of_them_were_to_be():
    assert common_target([judged_at(1e-4), judged_at(1e-6)]) == 1e-4
