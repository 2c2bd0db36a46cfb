"""Blocks with their exact curvature: golden numbers, one step by enumeration, and the theorems of sdna."""

from itertools import combinations
from math import comb

import mpmath as mp
import numpy as np
import pytest
from cases import each_of
from problems import problem
from test_exact_step_bounds import golden_problem, unit

import cdlab
from cdlab import theory
from cdlab.methods import SDNA, Points
from cdlab.samplings import Batches, TauNice
from cdlab.theory import spectra

GOLDEN = [  # m, sigma_1, sigma_2, sigma_3, exact radius of a step
    (1, 0.0376524559, 0.0376524559, 0.0376524559, 0.9297711956),
    (2, 0.1453756772, 0.09447768747, 0.05423094919, 0.7731233827),
    (3, 0.330343889, 0.1901219447, 0.06353431018, 0.5582796515),
]


def steps(A, m):
    """I - (A_S)^-1 A for every block."""
    for chosen in combinations(range(len(A)), m):
        block = np.ix_(chosen, chosen)
        T = np.eye(len(A))
        T[list(chosen)] -= np.linalg.solve(A[block], A[list(chosen)])
        yield T


def block_rates(A, m):
    """By which share a block of m of N coordinates reduces the error: sigma_1 exactly, sigma_2 and sigma_3 by bounds.

    sigma_1 is lambda_min(A^(1/2) B A^(1/2)) with B = E[(A_S)^-1], the others with diag(p) E[A_S]^-1 diag(p) and
    diag(p/v), v the ESO parameters (Qu, Richtarik, Takac & Fercoq 2016, SDNA).
    """
    N = len(A)
    meeting = (m - 1) / (N - 1)
    v = (1 - meeting) * A.diagonal() + meeting * np.linalg.eigvalsh(A)[-1]
    by_eso = spectra.RoundedInverse(np.diag(m / N / v), 0.0)
    inverses = spectra.mean_inverse(A, m), spectra.mean_inverse_below(A, m), by_eso
    return [spectra.worst_share(A, inverse, m) for inverse in inverses]


@each_of("m, first, second, third, radius", GOLDEN)
def test_golden_rates_of_the_face_offs_example(m, first, second, third, radius):
    P = golden_problem()
    A = spectra.hessian(P.X, 1.0, P.l2, "dual")
    assert block_rates(A, m) == pytest.approx([first, second, third], rel=2e-9)
    each = [np.kron(T.T, T.T) for T in steps(unit(A), m)]
    exact = np.abs(np.linalg.eigvals(np.mean(each, axis=0))).max()
    assert exact == pytest.approx(radius, abs=5e-10)
    assert (1 - first) ** 2 <= exact <= 1 - first
    b = theory.bound("sdna", "K", TauNice(m), "exact curvature")
    assert b.for_problem(P) == pytest.approx(1 / first, rel=2e-9)
    visits = 2 * m - 1 + m * (m - 1) / 4  # lines read and written, read for the curvature, and written to scratch
    assert theory.bound("sdna", "cost per iteration", TauNice(m)).for_problem(P) == pytest.approx(visits * P.nnz / P.n)


def test_the_error_falls_by_sigma_1_in_the_worst_direction_and_never_by_less():
    rng = np.random.default_rng(0)
    for size in (2, 4, 6):
        Z = rng.standard_normal((size, size + 2))
        A = Z @ Z.T + 0.1 * np.eye(size)
        single = block_rates(A, 1)[0]
        for m in range(1, size + 1):
            sigma_1, sigma_2, sigma_3 = block_rates(A, m)
            left = np.mean([T.T @ A @ T for T in steps(A, m)], axis=0)
            shares = np.linalg.eigvals(np.linalg.solve(A, left)).real
            assert shares.max() == pytest.approx(1 - sigma_1, abs=1e-10)
            assert sigma_3 <= sigma_2 * (1 + 1e-9)
            assert sigma_2 <= sigma_1 * (1 + 1e-9)
            assert sigma_1 >= m * single * (1 - 1e-9)
        assert (sigma_1, sigma_2) == pytest.approx((1.0, 1.0))  # all coordinates: one step


@each_of("loss", ["squared", "logistic", "smooth_hinge", "squared_hinge"])
def test_one_primal_step_contracts_the_suboptimality_of_every_smooth_loss(loss):
    P = golden_problem(loss)
    best = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-13, max_passes=20_000).w
    M = spectra.hessian(P.X, P.loss.gamma, P.l2, "primal")
    rng = np.random.default_rng(0)
    for m in (1, 2, 3, 4):
        b = theory.bound("primal_sdna", "K", TauNice(m), "exact curvature")
        share = 1 / b.for_problem(P)
        for w in (np.zeros(P.d), *rng.standard_normal((5, P.d)), best + 0.01):
            after = []
            for chosen in combinations(range(P.d), m):
                moved = w.copy()
                moved[list(chosen)] -= np.linalg.solve(M[np.ix_(chosen, chosen)], P.gradient(w)[list(chosen)])
                after.append(P.primal(moved) - P.primal(best))
            assert np.mean(after) <= (1 - share) * (P.primal(w) - P.primal(best)) + 1e-13


