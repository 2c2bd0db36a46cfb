"""Each word of a paper is one rule: made-up results on both sides of its threshold."""

import numpy as np
import pytest
from cases import each_of

from cdlab.comparisons import FirstCrossing, Ratio, Slope
from papers import claims


def ratio(*values):
    return Ratio(np.array(values, dtype=float), np.array(values, dtype=float))


def passes(*values):
    return FirstCrossing(np.array(values, dtype=float), np.array(values, dtype=float))


NOT_ARRIVED = FirstCrossing(np.array([300.0]), np.array([np.inf]))


@each_of(
    "claim, holds, fails",
    [
        (claims.faster, 1.1, 1.09),
        (claims.much_faster, 2.0, 1.99),
        (claims.comparable, 2.0, 2.01),
        (claims.comparable, 0.5, 0.49),
    ],
)
def test_a_comparison_has_a_threshold_that_belongs_to_it(claim, holds, fails):
    assert claim(ratio(holds)).holds is True
    assert claim(ratio(fails)).holds is False


def test_at_most_a_factor_faster_has_no_lower_end():
    assert claims.at_most(ratio(2.0), 2.0).holds is True
    assert claims.at_most(ratio(0.1), 2.0).holds is True
    assert claims.at_most(ratio(2.01), 2.0).holds is False


def test_the_median_decides_and_a_threshold_inside_the_range_is_close():
    found = claims.much_faster(ratio(1.5, 2.5, 3.0, 3.5, 4.0))
    assert (found.holds, found.value, found.low, found.high, found.close) == (True, 3.0, 1.5, 4.0, True)
    assert not claims.much_faster(ratio(2.5, 3, 4)).close


def test_a_ratio_that_limits_leave_open_is_not_decided():
    above_four = Ratio(np.array([4.0]), np.array([np.inf]))
    assert claims.much_faster(above_four).holds is True
    assert claims.much_faster(above_four).value == 4
    assert claims.at_most(above_four, 10).holds is None
    assert claims.comparable(above_four).holds is False
    assert np.isnan(claims.faster(Ratio(np.zeros(1), np.full(1, np.inf))).value)


@each_of("slope, holds", [(0.36, True), (0.64, True), (0.34, False), (0.66, False)])
def test_growth_like_a_power_is_a_slope_within_015(slope, holds):
    assert claims.grows_like(Slope(slope, slope, slope), 0.5).holds is holds


@each_of("slope, holds", [(-1.0, True), (0.64, True), (0.66, False)])
def test_growth_at_most_like_a_power_has_no_lower_end(slope, holds):
    assert claims.grows_at_most_like(Slope(slope, slope, slope), 0.5).holds is holds


def test_a_slope_whose_interval_holds_the_threshold_is_close():
    assert claims.grows_at_most_like(Slope(0.6, 0.5, 0.7), 0.5).close
    assert not claims.grows_at_most_like(Slope(0.6, 0.58, 0.62), 0.5).close


def test_linear_convergence_is_r2_of_098_in_the_median():
    assert claims.converges_linearly([0.9, 0.98, 1.0]).holds is True
    assert claims.converges_linearly([0.9, 0.97, 1.0]).holds is False
    assert claims.converges_linearly([0.99, np.nan]).holds is None


def test_more_stable_is_at_most_half_the_overshoot():
    assert claims.more_stable([0.3], [0.6]).holds is True
    assert claims.more_stable([0.31], [0.6]).holds is False
    assert claims.more_stable([0.0], [0.0]).holds is True


def test_a_run_diverges_above_ten_times_its_start():
    assert claims.diverges([21.0], at_zero=2.0).holds is True
    assert claims.diverges([20.0], at_zero=2.0).holds is False
    assert claims.diverges([np.nan, np.inf, 1.0], at_zero=2.0).holds is True


def test_a_mild_effect_is_half_a_percent_or_two_standard_errors():
    assert claims.mild_effect([0.034], 0.03, 10**6).holds is True
    assert claims.mild_effect([0.036], 0.03, 10**6).holds is False
    assert claims.mild_effect([0.024], 0.03, 10**6).holds is False  # for better or worse
    standard_error = np.sqrt(0.5 * 0.5 / 100)
    assert claims.mild_effect([0.5 + 1.9 * standard_error], 0.5, 100).holds is True
    assert claims.mild_effect([0.5 + 2.1 * standard_error], 0.5, 100).holds is False


def test_passes_rise_or_fall_up_to_the_share_that_is_allowed():
    sizes = [passes(10), passes(30), passes(28), passes(100)]
    assert claims.rises(sizes).holds is False
    assert claims.rises(sizes, within=0.1).holds is True
    assert claims.falls(sizes[::-1], within=0.1).holds is True
    assert claims.falls(sizes, within=0.1).holds is False
    found = claims.rises(sizes)
    assert (found.low, found.high) == pytest.approx((28 / 30, 100 / 28))


def test_limits_may_hide_whether_passes_rise():
    assert claims.rises([passes(10), NOT_ARRIVED]).holds is True
    assert claims.rises([NOT_ARRIVED, passes(10)]).holds is False
    assert claims.rises([NOT_ARRIVED, NOT_ARRIVED]).holds is None


def test_a_claim_is_reproduced_where_it_holds_in_every_panel_that_decides():
    yes, no, open_ = (claims.faster(ratio(x)) if x else undecided() for x in (2, 1, None))
    assert claims.verdict([yes, open_, yes]) == "reproduced"
    assert claims.verdict([yes, no, open_]) == "differs"
    assert claims.verdict([open_]) == claims.verdict([]) == "not testable"


def undecided():
    return claims.faster(Ratio(np.zeros(1), np.full(1, np.inf)))
