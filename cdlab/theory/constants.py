"""The keywords of `Bound.at` on a problem: its plain constants, bounds of unknown ones, and those that cost passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sparse

from ..losses import hess_lipschitz, unweighted
from ..numerics import checks, eigenvalues
from ..numerics.profiles import Profile
from ..problems.convexity import smoothness
from ..regularizers import of_each
from .evaluate import check_values
from .symbols import MEANINGS

MAX_COSINES = 10_000_000  # Entries of a Gram matrix that are made at once.
LARGE_PREDICTION = 2.0**100  # Beyond it no slope of a Lipschitz loss changes.


def _accelerated(problem: Any, lines: Profile) -> float:
    c = problem.constants()
    return lines.accelerated_total(1 / (c["gamma"] * c["l2"] * c["n"]))


def _least_squares_distance(problem: Any) -> float | None:
    """||w*||^2 <= ||y||^2/lmin for the squared loss alone: lmin ||w*||^2 <= ||X w*||^2 <= ||y||^2 = 2 n gamma P(0)."""
    if (
        problem.loss.name != "squared"
        or problem.l2 > 0
        or problem.l1 > 0
        or problem.bounded
        or problem.sample_weight is not None
    ):
        return None
    return (
        2
        * problem.n
        * problem.loss.gamma
        * problem.constants()["P0"]
        / eigenvalues.smallest_positive_eigenvalue(problem.X)
    )


def _smallest_of_unit_lines(problem: Any, norms2: np.ndarray, rows: bool) -> float:
    scale = sparse.diags_array(np.divide(1.0, np.sqrt(norms2), out=np.zeros(norms2.size), where=norms2 > 0))
    return eigenvalues.smallest_positive_eigenvalue(scale @ problem.X if rows else problem.X @ scale)


def _squared_cosines(problem: Any) -> float:
    """Sum of cos^2 over pairs of rows: with the rows scaled to norm 1, half of ||X'X||_F^2 less its diagonal's part."""
    norms2 = problem.row_profile.norms2
    X = sparse.diags_array(np.divide(1.0, np.sqrt(norms2), out=np.zeros(norms2.size), where=norms2 > 0)) @ problem.X
    A = X if X.shape[1] <= X.shape[0] else X.T  # A'A is the smaller, and made some columns at a time
    step = max(1, MAX_COSINES // max(A.shape[1], 1))
    total = sum(float(((A.T @ A[:, j : j + step]) ** 2).sum()) for j in range(0, A.shape[1], step))
    return max(0.0, (total - np.count_nonzero(norms2)) / 2)


def _dual_curvature(problem: Any) -> float:
    """Curvature of the dual: that of (s phi)*(b) = s phi*(b/s) is 1/s times that of phi*; with s = 0 nothing moves."""
    s, curvature = problem.sample_weight, conjugate_curvature(unweighted(problem.loss))
    return curvature if s is None else curvature / float(s[s > 0].min())


def _certain_smoothness(problem: Any) -> float | None:
    c = problem.constants()
    with np.errstate(divide="ignore"):
        beta = float(1 / np.float64(c["gamma"]))
    return eigenvalues.largest_eigenvalue_bound(problem.X) * beta / c["n"] + c["l2"] if beta < np.inf else None


def _bend(problem: Any) -> float | None:
    if problem.outputs or not problem.mu > 0:
        return None
    zero, far = problem.zeros(problem.d), np.full(problem.n, LARGE_PREDICTION)
    width = float((problem.alpha(zero, z=-far) - problem.alpha(zero, z=far)).max())  # -phi' falls
    rows = min(problem.constants()["Rbar"] ** 2, eigenvalues.largest_eigenvalue_bound(problem.X) / problem.n)
    return width**2 * rows / problem.mu


def _gram_visits(problem: Any) -> float:
    """Count the visits for the smaller Gram matrix, in which each nonzero meets all of its line."""
    counts = (problem.row_profile if problem.d <= problem.n else problem.column_profile).counts
    return float(counts @ counts)


# Constants that cost passes over X: computed when a formula asks for them, once for each problem. None: there is none.
COSTLY_CONSTANTS: dict[str, Callable[[Any], float | None]] = {
    "L_f": lambda problem: smoothness(problem)[0],
    "L_P": _certain_smoothness,
    "bend": _bend,
    "norm_passes": lambda problem: smoothness(problem)[1],
    "lmin": lambda problem: eigenvalues.smallest_positive_eigenvalue(problem.X),
    "mu_rows": lambda problem: _smallest_of_unit_lines(problem, problem.row_profile.norms2, rows=True),
    "cosines": _squared_cosines,
    "mu_cols": lambda problem: _smallest_of_unit_lines(problem, problem.column_profile.norms2, rows=False),
    "gram": _gram_visits,
    "P0": lambda problem: float(least_decrease(problem)(problem.l2)),
    "w2": _least_squares_distance,
    "M": lambda problem: hess_lipschitz(problem.loss),
    "dual_curvature": _dual_curvature,
    "T_P_acc": lambda problem: _accelerated(problem, problem.column_profile),
    "T_D_acc": lambda problem: _accelerated(problem, problem.row_profile),
}
# those of them that are eigenvalues: what is larger is false
EIGENVALUES = {name: MEANINGS[name] for name in ("lmin", "mu_rows", "mu_cols")}
ROUNDING = 1e-9
_costly_cache: WeakKeyDictionary[Any, dict[str, float | None]] = WeakKeyDictionary()


def keywords_on(problem: Any, measured: Mapping[str, float], used: set[str]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, without a check of any theorem's assumptions.

    `measured` are better values for some of them. Those that cost passes over X are computed if they are `used`.
    """
    values = cheap_constants(constants_of(problem), measured)
    values.setdefault("m", np.asarray(1.0))
    add_costly(values, problem, used)
    return values


