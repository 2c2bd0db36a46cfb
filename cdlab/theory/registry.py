"""Where each method's theorems are. Deriving them takes sympy a while, so a family is imported when it is asked for."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bound import Bound

# A file in theorems/ -> the methods it speaks about; the first file that names a method has its main theorem.
FAMILIES: dict[str, tuple[str, ...]] = {
    "sdca": ("sdca",),
    "sdca_extras": ("sdca",),
    "faceoff": ("quartz", "rcd"),
    "gradient": ("gd", "agd", "fista"),
    "stochastic": ("sgd", "rda", "sag", "saga", "svrg"),
    "linear_systems": ("kaczmarz", "acc_kaczmarz", "acc_cd", "pseudoinverse", "row_sampling"),
    "spdc": ("spdc", "agd", "sgd"),
    "spdc_blocks": ("spdc",),
    "asdca": ("asdca",),
    "apcg": ("apcg",),
    "accprox": ("accprox_sdca",),
    "appa": ("appa", "acc_appa", "dual_appa"),
    "appa_lemmas": ("appa", "acc_appa", "dual_appa"),
    "faceoff_lemmas": ("faceoff",),
    "extensions": ("acc_rcd", "faceoff", "greedy", "adasdca"),
    "comparisons": ("gd", "sdca", "subgradient_descent", "sgd", "fista", "rda"),
    "appa_totals": ("appa", "acc_appa", "dual_appa", "gd", "agd", "sag", "svrg", "sdca", "accprox_sdca", "apcg"),
}

WITHOUT = {  # methods of cdlab that no theorem covers, and why
    "lbfgs": "on smooth, strongly convex P it converges linearly (Liu & Nocedal 1989), but at no known rate that "
    "explains its speed; agd and fista have theorems",
    "adasdca_plus": "it is a heuristic, of which is only known that D(alpha) never decreases; adasdca and sdca have "
    "theorems",
}


@cache
def of_method(method: str) -> tuple[Bound, ...]:
    """A method's theorems, the main one first; empty if there is none."""
    named = [family for family, methods in FAMILIES.items() if method in methods]
    return tuple(b for family in named for b in _family(family) if b.method == method)


@cache
def everything() -> tuple[Bound, ...]:
    """All theorems of all methods."""
    return tuple(b for family in FAMILIES for b in _family(family))


def methods() -> tuple[str, ...]:
    """Every method that some theorem is about."""
    return tuple(dict.fromkeys(method for family in FAMILIES.values() for method in family))


def _family(name: str) -> tuple[Bound, ...]:
    found = importlib.import_module(f".theorems.{name}", __package__).BOUNDS
    about = set(FAMILIES[name]) ^ {b.method for b in found}
    if about:
        raise ImportError(f"registry.FAMILIES and theorems/{name}.py disagree about {', '.join(sorted(about))}")
    return found
