"""Attacks: a search over small data for the instance on which a bound is tightest, or false.

What is attacked is a statement with a ratio on every instance, exact over promised, which is at most 1 if it is true. A
ratio near 1 shows that a bound cannot be improved, one above 1 refutes it.

`statements` says what can be attacked, and has the potentials that proofs follow; `rates` makes statements of theorems
and lemmas, and `conjectures` are statements by name. `instances` are the data, `climbing` is the search, and
`attacking` runs it, with its file and result.
"""

from .attacking import Attack, attack
from .conjectures import conjecture
from .statements import Statement

__all__ = ["Attack", "Statement", "attack", "conjecture"]
