"""The arguments of `exact_rate`: a method with its parameters, and a sampling as independent draws or as orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import samplings
from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling

ORDERS = ("permutation", "cyclic", "symmetric", "fixed_permutation")
CHOICES = {
    ("quartz", "step"): ("fixed", "local", "long"),
    ("svrg", "snapshot"): ("last", "average"),
    ("apcg", "smoothness"): ("individual", "uniform"),
}


@dataclass(frozen=True)
class ParametrizedMethod:
    """A method, by its name and all parameters that its rate depends on."""

    name: str
    parameters: Mapping[str, Any]
    label: str


def parametrized_method(
    method: Any, given: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]], what: str = "exact rate"
) -> ParametrizedMethod:
    """The method of this name, or of this instance, with the parameters given beside it.

    Parameters
    ----------
    method : str or Method
        The name, or the instance.
    given : mapping
        Parameters of a method that is given by its name.
    known : mapping
        The default parameters of the methods that have one, by name.
    what : str, default "exact rate"
        What is asked for.

    Raises
    ------
    ValueError, TypeError
        For a method without an exact rate, or parameters that it does not have.
    """
    instance, name = (None, method) if isinstance(method, str) else (method, getattr(method, "name", None))
    if not isinstance(name, str) or isinstance(method, type):
        raise TypeError(f"the {what} is of a method, by its name or an instance, not of {checks.short_repr(method)}")
    if name not in known or getattr(instance, "unwrapped", instance) is not instance:
        raise ValueError(
            f"{getattr(instance, 'label', name)} has no {what} here{checks.did_you_mean(name, known)}: steps that "
            f"have one, linear in the method's state, are written down for {checks.join_with_or(known)}"
        )
    if instance is not None:
        if given:
            raise TypeError(f"{', '.join(given)} must be set in the instance of {name}, or {name} given by its name")
        values = {**known[name], **{key: value for key, value in instance.parameters.items() if key in known[name]}}
        return ParametrizedMethod(name, values, instance.label)
    for key in given:
        if key not in known[name]:
            takes = checks.join_with_or(known[name]) if known[name] else "none"
            raise TypeError(f"exact_rate has no parameter {key!r} for {name}; it takes {takes}")
        if allowed := CHOICES.get((name, key)):
            checks.one_of(f"{name}'s {key}", given[key], allowed)
    shown = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return ParametrizedMethod(name, {**known[name], **given}, f"{name}({shown})" if shown else name)


def resolved_sampling(sampling: Any) -> Sampling:
    """The serial sampling of this name, instance or probabilities.

    Raises
    ------
    ValueError
        If it draws blocks, or is an order of which nothing is known here.
    """
    found = samplings.resolve(sampling)
    if not found.serial:
        raise ValueError(
            f"an exact rate is of one coordinate at a time and {found.name} draws blocks: use uniform, permutation, "
            "cyclic or the like"
        )
    if not found.has_theorem and found.name not in ORDERS:
        raise ValueError(
            f"{found.name} is an order that is not known here: exact rates are of independent draws, or of "
            f"{checks.join_with_or(ORDERS)}"
        )
    return found


def drawn_probabilities(problem: Problem, sampling: Sampling, side: str, lines: np.ndarray) -> np.ndarray:
    """p (m,) of all coordinates of a side.

    Raises
    ------
    ValueError
        If one of `lines`, the coordinates that must move, is never drawn.
    """
    p = sampling.probabilities(problem.coordinates(side))
    never = lines[p[lines] <= 0]
    if never.size:
        raise ValueError(
            f"coordinate {never[0]} (of {never.size} such) is never drawn, so errors do not fall: give each a positive "
            "probability"
        )
    return p


def checked_order(order: Any, sampling: Sampling, size: int) -> np.ndarray:
    """The order (size,) of one sweep that "fixed_permutation" repeats.

    Raises
    ------
    ValueError
        If it is no permutation of 0, ..., size - 1.
    """
    if order is None:
        raise ValueError(
            f"{sampling.name} draws one order and keeps it, and the rate depends on which: pass order=, a permutation "
            f"of 0, ..., {size - 1}"
        )
    found = checks.array("order", order)
    if found.shape != (size,) or found.dtype.kind not in "iu" or not np.array_equal(np.sort(found), np.arange(size)):
        raise ValueError(f"order must be a permutation of 0, ..., {size - 1}, not {checks.short_repr(order)}")
    return found.astype(np.intp)
