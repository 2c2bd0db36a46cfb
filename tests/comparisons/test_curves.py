"""Curves that are made up, of which every answer is known."""

import numpy as np
import pytest
from cases import each_of

from cdlab.comparisons import comparison_level, crossing, linearity, overshoot, reach, suboptimality, supported_levels
from cdlab.comparisons.curves import FirstCrossing


def halving(passes, factor=0.5):
    """e = factor^t: a straight line on a log scale."""
    x = np.arange(passes + 1.0)
    return x, factor**x


@each_of("level", [0.7, 1e-1, 1e-3, 3e-6])
def test_a_geometric_curve_crosses_a_level_where_its_formula_says_also_between_records(level):
    x, e = halving(30)
    exact = np.log(level) / np.log(0.5)
    assert crossing(x, e, level) == pytest.approx(exact)
    assert crossing(x[::5], e[::5], level) == pytest.approx(exact)


def test_the_first_crossing_counts_of_a_curve_that_rises_again():
    assert crossing([0, 1, 2, 3], [1.0, 1e-2, 1.0, 1e-4], 1e-2) == 1


def test_a_level_that_is_not_reached_is_crossed_at_infinity():
    assert crossing(*halving(3), 1e-3) == np.inf
    assert crossing([0, 1], [1.0, np.nan], 0.5) == np.inf


def test_a_crossing_is_at_the_record_where_no_line_on_a_log_scale_leads_there():
    assert crossing([0, 1], [1.0, 0.0], 1e-3) == 1  # e = 0
    assert crossing([0, 1], [np.inf, 1e-4], 1e-3) == 1
    assert crossing([2, 3], [1e-4, 1e-5], 1e-3) == 2  # below from the start


@each_of("level", [0, -1, np.nan, np.inf])
def test_a_level_is_a_positive_number(level):
    with pytest.raises(ValueError, match="level must be"):
        crossing(*halving(3), level)


def test_errors_are_one_at_the_start_and_zero_at_the_optimum():
    assert suboptimality([3.0, 2.0, 1.0], optimum=1.0, at_zero=3.0).tolist() == [1, 0.5, 0]
    with pytest.raises(ValueError, match=r"P\* < P\(0\)"):
        suboptimality([1.0], 1.0, 1.0)


def test_a_geometric_curve_is_linear_and_one_over_t_is_not():
    x, e = halving(40)
    t = np.arange(1.0, 10**4)
    assert linearity(x, e) == pytest.approx(1)
    assert linearity(t, 1 / t) < 0.8


def test_linearity_looks_at_errors_between_its_ends_alone():
    x, e = halving(40)
    e[0], e[-1] = 1e9, 1e-30
    assert linearity(x, e) == pytest.approx(1)


def test_two_records_make_no_line():
    assert np.isnan(linearity([0, 1, 2], [1.0, 0.05, 0.01]))


def test_overshoot_is_the_largest_rise_in_decades():
    assert overshoot([1.0, 0.1, 10.0, 0.01, 0.1]) == pytest.approx(2)


def test_a_curve_that_only_falls_has_no_overshoot():
    assert overshoot(halving(20)[1]) == 0


def test_rises_below_the_lowest_error_do_not_count_and_divergence_does():
    assert overshoot([1.0, 1e-8, 1.0], lowest=1e-7) == 0
    assert overshoot([1.0, 0.5, np.nan]) == np.inf


def test_a_run_that_did_not_arrive_needs_more_than_its_limit():
    found = reach([halving(20), halving(5)], 1e-3)
    assert found.low.tolist() == pytest.approx([np.log(1e-3) / np.log(0.5), 5])
    assert found.high[1] == np.inf


def test_a_median_is_known_as_soon_as_most_runs_arrived():
    most = reach([halving(20), halving(20), halving(5)], 1e-3)
    few = reach([halving(20), halving(5), halving(5)], 1e-3)
    assert most.reached
    assert not few.reached
    assert (most.cost, few.cost) == (most.median[1], few.median[0])
    assert few.median == (5, np.inf)


def test_no_runs_have_no_passes():
    with pytest.raises(ValueError, match="at least one run"):
        reach([], 1e-3)


def test_a_level_is_supported_by_a_certificate_of_a_tenth_of_it():
    assert supported_levels([1e-2, 1e-4, 1e-6], certificate=2e-5, at_zero=3.0, optimum=1.0) == [1e-2, 1e-4]
    assert supported_levels([1e-4], certificate=2.1e-5, at_zero=3.0, optimum=1.0) == []


def test_the_judged_level_is_the_smallest_that_some_method_reaches():
    arrived, not_yet = (
        FirstCrossing(np.array([3.0]), np.array([3.0])),
        FirstCrossing(np.array([9.0]), np.array([np.inf])),
    )
    assert comparison_level({1e-2: [arrived, arrived], 1e-4: [not_yet, arrived], 1e-6: [not_yet, not_yet]}) == 1e-4
    assert comparison_level({1e-2: [not_yet]}) is None
