"""How far a bound is from what its method does: by how much its rate differs, and its passes to a stated accuracy.

Over the same runs, the largest ratio of measured to promised says little: it mostly describes the first record, where
a bound with a large constant and the right rate looks worse than one with a small constant and far too slow a rate.
"""

from typing import NamedTuple

import numpy as np
from bounds import admitted, bounded, length, posed, sampling_of, solved, true_constants

import cdlab

ACCURACY = 1e-6  # of the bounded quantity, relative to its start
FITTED = 0.1  # slopes are those from here to ACCURACY
LIMIT = 3000  # passes


class Tightness(NamedTuple):
    """Each ratio as (5%, median, 95%) over seeds; NaN where runs or the bound do not get there."""

    promised: float  # passes to ACCURACY by the bound
    measured: np.ndarray  # passes to ACCURACY
    ratio: np.ndarray  # promised/measured passes
    slope: np.ndarray  # slope of the bound/measured slope, of logarithms per pass: 1 is a rate that is met


def tightness(case, seeds):
    """Of one theorem on one problem; a seed is a run."""
    (P, _), (best, w, _) = posed(*case.which), solved(*case.which)
    known = true_constants(case.which)
    method, promise = admitted(case.bound, case.which)
    drawn = sampling_of(case.bound, P)
    reached, slopes, promised = [], [], np.nan
    for seed in seeds:
        passes, error = _run(case.bound, P, method, drawn, seed, best, w)
        promised = length(promise, P, float(promise.curve(P, [0.0], **known)[0] / (ACCURACY * error[0])), known)
        there = error <= ACCURACY * error[0]
        reached.append(passes[there.argmax()] if there.any() else np.nan)
        fitted = (error <= FITTED * error[0]) & (error > 0)
        slopes.append(_slope(promise, P, known, passes[fitted], error[fitted]))
    reached, slopes = np.array(reached), np.array(slopes)
    promised = promised if np.isfinite(promised) else np.nan
    return Tightness(promised, _spread(reached), _spread(promised / reached), _spread(slopes))


def _run(b, P, method, drawn, seed, best, w):
    run, passes, error = cdlab.iterate(P, method, sampling=drawn, seed=seed), [], []
    for record in run:
        passes.append(record.passes)
        error.append(bounded(b, run, record, best, w))
        if error[-1] <= ACCURACY * error[0] or record.passes >= LIMIT:
            return np.array(passes), np.array(error)


def _slope(promise, P, known, passes, error):
    """The bound's fall per pass over the least-squares slope of ln(error)."""
    if passes.size < 3 or passes[0] == passes[-1]:
        return np.nan
    curve = np.asarray(promise.curve(P, passes[[0, -1]], **known))
    measured = -np.polyfit(passes, np.log(error), 1)[0]
    return np.log(curve[0] / curve[1]) / (passes[-1] - passes[0]) / measured if measured > 0 else np.nan


def _spread(values):
    return np.quantile(values, [0.05, 0.5, 0.95]) if np.isfinite(values).all() else np.full(3, np.nan)
