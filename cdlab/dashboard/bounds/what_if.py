"""What a bound would be with more examples, another l2, another accuracy or batch size: compiled once, then arrays.

More examples means more of the same kind, as if each were there several times: their norms and nonzeros stay, those of
the features grow. So everything that a bound is made of is known without making such data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import samplings
from ...eso_parameters import eso
from ...methods import Method
from ...problems.problem import Problem
from ...runs.entries import label_of
from ...samplings import Coordinates, Sampling
from .theorems import theorem_for

if TYPE_CHECKING:
    from ...theory import Bound

# powers of n with which constants grow when every example is there several times; the others stay
GROWTH = {"n": 1, "nnz": 1, "F": 1, "C_D": 1, "C_P": 2, "R_col": 0.5, "a2": 1, "lmin": 1, "mu_rows": 1, "gram": 1}


@dataclass(frozen=True, eq=False)
class WhatIf:
    """A method's bound in passes, as a function of n, l2, eps (relative) and m.

    Attributes
    ----------
    label : str
    bound : Bound
    formula : Bound
        The same in closed form, if there is one: `bound` is about batches of any size wherever there are such.
    problem : Problem
    sampling : Sampling or None
        What coordinates are drawn from.
    values : mapping
        The bound's keywords on the problem itself.
    """

    label: str
    bound: Bound
    formula: Bound
    problem: Problem
    sampling: Sampling | None
    values: Mapping[str, Any]

    def passes(self, n: Any, l2: Any, eps: Any, m: Any = 1.0) -> np.ndarray:
        """The bound at these numbers or arrays, which broadcast; NaN where no theorem covers the method."""
        n, l2, eps, m = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (n, l2, eps, m)))
        if self.values["P0"] == 0:  # the start may be optimal
            return np.full(n.shape, 0.0 if self.values["gap0"] == 0 else np.nan)
        bound = self.formula if (m == 1).all() else self.bound
        found = np.broadcast_to(_passes(self, bound, n, l2, eps, m), n.shape)
        return np.where(np.isfinite(found), found, np.nan)

    @cached_property
    def crossed(self) -> np.ndarray:
        """For each coordinate sum_k w_k x_k^2 over its entries x_k, in lines of w_k nonzeros: for ESO parameters."""
        v = (self.problem.row_profile if self.bound.side == "dual" else self.problem.column_profile).norms2
        return v + (v.size - 1) * (eso(self.problem.X, samplings.TauNice(2), self.bound.side) - v)


def what_if(problem: Problem, method: Method, sampling: Sampling) -> WhatIf:
    """The bound of a method, ready to be moved.

    Raises
    ------
    ValueError
        If no theorem covers the method on this problem, or only one up to constants: the reason.
    """
    from ...theory.bound import values_on
    from ...theory.constants import with_lower_P0

    label = label_of(method, sampling)
    if problem.nnz == 0:
        raise ValueError("X = 0: w = 0 is optimal, whatever the numbers")
    formula = theorem_for(problem, method, sampling)
    if getattr(method, "batch_size", 1) is None and sampling.name == "uniform":
        method = replace(method, batch_size=1)  # its theorem is about batches of any size
    bound = theorem_for(problem, method, sampling)
    if bound.kind == "asymptotic":
        raise ValueError(f"what is known of {method.name} here holds up to constants, which nobody knows")
    values = with_lower_P0(values_on(bound, problem, {}), problem, ())
    return WhatIf(label, bound, formula, problem, method.draws(sampling), values)


def _passes(what: WhatIf, bound: Bound, n, l2, eps, m) -> np.ndarray:
    values = _moved(what, bound, n, l2, m)
    values["eps"] = eps * _value(bound.unit, values)
    with np.errstate(all="ignore"):
        found = np.maximum(_value(bound.expr, values), 0.0)
        found = found + _value(bound.setup, values) / np.maximum(values["nnz"], 1.0)
        holds = np.ones(n.shape, dtype=bool)
        for assumption in bound.assumptions:
            if all(symbol.name in values for symbol in assumption.free_symbols):
                holds = holds & _value(assumption, values)
    if holds.all():
        return found
    other = np.nan
    if bound.fallback is not None:
        other = _passes(what, bound.fallback_bound(), n, l2, eps, m)
    return np.where(holds, found, other)


def _value(expr: Any, values: Mapping[str, Any]) -> np.ndarray:
    """A formula or relation at values; NaN where it is undefined, as beyond the assumptions of its theorem."""
    from ...theory.evaluate import compile_formula

    names, function = compile_formula(expr)
    with np.errstate(all="ignore"):
        return function(*(values[name] for name in names))


def _moved(what: WhatIf, bound: Bound, n, l2, m) -> dict[str, Any]:
    """The bound's keywords for other n, l2 and m."""
    from ...theory.constants import least_decrease

    home, problem = what.values, what.problem
    more = n / problem.n
    set_by_default = {symbol.name for symbol, _ in bound.defaults}
    values = {name: value * more ** GROWTH.get(name, 0) for name, value in home.items() if name not in set_by_default}
    values |= {"l2": l2, "m": m, "P0": least_decrease(problem)(l2)}
    if problem.l2 > 0:
        if "mu" in home and home["mu"] == problem.l2:
            values["mu"] = l2
        of_w = 2 * home["gap0"] / l2  # as the theory bounds ||w*||^2
        values["w2"] = of_w if problem.l1 == 0 else np.minimum(of_w, (home["P_zero"] / problem.l1) ** 2)
    for symbol, formula in bound.defaults:
        if symbol.name not in values and all(name.name in values for name in formula.free_symbols):
            values[symbol.name] = _value(formula, values)
    if {"K", "W"} & {symbol.name for symbol in bound.symbols}:
        values |= _of_sampling(what, bound, n, l2, m)
    return values


