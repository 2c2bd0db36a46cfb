"""Theorems as their files state them, and formulas that are the same."""

from contextlib import contextmanager

import sympy as sp

from cdlab.theory import registry


def pick(method, theorem, sampling=None):
    """The theorem of this name, for the first sampling that it is about if none is given."""
    return next(b for b in registry.theorems_of(method) if b.theorem == theorem and sampling in (None, b.sampling))


def equal(a, b):
    """For all positive values of their symbols."""
    positive = {s: sp.Symbol(s.name, positive=True) for s in (a - b).free_symbols}
    return sp.simplify((a - b).subs(positive)) == 0


@contextmanager
def naming(what):
    """Say of a failure in a loop what it is about."""
    try:
        yield
    except Exception as failure:
        failure.add_note(f"about {what}")
        raise
