"""APCG and ASDCA: odd shapes and refusals. Their algorithms are tested in test_apcg.py and test_asdca.py."""

import numpy as np
import pytest
from cases import each_of
from problems import NON_SMOOTH, problem

import cdlab
from cdlab.methods.apcg import APCG
from cdlab.methods.asdca import ASDCA

both = pytest.mark.parametrize("method", [APCG(), ASDCA()], ids=lambda m: m.label)


@each_of("method", [APCG(), ASDCA(), ASDCA(batch_size=30)])
def test_it_is_certified_to_rounding(method):
    s = cdlab.solve(problem(l1=0.02), method, tol=1e-12, max_passes=5000, seed=1)
    assert s.status == "tolerance reached"


@pytest.mark.parametrize("l2", [0.02, 0.1, 1e12])
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((3, 2)),
        np.array([[0.0, 1.0], [0.0, 0.0], [0.0, -2.0]]),
        np.array([[2.0, 1.0]]),
        np.array([[1.0], [3.0]]),
    ],
    ids=["zeros", "zero row and column", "one example", "one feature"],
)
@pytest.mark.parametrize(
    "method", [APCG(), APCG(smoothness="uniform"), APCG(primal_step=True), ASDCA(), "whole"], ids=str
)
def test_odd_shapes(method, X, l2):
    """With one example l2 = 1e12 takes APCG to rho -> 0, where it folds at every step."""
    P = cdlab.Problem(X, np.r_[1.0, -np.ones(len(X) - 1)], loss="smooth_hinge", l2=l2)
    method = ASDCA(batch_size=len(X)) if method == "whole" else method
    s = cdlab.solve(P, method, tol=1e-8, max_passes=100_000, every=20)
    assert s.status == "tolerance reached"
    assert s.w[np.abs(X).sum(0) == 0] == pytest.approx(0)


@both
@pytest.mark.parametrize("loss", NON_SMOOTH)
def test_losses_that_are_not_smooth_are_refused(method, loss):
    with pytest.raises(ValueError, match=f"{method.name} needs a smooth loss .* take (smooth_hinge|huber) instead"):
        cdlab.solve(problem(loss), method)


@both
def test_several_classes_are_refused(method):
    P = cdlab.Problem(problem().X, np.arange(30) % 3, loss="softmax")
    with pytest.raises(ValueError, match="softmax"):
        cdlab.solve(P, method)


@both
def test_without_l2_it_is_refused(method):
    with pytest.raises(ValueError, match=f"{method.name} needs l2 > 0"):
        cdlab.solve(problem(l2=0.0, l1=0.1), method)
