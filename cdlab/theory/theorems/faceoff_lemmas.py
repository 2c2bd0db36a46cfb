"""Csiba & Richtarik 2016, Coordinate descent face-off: the range of C_P and C_D, and which side they favour.

d are features and n examples (the paper's X is the transpose), alpha is nnz, and beta is 1/gamma. Statements about
binary data hold for entries in {-1, 0, 1} without a zero row or column. There C_P = sum r_j^2 over columns and
C_D = sum c_i^2 over rows, with r_j and c_i nonzeros in each: sums of squares of whole numbers with the same sum alpha.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import lemma
from ..symbols import C_D, C_P, F, K, L_f, R_col, T_D_acc, W, d, gamma, l2, n, nnz
from .faceoff import BEST_PROBABILITIES, FACE_OFF, SMOOTH

METHODS = ("faceoff",)

MATRIX = (sp.Ge(nnz, n), sp.Ge(nnz, d), sp.Le(nnz, n * d))  # else there is no such matrix
WIDE = (sp.Ge(d, n),)


# ------------------------------------------------------------ sums of squares
def smallest_sum_of_squares(alpha: sp.Expr, m: sp.Expr) -> sp.Expr:
    """L(alpha, m): the smallest sum of squares of m whole numbers with sum alpha, all k = floor(alpha/m) or k + 1.

    alpha - k m of them are k + 1, so the sum is m k^2 + (alpha - k m)(2 k + 1).

    >>> smallest_sum_of_squares(sp.Integer(17), sp.Integer(5))
    59
    """
    k = sp.floor(alpha / m)
    return alpha * (2 * k + 1) - m * k * (k + 1)


def largest_sum_of_squares(alpha: sp.Expr, m: sp.Expr, top: sp.Expr) -> sp.Expr:
    """U(alpha, m, top): the largest sum of squares of m whole numbers in [1, top] with sum alpha.

    x of them are top, one is y + 1, the others are 1, so the sum is x top^2 + (y + 1)^2 + m - 1 - x.

    >>> largest_sum_of_squares(sp.Integer(17), sp.Integer(5), sp.Integer(4))
    65
    >>> largest_sum_of_squares(sp.Integer(3), sp.Integer(3), sp.Integer(1))
    3
    """
    x = sp.floor((alpha - m) / sp.Max(1, top - 1))  # top = 1: alpha = m, and all are 1
    y = alpha - m - x * (top - 1)
    return x * (top**2 - 1) + (y + 1) ** 2 + m - 1


def threshold_for_d() -> sp.Expr:
    """The number of nonzeros from which C_P <= C_D with d features, n <= d < (n + 1)^2/4.

    (r - 1)(n - r) >= 0 for every column gives C_P <= (n + 1) alpha - n d, and C_D >= alpha^2/n. The difference is not
    negative from its larger root in alpha on (it has none for larger d). And n^2 - 1 always suffices.
    """
    x = sp.Symbol("x", real=True)
    a, b, c = sp.Poly(x**2 / n - ((n + 1) * x - n * d), x).all_coeffs()
    root = (-b + sp.sqrt(sp.factor(b**2 - 4 * a * c))) / (2 * a)
    return sp.Min(n**2 - 1, sp.ceiling(root))


# ------------------------------------------------------------ statements
def faceoff_lemma(theorem: str, value: sp.Expr, target: str, *, where: str | None = None, **data: Any) -> Bound:
    """A lemma of the face-off; `where` is its place in the paper, by default the theorem's name."""
    where = theorem.split(",")[0].capitalize() if where is None else where
    data = {"side": "primal", "assumptions": (), "source": f"{FACE_OFF}, {where}; re-derived"} | data
    return lemma("faceoff", theorem, value=value, target=target, **data)


IMPORTANCE = {side.name: counts.coordinate_descent(side, "importance") for side in (counts.PRIMAL, counts.DUAL)}
T_P, T_D = (counts.shortest(rate.K * rate.W) for rate in IMPORTANCE.values())
BREAK_EVEN = sp.cancel((T_D - T_P) / (T_P - IMPORTANCE["dual"].K))
DENSITY = nnz / (n * d)


def equations(side: counts.Side, number: int, T: sp.Expr, C: sp.Expr) -> tuple[Bound, ...]:
    """Equations (10) to (16) for one side."""
    uniform, name = counts.coordinate_descent(side, "uniform"), side.name
    line = "column" if name == "primal" else "row"
    common: dict[str, Any] = {"side": name, "assumptions": SMOOTH}
    given = common | {"sampling": "given", "definitions": counts.coordinate_descent(side, "given").definitions}
    return (
        faceoff_lemma(
            f"eq. ({number})",
            K * W,
            f"T: nonzeros that {name} coordinate descent visits while its error falls by a factor e",
            where=f"eqs. (10) to ({number})",
            **given,
        ),
        faceoff_lemma(
            f"eq. (14), {name}", IMPORTANCE[name].K, "K, iterations for a factor e: importance sampling", **common
        ),
        faceoff_lemma(
            f"eq. (15), {name}",
            T,
            "T with importance sampling, and no other probabilities have a smaller one",
            where="eq. (15) and Theorem 2, see theory.theorem2_proof",
            **common,
        ),
        faceoff_lemma(
            f"uniform, {name}",
            counts.shortest(uniform.K * uniform.W),
            "T with uniform sampling, never below importance sampling's",
            where="section 5.1",
            **common,
        ),
        faceoff_lemma(
            f"eq. (16), {name}", C, f"sum over {line}s of nonzeros x squared norm, on which T depends", side=name
        ),
    )


