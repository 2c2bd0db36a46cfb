"""Crossings of two methods' bounds, and which is smaller on either side.

The comparison is of the work without the logarithm of the accuracy, K W/nnz passes; a theorem that is not a contraction
is compared by its whole count.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..numerics import checks
from .bound import Bound
from .evaluate import check_values, compile_formula, in_kappa
from .lookup import bound
from .symbols import SYMBOLS, nnz, to_latex

RANDOM_SETTINGS = 200  # random settings of the other symbols at which an ordering must agree
SEARCH_FACTOR = 1e12  # brackets of numerical searches reach this factor to both sides


class Region(NamedTuple):
    """A range of the symbol in which one of two bounds is the smaller.

    Attributes
    ----------
    where : sympy relation
        The range.
    winner : str or None
        The method with the smaller bound there; None if both are equal.
    """

    where: sp.Basic
    winner: str | None


class Crossover(NamedTuple):
    """Two bounds as functions of one symbol.

    Attributes
    ----------
    symbol : sympy symbol
        The one that varies.
    first, second : sympy expression
        The passes of both bounds, without the logarithm.
    points : tuple of sympy expression
        The positive values of the symbol at which they are equal, in increasing order.
    regions : tuple of Region
        The ranges between the points.
    """

    symbol: sp.Symbol
    first: sp.Expr
    second: sp.Expr
    points: tuple[sp.Expr, ...]
    regions: tuple[Region, ...]

    def latex(self) -> list[str]:
        """LaTeX of each region: its range and the winner."""
        return [to_latex(region.where) + rf":\ \text{{{region.winner or 'equal'}}}" for region in self.regions]


def passes_without_logarithm(b: Bound) -> sp.Expr:
    """K W/nnz of a bound; of one that is not a contraction, its whole count in passes."""
    return b.per("passes").expr if b.K is None else sp.expand(b.per("T").expr / nnz)


def crossover(first: Bound | str, second: Bound | str, symbol: str = "kappa") -> Crossover:
    """Solve first = second for a symbol and say which bound is smaller between the solutions.

    Parameters
    ----------
    first, second : Bound or str
        A method's name stands for its main bound, ``bound(name)``.
    symbol : str, default "kappa"
        A keyword of `Bound.at`; "kappa" stands for R^2/(l2 gamma).

    Returns
    -------
    Crossover

    Raises
    ------
    ValueError
        For an unknown symbol; if sympy finds no closed form, or the ordering depends on the other symbols (use
        `crossing` with numbers).
    TypeError
        If `first` or `second` is neither a bound nor a name.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.crossover("spdc", "sdca").points
    (m*n,)
    """
    first, second = _bound_of(first), _bound_of(second)
    a, b = _works(first, second, symbol)
    x = SYMBOLS[symbol]
    root = sp.Symbol("root", positive=True)  # sqrt of the symbol: bounds are made of square roots
    others = {s: sp.Symbol(s.name, positive=True) for s in (a - b).free_symbols - {x}}
    difference = sp.together((a - b).subs(others).subs(x, root**2))
    try:
        roots = sp.solve(sp.fraction(difference)[0], root)
    except NotImplementedError:
        roots = None
    if roots is None:
        raise ValueError(f"sympy cannot solve {a} = {b} for {symbol}: use crossing(...) with numbers")
    back = {new: old for old, new in others.items()}
    squares = [sp.factor(sp.simplify(r**2)).subs(back) for r in roots if r.is_positive is not False]
    points, regions = _order_regions(first.method, second.method, a, b, x, list(dict.fromkeys(squares)))
    return Crossover(x, a, b, points, regions)


def _bound_of(method: Bound | str) -> Bound:
    if not isinstance(method, Bound | str):
        raise TypeError(f"a bound or the name of a method can be compared, not {checks.short_repr(method)}")
    return bound(method) if isinstance(method, str) else method


def _works(first: Bound, second: Bound, symbol: str) -> tuple[sp.Expr, sp.Expr]:
    if symbol not in SYMBOLS:
        raise ValueError(f"unknown symbol {checks.short_repr(symbol)}: it must be one of {', '.join(SYMBOLS)}")
    a, b = passes_without_logarithm(first), passes_without_logarithm(second)
    return (in_kappa(a), in_kappa(b)) if symbol == "kappa" else (a, b)


def _order_regions(
    first: str, second: str, a: sp.Expr, b: sp.Expr, x: sp.Symbol, candidates: list[sp.Expr]
) -> tuple[tuple[sp.Expr, ...], tuple[Region, ...]]:
    """Sort the solutions and decide each range, at many random settings of the other symbols that must agree."""
    others = sorted((a - b).free_symbols - {x}, key=str)
    work_a, work_b, difference = (sp.lambdify((x, *others), expr, "numpy") for expr in (a, b, a - b))
    solve = sp.lambdify(others, candidates, "numpy")
    settings = np.ceil(10 ** np.random.default_rng(0).uniform(0, 4, (RANDOM_SETTINGS, len(others))))
    seen = set()
    for setting in settings:
        values = [complex(value) for value in solve(*setting.astype(complex))]
        real = [(v.real, k) for k, v in enumerate(values) if abs(v.imag) < 1e-9 * abs(v) and v.real > 0]
        # squaring roots away may add solutions of another equation
        real = sorted((v, k) for v, k in real if np.isclose(work_a(v, *setting), work_b(v, *setting), rtol=1e-9))
        edges = [v for v, _ in real]
        inside = [
            edges[0] / 2 if edges else 1.0,
            *(np.sqrt(p * q) for p, q in pairwise(edges)),
            *([edges[-1] * 2] if edges else []),
        ]
        signs = tuple(int(np.sign(difference(v, *setting))) for v in inside)
        seen.add((tuple(k for _, k in real), signs))
    if len(seen) != 1:
        raise ValueError(
            f"which of {first} and {second} has the smaller bound depends on more than {x}: "
            "use crossing(...) with numbers"
        )
    order, signs = seen.pop()
    points = tuple(candidates[k] for k in order)
    ends: list[sp.Expr | None] = [None, *points, None]
    regions = []
    for (low, high), sign in zip(pairwise(ends), signs, strict=True):
        where = sp.And(*([x > low] if low is not None else []), *([x < high] if high is not None else []))
        regions.append(Region(where, {-1: first, 1: second, 0: None}[sign]))
    return points, tuple(regions)


def crossing(first: Bound | str, second: Bound | str, symbol: str, **values: Any) -> tuple[float, ...]:
    """The values of a symbol at which two bounds are equal, other keywords given as numbers.

    Found by a sign change between neighbours of a fine logarithmic grid around 1, then by Brent's method.

    Parameters
    ----------
    first, second : Bound or str
        A method's name stands for its main bound, ``bound(name)``. Their work without the logarithm is compared.
    symbol : str
        A keyword of `Bound.at`, whose value is sought from 1e-12 to 1e12; "kappa" stands for R^2/(l2 gamma).
    **values : float
        The other symbols of the two bounds, as in `Bound.at`: n, m (batch size), ...

    Returns
    -------
    tuple of float
        In increasing order; empty if one bound is the smaller everywhere.

    Raises
    ------
    ValueError
        For an unknown symbol, a missing value, or one that is not a single number.
    TypeError
        If `first` or `second` is neither a bound nor a name.

    Examples
    --------
    >>> from cdlab import theory
    >>> [round(kappa, 6) for kappa in theory.crossing("spdc", "sdca", "kappa", n=1000, m=8)]
    [8000.0]
    """
    from scipy.optimize import brentq

    a, b = _works(_bound_of(first), _bound_of(second), symbol)
    difference = a - b
    names, function = compile_formula(difference)
    known = check_values(values)
    arrays = [name for name, value in known.items() if value.ndim]
    if arrays:
        raise ValueError(f"{arrays[0]} must be one number: a crossing is sought for one setting at a time")
    missing = [name for name in names if name not in known and name != symbol]
    if missing:
        raise ValueError(f"crossing needs {', '.join(missing)}: pass {'=..., '.join(missing)}=...")

    def at(x: float) -> float:
        return float(function(*(x if name == symbol else known[name] for name in names)))

    grid = np.geomspace(1 / SEARCH_FACTOR, SEARCH_FACTOR, 2401)
    heights = np.array([at(x) for x in grid])
    change = np.flatnonzero(np.sign(heights[:-1]) * np.sign(heights[1:]) < 0)
    exactly = grid[heights == 0]
    return tuple(sorted([*exactly, *(float(brentq(at, grid[k], grid[k + 1])) for k in change)]))


# ------------------------------------------------------------ up to constants
def largest_terms(
    terms: Iterable[sp.Expr], base: sp.Symbol, x: sp.Symbol, low: sp.Expr, high: sp.Expr
) -> list[sp.Expr]:
    """Return the terms base^a x^b that are the largest somewhere for base^low <= x <= base^high, base > 1.

    Where x = base^s a term is base^(a + b s). Of these lines in s, those that are the highest between two crossings.

    >>> from cdlab.theory.symbols import kappa, n
    >>> largest_terms([n, kappa, sp.sqrt(n * kappa)], n, kappa, -sp.oo, sp.oo)
    [n, kappa]
    """
    N, X, s = sp.Symbol("N", positive=True), sp.Symbol("X", positive=True), sp.Symbol("s", real=True)
    lines = {}
    for term in dict.fromkeys(terms):
        alone = term.subs({base: N, x: X})
        a, b = (sp.simplify(symbol * sp.diff(alone, symbol) / alone) for symbol in (N, X))
        lines[term] = a + b * s
    crossings = {root for pair in combinations(lines.values(), 2) for root in sp.solve(sp.Eq(*pair), s)}
    inside = sorted(root for root in crossings if low < root < high)
    first = max(low, (inside or [sp.S.Zero])[0] - 1)
    last = min(high, (inside or [sp.S.Zero])[-1] + 1)
    kept = set()
    for left, right in pairwise([first, *inside, last]):
        heights = {term: line.subs(s, (left + right) / 2) for term, line in lines.items()}
        kept |= {term for term, height in heights.items() if height == max(heights.values())}
    return [term for term in lines if term in kept]
