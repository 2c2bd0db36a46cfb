"""`Problem.with_`: other weights or another loss make the problem that is made anew, and X is not read again."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

import cdlab
from cdlab.numerics import profiles

RNG = np.random.default_rng(0)
X = RNG.standard_normal((12, 5))
SIGNS = np.where(np.arange(12) % 2, 2, 1)  # labels as files have them
SCALAR = ["squared", "logistic", "hinge", cdlab.losses.SmoothHinge(gamma=0.3), "absolute"]


def same(P, Q):
    """Whether two problems agree in all that runs read."""
    w, alpha = RNG.standard_normal((P.d, *P.outputs)), 0.1 * RNG.random((P.n, *P.outputs))
    assert repr(P) == repr(Q)
    assert P.digest == Q.digest
    assert P.label_map == Q.label_map
    np.testing.assert_array_equal(P.loss_y, Q.loss_y)
    np.testing.assert_array_equal(P.by_rows.y, Q.by_rows.y)
    assert P.by_columns.loss == Q.by_columns.loss == Q.loss
    assert P.primal(w) == Q.primal(w)
    assert P.dual(alpha) == Q.dual(alpha)
    assert P.kappa == Q.kappa


@each_of("sparse", [False, True])
@each_of("weights", [None, RNG.random(12)], ids=["alike", "weighted"])
@each_of("loss", SCALAR)
@each_of("first", ["logistic", "squared"])
def test_another_loss_is_the_problem_made_anew_with_the_labels_as_given(first, loss, weights, sparse):
    data = sp.csr_matrix(X) if sparse else X
    P = cdlab.Problem(data, SIGNS, first, 1e-2, sample_weight=weights)
    _ = P.by_rows, P.by_columns
    same(P.with_(loss=loss), cdlab.Problem(data, SIGNS, loss, 1e-2, sample_weight=weights))


def test_classes_stay_what_they_were_called():
    words = np.array(["no", "yes", "perhaps"])[np.arange(12) % 3]
    P = cdlab.Problem(X, words, "softmax", 1e-2)
    assert P.with_(l2=1).classes.tolist() == ["no", "perhaps", "yes"]
    two = cdlab.Problem(X, words[np.arange(12) % 2], "logistic")
    same(two.with_(loss="softmax"), cdlab.Problem(X, words[np.arange(12) % 2], "softmax"))


def test_other_weights_keep_what_is_not_named():
    P = cdlab.Problem(X, SIGNS, "hinge", 1e-2, 1e-3, intercept=True)
    same(P.with_(l2=0.5), cdlab.Problem(X, SIGNS, "hinge", 0.5, 1e-3, intercept=True))
    same(P.with_(l1=0), cdlab.Problem(X, SIGNS, "hinge", 1e-2, 0, intercept=True))
    assert (P.l2, P.l1, P.by_rows.reg.l2) == (1e-2, 1e-3, 1e-2)  # this one stays


def test_neither_reading_nor_hashing_is_done_again(monkeypatch):
    P = cdlab.Problem(X, SIGNS, "logistic")
    columns = P.columns
    Q = P.with_(l2=0.1)
    for measuring in ("_measure_rows", "_measure_across"):  # would be called
        monkeypatch.setattr(profiles, measuring, None)
    monkeypatch.setattr("cdlab.problems.problem.array_digest", None)
    many = [Q.with_(l2=l2) for l2 in (1, 0.1, 0.01)]
    assert len({each.digest for each in many}) == 1
    assert all(np.shares_memory(each.X, P.X) for each in many)
    assert all(np.shares_memory(each.columns.a, columns.a) for each in many)


def test_what_does_not_fit_is_refused_as_for_a_new_problem():
    P = cdlab.Problem(X, RNG.standard_normal(12), "squared")
    with pytest.raises(ValueError, match="separates two classes"):
        P.with_(loss="logistic")
    with pytest.raises(ValueError, match="l2"):
        P.with_(l2=-1)


def test_a_run_on_it_is_the_run_on_the_problem_made_anew():
    P = cdlab.Problem(X, SIGNS, "squared", 1.0).with_(l2=1e-2, loss="logistic")
    Q = cdlab.Problem(X, SIGNS, "logistic", 1e-2)
    for method in ("sdca", "rcd"):
        a, b = (cdlab.solve(each, method, max_passes=5, tol=0).trace for each in (P, Q))
        np.testing.assert_array_equal(a.column("primal"), b.column("primal"))
