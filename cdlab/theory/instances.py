"""The theorems about an instance of a method: a changed parameter is free in the theorem, read by it, or not covered.

Nothing here lists the parameters that are not covered: they are those that no theorem mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from .bound import Bound
from .drawn_samplings import Drawn, named_sampling
from .statement import Statement
from .symbols import accuracy, delta, gamma_r, gram, mu, mu_cols, mu_rows, prox_weight, step

S = TypeVar("S", bound=Statement)
BATCH = "batch_size"  # read as the sampling that it stands for
# a parameter -> the symbols of a bound that it sets; a mu that is given need not be found, which is what `gram` costs
SETS: dict[str, tuple[sp.Symbol, ...]] = {
    "delta": (delta,),
    "prox_weight": (prox_weight,),
    "accuracy": (accuracy,),
    "gamma_r": (gamma_r,),
    "step": (step,),
    "mu": (mu, mu_rows, mu_cols),
}
ALWAYS_READ: set[str] = (
    set()
)  # parameters of users' methods with a symbol of their own: read where they are defaults, too


def changed(instance: Any) -> dict[str, Any]:
    """The parameters of an instance that are not their defaults."""
    found = {}
    for f in fields(instance):
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if not np.all(getattr(instance, f.name) == default):
            found[f.name] = getattr(instance, f.name)
    return found


def about(instance: Any, found: Iterable[Bound]) -> list[Bound]:
    """Those of some theorems that are about an instance, with its own numbers; the most particular ones first.

    Parameters
    ----------
    instance : Method
        The method with its parameters.
    found : iterable of Bound
        The theorems about this method.

    Raises
    ------
    ValueError
        If there is none: the message names what is not covered.
    """
    found = list(found)
    values = changed(instance)
    speaking = [b for b in found if _covers(b, instance, values)]
    if not speaking:
        raise ValueError(_refusal(instance, found, values))
    speaking.sort(key=lambda b: -len(b.parameters))
    values |= {name: getattr(instance, name) for name in ALWAYS_READ if hasattr(instance, name)}
    return [_made_own(b, instance, values) for b in speaking]


def drawn_by(instance: Any, sampling: Any) -> Drawn | None:
    """The sampling by which an instance draws when it is asked for `sampling`.

    Parameters
    ----------
    instance : Method or None
        None: a method was asked for by its name alone.
    sampling : str, array, Sampling or None
        As `cdlab.theory.bound` takes it.

    Returns
    -------
    Drawn or None
        None if the instance draws nothing, or no sampling was asked for.

    Raises
    ------
    ValueError
        For a sampling that no theorem covers, or that the instance's batches cannot follow.
    """
    asked = named_sampling("uniform" if sampling is None else sampling)
    if instance is None:
        return None if sampling is None else asked
    m, drawn = getattr(instance, BATCH, None), instance.effective(asked)
    if m is not None and drawn is asked and asked.size != m:
        raise ValueError(
            f"{instance.name} with {BATCH}={m} draws blocks by TauNice({m}) and cannot follow {asked.name} sampling: "
            f"leave sampling or {BATCH} out"
        )
    if drawn is asked:
        return None if sampling is None else asked
    return None if drawn is None else named_sampling(drawn)


# ------------------------------------------------------------ one theorem
def _covers(b: Statement, instance: Any, values: Mapping[str, Any]) -> bool:
    return not _others(b, instance) and all(_speaks(b, name, value) for name, value in values.items())


def _others(b: Statement, instance: Any) -> dict[str, Any]:
    """The parameters that the theorem is about and that are different here."""
    return {name: value for name, value in b.parameters if getattr(instance, name, MISSING) != value}


def _speaks(b: Statement, name: str, value: Any) -> bool:
    """Whether a theorem says something for this value of a parameter."""
    if name == BATCH or name in b.neutral or name in dict(b.parameters):
        return True
    return bool(_read(b, name, value))


def _read(b: Statement, name: str, value: Any) -> dict[sp.Symbol, sp.Expr]:
    """The symbols of a theorem's count that a number sets."""
    if not isinstance(value, int | float | np.number) or isinstance(value, bool):
        return {}
    formulas = (b.count if b.counts else b.expr, b.W, b.setup, *b.assumptions)
    used = set().union(*(formula.free_symbols for formula in formulas if formula is not None))
    found = {symbol: sp.sympify(value) for symbol in SETS.get(name, ()) if symbol in used}
    return found | ({gram: sp.S.Zero} if found and gram in used else {})


def _made_own(b: S, instance: Any, values: Mapping[str, Any]) -> S:
    """The theorem with the instance's numbers, and with those of its fallbacks that are about the instance."""
    own = {symbol: number for name, value in values.items() for symbol, number in _read(b, name, value).items()}
    fallback = b.fallback
    while fallback is not None and not _covers(fallback, instance, values):
        fallback = fallback.fallback
    if fallback is not None:
        fallback = _made_own(fallback, instance, values)
    return replace(b, own=tuple(own.items()), fallback=fallback)


# ------------------------------------------------------------ words
def _refusal(instance: Any, found: list[Bound], values: Mapping[str, Any]) -> str:
    name = instance.name
    theorems = dict.fromkeys(b.theorem for b in found)
    who = f"{name}'s theorem {found[0].theorem!r}" if len(theorems) == 1 else ""
    others = _others(found[0], instance)
    if who and others:
        here = {parameter: getattr(instance, parameter, None) for parameter in others}
        return f"{who} is about {name} with {_written(others)}, and this one has {_written(here)}"
    strange = {
        parameter: value for parameter, value in values.items() if not any(_speaks(b, parameter, value) for b in found)
    }
    what = _written(strange or values or {parameter: getattr(instance, parameter) for parameter in others})
    return f"{who} does not cover {name} with {what}" if who else f"no theorem covers {name} with {what}"


def _written(values: Mapping[str, Any]) -> str:
    return " and ".join(f"{name}={getattr(value, 'label', None) or repr(value)}" for name, value in values.items())
