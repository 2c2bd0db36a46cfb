"""The part of P - P* that a stage of a proximal-point method leaves, and the inner accuracy that this takes.

Frostig, Ge, Kakade & Sidford 2015, Un-regularizing, Lemmas 3.1 and 3.2; accelerated, Algorithm 2.
"""

from __future__ import annotations

import sympy as sp

from ..symbols import accuracy, mu, prox_weight

RHO = sp.expand((mu + 2 * prox_weight) / mu)
EXACT = prox_weight / (mu + prox_weight)  # of P - P*, Lemma 3.1
EXACT_K = sp.simplify(1 / (1 - EXACT))
INEXACT = EXACT + 1 / accuracy  # Lemma 3.2: f(x) - f* <= (f(s) - f*)/c, and f(s) - f* <= P(s) - P*
ORACLE = 2 * (mu + prox_weight) / mu  # c: half of what an exact step gains
APPA_K = sp.simplify(1 / (1 - INEXACT.subs(accuracy, ORACLE)))
ACC_ORACLE = 4 * RHO ** sp.Rational(3, 2)
ACC_K = 2 * sp.sqrt(RHO)  # exact: sqrt(rho)