STEPS = (
    faceoff_lemma(
        "lemma 7",
        L_f + l2,
        "P(w + h) - P(w) - <grad P(w), h> is at most h'M h/2 with M = X'X/(gamma n) + l2 I, so at "
        "most this times ||h||^2/2",
        assumptions=(gamma > 0,),
    ),
    faceoff_lemma(
        "lemma 8",
        R_col**2 / (gamma * n) + l2,
        "E P(w + h_S) - P(w) - <grad P(w), h>_p is at most "
        "(1/2) sum_j p_j u'_j h_j^2 with u'_j = u_j/(gamma n) + l2; serial, u_j = ||X_:j||^2, no u'_j exceeds this",
        assumptions=(gamma > 0,),
    ),
)
RATIOS = (
    faceoff_lemma("theorem 3", n, "C_P/C_D is at most this"),
    faceoff_lemma("theorem 3, lower", 1 / d, "C_P/C_D is at least this"),
    faceoff_lemma("theorem 3, C_P", n * F, "C_P is at most this, and at least F"),
    faceoff_lemma("theorem 3, C_D", d * F, "C_D is at most this, and at least F", side="dual"),
    faceoff_lemma(
        "ratio",
        T_P / T_D,
        "T_P/T_D with importance sampling: above 1 dual coordinate descent is ahead",
        assumptions=SMOOTH,
        where="eq. (15)",
    ),
    faceoff_lemma(
        "ratio, table 1",
        (nnz + C_P) / (nnz + C_D),
        "T_P/T_D where l2 n gamma = 1, the last column of Table 1",
        where="Table 1",
    ),
    faceoff_lemma(
        "break-even",
        BREAK_EVEN,
        "primal coordinate descent is ahead if a derivative of the loss costs fewer visited nonzeros than this",
        assumptions=(*SMOOTH, sp.Gt(T_P, IMPORTANCE["dual"].K)),
        where="the remark on costs",
    ),
    faceoff_lemma(
        "i.i.d. entries",
        (1 + (n - 1) * DENSITY) / (1 + (d - 1) * DENSITY),
        "E C_P/E C_D of independent, "
        "identically distributed entries that are not 0 with probability nnz/(n d); at most 1 iff n <= d",
        where="section 6.1",
    ),
)
ACCELERATED = (
    faceoff_lemma(
        "best accelerated total, dual",
        T_D_acc,
        f"T = K W, up to W, of acceleration on the dual with the best probabilities, {BEST_PROBABILITIES}",
        side="dual",
        assumptions=SMOOTH,
        where="accelerated totals",
    ),
)
BINARY = tuple(
    faceoff_lemma(theorem, value, f"the {target}; some matrix attains it", assumptions=MATRIX, side=side, where=where)
    for theorem, value, target, side, where in (
        ("eq. (19)", smallest_sum_of_squares(nnz, n), "smallest C_D", "dual", "Lemma 9, eq. (19)"),
        ("eq. (20)", smallest_sum_of_squares(nnz, d), "smallest C_P", "primal", "Lemma 9, eq. (20)"),
        ("eq. (21)", largest_sum_of_squares(nnz, n, d), "largest C_D", "dual", "Lemma 9, eq. (21)"),
        ("eq. (22)", largest_sum_of_squares(nnz, d, n), "largest C_P", "primal", "Lemma 9, eq. (22)"),
        (
            "theorem 4",
            largest_sum_of_squares(nnz, d, n) / smallest_sum_of_squares(nnz, n),
            "largest C_P/C_D",
            "primal",
            None,
        ),
        (
            "theorem 4, lower",
            smallest_sum_of_squares(nnz, d) / largest_sum_of_squares(nnz, n, d),
            "smallest C_P/C_D",
            "primal",
            None,
        ),
    )
)
THRESHOLDS = (
    faceoff_lemma(
        "theorem 5",
        n**2 - 1,
        "with this many nonzeros or more C_P <= C_D; from n = 3 on no smaller number will do for every d >= n",
        assumptions=WIDE,
        where="Theorem 5, sharpened",
    ),
    faceoff_lemma(
        "theorem 5, this d",
        threshold_for_d(),
        "this many nonzeros are enough for C_P <= C_D, and often fewer are; corollary 6 is for larger d",
        assumptions=(*WIDE, sp.Lt(4 * d, (n + 1) ** 2)),
        where="Theorem 5, sharpened",
    ),
    faceoff_lemma(
        "theorem 5, printed",
        n**2 + 3 * n,
        "with this many nonzeros or more C_P <= C_D",
        assumptions=WIDE,
        source=f"{FACE_OFF}, Theorem 5; as printed",
    ),
    faceoff_lemma(
        "corollary 6",
        sp.floor((n + 1) ** 2 / 4),
        "with this many features or more C_P <= C_D whatever the data; with fewer, but at least n, C_P > C_D for some",
        where="Corollary 6, sharpened",
    ),
    faceoff_lemma(
        "corollary 6, printed",
        n**2 + 3 * n,
        "with this many features or more C_P <= C_D whatever the data",
        source=f"{FACE_OFF}, Corollary 6; as printed",
    ),
)

BOUNDS = (
    *equations(counts.PRIMAL, 12, T_P, C_P),
    *equations(counts.DUAL, 13, T_D, C_D),
    *STEPS,
    *RATIOS,
    *BINARY,
    *THRESHOLDS,
    *ACCELERATED,
)
