"""The methods, by name. One of your own is a class derived from `Method`, in a file of yours; see `register`.

`shared` holds what several of them have in common.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from ..numerics import checks
from ..numerics.user_classes import check_defaults, register_class
from .acc_appa import AccAPPA
from .acc_cd import AccCD
from .acc_kaczmarz import AccKaczmarz
from .acc_rcd import AccRCD
from .accprox_sdca import AccProxSDCA
from .adasdca import AdaSDCA
from .adasdca_plus import AdaSDCAPlus
from .agd import AGD
from .apcg import APCG
from .appa import APPA
from .asdca import ASDCA
from .auto import Auto
from .base import WRAPPERS, Count, Method, Points
from .descent import Descent
from .dual_appa import DualAPPA
from .fista import FISTA
from .gd import GD
from .greedy import Greedy
from .kaczmarz import Kaczmarz
from .lbfgs import LBFGS
from .lsvrg import LSVRG
from .newton_cd import NewtonCD
from .quartz import Quartz
from .rcd import RCD
from .rda import RDA
from .sag import SAG
from .saga import SAGA
from .sdca import SDCA
from .sdna import SDNA, PrimalSDNA
from .sgd import SGD
from .spdc import SPDC
from .ssnal import SSNAL
from .svrg import SVRG
from .wrappers import AddedL2, Anderson, Averaged, ExtrapolatedDual, Screened, WorkingSet, Wrapper

NAMES_ELSEWHERE = {  # of arguments of `solve` and `Problem`
    "max_iter": "max_passes", "n_iter": "max_passes", "max_epochs": "max_passes", "epochs": "max_passes",
    "max_pass": "max_passes", "eps": "tol", "tolerance": "tol", "random_state": "seed", "x0": "start", "w0": "start",
    "alphas": "l1", "lambdas": "l1",
}  # fmt: skip
METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        SDCA,
        Quartz,
        RCD,
        AccRCD,
        AdaSDCA,
        AdaSDCAPlus,
        Greedy,
        SPDC,
        ASDCA,
        SDNA,
        PrimalSDNA,
        AccProxSDCA,
        APCG,
        APPA,
        AccAPPA,
        DualAPPA,
        SGD,
        SAG,
        SAGA,
        SVRG,
        LSVRG,
        RDA,
        GD,
        AGD,
        FISTA,
        LBFGS,
        NewtonCD,
        SSNAL,
        Kaczmarz,
        AccKaczmarz,
        AccCD,
    )
}

__all__ = [
    "METHODS",
    "WRAPPERS",
    "Count",
    "Descent",
    "Method",
    "Points",
    "factory",
    "parameters_of",
    "register",
    "resolve",
    "AddedL2",
    "Anderson",
    "Averaged",
    "ExtrapolatedDual",
    "Screened",
    "WorkingSet",
    "Wrapper",
    "AccAPPA",
    "AccCD",
    "AccKaczmarz",
    "AccRCD",
    "AccProxSDCA",
    "AdaSDCA",
    "AdaSDCAPlus",
    "AGD",
    "APCG",
    "APPA",
    "ASDCA",
    "Auto",
    "DualAPPA",
    "FISTA",
    "GD",
    "Greedy",
    "Kaczmarz",
    "LBFGS",
    "LSVRG",
    "NewtonCD",
    "Quartz",
    "RCD",
    "RDA",
    "SAG",
    "SAGA",
    "PrimalSDNA",
    "SDCA",
    "SDNA",
    "SGD",
    "SPDC",
    "SSNAL",
    "SVRG",
]


def register(cls: type[Method]) -> type[Method]:
    """Let a method of yours be found by its name, as in ``solve(P, "my_method", block=4)``; also as a decorator.

    Instances need no name: ``solve(P, MyMethod(block=4))`` works without it.

    Parameters
    ----------
    cls : type
        A frozen dataclass derived from `Method`.

    Returns
    -------
    type
        The class itself.

    Raises
    ------
    ValueError
        If cdlab has a method of this name.
    TypeError
        If it is not the class of a method, lacks init, epoch or points, or has a parameter without a default.
    """
    if not (isinstance(cls, type) and issubclass(cls, Method)):
        raise TypeError(f"register takes a class derived from cdlab.methods.Method, not {checks.short_repr(cls)}")
    if inspect.isabstract(cls):
        raise TypeError(f"method {cls.__name__} has no {' and no '.join(sorted(cls.__abstractmethods__))}")
    check_defaults("method", cls)
    register_class(METHODS, "method", cls.name, cls)
    return cls


def resolve(method: str | Method, **parameters: Any) -> Method:
    """The method with this name and these parameters, or the instance itself.

    Parameters
    ----------
    method : str or Method
        A name in `METHODS`, "auto", which chooses among them, or an instance.
    **parameters
        Fields of the method's class, if it is given by name.

    Returns
    -------
    Method

    Raises
    ------
    ValueError
        For an unknown name.
    TypeError
        For what is neither, a parameter that the method does not have, or parameters beside an instance.
    """
    if isinstance(method, Method):
        if parameters:
            raise TypeError(
                f"{method} already has its parameters; pass {', '.join(parameters)} to its constructor instead"
            )
        return method
    if isinstance(method, type) and issubclass(method, Wrapper):
        inner = next((cls for cls in METHODS.values() if method.fits(cls())), SDCA)
        raise TypeError(
            f"{method.__name__} goes around a method: pass an instance such as {method.__name__}({inner.__name__}())"
        )
    if isinstance(method, type) and issubclass(method, Method):
        raise TypeError(
            f"a method is an instance: pass {method.__name__}(), with its parameters, in place of the class"
        )
    if not isinstance(method, str):
        raise TypeError(f"a method is a name or an instance of cdlab.methods.Method, not {checks.short_repr(method)}")
    if method == Auto.name:
        return _make_method(Auto, parameters)
    if method not in METHODS:
        known = {Auto.name: Auto, **METHODS}
        hint = checks.hint_for_name(method, known)
        raise ValueError(f"there is no method named {checks.short_repr(method)}{hint} (methods: {', '.join(known)})")
    return _make_method(METHODS[method], parameters)


def parameters_of(cls: type[Method]) -> dict[str, Any]:
    """Return what ``solve(P, name, ...)`` takes for a method of this class, with the defaults.

    These are its own parameters, and the keywords of the wrappers that work on it, whose default wraps nothing.
    """
    own = {f.name: f.default for f in fields(cls)}
    if inspect.isabstract(cls) or any(default is MISSING for default in own.values()):
        return own
    made = cls()
    return own | {k: w.off for k, w in WRAPPERS.items() if k not in own and w.fits(made)}


def factory(cls: type[Method]) -> Callable[..., Method]:
    """Return what makes a method from the parameters that `parameters_of` names: ``factory(SDCA)(anderson=5)``."""

    def make(**parameters: Any) -> Method:
        return _make_method(cls, parameters)

    former = {name: p.default for name, p in inspect.signature(cls).parameters.items()}  # Quartz's averaged
    known, kind = former | parameters_of(cls), inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([inspect.Parameter(name, kind, default=d) for name, d in known.items()])
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


def _make_method(cls: type[Method], parameters: dict[str, Any]) -> Method:
    if not parameters:
        return cls()
    own = inspect.signature(cls).parameters
    if parameters.keys() <= own.keys():
        return cls(**parameters)
    known = parameters_of(cls)
    unknown = [name for name in parameters if name not in known and name not in own]
    if unknown:
        has = f"it has {', '.join(known)}" if known else "it has none"
        meant = [f"{name} is called {NAMES_ELSEWHERE[name]} here" for name in unknown if name in NAMES_ELSEWHERE]
        raise TypeError(f"{cls.name} has no parameter {', '.join(unknown)}; {', '.join([*meant, has])}")
    made = cls(**{name: value for name, value in parameters.items() if name in own})
    for keyword, wrapper in WRAPPERS.items():
        if keyword in parameters and keyword not in own and not wrapper.is_off(parameters[keyword]):
            made = wrapper(made, parameters[keyword])
    return made
