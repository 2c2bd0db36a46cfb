"""ESO parameters against the definition, Pr o (A'A) <= Diag(p o v), with Pr from listing every block."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from listed_blocks import every_block

import cdlab
from cdlab.eso_parameters import pair_probabilities, tightness
from cdlab.samplings import Bucket, Distributed, Given, Independent, TauNice


def listed_pairs(sampling, m):
    Pr = np.zeros((m, m))
    for block, probability in every_block(sampling, m):
        inside = np.isin(np.arange(m), block)
        Pr += probability * np.outer(inside, inside)
    return Pr


def largest_eigenvalue(X, sampling, v, side):
    """lambda_max of Diag(p v)^-1/2 (Pr o A'A) Diag(p v)^-1/2: v is valid if it is at most 1."""
    A = X.T if side == "dual" else X
    Pr = listed_pairs(sampling, v.size)
    scale = np.sqrt(np.diag(Pr) * v)
    live = scale > 0  # a zero column of A has v = 0 and no part in A'A
    M = (Pr * (A.T @ A))[np.ix_(live, live)] / np.outer(scale[live], scale[live])
    return np.linalg.eigvalsh(M)[-1] if live.any() else 0.0


SCHEMES = {
    "tau_nice": lambda rng: TauNice(int(rng.integers(1, 7))),
    "independent": lambda rng: Independent(rng.uniform(0.05, 1, 6)),
    "coins": lambda rng: Independent(float(rng.uniform(0.05, 1))),
    "bucket": lambda rng: Bucket([[4, 0], [1, 3, 5], [2]], rng.uniform(0.1, 1, 6)),
    "bucket uniform": lambda rng: Bucket([[0, 5, 2], [1, 3, 4]]),
    "distributed": lambda rng: Distributed(2, int(rng.integers(1, 4))),
    "distributed 3": lambda rng: Distributed(3, int(rng.integers(1, 3))),
    "serial": lambda rng: Given(rng.uniform(0.1, 1, 6)),
}


@pytest.mark.parametrize("side", ["dual", "primal"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_parameters_are_valid_on_random_sparse_matrices(scheme, side):
    rng = np.random.default_rng(7)
    for _ in range(60):
        X = rng.standard_normal((6, rng.integers(1, 6))) * (rng.random() > rng.random((6, 1)))
        X *= rng.random(X.shape) < rng.uniform(0.2, 1)
        X = X if side == "dual" else X.T
        sampling = SCHEMES[scheme](rng)
        v = cdlab.eso(X, sampling, side=side)
        assert v.shape == (6,)
        assert (v >= (X**2).sum(1 if side == "dual" else 0) * (1 - 1e-12)).all()
        assert largest_eigenvalue(X, sampling, v, side) <= 1 + 1e-12
        np.testing.assert_allclose(cdlab.eso(sp.csr_array(X), sampling, side=side), v, rtol=1e-13)


# ---------------------------------------------------------------- exact: an eigenvalue for each row
BLOCKS = [scheme for scheme in SCHEMES if scheme != "serial"]
DOMINATED = [scheme for scheme in BLOCKS if scheme not in ("independent", "coins")]


@each_of("scheme", BLOCKS)
def test_pair_probabilities_are_those_of_every_block(scheme):
    rng = np.random.default_rng(1)
    for _ in range(10):
        sampling = SCHEMES[scheme](rng)
        np.testing.assert_allclose(pair_probabilities(sampling, 6), listed_pairs(sampling, 6), atol=1e-14)


@pytest.mark.parametrize("scheme", BLOCKS)
def test_exact_parameters_are_valid_and_cannot_be_scaled_down_on_one_row(scheme):
    rng = np.random.default_rng(2)
    for _ in range(20):
        sampling, support = SCHEMES[scheme](rng), rng.random(6) < 0.7
        x = np.where(support, rng.standard_normal(6), 0.0)
        v = cdlab.eso(x[:, None], sampling, method="exact")
        if support.any():
            # equality needs x o h to be the eigenvector, and h is free where x is not 0: any values of x do
            assert largest_eigenvalue(x[:, None], sampling, v, "dual") == pytest.approx(1, abs=1e-12)
            assert tightness(x[:, None], sampling, v) == pytest.approx(1, abs=1e-12)
        X = rng.standard_normal((6, 4)) * (rng.random((6, 4)) < 0.6)
        for side, data in (("dual", X), ("primal", sp.csr_array(X.T))):
            v = cdlab.eso(data, sampling, side, method="exact")
            assert largest_eigenvalue(X if side == "dual" else X.T, sampling, v, side) <= 1 + 1e-12
            assert tightness(data, sampling, v, side) == pytest.approx(
                largest_eigenvalue(X if side == "dual" else X.T, sampling, v, side), abs=1e-12
            )


@pytest.mark.parametrize("scheme", DOMINATED)
def test_the_formulas_dominate_the_eigenvalue_on_every_set_of_nonzeros(scheme):
    """All 63 supports of a row of six; tau_nice's formula is the eigenvalue itself."""
    rng, supports = np.random.default_rng(3), np.array(list(product((0.0, 1.0), repeat=6)))[1:]
    for _ in range(5):
        sampling = SCHEMES[scheme](rng)
        for support in supports:
            formula, exact = (cdlab.eso(support[:, None], sampling, method=how) for how in ("formula", "exact"))
            assert (exact <= formula * (1 + 1e-12)).all()
            assert (exact >= support * (1 - 1e-12)).all(), "not below squared norms"
            if scheme == "tau_nice":
                np.testing.assert_allclose(exact, formula, rtol=1e-12)


def test_neither_is_always_the_smaller_one_for_independent_coins():
    """The formula knows each coordinate's own p: better where p_j is large. The eigenvalue is the same for all."""
    sampling = Independent([0.9, 0.1, 0.1])
    formula, exact = (cdlab.eso(np.ones((3, 1)), sampling, method=how) for how in ("formula", "exact"))
    assert (formula < exact).any()
    assert (formula > exact).any()


def test_any_known_pair_probabilities_will_do():
    """Blocks {0, 1}, {2} and {0, 2}: a sampling without a name."""
    blocks = [((0, 1), 0.5), ((2,), 0.2), ((0, 2), 0.3)]
    Pr = sum(share * np.outer(*[np.isin(range(3), block)] * 2) for block, share in blocks)
    X = np.random.default_rng(0).standard_normal((3, 5))
    v = cdlab.eso(X, Pr, method="exact")
    assert 0.3 < tightness(X, Pr, v) <= 1 + 1e-12
    h = np.random.default_rng(1).standard_normal((200, 3))
    expected = sum(share * (((h * np.isin(range(3), block)) @ X) ** 2).sum(axis=1) for block, share in blocks)
    assert (expected <= h**2 @ (np.diag(Pr) * v) * (1 + 1e-12)).all()
    np.testing.assert_allclose(cdlab.eso(X, np.diag([0.2, 0.3, 0.5]), method="exact"), (X**2).sum(1))  # serial


def test_serial_samplings_have_their_norms_in_both_ways_and_zero_data_nothing():
    np.testing.assert_array_equal(cdlab.eso([[1.0, 2.0]], "importance", method="exact"), [5])
    assert tightness(np.zeros((3, 2)), TauNice(2), np.zeros(3)) == 0
    np.testing.assert_array_equal(cdlab.eso(np.zeros((4, 2)), TauNice(2), method="exact"), np.zeros(4))


@each_of("tau", range(1, 7))
def test_tau_nice_is_tight_on_a_dense_line(tau):
    X = np.random.default_rng(0).choice([-2.0, 2.0], (6, 1))
    v = cdlab.eso(X, TauNice(tau))
    np.testing.assert_allclose(v, 4 * tau, rtol=1e-13)  # f = 1 + 5 (tau - 1)/5
    assert largest_eigenvalue(X, TauNice(tau), v, "dual") == pytest.approx(1, abs=1e-12)


def test_squared_norms_are_wrong_for_blocks():
    X = np.ones((6, 1))
    v = cdlab.eso(X, "uniform")
    assert largest_eigenvalue(X, TauNice(3), v, "dual") == pytest.approx(3, abs=1e-12)


@each_of("sampling", ["uniform", "importance", "cyclic", np.array([0.5, 0.25, 0.25])])
def test_serial_samplings_need_squared_norms_only(sampling):
    X = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]])
    np.testing.assert_array_equal(cdlab.eso(X, sampling), [5, 0, 9])
    np.testing.assert_array_equal(cdlab.eso(X, "norms", side="primal"), [10, 4])


