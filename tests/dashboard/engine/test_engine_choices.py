"""Choices as the page sends them: entries with samplings of their own, and digests."""

import pytest
from cases import each_of
from small_choices import small

from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.choices import read


def test_opening_race_is_that_of_the_design():
    choices = Choices()
    assert (choices.n, choices.d, choices.density, choices.skew, choices.loss) == (1000, 200, 0.05, 1.3, "logistic")
    assert choices.l2_for(choices.n) == 1 / choices.n
    assert [(entry.label, entry.sampling.name) for entry in choices.contestants()] == [
        ("rcd", "uniform"),
        ("sdca", "uniform"),
    ]
    assert len(choices.draws()) == 5


@each_of(
    "methods, labels",
    [
        (["rcd", "sdca"], ["rcd", "sdca"]),
        (["sdca", "sdca@permutation"], ["sdca, uniform", "sdca, permutation"]),
        (["quartz", "quartz(32)"], ["quartz", "quartz(32)"]),
        (["sdca", "sdca@uniform"], ["sdca"]),
        (["gd", "gd"], ["gd"]),
        (["quartz(1)", "quartz", "appa", "dual_appa", "appa@uniform"], ["quartz", "appa", "dual_appa"]),
    ],
)
def test_entries_are_told_apart_by_what_differs(methods, labels):
    assert [entry.label for entry in small(methods=methods).contestants()] == labels


@each_of(
    "values, words",
    [
        ({"methods": ["foo"]}, "no method"),
        ({"methods": ["sdca@foo"]}, "no sampling"),
        ({"methods": ["svrg(8)"]}, "takes no batches"),
        ({"methods": []}, "1 to 6 entries"),
        ({"nothing": 1}, "no choice"),
        ({"density": 2.0}, "density"),
    ],
)
def test_what_cannot_be_is_refused_in_words(values, words):
    with pytest.raises(ValueError, match=words):
        read(values)


def test_digest_is_of_all_choices_but_the_number_of_draws():
    assert small(seeds=1).digest == small(seeds=5).digest
    changed = {"n": 61, "skew": 0.3, "loss": "squared", "methods": ["rcd"], "tol": 1e-3, "l2": 2.0}
    assert len({small().digest, *(small(**{name: value}).digest for name, value in changed.items())}) == 1 + len(
        changed
    )


def test_problem_key_tells_problems_apart():
    assert small(seed=3, methods=["rcd"], passes=9).problem_key() == small().problem_key()
    assert small(l1=0.1).problem_key() != small().problem_key()
    assert small(n=61).problem_key() != small().problem_key()
