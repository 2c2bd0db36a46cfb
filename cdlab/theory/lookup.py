"""Find a bound by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from . import own, registry
from .bound import Bound
from .instances import about, drawn_by
from .symbols import m

NOTHING_DRAWN, ANY = "none", "any"


def bound(method: Any, quantity: str = "passes", sampling: Any = None, theorem: str | None = None) -> Bound:
    """The bound of a method.

    Parameters
    ----------
    method : str or Method
        A name in ``cdlab.methods.METHODS``, or an instance: its parameters choose the theorem and go into it.
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
    instance, name = (None, method) if isinstance(method, str) else (method, getattr(method, "name", method))
    found = [*own.of_method(name), *registry.of_method(name)]
    if not found:
        why = registry.WITHOUT.get(name) or f"there is one for {', '.join(map(repr, registry.methods()))}"
        raise ValueError(f"no bound for {name!r}: {why}")
    if theorem is not None:
        found = _select("theorem", theorem, found, f"{name} has no theorem")
    elif any(b.counts for b in found):
        found = [b for b in found if b.counts]  # a lemma answers where there is nothing else, or when it is asked for
    if instance is not None:
        found = about(instance, found)
    main = found[0]
    drawn = None if main.sampling in (NOTHING_DRAWN, ANY) else drawn_by(instance, sampling)
    if drawn is None:
        return _per(main, quantity)
    found = [b for b in found if b.theorem == main.theorem]
    if drawn.name == "tau_nice" and m in main.symbols:
        drawn = drawn._replace(name="uniform")  # the theorem is for batches of any size m
    b, *_ = _select("sampling", drawn.name, found, f"{name}'s theorem {main.theorem!r} does not cover sampling")
    size = ((m, sp.Integer(drawn.blocks.tau)),) if m in b.symbols and hasattr(drawn.blocks, "tau") else ()
    return replace(_per(b, quantity), drawn=drawn, own=(*b.own, *size))


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
