"""The best proximal weight and the best perturbation against a search over all others."""

import numpy as np
import pytest
import sympy as sp
from cases import pushed

from cdlab.theory import prox_weight
from cdlab.theory import symbols as S

lam, mu = S.prox_weight, S.mu
PAIRS = [(m, i) for m in prox_weight.STAGE_COUNTS for i in prox_weight.INNER_METHODS if (m, i) != ("dual_appa", "svrg")]


@pytest.mark.parametrize(("method", "inner"), pushed(PAIRS, *PAIRS[:2]))
def test_no_other_weight_has_a_smaller_total(method, inner):
    found = prox_weight.optimal_prox_weight(method, inner)
    arguments = (S.R, S.gamma, S.n, mu, S.l2)
    total, best, least = (sp.lambdify((lam, *arguments), e) for e in (found.total, found.best, found.least))
    rng = np.random.default_rng(0)
    for _ in range(60):
        b, l2 = 10 ** rng.uniform(-2, 6), rng.choice([0.0, rng.random(), 1.0])
        at = (np.sqrt(b), 1.0, 1.0, 1.0, l2)
        smallest = max(float(least(0.0, *at)), 1e-12)
        weights = smallest + np.geomspace(1e-9, 1e8, 4001)
        assert total(max(float(best(0.0, *at)), smallest), *at) <= total(weights, *at).min() * (1 + 1e-9)


def test_the_best_weights_that_have_a_name():
    b = S.R**2 / (S.gamma * S.n)
    numbers = {S.l2: 0, S.gamma: 2.0, S.n: 50, mu: 1e-6, S.R: 3.0}
    named = (("appa", "sdca"), ("appa", "svrg"), ("dual_appa", "apcg"), ("acc_appa", "sdca"))
    best = {pair: float(prox_weight.optimal_prox_weight(*pair).best.subs(numbers)) for pair in named}
    flat = float(b.subs(numbers))
    assert best["appa", "sdca"] == pytest.approx(np.sqrt(1e-6 * flat))  # sqrt(mu b)
    assert best["dual_appa", "apcg"] == pytest.approx(1e-6, rel=1e-3)  # almost mu, as in the corrected Corollary 2.11
    assert best["acc_appa", "sdca"] == pytest.approx(flat, rel=1e-4)  # almost that of Corollary 2.7
    assert best["appa", "svrg"] == 0  # SVRG alone: its total never gains from the weight
    assert prox_weight.optimal_prox_weight("acc_appa", "apcg").best.subs(numbers | {S.l2: mu}).subs(mu, 1e-6) == 2e-6


@pytest.mark.parametrize(("power", "start"), [(1, 1.0), (1, 50.0), (sp.Rational(1, 2), 1.0), (sp.Rational(1, 2), 50.0)])
def test_no_other_share_of_eps_takes_fewer_iterations(power, start):
    found = prox_weight.optimal_delta(power)
    numbers = {S.P0: start, S.eps: 1e-5, S.w2: 3.0}
    share = float(found.share.subs(numbers))
    shares = np.linspace(1e-3, 1 - 1e-6, 20001)
    count = [u ** -float(power) * np.log(start / (1e-5 * (1 - u))) for u in (share, shares)]
    assert count[0] <= count[1].min() * (1 + 1e-9)
    assert float(found.best.subs(numbers)) == pytest.approx(share * 1e-5 / 1.5)
    u = sp.Symbol("u", positive=True)
    left, right = (float(side.subs(numbers).subs(u, share)) for side in found.condition.args)
    assert left == pytest.approx(right, rel=1e-9)


def test_questions_about_weights_that_have_no_answer():
    with pytest.raises(ValueError, match="'sdca' has no proximal weight to choose"):
        prox_weight.optimal_prox_weight("sdca")
    with pytest.raises(ValueError, match="dual_appa cannot use 'svrg' inside"):
        prox_weight.optimal_prox_weight("dual_appa", "svrg")
