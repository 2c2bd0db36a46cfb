"""Find the bound of a method, by its name or by an instance of it.

A parameter of an instance that is not its default is one that a theorem is about, is free in it, sets a symbol of its
formulas, or else is not covered: nothing here lists the parameters that no theorem mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, replace
from typing import Any

import numpy as np
import sympy as sp

from .. import samplings
from ..numerics import checks
from . import registry
from .bound import Bound
from .named_samplings import ANY_PROBABILITIES, NamedSampling, name_sampling
from .symbols import PARAMETERS, USER_PARAMETERS, gram, m
from .theorem_files import own_theorems

NOTHING_DRAWN, ANY, UNIFORM = "none", "any", "uniform"  # Samplings of theorems.
BATCH_PARAMETER = "batch_size"  # It is read as the sampling that it stands for.


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
    found = _candidates(name, instance, theorem)
    main = found[0]
    if registry.is_registered(main) and sampling is None:
        main = next((b for b in found if b.sampling == UNIFORM), main)
    asked = None if main.sampling in (NOTHING_DRAWN, ANY) else sampling_of(instance, sampling)
    if asked is None:
        return main.per(quantity) if main.counts else main
    if asked.name == "tau_nice" != main.sampling and m in main.symbols:
        asked = asked._replace(name=UNIFORM)  # the theorem is for batches of any size m
    b = _theorem_for_sampling(main, asked, found)
    size = ((m, sp.Integer(asked.block_size)),) if m in b.symbols and asked.block_size is not None else ()
    return replace(b.per(quantity) if b.counts else b, asked_sampling=asked, numbers=(*b.numbers, *size))


def _candidates(name: str, instance: Any, theorem: str | None) -> list[Bound]:
    """The theorems of this name, if one is given, about a method or an instance of it, the main one first.

    The method's own file nearly always has one; the other files are read only where it has none.
    """
    for of_method in (own_theorems, registry.theorems_of):
        known = found = [*of_method(name), *registry.registered(name)]
        if theorem is not None:
            found = [b for b in known if isinstance(theorem, str) and b.theorem == theorem]
        elif any(b.counts for b in known):
            found = [b for b in known if b.counts]  # a lemma answers where there is nothing else, or when asked for
        elif of_method is own_theorems:
            continue
        # cdlab's first, then the most particular
        covering = found if instance is None else sorted(theorems_about(instance, found), key=registry.is_registered)
        if covering:
            return covering
    if not known:
        why = registry.WITHOUT_THEOREM.get(name) or _unknown_method(name)
        raise ValueError(f"no bound for {checks.short_repr(name)}: {why}")
    if not found:
        names = ", ".join(repr(each) for each in dict.fromkeys(b.theorem for b in known))
        raise ValueError(f"{name} has no theorem {checks.short_repr(theorem)}; there is one for {names}")
    raise ValueError(why_not_about(instance, found))


def _theorem_for_sampling(main: Bound, sampling: NamedSampling, found: list[Bound]) -> Bound:
    """The theorem about a sampling, by its name or by its probabilities: the main one, or else one of the user's."""
    same = [b for b in found if b.theorem == main.theorem]
    among = [*same, *(b for b in found if registry.is_registered(b) and b not in same)]
    for name in sampling.theorem_names:
        for b in among:
            if b.sampling == name:
                return b
    known = ", ".join(repr(name) for name in dict.fromkeys(b.sampling for b in among))
    who = f"theorem {main.theorem!r} does" if len(among) == len(same) else "theorems do"
    how = (
        _how_to_give_probabilities(main.method, sampling) if any(b.sampling == ANY_PROBABILITIES for b in among) else ""
    )
    raise ValueError(f"{main.method}'s {who} not cover {sampling.description}; there is one for {known}{how}")


def _how_to_give_probabilities(method: str, sampling: NamedSampling) -> str:
    """The end of a sentence: which probabilities to pass in place of a sampling of single coordinates."""
    if sampling.in_blocks or sampling.name in samplings.BLOCKS:
        return ""
    known = sampling.name in samplings.SAMPLINGS
    p = f"cdlab.methods.resolve({method!r}).probabilities(P, {sampling.name!r})" if known else "p"
    return f" (any probabilities: cdlab.theory.bound({method!r}, sampling={p}))"


def _unknown_method(name: str) -> str:
    known = registry.methods()
    return (
        f"cdlab knows no theorem about it{checks.did_you_mean(name, known)}; cdlab.theory.register takes one of your "
        f"own, and there is one for {', '.join(map(repr, known))}"
    )


