"""Theorems about steps that are exact for a coordinate, each for both sides: stated in the files of their methods."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts, halved, quadratics
from ..forms import contraction, lemma
from ..symbols import D0, P0, G_max, G_min, M, gamma, i, k, l1, l2, n, p, p_min, s, smallest, v

OWN = "own derivation"
START_QUANTITIES = {"dual": ("D*-D", D0), "primal": ("P(w)-P*", P0)}
QUADRATIC = (gamma > 0, l2 > 0, sp.Eq(l1, 0), sp.Eq(M, 0))  # M = 0: phi'' is constant


def rate_and_least_probability(side: counts.Side, sampling: str) -> tuple[counts.RateAndCost, sp.Expr]:
    """K and W of a sampling, and its smallest probability, in closed form for uniform sampling."""
    plain = counts.coordinate_descent(side, sampling)
    if sampling == "uniform":
        return plain, 1 / side.size
    of_p: tuple[sp.Eq, ...] = (sp.Eq(p_min, smallest(p[i])),)
    if sampling == "importance":
        of_p += (sp.Eq(p[i], s[i] / sp.Sum(s[k], (k, 1, side.size))), sp.Eq(s[i], v[i] / gamma + l2 * n))
    return plain._replace(definitions=(*plain.definitions, *of_p)), p_min


def halved_bounds(method: str, side: counts.Side, samplings: tuple[str, ...], **data: Any) -> list[Bound]:
    """K halved, where p_min K is large; on the dual side for the gap and for D* - D, on the primal for P - P*."""
    found = []
    for sampling in samplings:
        (K, W, definitions), least = rate_and_least_probability(side, sampling)
        at = {halved.K: K, p_min: least}
        rate = counts.shortest(halved.halved_rate().xreplace(at))
        start = counts.shortest(halved.start_factor().xreplace(at))
        bounded, first = START_QUANTITIES[side.name]
        statements = [("halved", bounded, start * first)]
        if side.name == "dual":
            statements = [("halved", "P-D", K * start * first), ("halved dual", bounded, start * first)]
        for name, quantity, constant in statements:
            found.append(
                contraction(
                    method,
                    name,
                    sampling,
                    K=rate,
                    W=W,
                    constant=constant,
                    bounded=quantity,
                    definitions=definitions,
                    side=side.name,
                    assumptions=(gamma > 0, l2 > 0),
                    source=f"{OWN} for any probabilities, blocks and l1; for single coordinates, all equally likely: "
                    "Nesterov 2012 and Lu & Xiao 2015, arXiv:1305.4723",
                    **data,
                )
            )
    return sorted(found, key=lambda b: b.theorem)


def spectral_bounds(method: str, side: counts.Side, samplings: tuple[str, ...], **data: Any) -> list[Bound]:
    """The squared loss: rates from one or two eigenvalues of the Hessian, and a rate that no exact steps exceed."""
    bounded, first = START_QUANTITIES[side.name]
    data = {"side": side.name, "assumptions": QUADRATIC, **data}
    found, below = [], []
    for sampling in samplings:
        (_, W, definitions), least = rate_and_least_probability(side, sampling)
        definitions = tuple(each for each in definitions if each.lhs != halved.K)
        found.append(
            contraction(
                method,
                "spectral",
                sampling,
                K=quadratics.spectral_rate().xreplace({p_min: least}),
                W=W,
                constant=first * quadratics.spectral_start().xreplace({p_min: least}),
                bounded=bounded,
                definitions=definitions,
                source=OWN,
                **data,
            )
        )
        below.append(
            lemma(
                method,
                "spectral, from below",
                sampling=sampling,
                value=quadratics.spectral_rate_below(),
                target="with the exact rate no K is below this, 1/(1 - factor of an iteration)",
                source=OWN,
                **data,
            )
        )
    worst = contraction(
        method,
        "worst case",
        K=quadratics.worst_case_rate().xreplace({n: side.size}),
        W=counts.coordinate_descent(side, "uniform").W,
        constant=first * quadratics.worst_case_start(),
        bounded=bounded,
        source=f"{OWN}; attained by G = G_min I + (1 - G_min) 1 1'",
        **data | {"assumptions": (*QUADRATIC, G_min + G_max >= 2)},
    )
    return [*found, worst, *below]
