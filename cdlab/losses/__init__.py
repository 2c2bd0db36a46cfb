"""Losses phi(u; y) of a prediction u = x'w and a label y.

A loss is one class with four formulas; Squared, in scalar.py, is the shortest. To add your own, copy it into a file
or a notebook of yours, decorate it with ``cdlab.jit.struct`` and pass an instance to ``Problem``. Kernels with a class
of yours are compiled by each process and not kept on disk, so that what you edit is what runs. The four::

    phi(u, y)              the loss
    grad_phi(u, y)         its derivative in u (a subgradient at a kink)
    phi_conj(a, y)         its conjugate at -a, that is phi*(-a): the dual objective contains -phi_conj(alpha)
    dualprox(u, y0, q, y)  argmax_beta  u beta - phi*(beta) - (q/2)(beta - y0)^2: the one step of every dual method.
                           By optimality beta = phi'(u - q (beta - y0)): a damped derivative. SDCA calls it with
                           y0 = -alpha_i, q = ||x_i||^2/(l2 n) and sets alpha_i = -beta.

and the plain facts ``name``, ``gamma`` (phi is 1/gamma-smooth; 0: not smooth), ``lipschitz`` (of phi itself) and
``classification`` (labels are mapped to -1, +1); class attributes, where they are no formula of the parameters. A loss
with gamma = 0 whose derivative does not jump says so with ``kinks = False``. Parameters are numbers > 0 unless the
class says otherwise, as in ``ranges = {"gamma": "[0, inf)"}``. A loss may also have the formula of its second
derivative, which `newton_cd` needs::

    hess_phi(u, y)         phi''(u; y) >= 0, where phi' bends that of one side

and that of the interval where phi_conj is finite, into which dual variables are moved that rounding put outside::

    domain(y)              its ends (low, high)

``cdlab.testing.check_loss`` checks all of this. Below m = y u is the margin, and a hinge-type dual
variable is written b = y a in [0, 1].

A loss of K-vectors (``vector = True``: softmax, of several classes) has u and a of shape (K,) and y the index of the
class; kernels cannot allocate, so what has K components is written into ``out``::

    grad_phi_into(u, y, out)             in place of grad_phi
    dualprox_into(u, y0, q, y, out)      in place of dualprox, with (q/2)||beta - y0||^2
    hess_phi_into(u, y, s, out)          in place of hess_phi: the matrix of second derivatives times s (K,)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..numerics import checks
from ..numerics.jit.structs import base_name, is_digested
from ..numerics.user_classes import check_defaults, register_class
from .base import (
    Loss,
    ScalarLoss,
    TwiceDifferentiable,
    VectorLoss,
    has_hessian,
    has_kinks,
    hess_lipschitz,
    hessian_formula,
    is_of_residual,
    is_vector,
    missing_parts,
    smoothness_hint,
)
from .scalar import (
    EpsilonInsensitive,
    Huber,
    Logistic,
    Pinball,
    SmoothHinge,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from .softmax import Softmax
from .weighted import unweighted, weighted

END = r"([-+]?(?:inf|[0-9.]+(?:e[-+]?[0-9]+)?))"
INTERVAL = re.compile(rf"([\[(])\s*{END}\s*,\s*{END}\s*([\])])")


def hinge() -> SmoothHinge:
    """The hinge loss max(0, 1 - y u): `SmoothHinge` with gamma = 0."""
    return SmoothHinge(gamma=0.0)


def absolute() -> Huber:
    """The absolute loss abs(u - y): `Huber` with gamma = 0."""
    return Huber(gamma=0.0)


LOSSES: dict[str, Callable[..., Loss]] = {
    "squared": Squared,
    "logistic": Logistic,
    "hinge": hinge,
    "smooth_hinge": SmoothHinge,
    "squared_hinge": SquaredHinge,
    "absolute": absolute,
    "huber": Huber,
    "pinball": Pinball,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "softmax": Softmax,
}

NAMES_ELSEWHERE = {  # other names of losses, in scikit-learn and in speech
    "squared_error": "squared", "mse": "squared", "least_squares": "squared", "log_loss": "logistic",
    "log": "logistic", "cross_entropy": "softmax", "multinomial": "softmax", "absolute_error": "absolute",
    "mae": "absolute", "quantile": "pinball",
}  # fmt: skip


__all__ = [
    "LOSSES",
    "absolute",
    "EpsilonInsensitive",
    "hinge",
    "Huber",
    "Logistic",
    "Loss",
    "Pinball",
    "ScalarLoss",
    "SmoothHinge",
    "Softmax",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "TwiceDifferentiable",
    "VectorLoss",
    "has_hessian",
    "has_kinks",
    "hess_lipschitz",
    "hessian_formula",
    "is_of_residual",
    "is_vector",
    "resolve",
    "smoothness_hint",
    "register",
    "unweighted",
    "weighted",
]


def register(cls: type) -> type:
    """Let a loss of yours, whose parameters all have defaults, be found by its name; also as a decorator.

    Parameters
    ----------
    cls : type
        A NamedTuple with `cdlab.jit.struct`, see `Loss`.

    Returns
    -------
    type
        The class itself.

    Raises
    ------
    ValueError
        If cdlab has a loss of this name.
    TypeError
        If it is not the class of a loss, or a parameter has no default.

    Examples
    --------
    >>> import cdlab
    >>> cdlab.losses.register(MyLoss)  # doctest: +SKIP
    >>> cdlab.Problem(X, y, loss="my_loss")  # doctest: +SKIP
    """
    if not isinstance(cls, type):
        raise TypeError(
            f"register takes the class of a loss, not {checks.short_repr(cls)}: register(MyLoss), without ()"
        )
    check_defaults("loss", cls)
    register_class(LOSSES, "loss", resolve(cls()).name, cls)
    return cls


def resolve(loss: str | Loss) -> Loss:
    """The loss with this name and its default parameters, or the instance itself, checked.

    Parameters
    ----------
    loss : str or loss instance
        A name in `LOSSES`, or an instance, whose parameters are checked and made Python's own numbers.

    Returns
    -------
    Loss

    Raises
    ------
    ValueError
        For an unknown name, or a parameter that is not a finite number of the right sign.
    TypeError
        For something that is not a loss, or lacks a part of one.
    """
    if isinstance(loss, str):
        if loss not in LOSSES:
            known = NAMES_ELSEWHERE.get(loss.lower())
            hint = f"; did you mean {known!r}?" if known else checks.hint_for_name(loss, LOSSES)
            raise ValueError(f"there is no loss named {checks.short_repr(loss)}{hint} (losses: {', '.join(LOSSES)})")
        return _default_instance(LOSSES[loss])
    if unweighted(loss) is not loss:
        raise TypeError(
            "this loss carries the sample weights or the offset of a Problem P: pass cdlab.losses.unweighted(P.loss), "
            "sample_weight=P.sample_weight and offset=P.offset"
        )
    if isinstance(loss, type) and hasattr(loss, "phi"):
        raise TypeError(f"a loss is an instance: pass {base_name(loss)}(), with its parameters, in place of the class")
    missing = missing_parts(loss)
    if missing:
        hint = "pass a name or an instance such as SmoothHinge(0.5)"
        if hasattr(type(loss), "phi"):  # somebody's own
            hint = f"add `{missing[0]} = ...` (or a method) to the class; see cdlab.losses.Loss"
        raise TypeError(f"loss {checks.short_repr(loss)} has no {', '.join(missing)}; {hint}")
    if not hasattr(loss, "_fields"):
        raise TypeError(
            f"loss {type(loss).__name__} is not a NamedTuple: write class {type(loss).__name__}(typing.NamedTuple) "
            "with @cdlab.jit.struct above it"
        )
    fields: Any = loss  # a NamedTuple
    checked = type(loss)(*(_parameter(loss, name, value) for name, value in zip(fields._fields, fields, strict=True)))
    for fact in ("gamma", "lipschitz"):  # often formulas of the parameters
        _readable(checked, fact)
    return checked


@cache
def _default_instance(cls: type[Loss]) -> Loss:
    return resolve(cls())


def _readable(loss: Any, fact: str) -> None:
    """Refuse a loss with a fact that reads what the class lacks: Python's message would not name the fact."""
    try:
        getattr(loss, fact)
    except AttributeError as error:
        known = ", ".join(loss._fields)
        raise TypeError(
            f"loss {base_name(type(loss))} has no {error.name!r}, which its {fact} asks for; its fields are {known}"
        ) from None


