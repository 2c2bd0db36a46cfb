"""The methods with which Shalev-Shwartz & Zhang compare SDCA, up to constants and logarithms.

They print R = 1, and losses and solutions of size 1; here these constants stay. With l1 alone an l2 of eps/||w*||^2 is
added, which changes P(w*) by eps/2. Earlier analyses are of coordinate ascent on a smooth dual, with or without bounds
on alpha: the curvature of phi* must be finite, as that of hinge-type and squared losses is, and the logistic's is not.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import asymptotic, lemma
from ..symbols import D0, P0, L, R, dual_curvature, eps, gamma, gamma_r, l2, n, nnz, nu_linear, t, w2
from ..theorem import TARGETS
from .subgradients import DUAL_AVERAGING, best_weight

METHODS = ("subgradient_descent",)
ALSO_ABOUT = ("gd", "sdca", "sgd", "fista", "rda")

SOURCE = "Shalev-Shwartz & Zhang 2012, arXiv:1211.2717, with its talk's comparisons; printed for R = 1"
SMOOTH = (gamma > 0, l2 > 0)
LIPSCHITZ = (sp.Lt(L, sp.oo), l2 > 0)
SMOOTH_DUAL = (l2 > 0, sp.Lt(dual_curvature, sp.oo))
ONE_EXAMPLE: dict[str, Any] = {"W": nnz / n, "side": "dual", "source": SOURCE}  # an iteration takes one example
ALL_EXAMPLES: dict[str, Any] = {"sampling": "none", "W": nnz, "side": "primal", "source": SOURCE}

KAPPA = R**2 / (gamma * l2)  # a step of gradient descent: L_f is at most R^2/gamma
SDCA = counts.coordinate_descent(counts.DUAL, "uniform").K
DIFFICULTY = L**2 * R**2 / (l2 * eps)


def linear(method: str, K: sp.Expr, **data: Any) -> Bound:
    """A linear rate: of the order of K log(1/eps) iterations."""
    return asymptotic(method, "order, smooth", K=K, count=K * sp.log(P0 / eps), assumptions=SMOOTH, **data)


# ------------------------------------------------------------ l1 alone
BY_SDCA = SDCA.subs(l2, eps / w2)
BY_GRADIENTS = sp.sqrt(R**2 / gamma * w2 / eps)  # 2 L_f w2/(t + 1)^2 = eps, without constants


def by_averaging() -> sp.Expr:
    """RDA's iterations with its best gamma_r, without the constant.

    >>> by_averaging()
    L**2*R**2*w2/eps**2
    """
    smallest = sp.simplify(DUAL_AVERAGING.subs(gamma_r, best_weight()) * sp.sqrt(t))
    return sp.powdenest((smallest / eps) ** 2, force=True).as_coeff_Mul()[1]


def where_sdca_needs_less() -> sp.Expr:
    """The eps above which SDCA's R^2 ||w*||^2/(gamma eps) examples are fewer than n times the gradients' iterations.

    >>> where_sdca_needs_less()
    R**2*w2/(gamma*n**2)
    """
    x, N, scale = sp.symbols("x n scale", positive=True)  # scale = R^2 w2/gamma
    (root,) = sp.solve(sp.Eq(scale / x, N * sp.sqrt(scale / x)), x)
    return root.subs({scale: R**2 * w2 / gamma, N: n})


L1_ONLY = (sp.Eq(l2, 0),)

BOUNDS = (
    linear("gd", KAPPA, **ALL_EXAMPLES),
    linear("sdca", SDCA, **ONE_EXAMPLE),
    asymptotic("subgradient_descent", "order, lipschitz", count=DIFFICULTY, assumptions=LIPSCHITZ, **ALL_EXAMPLES),
    asymptotic("sgd", "order, lipschitz", count=DIFFICULTY, assumptions=LIPSCHITZ, **ONE_EXAMPLE),
    asymptotic("sdca", "order, lipschitz", count=n + DIFFICULTY, assumptions=LIPSCHITZ, **ONE_EXAMPLE),
    asymptotic(
        "sdca",
        "earlier analyses",
        count=n * D0 / eps,
        target=TARGETS["D*-D"],
        assumptions=SMOOTH_DUAL,
        **ONE_EXAMPLE,
    ),
    asymptotic(
        "sdca",
        "earlier analyses, linear",
        count=n / nu_linear * sp.log(D0 / eps),
        target=TARGETS["D*-D"],
        assumptions=SMOOTH_DUAL,
        W=nnz / n,
        side="dual",
        source="Luo & Tseng 1992, and Hsieh, Chang, Lin, Keerthi & Sundararajan 2008 for the hinge, with cyclic order; "
        "as cited by Shalev-Shwartz & Zhang 2013: (1/nu) log(1/eps) passes with a nu that is not known",
    ),
    asymptotic("sdca", "order, l1", count=BY_SDCA, assumptions=(gamma > 0, *L1_ONLY), **ONE_EXAMPLE),
    asymptotic("fista", "order, l1", count=BY_GRADIENTS, assumptions=(gamma > 0, *L1_ONLY), **ALL_EXAMPLES),
    asymptotic("rda", "order, l1", count=by_averaging(), assumptions=(LIPSCHITZ[0], *L1_ONLY), **ONE_EXAMPLE),
    lemma(
        "sdca",
        "l1, against fista",
        value=where_sdca_needs_less(),
        assumptions=(gamma > 0, *L1_ONLY),
        side="dual",
        target="with the theorems 'order, l1', sdca's examples beyond the first n are fewer than fista's for every eps "
        "above this",
        source=SOURCE,
    ),
)
