"""Find a bound by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .formula import QUANTITIES, Bound
from .measure import named_sampling
from .theorems import THEOREMS


def bound(method: str, quantity: str = "passes", sampling: Any = None, theorem: str | None = None) -> Bound:
    """The bound of a method.

    Parameters
    ----------
    method : str
        "sdca", "quartz" or "rcd".
    quantity : str, default "passes"
        "iterations", "cost per iteration", "passes", "total"; or without the logarithm "K" (iterations), "T" (total).
    sampling : str, array, or object with a `name` (and `power`, `p`), optional
        "uniform" (default), "importance", "norms", "lipschitz", "given", or the probabilities themselves.
    theorem : str, optional
        sdca: "smooth" (default), "lipschitz" (duality gap of averaged iterates), "lipschitz dual"; quartz: "plain"
        (default), "averaged"; rcd: "smooth".

    Raises
    ------
    ValueError
        If there is no such method, quantity or theorem, or no theorem covers the sampling.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.bound("rcd", "T", sampling="importance").expr
    C_P/(gamma*l2*n) + nnz
    """
    found = _select("method", method, THEOREMS, "no bound for")
    if theorem is not None:
        found = _select("theorem", theorem, found, f"{method} has no theorem")
    else:
        found = [b for b in found if b.theorem == found[0].theorem]
    if sampling is None:
        return found[0].per(quantity)
    name, p, power = named_sampling(sampling)
    b = _select("sampling", name, found, f"{method}'s theorem {found[0].theorem!r} does not cover sampling")[0]
    return replace(b.per(quantity), probabilities=p, power=power)


def bounds() -> tuple[Bound, ...]:
    """Every available bound: each theorem and sampling for each of its quantities."""
    return tuple(
        b.per(quantity) for b in THEOREMS for quantity in QUANTITIES if b.K is not None or quantity not in ("K", "T")
    )


def _select(attribute: str, value: Any, among: Any, complaint: str) -> list[Bound]:
    found = [b for b in among if getattr(b, attribute) == value]
    if not found:
        known = dict.fromkeys(getattr(b, attribute) for b in among)
        raise ValueError(f"{complaint} {value!r}; there is one for {', '.join(map(repr, known))}")
    return found