def _of_sampling(what: WhatIf, bound: Bound, n, l2, m) -> dict[str, np.ndarray]:
    """K and W, which depend on all probabilities, at each point."""
    K, W = np.empty(n.shape), np.empty(n.shape)
    known: dict[tuple, tuple[float, float]] = {}
    for k in np.ndindex(n.shape):
        point = float(n[k]), float(l2[k]), float(m[k])
        if point not in known:
            known[point] = _at(what, bound, *point)
        K[k], W[k] = known[point]
    return {"K": K, "W": W}


def _at(what: WhatIf, bound: Bound, n: float, l2: float, m: float) -> tuple[float, float]:
    from ...theory.named_samplings import defines_rate, evaluate_rate

    problem, side, more = what.problem, bound.side, n / what.problem.n
    lines = problem.row_profile if side == "dual" else problem.column_profile
    of_features, copies = (1.0, more) if side == "dual" else (more, 1.0)
    v, counts = lines.norms2 * of_features, lines.counts * of_features
    drawn = what.sampling if what.sampling is not None else samplings.Uniform()
    gamma = float(what.values["gamma"])
    beta = 1 / gamma if gamma > 0 else np.inf
    if not drawn.serial:
        if m > copies * v.size:
            return np.inf, np.inf
        v, p = _block_norms(what, side, m, more), np.full(v.size, m / (copies * v.size))
    else:
        p = drawn.probabilities(Coordinates(v, beta, l2 * n, counts)) / copies
    W = float(copies * (p * counts).sum())  # not @, whose threads would wait for each other on a busy server
    if not defines_rate(bound.definitions):
        return np.inf, W
    with np.errstate(divide="ignore", invalid="ignore"):
        s = v * beta + l2 * n if gamma > 0 else v / 0.0
        return evaluate_rate(bound.definitions, s, p, {"n": n, "l2": l2}), W


def _block_norms(what: WhatIf, side: str, m: float, more: float) -> np.ndarray:
    """ESO parameters of blocks of m coordinates: linear in m - 1 (Qu & Richtarik 2016)."""
    problem = what.problem
    lines = problem.row_profile if side == "dual" else problem.column_profile
    v, size = lines.norms2, lines.counts.size
    if size == 1:
        return v * (1.0 if side == "dual" else more)
    if side == "dual":
        return v + (m - 1) * (more * what.crossed - v) / max(more * size - 1, 1.0)
    return more * (v + (m - 1) * (what.crossed - v) / (size - 1))