def test_special_cases_agree():
    """tau = 1 is serial, tau = m takes everything, one machine is tau-nice, buckets of size m/c are tau = 1."""
    X = np.random.default_rng(3).standard_normal((6, 4)) * (np.random.default_rng(4).random((6, 4)) < 0.6)
    norms2, eso = (X**2).sum(1), cdlab.eso
    np.testing.assert_allclose(eso(X, TauNice(1)), norms2)
    np.testing.assert_allclose(eso(X, TauNice(6)), eso(X, Independent(1.0)))
    np.testing.assert_allclose(eso(X, TauNice(6)), eso(X, Distributed(2, 3)))
    np.testing.assert_allclose(eso(X, TauNice(4)), eso(X, Distributed(1, 4)))
    np.testing.assert_allclose(eso(X, Bucket([[0, 1, 2], [3, 4, 5]])), eso(X, Distributed(2, 1)))
    np.testing.assert_allclose(eso(X, Bucket([range(6)])), norms2)


def test_a_parameter_that_is_0_covers_empty_coordinates_only():
    X = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]])
    v = cdlab.eso(X, TauNice(2))
    assert v[1] == 0
    assert tightness(X, TauNice(2), v) <= 1 + 1e-12
    assert tightness(X, TauNice(2), np.where([True, False, False], 0.0, v)) == np.inf