# ------------------------------------------------------------ instances of methods
def theorems_about(instance: Any, found: Iterable[Bound]) -> list[Bound]:
    """Return the theorems that are about an instance, with its own numbers; the most particular ones first."""
    values = dict(instance.changed)
    covering = sorted((b for b in found if _covers(b, instance, values)), key=lambda b: -len(b.parameters))
    values |= {name: value for name, value in instance.parameters.items() if name in USER_PARAMETERS}
    return [_with_numbers(b, instance, values) for b in covering]


def sampling_of(instance: Any, sampling: Any) -> NamedSampling | None:
    """Return the sampling of an instance that is asked for `sampling`; None if it draws nothing or none was asked for.

    Raises
    ------
    ValueError
        For a sampling that no theorem covers, or that the instance's batches cannot follow.
    """
    asked = name_sampling(UNIFORM if sampling is None else sampling)
    if instance is None:
        return None if sampling is None else asked
    size, drawn = instance.parameters.get(BATCH_PARAMETER), instance.draws(asked)
    if size is not None and drawn is asked and asked.block_size != size:
        raise ValueError(
            f"{instance.name} with batch_size={size} draws blocks by TauNice({size}) and cannot follow {asked.name} "
            "sampling: leave sampling or batch_size out"
        )
    if drawn is asked:
        return None if sampling is None else asked
    return None if drawn is None else name_sampling(drawn)


def _covers(b: Bound, instance: Any, values: Mapping[str, Any]) -> bool:
    return not _different_parameters(b, instance) and all(_mentions(b, name, value) for name, value in values.items())


def _different_parameters(b: Bound, instance: Any) -> dict[str, Any]:
    """The parameters that the theorem is about and that are different here."""
    return {name: value for name, value in b.parameters if instance.parameters.get(name, MISSING) != value}


def _mentions(b: Bound, name: str, value: Any) -> bool:
    """Tell whether a theorem says something for this value of a parameter."""
    if name == BATCH_PARAMETER or name in dict(b.parameters):
        return True
    if any(free == name if isinstance(free, str) else free[0] == name and value in free[1] for free in b.neutral):
        return True
    return bool(_symbols_set(b, name, value))


def _symbols_set(b: Bound, name: str, value: Any) -> dict[sp.Symbol, sp.Expr]:
    """The symbols of a theorem's count that a parameter sets, with their numbers."""
    if not isinstance(value, int | float | np.number) or isinstance(value, bool):
        return {}
    formulas = (b.count if b.counts else b.expr, b.W, b.setup, *b.assumptions)
    used = set().union(*(formula.free_symbols for formula in formulas if formula is not None))
    found = {symbol: sp.sympify(value) for symbol in PARAMETERS.get(name, ()) if symbol in used}
    # a mu that is given need not be found, which is what `gram` costs
    return found | ({gram: sp.S.Zero} if found and gram in used else {})


def _with_numbers(b: Bound, instance: Any, values: Mapping[str, Any]) -> Bound:
    """The theorem with the instance's numbers, and with those of its fallbacks that are about the instance."""
    numbers = {s: number for name, value in values.items() for s, number in _symbols_set(b, name, value).items()}
    fallback = b.fallback
    while fallback is not None and not _covers(fallback, instance, values):
        fallback = fallback.fallback
    if fallback is not None:
        fallback = _with_numbers(fallback, instance, values)
    return replace(b, numbers=tuple(numbers.items()), fallback=fallback)


def why_not_about(instance: Any, found: Sequence[Bound]) -> str:
    """The parameters of an instance that none of some theorems covers, in a sentence."""
    values = dict(instance.changed)
    name = instance.name
    theorems = dict.fromkeys(b.theorem for b in found)
    who = f"{name}'s theorem {found[0].theorem!r}" if len(theorems) == 1 else ""
    differing = _different_parameters(found[0], instance)
    if who and differing:
        here = {parameter: instance.parameters.get(parameter) for parameter in differing}
        return f"{who} is about {name} with {_in_words(differing)}, and this one has {_in_words(here)}"
    unmentioned = {key: value for key, value in values.items() if not any(_mentions(b, key, value) for b in found)}
    what = _in_words(
        unmentioned or values or {parameter: instance.parameters.get(parameter) for parameter in differing}
    )
    return f"{who} does not cover {name} with {what}" if who else f"no theorem covers {name} with {what}"


def _in_words(values: Mapping[str, Any]) -> str:
    return " and ".join(f"{name}={getattr(value, 'label', None) or repr(value)}" for name, value in values.items())
