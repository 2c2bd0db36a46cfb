"""What a run returns is the best point that it measured, with that point's certificate."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.cli import main


def worsening(**kwargs):
    """sdca on a hinge of small l2: P(w) and with it the gap rise and fall."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(57, 4))
    P = cdlab.Problem(X, np.sign(X @ [1.0, -2.0, 0.5, 0.1] + rng.normal(size=57)), "hinge", l2=1e-4)
    return P, cdlab.solve(P, "sdca", **{"tol": 0, "max_passes": 100, "every": 1} | kwargs)


def test_it_is_the_record_of_the_smallest_gap():
    P, s = worsening()
    gaps = s.trace.column("gap")
    assert s.gap == gaps.min() < gaps[-1]
    assert s.record is s.trace.records[gaps.argmin()]
    assert P.primal(s.w) == pytest.approx(s.record.primal, rel=1e-12)
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, rel=1e-9)
    assert s.relative_gap == s.trace.column("relative_gap")[gaps.argmin()]


def test_a_run_goes_on_from_where_it_is():
    P, s = worsening()
    at = s.run.w
    assert P.primal(at) == pytest.approx(s.trace.records[-1].primal, rel=1e-12)
    assert P.primal(at) > P.primal(s.w)
    on = s.resume(tol=0, max_passes=200)
    _, at_once = worsening(max_passes=200)
    np.testing.assert_array_equal(on.w, at_once.w)
    np.testing.assert_array_equal(on.trace.column("primal"), at_once.trace.column("primal"))


def test_the_solution_is_no_view_of_the_run():
    _, s = worsening(max_passes=50)
    w = s.w.copy()
    s.resume(tol=0, max_passes=300)
    np.testing.assert_array_equal(s.w, w)


@each_of("intercept, loss", [(True, "logistic"), (False, "softmax"), (True, "softmax")])
def test_with_an_intercept_and_with_classes(intercept, loss):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 if loss == "softmax" else np.tile([1.0, -1.0], 30)
    P = cdlab.Problem(rng.normal(size=(60, 5)), y, loss, l2=0.01, intercept=intercept)
    s = cdlab.solve(P, "lbfgs", tol=0, max_passes=200, every=1)
    w = np.concatenate([s.w, np.array([s.intercept])]) if intercept else s.w
    assert P.gap(w, s.alpha) == pytest.approx(s.gap, rel=1e-3, abs=1e-15)
    assert s.gap <= 2 * s.trace.column("gap").min()


def test_a_run_that_diverged_returns_the_best_it_had():
    P = problem("squared", l2=1e-3)
    s = cdlab.solve(P, "gd", step=100.0, tol=0, max_passes=3000)
    assert s.status == "diverged"
    assert not np.isfinite(s.trace.records[-1].primal)
    assert s.gap == np.nanmin(s.trace.column("gap"))
    assert np.isfinite(s.w).all()


def test_without_a_gap_it_is_the_last():
    P = problem("squared", l2=0.0)
    s = cdlab.solve(P, "gd", tol=0, max_passes=30)
    assert s.gap == np.inf
    assert P.primal(s.w) == pytest.approx(s.trace.records[-1].primal, rel=1e-12)


# ---------------------------------------------------------------- files
def test_it_is_saved_as_it_is(tmp_path):
    _, s = worsening()
    s.save(tmp_path / "s.npz")
    loaded = cdlab.load_solution(tmp_path / "s.npz")
    assert (loaded.gap, loaded.relative_gap, loaded.record) == (s.gap, s.relative_gap, s.record)
    np.testing.assert_array_equal(loaded.w, s.w)


def test_gaps_of_another_record_or_of_none_are_refused(tmp_path):
    _, s = worsening()
    last = {"gap": s.trace.records[-1].gap, "relative_gap": s.trace.column("relative_gap")[-1]}
    for wrong in ({"gap": s.gap / 2}, last, {"relative_gap": s.relative_gap / 2}):
        replace(s, **wrong).save(tmp_path / "s.npz")
        with pytest.raises(ValueError, match="its best record makes them"):
            cdlab.load_solution(tmp_path / "s.npz")


# ---------------------------------------------------------------- who passes it on
def test_paths_and_estimators_have_its_certificate():
    P, s = worsening()
    row = cdlab.path(P, "sdca", l2=1e-4, tol=0, max_passes=100).to_frame().iloc[0]
    best = cdlab.solve(P, "sdca", tol=0, max_passes=100)
    assert (row["primal"], row["gap"], row["passes"]) == (best.record.primal, best.gap, best.trace.records[-1].passes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cdlab.CDClassifier("hinge", l2=1e-4, method="sdca", fit_intercept=False, max_passes=100).fit(P.X, P.y)
    assert model.certificate_.gap == pytest.approx(model.gap_)
    assert model.certificate_.primal == pytest.approx(P.primal(model.coef_.ravel()))


def test_the_command_line_prints_it(tmp_path, capsys):
    P, _ = worsening()
    np.savez(tmp_path / "d.npz", X=P.X, y=P.y)
    words = ["--loss", "hinge", "--l2", "1e-4", "--method", "sdca", "--tol", "0", "--max-passes", "100", "--every", "1"]
    assert main(["solve", str(tmp_path / "d.npz"), *words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    gaps = told["trace"]["gap"]
    assert told["result"]["gap"] == min(gaps) < gaps[-1]
    assert told["result"]["primal"] == told["trace"]["primal"][gaps.index(min(gaps))]
    assert told["result"]["passes"] == told["trace"]["passes"][-1]
