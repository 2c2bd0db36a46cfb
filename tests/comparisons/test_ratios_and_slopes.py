"""Paired ratios and slopes, on numbers whose answers are known."""

import numpy as np
import pytest
from cases import each_of
from problems import problem
from scipy import stats

import cdlab
from cdlab.comparisons import FirstCrossing, fastest, loglog_slope, paired_ratio, reach, suboptimality


def passes(*values):
    return FirstCrossing(np.array(values, dtype=float), np.array(values, dtype=float))


def with_limit(limit, *values):
    """Runs of which None did not arrive."""
    low = [limit if value is None else value for value in values]
    high = [np.inf if value is None else value for value in values]
    return FirstCrossing(np.array(low, dtype=float), np.array(high, dtype=float))


def test_seeds_are_paired_before_the_median_is_taken():
    ratio = paired_ratio(passes(1, 10, 100), passes(30, 20, 100))
    assert ratio.median == (2, 2)  # of 30, 2, 1; that of the medians would be 3
    assert ratio.range == (1, 30)


def test_a_method_that_draws_nothing_is_paired_with_every_seed():
    assert paired_ratio(passes(5, 10, 20), passes(10)).lows.tolist() == [2, 1, 0.5]


def test_other_numbers_of_seeds_are_no_pairs():
    with pytest.raises(ValueError, match="in pairs"):
        paired_ratio(passes(1, 2), passes(1, 2, 3))


def test_a_run_at_the_level_from_its_start_has_no_ratio():
    with pytest.raises(ValueError, match="smaller level"):
        paired_ratio(passes(0), passes(1))


def test_a_limit_of_the_slower_method_is_a_lower_bound():
    ratio = paired_ratio(passes(10), with_limit(40, None))
    assert ratio.at_least(4) is True
    assert ratio.at_least(5) is None
    assert ratio.at_most(3) is False


def test_a_limit_of_the_faster_method_is_an_upper_bound():
    ratio = paired_ratio(with_limit(40, None), passes(20))
    assert ratio.at_least(1) is False
    assert ratio.at_most(0.5) is True
    assert ratio.at_most(0.1) is None


def test_two_limits_decide_nothing():
    ratio = paired_ratio(with_limit(40, None), with_limit(40, None))
    assert ratio.at_least(1) is None
    assert ratio.at_most(1) is None


def test_one_limit_among_many_seeds_leaves_the_median_known():
    ratio = paired_ratio(passes(10, 10, 10), with_limit(40, 20, 30, None))
    assert ratio.median == (3, 3)
    assert ratio.range == (2, np.inf)


def test_a_threshold_inside_the_range_is_close():
    ratio = paired_ratio(passes(1, 1, 1), passes(1.5, 3, 4))
    assert ratio.close_to(2)
    assert not ratio.close_to(1.5)


def test_the_fastest_is_of_those_that_arrived():
    assert fastest({"a": passes(30), "b": passes(20), "c": with_limit(10, None)}) == "b"
    assert fastest({"c": with_limit(10, None)}) is None


def test_a_race_is_compared_by_its_traces():
    P = problem(l2=0.01)
    race, best = cdlab.race(P, ["sdca", "gd"], seeds=range(3), max_passes=200), cdlab.reference(P)
    sdca, gd = (
        reach(
            [(t.column("passes"), suboptimality(t.column("primal"), best.primal, best.at_zero)) for t in race[k]], 1e-4
        )
        for k in range(2)
    )
    for found, at_records in zip((sdca, gd), race.reached(1e-4, quantity="primal"), strict=True):
        assert (found.high <= at_records).all()  # the record after the crossing
        assert (found.high >= at_records - 1.01).all()  # every epoch is recorded
    assert paired_ratio(sdca, gd).at_least(2)


@each_of("exponent", [-1.5, 0.5, 2])
def test_the_slope_of_a_power_is_its_exponent_with_no_width(exponent):
    x = np.geomspace(1, 1e4, 9)
    slope = loglog_slope(x, 7 * x**exponent)
    assert slope == pytest.approx([exponent] * 3)


def test_the_interval_covers_the_true_exponent_as_often_as_it_says():
    rng, x = np.random.default_rng(0), np.geomspace(1, 100, 7)
    slopes = [loglog_slope(x, x**0.5 * np.exp(0.1 * rng.standard_normal(7)), 0.9) for _ in range(1000)]
    covered = sum(slope.low <= 0.5 <= slope.high for slope in slopes)
    assert stats.binomtest(covered, 1000, 0.9).pvalue > 1e-3


def test_two_points_have_a_slope_and_no_interval():
    assert loglog_slope([1, 10], [1, 10]) == pytest.approx((1, -np.inf, np.inf))


@each_of(
    "x, y, said",
    [
        ([1, 2], [1, np.inf], "not reached"),
        ([0, 1], [1, 1], "finite numbers > 0"),
        ([2, 2], [1, 2], "two different x"),
        ([1, 2, 3], [1, 2], "one y for each x"),
    ],
)
def test_what_has_no_slope_is_refused(x, y, said):
    with pytest.raises(ValueError, match=said):
        loglog_slope(x, y)
