"""A bound on a problem: the keywords of `Bound.at` from the problem's plain constants, then a number or a curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sparse
import sympy as sp

from .. import overapproximation, spectra
from . import registry
from .defined import rate
from .evaluate import Curve, checked, evaluate, first_failed, given, in_words
from .symbols import MEANINGS, K, W, m, t
from .symbols import eps as eps_symbol

if TYPE_CHECKING:
    from .formula import Bound

COUNTS = ("iterations", "passes", "examples", "arithmetic")  # to eps
FIXED_ORDERS = ("permutation", "fixed_permutation", "cyclic")
DEFAULT_POWER = 0.5  # of sampling "lipschitz"


def _accelerated(problem: Any, axis: str) -> float:
    """sum over coordinates of c_i sqrt(1 + v_i/(gamma l2 n))."""
    c = problem.constants()
    scale = c["gamma"] * c["l2"] * c["n"]
    return float(c[f"{axis}_counts"] @ np.sqrt(1 + c[f"{axis}_norms2"] / scale))


def _normalised(problem: Any, lines: str) -> float:
    """The smallest positive eigenvalue of X'X with rows or columns of X scaled to norm 1; zero ones stay."""
    c = problem.constants()
    norms = np.sqrt(c["row_norms2" if lines == "rows" else "col_norms2"])
    scale = sparse.diags_array(np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0))
    return spectra.smallest_positive(scale @ problem.X if lines == "rows" else problem.X @ scale)


# Constants that cost passes over X: computed when a formula asks for them, once for each problem.
COMPUTED: dict[str, Callable[[Any], float]] = {
    "L_f": lambda problem: spectra.smoothness(problem)[0],
    "lmin": lambda problem: spectra.smallest_positive(problem.X),
    "mu_rows": lambda problem: _normalised(problem, "rows"),
    "mu_cols": lambda problem: _normalised(problem, "columns"),
    "T_P_acc": lambda problem: _accelerated(problem, "col"),
    "T_D_acc": lambda problem: _accelerated(problem, "row"),
}
_cache: WeakKeyDictionary[Any, dict[str, float]] = WeakKeyDictionary()


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


def _left_to(bound: Bound, drawn: Drawn, constants: Mapping[str, Any], X: Any = None) -> dict[str, float]:
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
        v = overapproximation.eso(X, drawn.blocks, bound.side)
    with np.errstate(divide="ignore"):  # gamma = 0: only samplings that do not look at s are left
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


class Uncovered(ValueError):
    """The problem contradicts an assumption of the theorem."""


def value(bound: Bound, values: Mapping[str, Any]) -> float | np.ndarray:
    """The formula at these values, at least 0."""
    result = evaluate(bound.expr, values, f"the {bound}")
    return max(result, 0.0) if isinstance(result, float) else np.maximum(result, 0.0)


def on_problem(bound: Bound, problem: Any, eps: float, measured: Mapping[str, float]) -> float:
    """See `Bound.for_problem`."""
    try:
        values = values_of(bound, problem, measured)
    except Uncovered:
        if bound.fallback is None:
            raise
        return on_problem(_instead(bound).per(bound.quantity), problem, eps, measured)
    _require(bound, values, bound.expr)
    if bound.quantity in (*COUNTS, "value"):
        eps = checked({"eps": eps})["eps"]
        if values["P0"] == 0 and bound.counts:
            return 0.0
        values["eps"] = eps * evaluate(bound.unit, values, f"the accuracy of the {bound}")
        if bound.quantity == "passes" and values["nnz"] == 0:
            return float(value(bound.per("iterations"), values) / values["n"])
    return float(value(bound, values))


def _require(bound: Bound, values: Mapping[str, Any], *formulas: sp.Expr) -> None:
    """Name what is missing: what a default would supply is not, but what that default needs is."""
    supplied = dict(bound.defaults)
    used = set().union(*(formula.free_symbols for formula in formulas)) - {eps_symbol, t}
    missing = {s for s in used if s.name not in values}
    while missing & supplied.keys():
        s = (missing & supplied.keys()).pop()
        missing = (missing - {s}) | {other for other in supplied.pop(s).free_symbols if other.name not in values}
    if missing:
        names = sorted(s.name for s in missing)
        raise ValueError(f"the {bound} needs {', '.join(names)}: pass {'=..., '.join(names)}=...")


def curve_of(bound: Bound, problem: Any, passes: Any, measured: Mapping[str, float]) -> Curve:
    """See `Bound.curve`."""
    if bound.guarantee is None or bound.W is None:
        why = "its constants are not known" if bound.kind == "asymptotic" else "it is no rate of convergence"
        raise ValueError(f"the {bound} has no curve: {why}")
    try:
        values = values_of(bound, problem, measured)
    except Uncovered:
        if bound.fallback is None:
            raise
        return curve_of(_instead(bound), problem, passes, measured)
    _require(bound, values, bound.guarantee, bound.W)
    passes = np.asarray(passes, dtype=float)
    cost = evaluate(bound.W, values, f"the {bound}") / values["nnz"] if values["nnz"] > 0 else 1 / values["n"]
    done = passes / cost
    if bound.step == "stage":
        done = np.floor(done * (1 + 1e-12))  # an unfinished stage has no guarantee of its own
    error = evaluate(bound.guarantee, values | {"t": done}, f"the curve of the {bound}")
    curve = np.broadcast_to(error, passes.shape).copy().view(Curve)
    curve.bounded = bound.bounded
    return curve


