"""Limits in which one method's bound becomes another's: each taken by sympy, none typed.

>>> from cdlab import theory
>>> print(theory.limits()[0])
spdc with one batch of all examples is the accelerated gradient method: m -> n gives sqrt(kappa) + 1
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import sympy as sp

from .crossovers import largest_terms, passes_without_logarithm
from .evaluate import in_kappa, in_words
from .lookup import bound
from .parallel import parallel_time
from .symbols import F, L, R, d, eps, gamma, kappa, l2, m, n, nodes, to_latex

COLUMN, ROW, CORNER = sp.symbols("b c a", positive=True)  # of the arrow matrix: first column, first row, their corner


class Limit(NamedTuple):
    """``expr`` tends to ``value`` as ``symbol`` tends to ``to``, where the relation ``where`` holds.

    Attributes
    ----------
    name : str
        The limit in words.
    expr, value : sympy expression
        The bound, and its limit.
    symbol, to : sympy symbol and expression
        The symbol that moves, and its end.
    where : sympy relation
        The condition; true if there is none.
    """

    name: str
    expr: sp.Expr
    symbol: sp.Symbol
    to: sp.Expr
    value: sp.Expr
    where: sp.Basic = sp.true

    def __str__(self) -> str:
        where = "" if self.where == sp.true else f" where {in_words(self.where)}"
        return f"{self.name}: {self.symbol} -> {self.to} gives {self.value}{where}"

    def latex(self) -> str:
        """LaTeX of "lim expr = value", with the condition."""
        of, symbol, to = (to_latex(part) for part in (self.expr, self.symbol, self.to))
        where = "" if self.where == sp.true else rf"\quad \text{{where}}\ {to_latex(self.where)}"
        return rf"\lim_{{{symbol} \to {to}}} \left({of}\right) = {to_latex(self.value)}{where}"


@cache
def limits() -> tuple[Limit, ...]:
    """The special cases that tie the methods together: one bound turns into another where a symbol goes to its end.

    Returns
    -------
    tuple of Limit
        Each with ``name`` (the limit in words), ``expr``, ``symbol``, ``to`` and ``value`` as sympy objects, and
        ``latex()``. They are statements about the bounds: l2 -> 0 or m -> n in the formula, not on data.

    Examples
    --------
    >>> from cdlab import theory
    >>> for limit in theory.limits()[-2:]:
    ...     print(limit)
    a heavy first column of the arrow matrix: the primal's worst case: b -> oo gives n
    a heavy first row of the arrow matrix: the dual's worst case: c -> oo gives 1/d
    """
    spdc, sdca = (bound(method, "K").expr for method in ("spdc", "sdca"))
    asdca = in_kappa(bound("asdca", "K").expr)  # beyond kappa = n^2 it is slower than the accelerated gradient method
    smoothed = eps / L**2  # delta-smoothing an L-Lipschitz loss changes it by at most delta L^2/2
    C_P, C_D = arrow_constants()
    return (
        _limit(
            "spdc with one batch of all examples is the accelerated gradient method",
            in_kappa(passes_without_logarithm(bound("spdc"))),
            m,
            n,
        ),
        _limit(
            "asdca with batches of one is sdca, up to a factor 4", without_small_terms(asdca, sp.S.One), m, sp.S.One
        ),
        Limit(
            "asdca with one batch of all examples is the accelerated gradient method, up to a factor 4",
            asdca,
            m,
            n,
            without_small_terms(asdca, n, most=sp.S(2)).subs(m, n),
            sp.Le(kappa, n**2),
        ),
        _limit("l2 times sdca's iterations stays finite without l2", l2 * sdca, l2, sp.S.Zero),
        _limit(
            "sdca on a loss smoothed by eps/L^2: iterations of order 1/eps, as for Lipschitz losses",
            eps * sdca.subs(gamma, smoothed),
            eps,
            sp.S.Zero,
        ),
        _limit(
            "spdc on a loss smoothed by eps/L^2: iterations of order 1/sqrt(eps)",
            sp.sqrt(eps) * spdc.subs(gamma, smoothed),
            eps,
            sp.S.Zero,
        ),
        _limit(
            "rows of equal norm make importance sampling uniform", bound("quartz", "K", "importance").expr, F, n * R**2
        ),
        _limit("on one node sdca's time is its arithmetic", parallel_time("sdca", "features").expr, nodes, sp.S.One),
        _limit("on one node spdc's time is its arithmetic", parallel_time("spdc", "examples").expr, nodes, sp.S.One),
        _limit("a heavy first column of the arrow matrix: the primal's worst case", C_P / C_D, COLUMN, sp.oo),
        _limit("a heavy first row of the arrow matrix: the dual's worst case", C_P / C_D, ROW, sp.oo),
    )


def _limit(name: str, expr: sp.Expr, symbol: sp.Symbol, to: sp.Expr) -> Limit:
    """The limit from above, every symbol positive."""
    positive = {s: sp.Symbol(s.name, positive=True) for s in expr.free_symbols | to.free_symbols}
    back = {new: old for old, new in positive.items()}
    inner, end = expr.subs(positive), to.subs(positive)
    # the expressions are continuous at positive points
    value = (
        inner.subs(positive[symbol], end)
        if end.is_positive and end.is_finite is not False and end != sp.oo
        else (sp.limit(inner, positive[symbol], end, "-" if end == sp.oo else "+"))
    )
    return Limit(name, inner.subs(back), symbol, to, sp.simplify(value).subs(back))


def arrow_constants(a: sp.Expr = CORNER, b: sp.Expr = COLUMN, c: sp.Expr = ROW) -> tuple[sp.Expr, sp.Expr]:
    """C_P and C_D of `cdlab.datasets.arrow`: a in the corner, b down the first column of n, c along the first row of d.

    Both ends of the face-off's Theorem 3 are limits of their ratio.
    """
    C_P = n * (a**2 + (n - 1) * b**2) + (d - 1) * c**2
    C_D = d * (a**2 + (d - 1) * c**2) + (n - 1) * b**2
    return C_P, C_D


def without_small_terms(K: sp.Expr, batch: sp.Expr, most: sp.Expr = sp.oo) -> sp.Expr:
    """asdca's maximum without the terms that, with batches of this size, are never the largest for kappa <= n^most."""
    factor, maximum = K.as_independent(sp.Max, as_Add=False)
    at_batch = {term: term.subs(m, batch) for term in maximum.args}
    kept = largest_terms(at_batch.values(), n, kappa, -sp.oo, most)
    return factor * sp.Max(*(term for term, there in at_batch.items() if there in kept))
