"""Measurements of a run: a certificate of the point where it is, as a record, and the best point so far.

Each update adds to X w and X'alpha/n a rounding of the size that the product has then: so after a fall from 1e10 to 1
it may be off by 1e10 eps. `Method.refresh` recomputes it every `REFRESH_EPOCHS`, and after epochs 1, 2, 4, 8, 16 and
32 of a run that starts far from the solution. Where a product has fallen since, a measurement computes its own, and
leaves the run alone; on small data it computes both.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..methods import Method, Points
from ..problems.certificates import Certificate, certificate, complete_points
from ..problems.convexity import strong_convexity as modulus
from ..problems.problem import Problem, Scores
from ..problems.rounding import ROUNDING_FALL, gap_between
from .feed import Counts
from .trace import Record, share_of_gap

REFRESH_EPOCHS = 50  # Maintained products, which drift by 1e-16 sqrt(updates), are recomputed so often.
MAX_PRODUCT_FALL = 8.0  # A product is believed down to its largest size since the last refresh, divided by this.
MAX_AFRESH_NONZEROS = 4e4  # Of so few, each measurement computes its products, rather than measure again at the end.
WITHOUT_TEST = Scores(math.nan, math.nan, math.nan)


class Measured(NamedTuple):
    """A record, with what is known beside it: whatever decides how a run goes on reads this."""

    record: Record
    relative_gap: float
    gradient_ratio: float  # of ||grad P|| in columns' scales to that at 0, with l2 = l1 = 0 and a smooth loss; or NaN
    points: Points  # of `Problem.centred`; maybe arrays that change as the run goes on
    products: int  # with X, that it took, but for the second X'alpha of a method that keeps one, with an intercept
    is_fresh: bool  # whether no round-off of updates is in it
    can_screen: bool  # whether its gap is that of the method's own points, by which coordinates may leave
    epochs: int  # done before
    types: tuple[type, ...]  # of the fields of the state: where they change, another method goes on


class Measuring:
    """The measurements of one run.

    Parameters
    ----------
    problem, method, start, strong_convexity
        As of a run; start None: at w = 0, alpha = 0. `Measuring.problem` is centred, as methods see it.
    test : tuple or None
        As `Problem.test_data` returns it.

    Attributes
    ----------
    at_zero : float
        P(0), see `Problem.at_zero`.
    refresh_due : float
        The epochs after which maintained products are recomputed next, whatever is measured; inf: never.
    """

    def __init__(
        self, problem: Problem, method: Method, start: Points | None, test: Any, strong_convexity: float | str | None
    ) -> None:
        self.problem = problem.centred
        self.at_zero = self.problem.at_zero
        self.refresh_due = REFRESH_EPOCHS if method.maintains_products else math.inf
        self._own_problem, self._method, self._start, self._test = problem, method, start, test
        self._mu = None if strong_convexity is None else modulus(self.problem, strong_convexity)
        self._is_small = self.problem.nnz <= MAX_AFRESH_NONZEROS
        self._gradient_at_zero: float | None = None  # ||grad P(0)||, from the first measurement on
        self._best_lower_bound = -math.inf  # lower bound of P* so far, where strong convexity certifies
        self._started_far = False
        self._largest = [0.0, 0.0]  # of |z| and of |v|, since they were last recomputed

    def refresh(self, S: Any, epochs: int | None = None) -> None:
        """Recompute what the state maintains; after so many epochs, if it is due there."""
        self._method.refresh(self.problem, S)
        self._largest = [0.0, 0.0]
        if epochs is not None:
            self.refresh_due = REFRESH_EPOCHS * (epochs // REFRESH_EPOCHS + 1)
            if self._started_far and epochs < REFRESH_EPOCHS:
                self.refresh_due = min(self.refresh_due, 1 << epochs.bit_length())  # the next power of two

    def measure(self, S: Any, counts: Counts, num_active: float, planned: bool, afresh: bool) -> Measured:
        """Certify the points of a state.

        Parameters
        ----------
        S, counts
            The state of the method, and the work that led there.
        num_active : float
            The coordinates that are still visited; NaN without screening.
        planned, afresh : bool
            Whether the run would measure here without a limit, and whether maintained products are recomputed before.

        Raises
        ------
        ValueError
            If it shows that P is not strongly convex with the modulus that was given.
        """
        problem, is_first = self.problem, self._gradient_at_zero is None
        computes = self._is_small and counts.epochs > 0  # at the start they are afresh as they are
        if afresh and not computes:
            self.refresh(S)
        shown = points = self._method.points(problem, S)
        is_fresh = afresh or computes or len(points.fresh) == 2
        if not computes:
            points = self._reliable(points)
        num_products = (points.z is None) + (points.v is None) + shown.products
        if computes:
            points = points.only_fresh if points.fresh else Points(points.w, points.alpha)
        if not math.isnan(num_active):
            shown = points = complete_points(problem, points)
        elif problem.intercept and points.z is None:
            points = Points(points.w, points.alpha, z=problem.predict(points.w), v=points.v)
        known = certificate(problem, points, self._mu)
        if problem.intercept:
            known = known.with_more_rounding(problem.rounding_of_coefficients(points))
        if known.alpha is not None and known.alpha is not points.alpha:
            shown = Points(points.w, known.alpha, z=points.z)
        if self._mu is not None:
            self._check_strong_convexity(known)
        scores = WITHOUT_TEST
        if self._test is not None:
            scores = self._own_problem.test_scores(self._own_problem.from_centred(points.w), self._test)
        record = Record(
            counts.iterations, counts.passes, counts.seconds, known.primal, known.dual, known.gap, scores.test_error,
            counts.ideal_passes, scores.test_loss, counts.examples, num_active, scores.test_sign_error, known.rounding,
        )  # fmt: skip
        if is_first:
            self._gradient_at_zero = known.gradient
            if self._start is not None:
                zero = problem.start or Points(problem.zeros(problem.d), problem.zeros(problem.n))
                self._gradient_at_zero = certificate(problem, zero, None).gradient
                self._started_far = not record.gap <= self.at_zero
                self.refresh_due = 1 if self._started_far and self._method.maintains_products else self.refresh_due
        ratio = known.gradient / self._gradient_at_zero if self._gradient_at_zero else known.gradient
        return Measured(
            record, share_of_gap(record.gap, record.dual, self.at_zero), ratio, shown, num_products, is_fresh,
            planned and known.alpha is points.alpha, counts.epochs, tuple(map(type, S)),
        )  # fmt: skip

    def _reliable(self, points: Points) -> Points:
        """The points without products that shrank by `MAX_PRODUCT_FALL` since the last refresh, or of a far start."""
        if self._started_far:
            return points.only_fresh
        products = [points.z, points.v]
        for k, product in enumerate(products):
            if product is not None and "zv"[k] not in points.fresh:
                size = float(np.maximum.reduce(np.abs(product), axis=None))
                if size * MAX_PRODUCT_FALL < self._largest[k]:
                    products[k] = None
                elif size < math.inf:  # else the run diverged
                    self._largest[k] = max(self._largest[k], size)
        z, v = products
        return points if z is points.z and v is points.v else Points(points.w, points.alpha, z=z, v=v)

    def _check_strong_convexity(self, known: Certificate) -> None:
        """P(w) - ||grad P(w)||^2/(2 mu) <= P* at every w, if P is mu-strongly convex: a smaller P(w) refutes mu."""
        if not math.isfinite(known.primal):
            return
        self._best_lower_bound = float(np.fmax(self._best_lower_bound, known.dual))
        if gap_between(known.primal, self._best_lower_bound, known.rounding) == math.inf:
            raise ValueError(
                f"strong_convexity = {self._mu:.3g} is not true of this problem: it promised that P is nowhere below "
                f"{self._best_lower_bound:.17g}, and P(w) = {known.primal:.17g} has been reached; pass a smaller number"
            )


class RaceMeasuring(Measuring):
    """Measurements for races, which also know P* from the pairs that the method's theorems are about.

    They are w and alpha(w) of `Method.bounded_points`, and with l1 > 0 also grad g*(X'alpha(w)/n) and alpha(w): there
    ||w - w*||^2 bounds no gap of w's own, see `cdlab.theory.derivations.gaps`. Where no theorem bounds a gap they are
    left out: without l2, for a loss that is not smooth, and with an intercept.
    """

    def measure(self, S: Any, counts: Counts, num_active: float, planned: bool, afresh: bool) -> Measured:
        seen, problem = super().measure(S, counts, num_active, planned, afresh), self.problem
        covered = problem.mu > 0 and problem.loss.gamma > 0 and not problem.intercept
        at = self._method.bounded_points(problem, S) if covered else None
        if at is None:
            return seen
        z = problem.predict(at.w) if at.z is None else at.z
        v = problem.v(at.alpha)
        pairs = [Points(at.w, at.alpha, z=z, v=v)]
        if problem.l1 > 0 or problem.bounded:
            pairs.append(Points(problem.reg.grad_g_conj(v), at.alpha, v=v))
        known: list[Record | Certificate] = [seen.record, *(certificate(problem, pair, None) for pair in pairs)]
        lower = float(np.fmax.reduce([each.dual - each.rounding for each in known]))
        upper = float(np.fmin.reduce([each.primal + each.rounding for each in known]))
        return seen._replace(
            record=seen.record._replace(lower=lower, upper=upper),
            products=seen.products + 1 + len(pairs),  # X w, where the method has not known it, and v or another X w
        )


class BestPoint:
    """The point of the smallest gap among those that a run has left.

    Attributes
    ----------
    record : Record or None
        Its record; None without a gap.
    points : Points or None
        A copy of it.
    last_fall : Record or None
        The record among those where the gap last fell by a tenth below all before.
    """

    def __init__(self) -> None:
        self.record: Record | None = None
        self.points: Points | None = None
        self.last_fall: Record | None = None

    def keep(self, seen: Measured) -> None:
        """Copy the point of a measurement that the run is about to leave, if no gap before was as small."""
        record, points = seen.record, seen.points
        if not record.gap < (math.inf if self.record is None else self.record.gap):
            return
        if self.points is None:
            self.points = Points(np.array(points.w), np.array(points.alpha))
        else:
            np.copyto(self.points.w, points.w)
            np.copyto(self.points.alpha, points.alpha)
        self.record = record
        if self.last_fall is None or record.gap < ROUNDING_FALL * self.last_fall.gap:
            self.last_fall = record
