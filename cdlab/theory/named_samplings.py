"""Samplings as theorems see them: by a name, by probabilities, and by the K and W that follow from these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from .. import eso_parameters, samplings
from ..numerics import checks
from . import symbols

ANY_PROBABILITIES = "given"  # what theorems call a serial sampling of which they use nothing but its probabilities
AS_PROBABILITIES = (samplings.Clipped, samplings.Mixture)  # Samplings of which no theorem speaks by name.


def is_built_in(kind: type) -> bool:
    """Tell whether a class of samplings is cdlab's; a registered class of a user's is not."""
    return kind.__module__.startswith(f"{samplings.__name__}.")


class NamedSampling(NamedTuple):
    """A sampling under the name by which theorems speak of it.

    Attributes
    ----------
    name : str
        The name under which theorems are stated.
    sampling : Sampling or None
        The sampling itself; None where the name alone does not say which.
    """

    name: str
    sampling: Any = None

    @property
    def theorem_names(self) -> tuple[str, ...]:
        """The names of theorems that cover it, the most particular first.

        A user's own sampling has its own name, under which a theorem of the user's may speak of it, and is else as good
        as its probabilities, as are `AS_PROBABILITIES`. A name of cdlab's that it inherited or took says nothing of
        what it draws.
        """
        if type(self.sampling) in AS_PROBABILITIES:
            return (self.name, ANY_PROBABILITIES)
        own = getattr(self.sampling, "name", self.name)
        kind: type = samplings.SAMPLINGS.get(own) or samplings.BLOCKS.get(own) or object
        return (self.name,) if own == self.name or is_built_in(kind) else (own, self.name)

    @property
    def description(self) -> str:
        """Description of what was asked for, in the words of whoever asked."""
        if isinstance(self.sampling, samplings.Given):
            return "probabilities of your own"
        return f"sampling {checks.short_repr(self.theorem_names[0])}"

    @property
    def in_blocks(self) -> bool:
        """Tell whether several coordinates are drawn at a time."""
        return self.sampling is not None and not getattr(self.sampling, "serial", True)

    @property
    def block_size(self) -> int | None:
        """Coordinates in a block; None for one coordinate at a time, or blocks of several sizes."""
        name = "size" if isinstance(self.sampling, samplings.BySize) else "tau"
        return getattr(self.sampling, name, None) if self.in_blocks else None

    def probabilities(self, c: samplings.Coordinates) -> np.ndarray:
        """The probability of each coordinate, or that a block contains it.

        Raises
        ------
        ValueError
            If the name does not say what they are, or a sampling of the user's has others than theorems speak of.
        """
        if self.sampling is None and self.name == ANY_PROBABILITIES:
            raise ValueError("sampling 'given' has no probabilities: pass the array itself, bound(..., sampling=p)")
        if self.sampling is None:
            how = (
                "draws blocks, and the name alone does not say which: pass an instance, such as "
                f"cdlab.samplings.{samplings.BLOCKS[self.name].example}"
                if self.name in samplings.BLOCKS
                else "is not registered, so its probabilities are not known: pass an instance of it, or call "
                "cdlab.samplings.register"
            )
            raise ValueError(f"{self.name} sampling {how}")
        p = self.sampling.probabilities(c)
        if is_built_in(type(self.sampling)) and not isinstance(self.sampling, samplings.Given):
            return p
        p = _check_probabilities(p, f"{self.sampling.name} sampling must give", c.m)
        never = np.flatnonzero((p == 0) & ((c.counts > 0) | (c.counts.max(initial=0) == 0)))
        if never.size:
            raise ValueError(
                f"every sampling probability must be positive where X has an entry; that of coordinate {never[0]} is 0"
            )
        return p if self.in_blocks else samplings.normalised(p)


def name_sampling(sampling: Any) -> NamedSampling:
    """The name by which theorems speak of a sampling given by its name, its probabilities, or a `Sampling`.

    A user's own sampling that draws one coordinate at a time, independently, is as good as its probabilities: "given".

    Raises
    ------
    ValueError
        For an order that no theorem covers, probabilities that are negative, or an object without probabilities.
    """
    if isinstance(sampling, str) and sampling in samplings.SAMPLINGS:
        sampling = samplings.SAMPLINGS[sampling]()
    name = sampling if isinstance(sampling, str) else getattr(sampling, "name", ANY_PROBABILITIES)
    kind = samplings.SAMPLINGS.get(name, sampling)  # a look-alike of an order draws as the order does
    if not (getattr(kind, "has_theorem", True) and getattr(sampling, "has_theorem", True)):
        raise ValueError(
            f"no theorem covers {name} sampling: its coordinates are not drawn independently; "
            "the nearest covered sampling is uniform (sampling='uniform')"
        )
    if isinstance(sampling, str):
        return NamedSampling(name)
    if not hasattr(sampling, "name"):
        return NamedSampling(name, samplings.Given(_check_probabilities(sampling)))
    if isinstance(sampling, samplings.Given):
        return NamedSampling(name, samplings.Given(_check_probabilities(sampling.p)))
    if not callable(getattr(sampling, "probabilities", None)):
        raise ValueError(
            f"sampling {checks.short_repr(name)} does not say what it draws: it needs a method probabilities(c), as in "
            "cdlab.samplings.Sampling"
        )
    # a subclass of a built-in sampling may share its name and draw by other probabilities
    found = NamedSampling(name, sampling)
    return found if found.in_blocks or is_built_in(type(sampling)) else found._replace(name=ANY_PROBABILITIES)


def _check_probabilities(p: Any, who: str = "sampling must be a name or", size: int | None = None) -> np.ndarray:
    """Numbers that are not negative, one for each coordinate, and not all 0."""
    p = checks.array("sampling", p)
    if p.dtype.kind not in "iuf" or p.ndim != 1:
        raise ValueError(
            f"{who} a 1-D array of probabilities, one per coordinate; "
            f"this array has shape {p.shape} and dtype {p.dtype}"
        )
    if size not in (None, p.size):
        raise ValueError(f"{who} one probability for each of {size} coordinates, not {p.size}")
    if not ((np.isfinite(p) & (p >= 0)).all() and p.any()):
        raise ValueError(
            "every sampling probability must be positive (0 only where X has an empty line); the smallest here is "
            f"{p.min(initial=0)}"
        )
    return p


# ------------------------------------------------------------ K and W of a sampling
class DrawnCoordinates(NamedTuple):
    """Facts of drawn coordinates that theorems use, each an array with one entry for each coordinate.

    Attributes
    ----------
    p : (N,) array
        Probabilities, or those that a block contains a coordinate.
    v : (N,) array
        Squared norms of lines; ESO parameters where blocks are drawn.
    s : (N,) array
        v/gamma + l2 n.
    counts : (N,) array
        Nonzeros.
    needed : (N,) array of bool
        All but those with an empty line that are never drawn: these are optimal from the start.
    """

    p: np.ndarray
    v: np.ndarray
    s: np.ndarray
    counts: np.ndarray
    needed: np.ndarray

    @property
    def p_min(self) -> float:
        """The smallest probability; 1 where there is no coordinate."""
        return float(self.p[self.needed].min(initial=1.0))

    @property
    def mean_curvature(self) -> float:
        """The mean of v_i/(N p_i)."""
        return float((self.v[self.needed] / self.p[self.needed]).sum()) / self.v.size**2

    def weighted_distance(self, w2: float, gamma: float, n: float) -> float:
        """The largest sum_j H_j (w_0j - w*_j)^2/p_j that ||w_0 - w*||^2 = w2 allows."""
        weights = self.v[self.needed] / (gamma * n * self.p[self.needed])
        return float(weights.max(initial=0.0) * w2)


def drawn_coordinates(sampling: NamedSampling, side: str, constants: Mapping[str, Any], X: Any) -> DrawnCoordinates:
    """The coordinates of one side as a sampling draws them; `constants` are those of the problem.

    A ValueError if the sampling's probabilities are not known, or it does not fit the data.
    """
    axis = "row" if side == "dual" else "col"
    v, counts = constants[f"{axis}_norms2"], constants[f"{axis}_counts"]
    with np.errstate(divide="ignore", invalid="ignore"):  # gamma = 0: only samplings that do not look at s are left
        beta = float(1 / np.float64(constants["gamma"]))
        c = samplings.Coordinates(v, beta, constants["l2"] * constants["n"], counts)
        p = sampling.probabilities(c)
        if sampling.in_blocks:
            blocks = sampling.sampling
            v = eso_parameters.eso(X, blocks.on(c) if isinstance(blocks, samplings.Blocks) else blocks, side)
        s = v / np.float64(constants["gamma"]) + c.l2n
    return DrawnCoordinates(p, v, s, counts, (p > 0) | (counts > 0))


def rate_and_cost(
    drawn: DrawnCoordinates, definitions: Iterable[sp.Eq], constants: Mapping[str, Any]
) -> dict[str, float]:
    """W = sum_i p_i c_i, and K if the bound defines it; `constants` are those of the problem."""
    found = {"W": float(drawn.p @ drawn.counts)}
    if defines_rate(definitions):
        found["K"] = evaluate_rate(definitions, drawn.s[drawn.needed], drawn.p[drawn.needed], constants)
    return found


def defines_rate(definitions: Iterable[sp.Eq]) -> bool:
    """Tell whether K is among a bound's definitions; a K in closed form is not."""
    return any(equation.lhs == symbols.K for equation in definitions)


