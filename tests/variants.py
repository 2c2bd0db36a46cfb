"""Methods with parameters that differ from their defaults: for each field of each class, at least one value.

A method or a parameter that is registered without one here fails `test_every_parameter_has_another_value`.
"""

import importlib
import pkgutil
from dataclasses import fields
from typing import Any

import numpy as np

from cdlab import methods, samplings
from cdlab.methods import METHODS, SVRG, Quartz, Wrapper, wrappers
from cdlab.samplings import Sampling

# Every wrapper in a file of the package, also where nothing imports it.
WRAPPERS = [
    cls
    for found in pkgutil.iter_modules(wrappers.__path__)
    for module in [importlib.import_module(f"{wrappers.__name__}.{found.name}")]
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Wrapper) and cls is not Wrapper and cls.__module__ == module.__name__
]

# Values that suit small problems with l2 = 0.1; where a parameter needs company, with its company.
OTHER: dict[str, dict[str, dict[str, Any]]] = {
    "sdca": {
        "added_l2": {"added_l2": 0.01},
        "average": {"average": "half"},
        "anderson": {"anderson": 3},
        "screening": {"screening": "gap_safe"},
        "batch_size": {"batch_size": 4},
    },
    "quartz": {
        "batch_size": {"batch_size": 4},
        "step": {"step": "local"},
        "averaged_primal": {"averaged_primal": True},
    },
    "rcd": {
        "batch_size": {"batch_size": 3},
        "working_set": {"working_set": True},
        "anderson": {"anderson": 3},
        "dual": {"dual": "extrapolated"},
        "screening": {"screening": "gap_safe"},
    },
    "adasdca": {"step": {"step": "fixed"}},
    "adasdca_plus": {"m": {"m": 3.0}},
    "greedy": {"rule": {"rule": "gsl"}},
    "spdc": {
        "batch_size": {"batch_size": 4},
        "delta": {"delta": 1e-6},
        "step": {"step": 0.02},
        "dual_step": {"dual_step": 1.0},
        "theta": {"theta": 0.9},
        "primal_point": {"primal_point": "iterate"},
    },
    "sdna": {"batch_size": {"batch_size": 4}},
    "primal_sdna": {"batch_size": {"batch_size": 3}},
    "asdca": {"batch_size": {"batch_size": 4}, "theta": {"theta": 0.05}, "factor": {"factor": 2}},
    "accprox_sdca": {
        "inner": {"inner": Quartz()},
        "prox_weight": {"prox_weight": 0.05},
        "epochs": {"epochs": 3},
        "eta": {"eta": 0.5},
    },
    "acc_rcd": {"batch_size": {"batch_size": 3}},
    "apcg": {
        "batch_size": {"batch_size": 4},
        "smoothness": {"smoothness": "uniform"},
        "convexity": {"convexity": 0.01},
        "primal_step": {"primal_step": True},
    },
    "appa": {
        "inner": {"inner": SVRG()},
        "prox_weight": {"prox_weight": 0.05},
        "epochs": {"epochs": 3},
        "mu": {"mu": 0.1},
        "accuracy": {"accuracy": 0.1},
    },
    "sgd": {
        "average": {"average": "half"},
        "step": {"step": 0.05},
        "factor": {"factor": 0.5},
        "constant_step": {"constant_step": 0.01},
        "implicit": {"constant_step": 0.01, "implicit": True},
    },
    "sag": {"step": {"step": 0.004}},
    "saga": {"batch_size": {"batch_size": 4}, "step": {"step": 0.004}},
    "lsvrg": {"batch_size": {"batch_size": 4}, "step": {"step": 0.004}, "rho": {"rho": 0.1}},
    "svrg": {"step": {"step": 0.004}, "m": {"m": 50}, "snapshot": {"snapshot": "average"}},
    "rda": {"gamma_r": {"gamma_r": 2.0}, "average": {"average": "half"}},
    "gd": {"step": {"step": 0.1}},
    "agd": {"L0": {"L0": 1.0}, "up": {"up": 1.5}, "down": {"down": 1.0}},
    "fista": {"step": {"step": 0.1}},
    "lbfgs": {"memory": {"memory": 2}},
    "newton_cd": {"inner": {"inner": "gram"}, "screening": {"screening": "gap_safe"}},
    "ssnal": {"inner": {"inner": "gram"}},
    "acc_kaczmarz": {"mu": {"mu": 1e-3}},
    "acc_cd": {"mu": {"mu": 1e-3}},
}
OTHER["acc_appa"] = OTHER["appa"]
OTHER["appa"] = {
    **OTHER["appa"],
    "decreasing": {"decreasing": True},
    "floor": {"decreasing": True, "floor": 1.0},  # an epoch from alpha(x) diverges far below R^2/(gamma n)
}
OTHER["dual_appa"] = {
    **OTHER["appa"],
    "inner": {"inner": Quartz()},
    "dual_start": {"dual_start": "zero"},
    "first_dual": {"first_dual": "primal"},
}

VARIANTS = {
    methods.resolve(name, **parameters).label: methods.resolve(name, **parameters)
    for name in METHODS
    for parameters in OTHER.get(name, {}).values()
}


def without_another_value() -> list[str]:
    """Parameters that OTHER does not know, as "method.parameter"; of a wrapper, if no method has it there."""
    own = [
        f"{name}.{f.name}" for name, cls in METHODS.items() for f in fields(cls) if f.name not in OTHER.get(name, {})
    ]
    tried = {parameter for parameters in OTHER.values() for parameter in parameters}
    return own + [f"{wrapper.__name__}.{wrapper.keyword}" for wrapper in WRAPPERS if wrapper.keyword not in tried]


# One of each kind of sampling, for m coordinates; a block sampling is registered with how to construct one.
BLOCKS: dict[str, Any] = {
    "tau_nice": lambda m: samplings.TauNice(3),
    "independent": lambda m: samplings.Independent(np.linspace(0.2, 0.5, m)),
    "bucket": lambda m: samplings.Bucket([np.arange(0, m, 2), np.arange(1, m, 2)]),
    "distributed": lambda m: samplings.Distributed(2, 2),
}
SAMPLINGS = [*samplings.SAMPLINGS, *samplings.BLOCKS, "given"]


def drawn_by(name: str, m: int) -> Sampling:
    """The sampling of this name over m coordinates; "given" has uneven probabilities."""
    if name == "given":
        return samplings.resolve(np.linspace(1, 2, m) / (1.5 * m))
    return BLOCKS[name](m) if name in samplings.BLOCKS else samplings.resolve(name)
