"""What a bound is checked on: the method that it is about, with the bound's parameters and its sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from .. import methods, samplings
from ..methods import Method
from ..runs.entries import draws
from ..theory import SYMBOLS, Bound
from ..theory.lookup import about, why_not_about
from ..theory.named_samplings import ANY_PROBABILITIES, name_sampling
from ..theory.symbols import PARAMETERS
from .checked_method import instance

NOTHING_DRAWN, ANY = "none", "any"


def subject(b: Bound, method: Any, given: Mapping[str, float]) -> tuple[Method, Bound]:
    """The method to run, and the bound with that instance's numbers.

    Parameters
    ----------
    b : Bound
        The bound.
    method : Method, its class, its name or None
        None: the registered method of the bound's name.
    given : mapping
        Numbers that somebody told, by keywords; a parameter that sets one of these symbols is set to it.

    Raises
    ------
    ValueError
        If it is another method than the bound's, or the bound does not cover it.
    """
    asked = method or b.method
    if isinstance(asked, str) and asked not in methods.METHODS:
        raise ValueError(
            f"there is no method named {asked!r} to run: pass it, check_bound(bound, MyMethod), or register it"
        )
    kind = methods.METHODS[asked] if isinstance(asked, str) else asked
    if kind.name != b.method:
        raise ValueError(f"it is about {b.method}, and the method to run is {kind.name}")
    if kind.side != b.side:
        raise ValueError(f"its side is {b.side!r}, and {kind.name}'s coordinates are those of side={kind.side!r}")
    told = {symbol.name: float(number) for symbol, number in b.numbers} | dict(given)
    has = {f.name: f for f in fields(kind)}
    of_method = {name: symbols for name, symbols in PARAMETERS.items() if name in has}
    sets = {name: told[s.name] for name, symbols in of_method.items() for s in symbols if s.name in told}
    for name, value in b.parameters:
        if name not in has:
            raise ValueError(f"it is about {kind.name} with {name}={value!r}, which is not a parameter of {kind.name}")
    made = instance(asked, **dict(b.parameters) | sets)
    covering = about(made, [b])
    if not covering:
        raise ValueError(why_not_about(made, [b]))
    numbers = dict(b.numbers) | dict(covering[0].numbers)
    return made, replace(covering[0], numbers=tuple(numbers.items()))


def drawing(b: Bound, method: Method, sampling: Any) -> Bound:
    """The bound with the probabilities or blocks that it leaves to the caller.

    Raises
    ------
    ValueError
        If the sampling, or that the method draws at all, contradicts the bound, or its name is not enough.
    """
    if b.sampling != ANY and draws(method) != (b.sampling != NOTHING_DRAWN):
        does = f"draws coordinates: name the sampling, not {NOTHING_DRAWN!r}"
        raise ValueError(
            f"it is about {b.sampling!r} sampling, and {method.name} "
            f"{does if draws(method) else f'draws nothing: its sampling is {NOTHING_DRAWN!r}'}"
        )
    if b.sampling in (NOTHING_DRAWN, ANY):
        return b
    if sampling is None:
        if b.asked_sampling is None and b.sampling not in (ANY_PROBABILITIES, *samplings.SAMPLINGS, *samplings.BLOCKS):
            raise ValueError(f"no sampling is registered by the name {b.sampling!r}: pass {_an_instance(b.sampling)}")
        return b
    drawn = name_sampling(method.effective(samplings.resolve(sampling)))  # of batch_size, too
    if b.sampling in drawn.theorem_names:
        return b if b.asked_sampling is not None else replace(b, asked_sampling=drawn._replace(name=b.sampling))
    if drawn.in_blocks and SYMBOLS["m"] in b.symbols:
        return replace(b, asked_sampling=drawn._replace(name=b.sampling))
    raise ValueError(f"it is about {b.sampling} sampling, and the runs were to draw by {drawn.description}")


def _an_instance(name: str) -> str:
    """How a sampling that has to be passed may be written."""
    for kind in vars(samplings).values():
        if isinstance(kind, type) and issubclass(kind, samplings.Blocks) and getattr(kind, "name", None) == name:
            return f"an instance, such as check_bound(bound, sampling=cdlab.samplings.{kind.example})"
    return "an instance, check_bound(bound, sampling=MySampling())"


def sampling_of(b: Bound, sampling: Any) -> Any:
    """What the runs draw by: the sampling asked for, or the bound's own."""
    if sampling is not None:
        return sampling
    if b.asked_sampling is not None and b.asked_sampling.sampling is not None:
        return b.asked_sampling.sampling
    return None if b.sampling in (NOTHING_DRAWN, ANY) else b.sampling
