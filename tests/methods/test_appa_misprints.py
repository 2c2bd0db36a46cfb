"""What is printed wrong about the APPA family: where the oracle is called, and which weights it wants."""

import numpy as np
import pytest
from appa_stages import ends_of_stages, least_squares, prox_point

import cdlab
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.apcg import APCG
from cdlab.methods.dual_appa import DualAPPA


@pytest.mark.parametrize("ratio", [10, 100])
def test_accelerated_appa_must_call_its_oracle_at_y(ratio):
    """Algorithm 2 prints x <- P(x). Then x never sees y or v: it is plain APPA, without acceleration."""
    P, mu, best = least_squares(condition=200)
    lam, stages = ratio * mu, 60
    rho, zeta = (mu + 2 * lam) / mu, 2 / mu + 1 / lam
    r = rho**-0.5

    def loop(oracle_at):
        x, v, out = np.zeros(P.d), np.zeros(P.d), []
        for _ in range(stages):
            y = (x + r * v) / (1 + r)
            x = prox_point(P, lam, {"x": x, "y": y}[oracle_at])
            v = (1 - r) * v + r * (y - zeta * lam * (y - x))
            out.append(x)
        return np.array(out)

    plain, x = [], np.zeros(P.d)
    for _ in range(stages):
        x = prox_point(P, lam, x)
        plain.append(x)
    printed, corrected = loop("x"), loop("y")
    np.testing.assert_allclose(printed, plain, atol=1e-13)

    ours = ends_of_stages(P, AccAPPA(prox_weight=lam, mu=mu, accuracy=1e12), stages)
    np.testing.assert_allclose(ours, corrected, atol=1e-5)
    error = [P.primal(x[-1]) - P.primal(best) for x in (printed, ours)]
    assert error[1] < 0.01 * error[0]
    assert error[0] > 1e-9


def test_an_accelerated_inner_method_wants_the_weight_mu():
    """Corollary 2.11 prints lambda = L R^2, at which about 2 kappa stages are due: with lambda = mu a few do."""
    P, mu, best = least_squares(condition=2000)
    relative = 1e-8 * (P.primal(np.zeros(P.d)) - P.primal(best))
    printed = P.R**2 / P.n  # L R^2, on the scale of the mean loss
    needed = []
    for weight in (mu, printed):
        method = DualAPPA(inner=APCG(), mu=mu, prox_weight=weight)
        s = cdlab.solve(P, method, tol=0, max_passes=10_000, stop=lambda r: r.primal - P.primal(best) <= relative)
        needed.append(s.trace.records[-1].passes)
    assert needed[0] < needed[1] / 5
    assert DualAPPA(inner=APCG(), mu=mu).weight(P) == mu


def test_a_decreasing_weight_needs_a_floor():
    """One epoch a stage, from 300 times the default weight: with the floor it arrives; without it the weight collapses
    and an epoch no longer solves the inner problem; never changed, the weight is too large."""
    P, _, best = least_squares(condition=50)
    start, scale = 300 * P.R**2 / P.n, P.primal(np.zeros(P.d)) - P.primal(best)

    def error(method):
        run = cdlab.iterate(P, method)
        for _ in range(200):
            next(run)
        return (run.trace.records[-1].primal - P.primal(best)) / scale, run._state.weight

    ours, weight = error(DualAPPA(decreasing=True))
    assert ours < 1e-8
    assert weight == pytest.approx(P.R**2 / P.n)
    assert error(DualAPPA(decreasing=True, prox_weight=start, floor=0.0))[0] > 1e-4
    assert error(DualAPPA(prox_weight=start, epochs=1))[0] > 1e-3
