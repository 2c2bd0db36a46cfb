"""Advice: what is ranked and in which order, known winners, problems at the edge, and how the answer reads."""

import json
import math
import re

import numpy as np
import pytest
from advised import by_label, problem
from cases import each_of, pushed

import cdlab
from cdlab.advice.candidates import candidates_for
from cdlab.losses import LOSSES
from cdlab.methods import METHODS


# ---------------------------------------------------------------- what is ranked
@each_of("loss", ["logistic", "squared_hinge", "hinge", "squared", "absolute"])
@each_of("l1", [0.0, 1e-3])
def test_every_method_is_either_ranked_or_refused_in_its_own_words(loss, l1):
    P = problem(loss, l1=l1)
    fitting, refused = candidates_for(P)
    assert {c.method.name for c in fitting} | {r.method for r in refused} == set(METHODS)
    assert len({c.key for c in fitting}) == len(fitting)
    for r in refused:
        with pytest.raises(ValueError, match=re.escape(r.reason)):
            cdlab.solve(P, r.method, sampling="uniform" if r.sampling == "any" else r.sampling)


def test_a_ranking_has_all_that_fits_once_and_its_order_is_by_seconds_or_passes():
    P = problem()
    for by in ("seconds", "passes"):
        advice = cdlab.advise(P, by=by)
        assert sorted(c.key for c in candidates_for(P)[0]) == sorted(c.label for c in advice)
        values = [getattr(c, by) for c in advice if getattr(c, by) is not None]
        assert values == sorted(values)
        assert all(getattr(c, by) is None for c in advice[len(values) :]), "what has no prediction is last"


@pytest.mark.full
def test_every_entry_races_as_it_is():
    P = problem("squared_hinge")
    advice = cdlab.advise(P, 1e-4)
    race = cdlab.race(P, advice[:3], tol=1e-6, max_passes=300)
    assert race.decides(1e-4)
    assert np.isfinite(race.reached(1e-4)).all()


def test_every_choice_solves_as_it_is_and_so_does_its_label():
    P = problem("squared_hinge")
    choices = by_label(cdlab.advise(P, 1e-2, by="passes"))
    for label in ("sdca@permutation", "quartz@importance", "lbfgs", "rcd@uniform"):
        one, other = (cdlab.solve(P, entry, tol=1e-2, max_passes=200) for entry in (choices[label], label))
        assert one.status == "tolerance reached"
        assert one.trace.meta["label"] == other.trace.meta["label"]
        np.testing.assert_array_equal(one.w, other.w)


# ---------------------------------------------------------------- known winners
@pytest.mark.full
def test_few_examples_of_many_features_are_for_the_dual():
    advice = cdlab.advise(problem(n=40, d=3000, l2=1e-3))
    assert METHODS[advice[0].method].side == "dual"
    labels = [c.label for c in advice]
    assert labels.index("sdca@permutation") < labels.index("rcd@permutation")


@pytest.mark.full
def test_ill_conditioned_tall_data_are_not_for_plain_coordinate_ascent():
    passes = {c.label: c.passes for c in cdlab.advise(problem(n=4000, d=20, condition=1e5, l2=1e-8))}
    assert passes["lbfgs"] < passes["sdca@permutation"]
    assert passes["lbfgs"] < passes["gd"]
    assert passes["apcg@uniform"] < passes["quartz@uniform"]


@pytest.mark.full
@each_of("b, c, method", [(0.05, 1.0, "sdca"), (1.0, 0.05, "rcd")])
def test_exact_steps_need_no_importance_sampling_on_an_arrow(b, c, method):
    """Uniform draws end after some 11 passes here, importance sampling takes thousands: one line has all the weight."""
    X, y = cdlab.datasets.arrow(60, 60, 1, b, c)
    P = cdlab.Problem(cdlab.datasets.scaled(X, "mean"), y, loss="squared", l2=1 / 60)
    passes = {c.label: c.passes for c in cdlab.advise(P, by="passes")}
    permutation, uniform, clipped, importance = (
        passes[f"{method}@{name}"] for name in ("permutation", "uniform", "clipped", "importance")
    )
    assert permutation < uniform < clipped < importance
    assert importance > 10 * uniform


@pytest.mark.full
def test_exact_steps_on_rows_of_uneven_norms_are_clipped():
    X, y = cdlab.datasets.make(400, 50, row_spread=1.0, seed=0)
    passes = {c.label: c.passes for c in cdlab.advise(cdlab.Problem(X / 7, y, loss="squared", l2=1 / 400), by="passes")}
    assert passes["sdca@clipped"] < min(passes["sdca@uniform"], passes["sdca@importance"])


@pytest.mark.full
def test_an_easy_problem_needs_few_passes_and_a_hard_one_many():
    easy, hard = (by_label(cdlab.advise(problem(n=300, d=10, l2=l2))) for l2 in (1.0, 1e-6))
    for label in ("sdca@permutation", "apcg@uniform", "quartz@uniform"):
        assert easy[label].passes < hard[label].passes


