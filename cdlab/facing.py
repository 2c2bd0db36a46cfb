"""The face-off: does primal or dual coordinate descent need less work on these data, according to the bounds?

For a sampling p of the features and q of the examples, with beta = 1/gamma, r_j and c_i nonzeros of column j and row i,

    K_P = max_j (beta ||X_:j||^2 + l2 n)/(p_j l2 n),   W_P = sum_j p_j r_j,   T_P = K_P W_P    (rcd)
    K_D = max_i (beta ||x_i||^2 + l2 n)/(q_i l2 n),    W_D = sum_i q_i c_i,   T_D = K_D W_D    (quartz, sdca)

are iterations, visited nonzeros an iteration and visited nonzeros in all, each K and T times log(c/eps). Importance
sampling, p_j proportional to beta ||X_:j||^2 + l2 n, minimises K and T at once (Theorem 2), and then

    T_P = nnz + beta/(l2 n) C_P,    C_P = sum_j r_j ||X_:j||^2
    T_D = nnz + beta/(l2 n) C_D,    C_D = sum_i c_i ||x_i||^2.

Source: Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Theorems 1 to 3, eq. (8) to (16). Our X
(n, d) is the transpose of theirs: rows are examples.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from . import derivatives, matrices
from .problem import Problem
from .samplings import Importance, Sampling, Uniform

if TYPE_CHECKING:
    import pandas

TOO_CLOSE = 1.25  # bounds nearer than this factor predict nothing
ROUNDING = 1e-12  # T_P and K_D are equal but for rounding where every line has one nonzero
SMALLEST = np.finfo(float).tiny  # below it float64 loses digits
RELIABLE = 4.0  # measured races have differed from T_P/T_D by up to this factor (worst-case binary matrices, logistic)


@dataclass(frozen=True)
class Work:
    """What the bounds predict for one sampling, up to the factor log(c/eps). None where there is no bound.

    Attributes
    ----------
    K_P, K_D, W_P, W_D, T_P, T_D : float or None
        Iterations K, expected visited nonzeros of an iteration W, and of all T = K W, on the primal and dual side.
    """

    K_P: float | None = None
    K_D: float | None = None
    W_P: float | None = None
    W_D: float | None = None
    T_P: float | None = None
    T_D: float | None = None

    @property
    def ratio(self) -> float | None:
        """T_P/T_D: above 1 the bound favours the dual."""
        return self.T_P / self.T_D if self.T_P is not None and self.T_D else None


@dataclass(frozen=True)
class Theorem3:
    """F <= C_P <= n F, F <= C_D <= d F and 1/d <= C_P/C_D <= n, with F = ||X||_F^2: where these data lie between.

    Attributes
    ----------
    C_P_bounds, C_D_bounds, ratio_bounds : (low, high)
    ratio : float or None
        C_P/C_D; None if X = 0.
    position : float or None
        Of the ratio between its bounds on a log scale: 0 where the primal does best, 1 where the dual does. None if
        X = 0 or n = d = 1.
    """

    C_P_bounds: tuple[float, float]
    C_D_bounds: tuple[float, float]
    ratio_bounds: tuple[float, float]
    ratio: float | None
    position: float | None


@dataclass(frozen=True, kw_only=True)
class FaceOff(Work):
    """Primal against dual on one data set. K, W, T and ratio are for importance sampling.

    Attributes
    ----------
    n, d, nnz : int
    F, C_P, C_D : float
        Squared Frobenius norm, and the two sums that decide the face-off. C_P/F and C_D/F are the mean numbers of
        nonzeros of a column and of a row, weighted by squared norms.
    ratio_table : float or None
        T_P/T_D with beta/(l2 n) = 1, the convention of the paper's Table 1. None if X = 0.
    theorem3 : Theorem3
    uniform : Work
        K, W, T and ratio of uniform sampling.
    derivative_cost : float or None
        Cost of one loss derivative in visited nonzeros, and in `derivative_cost_source` where the number comes from.
    reason : str or None
        Why some of K, T and ratio are None.
    """

    n: int
    d: int
    nnz: int
    F: float
    C_P: float
    C_D: float
    ratio_table: float | None
    theorem3: Theorem3
    uniform: Work = Work()
    derivative_cost: float | None = None
    derivative_cost_source: str | None = None
    reason: str | None = None

    def cost_P(self, derivative_cost: float | None = None) -> float | None:
        """(1 + k) T_P: the primal's work if a loss derivative costs k visited nonzeros; each nonzero needs one."""
        k = self.derivative_cost if derivative_cost is None else derivative_cost
        return None if k is None or self.T_P is None else (1 + k) * self.T_P

    def cost_D(self, derivative_cost: float | None = None) -> float | None:
        """T_D + k K_D: the dual's work if a loss derivative costs k visited nonzeros; each iteration needs one."""
        k = self.derivative_cost if derivative_cost is None else derivative_cost
        return None if k is None or self.T_D is None or self.K_D is None else self.T_D + k * self.K_D

    @property
    def break_even(self) -> float | None:
        """(T_D - T_P)/(T_P - K_D): the primal wins while a derivative costs less. None if T_P <= K_D.

        Below 0 the dual wins at any cost. Where it is None, dear derivatives do not hurt the primal more than the dual.
        """
        T_P, T_D, K_D = self.T_P, self.T_D, self.K_D
        if T_P is None or T_D is None or K_D is None or T_P <= K_D * (1 + ROUNDING):
            return None
        return (T_D - T_P) / (T_P - K_D)

    @property
    def winner(self) -> str | None:
        """Which side the bounds predict, by what factor, and how far to trust that. None if there is no ratio."""
        if self.ratio is None:
            return None
        words, P, D = _verdict(self.ratio), self.cost_P(), self.cost_D()
        if self.derivative_cost and P and D:
            words += (
                f". Counting a loss derivative as {self.derivative_cost:.3g} visited nonzeros "
                f"({self.derivative_cost_source}): {_verdict(P / D)}"
            )
        return words

    def to_dict(self) -> dict[str, Any]:
        """Fields and properties as plain numbers, words, lists, dicts and None: ready for JSON."""
        plain = asdict(self) | {"ratio": self.ratio, "break_even": self.break_even, "winner": self.winner}
        plain["uniform"]["ratio"] = self.uniform.ratio
        return plain

    def table(self) -> pandas.DataFrame:
        """K, W, T and passes = T/nnz by side and sampling; NaN where there is no bound."""
        import pandas as pd

        rows = {}
        for side, letter in (("primal", "P"), ("dual", "D")):
            for sampling, work in (("uniform", self.uniform), ("importance", self)):
                K, W, T = (getattr(work, f"{quantity}_{letter}") for quantity in "KWT")
                rows[side, sampling] = K, W, T, T / self.nnz if T is not None and self.nnz else None
        index = pd.MultiIndex.from_tuples(rows, names=["side", "sampling"])
        return pd.DataFrame(list(rows.values()), index=index, columns=["K", "W", "T", "passes"], dtype=float)


