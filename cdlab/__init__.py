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
    from . import comparisons, datasets, distributed, losses, methods, plots, samplings, testing, theory
    from .advice import Advice, Choice, advise
    from .certificates import Distance, certify
    from .certificates.monitoring import GapMonitor
    from .eso_parameters import eso
    from .estimators import CDClassifier, CDClassifierCV, CDRegressor, CDRegressorCV
    from .explanations import Explanation, explain
    from .faceoffs import FaceOff, faceoff
    from .problems import Certificate, Problem
    from .runs import (
        Path,
        Race,
        Record,
        Reference,
        Solution,
        Trace,
        iterate,
        load_solution,
        path,
        reference,
        solve,
    )
    from .sweeps import Store, race, sweep

# Loaded when they are first asked for: the command line can say at once what is wrong, or that it was interrupted, and
# nobody waits for what is not used.
_HOME = {
    "Advice": "advice",
    "CDClassifier": "estimators",
    "CDClassifierCV": "estimators",
    "CDRegressor": "estimators",
    "CDRegressorCV": "estimators",
    "Certificate": "problems",
    "Choice": "advice",
    "Distance": "certificates",
    "Explanation": "explanations",
    "FaceOff": "faceoffs",
    "GapMonitor": "certificates.monitoring",
    "Path": "runs",
    "Problem": "problems",
    "Race": "runs",
    "Record": "runs",
    "Reference": "runs",
    "Solution": "runs",
    "Store": "sweeps",
    "Trace": "runs",
    "advise": "advice",
    "certify": "certificates",
    "eso": "eso_parameters",
    "explain": "explanations",
    "faceoff": "faceoffs",
    "iterate": "runs",
    "load_solution": "runs",
    "path": "runs",
    "race": "sweeps",
    "reference": "runs",
    "solve": "runs",
    "sweep": "sweeps",
}

__all__ = [
    "Advice",
    "CDClassifier",
    "CDClassifierCV",
    "CDRegressor",
    "CDRegressorCV",
    "Certificate",
    "Choice",
    "Distance",
    "Explanation",
    "FaceOff",
    "GapMonitor",
    "Path",
    "Problem",
    "Race",
    "Record",
    "Reference",
    "Solution",
    "Store",
    "Trace",
    "__version__",
    "advise",
    "certify",
    "comparisons",
    "datasets",
    "distributed",
    "eso",
    "explain",
    "faceoff",
    "iterate",
    "jit",
    "load_solution",
    "losses",
    "methods",
    "path",
    "plots",
    "race",
    "reference",
    "samplings",
    "solve",
    "sweep",
    "testing",
    "theory",
]


_MODULES = {"jit": "numerics.jit"}  # public names of modules that are elsewhere


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    module = f"{__name__}.{_MODULES.get(name, name)}"
    if not name.startswith("_"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
