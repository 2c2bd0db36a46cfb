"""The ways to name what runs: they all come down to a method and a sampling."""

from itertools import product

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods import METHODS
from cdlab.methods.base import draws_coordinates
from cdlab.runs.entries import resolve_entry
from cdlab.samplings import SAMPLINGS, Importance, Uniform

WITHOUT = [name for name, method in METHODS.items() if not draws_coordinates(method())]


@each_of(
    "entry",
    [
        "sdca@importance",
        ("sdca", {"sampling": "importance"}),
        (cdlab.methods.SDCA(), {"sampling": Importance()}),
        ("sdca@importance", {}),
    ],
)
def test_one_run_has_many_names(entry):
    assert resolve_entry(entry) == (cdlab.methods.SDCA(), Importance())


def test_every_label_names_its_method_and_sampling():
    for method, sampling in product(METHODS, SAMPLINGS):
        assert resolve_entry(f"{method}@{sampling}") == (METHODS[method](), SAMPLINGS[sampling]())


def test_uniform_is_what_is_not_said():
    assert resolve_entry("sdca")[1] == Uniform()


@each_of("method", METHODS)
def test_none_is_the_sampling_of_methods_that_draw_nothing(method):
    if method in WITHOUT:
        P = problem("hinge" if method == "ssnal" else "squared")
        assert cdlab.solve(P, f"{method}@none", max_passes=1, tol=0).trace.meta["sampling"] == "none"
    else:
        with pytest.raises(ValueError, match=f'"none" is for methods that draw no coordinates .*{method} draws'):
            resolve_entry(method, "none")


def test_advice_can_be_run_and_raced():
    P = problem()
    advice = cdlab.advise(P, probe=False)
    s = cdlab.solve(P, advice[0], tol=1e-4)
    assert s.status == "tolerance reached"
    assert s.trace.meta["method"].startswith(advice[0].method)
    race = cdlab.race(P, advice[:3], max_passes=5)
    assert [trace.meta["method"].split("(")[0] for trace in race.traces] == [choice.method for choice in advice[:3]]
    assert [trace.meta["sampling"].split("(")[0] for trace in race.traces] == [choice.sampling for choice in advice[:3]]
    for choice in advice:  # each is what it says it is
        assert resolve_entry(choice)[0].name == choice.method


@each_of(
    "arguments, error, sentence",
    [
        ((["sdca"],), TypeError, "a race entry or a method is a name"),
        ((7,), TypeError, "a race entry or a method is a name"),
        ((("sdca", "importance"),), TypeError, "a race entry or a method is a name"),
        (("sdca@",), ValueError, "write METHOD or METHOD@SAMPLING"),
        (("@uniform",), ValueError, "write METHOD or METHOD@SAMPLING"),
        (("sdca@importance", "uniform"), ValueError, "the sampling is given twice"),
        ((("sdca@importance", {"sampling": "uniform"}),), ValueError, "the sampling is given twice"),
        (("sdca@imp0rtance",), ValueError, "did you mean 'importance'"),
        (((["sdca"], {}),), TypeError, "a race entry or a method is a name"),
    ],
)
def test_what_names_nothing_is_refused_in_a_sentence(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        resolve_entry(*arguments)


def test_a_label_runs_as_its_parts_do():
    a = cdlab.solve(problem(), "quartz@permutation", averaged_primal=True, max_passes=3, tol=0)
    b = cdlab.solve(problem(), "quartz", sampling="permutation", averaged_primal=True, max_passes=3, tol=0)
    np.testing.assert_array_equal(a.w, b.w)
