"""Find a bound by the name of its method, or by an instance of it.

Nothing else imports the theorems. Deriving them takes sympy a while, so a family is imported when it is asked for.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import cache, partial
from typing import Any

import sympy as sp

from ..numerics import checks
from ..numerics.jit.structs import base_name
from . import own
from .bound import Bound
from .drawn_samplings import Drawn
from .instances import about, drawn_by
from .symbols import m

# A file in theorems/ -> the methods it speaks about; the first file that names a method has its main theorem.
FAMILIES: dict[str, tuple[str, ...]] = {
    "sdca": ("sdca",),
    "sdca_extras": ("sdca",),
    "faceoff": ("quartz", "rcd"),
    "balls": ("sdca", "rcd"),
    "gradient": ("gd", "agd", "fista"),
    "newton": ("newton_cd",),
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

NOTHING_DRAWN, ANY, UNIFORM = "none", "any", "uniform"
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
        probabilities themselves. Of a class of your own, registered or not, a theorem that you registered for its name
        is found first; else all that is used of it are its probabilities. Ignored by methods that draw nothing.
    theorem : str, optional
        By default the method's main theorem, which is cdlab's where cdlab has one; if that does not cover the sampling,
        the first of your own that does. All names: ``{b.theorem for b in cdlab.theory.bounds()}``.

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
    if not isinstance(name, str):
        raise TypeError(f"a bound is of a method, by its name or an instance of it, not of {checks.short_repr(method)}")
    found = [*of_method(name), *_registered(name)]
    if not found:
        raise ValueError(f"no bound for {name!r}: {WITHOUT.get(name) or _unheard(name)}")
    if theorem is not None:
        found = _named(theorem, found)
    elif any(b.counts for b in found):
        found = [b for b in found if b.counts]  # a lemma answers where there is nothing else, or when it is asked for
    if instance is not None:
        found = sorted(about(instance, found), key=own.is_own)  # cdlab's first, then the most particular
    main = found[0]
    if own.is_own(main) and sampling is None:
        main = next((b for b in found if b.sampling == UNIFORM), main)
    drawn = None if main.sampling in (NOTHING_DRAWN, ANY) else drawn_by(instance, sampling)
    if drawn is None:
        return _per(main, quantity)
    if drawn.name == "tau_nice" and m in main.symbols:
        drawn = drawn._replace(name=UNIFORM)  # the theorem is for batches of any size m
    b = _covering(main, drawn, found)
    size = ((m, sp.Integer(drawn.size)),) if m in b.symbols and drawn.size is not None else ()
    return replace(_per(b, quantity), drawn=drawn, own=(*b.own, *size))


def _named(theorem: str, found: list[Bound]) -> list[Bound]:
    """The theorems of this name."""
    named = [b for b in found if isinstance(theorem, str) and b.theorem == theorem]
    if not named:
        known = ", ".join(repr(name) for name in dict.fromkeys(b.theorem for b in found))
        raise ValueError(f"{found[0].method} has no theorem {checks.short_repr(theorem)}; there is one for {known}")
    return named


def _covering(main: Bound, drawn: Drawn, found: list[Bound]) -> Bound:
    """The theorem about a sampling, by its name or by its probabilities: the main one, or else one of the user's."""
    same = [b for b in found if b.theorem == main.theorem]
    among = [*same, *(b for b in found if own.is_own(b) and b not in same)]
    for name in drawn.names:
        for b in among:
            if b.sampling == name:
                return b
    known = ", ".join(repr(name) for name in dict.fromkeys(b.sampling for b in among))
    who = f"theorem {main.theorem!r} does" if len(among) == len(same) else "theorems do"
    raise ValueError(f"{main.method}'s {who} not cover {drawn.asked}; there is one for {known}")


def _unheard(name: Any) -> str:
    known = methods()
    hint = checks.did_you_mean(name, known) if isinstance(name, str) else ""
    return (
        f"cdlab knows no theorem about it{hint}; cdlab.theory.register takes one of your own, and there is one for "
        f"{', '.join(map(repr, known))}"
    )


def _per(b: Bound, quantity: str) -> Bound:
    return b.per(quantity) if b.counts else b


def register(*theorems: Bound) -> None:
    """Let `bound`, `bounds` and `lemmas` find theorems of your own, beside cdlab's about the same method.

    cdlab's own stay the default. About a method of cdlab's, yours answers for a sampling that only it names, or if it
    is asked for by its own name, ``bound("rcd", theorem="mine")``.

    Parameters
    ----------
    *theorems : Bound
        As `contraction`, `decay`, `asymptotic` and `lemma` return them. One with the method, name and sampling of an
        earlier one of yours takes its place.

    Raises
    ------
    TypeError
        For anything but a Bound.
    ValueError
        If cdlab has a theorem of this name about this method with this sampling: one would hide the other.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.register(my_theorem)  # doctest: +SKIP
    >>> theory.bound("my_method", "passes")  # doctest: +SKIP
    """
    for b in theorems:
        if not isinstance(b, Bound):
            raise TypeError(
                f"register takes bounds, as cdlab.theory.contraction returns them, not {base_name(type(b))}"
            )
        if any((other.theorem, other.sampling) == (b.theorem, b.sampling) for other in of_method(b.method)):
            raise ValueError(
                f"cdlab has a theorem {b.theorem!r} about {b.who} already: give yours another name, and ask for it by "
                "that name"
            )
    own.add(theorems)


def bounds() -> tuple[Bound, ...]:
    """Every bound on how long a method takes: each theorem and sampling for each of its quantities, yours last."""
    return tuple(b.per(quantity) for b in (*everything(), *_registered()) if b.counts for quantity in b.quantities)


def lemmas() -> tuple[Bound, ...]:
    """Every statement about one step or one quantity, yours last."""
    return tuple(b for b in (*everything(), *_registered()) if not b.counts)


def _registered(method: str | None = None) -> tuple[Bound, ...]:
    return tuple(_told(b) for b in own.registered() if method in (None, b.method))


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
