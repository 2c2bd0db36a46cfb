"""What a problem's plain constants say about a bound: the keywords of `Bound.at`, and K and W of a sampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from .evaluate import checked, first_failed, given, in_words
from .symbols import MEANINGS

if TYPE_CHECKING:
    from .formula import Bound

FIXED_ORDERS = ("permutation", "fixed_permutation", "cyclic")
VECTORS = ("sdca",)  # methods whose theorems here include losses of several predictions: softmax
DEFAULT_POWER = 0.5  # of sampling "lipschitz"


def named_sampling(sampling: Any) -> tuple[str, np.ndarray | None, float]:
    """Name, given probabilities and power of a sampling: a name, an array, or an object with `name` (`power`, `p`).

    Raises
    ------
    ValueError
        For an order that no theorem covers, or probabilities that are not positive.
    """
    if isinstance(sampling, str):
        name, p, power = sampling, None, DEFAULT_POWER
    elif hasattr(sampling, "name"):
        name, p, power = sampling.name, getattr(sampling, "p", None), getattr(sampling, "power", DEFAULT_POWER)
    else:
        name, p, power = "given", sampling, DEFAULT_POWER
    if name in FIXED_ORDERS:
        raise ValueError(
            f"no theorem covers {name} sampling: its coordinates are not drawn independently; "
            "the nearest covered sampling is uniform (sampling='uniform')"
        )
    if name == "given" and p is not None:
        p = np.asarray(p)
        if p.dtype.kind not in "iuf" or p.ndim != 1:
            raise ValueError(
                "sampling must be a name or a 1-D array of probabilities, one per coordinate; "
                f"this array has shape {p.shape} and dtype {p.dtype}"
            )
        if not (np.isfinite(p) & (p > 0)).all():
            raise ValueError(f"every sampling probability must be positive; the smallest here is {p.min()}")
    return name, p, power


def measured_K_W(
    sampling: str, p: np.ndarray | None, power: float, side: str, constants: Mapping[str, Any]
) -> dict[str, float]:
    """K = max_i s_i/(p_i l2 n) and W = sum_i p_i c_i of a problem, s_i = v_i/gamma + l2 n.

    Parameters
    ----------
    sampling : "norms", "lipschitz" or "given"
    p : (m,) array, weights of "given" (divided by their sum); else None
    side : "dual" (rows) or "primal" (columns)
    constants : needs n, l2, gamma and the arrays {row,col}_norms2, {row,col}_counts
    """
    axis = "row" if side == "dual" else "col"
    v, c = constants[f"{axis}_norms2"], constants[f"{axis}_counts"]
    l2n = constants["l2"] * constants["n"]
    s = v / constants["gamma"] + l2n
    if sampling == "given":
        if p is None:
            raise ValueError("sampling 'given' has no probabilities: pass the array itself, bound(..., sampling=p)")
        if p.size != v.size:
            raise ValueError(f"{p.size} sampling probabilities were given for {v.size} coordinates; give one for each")
        weights = p
    elif sampling == "lipschitz":
        weights = (s / s.max()) ** power
    else:  # norms: half uniform, half in proportion to the norms
        norms = np.sqrt(v) if v.any() else np.ones(v.size)
        weights = 1 / v.size + norms / norms.sum()
    q = weights / weights.sum()
    return {"K": float(np.max(s / (q * l2n))), "W": float(q @ c)}


def values_of(bound: Bound, problem: Any, measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, the bound's assumptions checked; see `Bound.for_problem`."""
    constants = problem.constants()
    if constants.get("outputs", 1) > 1 and bound.method not in VECTORS:
        raise ValueError(
            f"the {bound} is for losses of one prediction, and this problem has {constants['outputs']} classes; "
            f"bound({VECTORS[0]!r}) covers it"
        )
    # in constants() P0 is the value P(0); as a keyword it is the suboptimality P(0) - P*
    plain = {name: constants[name] for name in MEANINGS if name in constants and name != "P0"}
    values: dict[str, Any] = checked({**plain, "D0": plain["gap0"], "P0": plain["gap0"], **measured})
    failed = first_failed(bound.assumptions, values)
    if failed is not None:
        raise ValueError(_refusal(bound, failed, values))
    if bound.definitions and not {"K", "W"} <= values.keys():
        values |= measured_K_W(bound.sampling, bound.probabilities, bound.power, bound.side, constants)
    return values


def _refusal(bound: Bound, failed: sp.Basic, values: Mapping[str, Any]) -> str:
    from .theorems import THEOREMS  # they are Bounds, which need this file

    fits = [other for other in THEOREMS if first_failed(other.assumptions, values) is None]
    # stable, so main theorems stay first
    fits.sort(key=lambda other: (other.method != bound.method, other.sampling != bound.sampling))
    advice = ""
    if fits:
        best = fits[0]
        advice = f"; bound({best.method!r}, sampling={best.sampling!r}, theorem={best.theorem!r}) covers it"
    return f"the {bound} needs {in_words(failed)}, but this problem has {given(failed, values)}{advice}"
