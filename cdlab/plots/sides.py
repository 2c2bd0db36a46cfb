"""Which side a method belongs to where colours mean sides."""

from __future__ import annotations

from ..methods import METHODS, Method
from ..methods.shared.deterministic import Deterministic
from ..runs.trace import Trace
from .measures import side


def side_of(method: Method | type[Method]) -> str:
    """The side of a method: "primal" or "dual", or "full" if it is a gradient method on all of the data.

    Examples
    --------
    >>> [side_of(METHODS[name]) for name in ("rcd", "greedy", "sdca", "adasdca", "lbfgs")]
    ['primal', 'primal', 'dual', 'dual', 'full']
    """
    kind = method if isinstance(method, type) else type(method)
    return "full" if issubclass(kind, Deterministic) else method.side


def side_by_label(label: str, side: str) -> str:
    """The same of a run that is known by its label, such as "sdca, uniform", and by the side of its coordinates."""
    known = METHODS.get(label.partition(",")[0].partition("(")[0])
    return "full" if known is not None and side_of(known) == "full" else side


def side_of_run(trace: Trace) -> str:
    """The same of a trace; "" if nobody knows: see `measures.side`."""
    return side_by_label(trace.meta.get("method", ""), side(trace))
