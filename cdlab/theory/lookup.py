"""Find a bound by the name of its method, or by an instance of it.

Nothing else imports the theorems. Deriving them takes sympy a while, so a family is imported when it is asked for.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import cache, partial
from typing import Any

import sympy as sp

from . import own
from .bound import Bound
from .instances import about, drawn_by
from .symbols import m

# A file in theorems/ -> the methods it speaks about; the first file that names a method has its main theorem.
FAMILIES: dict[str, tuple[str, ...]] = {
    "sdca": ("sdca",),
    "sdca_extras": ("sdca",),
    "faceoff": ("quartz", "rcd"),
    "gradient": ("gd", "agd", "fista"),
    "stochastic": ("sgd", "rda", "sag", "saga", "svrg"),
    "linear_systems": ("kaczmarz", "acc_kaczmarz", "acc_cd", "pseudoinverse", "row_sampling"),
    "spdc": ("spdc", "agd", "sgd"),
    "spdc_blocks": ("spdc",),
    "asdca": ("asdca",),
    "apcg": ("apcg",),
    "accprox": ("accprox_sdca",),
    "appa": ("appa", "acc_appa", "dual_appa"),
    "appa_lemmas": ("appa", "acc_appa", "dual_appa"),
    "faceoff_lemmas": ("faceoff",),
    "extensions": ("acc_rcd", "faceoff", "greedy", "adasdca"),
    "comparisons": ("gd", "sdca", "subgradient_descent", "sgd", "fista", "rda"),
    "appa_totals": ("appa", "acc_appa", "dual_appa", "gd", "agd", "sag", "svrg", "sdca", "accprox_sdca", "apcg"),
}

WITHOUT = {  # methods of cdlab that no theorem covers, and why
    "lbfgs": "on smooth, strongly convex P it converges linearly (Liu & Nocedal 1989), but at no known rate that "
    "explains its speed; agd and fista have theorems",
    "adasdca_plus": "it is a heuristic, about which only one thing is known: D(alpha) never decreases; adasdca "
    "and sdca have theorems",
}

NOTHING_DRAWN, ANY = "none", "any"
NEXT = "sdca"  # its theorems cover most problems: named where a method's own do not


def bound(method: Any, quantity: str = "passes", sampling: Any = None, theorem: str | None = None) -> Bound:
    """The bound of a method.

    Parameters
    ----------
    method : str or Method
        A name in ``cdlab.methods.METHODS``, or an instance, whose parameters choose the theorem and go into it.
    quantity : str, default "passes"
        "iterations", "passes", "examples", "arithmetic" (nonzeros visited), "cost per iteration"; or without
        the logarithm "K" (iterations), "T" (arithmetic). Ignored for a lemma, which has one value.
    sampling : str, array or Sampling, optional
        "uniform" (default), "importance", "norms", "lipschitz", "given", an instance (``TauNice(8)``), or the
        probabilities themselves, which are also all that is used of a class of your own. Ignored by methods that draw
        nothing.
    theorem : str, optional
        The method's main theorem by default. All of them: ``{b.theorem for b in cdlab.theory.bounds()}``.

    Returns
    -------
    Bound

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
    found = [*map(_told, own.of_method(name)), *of_method(name)]
    if not found:
        why = WITHOUT.get(name) or f"there is one for {', '.join(map(repr, methods()))}"
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
    size = ((m, sp.Integer(drawn.size)),) if m in b.symbols and drawn.size is not None else ()
    return replace(_per(b, quantity), drawn=drawn, own=(*b.own, *size))


def _per(b: Bound, quantity: str) -> Bound:
    return b.per(quantity) if b.counts else b


def bounds() -> tuple[Bound, ...]:
    """Every bound on how long a method takes: each theorem and sampling for each of its quantities, yours first."""
    return tuple(b.per(quantity) for b in (*_registered(), *everything()) if b.counts for quantity in b.quantities)


def lemmas() -> tuple[Bound, ...]:
    """Every statement about one step or one quantity, yours first."""
    return tuple(b for b in (*_registered(), *everything()) if not b.counts)


def _registered() -> tuple[Bound, ...]:
    return tuple(map(_told, own.registered()))


@cache
def of_method(method: str) -> tuple[Bound, ...]:
    """A method's theorems, the main one first; empty if there is none."""
    return tuple(
        b for family, methods in FAMILIES.items() if method in methods for b in _family(family) if b.method == method
    )


@cache
def everything() -> tuple[Bound, ...]:
    """All theorems of all methods, as far as cdlab states them."""
    return tuple(b for family in FAMILIES for b in _family(family))


def methods() -> tuple[str, ...]:
    """Every method that some theorem is about."""
    return tuple(dict.fromkeys(method for family in FAMILIES.values() for method in family))


@cache
def _family(name: str) -> tuple[Bound, ...]:
    found = importlib.import_module(f".theorems.{name}", __package__).BOUNDS
    about = set(FAMILIES[name]) ^ {b.method for b in found}
    if about:
        raise ImportError(f"lookup.FAMILIES and theorems/{name}.py disagree about {', '.join(sorted(about))}")
    return tuple(map(_told, found))


def _told(b: Bound) -> Bound:
    """The theorem, with the theorems that a refusal of it may name instead."""
    return replace(b, alternatives=partial(_proved, b.method))


def _proved(method: str) -> tuple[Bound, ...]:
    """The theorems that a refusal of a method's theorem may name instead: counts with known constants."""
    return tuple(b for b in (*of_method(method), *of_method(NEXT)) if b.counts and b.kind == "theorem")


def _select(attribute: str, value: Any, among: Any, complaint: str) -> list[Bound]:
    found = [b for b in among if getattr(b, attribute) == value]
    if not found:
        known = dict.fromkeys(getattr(b, attribute) for b in among)
        raise ValueError(f"{complaint} {value!r}; there is one for {', '.join(map(repr, known))}")
    return found