# ---------------------------------------------------------------- problems at the edge
@pytest.mark.parametrize("loss", pushed(LOSSES, "absolute", "softmax"))
def test_every_loss_has_advice(loss):
    if loss == "softmax":
        X, y = cdlab.datasets.make(n=60, d=8, seed=0)[0], np.arange(60) % 3
        P = cdlab.Problem(X, y, loss=loss, l2=1e-2)
    else:
        P = problem(loss, task="regression" if loss in ("squared", "absolute", "huber") else "classification", l2=1e-2)
    advice = cdlab.advise(P, 1e-3)
    assert advice[0].passes > 0
    assert (
        cdlab.solve(P, advice[0].method, **advice[0].entry[1], tol=1e-2, max_passes=500).status == "tolerance reached"
    )


@pytest.mark.parametrize(("l2", "l1"), pushed([(0.0, 0.0), (0.0, 1e-2), (1e-2, 1e-2)], (0.0, 0.0)))
def test_every_regulariser_has_advice(l2, l1):
    advice = cdlab.advise(problem("squared", task="regression", l2=l2, l1=l1), 1e-3)
    assert advice[0].passes > 0
    assert {r.method for r in advice.refused} >= ({"sdca", "quartz"} if l2 == 0 else {"greedy"})


def test_one_example_one_feature_and_no_nonzero():
    for X in ([[1.0]], [[2.0, 0.0, 1.0]], [[1.0], [2.0]]):
        P = cdlab.Problem(X, np.ones(len(X)), l2=0.1)
        assert len(cdlab.advise(P)) > 3
    advice = cdlab.advise(cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], l2=0.1))
    assert "X = 0" in advice.note
    assert not advice.probes


# ---------------------------------------------------------------- the answer
@pytest.mark.full
@pytest.mark.parametrize("weights", [{"l1": 1e-300}, {"l1": 1e-300, "l2": 0.0}, {"l1": 5e-324}, {"l2": 1e-300}])
def test_a_matrix_of_zeros_with_tiny_weights_has_advice(weights):
    P = cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], **weights)
    assert len(cdlab.advise(P, probe=False)) > 0


def test_an_answer_is_a_sequence_a_table_text_and_json():
    advice = cdlab.advise(problem())
    assert len(advice) == len(advice.table()) > 3
    assert list(advice.table()["label"]) == [c.label for c in advice]
    assert advice[:2] == (advice[0], advice[1])
    text = str(advice)
    assert all(c.label in text for c in advice[:3] if c.runs == c.label)
    assert "kaczmarz" in text
    found = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert found["choices"][0]["label"] == advice[0].label
    assert {r["method"] for r in found["refused"]} == {"kaczmarz", "acc_kaczmarz", "acc_cd", "ssnal"}


def test_a_choice_reads_well_and_advice_does_not_print_all_of_itself_unasked():
    advice = cdlab.advise(problem(), by="passes")
    choice = advice[0]
    assert str(choice).startswith(f"{choice.label}: about {choice.passes:.3g} passes and ")
    assert f"bound: {choice.worst:.3g} passes ({choice.bound})" in str(choice)
    assert repr(choice) == f"Choice({choice.label!r}, passes={choice.passes:.3g}, seconds={choice.seconds:.3g})"
    assert len(repr(advice)) < 150
    assert repr(choice.label) in repr(advice)
    silent = cdlab.advise(cdlab.Problem(np.ones((3, 2)), [1, -1, 1], loss="hinge", l2=0.0), probe=False)[-1]
    assert str(silent).splitlines()[0] == f"{silent.label}: {silent.basis}"
    assert repr(silent) == f"Choice({silent.label!r}, passes=None, seconds=None)"


@each_of(
    "arguments, words",
    [
        ({"eps": 0}, "eps must be a number between 0 and 1"),
        ({"eps": 1.5}, "eps must be"),
        ({"eps": "small"}, "eps must be"),
        ({"eps": math.nan}, "eps must be"),
        ({"by": "speed"}, "'seconds' or 'passes'"),
        ({"by": "seconds", "probe": False}, "seconds need a probe"),
        ({"max_seconds": 0}, "max_seconds must be"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        cdlab.advise(problem(), **arguments)


def test_only_a_problem_has_advice():
    with pytest.raises(TypeError, match=r"must be a cdlab\.Problem"):
        cdlab.advise(np.eye(3))


def test_where_the_face_off_recommends_the_other_side_the_advice_says_so():
    """Of tables with and without a singular direction: either one word, or the remark."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, size=(120, 4))
    dummies = np.concatenate([np.eye(6)[codes[:, k]] for k in range(4)], axis=1)
    y = np.where(dummies @ rng.normal(size=24) + rng.normal(size=120) > 0, 1.0, -1.0)
    for X in (dummies, dummies - dummies.mean(axis=0), rng.normal(size=(30, 200))):
        P = cdlab.Problem(X, y[: len(X)], "squared", l2=1 / len(X))
        advice = cdlab.advise(P, by="passes", probe=False)
        passes = {choice.label: choice.passes for choice in advice}
        here = "dual" if passes["sdca@uniform"] < passes["rcd@uniform"] else "primal"
        recommended = cdlab.faceoff(P).recommended
        assert bool(advice.note) == (recommended not in (None, here))
