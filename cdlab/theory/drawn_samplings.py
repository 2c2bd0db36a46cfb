"""Samplings as theory sees them: the theorem they need, and the K and W of a bound that depend on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from .. import eso_parameters, samplings
from ..numerics import checks
from .rates import defines_rate, rate

ANY_PROBABILITIES = "given"  # what theorems call a serial sampling of which they use nothing but its probabilities


def built_in(kind: type) -> bool:
    """Whether a class of samplings is cdlab's; a registered class of a user's is not."""
    return kind.__module__.startswith(f"{samplings.__name__}.")


class Drawn(NamedTuple):
    """A sampling as theory sees it.

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
    def names(self) -> tuple[str, ...]:
        """The names of theorems that cover it, the most particular first.

        A user's own sampling has its own name, under which a theorem of the user's may speak of it, and is else as good
        as its probabilities. A name of cdlab's that it inherited or took says nothing of what it draws.
        """
        own = getattr(self.sampling, "name", self.name)
        kind: type = samplings.SAMPLINGS.get(own) or samplings.BLOCKS.get(own) or object
        return (self.name,) if own == self.name or built_in(kind) else (own, self.name)

    @property
    def asked(self) -> str:
        """What was asked for, in the words of whoever asked."""
        if isinstance(self.sampling, samplings.Given):
            return "probabilities of your own"
        return f"sampling {self.names[0]!r}"

    @property
    def blocks(self) -> bool:
        """Whether several coordinates are drawn at a time."""
        return self.sampling is not None and not getattr(self.sampling, "serial", True)

    @property
    def size(self) -> int | None:
        """Coordinates in a block; None for one coordinate at a time, or blocks of several sizes."""
        return getattr(self.sampling, "tau", None) if self.blocks else None

    def probabilities(self, c: samplings.Coordinates) -> np.ndarray:
        """The probability of each coordinate, or that a block contains it.

        Parameters
        ----------
        c : Coordinates
            The m coordinates of a side.

        Returns
        -------
        (m,) array

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
        if built_in(type(self.sampling)) and not isinstance(self.sampling, samplings.Given):
            return p
        p = _distribution(p, f"{self.sampling.name} sampling must give", c.m)
        never = np.flatnonzero((p == 0) & ((c.counts > 0) | (c.counts.max(initial=0) == 0)))
        if never.size:
            raise ValueError(
                f"every sampling probability must be positive where X has an entry; that of coordinate {never[0]} is 0"
            )
        return p if self.blocks else samplings.normalised(p)


def named_sampling(sampling: Any) -> Drawn:
    """A sampling given by its name, its probabilities, or a `Sampling`.

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
        return Drawn(name)
    if not hasattr(sampling, "name"):
        return Drawn(name, samplings.Given(_distribution(sampling)))
    if isinstance(sampling, samplings.Given):
        return Drawn(name, samplings.Given(_distribution(sampling.p)))
    if not callable(getattr(sampling, "probabilities", None)):
        raise ValueError(
            f"sampling {name!r} does not say what it draws: it needs a method probabilities(c), as in "
            "cdlab.samplings.Sampling"
        )
    # a subclass of a built-in sampling may share its name and draw by other probabilities
    drawn = Drawn(name, sampling)
    return drawn if drawn.blocks or built_in(type(sampling)) else drawn._replace(name=ANY_PROBABILITIES)


def _distribution(p: Any, who: str = "sampling must be a name or", size: int | None = None) -> np.ndarray:
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


def left_to(
    drawn: Drawn, side: str, definitions: Iterable[sp.Eq], constants: Mapping[str, Any], X: Any = None
) -> dict[str, float]:
    """The symbols of a bound that depend on the sampling: W = sum_i p_i c_i, and K if the bound defines it.

    Parameters
    ----------
    drawn : Drawn
        The sampling.
    side : "dual" or "primal"
        Whether coordinates are rows or columns of X.
    definitions : iterable of sympy equations
        Those of the bound.
    constants : mapping
        n, l2, gamma and the arrays {row,col}_norms2, {row,col}_counts of a problem.
    X : (n, d) array or sparse matrix, optional
        The data, for the ESO parameters of blocks.

    Returns
    -------
    dict
        "W", and "K" if the definitions have it.

    Raises
    ------
    ValueError
        If the sampling's probabilities are not known, or it does not fit the data.
    """
    axis = "row" if side == "dual" else "col"
    v, counts = constants[f"{axis}_norms2"], constants[f"{axis}_counts"]
    if drawn.blocks:
        v = eso_parameters.eso(X, drawn.sampling, side)
    with np.errstate(divide="ignore", invalid="ignore"):  # gamma = 0: only samplings that do not look at s are left
        beta = float(1 / np.float64(constants["gamma"]))
        c = samplings.Coordinates(v, beta, constants["l2"] * constants["n"], counts)
        s = v / np.float64(constants["gamma"]) + c.l2n
    p = drawn.probabilities(c)
    found = {"W": float(p @ counts)}
    if defines_rate(definitions):
        met = (p > 0) | (counts > 0)  # a coordinate with an empty line that is never drawn is optimal from the start
        found["K"] = rate(definitions, s[met], p[met], constants)
    return found
