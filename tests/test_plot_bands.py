"""Several runs of one method as a line and a band."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdlab.plots.bands import DONE, FINEST, LIMIT, Run, band


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
    assert band([long, long]).x.size == min(size, FINEST)
