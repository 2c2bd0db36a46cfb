"""A prediction is its table's formula: passes from drivers, seconds from the probe's pace and the cost of a pass."""

import math
from dataclasses import replace

import pytest
import scipy.sparse as sp

import cdlab
from cdlab.advice import predictions, probing
from cdlab.advice.bounds import BoundBehind, effective_l2
from cdlab.advice.candidates import candidates_for
from cdlab.advice.predictions import MIN_PASSES_SHARE, known_l2, predicted
from cdlab.advice.probing import Probe


def problem(loss="logistic", sparse=False, l2=1e-3):
    X, y = cdlab.datasets.make(n=60, d=20, seed=0)
    return cdlab.Problem(sp.csr_matrix(X / 5) if sparse else X / 5, y, loss=loss, l2=l2)


def row(key):
    """The row of a smooth problem with l2 > 0, or None where it was not measured."""
    return predictions.table().get(key)


@pytest.fixture(scope="module", params=[("logistic", True), ("squared_hinge", False)], ids=["sparse logistic", "dense"])
def advised(request):
    P = problem(*request.param)
    return P, cdlab.advise(P, 1e-5, by="passes"), {c.key: c for c in candidates_for(P)[0]}


def test_passes_are_the_mean_of_the_fitted_variable(advised):
    """factor worst^a sharp^b probe^c exp(ln(spread)^2/2), at least 1."""
    P, advice, candidates = advised
    compared = 0
    for choice in advice:
        fitted, probe = row(choice.runs), advice.probes[candidates[choice.label].lines]
        if fitted is None or choice.runs != choice.label:
            continue
        drivers = {"worst": choice.worst, "sharp": choice.sharp, "probe": probe.passes_to(1e-5)}
        median = fitted.factor * math.prod(drivers[name] ** power for name, power in fitted.powers.items())
        least = MIN_PASSES_SHARE * math.log(1e5) if candidates[choice.label].draws_with_replacement else 1.0
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
        mine, probe = row(choice.runs), advice.probes[candidates[choice.label].lines]
        if mine is not None:
            ratio = getattr(mine, column)  # beside the probe's pass
            assert choice.seconds == pytest.approx(choice.passes * probe.pass_seconds * ratio)
            ratios.add(round(ratio, 6))
    assert len(ratios) > 5  # most passes cost something else than the probe's


@pytest.mark.full
@pytest.mark.parametrize(("loss", "l2", "keys"), [
    ("logistic", 1e-3, {"rows": "sdca@permutation", "columns": "rcd@permutation", "matrix": "lbfgs"}),
    ("logistic", 0.0, {"rows": "saga@permutation", "columns": "rcd@permutation", "matrix": "lbfgs"}),
    ("hinge", 1e-3, {"rows": "sdca@permutation"}),
])  # fmt: skip
def test_each_way_to_walk_is_probed_by_the_first_that_fits(loss, l2, keys):
    advice = cdlab.advise(problem(loss, l2=l2), 1e-5)
    assert {walks: probe.key for walks, probe in advice.probes.items()} == keys


def test_what_the_table_does_not_know_is_predicted_by_its_own_probe_or_else_its_bound(monkeypatch):
    P = problem()
    monkeypatch.setattr(predictions, "table", dict)
    advice = cdlab.advise(P, 1e-5, by="passes")  # by seconds those nearly as fast as the first would run themselves
    by_label = {choice.label: choice for choice in advice}
    own, probe = by_label["sdca@permutation"], advice.probes["rows"]
    assert own.passes == probe.passes_to(1e-5)
    assert own.seconds == own.passes * probe.pass_seconds
    assert own.basis.startswith("its own probe")
    bound = by_label["quartz@uniform"]
    assert (bound.passes, bound.seconds, bound.spread) == (bound.worst, None, None)
    assert bound.basis.startswith("its bound")


def test_without_probe_and_bound_there_is_no_prediction(monkeypatch):
    monkeypatch.setattr(predictions, "table", dict)
    choices = cdlab.advise(problem("absolute", l2=0.0), 1e-3, probe=False)
    assert any(c.passes is None and c.worst is None for c in choices)
    for choice in choices:
        assert choice.passes == choice.worst
        assert choice.seconds is None
        assert choice.basis.startswith("its bound" if choice.worst is not None else "no prediction")