def faceoff(P_or_X: Problem | Any, *, derivative_cost: float | str | None = None) -> FaceOff:
    """Compare primal and dual coordinate descent by their bounds.

    Parameters
    ----------
    P_or_X : Problem, or (n, d) array or sparse matrix
        A matrix alone gives C_P, C_D, ratio_table and Theorem 3.
    derivative_cost : float or "measured", optional
        Cost of one loss derivative in visited nonzeros, or "measured" on this machine. Default: assumed, 50 for the
        logistic loss, which the paper quotes, and 0 for the others, whose derivative is a few multiplications. (The
        compiled loops of cdlab measure 4 for the logistic loss on sparse matrices and 7 on dense ones.)

    Returns
    -------
    FaceOff

    Raises
    ------
    ValueError
        If squared norms leave the range of float64, or derivative_cost is not a number >= 0.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> f = cdlab.faceoff(cdlab.Problem(np.ones((2, 20)), [1, -1], loss="squared", l2=0.5))
    >>> f.C_P, f.C_D, f.winner
    (80.0, 800.0, 'primal, by a factor of 7')
    """
    if not isinstance(P_or_X, Problem):
        if derivative_cost is not None:
            raise ValueError("derivative_cost belongs to a loss: pass faceoff a Problem instead of X alone")
        X = matrices.validated(P_or_X)
        known = _of_matrix(matrices.profile(X, "rows"), matrices.profile(X, "columns"))
        return replace(known, reason="X alone has neither a loss nor l2: pass a Problem for K, W, T and their ratio")
    P, known = P_or_X, _of_matrix(P_or_X.row_profile, P_or_X.column_profile)
    cost, source = derivatives.resolved(P.loss, derivative_cost, dense=not sp.issparse(P.X))
    known = replace(known, derivative_cost=cost, derivative_cost_source=source)
    if P.loss.gamma == 0:
        needs = f"Theorem 1 needs a smooth loss and {P.loss.name} is not"
        return replace(known, reason=f"{needs}: take smooth_hinge(gamma) or huber(gamma)")
    if P.l2 == 0:
        return replace(known, reason="Theorem 1 needs strong convexity and l2 = 0: set l2 > 0")
    importance, uniform = _work(P, Importance()), _work(P, Uniform())
    if not np.isfinite([*asdict(importance).values(), *asdict(uniform).values()]).all():
        return replace(known, reason="K and T overflow float64: take a larger l2, or scale X down")
    reason = None if P.nnz else "X = 0: w = 0 is optimal and there is nothing to compare"
    if P.l1 > 0:
        importance, uniform = (replace(work, K_P=None, T_P=None) for work in (importance, uniform))
        reason = "rcd does not handle l1 > 0, so the primal side has no bound: set l1 = 0"
    return replace(known, **asdict(importance), uniform=uniform, reason=reason)