def _parameter(loss: Loss, field: str, value: Any) -> float:
    """One parameter as a number that kernels are compiled for, in the range that the loss declares."""
    low, high, ends = _interval(loss, field)
    if high < math.inf:
        wanted = f"a number in {ends[0]}{low:g}, {high:g}{ends[1]}"
    elif low > -math.inf:
        wanted = f"a finite number {'>=' if ends[0] == '[' else '>'} {low:g}"
    else:
        wanted = "a finite number"
    if field not in getattr(loss, "ranges", {}) and not is_digested(type(loss)):  # somebody's own
        wanted += f' (for another range write ranges = {{"{field}": "[0, inf)"}} into the class)'
    what = f"{field} of the loss {base_name(type(loss))}"
    x = checks.number(what, value, wanted, low=low, high=high, ends=ends)
    return int(x) if isinstance(value, int | np.integer) and abs(x) < 2**53 else x


def _interval(loss: Any, field: str) -> tuple[float, float, str]:
    """The range of a parameter: its two ends, and "[" or "]" where one belongs to it."""
    text = getattr(loss, "ranges", {}).get(field, "(0, inf)")
    found = INTERVAL.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise TypeError(
            f'loss {base_name(type(loss))}: the range of {field} must be an interval such as "(0, 1]" or "[0, inf)", '
            f"not {checks.short_repr(text)}"
        )
    return float(found[2]), float(found[3]), found[1] + found[4]
