"""Of 100,000 points a few hundred are drawn, and nobody sees the difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.lib.stride_tricks import sliding_window_view

from cdlab.plots import RacePlot
from cdlab.plots.race_points import spaced
from cdlab.plots.thinning import INVISIBLE, MOST_POINTS, thinned
from cdlab.runs.trace import Record, Trace

heights = arrays(float, st.integers(1, 3000), elements=st.one_of(st.floats(-16, 2), st.just(np.nan)))


@given(heights, st.integers(2, 50))
def test_endpoints_stay_and_the_number_is_bounded(v, most):
    kept = thinned(np.arange(v.size, dtype=float), v, most)
    solid = np.flatnonzero(np.isfinite(v))
    holes = np.flatnonzero(np.isnan(v) & np.append(True, ~np.isnan(v[:-1])))
    assert (np.diff(kept) > 0).all()
    assert set(solid[[0, -1]] if solid.size else ()) <= set(kept)
    assert set(holes) <= set(kept)  # the line breaks where the values do
    if v.size > most:
        assert np.isfinite(v[kept]).sum() <= most


@given(arrays(float, st.integers(1, MOST_POINTS), elements=st.floats(-16, 2)))
def test_few_points_are_all_drawn(v):
    assert thinned(np.arange(v.size, dtype=float), v).size == v.size


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
    kept = thinned(t, v)
    assert kept.size < MOST_POINTS
    pixel = 100  # points in a thousandth of the width
    near = sliding_window_view(np.pad(v, pixel, mode="edge"), 2 * pixel + 1)
    drawn, slack = np.interp(t, t[kept], v[kept]), INVISIBLE * np.ptp(v)
    assert (drawn >= near.min(axis=1) - slack).all()
    assert (drawn <= near.max(axis=1) + slack).all()


def test_a_single_spike_is_kept():
    v = -np.linspace(0, 10, 100_000)
    v[54_321] += 2
    kept = thinned(np.arange(v.size, dtype=float), v)
    assert 54_321 in kept


def test_on_the_logarithmic_axis_it_is_the_decades_that_count():
    """Whether a gap of 1e-9 jumps to 1e-8 is as visible as whether 0.1 jumps to 1."""
    gaps = 0.9997 ** np.arange(100_000.0)
    gaps[90_000] *= 10
    records = [Record(k, float(k), k / 1e3, 1.0 + gap, 1.0, gap, float("nan")) for k, gap in enumerate(gaps)]
    plot = RacePlot(["sdca, uniform"], ["dual"])
    plot.show([Trace(records, {"method": "sdca", "label": "sdca, uniform"})], [None])
    drawn = plot.figure.renderers[2].data_source.data
    assert drawn["xs"][0].size <= MOST_POINTS
    assert 90_000 in drawn["xs"][0]
    assert drawn["xs"][0][[0, -1]].tolist() == [0, 99_999]


@given(st.integers(1, 10_000))
def test_markers_are_few_stay_where_they_are_and_end_the_curve(size):
    marked, later = spaced(size), spaced(2 * size)
    assert {0, size - 1} <= set(marked) <= set(range(size))
    assert marked.size <= 17
    assert len(set(later[:-1]) - set(spaced(4 * size))) <= later.size / 2 + 1
