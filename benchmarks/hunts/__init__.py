"""Hunts of our own theorems and lemmas, for `cdlab.theory.attack`: of data, state and admissible error.

`registry` has them all, and says which theorem nobody hunts; `stages`, `one_step` and `points` are their ratios, of
what `promises` reads from a theorem.
"""

from .registry import EXEMPT, HUNTS, LEMMAS, OURS, hunts, statement_of, unhunted

__all__ = ["EXEMPT", "HUNTS", "LEMMAS", "OURS", "hunts", "statement_of", "unhunted"]