def _instead(bound: Bound) -> Bound:
    """The fallback, with what was asked for: sampling, batch size."""
    return replace(bound.fallback, drawn=bound.drawn, defaults=(*bound.fallback.defaults, *bound.defaults))


def values_of(bound: Bound, problem: Any, measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, the bound's assumptions checked; see `Bound.for_problem`."""
    constants = problem.constants()
    if constants.get("outputs", 1) > 1 and not bound.vectors:
        raise Uncovered(
            f"the {bound} is for losses of one prediction, and this problem has {constants['outputs']} classes; "
            "bound('sdca') covers it"
        )
    values = _known(constants, measured)
    _judge(bound, values)
    drawn = bound.drawn or Drawn(bound.sampling)
    batch = getattr(drawn.blocks, "tau", 1)
    for symbol, formula in (*bound.defaults, (m, sp.Integer(batch))):
        if symbol.name not in values and all(name.name in values for name in formula.free_symbols):
            values[symbol.name] = np.asarray(evaluate(formula, values, f"the default {symbol} of the {bound}"))
    _judge(bound, values)
    _add_computed(values, problem, {symbol.name for symbol in bound.symbols})
    if {K, W} & bound.symbols and not {"K", "W"} <= values.keys():
        values |= _left_to(bound, drawn, constants, getattr(problem, "X", None))
    return values


def _judge(bound: Bound, values: Mapping[str, Any]) -> None:
    failed = first_failed(bound.assumptions, values)
    if failed is not None:
        raise Uncovered(_refusal(bound, failed, values))


def constants_of(problem: Any, measured: Mapping[str, float], used: set[str]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, no theorem's assumptions checked; costly ones if they are `used`."""
    values = _known(problem.constants(), measured)
    values.setdefault("m", np.asarray(1.0))
    _add_computed(values, problem, used)
    return values


def _known(constants: Mapping[str, Any], measured: Mapping[str, float]) -> dict[str, Any]:
    plain = {name: constants[name] for name in MEANINGS if name in constants and name != "P0"}
    return checked({**plain, **_bounded_by_start(constants), **measured})


def _bounded_by_start(constants: Mapping[str, Any]) -> dict[str, float]:
    """Computable upper bounds of what depends on the unknown optimum, from the duality gap P(0) - D(0) of the start.

    P(0) - P* and D* - D(0) are at most the gap. P is l2-strongly convex and D is (gamma/n)-strongly concave, so
    (l2/2) ||w*||^2 <= gap and (gamma/(2n)) ||alpha*||^2 <= gap; the derivatives of an L-Lipschitz loss are at most L;
    and with l1 > 0, ||w*||_2 <= ||w*||_1 <= P(0)/l1. What has no such bound is left out.
    """
    # in constants() P0 is the value P(0); as a keyword it is the suboptimality P(0) - P*
    gap, n, at_zero = constants["gap0"], constants["n"], constants["P0"]
    values = {"D0": gap, "P0": gap, "P_zero": at_zero}
    of_w = [2 * gap / constants["l2"]] if constants["l2"] > 0 else []
    if constants["l1"] > 0:
        of_w.append((at_zero / constants["l1"]) ** 2)
    of_alpha = [2 * n * gap / constants["gamma"]] if constants["gamma"] > 0 else []
    if np.isfinite(constants["L"]):
        of_alpha.append(n * constants["L"] ** 2)
    if of_w:
        values["w2"] = min(of_w)
    if of_alpha:
        values["a2"] = min(of_alpha)
    if constants["l2"] > 0:
        values["mu"] = constants["l2"]
    return values


def _add_computed(values: dict[str, Any], problem: Any, used: set[str]) -> None:
    known = _cache.setdefault(problem, {})
    for name in COMPUTED.keys() & used - values.keys():
        if name not in known:
            known[name] = COMPUTED[name](problem)
        values[name] = np.asarray(known[name])


def _refusal(bound: Bound, failed: sp.Basic, values: Mapping[str, Any]) -> str:
    near = (*registry.of_method(bound.method), *registry.of_method("sdca"))
    fits = [b for b in near if b.counts and b.kind == "theorem" and first_failed(b.assumptions, values) is None]
    # stable, so main theorems stay first
    fits.sort(key=lambda other: (other.method != bound.method, other.sampling != bound.sampling))
    advice = ""
    if fits and bound.counts:
        best = fits[0]
        advice = f"; bound({best.method!r}, sampling={best.sampling!r}, theorem={best.theorem!r}) covers it"
    return f"the {bound} needs {in_words(failed)}, but this problem has {given(failed, values)}{advice}"
