"""Find a bound by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from . import registry
from .drawn import named_sampling
from .formula import Bound
from .symbols import delta, m, prox_weight

NOTHING_DRAWN, ANY = "none", "any"
OWN = {m: "batch_size", delta: "delta", prox_weight: "prox_weight"}  # symbols that an instance's own parameters set


def bound(method: Any, quantity: str = "passes", sampling: Any = None, theorem: str | None = None) -> Bound:
    """The bound of a method.

    Parameters
    ----------
    method : str or Method
        A name in ``cdlab.methods.METHODS``, or an instance: its parameters choose the theorem.
    quantity : str, default "passes"
        "iterations", "passes", "examples", "arithmetic" (nonzeros visited), "cost per iteration"; or without
        the logarithm "K" (iterations), "T" (arithmetic). Ignored for a lemma, which has one value.
    sampling : str, array or Sampling, optional
        "uniform" (default), "importance", "norms", "lipschitz", "given", an instance (``TauNice(8)``), or the
        probabilities themselves. Ignored by methods that draw nothing.
    theorem : str, optional
        The method's main theorem by default. All of them: ``{b.theorem for b in cdlab.theory.bounds()}``.

    Raises
    ------
    ValueError
        If there is no such method, quantity or theorem, or no theorem covers the sampling or the instance's parameters.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.bound("rcd", "T", sampling="importance").expr
    C_P/(gamma*l2*n) + nnz
    """
    instance, method = method, getattr(method, "name", method)
    found = list(registry.of_method(method))
    if not found:
        why = registry.WITHOUT.get(method) or f"there is one for {', '.join(map(repr, registry.methods()))}"
        raise ValueError(f"no bound for {method!r}: {why}")
    if beyond := "" if instance is method else instance.beyond_theorems():
        raise ValueError(f"no theorem covers {method} with {beyond}")
    if theorem is None:
        theorem = _about(instance, found).theorem
    found = _select("theorem", theorem, found, f"{method} has no theorem")
    chosen = tuple(
        (symbol, sp.sympify(value))
        for symbol, name in OWN.items()
        if isinstance(value := getattr(instance, name, None), int | float) and not isinstance(value, bool)
    )
    found = [replace(b, defaults=(*chosen, *b.defaults)) for b in found]
    if sampling is None or found[0].sampling in (NOTHING_DRAWN, ANY):
        return _per(found[0], quantity)
    drawn = named_sampling(sampling)
    if instance is not method and (blocks := instance.effective(drawn)) is not drawn:
        drawn = named_sampling(blocks)
    covered = [b.sampling for b in found]
    if drawn.name == "tau_nice" and "tau_nice" not in covered and m in found[0].symbols:
        drawn = drawn._replace(name="uniform")  # the theorem is for batches of any size m
    b = _select("sampling", drawn.name, found, f"{method}'s theorem {found[0].theorem!r} does not cover sampling")[0]
    return replace(_per(b, quantity), drawn=drawn)


def _about(instance: Any, found: list[Bound]) -> Bound:
    """The first theorem that is about just these parameters of an instance; of a name, the main theorem."""
    for b in sorted(found, key=lambda b: -len(b.parameters)):
        if b.parameters and all(getattr(instance, name, None) == value for name, value in b.parameters):
            return b
    return found[0]


def _per(b: Bound, quantity: str) -> Bound:
    return b.per(quantity) if b.counts else b


def bounds() -> tuple[Bound, ...]:
    """Every bound on how long a method takes: each theorem and sampling for each of its quantities."""
    return tuple(b.per(quantity) for b in registry.everything() if b.counts for quantity in b.quantities)


def lemmas() -> tuple[Bound, ...]:
    """Every statement about one step or one quantity."""
    return tuple(b for b in registry.everything() if not b.counts)


def _select(attribute: str, value: Any, among: Any, complaint: str) -> list[Bound]:
    found = [b for b in among if getattr(b, attribute) == value]
    if not found:
        known = dict.fromkeys(getattr(b, attribute) for b in among)
        raise ValueError(f"{complaint} {value!r}; there is one for {', '.join(map(repr, known))}")
    return found
