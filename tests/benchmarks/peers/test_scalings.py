"""Every peer that is installed solves the same problem as cdlab: its l2 and l1 are scaled right."""

import numpy as np
import pytest
from cases import each_of
from known_tasks import best, reference, task, whole

from benchmarks.peers.adapters import all_peers, installed, packages
from benchmarks.peers.adapters.ours import DEFAULT_METHODS, ours
from benchmarks.peers.adapters.peer import Package
from benchmarks.peers.optimum import optimum
from benchmarks.peers.searching import call
from benchmarks.peers.tasks import LOSSES, SLOPES, Kind, PeerTask, largest_l1

PENALTIES = ("l2", "l1", "l1+l2")
HERE = [(peer, loss) for peer in installed() for loss in peer.losses]
FITS = [
    (peer.name, loss, penalty, intercept)
    for peer, loss in HERE
    if peer.kind is Kind.WEIGHT
    for penalty in peer.penalties
    for intercept in (False, True)[: 1 + peer.intercepts]
]
WHOLE = [(peer.name, loss) for peer, loss in HERE if peer.kind is not Kind.WEIGHT]
SMOOTH = ("logistic", "squared_hinge", "squared")
IMPRECISE = {"snapml", "snapml-svm"}  # it computes in single precision where the data are dense
LARGEST_ERROR = {("liblinear-s3", "hinge"): 1e-5, ("sklearn-liblinear-dual", "hinge"): 1e-3}  # They stop by themselves.


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("name", "loss", "penalty", "intercept"), FITS)
def test_a_peer_ends_at_our_optimum(name, loss, penalty, intercept, sparse):
    peer = all_peers()[name]
    t = task(loss, penalty, sparse, intercept)
    before = t.X.copy(), t.y.copy()
    enough = peer.ladder[-1] if max(peer.ladder) <= 1 else next(b for b in peer.ladder if b >= 1000)
    found = call(t, best(t), peer, enough)
    if name == "sklearn-ridge-cholesky" and sparse and intercept:
        assert "does not support fitting the intercept on sparse data" in found.error
        return
    assert found.error == ""
    assert abs(found.suboptimality) < LARGEST_ERROR.get((name, loss), 1e-5 if name in IMPRECISE else 1e-7)
    assert abs(before[0] - t.X).max() == 0
    np.testing.assert_array_equal(before[1], t.y)


@pytest.mark.full
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("name", "loss"), WHOLE)
def test_a_peer_ends_at_our_path_and_our_choice(name, loss, sparse):
    peer = all_peers()[name]
    t = whole(peer.kind, loss, sparse)
    found = call(t, reference(peer.kind, loss, sparse).value, peer, 1e-10)
    if peer.name == "celer-lasso-cv" and "LinearModelCV.__init__()" in found.error:
        pytest.skip("this LassoCV cannot be made with scikit-learn 1.7 and later")
    assert found.error == ""
    assert abs(found.suboptimality) < 1e-7


@pytest.mark.full
@each_of("peer", [ours("auto"), *installed(["sklearn-*"])])
def test_defaults_need_no_budget(peer):
    loss, is_one = peer.losses[0], peer.kind is Kind.WEIGHT
    t = task(loss, peer.penalties[0]) if is_one else whole(peer.kind, loss)
    found = call(t, best(t) if is_one else reference(peer.kind, loss).value, peer, None)
    assert found.error == ""
    assert found.suboptimality <= (1e-6 if peer.certified else 0.1)


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_a_package_is_here_for_these_tests(package):
    if not package.version:
        pytest.skip(f"not installed: {package.install} (before a release .ci/peers installs what it can)")
    assert any(peer.package == package for peer in installed())


