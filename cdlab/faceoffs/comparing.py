"""The comparison: the sums of a matrix, and K, W and T of both sides for a loss and an l2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .. import losses
from ..datasets import Scan
from ..datasets.parts import is_mostly_nonzero
from ..eso_parameters import eso
from ..losses import Loss, smoothness_hint
from ..numerics import checks, profiles
from ..numerics.profiles import Profile
from ..problems.problem import Problem
from ..samplings import Coordinates, Sampling
from ..samplings import resolve as resolve_sampling
from .derivative_cost import resolve_cost
from .exact_steps import ExactSteps
from .result import FaceOff, Theorem3, Work

SMALLEST_NORMAL = np.finfo(float).tiny  # below it float64 loses digits
Pair = tuple[Any, Any]  # samplings of the features and of the examples; None: not this side


class _Data(NamedTuple):
    """The sums of a matrix and, unless it was only scanned, the matrix itself and the profile of its rows."""

    n: int
    rows: Side
    columns: Side
    row_lines: Profile | None
    column_lines: Profile
    X: np.ndarray | sp.csr_matrix | None


def faceoff(
    P_or_X: Problem | Scan | Any,
    *,
    loss: str | Loss | None = None,
    l2: float | None = None,
    derivative_cost: float | str | None = None,
    samplings: Sequence[str | Sampling | Pair] = (),
) -> FaceOff:
    """Compare primal and dual coordinate descent by their bounds.

    Parameters
    ----------
    P_or_X : Problem, (n, d) array or sparse matrix, or Scan
        A matrix alone, or a file in summary (``cdlab.datasets.scan``), gives C_P, C_D, ratio_table and Theorem 3; with
        `loss` and `l2` everything. Labels play no part.
    loss : str or loss instance, optional
        For a matrix or a scan; a Problem has its own.
    l2 : float, optional
        Weight of (1/2)||w||^2, given together with `loss`.
    derivative_cost : float or "measured", optional
        Cost of one loss derivative in visited nonzeros, or "measured": once on this machine, which also gives
        predictions in seconds. Default: assumed, 50 for the logistic loss, which the paper quotes, and 0 for the
        others, whose derivative is a few multiplications. (The compiled loops of cdlab measure 4 for the logistic loss
        on sparse matrices and 7 on dense ones.)
    samplings : sequence, optional
        More samplings to find K, W and T of, in `by_sampling`: names, probability arrays or instances, also of those
        that draw blocks (their ESO parameters take the place of squared norms). A pair is (the primal's, the dual's),
        for example (None, Bucket(...)).

    Returns
    -------
    FaceOff

    Raises
    ------
    ValueError
        If squared norms leave the range of float64, derivative_cost is not a number >= 0, a sampling fits no theorem or
        not the data, or loss and l2 are missing or given twice.
    TypeError
        If `samplings` is not a list.

    Notes
    -----
    Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Theorems 1 to 3 and section 5; T_P_acc and
    T_D_acc with the bound of Allen-Zhu, Qu, Richtarik & Yuan, Even faster accelerated coordinate descent (2016).

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> f = cdlab.faceoff(cdlab.Problem(np.ones((2, 20)), [1, -1], loss="squared", l2=0.5))
    >>> f.C_P, f.C_D, f.winner
    (80.0, 800.0, 'primal')
    >>> f = cdlab.faceoff(np.ones((6, 4)), loss="squared", l2=0.5, samplings=[cdlab.samplings.TauNice(2)])
    >>> f.by_sampling["tau_nice(tau=2)"].K_D
    11.0
    """
    data, named = _data(P_or_X), _label_samplings(samplings)
    known = _of_matrix(data)
    loss, l2, l1 = _resolve_objective(P_or_X, loss, l2)
    if loss is None:
        if derivative_cost is not None or named:
            what = "derivative_cost belongs" if derivative_cost is not None else "K, W and T of samplings belong"
            raise ValueError(f"{what} to a loss: pass faceoff a Problem instead of X alone, or loss and l2 beside X")
        return replace(known, reason="X alone has neither a loss nor l2: pass a Problem for K, W, T and their ratio")
    cost, source, speed = resolve_cost(losses.unweighted(loss), derivative_cost, dense=known.dense)
    nothing = dict.fromkeys(named, Work())
    known = replace(known, derivative_cost=cost, derivative_cost_source=source, speed=speed, by_sampling=nothing)
    if loss.gamma == 0:
        return replace(known, reason=f"Theorem 1 needs a smooth loss, but {smoothness_hint(loss)}")
    if isinstance(P_or_X, Problem) and P_or_X.bounded:
        return replace(known, reason="Theorem 1 is for features without bounds and penalty factors: leave them out")
    if l2 == 0:
        return replace(known, reason="Theorem 1 needs strong convexity, but l2 = 0: set l2 > 0")
    if isinstance(P_or_X, Problem) and P_or_X.intercept:
        return replace(known, reason="Theorem 1 needs a regulariser of every coordinate, and the intercept has none")
    beta, l2n = 1 / loss.gamma, l2 * known.n
    if not math.isfinite(l2n):
        return replace(known, reason="l2 n overflows float64: take a smaller l2")
    b = beta / l2n
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # what overflows is found below
        works = [
            _work(data.columns.importance(b), data.rows.importance(b)),
            _work(data.columns.uniform(b), data.rows.uniform(b)),
            *(_of_pair(data, pair, beta, l2n) for pair in named.values()),
        ]
        T_acc = [None if lines is None else lines.accelerated_total(b) for lines in (data.column_lines, data.row_lines)]
    numbers = [x for work in works for x in asdict(work).values()] + T_acc
    if not all(math.isfinite(x) for x in numbers if x is not None):
        return replace(known, reason="K and T overflow float64: take a larger l2, or scale X down")
    reason = None if known.nnz else "X = 0: w = 0 is optimal and there is nothing to compare"
    if unfit := _unfit_for_rcd(loss, l1):
        works, T_acc[0] = [replace(work, K_P=None, T_P=None) for work in works], None
        reason = f"rcd does not handle {unfit}"
    exact = None
    if data.X is not None and reason is None:
        quadratic = losses.unweighted(loss).name == "squared" and loss is losses.unweighted(loss)
        exact = ExactSteps(data.X, l2, loss.gamma, quadratic, P_or_X if isinstance(P_or_X, Problem) else None)
    importance, uniform, *others = works
    return replace(
        known,
        importance=importance,
        uniform=uniform,
        by_sampling=dict(zip(named, others, strict=True)),
        T_P_acc=T_acc[0],
        T_D_acc=T_acc[1],
        exact=exact,
        reason=reason,
    )


def _unfit_for_rcd(loss: Loss, l1: float) -> str:
    if l1 > 0:
        return "l1 > 0, so the primal side has no bound: set l1 = 0"
    return f"{loss.name}, so the primal side has no bound" if losses.is_vector(loss) else ""


def _data(P_or_X: Problem | Scan | Any) -> _Data:
    if isinstance(P_or_X, Scan):
        s = P_or_X
        sums = Side(s.n_nonempty, s.nnz, s.F, s.C_D, s.largest)
        return _Data(s.n, sums, Side.of(s.columns), None, s.columns, None)
    if isinstance(P_or_X, Problem):
        X, rows, columns = P_or_X.X, P_or_X.row_profile, P_or_X.column_profile
    else:
        X = profiles.validated_matrix(P_or_X)
        rows, columns = profiles.line_profile(X, "rows"), profiles.line_profile(X, "columns")
    return _Data(X.shape[0], Side.of(rows), Side.of(columns), rows, columns, X)


def _resolve_objective(
    P_or_X: Problem | Scan | Any, loss: str | Loss | None, l2: float | None
) -> tuple[Loss | None, float, float]:
    """Loss, l2 and l1; no loss for a matrix without one."""
    if isinstance(P_or_X, Problem):
        if loss is not None or l2 is not None:
            raise ValueError("the Problem has its own loss and l2: pass X alone to try others")
        return P_or_X.loss, P_or_X.l2, P_or_X.l1
    if (loss is None) != (l2 is None):
        raise ValueError("loss and l2 go together: pass both beside X, or a Problem")
    if loss is None:
        return None, 0.0, 0.0
    weight = checks.number("l2", l2, "a finite number >= 0", ends="[)")
    return losses.resolve(loss), weight, 0.0


def _of_matrix(data: _Data) -> FaceOff:
    """The part of a face-off that needs neither a loss nor l2."""
    rows, columns = data.rows, data.columns
    n, d, nnz, F, C_P, C_D = rows.m, columns.m, rows.nnz, rows.F, columns.C, rows.C
    if nnz and F < SMALLEST_NORMAL:
        raise ValueError("X is too small for float64: its squared norms underflow; multiply X by 1e150")
    ratio, table = (C_P / C_D, (nnz + C_P) / (nnz + C_D)) if nnz else (None, None)
    ends = (1 / d, float(n)) if nnz else None
    position = math.log(ratio * d) / math.log(n * d) if ratio is not None and n * d > 1 else None
    whole_n, whole_d = data.n, data.column_lines.counts.size
    # a scanned file as it would be loaded
    dense = is_mostly_nonzero(whole_n, whole_d, nnz) if data.X is None else isinstance(data.X, np.ndarray)
    return FaceOff(
        n=whole_n,
        d=whole_d,
        n_nonempty=n,
        d_nonempty=d,
        nnz=nnz,
        F=F,
        C_P=C_P,
        C_D=C_D,
        ratio_table=table,
        theorem3=Theorem3((F, n * F), (F, d * F), ends, ratio, position),
        dense=dense,
    )


def _label_samplings(samplings: Sequence[str | Sampling | Pair]) -> dict[str, tuple[Sampling | None, Sampling | None]]:
    """The pairs of samplings (of features, of examples) by their labels."""
    found: dict[str, tuple[Sampling | None, Sampling | None]] = {}
    if isinstance(samplings, str | Sampling | np.ndarray):
        raise TypeError(f"samplings must be a list, even of one: [{checks.short_repr(samplings)}]")
    for entry in samplings:
        if isinstance(entry, tuple):
            if len(entry) != 2 or all(one is None for one in entry):
                raise ValueError(
                    "a pair of samplings is (the primal's, the dual's), one of which may be None, not "
                    f"{checks.short_repr(entry)}"
                )
            primal, dual = (None if one is None else resolve_sampling(one) for one in entry)
        else:
            primal = dual = resolve_sampling(entry)
        labels = list(dict.fromkeys(one.label for one in (primal, dual) if one is not None))
        label = " / ".join(labels)
        while label in found:  # two probability arrays, say
            label += "'"
        found[label] = primal, dual
    return found


def _of_pair(data: _Data, pair: tuple[Sampling | None, Sampling | None], beta: float, l2n: float) -> Work:
    if data.X is None or data.row_lines is None:
        raise ValueError("a scan keeps only sums of the rows: load the data to compare other samplings")
    X, (primal, dual) = data.X, pair
    return _work(
        None if primal is None else rate_and_cost(X, data.column_lines, "primal", primal, beta, l2n),
        None if dual is None else rate_and_cost(X, data.row_lines, "dual", dual, beta, l2n),
    )


# ------------------------------------------------------------ K, W and T
class Side(NamedTuple):
    """The sums over the coordinates of one side that the bounds of uniform and importance sampling need.

    Empty lines are not coordinates here (Csiba & Richtarik 2016, Theorem 3): no method has to draw them.

    Attributes
    ----------
    m, nnz : int
        Lines (rows or columns) with a nonzero, and all nonzeros.
    F : float
        Sum of the squared norms.
    C : float
        Sum of nonzeros times squared norm.
    largest : float
        Largest squared norm.
    """

    m: int
    nnz: int
    F: float
    C: float
    largest: float

    @classmethod
    def of(cls, lines: Profile) -> Side:
        """The sums over the rows or columns of a matrix."""
        counts, norms2 = lines.counts, lines.norms2
        return cls(int(np.count_nonzero(counts)), int(counts.sum()), float(norms2.sum()), lines.C, float(norms2.max()))

    def uniform(self, b: float) -> tuple[float, float, float]:
        """K, W, T for p = 1/m and b = beta/(l2 n): section 5.1 of Csiba & Richtarik (2016)."""
        worst = 1 + b * self.largest
        return self.m * worst, self.nnz / self.m if self.m else 0.0, self.nnz * worst

    def importance(self, b: float) -> tuple[float, float, float]:
        """K, W, T for p ~ 1 + b ||.||^2: eq. (14) and (15) of Csiba & Richtarik (2016)."""
        K, T = self.m + b * self.F, self.nnz + b * self.C
        return K, T / K if self.m else 0.0, T


def _work(primal: tuple[float, float, float] | None, dual: tuple[float, float, float] | None) -> Work:
    """(K, W, T) of each side as one Work; None where a side has no sampling."""
    sides = (("P", primal), ("D", dual))
    return Work(**{f"{name}_{s}": x for s, found in sides if found for name, x in zip("KWT", found, strict=True)})


def rate_and_cost(
    X: np.ndarray | sp.csr_matrix, lines: Profile, side: str, sampling: Sampling, beta: float, l2n: float
) -> tuple[float, float, float]:
    """K, W, T of any sampling on one side, as eq. (8) to (13) of Csiba & Richtarik (2016) define them.

    A serial sampling has squared norms v; one that draws blocks has the ESO parameters in their place, and W counts the
    nonzeros of a whole block. Empty lines need no probability: of a serial sampling only the draws of other lines are
    counted as iterations, as `Side` counts them.

    `lines` are the profile of the columns of X for the primal, of its rows for the dual. A ValueError if no theorem
    covers the sampling, it does not fit this side, or it never draws some coordinate.
    """
    if not sampling.has_theorem:
        raise ValueError(f"{sampling.name} is an order, which no theorem covers, so the face-off has no bound for it")
    coordinates = f"{lines.counts.size} {'features' if side == 'primal' else 'examples'}"
    try:
        v = lines.norms2 if sampling.serial else eso(X, sampling, side)
        c = Coordinates(v, beta, l2n, lines.counts)
        p = sampling.probabilities(c)
    except ValueError as error:
        raise ValueError(f"on the {side} side, with {coordinates}: {error}") from None
    (places,) = lines.counts.nonzero()
    if not places.size:
        return 0.0, 0.0, 0.0
    s, p, counts = c.smoothness[places], p[places], lines.counts[places]
    if not (p > 0).all():
        never = places[np.argmin(p)]
        raise ValueError(f"on the {side} side, {sampling.label} never draws coordinate {never}: K = inf")
    if sampling.serial:
        p = p / p.sum()
    K, W = (s / p).max() / l2n, p @ counts
    return float(K), float(W), float(K * W)
