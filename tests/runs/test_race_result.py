"""Who is first, on traces written by hand: every number can be seen."""

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.runs.race_result import Race
from cdlab.runs.trace import Record, Trace

SMALL = 2.0**-10


def trace(label, seed, primal, dual=0.0, seconds=1.0):
    """One record a pass, with P(w) as given; an epoch takes so many seconds."""
    records = [Record(10 * k, float(k), seconds * k, p, dual, max(0.0, p - dual), np.nan) for k, p in enumerate(primal)]
    meta = {"label": label, "method": label.upper(), "sampling": "uniform", "seed": seed, "status": "pass limit"}
    return Trace(records, meta)


def two(certificate=0.0):
    """P(0) = 2 and P* = 1, known but for the certificate. a takes few passes, b few seconds."""
    a = [trace("a", seed, [2.0, 1.5, 1.125, 1.0, 1.0], 1.0 - certificate, 8.0) for seed in range(3)]
    b = [trace("b", seed, [2.0, 1.75, 1.5, 1.25, 1.125], 1.0 - certificate, 1.0) for seed in range(3)]
    return Race([*a, *b], 2, [0, 1, 2])


def test_the_optimum_is_the_smallest_primal_and_certified_by_the_largest_dual():
    race = two()
    assert (race.optimum, race.certified) == (1.0, True)
    assert 0 < race.certificate < 1e-14  # rounding
    race = two(SMALL)
    race.traces[4] = trace("b", 1, [2.0, 1.5, 1.0 - SMALL / 2], 0.5)
    assert (race.optimum, race.certificate) == (1.0 - SMALL / 2, pytest.approx(SMALL / 2, abs=1e-14))
    race = two(SMALL)
    assert race.certificate == pytest.approx(SMALL, abs=1e-14)
    race.traces[5] = trace("b", 2, [2.0, 1.5], 1.0 - SMALL / 4)
    assert race.certificate == pytest.approx(SMALL / 4, abs=1e-14)


def test_a_race_decides_down_to_its_certificate_and_not_below():
    """certificate <= eps (P(0) - P*), and P(0) - P* = 1; where P - P* is what it is judged by."""
    race = two(SMALL)
    assert race.decides(SMALL * (1 + 1e-9), "primal")
    assert not race.decides(SMALL * (1 - 1e-9), "primal")
    assert race.winner(SMALL * (1 + 1e-9), quantity="primal") == "a"
    assert race.winner(SMALL / 2, quantity="primal") is None
    assert np.isinf(race.summary(SMALL / 2, "primal")[["passes", "seconds"]]).all(axis=None)


def test_reached_is_where_the_suboptimality_first_is_at_most_eps():
    race = two()
    np.testing.assert_array_equal(race.reached(0.5, quantity="primal"), [[1, 1, 1], [2, 2, 2]])
    np.testing.assert_array_equal(race.reached(0.125, quantity="primal"), [[2, 2, 2], [4, 4, 4]])
    np.testing.assert_array_equal(race.reached(0.125, "seconds", "primal"), [[16, 16, 16], [4, 4, 4]])
    np.testing.assert_array_equal(race.reached(0.125, "iteration", "primal"), [[20, 20, 20], [40, 40, 40]])
    np.testing.assert_array_equal(race.reached(0.1, quantity="primal")[1], np.inf)


def test_the_best_gap_is_interpolated_in_its_logarithm_and_its_rises_are_passed_over():
    """1/2 at 1 and, since it rises, still at 2; 1/8 at 3: 1/4 is half the way from 2 to 3."""
    rising = [trace("a", 0, [2.0, 1.5, 1.75, 1.125], 1.0)]
    assert Race(rising, 1, [0]).reached(0.25)[0, 0] == pytest.approx(2.5)
    assert Race(rising, 1, [0]).reached(0.25, quantity="gap")[0, 0] == 3
    assert two().quantity == "best_gap"
    assert Race([trace("a", 0, [2.0, 1.0], -np.inf)], 1, [0]).quantity == "primal"


def test_the_winner_depends_on_what_counts():
    assert two().winner(0.125) == "a"
    assert two().winner(0.125, "seconds") == "b"


