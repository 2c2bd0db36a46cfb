"""What is no function, no pair, no name or no number is refused in a sentence, before anything runs."""

import numpy as np
import pytest
from cases import each_of
from problems import data, problem

import cdlab
from cdlab import theory

X, y = data()
P = problem()
TRACE = cdlab.solve(P, "sdca", tol=0, max_passes=2).trace
ODD = [5, "print", [], np.zeros(2)]


def never(*_):
    raise AssertionError("it ran")


CALLABLES = {
    "solve stop": (lambda bad: cdlab.solve(P, stop=bad, progress=never), "stop"),
    "solve progress": (lambda bad: cdlab.solve(P, progress=bad, stop=never), "progress"),
    "resume stop": (lambda bad: cdlab.solve(P, "sdca", max_passes=1).resume(stop=bad), "stop"),
    "path stop": (lambda bad: cdlab.path(P, l2=[0.1], stop=bad, on_solution=never), "stop"),
    "path on_solution": (lambda bad: cdlab.path(P, l2=[0.1], on_solution=bad, stop=never), "on_solution"),
    "race stop": (lambda bad: cdlab.race(P, ["sdca"], stop=bad, on_record=never), "stop"),
    "race on_record": (lambda bad: cdlab.race(P, ["sdca"], on_record=bad, stop=never), "on_record"),
    "race progress": (lambda bad: cdlab.race(P, ["sdca"], progress=bad, stop=never), "progress"),
    "advise progress": (lambda bad: cdlab.advise(P, progress=bad), "progress"),
}


@each_of("where", CALLABLES)
@each_of("bad", ODD)
def test_what_is_called_can_be_called(where, bad):
    call, name = CALLABLES[where]
    with pytest.raises(TypeError, match=f"{name} must be"):
        call(bad)


@each_of("bad", ODD)
def test_a_sweep_s_progress_can_be_called(bad, tmp_path):
    with pytest.raises(TypeError, match="progress must be"):
        cdlab.sweep([{"X": X, "y": y, "method": "sdca"}], store=tmp_path / "store", progress=bad)
    assert not (tmp_path / "store").exists()


@each_of("bad", [False, (X,), (X, y, y, y), X, {"X": X, "y": y}, "mushrooms"])
@each_of(
    "call",
    [
        lambda test: cdlab.solve(P, test=test),
        lambda test: cdlab.path(P, l2=[0.1], test=test),
        lambda test: cdlab.iterate(P, test=test),
        lambda test: cdlab.race(P, ["sdca"], test=test),
    ],
)
def test_test_data_are_a_pair(call, bad):
    with pytest.raises(TypeError, match="test must be a pair"):
        call(bad)


def test_a_pair_may_be_a_list():
    assert cdlab.solve(P, test=[X, y]).trace.names[-2] != "gap"


NAMES = {
    "a column": lambda bad: TRACE.column(bad),
    "a column that is reached": lambda bad: TRACE.reached(0.1, column=bad),
    "what a column is reached by": lambda bad: TRACE.reached(0.1, by=bad),
    "a level": lambda bad: TRACE.reached(bad),
    "a shift": lambda bad: TRACE.reached(0.1, shift=bad),
    "a bound's method": lambda bad: theory.bound(bad),
    "a bound's quantity": lambda bad: theory.bound("sdca", bad),
    "a bound's theorem": lambda bad: theory.bound("sdca", theorem=bad),
    "a table": lambda bad: theory.table(bad),
    "an outer method": lambda bad: theory.optimal_prox_weight(bad),
    "an inner method": lambda bad: theory.optimal_prox_weight("appa", bad),
    "a method on nodes": lambda bad: theory.parallel_time(bad),
    "a partition": lambda bad: theory.best_batch("spdc", bad),
    "whether there are nodes": lambda bad: theory.best_batch("spdc", serial=bad),
    "an order of advice": lambda bad: cdlab.advise(P, by=bad),
    "whether to probe": lambda bad: cdlab.advise(P, probe=bad),
    "weights": lambda bad: cdlab.path(P, l2=bad),
    "a weight": lambda bad: cdlab.path(P, l2=[bad]),
    "entries": lambda bad: cdlab.race(P, bad),
    "a problem to refer to": lambda bad: cdlab.reference(bad),
}


@each_of("what", NAMES)
@each_of("bad", [[], {"a": 1}, np.zeros((2, 2)), lambda: 1])
def test_names_and_numbers_of_the_wrong_kind_are_told(what, bad):
    with pytest.raises((TypeError, ValueError)) as caught:
        NAMES[what](bad)
    words = str(caught.value)
    assert len(words.split()) >= 5
    for foreign in ("unhashable", "ambiguous", "not iterable", "not supported between", "has no attribute", "ufunc"):
        assert foreign not in words