def test_the_gain_of_the_best_dual_step_is_at_least_that_of_the_eso_model():
    """Squared loss, where a block is maximised by a linear system."""
    P = golden_problem()
    rng = np.random.default_rng(0)
    A = spectra.hessian(P.X, 1.0, P.l2, "dual")
    for m in (1, 2, 3, 5):
        K = theory.bound("sdna", "K", TauNice(m), "smooth").for_problem(P)
        for alpha in rng.standard_normal((4, P.n)):
            slope = P.y - A @ alpha
            gains = [
                slope[list(S)] @ np.linalg.solve(A[np.ix_(S, S)], slope[list(S)]) / (2 * P.n)
                for S in combinations(range(P.n), m)
            ]
            assert np.mean(gains) >= P.gap(P.w(alpha), alpha) / K * (1 - 1e-9)


def test_too_many_blocks_have_the_smaller_rate_that_needs_no_list():
    X = np.random.default_rng(0).standard_normal((30, 5))
    P = cdlab.Problem(X, np.where(np.arange(30) % 2, 1.0, -1.0), loss="squared", l2=0.1)
    A = spectra.hessian(P.X, 1.0, P.l2, "dual")
    K = theory.bound("sdna", "K", TauNice(10), "exact curvature").for_problem(P)  # of 30 million blocks
    assert 1 / K == pytest.approx(spectra.worst_share(A, spectra.mean_inverse_below(A, 10), 10))


def test_the_quadratic_dual_is_refused_to_other_losses():
    with pytest.raises(theory.Uncovered, match="M = 0"):
        theory.bound("sdna", "K", TauNice(2), "exact curvature").for_problem(golden_problem("logistic"))


def exact_primal_share(X, l2, m):
    """l2 lambda_min(E[(M_S)^-1]) with 60 digits."""
    n, d = X.shape
    with mp.workdps(60):
        rows = mp.matrix(X.tolist())
        M = rows.T * rows / n + mp.mpf(l2) * mp.eye(d)
        mean = mp.zeros(d)
        for chosen in combinations(range(d), m):
            inverse = mp.matrix([[M[i, j] for j in chosen] for i in chosen]) ** -1
            for a, i in enumerate(chosen):
                for b, j in enumerate(chosen):
                    mean[i, j] += inverse[a, b] / comb(d, m)
        return float(l2 * min(mp.eigsy(mean, eigvals_only=True)))


@each_of("l2", [1.0, 1e-3, 1e-7, 1e-9])
def test_rounding_never_makes_a_rate_too_good(l2):
    rng = np.random.default_rng(0)
    for _ in range(5):
        n, d = rng.integers(1, 5), int(rng.integers(2, 6))
        m, X = int(rng.integers(1, d + 1)), rng.standard_normal((n, d))
        b = theory.bound("primal_sdna", "K", TauNice(m), "exact curvature")
        share = 1 / b.for_problem(cdlab.Problem(X, np.ones(n), loss="squared", l2=l2))
        assert share <= exact_primal_share(X, l2, m) * (1 + 1e-12)
        assert share > 0


@each_of("loss, m, l1", [("logistic", 2, 0.0), ("logistic", 4, 0.0), ("smooth_hinge", 3, 0.05), ("hinge", 3, 0.0)])
def test_a_block_gains_at_least_what_the_eso_model_promises(loss, m, l1):
    """By enumeration: of every loss, so that the face-off's Theorem 1 is about sdna."""
    P = problem(loss, l2=0.02, l1=l1, n=6, d=3)
    method, v = SDNA(batch_size=m), cdlab.eso(P, TauNice(m))
    rng = np.random.default_rng(m)
    blocks = [np.array(block, np.uint64) for block in combinations(range(P.n), m)]
    for _ in range(4):
        alpha = P.alpha(rng.standard_normal(P.d)) * rng.uniform(0.2, 1)
        before, z = P.dual(alpha), P.predict(P.w(alpha))
        after = []
        for block in blocks:
            S = method.init(P, "uniform", Points(P.w(alpha), alpha))
            S = method.epoch(method.view(P), S, Batches(block, np.array([0, m], np.uint64)))
            after.append(P.dual(S.alpha))
        q = v / (P.l2 * P.n)
        moved = np.array([-P.loss.dualprox(*each) for each in zip(z, -alpha, q, P.loss_y, strict=True)])
        conjugates = [[P.loss.phi_conj(a, y) for a, y in zip(at, P.loss_y, strict=True)] for at in (alpha, moved)]
        h = moved - alpha
        promised = m / P.n * float(np.sum(np.subtract(*conjugates) - h * z - q * h**2 / 2)) / P.n
        assert np.mean(after) - before >= promised * (1 - 1e-9) > 0
        if loss != "hinge":
            K = theory.bound("sdna", "K", TauNice(m)).for_problem(P)
            assert np.mean(after) - before >= (P.primal(P.w(alpha)) - before) / K * (1 - 1e-9)
