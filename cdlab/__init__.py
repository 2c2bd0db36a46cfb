"""cdlab: primal or dual coordinate descent? Fast solvers, their bounds as formulas, and the race between them.

>>> import cdlab
>>> X, y = cdlab.datasets.load("mushrooms")
>>> P = cdlab.Problem(X, y, loss="logistic", l2=1e-3)
>>> cdlab.solve(P, "sdca", tol=1e-6).status
'tolerance reached'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import datasets, losses, methods, plots, samplings, theory
    from .advising import advise
    from .facing import faceoff
    from .overapproximation import eso
    from .problem import Problem
    from .racing import race
    from .running import iterate
    from .solving import Solution, load_solution, solve
    from .trace import Record, Trace

# Loaded when they are first asked for: the command line can say at once what is wrong, or that it was interrupted, and
# nobody waits for what is not used.
_HOME = {
    "Problem": "problem",
    "Record": "trace",
    "Solution": "solving",
    "Trace": "trace",
    "advise": "advising",
    "eso": "overapproximation",
    "faceoff": "facing",
    "iterate": "running",
    "load_solution": "solving",
    "race": "racing",
    "solve": "solving",
}

__all__ = [
    "Problem",
    "Record",
    "Solution",
    "Trace",
    "__version__",
    "advise",
    "datasets",
    "eso",
    "faceoff",
    "iterate",
    "load_solution",
    "losses",
    "methods",
    "plots",
    "race",
    "samplings",
    "solve",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    module = f"{__name__}.{name}"
    if not name.startswith("_"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
