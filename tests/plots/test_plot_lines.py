"""Several runs of one method as a line and a band; of 100,000 points a few hundred, and nobody sees the difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.lib.stride_tricks import sliding_window_view

from cdlab.plots.lines import (
    DONE,
    INVISIBLE,
    LIMIT,
    MARKED_PARTS,
    MAX_PLACES,
    MAX_POINTS,
    Run,
    band,
    points_to_draw,
    points_to_mark,
)

heights = arrays(float, st.integers(1, 3000), elements=st.one_of(st.floats(-16, 2), st.just(np.nan)))


def run(*points, end=""):
    x, v = zip(*points, strict=True)
    return Run(np.array(x, float), np.array(v, float), end)


def test_at_every_point_the_middle_and_the_range_of_the_runs():
    found = band([run((0, 0), (2, -2)), run((0, 0), (2, -4)), run((0, 0), (1, -9), (2, -9))])
    assert found.x.tolist() == [0, 1, 2]
    assert found.low.tolist() == [0, -9, -9]
    assert found.middle.tolist() == [0, -2, -4]
    assert found.high.tolist() == [0, -1, -2]


def test_a_run_that_is_done_counts_on_with_its_last_value():
    found = band([run((0, 0), (1, -8), end=DONE), run((0, 0), (2, -8), end=DONE), run((0, 0), (3, -8), end=DONE)])
    assert found.x[-1] == 3
    assert found.low.tolist() == [0, -8, -8, -8]
    assert found.middle[-1] == found.high[-1] == -8


def test_where_the_first_run_meets_a_limit_the_band_ends_for_all():
    """Otherwise the median would jump where a run drops out."""
    found = band([run((0, 0), (8, -1), end=LIMIT), run((0, 0), (9, -5), end=LIMIT), run((0, 0), (4, -8), end=DONE)])
    assert found.x.tolist() == [0, 4, 8]


def test_a_run_that_was_stopped_counts_as_far_as_it_came_and_the_band_ends_where_half_are_left():
    found = band([run((0, 0), (1, -1)), run((0, 0), (2, -1)), run((0, 0), (3, -1)), run((0, 0), (9, -1))])
    assert found.x.tolist() == [0, 1, 2, 3]


def test_a_run_that_has_just_begun_does_not_cut_the_band():
    done = run((0, 0), (5, -8), end=DONE)
    assert band([done, run((0, 0), (1, -1))]).x[-1] == 5


def test_a_diverging_run_leaves_the_others():
    found = band([run((0, 0), (1, np.nan), (2, np.nan)), run((0, 0), (1, -1), (2, -2)), run((0, 0), (1, -1), (2, -2))])
    assert found.middle.tolist() == [0, -1, -2]


def test_nothing_but_holes_is_no_band():
    assert band([run((0, np.nan)), run((0, np.nan))]).x.size == 0


@given(st.lists(st.lists(st.floats(-16, 2), min_size=2, max_size=30), min_size=1, max_size=6))
def test_against_interpolation_run_by_run(values):
    runs = [Run(np.linspace(0, 1, len(v)), np.array(v)) for v in values]
    found = band(runs)
    every = np.array([np.interp(found.x, r.x, r.v) for r in runs])
    np.testing.assert_allclose(found.low, every.min(axis=0))
    np.testing.assert_allclose(found.middle, np.median(every, axis=0))
    np.testing.assert_allclose(found.high, every.max(axis=0))


@pytest.mark.parametrize("size", [10, 100_000])
def test_the_work_is_bounded(size):
    long = Run(np.arange(size, dtype=float), np.zeros(size))
    assert band([long, long]).x.size == min(size, MAX_PLACES)


# ---------------------------------------------------------------- fewer points
@given(heights, st.integers(2, 50))
def test_endpoints_stay_and_the_number_is_bounded(v, most):
    kept = points_to_draw(np.arange(v.size, dtype=float), v, most)
    solid = np.flatnonzero(np.isfinite(v))
    holes = np.flatnonzero(np.isnan(v) & np.append(True, ~np.isnan(v[:-1])))
    assert (np.diff(kept) > 0).all()
    assert set(solid[[0, -1]] if solid.size else ()) <= set(kept)
    assert set(holes) <= set(kept)  # the line breaks where the values do
    if v.size > most:
        assert np.isfinite(v[kept]).sum() <= most


@given(arrays(float, st.integers(1, MAX_POINTS), elements=st.floats(-16, 2)))
def test_few_points_are_all_drawn(v):
    assert points_to_draw(np.arange(v.size, dtype=float), v).size == v.size


@pytest.mark.parametrize(
    "shape",
    [
        lambda t: -10 * t,
        lambda t: -10 * np.sqrt(t),
        lambda t: np.maximum(-300 * t, -16),
        lambda t: -(t**3),
        np.zeros_like,
    ],
    ids=["straight", "root", "fast", "cubic", "flat"],
)
def test_a_smooth_curve_of_a_hundred_thousand_points_is_the_same_to_the_eye(shape):
    t = np.linspace(0, 1, 100_000)
    v = shape(t)
    kept = points_to_draw(t, v)
    assert kept.size < MAX_POINTS
    pixel = 100  # points in a thousandth of the width
    near = sliding_window_view(np.pad(v, pixel, mode="edge"), 2 * pixel + 1)
    drawn, slack = np.interp(t, t[kept], v[kept]), INVISIBLE * np.ptp(v)
    assert (drawn >= near.min(axis=1) - slack).all()
    assert (drawn <= near.max(axis=1) + slack).all()


def test_a_single_spike_is_kept():
    v = -np.linspace(0, 10, 100_000)
    v[54_321] += 2
    kept = points_to_draw(np.arange(v.size, dtype=float), v)
    assert 54_321 in kept


def test_two_points_at_one_place_are_a_step_and_not_the_end():
    x = np.repeat(np.arange(2000.0), 2)
    v = np.tile([0.0, 1.0], 2000)
    kept = points_to_draw(x, v)
    assert 2 <= kept.size <= MAX_POINTS
    assert (np.diff(kept) > 0).all()


# ---------------------------------------------------------------- markers
@given(arrays(float, st.integers(1, 60), elements=st.floats(0, 100)))
def test_markers_are_few_spread_over_the_width_and_end_the_curve(steps):
    x = np.cumsum(steps)
    some = points_to_mark(x)
    assert x[some[0]] - x[0] <= 1e-9 * (x[-1] - x[0])
    assert some[-1] == x.size - 1
    assert some.size <= MARKED_PARTS + 1
    few = np.arange(5.0)
    assert points_to_mark(few).tolist() == [0, 1, 2, 3, 4]
    assert points_to_mark(few[:0]).size == 0
