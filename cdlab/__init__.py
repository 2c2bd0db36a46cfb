"""cdlab: primal or dual coordinate descent? Fast solvers, their bounds as formulas, and the race between them.

>>> import cdlab
>>> X, y = cdlab.datasets.load("mushrooms")
>>> P = cdlab.Problem(X, y, loss="logistic", l2=1e-3)
>>> cdlab.solve(P, "sdca", tol=1e-6).status
'tolerance reached'
"""

from __future__ import annotations

import importlib

from . import datasets, losses, methods, samplings
from ._version import __version__
from .advising import advise
from .facing import faceoff
from .overapproximation import eso
from .problem import Problem
from .racing import race
from .running import iterate
from .solving import Solution, load_solution, solve
from .trace import Record, Trace

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


def __getattr__(name: str):
    if name in ("plots", "theory"):  # bokeh and sympy are imported only by those who ask for them
        return importlib.import_module(f"cdlab.{name}")
    raise AttributeError(f"module 'cdlab' has no attribute {name!r}")
