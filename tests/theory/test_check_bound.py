"""The main theorem of each method, by the check that a user calls on an own one, and what else has to be given."""

import numpy as np
import pytest

from cdlab import testing, theory
from cdlab.methods import METHODS
from cdlab.samplings import TauNice
from cdlab.theory import lookup

WITHOUT = {"lbfgs", "adasdca_plus"}  # no theorem covers them
MAIN = [name for name in METHODS if name not in WITHOUT]


@pytest.mark.parametrize("method", MAIN)
def test_the_main_theorem_keeps_what_a_bound_promises(method):
    """It can be read, refuses in a sentence, and no measured mean exceeds it."""
    b = theory.bound(method)
    share = testing.check_bound(b)
    assert 0 <= share <= 1
    assert share > 0 or b.guarantee is None


@pytest.mark.parametrize("sampling", ["importance", "norms", "lipschitz"])
def test_so_it_does_under_other_samplings(sampling):
    assert 0 < testing.check_bound(theory.bound("rcd", sampling=sampling)) <= 1


def test_lemmas_are_read_and_not_run():
    assert testing.check_bound(theory.lemmas()[0]) == 0


# ------------------------------------------------------------ theorems that a problem alone gives no number
def stated(method, theorem, sampling):
    (found,) = (b for b in lookup.of_method(method) if (b.theorem, b.sampling) == (theorem, sampling))
    return found


NEEDY = {  # what is asked for, and what answers it
    "a number": (stated("spdc", "perturbed loss, delta given", "uniform"), "delta (.*): pass delta=", {"delta": 0.01}),
    "probabilities": (stated("rcd", "smooth", "given"), "pass the array itself", {"sampling": np.arange(1, 9) / 36}),
    "blocks": (stated("rcd", "smooth", "tau_nice"), "pass an instance", {"sampling": TauNice(3)}),
    "a lemma's number": (stated("appa", "lemma 3.1", "any"), "pass prox_weight=", {"prox_weight": 0.1}),
}


@pytest.mark.parametrize("what", NEEDY)
def test_what_no_problem_tells_is_asked_for_and_taken(what):
    b, question, answer = NEEDY[what]
    with pytest.raises(AssertionError, match=f"check_bound has to be told more: .*{question}"):
        testing.check_bound(b)
    share = testing.check_bound(b, passes=10, **answer)
    assert 0 < share <= 1 or b.guarantee is None


def test_probabilities_that_the_bound_was_asked_about_are_those_of_the_runs():
    p = np.arange(1, 9) / 36
    found = [
        testing.check_bound(theory.bound("rcd", sampling=p), passes=10),
        testing.check_bound(stated("rcd", "smooth", "given"), sampling=p, passes=10),
    ]
    assert found[0] == found[1] > 0


def test_where_all_problems_are_refused_each_says_why():
    sentence = r"refuses every problem: logistic .* \(l2 = 0 fails\), squared .* \(L < infinity fails\).*problems="
    with pytest.raises(AssertionError, match=sentence):
        testing.check_bound(theory.bound("sgd", theorem="root steps"))


def test_a_misspelt_number_is_named():
    with pytest.raises(ValueError, match="unknown keyword 'detla'"):
        testing.check_bound(theory.bound("rcd"), detla=0.1)
