"""The cost of a certified stage of a proximal-point method: its inner method's theorem, and the tests of the gap.

A stage runs the inner method on P(w) + (prox_weight/2)||w - centre||^2 and tests that problem's duality gap, half a
pass (X w) each time, after 1 epoch (n updates), then e + 1 + floor(e/4) epochs when the last test was after e. It ends
at the first test that finds the gap at most its target.
"""

from __future__ import annotations

from itertools import accumulate, repeat

import sympy as sp

from ..symbols import C_in, l2, n, nnz, prox_weight
from . import counts

FEW = 12  # from so many epochs on tests are at least 4 epochs apart


def inner(sampling: str = "uniform") -> counts.Contraction:
    """SDCA on the inner problem, in which the proximal term joins l2.

    >>> inner().K
    R**2/(gamma*(l2 + prox_weight)) + n
    """
    K, W, _ = counts.contraction(counts.DUAL, sampling)
    return counts.Contraction(*(part.subs(l2, l2 + prox_weight) for part in (K, W)))


def most_tests() -> sp.Expr:
    """The largest of (tests made within e epochs) - e/4. From epoch 12 on a test adds 1 and at least 4/4: it is early.

    >>> most_tests()
    9/2
    """
    tested = list(accumulate(repeat(None, FEW), lambda e, _: e + 1 + e // 4, initial=1))
    early = [e for e in tested if e < FEW] + [next(e for e in tested if e >= FEW)]
    return max(count - sp.Rational(e, 4) for count, e in enumerate(early, start=1))


def needed(ratio: sp.Expr) -> sp.Expr:
    """Expected epochs until SDCA's dual error, ``ratio`` times the target at first, has brought the gap to the target.

    E[gap] <= C (1 - 1/C)^(n x) E_0 after x epochs, C = C_in. So by Markov's inequality a test after x or more epochs
    fails with probability at most exp(-(n/C)(x - x*)), x* = (C/n) ln(C ratio). The integral over x of the smaller of
    that and 1 is x* + C/n.

    >>> from cdlab.theory.symbols import accuracy
    >>> needed(accuracy)
    C_in*(log(C_in*accuracy) + 1)/n
    """
    x = sp.Symbol("x", positive=True)
    perhaps = sp.integrate(sp.exp(-n / C_in * x), (x, 0, sp.oo))
    return sp.collect(C_in / n * sp.log(C_in * ratio) + perhaps, C_in / n)


def cost(ratio: sp.Expr, sampling: str = "uniform", opening: sp.Expr = sp.S.Zero) -> sp.Expr:
    """Expected nonzeros that a stage visits: its epochs, its tests, and the passes (`opening`) that starting it takes.

    The first test after x or more epochs is after 1 + 5x/4 at most, at most 9/2 + x/4 tests (`most_tests`) before it.

    >>> from cdlab.theory.symbols import accuracy
    >>> cost(accuracy)
    nnz*(11*C_in*(log(C_in*accuracy) + 1)/n + 30)/8
    """
    (K, W, _), x = inner(sampling), sp.Symbol("x", positive=True)
    an_epoch = n * (counts.neat(K * W) / C_in if W.has(prox_weight) else W)  # n updates; K is C_in
    tests = most_tests() + x / 4 + 1
    steady = sp.factor_terms(sp.collect(sp.expand((opening + tests / 2) * nnz), x) + an_epoch * (1 + 5 * x / 4))
    return (sp.factor(steady) if an_epoch == nnz else steady).subs(x, needed(ratio))
