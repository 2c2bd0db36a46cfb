"""SPDC's steps are the paper's, and its Algorithm 2 does not mind a few long rows."""

import math

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods.spdc import SPDC
from cdlab.samplings import TauNice


# ---------------------------------------------------------------- its parameters
def test_the_parameters_are_the_paper_s():
    P = problem("squared_hinge", l2=0.03)
    n, gamma, l2 = P.n, P.loss.gamma, P.l2
    norms = np.linalg.norm(P.X, axis=1)
    for m in (1, 4, 30):
        R, S = norms.max(), SPDC().init(P, TauNice(m))
        assert S.table.tau == pytest.approx(np.sqrt(m * gamma / (n * l2)) / (2 * R), rel=1e-14)
        assert S.s == pytest.approx(np.sqrt(n * l2 / (m * gamma)) / (2 * R), rel=1e-14)
        assert S.theta == pytest.approx(1 - 1 / (n / m + R * np.sqrt(n / (m * l2 * gamma))), rel=1e-14)
    R, S = norms.mean(), SPDC().init(P, "norms")
    assert S.table.tau == pytest.approx(np.sqrt(gamma / (n * l2)) / (4 * R), rel=1e-14)
    assert S.s == pytest.approx(np.sqrt(n * l2 / gamma) / (4 * R), rel=1e-14)
    assert S.theta == pytest.approx(1 - 1 / (2 * n + 2 * R * np.sqrt(n / (l2 * gamma))), rel=1e-14)
    np.testing.assert_allclose(S.p, 1 / (2 * n) + norms / (2 * norms.sum()), rtol=1e-14)


@each_of("m", [1, 2, 7, 30])
def test_batches_of_algorithm_2_have_the_steps_that_their_proof_asks_for(m):
    P = problem("squared_hinge", l2=0.03)
    n, gamma, l2, norms = P.n, P.loss.gamma, P.l2, np.linalg.norm(P.X, axis=1)
    S = SPDC(batch_size=m).init(P, "norms")
    p = 1 / (2 * n) + norms / (2 * norms.sum())
    np.testing.assert_allclose(S.p, 1 - (1 - p) ** m, rtol=1e-12)
    assert (m * norms / (S.p * n)).max() <= S.M * (1 + 1e-12)
    assert (1 / S.p).max() <= S.N * (1 + 1e-12)
    assert 4 * S.table.tau * S.s * S.M**2 == pytest.approx(1)
    assert S.theta == pytest.approx(1 - 1 / (S.N + S.M * np.sqrt(n / (m * l2 * gamma))), rel=1e-14)
    one = SPDC().init(P, "norms")
    if m == 1:
        assert (S.M, S.N, S.s, S.theta) == (one.M, one.N, one.s, one.theta)


# ---------------------------------------------------------------- what Algorithm 2 is for
def passes(P, method, sampling):
    s = cdlab.solve(P, method, sampling=sampling, tol=1e-6, max_passes=2000)
    assert s.status == "tolerance reached"
    return s.trace.records[-1].passes


def uneven(length, n=500, d=20):
    """Gaussian rows of length 1, but for one."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n, d))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    y = np.where(A @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n) > 0, 1.0, -1.0)
    A[0] *= length
    return cdlab.Problem(A, y, l2=1e-3)


@pytest.mark.parametrize("batch_size", [None, 4])
def test_algorithm_2_does_not_mind_a_few_long_rows(batch_size):
    """Algorithm 1 pays for the longest row and Algorithm 2 for the mean: n + R sqrt(n/(l2 gamma)) against twice
    n + Rbar sqrt(n/(l2 gamma)). So the first is up to twice as fast on rows of one length, and far behind else."""
    method = SPDC(batch_size=batch_size)
    even, P = uneven(1.0), uneven(25.0)
    assert P.constants()["R"] > 20 * P.constants()["Rbar"]
    assert passes(even, method, "uniform") < passes(even, method, "norms") < 2.5 * passes(even, method, "uniform")
    assert 3 * passes(P, method, "norms") < passes(P, method, "uniform")
    assert passes(P, method, "norms") < 1.5 * passes(even, method, "norms")


def test_of_gaussian_rows_the_longest_grows_and_the_mean_converges():
    d, lengths = 50, {}
    for n in (100, 1000, 10_000, 100_000):
        rows = [np.linalg.norm(np.random.default_rng(seed).standard_normal((n, d)), axis=1) for seed in range(5)]
        lengths[n] = np.median([r.max() for r in rows]), np.median([r.mean() for r in rows])
    longest, mean = np.transpose(list(lengths.values()))
    assert (np.diff(longest) > 0.1).all()
    expected = np.sqrt(2) * np.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))  # of the chi distribution
    assert (abs(mean - expected) < 2 / np.sqrt(list(lengths))).all()


def test_steps_of_one_s_own():
    P = problem(l2=0.03)
    default = SPDC().init(P, "uniform")
    for given in (SPDC(step=default.table.tau), SPDC(dual_step=default.s), SPDC(theta=default.theta)):
        S = given.init(P, "uniform")
        assert (S.table.tau, S.s, S.theta) == pytest.approx((default.table.tau, default.s, default.theta), rel=1e-14)
    S = SPDC(step=0.1).init(P, "uniform")
    assert 4 * S.table.tau * S.s * P.R**2 == pytest.approx(1)
    slower = max(1 + 1 / (2 * 0.1 * P.l2), P.n + P.n / (2 * S.s * P.loss.gamma))
    assert S.theta == pytest.approx(1 - 1 / slower, rel=1e-14)
    S = SPDC(step=0.1, dual_step=3, theta=0.5).init(P, "uniform")
    assert (S.table.tau, S.s, S.theta) == (0.1, 3, 0.5)
    s = cdlab.solve(P, SPDC(batch_size=4, step=0.02), tol=1e-8, max_passes=5000)
    assert s.status == "tolerance reached"
    assert s.trace.meta["method"] == "spdc(batch_size=4, step=0.02)"


@each_of(
    "wrong",
    [{"step": 0.0}, {"dual_step": np.inf}, {"delta": "fast"}, {"delta": -1.0}, {"theta": 1.1}, {"batch_size": 0}],
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match=f"spdc's {next(iter(wrong))} must be"):
        SPDC(**wrong)
