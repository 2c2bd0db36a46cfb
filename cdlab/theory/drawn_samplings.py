"""Samplings as theory sees them: which theorem they need, and what a bound leaves to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import eso_parameters
from .rates import rate
from .symbols import K

if TYPE_CHECKING:
    from .bound import Bound

FIXED_ORDERS = ("permutation", "fixed_permutation", "cyclic")
DEFAULT_POWER = 0.5  # of sampling "lipschitz"


class Drawn(NamedTuple):
    """A sampling as theory sees it."""

    name: str
    p: np.ndarray | None = None  # weights of "given"
    power: float = DEFAULT_POWER  # of "lipschitz"
    blocks: Any = None  # a Sampling that draws several coordinates at once


def named_sampling(sampling: Any) -> Drawn:
    """A sampling by its name, its probabilities, or an object with a `name` (and `power`, `p`, `marginals`).

    Raises
    ------
    ValueError
        For an order that no theorem covers, or probabilities that are not positive.
    """
    if isinstance(sampling, str):
        drawn = Drawn(sampling)
    elif hasattr(sampling, "name"):
        blocks = sampling if hasattr(sampling, "marginals") else None
        p = getattr(sampling, "p", None) if blocks is None else None
        drawn = Drawn(sampling.name, p, getattr(sampling, "power", DEFAULT_POWER), blocks)
    else:
        drawn = Drawn("given", sampling)
    if drawn.name in FIXED_ORDERS:
        raise ValueError(
            f"no theorem covers {drawn.name} sampling: its coordinates are not drawn independently; "
            "the nearest covered sampling is uniform (sampling='uniform')"
        )
    if drawn.name != "given" or drawn.p is None:
        return drawn
    p = np.asarray(drawn.p)
    if p.dtype.kind not in "iuf" or p.ndim != 1:
        raise ValueError(
            "sampling must be a name or a 1-D array of probabilities, one per coordinate; "
            f"this array has shape {p.shape} and dtype {p.dtype}"
        )
    if not (np.isfinite(p) & (p > 0)).all():
        raise ValueError(f"every sampling probability must be positive; the smallest here is {p.min()}")
    return drawn._replace(p=p)


def left_to(bound: Bound, drawn: Drawn, constants: Mapping[str, Any], X: Any = None) -> dict[str, float]:
    """What a bound leaves to the sampling: W = sum_i p_i c_i, and K by the bound's own definition.

    Parameters
    ----------
    bound : whose `definitions` count
    drawn : the sampling
    constants : n, l2, gamma and the arrays {row,col}_norms2, {row,col}_counts of a problem
    X : the data, for the ESO parameters of blocks
    """
    axis = "row" if bound.side == "dual" else "col"
    v, c = constants[f"{axis}_norms2"], constants[f"{axis}_counts"]
    if drawn.blocks is not None:
        v = eso_parameters.eso(X, drawn.blocks, bound.side)
    with np.errstate(divide="ignore", invalid="ignore"):  # gamma = 0: only samplings that do not look at s are left
        s = v / np.float64(constants["gamma"]) + constants["l2"] * constants["n"]
    p = _probabilities(drawn, v, s)
    found = {"W": float(p @ c)}
    if K in bound.symbols:
        found["K"] = rate(bound.definitions, s, p, constants)
    return found


def _probabilities(drawn: Drawn, v: np.ndarray, s: np.ndarray) -> np.ndarray:
    if drawn.blocks is not None:
        return drawn.blocks.marginals(v.size)
    if drawn.name == "given":
        if drawn.p is None:
            raise ValueError("sampling 'given' has no probabilities: pass the array itself, bound(..., sampling=p)")
        if drawn.p.size != v.size:
            raise ValueError(
                f"{drawn.p.size} sampling probabilities were given for {v.size} coordinates; give one for each"
            )
        weights = drawn.p
    elif drawn.name in ("lipschitz", "importance"):
        weights = (s / s.max()) ** (1.0 if drawn.name == "importance" else drawn.power)
    elif drawn.name == "norms":  # half uniform, half in proportion to the norms
        norms = np.sqrt(v) if v.any() else np.ones(v.size)
        weights = 1 / v.size + norms / norms.sum()
    else:
        raise ValueError(
            f"{drawn.name} sampling draws blocks, and the name alone does not say which: pass an instance, such as "
            "cdlab.samplings.TauNice(8)"
        )
    return weights / weights.sum()