@pytest.mark.full
@each_of("penalty", PENALTIES)
@each_of("loss", LOSSES)
def test_our_optimum_is_scipy_s(loss, penalty):
    t = task(loss, penalty)
    found = optimum(t)
    assert found.certificate <= (1e-12 if loss in SMOOTH else 1e-10)
    assert abs(found.value - best(t)) <= (1e-11 if loss in SMOOTH else 1e-8) * t.primal(np.zeros(t.d))


@each_of("entry", DEFAULT_METHODS)
@each_of("loss", SMOOTH)
def test_ours_proves_what_it_was_asked_for(entry, loss):
    t = task(loss)
    found = call(t, best(t), ours(entry), 1e-6)
    assert found.error == ""
    assert found.suboptimality <= 1e-6


@each_of("kind, loss", [(Kind.PATH, "squared"), (Kind.PATH, "logistic"), (Kind.CV, "squared"), (Kind.CV, "logistic")])
def test_ours_proves_paths_and_chooses_as_the_certified_scores_do(kind, loss):
    t = whole(kind, loss)
    assert ours("auto").refusal(t) == ""
    assert "auto" in ours("rcd").refusal(t)
    assert reference(kind, loss).certificate <= 1e-8
    assert call(t, reference(kind, loss).value, ours("auto"), 1e-6).suboptimality <= 1e-6


def test_p_star_of_a_path_is_that_of_each_of_its_weights():
    t = whole(Kind.PATH)
    for l1, value in [*zip(t.l1, reference(Kind.PATH).value, strict=True)][::10]:
        assert value == pytest.approx(best(PeerTask(t.X, t.y, t.loss, 0.0, float(l1))), rel=1e-8)
    assert t.l1[0] == pytest.approx(largest_l1(t.X, t.y, t.loss))


def test_another_choice_than_the_best_is_an_error():
    t = whole(Kind.CV)
    known = reference(Kind.CV).value
    chosen = ours("auto").solve(t, 1e-9)
    scores = np.array(known[1])
    k = int(scores.argmax())
    assert chosen.l1 == t.l1[k]
    lost = (scores[k] - scores[k - 1]) / (scores[k] - scores[0])
    assert t.suboptimality(chosen._replace(l1=float(t.l1[k - 1])), known) >= lost > 0
    assert t.suboptimality(chosen._replace(b=chosen.b + 1.0), known) > 0.01


def test_ours_is_refused_by_its_own_sentence():
    assert "l2 > 0" in ours("sdca@permutation").refusal(task("logistic", "l1"))
    assert ours("rcd@permutation").refusal(task("squared", "l1")) == ""


def test_what_forms_a_large_matrix_or_has_no_such_loss_is_refused():
    cholesky = all_peers()["sklearn-newton-cholesky"]
    assert cholesky.refusal(task()) == ""
    assert cholesky.refusal(task("squared")) == "has no squared loss"
    assert cholesky.refusal(task("logistic", "l1")) == "does not take l1"


@each_of(
    "version, missing",
    [
        ("1.9.1", "scikit-learn 1.9.1 is installed, and this solver came with 1.10"),
        ("1.10.dev0", ""),
        ("1.10.2", ""),
        ("", "scikit-learn is not installed: pip install scikit-learn"),
    ],
)
def test_a_solver_of_a_later_version_waits_for_it(version, missing, monkeypatch):
    monkeypatch.setattr(Package, "version", version)
    assert all_peers()["sklearn-newton-cd"].missing == missing
    if missing:
        with pytest.raises(ValueError, match=missing):
            installed(["sklearn-newton-cd"])
    else:
        assert [peer.name for peer in installed(["sklearn-newton-cd"])] == ["sklearn-newton-cd"]


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
        at = [t.primal(w, l1) for w in _steps(t, direction)]
        slope[l1] = min(at[1:]) - at[0]
    assert slope[0.99 * top] < 0 < slope[1.01 * top]


def _steps(t, direction):
    """0, and a small step along each axis the way P falls."""
    return [np.zeros(t.d), *(1e-4 * direction[j] * np.eye(t.d)[j] for j in range(t.d))]
