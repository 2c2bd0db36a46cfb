"""Attacks: a search over small data for the instance on which a bound is tightest, or false.

What is attacked is a claim with a ratio on every instance, at most 1 wherever the claim is true: exact against
promised. A ratio near 1 shows that a bound cannot be improved, one above 1 refutes it.

`claims` says what a claim is; `rates` makes claims of theorems and lemmas, `potentials` has what their proofs follow,
and `named_claims` has conjectures and constants. `instances` are the data, `climbing` is the search, and `attacking`
runs it, with its file and result.
"""

from .attacking import Attack, attack
from .claims import Claim
from .named_claims import claim

__all__ = ["Attack", "Claim", "attack", "claim"]
