"""Where there is no bound: losses with kinks, no l2, l1, empty lines, and the ends of float64."""

import numpy as np
import pytest
from cases import each_of
from faceoff_matrices import NAMES, defined, matrices, problem
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.faceoffs import Work

NOTHING = Work()


@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_losses_that_are_not_smooth(loss):
    f = cdlab.faceoff(problem(np.eye(3), loss))
    assert [getattr(f, name) for name in NAMES] == [None] * 6
    assert (f.ratio, f.winner, f.break_even, f.cost_P(), f.cost_D()) == (None,) * 5
    assert f.uniform == NOTHING
    assert f.uniform.ratio is None
    assert f"needs a smooth loss, but {loss} is not" in f.reason
    assert (f.C_P, f.C_D, f.ratio_table) == (3, 3, 1)


def test_no_l2():
    f = cdlab.faceoff(problem(np.eye(3), l2=0.0))
    assert f.T_P is None
    assert f.ratio is None
    assert "l2 > 0" in f.reason
    assert f.C_D == 3


def test_l1_leaves_the_dual_only():
    f, plain = cdlab.faceoff(problem(np.eye(3), l1=0.1)), cdlab.faceoff(problem(np.eye(3)))
    for work, without in ((f, plain), (f.uniform, plain.uniform)):
        assert (work.K_P, work.T_P, work.ratio) == (None, None, None)
        assert (work.K_D, work.W_D, work.T_D) == (without.K_D, without.W_D, without.T_D)
    assert "l1" in f.reason
    assert f.winner is None
    assert f.break_even is None
    assert f.cost_P() is None
    assert f.cost_D() == f.T_D


def test_a_matrix_alone():
    f = cdlab.faceoff([[1.0, 0.0], [2.0, 3.0]])
    assert (f.C_P, f.C_D, f.F, f.nnz) == (2 * 5 + 9, 1 + 2 * 13, 14, 3)
    assert f.ratio_table == 22 / 30
    assert (f.T_P, f.winner, f.derivative_cost) == (None, None, None)
    assert "pass a Problem" in f.reason
    with pytest.raises(ValueError, match="pass faceoff a Problem"):
        cdlab.faceoff(np.eye(2), derivative_cost=3)


def test_nothing_but_zeros():
    f = cdlab.faceoff(problem(np.zeros((3, 2))))
    assert [getattr(f, name) for name in NAMES] == [0] * 6
    assert (f.n, f.d, f.n_nonempty, f.d_nonempty, f.theorem3.ratio_bounds) == (3, 2, 0, 0, None)
    assert (f.ratio, f.ratio_table, f.theorem3.ratio, f.theorem3.position, f.winner) == (None,) * 5
    assert "nothing to compare" in f.reason
    assert f.table()["passes"].isna().all()


def test_empty_lines_are_no_coordinates():
    X = np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    f = cdlab.faceoff(problem(X, "squared", l2=0.5))  # l2 n = 1, F = 5
    np.testing.assert_allclose([f.K_P, f.K_D, f.T_P, f.T_D], [2 + 5, 1 + 5, 2 + 5, 2 + 10])
    assert (f.n, f.d, f.n_nonempty, f.d_nonempty) == (2, 3, 1, 2)


SAMPLINGS = ["uniform", "importance", "norms", cdlab.samplings.Lipschitz(0.5)]


@given(matrices(), st.integers(0, 3), st.integers(0, 3))
def test_empty_lines_change_nothing(X, rows, columns):
    """Theorem 3 excludes them: what they add to n and d neither moves the position nor costs an iteration."""
    n, d = X.shape
    padded = np.zeros((n + rows, d + columns))
    padded[rows:, columns:] = X
    for loss in ("squared", "logistic"):
        f, g = (
            cdlab.faceoff(problem(each, loss, l2=0.3 / each.shape[0]), samplings=SAMPLINGS[:2]) for each in (X, padded)
        )
        plain, same = f.to_dict(), g.to_dict()
        for name in ("n", "d"):
            del plain[name], same[name]
        assert same == nearly(plain)


def nearly(value, rel=1e-9):
    """Equal but for rounding, in every number of a nested dict; estimates from 0 go through a run of L-BFGS."""
    if isinstance(value, dict):
        return {key: nearly(each, 1e-4 if key.startswith("from_zero") else rel) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(nearly(each, rel) for each in value)
    return pytest.approx(value, rel=rel, abs=1e-12) if isinstance(value, float) else value


@each_of("sampling", SAMPLINGS)
def test_draws_of_empty_lines_are_no_iterations(sampling):
    X = np.zeros((6, 5))
    X[:4, 1:4] = np.random.default_rng(0).standard_normal((4, 3))
    P = problem(X)
    work = cdlab.faceoff(P, samplings=[sampling]).by_sampling.popitem()[1]
    p, q = (cdlab.methods.resolve(method).probabilities(P, sampling) for method in ("rcd", "quartz"))
    p, q = p[1:4], q[:4]
    assert (p.sum(), q.sum()) == pytest.approx((1, 1))
    np.testing.assert_allclose([getattr(work, k) for k in NAMES], defined(X[:4, 1:4], 1.0, 0.6, p, q), rtol=1e-12)


def test_an_empty_line_needs_no_probability():
    P = problem(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]))
    work = cdlab.faceoff(P, samplings=[([1.0, 0.0], [0.5, 0.5, 0.0])]).by_sampling["given"]
    assert (work.W_P, work.W_D) == (2, 1)
    with pytest.raises(ValueError, match="never draws coordinate 1: K = inf"):
        cdlab.faceoff(P, samplings=[([1.0, 0.0], [0.5, 0.0, 0.5])])


def test_a_single_entry_has_no_position():
    f = cdlab.faceoff([[3.0]])
    assert (f.theorem3.ratio, f.theorem3.position) == (1.0, None)


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_scaled_entries_give_right_answers(scale):
    X = np.random.default_rng(0).standard_normal((5, 4))
    f, g = cdlab.faceoff(X), cdlab.faceoff(X * scale)
    assert g.theorem3.ratio == pytest.approx(f.theorem3.ratio, rel=1e-12)
    assert g.theorem3.position == pytest.approx(f.theorem3.position, rel=1e-12)
    h = cdlab.faceoff(problem(X * scale, l2=1.0))
    assert h.ratio == pytest.approx(f.C_P / f.C_D if scale > 1 else 1.0, rel=1e-12)


def test_beyond_float64():
    with pytest.raises(ValueError, match="too large for float64"):
        cdlab.faceoff(np.full((2, 2), 1e160))
    with pytest.raises(ValueError, match="too small for float64"):
        cdlab.faceoff(np.full((2, 2), 1e-160))
    f = cdlab.faceoff(problem(np.full((2, 2), 1e100), l2=1e-200))
    assert f.T_P is None
    assert f.ratio is None
    assert "overflow" in f.reason
    assert cdlab.faceoff(problem(np.eye(2), l2=1e-320)).T_D is None
    assert "smaller l2" in cdlab.faceoff(np.eye(20), loss="squared", l2=1e307).reason


@pytest.mark.parametrize(
    "l2", [np.nan, np.inf, -1.0, True, "1", pytest.param(10**400, id="beyond float64"), np.complex128(1)]
)
def test_l2_beside_a_matrix_is_a_number(l2):
    with pytest.raises(ValueError, match="l2 must be a finite number >= 0, not"):
        cdlab.faceoff(np.eye(2), loss="squared", l2=l2)
