"""The main theorem of each method, by the check that a user calls on one of his own."""

import pytest

from cdlab import testing, theory
from cdlab.methods import METHODS

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
