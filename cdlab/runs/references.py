"""References: the optimum of a problem as well as it can be had, with a certificate of how well that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ..losses import Squared, unweighted
from ..numerics import checks
from ..problems.problem import Problem
from ..problems.rounding import gap_between, rounding_of_sums
from ..problems.weights import relative, rooted
from .entries import Entry
from .limits import Status
from .solving import solve
from .trace import Trace

EPS = float(np.finfo(float).eps)
UNCERTIFIED_METHOD = "lbfgs"  # This method is run where nothing certifies.
GRADIENT_TOL = 1e-9  # It runs until the gradient is this share of the first one.
MAX_LSMR_STEPS = 100_000  # LSMR needs far fewer steps: it stops at its tolerance.


@dataclass(frozen=True)
class Reference:
    """A value in place of P*, and how far above P* it can be.

    Attributes
    ----------
    w : (d,) array
        The point where it was found; of least squares the one of smallest norm.
    primal : float
        P(w), or a smaller value that another run reached: P* is at most this.
    dual : float
        The largest known lower bound of P*; -inf where there is none.
    at_zero : float
        P(0).
    found_by : str
        How, in words; without a certificate that it has none.
    """

    w: np.ndarray
    primal: float
    dual: float
    at_zero: float
    found_by: str

    @property
    def certificate(self) -> float:
        """The most that `primal` can be above P*; inf without a lower bound."""
        return gap_between(self.primal, self.dual, rounding_of_sums(self.at_zero, self.primal, self.dual))

    @property
    def certified(self) -> bool:
        """Tell whether there is any lower bound of P*."""
        return bool(np.isfinite(self.certificate))

    def with_runs(self, traces: Iterable[Trace]) -> Reference:
        """The same with the smallest P(w) and the largest D(alpha) of it and of some runs on the same problem."""
        primal, dual = tightest_bounds(traces, self.primal, self.dual)
        return replace(self, primal=primal, dual=dual)


def tightest_bounds(traces: Iterable[Trace], primal: float = np.inf, dual: float = -np.inf) -> tuple[float, float]:
    """The smallest P(w) and the largest D(alpha) of some runs on one problem, and of what was known before."""
    for trace in traces:
        primal = float(np.fmin.reduce(trace.best_primal(), initial=primal))
        dual = float(np.fmax.reduce(trace.best_dual(), initial=dual))
    return primal, dual


def reference(problem: Problem, *, tol: float = 1e-10, max_passes: float = 3000) -> Reference:
    """The optimum of a problem, to compare runs with.

    Least squares without a regulariser is solved by LAPACK (of sparse data by LSMR), for the point of smallest norm;
    ridge by newton_cd, which is one factorisation; another smooth loss without a regulariser by lbfgs until the
    gradient is 1e-9 of the first, which certifies nothing. All else is a run of sdca in permutations if kappa <= n or
    the loss is not smooth, else of apcg; and of "auto" where these do not fit.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    tol : float, default 1e-10
        On the relative gap.
    max_passes : float, default 3000
        After which a run ends with the certificate that it has.

    Returns
    -------
    Reference

    Raises
    ------
    TypeError, ValueError
        If `problem` is not a Problem, or where no method fits.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem([[1.0, 0.0], [0.0, 2.0]], [1, -1], "squared", l2=1.0)
    >>> cdlab.reference(P).w.round(12)
    array([ 0.33333333, -0.33333333])
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
    method = reference_method(problem)
    if method is None:
        return _least_squares(problem)
    free = method == UNCERTIFIED_METHOD
    s = solve(problem, method, tol=GRADIENT_TOL if free else tol, max_passes=max_passes)
    found_by = f"{s.trace.label}, {s.trace.records[-1].passes:.4g} passes, "
    if free:
        arrived = s.status == Status.GRADIENT_SMALL
        found_by += f"gradient {GRADIENT_TOL:g} of the first" if arrived else str(s.status)
        found_by += ": not certified"
    else:
        found_by += f"relative gap {s.relative_gap:.2g}"
    return Reference(s.w, *tightest_bounds([s.trace]), s.trace.at_zero, found_by)


def reference_method(problem: Problem) -> Entry | None:
    """The method of the run that `reference` makes; None for least squares without a regulariser, which needs no run.

    `UNCERTIFIED_METHOD` ends at a gradient that is `GRADIENT_TOL` of the first.
    """
    squared = isinstance(unweighted(problem.loss), Squared)
    if not problem.is_certified:
        if squared and not problem.bounded:
            return None
        if problem.loss.gamma > 0:
            return UNCERTIFIED_METHOD
    if squared and problem.l1 == 0 and not problem.bounded:
        return "newton_cd"
    if problem.mu == 0 or problem.intercept:
        return "auto"
    if problem.loss.gamma == 0 or problem.kappa <= problem.n or problem.outputs:
        return "sdca@permutation"
    return "apcg"


def _least_squares(problem: Problem) -> Reference:
    """The least squares solution of smallest norm.

    P(w) - P* <= ||grad P(w)||^2/(2 mu) with mu = beta sigma^2/n, sigma the smallest singular value that is not 0: w
    lies in the row space, where P is mu-strongly convex.
    """
    import scipy.linalg
    import scipy.sparse.linalg

    X = rooted(problem.X, problem.sample_weight)
    s = problem.sample_weight
    y = problem.targets if s is None else problem.targets * np.sqrt(relative(s))
    dual = -np.inf
    if sp.issparse(X):
        w = scipy.sparse.linalg.lsmr(X, y, atol=EPS, btol=EPS, conlim=0, maxiter=MAX_LSMR_STEPS)[0]
        found_by = "scipy.sparse.linalg.lsmr: not certified"
    else:
        w, _, rank, singular = scipy.linalg.lstsq(X, y, cond=EPS * max(X.shape))
        slope = problem.gradient(w)
        mu = problem.beta * singular[rank - 1] ** 2 / problem.n if rank else np.inf
        dual = problem.primal(w) - float(slope @ slope) / (2 * mu)
        found_by = f"scipy.linalg.lstsq, rank {rank}"
    return Reference(w, problem.primal(w), dual, problem.at_zero, found_by)
