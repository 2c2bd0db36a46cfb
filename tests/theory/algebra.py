"""Formulas that are the same."""

import sympy as sp


def equal(a, b):
    """For all positive values of their symbols."""
    positive = {s: sp.Symbol(s.name, positive=True) for s in (a - b).free_symbols}
    return sp.simplify((a - b).subs(positive)) == 0
