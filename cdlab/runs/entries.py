"""Entries: a method and how its coordinates are sampled, in all the ways that people name them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .. import methods, samplings
from ..methods import METHODS, Method
from ..methods.base import draws_coordinates
from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling, Uniform


@runtime_checkable
class HasEntry(Protocol):
    """An object that knows its own entry, as the choices of `cdlab.advise` do."""

    @property
    def entry(self) -> tuple[str | Method, dict[str, Any]]:
        """The method and a dict of options, such as ``("sdca", {"sampling": "importance"})``."""


Entry = str | Method | HasEntry | tuple[str | Method, dict[str, Any]]
MethodAndSampling = tuple[Method, Sampling]  # what an entry comes down to

NO_SAMPLING = "none"  # This is the sampling of methods that draw nothing.
ENTRY_FORMS = (
    'a name ("sdca"), a label ("sdca@importance"), a Method, a Choice of cdlab.advise, or (method, dict of options)'
)


def resolve_entry(
    entry: Entry, sampling: str | Sampling | np.ndarray | None = None, **parameters: Any
) -> MethodAndSampling:
    """The method and the sampling that an entry names; uniform sampling where it names none.

    Parameters
    ----------
    entry : str, Method, Choice or (method, options)
        "sdca", "sdca@importance", an instance, a choice of `cdlab.advise`, or ("sdca", dict(sampling=..., ...)).
    sampling : str, Sampling or array of weights, optional
        If the entry does not say it. Weights are divided by their sum. "none" is for methods that draw nothing.
    **parameters
        Parameters of the method, if the entry is a name.

    Raises
    ------
    TypeError, ValueError
        If the entry names no method, or names the sampling twice.
    """
    if isinstance(entry, Method) and isinstance(sampling, Sampling) and not parameters:
        return entry, sampling
    method, named, options = _split_entry(entry)
    parameters = options | parameters
    if named is not None and sampling is not None:
        words, other = checks.short_repr(entry), checks.short_repr(sampling)
        raise ValueError(f"the sampling is given twice: {words} names one, and sampling={other} another")
    made = methods.resolve(method, **parameters)
    return made, sampling_for(made, sampling if named is None else named)


def sampling_for(method: Method, sampling: str | Sampling | np.ndarray | None) -> Sampling:
    """The sampling with this name for this method; uniform for None, and for "none" where nothing is drawn.

    Raises
    ------
    ValueError
        For "none" with a method that draws, and if it is not a sampling.
    """
    if sampling is None:
        return Uniform()
    if not (isinstance(sampling, str) and sampling == NO_SAMPLING):
        return samplings.resolve(sampling)
    if not draws_coordinates(method):
        return Uniform()  # never asked for a coordinate
    free = [name for name, other in METHODS.items() if not draws_coordinates(other())]
    raise ValueError(
        f'sampling "none" is for methods that draw no coordinates ({", ".join(free)}), and {method.name} draws them: '
        "use uniform or permutation"
    )


def with_aim(method: Method, tol: float) -> Method:
    """The method as it is run until the relative gap is `tol`: that is its `aim`, if it has one that is None."""
    if tol > 0 and getattr(method, "aim", tol) is None:
        return replace(method, aim=tol)  # type: ignore[call-arg]
    return method


def _split_entry(entry: Any) -> tuple[str | Method, Any, dict[str, Any]]:
    """Method, sampling (None if not named) and parameters."""
    if isinstance(entry, Method):
        return entry, None, {}
    if not isinstance(entry, str | type) and isinstance(entry, HasEntry):
        entry = entry.entry
    if isinstance(entry, str):
        name, at, sampling = entry.partition("@")
        if at and not (name and sampling):
            wrong = checks.short_repr(entry)
            raise ValueError(f"{wrong} is not an entry: write METHOD or METHOD@SAMPLING, as in 'sdca@importance'")
        return name, sampling or None, {}
    if isinstance(entry, Method):
        return entry, None, {}
    if not (isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[1], dict)):
        raise TypeError(f"a race entry or a method is {ENTRY_FORMS}; not {checks.short_repr(entry)}")
    method, named, _ = _split_entry(entry[0])
    options = dict(entry[1])
    sampling = options.pop("sampling", None)
    if named is not None and sampling is not None:
        raise ValueError(f"the sampling is given twice: {entry[0]!r} names one, and its options another")
    return method, sampling if named is None else named, options


def check_entry(problem: Problem, method: Method, sampling: Sampling) -> None:
    """Refuse what does not fit, before anything compiles.

    Raises
    ------
    ValueError
        With the method's own sentence, or what is wrong with the sampling's probabilities.
    """
    reason = method.refusal(problem, sampling)
    if reason is None:
        if type(sampling) is Uniform:  # whose probabilities are right, and positive
            return
        coordinates = problem.coordinates(method.side)
        p = sampling.probabilities(coordinates)  # refuses another number of coordinates
        wrong = samplings.probability_fault(p, sampling, coordinates)
        if wrong is not None:
            raise ValueError(f"sampling {sampling.label} of {coordinates.m} coordinates: {wrong}")
        never = np.flatnonzero((p <= 0) & method.must_be_drawn(problem))
        if never.size == 0:
            return
        reason = (
            f"sampling probability {p[never[0]]:g} of coordinate {never[0]} (of {never.size} such): it must be "
            f"positive, because {method.name} never optimises a coordinate that is never drawn"
        )
    elif "l2" in method.needs and problem.mu == 0:
        uniform = samplings.Uniform()
        known: dict[str, type[Method]] = {methods.Auto.name: methods.Auto, **METHODS}
        free = [name for name, other in known.items() if other().refusal(problem, uniform) is None]
        reason += f"; methods that accept this problem: {', '.join(free)}" if free else "; set l2 > 0"
    raise ValueError(reason)


def label_of(method: Method, sampling: Sampling) -> str:
    """The name of a method with a sampling in traces, tables and legends."""
    drawn = method.draws(sampling)
    return method.label if drawn is None else f"{method.label}, {drawn.label}"