def _of_matrix(rows: matrices.Profile, columns: matrices.Profile) -> FaceOff:
    """What can be said of the matrix alone, from the norms and counts of its lines."""
    n, d, nnz = rows.counts.size, columns.counts.size, int(rows.counts.sum())
    F, C_P, C_D = (float(x) for x in (rows.norms2.sum(), columns.C, rows.C))
    if nnz and F < SMALLEST:
        raise ValueError("X is too small for float64: its squared norms underflow; multiply X by 1e150")
    ratio, table = C_P / C_D if nnz else None, (nnz + C_P) / (nnz + C_D) if nnz else None
    position = math.log(ratio * d) / math.log(n * d) if ratio is not None and n * d > 1 else None
    theorem3 = Theorem3((F, n * F), (F, d * F), (1 / d, float(n)), ratio, position)
    return FaceOff(n=n, d=d, nnz=nnz, F=F, C_P=C_P, C_D=C_D, ratio_table=table, theorem3=theorem3)


def _work(P: Problem, sampling: Sampling) -> Work:
    """K, W and T as eq. (8) to (13) define them, for any serial sampling."""
    found: dict[str, float] = {}
    for letter, side, counts in (("P", "primal", P.column_profile.counts), ("D", "dual", P.row_profile.counts)):
        c = P.coordinates(side)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # faceoff says so in `reason`
            p = sampling.probabilities(c)
            K, W = (c.smoothness / p).max() / c.l2n, p @ counts
            found |= {f"K_{letter}": float(K), f"W_{letter}": float(W), f"T_{letter}": float(K * W)}
    return Work(**found)


def _verdict(ratio: float) -> str:
    side, factor = ("dual", ratio) if ratio > 1 else ("primal", 1 / ratio)
    if factor < TOO_CLOSE:
        return f"too close to call ({side} by a factor of {factor:.3g})"
    doubt = f" (races have differed from the bounds by up to {RELIABLE:g})" if factor < RELIABLE else ""
    return f"{side}, by a factor of {factor:.3g}{doubt}"
