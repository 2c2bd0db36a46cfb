"""The smallest of a method's guarantees at each point of a run, and which theorem it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

import numpy as np

from ..numerics import checks
from . import registry, restatements
from .bound import Bound
from .curve import Curve
from .lookup import bound
from .theorem import TARGETS

OWN_PAIR = (("P(w)-P*", "primal"), ("D*-D", "dual"))  # `Bound.on_gap` then speaks of the points that a run shows
CHECKED = ", checked, not proven"  # ends the name of such a theorem in a curve
Found = TypeVar("Found")


@dataclass(frozen=True)
class Sharpest:
    """Several theorems about one method and one quantity, of which the smallest counts at each point.

    Attributes
    ----------
    bounds : tuple of Bound
        The method's main theorem first.
    bounded : str
        The quantity, as in `cdlab.theory.theorem.Theorem`.
    """

    bounds: tuple[Bound, ...]
    bounded: str

    def __str__(self) -> str:
        names = ", ".join(repr(b.theorem) for b in self.bounds)
        return f"the smallest of the bounds of {self.bounds[0].subject} on {self.bounded}: {names}"

    def curve(self, problem: Any, passes: Any, **measured: float) -> Curve:
        """The smallest guarantee at each point of a trace, of those that cover the problem.

        Its ``parts`` say which theorem that is, and from where on. Parameters and errors are those of `Bound.curve`,
        the errors of the main theorem where none covers the problem.

        Examples
        --------
        >>> import cdlab
        >>> from cdlab import theory
        >>> P = cdlab.Problem([[1.0, 2.0], [2.0, 1.0], [0.5, -1.0]], [1, -1, 1], loss="logistic", l2=0.1)
        >>> theory.sharpest("sdca", bounded="D*-D").curve(P, [0.0, 2.0, 200.0]).parts
        (('smooth dual', 0.0), ('halved dual', 200.0))
        """
        curves = dict(self._covering(lambda b: b.curve(problem, passes, **measured)))
        names, values = list(curves), np.array([curve.values for curve in curves.values()])
        smallest = values.argmin(axis=0)
        done = next(iter(curves.values())).passes
        runs = groupby(range(done.size), key=np.ravel(smallest).__getitem__)
        checked = {b.theorem for b in self.bounds if b.kind == "checked"}
        names = [name + CHECKED * (name in checked) for name in names]
        parts = tuple((names[which], float(np.ravel(done)[next(points)])) for which, points in runs)
        return Curve(done, np.take_along_axis(values, smallest[None], axis=0)[0], self.bounded, parts)

    def for_problem(self, problem: Any, eps: float = 1e-6, **measured: float) -> float:
        """The smallest of the counts of passes; parameters and errors are those of `Bound.for_problem`."""
        return min(count for _, count in self._covering(lambda b: b.for_problem(problem, eps, **measured)))

    def _covering(self, ask: Callable[[Bound], Found]) -> Iterator[tuple[str, Found]]:
        """Yield the name and the answer of each theorem that covers the problem."""
        reasons: list[ValueError] = []
        for b in self.bounds:
            try:
                answer = ask(b)
            except ValueError as reason:
                reasons.append(reason)
                continue
            yield b.theorem, answer
        if len(reasons) == len(self.bounds):
            raise reasons[0]


def sharpest(method: Any, sampling: Any = None, bounded: str = "P-D") -> Sharpest:
    """All theorems about a method that bound a quantity at its last iterate, taken together.

    For the gap, "P-D", and for P(w) - P* and D* - D(alpha), which are at most the gap, theorems on other quantities
    count, too, by `Bound.on_gap`. They are about the smallest gap of the pairs that `cdlab.race` measures: the points
    that the method shows, and of spdc and the proximal-point methods w and alpha_i = -phi'(x_i'w) of the w in their
    theorems.

    Parameters
    ----------
    method, sampling : str, Method, Sampling, ...
        As in `cdlab.theory.bound`.
    bounded : "P-D", "P(w)-P*", "D*-D" or ``"|w-w*|^2"``, default "P-D"
        The quantity.

    Returns
    -------
    Sharpest

    Raises
    ------
    ValueError
        For another quantity, or if there is no such theorem; else as `cdlab.theory.bound`.

    Examples
    --------
    >>> from cdlab import theory
    >>> [b.theorem for b in theory.sharpest("sdca", "importance").bounds]
    ['smooth', 'smooth dual', 'halved', 'halved dual', 'spectral']
    """
    checks.one_of("bounded", bounded, TARGETS)
    main = bound(method, "passes", sampling)
    known = (*registry.theorems_of(main.method), *registry.registered(main.method))
    # of a dual method with theorems on its own pair, alpha(w) is measured nowhere; nor of users' methods
    own = any(b.bounded == "P-D" and b.target == TARGETS["P-D"] for b in known)
    found = []
    for name in dict.fromkeys((main.theorem, *(b.theorem for b in known if b.counts))):
        try:
            b = _as_bound_on(bounded, bound(method, "passes", sampling, name), own)
        except ValueError:  # it does not cover the sampling or the parameters
            continue
        if b is not None and (sampling is not None or b.sampling in (main.sampling, "any")):
            found.append(b)
    if not found:
        raise ValueError(f"no theorem about {main.subject} bounds {bounded} at its last iterate")
    return Sharpest(tuple(found), bounded)


def _as_bound_on(bounded: str, b: Bound, has_own: bool) -> Bound | None:
    """The bound, restated if need be; None if it is about another point than what races measure at the last iterate."""
    if b.guarantee is None or b.kind == "asymptotic" or b.target != TARGETS[b.bounded]:
        return None
    if b.column != "passes":  # of a run without its searches
        return None
    measured = b.bounded == "P-D" or (b.bounded, b.side) in OWN_PAIR or not (has_own or registry.is_registered(b))
    return restatements.on(b, bounded) if b.bounded == bounded or measured else None