def evaluate_rate(definitions: Iterable[sp.Eq], s_i: np.ndarray, p_i: np.ndarray, values: Mapping[str, Any]) -> float:
    """K by its definition ``K = ... max_i(...) ...``, for the probabilities p_i of the coordinates and their s_i.

    s_i is ||x_i||^2/gamma + l2 n, or with the ESO parameter in place of the squared norm; `values` has the other
    symbols of the definition, such as n and l2.

    >>> from cdlab.theory.derivations.counts import PRIMAL, coordinate_descent
    >>> given = coordinate_descent(PRIMAL, "given").definitions
    >>> evaluate_rate(given, np.array([1.0, 3.0]), np.array([0.5, 0.5]), {"n": 2, "l2": 0.5})
    6.0
    """
    (rule,) = (equation.rhs for equation in definitions if equation.lhs == symbols.K)
    function, others = _compile_rate(rule)
    return float(function(s_i, p_i, *(values[name] for name in others)))


@cache
def _compile_rate(rule: sp.Expr) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """The rule as a function of s_i, p_i and the other symbols, by name."""
    coordinate = sp.symbols("s_i p_i")
    rule = rule.xreplace(dict(zip((symbols.s[symbols.i], symbols.p[symbols.i]), coordinate, strict=True)))
    others = sorted(rule.free_symbols - set(coordinate), key=str)
    function = sp.lambdify((*coordinate, *others), rule, [{"max_i": np.max}, "numpy"])
    return function, tuple(symbol.name for symbol in others)