def test_disjoint_supports_cost_nothing():
    """Examples that share no feature may move together as if alone."""
    X = np.diag([1.0, 2.0, 3.0])
    for sampling in (TauNice(3), Independent(0.7), Bucket([[0], [1], [2]]), Distributed(3, 1)):
        np.testing.assert_allclose(cdlab.eso(X, sampling), [1, 4, 9], rtol=1e-14)


def test_takes_a_problem_and_single_lines_and_zeros():
    X = np.array([[0.0, 1.0], [0.0, 2.0]])
    P = cdlab.Problem(X, [1, -1])
    np.testing.assert_allclose(cdlab.eso(P, TauNice(2)), [2, 8])
    np.testing.assert_allclose(cdlab.eso(P, TauNice(2), side="primal"), [0, 5])
    np.testing.assert_allclose(cdlab.eso([[3.0]], TauNice(1)), [9])
    np.testing.assert_array_equal(cdlab.eso(np.zeros((4, 2)), Distributed(2, 2)), np.zeros(4))


@each_of(
    "call, words",
    [
        (lambda: cdlab.eso(np.eye(3), "uniform", side="both"), "'dual'"),
        (lambda: cdlab.eso(np.eye(3), TauNice(4)), "tau <= 3"),
        (lambda: cdlab.eso(np.eye(3), "tau_nice"), r"TauNice\(tau=8\)"),
        (lambda: cdlab.eso(np.full((2, 2), np.nan), "uniform"), "NaN"),
        (lambda: cdlab.eso(np.full((2, 2), 1e200), TauNice(2)), "too large"),
        (lambda: cdlab.eso(np.eye(3), "uniform", method="best"), "'formula' or 'exact'"),
        (lambda: cdlab.eso(np.eye(3), np.eye(3)), 'pass method="exact"'),
        (lambda: cdlab.eso(np.eye(3), np.eye(4), method="exact"), "3 x 3 array"),
        (lambda: cdlab.eso(np.eye(2), np.array([[0.5, 0.6], [0.6, 0.5]]), method="exact"), "at most Prob"),
        (lambda: cdlab.eso(np.eye(2), np.array([[0.5, 0.1], [0.2, 0.5]]), method="exact"), "symmetric"),
        (lambda: cdlab.eso(np.eye(2), 2 * np.eye(2), method="exact"), "at most 1"),
        (lambda: cdlab.eso(sp.eye(2001), TauNice(2), method="exact"), "at most 2000"),
        (lambda: cdlab.eso(np.eye(2), np.full((2, 2), np.nan), method="exact"), "symmetric"),
        (lambda: cdlab.eso(np.eye(2), 0.5j * np.eye(2), method="exact"), "must be real numbers"),
        (lambda: tightness(np.eye(3), TauNice(2), np.array([1.0, np.nan, 1.0])), "3 finite numbers >= 0"),
        (lambda: tightness(np.eye(3), TauNice(2), np.array([1.0, -1.0, 1.0])), "3 finite numbers >= 0"),
        (lambda: tightness(np.eye(3), TauNice(2), np.ones(2)), "3 finite numbers >= 0"),
        (lambda: tightness(np.eye(3), TauNice(2), np.ones(3), side="both"), "'dual'"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
