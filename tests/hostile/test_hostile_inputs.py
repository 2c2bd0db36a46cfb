"""What judges the hostile inputs: a false certificate is seen, a true one is not accused, a crash is counted; and a few
inputs of some classes with every push, all of them before a release."""

import json

import hostile_inputs
import numpy as np
import pytest
from cases import each_of, pushed
from hostile_cases import CLASSES, Bare, refused
from hostile_truth import Exact, falsity

import cdlab

INPUTS = 2  # of each class, on a push


def problem(loss, l1=0.0):
    X, y = np.random.default_rng(0).standard_normal((6, 4)), np.array([1.0, -1, 1, -1, 1, 1])
    return cdlab.Problem(X, y, loss=loss, l2=0.1, l1=l1)


@pytest.mark.parametrize("l1", [0.0, 0.1])
@pytest.mark.parametrize("loss", ["squared", "logistic", "squared_hinge", "smooth_hinge", "huber", "hinge", "absolute"])
def test_the_judge_tells_false_from_true(loss, l1):
    P = problem(loss, l1)
    s = cdlab.solve(P, "sdca", tol=1e-10, max_passes=3000)
    w = s.w + 0.01
    assert float(Exact(P)(w)) == pytest.approx(P.primal(w), rel=1e-12)
    true = P.primal(w) - P.primal(s.w)
    assert falsity(P, w, true * 1.01 + 1e-8, others=[s.w]) is None
    assert falsity(P, w, true * 0.99 - 1e-8, others=[s.w]) is not None


def raises(error):
    raise error


@each_of("error", [KeyError("x"), ValueError("short"), TypeError("'int' object is not callable")])
def test_an_error_that_is_no_sentence_is_bare(error):
    with pytest.raises(Bare):
        refused(lambda: raises(error))
    assert refused(lambda: cdlab.solve(problem("logistic"), tol=-1))[0]


def test_a_crash_is_counted_and_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    def run(command, **_):
        first, log = int(command[4]), command[7]
        with open(log, "a") as out:
            out.write(json.dumps({"k": first}) + "\n")
            if first != 1:
                out.write(json.dumps({"k": first, "verdict": "refused", "words": ""}) + "\n")
        return hostile_inputs.subprocess.CompletedProcess(command, -11 if first == 1 else 0, "", "")

    monkeypatch.setattr(hostile_inputs.subprocess, "run", run)
    found = hostile_inputs.tried("arguments", 3, 0, tmp_path)
    assert [found[k]["verdict"] for k in range(3)] == ["refused", "crash", "refused"]
    monkeypatch.setattr(hostile_inputs.subprocess, "run", None)
    assert hostile_inputs.tried("arguments", 3, 0, tmp_path) == found


def failures(name, count, folder):
    found = hostile_inputs.tried(name, count, 0, folder)
    return {k: line["words"] for k, line in found.items() if line["verdict"] in hostile_inputs.FAILED}


@pytest.mark.parametrize("name", pushed(CLASSES, "data of all scales", "arguments"))
def test_some_inputs_of_each_class_are_answered_or_refused(name, tmp_path):
    assert failures(name, INPUTS, tmp_path) == {}


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CLASSES)
def test_all_inputs_are_answered_or_refused(name, tmp_path):
    assert failures(name, CLASSES[name][0], tmp_path) == {}
