"""A prediction is its table's formula: passes from drivers, seconds from the probe's pace and the cost of a pass."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

import cdlab
from cdlab.advising import calibration
from cdlab.advising.covering import effective_l2
from cdlab.advising.fitting import field
from cdlab.advising.predicting import NEVER_DRAWN, known_l2
from cdlab.advising.probing import Probe


def problem(loss="logistic", sparse=False, l2=1e-3):
    X, y = cdlab.datasets.make(n=60, d=20, seed=0)
    return cdlab.Problem(sp.csr_matrix(X / 5) if sparse else X / 5, y, loss=loss, l2=l2)


def row(key):
    """The row of a smooth problem with l2 > 0, or None where it was not measured."""
    return calibration.table().get(key)


@pytest.fixture(scope="module", params=[("logistic", True), ("squared_hinge", False)], ids=["sparse logistic", "dense"])
def advised(request):
    P = problem(*request.param)
    return P, cdlab.advise(P, 1e-5, by="passes"), {c.key: c for c in field(P)[0]}


def test_passes_are_the_mean_of_the_fitted_variable(advised):
    """factor worst^a sharp^b probe^c exp(ln(spread)^2/2), at least 1."""
    P, advice, candidates = advised
    compared = 0
    for choice in advice:
        fitted, probe = row(choice.runs), advice.probes[candidates[choice.label].walks]
        if fitted is None or choice.runs != choice.label:
            continue
        drivers = {"worst": choice.worst, "sharp": choice.sharp, "probe": probe.passes_to(1e-5)}
        median = fitted.factor * math.prod(drivers[name] ** power for name, power in fitted.powers.items())
        least = NEVER_DRAWN * math.log(1e5) if candidates[choice.label].replaces else 1.0
        assert choice.passes == pytest.approx(max(least, median * math.exp(math.log(fitted.spread) ** 2 / 2)))
        assert choice.spread == fitted.spread
        assert choice.basis.startswith(f"{fitted.factor:.2g} x ")
        compared += 1
    assert compared > 20


def test_seconds_are_passes_at_the_probe_s_pace_times_the_cost_of_a_pass(advised):
    P, advice, candidates = advised
    column = ("sparse" if sp.issparse(P.X) else "dense") + ("_logistic" if P.loss.name == "logistic" else "")
    ratios = set()
    for choice in advice:
        mine, probe = row(choice.runs), advice.probes[candidates[choice.label].walks]
        if mine is not None:
            ratio = getattr(mine, column)  # beside the probe's pass
            assert choice.seconds == pytest.approx(choice.passes * probe.pass_seconds * ratio)
            ratios.add(round(ratio, 6))
    assert len(ratios) > 5  # most passes cost something else than the probe's


@pytest.mark.parametrize(("loss", "l2", "keys"), [
    ("logistic", 1e-3, {"rows": "sdca@permutation", "columns": "rcd@permutation", "matrix": "lbfgs"}),
    ("logistic", 0.0, {"rows": "saga@permutation", "matrix": "lbfgs"}),
    ("hinge", 1e-3, {"rows": "sdca@permutation"}),
])  # fmt: skip
def test_each_way_to_walk_is_probed_by_the_first_that_fits(loss, l2, keys):
    advice = cdlab.advise(problem(loss, l2=l2), 1e-5)
    assert {walks: probe.key for walks, probe in advice.probes.items()} == keys


def test_what_the_table_does_not_know_is_predicted_by_its_own_probe_or_else_its_bound(monkeypatch):
    P = problem()
    monkeypatch.setattr(calibration, "table", dict)
    advice = cdlab.advise(P, 1e-5)
    by_label = {choice.label: choice for choice in advice}
    own, probe = by_label["sdca@permutation"], advice.probes["rows"]
    assert own.passes == probe.passes_to(1e-5)
    assert own.seconds == own.passes * probe.pass_seconds
    assert own.basis.startswith("its own probe")
    bound = by_label["quartz@uniform"]
    assert (bound.passes, bound.seconds, bound.spread) == (bound.worst, None, None)
    assert bound.basis.startswith("its bound")


def test_without_probe_and_bound_there_is_no_prediction(monkeypatch):
    monkeypatch.setattr(calibration, "table", dict)
    choices = cdlab.advise(problem("absolute", l2=0.0), 1e-3, probe=False)
    assert any(c.passes is None and c.worst is None for c in choices)
    for choice in choices:
        assert choice.passes == choice.worst
        assert choice.seconds is None
        assert choice.basis.startswith("its bound" if choice.worst is not None else "no prediction")


def test_a_bound_that_is_infinite_predicts_nothing(monkeypatch):
    monkeypatch.setattr(calibration, "table", dict)
    assert all(c.passes is None or np.isfinite(c.passes) for c in cdlab.advise(problem(), 1e-5, probe=False))


def test_an_effective_l2_is_for_coordinate_methods_on_smooth_strongly_convex_problems():
    P, own = problem(), Probe("sdca@permutation", 10.0, 1.0, 1e-2, 0.5, 0.1, None)
    for walks in ("rows", "columns"):
        assert known_l2(P, walks, own) == effective_l2(P, walks, 0.5) > P.l2
        assert known_l2(P, walks, None) is None
        assert known_l2(problem("hinge"), walks, own) is None
        assert known_l2(problem(l2=0.0), walks, own) is None
    assert known_l2(P, "matrix", own) is None
