"""Proximal-point methods: how much a stage gains, the inner accuracy that this takes, and what a certified stage costs.

A stage runs the inner method on f(w) = P(w) + (prox_weight/2)||w - centre||^2. What it leaves of P - P* is Frostig, Ge,
Kakade & Sidford 2015, Un-regularizing, Lemmas 3.1 and 3.2; accelerated, their Algorithm 2, `accelerated_stage`.

A certified stage tests f's duality gap, half a pass (X w) each time, after 1 epoch (n updates), then e + 1 + floor(e/4)
epochs when the last test was after e. It ends at the first test that finds the gap at most its target.
"""

from __future__ import annotations

from itertools import accumulate, repeat

import sympy as sp

from ..symbols import C_in, accuracy, l2, mu, n, nnz, prox_weight
from . import counts

# ------------------------------------------------------------ stages
RHO = sp.expand((mu + 2 * prox_weight) / mu)
EXACT_FACTOR = prox_weight / (mu + prox_weight)  # by which a stage shrinks P - P*, Lemma 3.1
EXACT_K = sp.simplify(1 / (1 - EXACT_FACTOR))
INEXACT_FACTOR = EXACT_FACTOR + 1 / accuracy  # Lemma 3.2: f(x) - f* <= (f(s) - f*)/c, and f(s) - f* <= P(s) - P*
ORACLE_ACCURACY = 2 * (mu + prox_weight) / mu  # c: half of what an exact step gains
APPA_K = sp.simplify(1 / (1 - INEXACT_FACTOR.subs(accuracy, ORACLE_ACCURACY)))
ACC_EXACT_K = sp.sqrt(RHO)
# (1 + rho) e <= share (P(x) - P(x') + (lambda/2)(t^2 - s^2)) in `accelerated_stage`: for share <= r the t^2 is
# absorbed, and V + share (P(x) - P*) contracts by (1 - r + share)/(1 + share). At share = r that is 1 - r/(1 + r).
ACC_ORACLE_ACCURACY = (1 + RHO) * sp.sqrt(RHO)  # (1 + rho)/r
ACC_K = 1 + sp.sqrt(RHO)


def accelerated_stage() -> sp.Expr:
    """What V' - (1 - r) V is at most, of V = P(x) - P* + (mu/4)||v - x*||^2 before and after an accelerated stage.

    rho = 1/r^2 = 1 + 2 lambda/mu. The stage's centre is y = (x + r v)/(1 + r) and its end x', with f(x') - f* = e; s =
    ||x' - y|| and t = ||x - y||. f is (lambda + mu)-strongly convex and 2 e >= (lambda + mu)||x' - x+||^2, x+ its
    minimiser, so ||z - x+||^2 >= (1 - mu/(2 (lambda + mu)))||z - x'||^2 - 2 rho e/(lambda + mu) bounds P from below at
    any z; what follows adds that up with 1 - r at z = x, and r at z = x*. It is about quadratic forms in vectors, which
    agree if they do in numbers; x* = 0.

    >>> accelerated_stage()
    e + e/r**2 - prox_weight*r*t**2/2 - prox_weight*s**2/2
    """
    y, s, t, e, r = sp.symbols("y s t e r", positive=True)
    mu = 2 * prox_weight / (1 / r**2 - 1)
    x, v, new, zeta = y + t, y - t / r, y + s, 2 / mu + 1 / prox_weight
    moved = (1 - r) * v + r * (y - zeta * prox_weight * (y - new))

    def lower(z: sp.Expr) -> sp.Expr:  # P(z) - P(x') is at least
        quadratics = (prox_weight + mu / 2) * (z - new) ** 2 - prox_weight * (z - y) ** 2
        return (prox_weight * (new - y) ** 2 + quadratics) / 2 - (1 + 1 / r**2) * e

    return sp.expand(sp.simplify(-(1 - r) * lower(x) - r * lower(sp.S.Zero) + mu / 4 * (moved**2 - (1 - r) * v**2)))


# ------------------------------------------------------------ the cost of a certified stage
EPOCHS_OF_EARLY_TESTS = 12  # from here on tests are at least 4 epochs apart


def inner_descent(sampling: str = "uniform") -> counts.RateAndCost:
    """SDCA on the inner problem, in which the proximal term joins l2.

    >>> inner_descent().K
    R**2/(gamma*(l2 + prox_weight)) + n
    """
    K, W, _ = counts.coordinate_descent(counts.DUAL, sampling)
    return counts.RateAndCost(*(part.subs(l2, l2 + prox_weight) for part in (K, W)))


def most_tests() -> sp.Expr:
    """The largest of (tests made within e epochs) - e/4. From epoch 12 on a test adds 1 and at least 4/4: it is early.

    >>> most_tests()
    9/2
    """
    tested = list(accumulate(repeat(None, EPOCHS_OF_EARLY_TESTS), lambda e, _: e + 1 + e // 4, initial=1))
    first_late = next(e for e in tested if e >= EPOCHS_OF_EARLY_TESTS)
    early = [*(e for e in tested if e < EPOCHS_OF_EARLY_TESTS), first_late]
    return max(count - sp.Rational(e, 4) for count, e in enumerate(early, start=1))


def expected_epochs(ratio: sp.Expr) -> sp.Expr:
    """Expected epochs until SDCA's dual error, ``ratio`` times the target at first, has brought the gap to the target.

    E[gap] <= C (1 - 1/C)^(n x) E_0 after x epochs, C = C_in. So by Markov's inequality a test after x or more epochs
    fails with probability at most exp(-(n/C)(x - x*)), x* = (C/n) ln(C ratio). The integral over x of the smaller of
    that and 1 is x* + C/n.

    >>> from cdlab.theory.symbols import accuracy
    >>> expected_epochs(accuracy)
    C_in*(log(C_in*accuracy) + 1)/n
    """
    x = sp.Symbol("x", positive=True)
    failing = sp.integrate(sp.exp(-n / C_in * x), (x, 0, sp.oo))
    return sp.collect(C_in / n * sp.log(C_in * ratio) + failing, C_in / n)


def expected_visits(ratio: sp.Expr, sampling: str = "uniform", opening: sp.Expr = sp.S.Zero) -> sp.Expr:
    """Expected nonzeros that a stage visits: its epochs, its tests, and the passes (`opening`) that starting it takes.

    The first test after x or more epochs is after 1 + 5x/4 at most, at most 9/2 + x/4 tests (`most_tests`) before it.

    >>> from cdlab.theory.symbols import accuracy
    >>> expected_visits(accuracy)
    nnz*(11*C_in*(log(C_in*accuracy) + 1)/n + 30)/8
    """
    (K, W, _), x = inner_descent(sampling), sp.Symbol("x", positive=True)
    epoch = n * (counts.shortest(K * W) / C_in if W.has(prox_weight) else W)  # n updates; K is C_in
    tests = most_tests() + x / 4 + 1
    steady = sp.factor_terms(sp.collect(sp.expand((opening + tests / 2) * nnz), x) + epoch * (1 + 5 * x / 4))
    return (sp.factor(steady) if epoch == nnz else steady).subs(x, expected_epochs(ratio))