def test_medians_are_over_seeds():
    race = two()
    race.traces[0] = trace("a", 0, [2.0, 2.0, 2.0, 2.0, 2.0, 1.0], 1.0, 8.0)  # one seed is slow
    assert race.winner(0.125) == "a"
    race.traces[1] = trace("a", 1, [2.0, 2.0, 2.0, 2.0, 2.0, 1.0], 1.0, 8.0)  # two are
    assert race.winner(0.125) == "b"
    row = race.summary(0.125).iloc[0]
    assert (row["method"], row["sampling"], row["passes"], row["seconds"]) == ("A", "uniform", 5.0, 40.0)
    assert race.summary(0.125)["relative_gap"].tolist() == [0.0, 0.125]  # the gap 1/8 over P(0) - D = 1


def test_a_run_that_did_not_get_there_needs_at_least_its_work_unless_it_diverged():
    """b ends at 1/8 after 4 passes: it needs more for 1/10. Where one of three runs diverged, two decide the median."""
    race = two()
    a, b = race.crossings(0.1)
    assert a.median == (pytest.approx(a.cost), pytest.approx(race.reached(0.1)[0, 0]))
    assert (b.median, b.reached, b.cost) == ((4.0, np.inf), False, 4.0)
    race.traces[4].meta["status"] = "diverged"
    assert race.crossings(0.1)[1].low.tolist() == [4.0, np.inf, 4.0]


def test_medians_at_the_end_are_over_seeds():
    race = two()
    race.traces[0] = trace("a", 0, [2.0, 1.75], 1.0, 8.0)
    assert race.at_end("passes") == [4.0, 4.0]
    race.traces[1] = trace("a", 1, [2.0, 1.75, 1.5], 1.0, 8.0)
    assert race.at_end("passes") == [2.0, 4.0]
    assert race.at_end("primal") == [1.5, 1.125]


def test_a_race_of_runs_has_the_seeds_of_all_entries():
    a = {seed: trace("a", seed, [2.0, 1.0]) for seed in (2, 0, 1)}
    b = {seed: trace("b", seed, [2.0, 1.0]) for seed in (0, 2)}
    race = Race.of_runs([a, b])
    assert (race.seeds, race.entries) == ([2, 0], 2)
    assert [each.meta["seed"] for each in race[1]] == [2, 0]
    assert race.incomplete == [a[1]]


def test_the_status_of_an_entry_names_each_once():
    race = two()
    race.traces[1].meta["status"] = "time limit"
    assert race.summary(0.5)["status"].tolist() == ["pass limit, time limit", "pass limit"]


def stopped_at(position, entries=("sdca", "quartz", "rcd"), seeds=range(3)):
    """A race stopped in the first record of its run number `position`, from 0."""
    runs = []

    def watch(label, seed, record):
        if record.passes == 0:
            runs.append((label, seed))

    return cdlab.race(
        problem(), list(entries), seeds=seeds, max_passes=3, on_record=watch, stop=lambda _: len(runs) > position
    )


@each_of(
    "position, seeds, entries, incomplete",
    [(4, [0], 3, [1, 1]), (5, [0, 1], 3, []), (6, [0, 1], 3, [2]), (8, [0, 1, 2], 3, []), (1, [0], 2, [])],
)
def test_a_stopped_race_compares_the_seeds_that_all_have_run(position, seeds, entries, incomplete):
    race = stopped_at(position)
    assert (race.seeds, race.entries) == (seeds, entries)
    assert [t.meta["seed"] for t in race.traces] == seeds * entries
    assert [t.meta["seed"] for t in race.incomplete] == incomplete
    assert race.reached(0.5).shape == (entries, len(seeds))


def test_a_race_that_nobody_stops_has_nothing_left():
    race = stopped_at(99)
    assert (race.seeds, race.entries, race.incomplete) == ([0, 1, 2], 3, [])


@pytest.mark.parametrize("labels", ["ab", "ba"])
def test_of_those_that_are_equally_fast_nobody_is_the_winner(labels):
    same = [2.0, 1.5, 1.0]
    race = Race([trace(label, 0, same, 1.0) for label in labels], 2, [0])
    assert race.winner(0.5) is None
    assert race.first(0.5) == tuple(labels)
