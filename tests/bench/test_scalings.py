"""Every peer that is installed solves the same problem as cdlab: its l2 and l1 are scaled right."""

import numpy as np
import pytest
from cases import each_of
from tasks import best, task

from cdlab.bench.optimum import optimum
from cdlab.bench.peers import installed, known, packages
from cdlab.bench.peers.ours import DEFAULT_METHODS, ours
from cdlab.bench.searching import call
from cdlab.bench.tasks import LOSSES, SLOPES, largest_l1

PENALTIES = ("l2", "l1", "l1+l2")
FITS = [(peer.name, loss, penalty) for peer in installed() for loss in peer.losses for penalty in peer.penalties]
IMPRECISE = {"snapml", "snapml-svm"}  # it computes in single precision where the data are dense


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("name", "loss", "penalty"), FITS)
def test_a_peer_ends_at_our_optimum(name, loss, penalty, sparse):
    peer = known()[name]
    t = task(loss, penalty, sparse)
    before = t.X.copy(), t.y.copy()
    enough = peer.ladder[-1] if max(peer.ladder) <= 1 else next(b for b in peer.ladder if b >= 1000)
    found = call(t, best(t), peer, enough)
    assert found.error == ""
    assert abs(found.suboptimality) < (1e-5 if name in IMPRECISE else 1e-7)
    assert abs(before[0] - t.X).max() == 0
    np.testing.assert_array_equal(before[1], t.y)


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_a_package_is_here_for_these_tests(package):
    if not package.version:
        pytest.skip(f"not installed: {package.install} (before a release .ci/peers installs what it can)")
    assert any(peer.package == package for peer in installed())


@each_of("penalty", PENALTIES)
@each_of("loss", LOSSES)
def test_our_optimum_is_scipy_s(loss, penalty):
    t = task(loss, penalty)
    found = optimum(t)
    assert found.certificate <= 1e-12
    assert abs(found.value - best(t)) <= 1e-11 * t.primal(np.zeros(t.d))


@each_of("entry", DEFAULT_METHODS)
@each_of("loss", LOSSES)
def test_ours_proves_what_it_was_asked_for(entry, loss):
    t = task(loss)
    found = call(t, best(t), ours(entry), 1e-6)
    assert found.error == ""
    assert found.suboptimality <= 1e-6


def test_ours_is_refused_by_its_own_sentence():
    assert "l2 > 0" in ours("sdca@permutation").refusal(task("logistic", "l1"))
    assert ours("rcd@permutation").refusal(task("squared", "l1")) == ""


def test_what_forms_a_large_matrix_or_has_no_such_loss_is_refused():
    cholesky = known()["sklearn-newton-cholesky"]
    assert cholesky.refusal(task()) == ""
    assert cholesky.refusal(task("squared")) == "has no squared loss"
    assert cholesky.refusal(task("logistic", "l1")) == "does not take l1"


@each_of("loss", LOSSES)
def test_slopes_are_the_derivatives_of_the_losses(loss):
    z, y, h = np.array([-2.0, -0.3, 0.4, 3.0]), np.array([1.0, -1.0, 1.0, -1.0]), 1e-6
    quotient = (LOSSES[loss](z + h, y) - LOSSES[loss](z - h, y)) / (2 * h)
    np.testing.assert_allclose(SLOPES[loss](z, y), quotient, atol=1e-8)


@each_of("loss", LOSSES)
def test_from_the_largest_l1_on_zero_is_the_optimum(loss):
    t = task(loss, "l1")
    direction = -np.sign(t.X.T @ SLOPES[loss](np.zeros(t.n), t.y))
    top = largest_l1(t.X, t.y, loss)
    slope = {}
    for l1 in (0.99 * top, 1.01 * top):
        at = [t.primal(w) + (l1 - t.l1) * np.abs(w).sum() for w in _steps(t, direction)]
        slope[l1] = min(at[1:]) - at[0]
    assert slope[0.99 * top] < 0 < slope[1.01 * top]


def _steps(t, direction):
    """0, and a small step along each axis the way P falls."""
    return [np.zeros(t.d), *(1e-4 * direction[j] * np.eye(t.d)[j] for j in range(t.d))]
