"""Weights of one sign and quantiles: the page solves the problem of the API, and says what the face-off then says."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from small_choices import small

import cdlab
from cdlab.dashboard.engine import facts, predict
from cdlab.dashboard.engine.predicting import entry_refusals
from cdlab.dashboard.engine.problems import prepared
from cdlab.dashboard.engine.racing import run_race

POSITIVE = small(positive=True, loss="squared", methods=["rcd", "sdca"])


def test_weights_of_at_least_0_are_those_of_scipy():
    problem = prepared(POSITIVE).problem
    X, root = np.asarray(problem.X), np.sqrt(problem.l2 * problem.n)
    best = lsq_linear(np.vstack([X, root * np.eye(problem.d)]), np.append(problem.y, np.zeros(problem.d)), (0, np.inf))
    assert (best.x < 1e-9).any()
    race = run_race(POSITIVE)
    for label in ("rcd", "sdca"):
        for run in race.of(label):
            assert run.trace.records[-1].primal == pytest.approx(best.cost / problem.n, rel=1e-5)
            assert run.trace.records[-1].dual <= best.cost / problem.n * (1 + 1e-9)


def test_what_the_face_off_says_is_told():
    assert "With weights of at least 0 the face-off gives no verdict" in " ".join(predict(POSITIVE).notes)
    assert "There is no verdict: Theorem 1 is for features without bounds" in facts("Face-off", POSITIVE).words
    assert "There is no verdict" in facts("Face-off", small(loss="pinball", methods=["sdca"])).words


def test_who_takes_no_bounds_is_repaired():
    (refused,) = [each for each in entry_refusals(POSITIVE.but(methods=["greedy"])) if each.what == "greedy"]
    changed = {"let weights be negative": {"positive": False}}
    assert changed.items() <= {repair.words: repair.choices for repair in refused.repairs}.items()


@pytest.mark.parametrize("quantile", [0.1, 0.9])
def test_a_quantile_is_that_of_the_labels_below(quantile):
    choices = small(loss="pinball", quantile=quantile, methods=["sdca"], l2=1e-3, noise=1.0, n=200, d=5, intercept=True)
    problem = choices.problem()
    assert cdlab.losses.unweighted(problem.loss) == cdlab.losses.Pinball(quantile)
    s = cdlab.solve(problem)
    below = np.mean(problem.y <= s.decision_function(problem.features) + 1e-9)
    assert below == pytest.approx(quantile, abs=0.03)
    assert choices.problem_key() != choices.but(quantile=0.5).problem_key()


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"positive": True, "loss": "squared"},
            'P = cdlab.Problem(X, y, loss="squared", l2=1.0 / X.shape[0], l1=0.0, lower=0.0)',
        ),
        ({"loss": "pinball", "quantile": 0.9, "methods": ["sdca"]}, "loss=cdlab.losses.Pinball(quantile=0.9)"),
    ],
)
def test_the_script_says_so(changes, line):
    assert line in facts("Code", small(**changes)).words