def test_a_bound_that_is_infinite_predicts_nothing(monkeypatch):
    monkeypatch.setattr(predictions, "table", dict)
    P = problem()
    bounded = BoundBehind(worst=1e9, sharp=None, bound="", outside="")
    for known, passes in (
        (bounded, 1e9),
        (replace(bounded, worst=math.inf), None),
        (replace(bounded, worst=None), None),
    ):
        monkeypatch.setattr(predictions, "bound_behind", lambda *_, known=known: known)
        assert predicted(P, candidates_for(P)[0][0], 1e-5, {}).passes == passes


def test_an_effective_l2_is_for_coordinate_methods_on_smooth_strongly_convex_problems():
    P, own = problem(), Probe("sdca@permutation", 10.0, 1.0, 1e-2, 0.5, 0.1, None)
    for lines in ("rows", "columns"):
        assert known_l2(P, lines, own) == effective_l2(P, lines, 0.5) > P.l2
        assert known_l2(P, lines, None) is None
        assert known_l2(problem("hinge"), lines, own) is None
        assert known_l2(problem(l2=0.0), lines, own) is None
    assert known_l2(P, "matrix", own) is None


# ---------------------------------------------------------------- how long probes run
def measured_by(monkeypatch, needs, **settings):
    """What each probe is asked for, (key, eps, passes, seconds, seed), where each answers that it needs so long."""
    asked = []

    def answer(problem, candidate, eps, max_passes, max_seconds, seed):
        asked.append((candidate.key, eps, max_passes, max_seconds, seed))
        return Probe(candidate.key, 5.0, 1.0, eps, 1.0, needs[candidate.key] / 5, reached=5.0)

    monkeypatch.setattr(probing, "probe", answer)
    P = problem()
    found = probing.probes(P, candidates_for(P)[0], 1e-5, 60.0, 7, **settings)
    assert list(found) == ["rows", "matrix", "columns"]
    return asked


NEEDS = {"sdca@permutation": 8.0, "lbfgs": 2.0, "rcd@permutation": 4.0}


def test_a_probe_may_take_its_third_of_the_seconds_and_no_longer_than_the_fastest_before_it_needs(monkeypatch):
    assert measured_by(monkeypatch, NEEDS) == [
        ("sdca@permutation", 1e-5, 10.0, 20.0, 7),
        ("lbfgs", 1e-5, 30.0, 8.0, 7),
        ("rcd@permutation", 1e-5, 10.0, 2.0, 7),
    ]
    slow = dict.fromkeys(NEEDS, 100.0)
    assert [seconds for *_, seconds, _ in measured_by(monkeypatch, slow)] == [20.0, 20.0, 20.0]


def test_probes_in_full_take_their_third_whatever_the_others_need(monkeypatch):
    assert [seconds for *_, seconds, _ in measured_by(monkeypatch, NEEDS, full=True)] == [20.0, 20.0, 20.0]


def test_probes_are_described_as_they_are():
    assert probing.describe_probes() == "10 passes of sdca, 30 of lbfgs, 10 of rcd"


# ---------------------------------------------------------------- what a prediction says of itself
def test_a_basis_is_the_product_of_drivers_in_words_a_power_of_1_left_out(monkeypatch):
    P, table = problem(), predictions.table()
    lbfgs, own = {c.key: c for c in candidates_for(P)[0]}["lbfgs"], Probe("lbfgs", 10.0, 1.0, 1e-2, 0.5, 0.1, None)
    for (worst, sharp, probe), words in {
        (1.0, 0.0, 0.0): "its bound",
        (0.25, 0.0, 1.0): "(its bound)^0.25 x lbfgs's probe",
        (0.0, 1.0, 0.5): "its bound with sharp constants x (lbfgs's probe)^0.5",
    }.items():
        fitted = replace(table["sdca@uniform"], worst=worst, sharp=sharp, probe=probe)
        monkeypatch.setattr(predictions, "table", lambda fitted=fitted: {"lbfgs": fitted})
        assert predicted(P, lbfgs, 1e-5, {"matrix": own}).basis == f"{fitted.factor:.2g} x {words}"


def test_what_is_never_drawn_counts_for_part_of_the_logarithm_and_where_draws_repeat_and_l2_is_positive():
    """An easy problem: no order takes long, and draws with replacement take MIN_PASSES_SHARE ln(1/eps) or more."""
    assert 0 < MIN_PASSES_SHARE < 1
    P = problem(l2=1e3)
    passes = {choice.label: choice.passes for choice in cdlab.advise(P, 1e-6, probe=False)}
    least = MIN_PASSES_SHARE * math.log(1e6)
    assert passes["sdca@uniform"] >= least > passes["sdca@permutation"]