def constants_of(problem: Any) -> dict[str, Any]:
    """`Problem.constants`; a TypeError if it is not a problem."""
    if not callable(getattr(problem, "constants", None)):
        raise TypeError(
            f"a bound is evaluated on a cdlab.Problem, which has a loss and l2, not {checks.short_repr(problem)}"
        )
    return problem.constants()


def cheap_constants(constants: Mapping[str, Any], measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` that need no pass over X, as arrays; `measured` overrides the problem's constants."""
    for name, value in measured.items():
        if not checks.is_number(value):
            raise TypeError(
                f"{name} must be one number where a bound is evaluated on a problem, not {checks.short_repr(value)}"
            )
    plain = {name: constants[name] for name in MEANINGS if name in constants and name != "P0"}
    return check_values({**plain, **_bounds_by_start(constants), **measured})


def _bounds_by_start(constants: Mapping[str, Any]) -> dict[str, float]:
    """Computable upper bounds of constants that depend on the unknown optimum, from the gap P(0) - D(0) of the start.

    P(0) - P* and D* - D(0) are at most the gap. P is l2-strongly convex and D is (gamma/n)-strongly concave, so
    (l2/2) ||w*||^2 <= gap and (gamma/(2n)) ||alpha*||^2 <= gap; the derivatives of an L-Lipschitz loss are at most L;
    and with l1 > 0, ||w*||_2 <= ||w*||_1 <= P(0)/l1. A smooth loss phi >= 0 has phi'^2 <= 2 phi/gamma, so the mean of
    ||grad phi_i||^2 at w* is at most 2 R^2 P(0)/gamma. Constants without such a bound are left out.
    """
    # in constants() P0 is the value P(0); as a keyword it is the suboptimality P(0) - P*
    gap, n, at_zero = constants["gap0"], constants["n"], constants["P0"]
    values = {"D0": gap, "P0": gap, "P_zero": at_zero}
    of_w = [2 * gap / constants["l2"]] if constants["l2"] > 0 else []
    if constants["l1"] > 0:
        norm = at_zero / constants["l1"]
        of_w.append(norm * norm)  # norm**2 raises where this is inf
    of_alpha = [2 * n * gap / constants["gamma"]] if constants["gamma"] > 0 else []
    if np.isfinite(constants["L"]):
        of_alpha.append(n * constants["L"] ** 2)
    if of_w:
        values["w2"] = min(of_w)
    if of_alpha:
        values["a2"] = min(of_alpha)
    of_g = [2 * constants["R"] ** 2 * at_zero / constants["gamma"]] if constants["gamma"] > 0 else []
    if np.isfinite(constants["L"]):
        of_g.append((constants["L"] * constants["R"]) ** 2)
    if of_g:
        values["g2"] = min(of_g)
    if constants["l2"] > 0:
        values["mu"] = constants["l2"]
    return values


def refuse_contradictions(given: Iterable[str], values: Mapping[str, Any], problem: Any) -> None:
    """Refuse constants that a user gave and the data contradict: no guarantee would follow from them.

    P is (L_f + l2)-smooth, so its strong convexity mu is at most that; L_f is computed only for a mu above the lower
    bounds of it that cost nothing, ||X||_2^2 >= F/min(n, d) and the squared norms of rows and columns.
    """
    for name in EIGENVALUES.keys() & set(given):
        if (largest := _costly_constant(problem, name)) is not None and np.any(values[name] > largest * (1 + ROUNDING)):
            raise ValueError(f"{name} = {values[name]:g} was given, but the {EIGENVALUES[name]} is {largest:g}")
    if "mu" not in given or not np.all(values["gamma"] > 0):
        return
    norm2 = max(values["R"] ** 2, values["R_col"] ** 2, values["F"] / min(values["n"], values["d"]))
    if np.all(values["mu"] <= norm2 / (values["n"] * values["gamma"]) + values["l2"]):
        return
    limit = (values["L_f"] if "L_f" in given else _costly_constant(problem, "L_f")) + values["l2"]
    if np.any(values["mu"] > limit * (1 + ROUNDING)):
        raise ValueError(
            f"mu = {values['mu']:g} was given, but P is not that strongly convex: mu cannot be above its smoothness "
            f"L_f + l2 = {limit:g}"
        )


def with_lower_P0(values: Mapping[str, Any], problem: Any, given: Iterable[str]) -> dict[str, Any]:
    """The values for a count to a relative accuracy, with P0 = P(0) - P* bounded from below unless it was given.

    The accuracy is a share of P0, so a count to it never rises with P0; the gap of the start, which is P0 + D0, would
    promise too much where most of it is D0. Where P0 may be 0, no accuracy but 0 is a share of it.
    """
    return dict(values) if "P0" in given else {**values, "P0": np.asarray(_costly_constant(problem, "P0"))}


def add_costly(values: dict[str, Any], problem: Any, used: set[str]) -> None:
    """Add the constants that cost passes over X, computed once for each problem, if they are used and missing."""
    for name in COSTLY_CONSTANTS.keys() & used - values.keys():
        if (found := _costly_constant(problem, name)) is not None:
            values[name] = np.asarray(found)


def _costly_constant(problem: Any, name: str) -> float | None:
    found = _costly_cache.setdefault(problem, {})
    if name not in found:
        found[name] = COSTLY_CONSTANTS[name](problem)
    return found[name]


# ------------------------------------------------------------ P(0) - P*, from below
KINK_OFFSET = 2.0**-30  # Distance from 0 at which predictions are on one side of a kink.
TRIED_STEPS = 2.0 ** np.arange(-40, 20)  # times 1/max |x_i'u|: one is within a factor of sqrt(2) of the best step
_decrease_cache: WeakKeyDictionary[Any, Callable[[Any], np.ndarray]] = WeakKeyDictionary()


def least_decrease(problem: Any) -> Callable[[Any], np.ndarray]:
    """A lower bound of P(0) - P* as a function of l2, a number or an array: what steepest descent from w = 0 gains.

    With g the gradient of the mean loss at 0, u = -sign(g) max(|g| - l1, 0) is minus the subgradient of P at 0 of
    smallest norm, whatever l2 is. P* <= P(t u) for every t, so each P(0) - P(t u) is a lower bound of P(0) - P*. Of
    many t the best is taken, and 0 where P falls at none of them. The search is done once for each problem.
    """
    if problem not in _decrease_cache:
        _decrease_cache[problem] = _search_steps(problem)
    return _decrease_cache[problem]


def _search_steps(problem: Any) -> Callable[[Any], np.ndarray]:
    u, z, step = _steepest_descent(problem)
    t = step * TRIED_STEPS
    at_zero, squares = problem.primal(problem.zeros(problem.d)), t**2 * float((u**2).sum()) / 2
    with np.errstate(all="ignore"):
        falls = at_zero - np.array([problem.primal(x * u, z=x * z) for x in t]) + problem.l2 * squares

    def largest(l2: Any) -> np.ndarray:
        with np.errstate(all="ignore"):
            found = falls - np.asarray(l2, dtype=float)[..., None] * squares
        return np.where(np.isfinite(found), found, 0.0).max(axis=-1, initial=0.0)

    return largest


def _steepest_descent(problem: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """u, X u, and a step: 1 over the largest prediction. The step is 0 if there is no descent."""
    zero, z = problem.zeros(problem.d), problem.zeros(problem.n)
    # at a kink the mean of both sides: one side alone need not lead down
    g = (problem.gradient(zero, z=z + KINK_OFFSET) + problem.gradient(zero, z=z - KINK_OFFSET)) / 2
    u = -of_each(problem.reg, zero.shape).smallest_subgradient(zero, g)
    z = problem.X @ u
    largest = float(np.abs(z).max(initial=0.0))
    return u, z, 1 / largest if largest > 0 else 0.0


# ------------------------------------------------------------ whether the dual is smooth
CURVATURE_POINTS = 257
END_DISTANCE, END_FACTOR = 1e-3, 1e-3  # distances from an end of the domain, each a thousandth of the one before
# of slopes at such distances: a finite curvature leaves a thousandth of their difference, an entropy all
SLOPE_GROWTH = 0.02


def conjugate_curvature(loss: Any) -> float:
    """The largest curvature of phi*(-a) in its domain, for labels 1 and -1; inf where the slope has no limit at an end.

    >>> from cdlab.losses import Logistic, SmoothHinge
    >>> conjugate_curvature(Logistic()), round(conjugate_curvature(SmoothHinge(gamma=0.5)), 6)
    (inf, 0.5)
    """
    if getattr(loss, "vector", False):  # the conjugate of a log-sum is an entropy
        return np.inf
    reach = loss.lipschitz if np.isfinite(loss.lipschitz) else 1.0
    return max(_curvature(loss, y, reach) for y in (1.0, -1.0))


def _curvature(loss: Any, y: float, reach: float) -> float:
    a = np.linspace(-reach, reach, CURVATURE_POINTS)
    values = np.array([loss.phi_conj(x, y) for x in a])
    inside = np.isfinite(values)
    if inside.sum() < 3:
        return 0.0
    for end, inwards in ((a[inside][0], reach), (a[inside][-1], -reach)):
        steps = inwards * END_DISTANCE * END_FACTOR ** np.arange(3)
        slopes = np.array([(loss.phi_conj(end + step, y) - loss.phi_conj(end, y)) / step for step in steps])
        if abs(slopes[2] - slopes[1]) > SLOPE_GROWTH * abs(slopes[1] - slopes[0]) + 1e-6:
            return np.inf
    return float(np.abs(np.diff(values[inside], 2)).max() / (a[1] - a[0]) ** 2)
