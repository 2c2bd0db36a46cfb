"""Importance sampling minimises the bound on iterations and on total work at once (Csiba & Richtarik 2016, Theorem 2).

For s_j > 0 and costs c_j >= 0, over all probabilities p: min K(p) W(p) = sum_j s_j c_j with K = max_j s_j/p_j and
W = sum_j p_j c_j, attained at p_j proportional to s_j. (The factor 1/(l2 n) of the bounds is left out.)
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp


class Piece(NamedTuple):
    """The excess K W - sum s c on the probabilities for which the maximum in K is at one coordinate.

    Attributes
    ----------
    largest : int
        That coordinate, counted from 1.
    region : sympy relation
        The probabilities for which the maximum is there.
    excess : sympy expression
        K W - sum_j s_j c_j on the region, simplified.
    nonnegative : sympy expression
        The same as a sum of terms that are >= 0 on the region.
    slope : sympy expression
        Derivative of the excess at p ~ s in direction h.
    """

    largest: int
    region: sp.Basic
    excess: sp.Expr
    nonnegative: sp.Expr
    slope: sp.Expr


class Theorem2(NamedTuple):
    """Theorem 2 of Csiba & Richtarik (2016) on m coordinates.

    Attributes
    ----------
    pieces : tuple of Piece
        The excess over the minimum, one piece for each coordinate.
    minimiser : dict of symbol to expression
        The probabilities p ~ s.
    minimum : sympy expression
        The least K W, sum_j s_j c_j.
    """

    pieces: tuple[Piece, ...]
    minimiser: dict[sp.Symbol, sp.Expr]
    minimum: sp.Expr


def theorem2_small(m: int = 2) -> Theorem2:
    """Theorem 2 of Csiba & Richtarik (2016), derived by sympy for m coordinates.

    On the piece of probability space where s_k/p_k is the largest ratio, the excess K W - sum_j s_j c_j equals
    sum_j c_j p_j (s_k/p_k - s_j/p_j), every term of which is >= 0 there; it vanishes at p ~ s, where all pieces meet.
    The slope of piece k there in a direction h (sum h = 0) is (sum s) sum_j c_j s_j (h_j/s_j - h_k/s_k); the steepest
    piece, that with the least h_k/s_k, has a slope >= 0: p ~ s is stationary in the sense of a kink.

    Parameters
    ----------
    m : int, default 2
        Number of coordinates, at least 2.

    Raises
    ------
    ValueError
        If m < 2, or if sympy does not confirm an identity.

    Examples
    --------
    >>> for piece in theorem2_small().pieces:
    ...     print(piece.region, "->", piece.nonnegative)
    s1/p1 >= s2/p2 -> c2*p2*(-s2/p2 + s1/p1)
    s2/p2 >= s1/p1 -> c1*p1*(s2/p2 - s1/p1)
    """
    if m < 2:
        raise ValueError(f"theorem2_small(m={m}) needs m >= 2: with one coordinate there is nothing to choose")
    s, c, p, h = (sp.symbols(f"{name}1:{m + 1}", positive=name != "h", real=True) for name in "scph")
    at_importance = {p[j]: s[j] / sum(s) for j in range(m)}
    minimum = sum(s[j] * c[j] for j in range(m))
    W = sum(p[j] * c[j] for j in range(m))
    pieces = []
    for k in range(m):
        others = [j for j in range(m) if j != k]
        excess = s[k] / p[k] * W - minimum
        nonnegative = sum(c[j] * p[j] * (s[k] / p[k] - s[j] / p[j]) for j in others)
        slope = sum(sp.diff(excess, p[j]) * h[j] for j in range(m)).subs(at_importance)
        steepest = sum(s) * sum(c[j] * s[j] * (h[j] / s[j] - h[k] / s[k]) for j in others)
        vanishing = (excess - nonnegative, excess.subs(at_importance), slope - steepest)
        if any(sp.simplify(expr) != 0 for expr in vanishing):
            raise ValueError(f"sympy {sp.__version__} does not confirm Theorem 2 on piece {k + 1} of {m}")
        region = sp.And(*(sp.Ge(s[k] / p[k], s[j] / p[j], evaluate=False) for j in others))
        pieces.append(Piece(k + 1, region, sp.expand(excess), nonnegative, steepest))
    return Theorem2(tuple(pieces), at_importance, minimum)


def theorem2_proof() -> tuple[tuple[sp.Basic, str], ...]:
    """The proof of Theorem 2 for any number of coordinates: the steps, each a pair (sympy relation, reason).

    >>> for relation, why in theorem2_proof():
    ...     print(why)
    M is the largest ratio
    multiply by p_j/M > 0
    multiply by c_j >= 0 and add up
    multiply by M: K W is at least sum s c, with equality iff p_j = s_j/M wherever c_j > 0
    """
    j, m = sp.Symbol("j", integer=True), sp.Symbol("m", integer=True, positive=True)
    M = sp.Symbol("M", positive=True)
    s, c, p = (sp.IndexedBase(name, nonnegative=True) for name in "scp")

    def over(expr: sp.Expr) -> sp.Expr:
        return sp.Sum(expr, (j, 1, m))

    return (
        (sp.Ge(M, s[j] / p[j]), "M is the largest ratio"),
        (sp.Ge(p[j], s[j] / M), "multiply by p_j/M > 0"),
        (sp.Ge(over(p[j] * c[j]), over(s[j] * c[j]) / M), "multiply by c_j >= 0 and add up"),
        (
            sp.Ge(M * over(p[j] * c[j]), over(s[j] * c[j])),
            "multiply by M: K W is at least sum s c, with equality iff p_j = s_j/M wherever c_j > 0",
        ),
    )
