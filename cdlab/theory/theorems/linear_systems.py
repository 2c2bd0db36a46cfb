"""Linear systems X w = y and least squares: Kaczmarz, its accelerated form, accelerated coordinate descent.

They are the squared loss with l2 = l1 = 0, started at w = 0. w* is the solution of least norm, and
P(w) - P* = ||X (w - w*)||^2/(2 n gamma). Kaczmarz's methods need P* = 0: a system that has a solution.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import RELATIVE_DISTANCE, asymptotic, contraction
from ..symbols import P0, L, P_zero, cosines, d, eps, gram, l1, l2, lmin, mu_cols, mu_rows, n, nnz, omega, w2

METHODS = ("kaczmarz", "acc_kaczmarz", "acc_cd", "pseudoinverse", "row_sampling")

LEE_SIDFORD = "Lee & Sidford 2013, Efficient accelerated coordinate descent methods"
PAPER = "Frostig, Ge, Kakade & Sidford 2015, Un-regularizing, Table 1, least squares of full rank"
SQUARED = (
    sp.Eq(L, sp.oo),
    sp.Eq(l2, 0),
    sp.Eq(l1, 0),
)  # every other loss but squared_hinge has a finite L
SOLVABLE = sp.Ge(P0, 0.999999 * P_zero)  # P* = 0, as far as a measured P0 can tell; else it is taken for granted
DISTANCE = {
    "bounded": "|w-w*|^2",
    "unit": RELATIVE_DISTANCE,
    "assumptions": (*SQUARED, SOLVABLE),
    "side": "dual",
    "target": "where the system has a solution, the expected squared distance ||w - w*||^2 to the nearest one",
}


def importance() -> tuple[sp.Expr, sp.Expr]:
    """K and W for p_i = ||x_i||^2/||X||_F^2.

    ||w - w*||^2 falls by sum_i p_i (x_i'(w - w*))^2/||x_i||^2, which is ||X (w - w*)||^2/||X||_F^2.

    >>> importance()
    (F/lmin, C_D/F)
    """
    v, c = counts.v[counts.i], counts.c[counts.i]
    sum_of_weights = counts.sum_over_lines(v, counts.DUAL)
    return sum_of_weights / lmin, counts.sum_over_lines(v * c, counts.DUAL) / sum_of_weights


def kaczmarz(sampling: str, **data: Any) -> Bound:
    """The theorem of Strohmer & Vershynin (2009), under the name of a sampling."""
    K, W = importance()
    return contraction("kaczmarz", "consistent", sampling, K=K, W=W, constant=w2, **DISTANCE, **data)


def momentum(lines: sp.Expr, mu: sp.Expr) -> sp.Expr:
    """K = lines/r of Phi, r = sqrt(mu), but at most lines/2, as the methods have it.

    >>> momentum(n, mu_rows)
    Max(2, n/sqrt(mu_rows))
    """
    return sp.Max(2, lines / sp.sqrt(mu))


BOUNDS = (
    kaczmarz("importance", source="Strohmer & Vershynin 2009, Theorem 2; as printed"),
    kaczmarz(
        "uniform",
        source="Strohmer & Vershynin 2009, Theorem 2; as printed. With 'uniform' kaczmarz draws its own probabilities, "
        "those of 'importance'",
    ),
    # An epoch projects e = w - w* onto each row's complement in turn. With A the normalised rows in that order, and the
    # changes of e being -c_i a_i, ||e||^2 falls by ||c||^2, and A e = (I + T) c, T the strict lower triangle of AA'. So
    # ||c||^2 >= ||A e||^2/||I + T||^2, for e in the range of A'. And ||T||_F^2 is the sum of cos^2 over pairs of rows.
    contraction(
        "kaczmarz",
        "any order",
        "any",
        K=sp.Min(n + cosines, (1 + sp.sqrt(cosines)) ** 2) / mu_rows,
        W=nnz,
        step="stage",
        constant=w2,
        **DISTANCE
        | {
            "target": "where the system has a solution, after epochs that each take every row once, in whatever order "
            "and without expectation, the squared distance ||w - w*||^2 to the nearest one (not for independent draws)"
        },
        source="own derivation; that reshuffled Kaczmarz converges linearly: Han & Xie 2024, arXiv:2410.01140",
    ),
    # Phi = ||v - w*||^2_(A'A)^+ + ||x - w*||^2/mu, A the normalised rows and mu = r^2 <= mu_rows. At x = v = 0 it is
    # at most 2 w2/mu, and ||x - w*||^2 is at most mu Phi.
    contraction(
        "acc_kaczmarz",
        "consistent",
        K=momentum(n, mu_rows),
        W=nnz / n,
        setup=gram,
        constant=2 * w2,
        **DISTANCE,
        source=f"{LEE_SIDFORD}; with constant parameters, re-derived",
    ),
    # Phi = ||v - u*||^2 + ||C (u - u*)||^2/mu, C the normalised columns and u_j = ||X_:j|| w_j, where v - u* is
    # projected onto the range of C'. There ||u*||^2 <= ||C u*||^2/mu, so at 0 Phi is at most 2 ||X w*||^2/mu =
    # 4 n gamma (P(0) - P*)/mu, and P(w) - P* is at most mu Phi/(2 n gamma).
    contraction(
        "acc_cd",
        "least squares",
        K=momentum(d, mu_cols),
        W=nnz / d,
        setup=gram,
        constant=2 * P0,
        bounded="P(w)-P*",
        side="primal",
        assumptions=SQUARED,
        source=f"{LEE_SIDFORD}; with constant parameters, re-derived, for columns of any rank",
    ),
    asymptotic(
        "pseudoinverse",
        "table 1",
        "none",
        count=sp.S.One,
        W=n * d ** (omega - 1),
        assumptions=SQUARED,
        side="primal",
        defaults=((omega, sp.Integer(3)),),
        source=f"{PAPER}; as printed",
    ),
    asymptotic(
        "row_sampling",
        "table 1",
        "none",
        count=sp.log(P0 / eps),
        W=n * d + d**omega,
        assumptions=SQUARED,
        side="primal",
        defaults=((omega, sp.Integer(3)),),
        source=f"{PAPER}; as printed",
    ),
)
