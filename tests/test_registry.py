"""Every method of the registry, with its default parameters, on every loss, regulariser and matrix form: it reaches the
independent optimum, or says in a sentence why it will not and what to use instead.

Each plain run takes a pairwise covering, ``pytest -m full`` the whole product. Linear systems have their own tests.
"""

from itertools import product

import numpy as np
import pytest
from problems import LOSSES, SMOOTH, optimum, pairwise, problem

import cdlab
from cdlab.methods import METHODS

LINEAR_SYSTEMS = {"kaczmarz", "acc_kaczmarz", "acc_cd"}
SUBLINEAR = {"sgd", "rda"}
AXES = (list(METHODS), LOSSES, [0.0, 0.02], [False, True])


def goal(method, loss):
    """Relative suboptimality to reach, and the passes allowed."""
    if method in SUBLINEAR:
        return 5e-2, 1500
    return (1e-8 if loss in SMOOTH else 1e-4), 40_000


def refusal(P, method):
    try:
        cdlab.iterate(P, method)
    except ValueError as error:
        return str(error)
    return None


def reaches_the_optimum_or_refuses(method, loss, l1, sparse):
    P = problem(loss, l2=0.1, l1=l1, sparse=sparse)
    best, start = optimum(loss, 0.1, l1), P.primal(np.zeros(P.d))
    eps, passes = goal(method, loss)
    sentence = refusal(P, method)
    if sentence is not None:
        assert any(word in sentence for word in ("use ", "take ", "set ", "pass ", "give "))
        assert len(sentence) < 400
        return False
    for record in cdlab.iterate(P, method, seed=1):
        assert np.isfinite(record.primal)
        assert record.dual <= best + 1e-8 * start  # a certificate is never above the optimum
        if record.primal - best <= eps * (start - best):
            return True
        assert record.passes < passes, (record.primal - best) / (start - best)


def name(combination):
    method, loss, l1, sparse = combination
    return f"{method}-{loss}-{'l1' if l1 else 'l2'}-{'csr' if sparse else 'dense'}"


@pytest.mark.parametrize("combination", pairwise(*AXES), ids=name)
def test_pairwise(combination):
    reaches_the_optimum_or_refuses(*combination)


@pytest.mark.full
@pytest.mark.parametrize("combination", list(product(*AXES)), ids=name)
def test_all(combination):
    reaches_the_optimum_or_refuses(*combination)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in LINEAR_SYSTEMS])
def test_every_method_solves_something(method):
    assert reaches_the_optimum_or_refuses(method, "logistic", 0.0, True)


@pytest.mark.parametrize("method", list(METHODS))
def test_a_first_record_is_the_start(method):
    """w = 0 before the first epoch: relative gaps and suboptimalities of all methods have the same scale."""
    loss, l2 = ("squared", 0.0) if method in LINEAR_SYSTEMS else ("logistic", 0.1)
    P = problem(loss, l2=l2)
    first = next(cdlab.iterate(P, method))
    assert first[:3] == (0, 0.0, 0.0)
    assert first.primal == pytest.approx(P.primal(np.zeros(P.d)))
