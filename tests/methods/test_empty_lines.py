"""Empty rows and columns: set once to where they are best, and never drawn."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from cases import each_of
from problems import data

import cdlab
from cdlab.losses import LOSSES
from cdlab.methods import METHODS
from cdlab.runs.limits import Status
from cdlab.samplings import SAMPLINGS
from cdlab.samplings.base import Batches

ROWS, COLUMNS = [0, 3, 17], [1, 6]
SETTLING = [name for name, method in METHODS.items() if method.zero_rows == "set" and name != "kaczmarz"]


def holed(loss="logistic", l2=0.1, sparse=False):
    X, y = data()
    X = X.copy()
    X[ROWS], X[:, COLUMNS] = 0.0, 0.0
    return cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss=loss, l2=l2)


def whole(P):
    """The same problem without its empty columns."""
    return cdlab.Problem(np.delete(P.X, COLUMNS, axis=1), P.y, loss=P.loss, l2=P.l2)


def lines(P, method):
    return np.flatnonzero((P.row_profile if METHODS[method].side == "dual" else P.column_profile).counts == 0)


def test_there_are_empty_lines_on_both_sides():
    assert set(ROWS) <= set(lines(holed(), "sdca"))
    assert set(COLUMNS) == set(lines(holed(), "rcd"))


@each_of("sampling", SAMPLINGS)
@each_of("method", SETTLING)
def test_no_draw_is_spent_on_an_empty_line(method, sampling):
    P = holed(sparse=True)
    made, drawn = cdlab.runs.entries.resolve_entry(f"{method}@{sampling}")
    orders = made.orders(P, drawn, np.random.default_rng(0))
    epochs = [next(orders) for _ in range(20)]
    seen = np.concatenate([each.indices if isinstance(each, Batches) else each for each in epochs])
    assert not np.isin(seen, lines(P, method)).any()
    p = made.probabilities(P, drawn)
    assert p.sum() == pytest.approx(1)
    np.testing.assert_array_equal(np.flatnonzero(p == 0), lines(P, method))


@each_of("loss", LOSSES)
def test_the_dual_value_of_an_empty_row_is_the_best_there_is(loss):
    """alpha_i = -phi'(0) maximises -phi*(-alpha_i), checked by brute force."""
    y = np.arange(30) % 3 if loss == "softmax" else data()[1]
    X = data()[0].copy()
    X[ROWS] = 0
    P = cdlab.Problem(X, y, loss=loss, l2=0.1)
    run = cdlab.iterate(P, "sdca")
    next(run)
    alpha = run.alpha
    rng = np.random.default_rng(0)
    for i in ROWS:
        for scale in (1e-3, 0.1, 1.0):
            for _ in range(5):
                other = alpha.copy()
                other[i] += scale * rng.standard_normal(other[i].shape)
                assert P.dual(other) <= P.dual(alpha) + 1e-12


def test_the_primal_stays_at_zero_along_an_empty_column_from_any_start():
    P = holed()
    s = cdlab.solve(P, "rcd", start=(np.ones(P.d), None), tol=1e-9)
    np.testing.assert_array_equal(s.w[COLUMNS], 0)
    assert s.status == Status.TOLERANCE


@each_of("method", SETTLING)
def test_the_optimum_is_that_of_the_problem_without_them(method):
    P = holed()
    s = cdlab.solve(P, method, tol=1e-10, max_passes=5000)
    referee = scipy.optimize.minimize(whole(P).primal, np.zeros(P.d - len(COLUMNS)), tol=1e-12)
    assert s.status == Status.TOLERANCE
    assert s.trace.records[-1].primal == pytest.approx(referee.fun, abs=1e-9)


@each_of("method", SETTLING)
def test_a_probability_of_zero_is_allowed_on_empty_lines_and_only_there(method):
    P = holed()
    p = np.ones(P.n if METHODS[method].side == "dual" else P.d)
    p[lines(P, method)] = 0
    assert cdlab.solve(P, method, sampling=p, tol=1e-8, max_passes=3000).status == Status.TOLERANCE
    p[4] = 0
    with pytest.raises(ValueError, match="of coordinate 4 .* must be positive"):
        cdlab.solve(P, method, sampling=p)


def test_rcd_draws_as_on_the_columns_that_there_are():
    """rcv1 has 9,738 non-empty columns of 47,236: updates are counted on those alone."""
    P = holed()
    run, updates = cdlab.iterate(P, "rcd", sampling="permutation"), P.d - len(COLUMNS)
    next(run)
    assert next(run).iteration == updates
    assert run.trace.records[-1].passes == 1.0


@each_of("method", SETTLING)
def test_where_X_is_zero_every_coordinate_counts(method):
    P = cdlab.Problem(np.zeros((4, 3)), [1, -1, 1, 1], l2=0.1)
    s = cdlab.solve(P, method, tol=1e-8)
    assert s.status == Status.TOLERANCE
    np.testing.assert_array_equal(s.w, 0)
