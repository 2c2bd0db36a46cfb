"""Methods over many problems: numbers that can be done in the head, and those of a small store."""

import numpy as np
import pytest
from swept import X2, X, grid, y, y2

import cdlab
from cdlab.comparisons.profiles import Rank, profiles, ranks
from cdlab.plots import performance_profile, predicted_against_measured, runtime_distribution
from cdlab.sweeps import statistics

INF = np.inf
COSTS = {"a": {"p": 1.0, "q": 2.0, "r": INF, "s": INF}, "b": {"p": 2.0, "q": 2.0, "r": 5.0}, "c": {"p": 9.0, "q": 9.0}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    runs = grid(data=[(X, y), (X2, y2)], tol=1e-8, max_passes=200, method=["sdca", "rcd", "quartz"])
    del runs["X"], runs["y"]
    return cdlab.sweep(runs, store=tmp_path_factory.mktemp("store"))


def problems():
    return [cdlab.Problem(*data, l2=l2) for data in ((X, y), (X2, y2)) for l2 in (0.1, 0.01)]


def test_ranks_share_ties_and_what_nobody_solved_does_not_count():
    """p: a b c; q: a and b share 1.5, c; r: b, then a and c share 2.5; s is solved by nobody."""
    found = ranks(COSTS)
    assert [each.mean for each in found.values()] == pytest.approx([(1 + 1.5 + 2.5) / 3, 4.5 / 3, (3 + 3 + 2.5) / 3])
    assert all(1 <= each.low <= each.mean <= each.high <= 3 for each in found.values())
    assert profiles(COSTS)["a"].tolist() == [1.0, 1.0, INF]


def test_the_interval_is_a_point_where_all_problems_agree():
    same = {"a": dict.fromkeys("pqr", 1.0), "b": dict.fromkeys("pqr", 2.0)}
    assert ranks(same) == {"a": Rank(1.0, 1.0, 1.0), "b": Rank(2.0, 2.0, 2.0)}
    assert ranks({}) == ranks({"a": {"p": INF}}) == {}
    for level in (0, 1, 2):
        with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
            ranks(same, level=level)


def test_costs_are_those_of_a_race(store):
    found = statistics.costs(store, 1e-4)
    race = cdlab.race(problems()[0], ["sdca", "rcd", "quartz"], seeds=[0, 1], tol=1e-8, max_passes=200)
    medians = np.median(race.reached(1e-4), axis=1)
    (name,) = [each for each in found["rcd, uniform"] if "0.1" in each and problems()[0].digest[:6] in each]
    assert [found[race[k][0].label][name] for k in range(3)] == medians.tolist()
    assert len(found["rcd, uniform"]) == 4


def test_runtimes_are_sorted_and_every_seed_problem_and_target_counts(store):
    found = statistics.runtimes(store, targets=(1e-1, 1e-2, 1e-3))
    assert {label: values.size for label, values in found.items()} == dict.fromkeys(found, 3 * 2 * 4)
    assert all((np.diff(values[np.isfinite(values)]) >= 0).all() for values in found.values())


def test_a_target_beyond_what_is_known_of_the_optimum_is_left_out(store):
    assert statistics.costs(store, 1e-15, quantity="primal") == {}
    certified = statistics.costs(store, 1e-15)  # each run says by itself that it is not there
    assert all(np.isinf(list(of_one.values())).all() for of_one in certified.values())
    with pytest.raises(ValueError, match="eps must be"):
        statistics.costs(store, 2.0)


def test_the_table_of_ranks_is_that_of_the_costs(store):
    table = statistics.rank_table(store)
    assert table["rank"].is_monotonic_increasing
    assert table["rank"].sum() == pytest.approx(1 + 2 + 3)
    assert (table["of"] == 4).all()


def test_measured_passes_stay_below_those_that_bounds_promise(store):
    frame = statistics.predicted_and_measured(store, problems())
    assert set(frame["method"]) == {"sdca", "rcd", "quartz"}
    assert len(frame) == 12
    assert (frame["measured"] <= frame["predicted"]).all()


def test_a_problem_that_was_not_swept_has_no_row(store):
    assert len(statistics.predicted_and_measured(store, [cdlab.Problem(X, y, l2=0.5)])) == 0


def test_pictures_have_a_curve_or_points_for_each_method(store, tmp_path):
    for drawn in (
        performance_profile(store),
        runtime_distribution(store),
        predicted_against_measured(store, problems()),
    ):
        labels = {part.label for part in drawn if part.label}
        assert sorted(labels) == ["quartz, uniform", "rcd, uniform", "sdca, uniform"]
    cdlab.plots.save(performance_profile(store), tmp_path / "profile.svg")
    assert (tmp_path / "profile.svg").stat().st_size > 500
