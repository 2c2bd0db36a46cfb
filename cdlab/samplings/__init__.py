"""Samplings: which coordinate is updated next.

A sampling is a small frozen object that knows two things about m coordinates: its ``probabilities`` (step sizes and
bounds need them) and its ``epochs``, an endless generator of index arrays, each as long as one epoch. Coordinates are
drawn here, with numpy, and handed to the kernels: every method can be fed the same sequence, and a new sampling costs
no compilation.

Serial samplings (serial.py) take one coordinate at a time: drawn with replacement and independently, or in an order,
about which no theorem here speaks. Those of exact_steps.py lie between uniform and importance sampling. Those in
``BLOCKS`` (blocks.py, partitions.py) draw blocks instead, and are constructed with their arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..numerics import checks
from ..numerics.user_classes import check_defaults, register_class
from .base import Batches, Coordinates, Sampling, SamplingLike, normalised, probability_fault
from .blocks import Blocks, Independent, NormsBlocks, TauNice
from .exact_steps import Clipped, Mixture
from .partitions import Bucket, BySize, Distributed
from .serial import (
    Cyclic,
    FixedPermutation,
    Given,
    Importance,
    Lipschitz,
    Norms,
    PairedPermutation,
    Permutation,
    Symmetric,
    Uniform,
)

SAMPLINGS: dict[str, type[Sampling]] = {
    s.name: s
    for s in (
        *(Uniform, Permutation, PairedPermutation, FixedPermutation, Cyclic, Symmetric, Importance, Norms, Lipschitz),
        *(Clipped, Mixture),
    )
}

BLOCKS: dict[str, type[Blocks]] = {s.name: s for s in (TauNice, Independent, Bucket, Distributed)}

__all__ = [
    "BLOCKS",
    "SAMPLINGS",
    "Batches",
    "Blocks",
    "Bucket",
    "BySize",
    "Clipped",
    "Coordinates",
    "Cyclic",
    "Distributed",
    "FixedPermutation",
    "Given",
    "Importance",
    "Independent",
    "Lipschitz",
    "Mixture",
    "Norms",
    "NormsBlocks",
    "PairedPermutation",
    "Permutation",
    "Sampling",
    "SamplingLike",
    "Symmetric",
    "TauNice",
    "Uniform",
    "normalised",
    "probability_fault",
    "register",
    "resolve",
    "unknown_sampling_error",
]


def unknown_sampling_error(name: str, names: Sequence[str]) -> ValueError:
    """The error for a name that is none of these, with the closest one."""
    hint = checks.hint_for_name(name, {**SAMPLINGS, **BLOCKS})
    return ValueError(f"there is no sampling named {checks.short_repr(name)}{hint} (samplings: {', '.join(names)})")


def register(cls: type[Sampling]) -> type[Sampling]:
    """Let a serial sampling of yours, whose parameters all have defaults, be found by its name; also as a decorator.

    Parameters
    ----------
    cls : type
        A frozen dataclass derived from `Sampling`.

    Returns
    -------
    type
        The class itself.

    Raises
    ------
    ValueError
        If cdlab has a sampling of this name.
    TypeError
        If it is not the class of a serial sampling, or a parameter has no default.
    """
    if not (isinstance(cls, type) and issubclass(cls, Sampling) and cls.serial):
        raise TypeError(
            f"register takes a class of serial samplings, derived from Sampling, not {checks.short_repr(cls)}"
        )
    check_defaults("sampling", cls)
    register_class(SAMPLINGS, "sampling", cls.name, cls)
    return cls


def resolve(sampling: SamplingLike | Any) -> Sampling:
    """The sampling with this name, the instance itself, or the one with these probabilities.

    Parameters
    ----------
    sampling : str, Sampling or (m,) array
        A name in `SAMPLINGS`, an instance, or probabilities, which are divided by their sum.

    Returns
    -------
    Sampling

    Raises
    ------
    ValueError
        For an unknown name, one that needs arguments, or probabilities that are not positive.
    TypeError
        For a class in place of an instance.
    """
    if isinstance(sampling, Sampling):
        return sampling
    if isinstance(sampling, str):
        if sampling in BLOCKS:
            raise ValueError(f"{sampling} needs arguments: pass cdlab.samplings.{BLOCKS[sampling].example} or the like")
        if sampling not in SAMPLINGS:
            raise unknown_sampling_error(sampling, [*SAMPLINGS, *BLOCKS])
        return SAMPLINGS[sampling]()
    if isinstance(sampling, type) and issubclass(sampling, Sampling):
        raise TypeError(
            f"a sampling is an instance: pass {sampling.__name__}(), with its parameters, in place of the class"
        )
    weights: Any = sampling
    return Given(weights)
