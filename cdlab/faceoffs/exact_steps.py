"""Exact steps with uniform draws, beside the bounds: what is proved of them in the end, and what is estimated from 0.

In the end: the Hessian of a side's quadratic is, up to a factor, gamma l2 n I + X X' (dual) or gamma l2 n I + X'X
(primal), and its smallest eigenvalue with unit diagonal gives the band of `cdlab.exact_rates.band`. Centring, or a
column that is a sum of others, makes it the eigenvalue of a direction that a run from 0 hardly enters. So
`cdlab.exact_rates.gap_estimates`, which counts how far it does, tells who is ahead down to a gap that people ask for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..exact_rates.band import Band, band
from ..exact_rates.gap_estimates import GapCurve, expected_gaps, probes
from ..exact_rates.optimum import is_quadratic
from ..exact_rates.quadratics import Curvature, curvature_of
from ..losses import per_example
from ..losses.base import has_hessian
from ..problems.problem import Problem
from ..runs.solving import solve

LEVEL = 1e-6  # the relative gap that runs from 0 are compared at
NEAR_LEVEL = 10.0  # a lead counts that holds at levels this factor above and below
CLEAR_LEAD = 1.5  # estimates nearer than this factor do not say who is ahead
FIRST_STEPS, MAX_VISITS = 30, 1e9  # of Lanczos' method, doubled until estimates settle or so many nonzeros are visited
SETTLED = 0.1  # of passes: what doubling the steps may change
TAKEN_OVER = 0.5  # of the passes per factor e in the end: from there on the smallest eigenvalue decides
MAX_SITE_PASSES, MAX_SITE_VISITS, SITE_TOLERANCE = 100, 1e8, 1e-3  # of the run that finds where another loss curves
SMALLEST_DECREASE = 1e-6  # of P(0): relative gaps are shares of P(0) - P*, or of this
RESOLVED = 1e-15  # float64 resolves no smaller relative gap


class Interval(NamedTuple):
    """A number between two ends."""

    low: float
    high: float

    def __str__(self) -> str:
        low, high = f"{self.low:.3g}", f"{self.high:.3g}"
        return low if low == high else f"{low} to {high}"

    @property
    def rough(self) -> str:
        """The ends to two digits."""
        low, high = (f"{float(f'{x:.2g}'):,.0f}" if 10 <= x < math.inf else f"{x:.2g}" for x in self)
        return low if low == high else f"{low} to {high}"


class Site(NamedTuple):
    """Where the loss is taken for a quadratic.

    Attributes
    ----------
    h : (n,) array
        The curvature of each example.
    pull : (n,) array
        h_i times the label of the quadratic: h_i z_i + alpha_i.
    at_zero : float
        P(0).
    decrease : float or None
        P(0) - P*; None where it is that of the quadratic.
    """

    h: np.ndarray
    pull: np.ndarray
    at_zero: float
    decrease: float | None = None


class FromZero(NamedTuple):
    """Estimates of the passes from 0 to relative gaps, of one site."""

    primal: GapCurve
    dual: GapCurve
    decrease: float
    settled: bool = False

    def passes(self, level: float) -> tuple[float, float]:
        """Passes of the primal and of the dual."""
        return self.primal.passes_to(level * self.decrease), self.dual.passes_to(level * self.decrease)

    def ahead(self, level: float) -> str | None:
        """The side whose estimate is the smaller one."""
        P, D = self.passes(level)
        return "dual" if P > D else "primal" if D > P else None

    def clearly_ahead(self, level: float) -> str | None:
        """The side that is ahead by a clear factor in a typical run, too.

        A coordinate that none of N draws a pass has met keeps its error. Once less than one is expected to be left, the
        mean waits for the few runs that have one, a typical run does not.
        """
        (P, D), rare = self.passes(level), [max(0.0, -math.log(level * side.size)) for side in (self.primal, self.dual)]
        if P - rare[0] > CLEAR_LEAD * D:
            return "dual"
        return "primal" if D - rare[1] > CLEAR_LEAD * P else None


class ExactSteps:
    """Passes of rcd and sdca with uniform draws, each step exact for its coordinate: in the end, and from 0.

    In the end they are passes per factor e of accuracy, `passes_P` and `passes_D`, which are proved. As everywhere in a
    face-off these are K/N, of N coordinates, for an error that falls by 1 - 1/K an iteration. They are about the
    squared loss without l1; of another smooth loss, about the quadratic with its largest curvature 1/gamma everywhere,
    which its bounds are about, too.

    From 0 they are passes to a relative gap of 1e-6, `from_zero_P` and `from_zero_D`, which are estimates. Of another
    loss they are about the quadratic that it is where a short run of L-BFGS ends, with and without further errors where
    examples are on straight parts of it; of a matrix without labels about labels of noise, and labels that some w fits.

    Everything is computed when it is asked for.

    Parameters
    ----------
    X : (n, d) array or csr_matrix
        The data.
    l2, gamma : float
        The weight, and the loss's 1/smoothness.
    quadratic : bool
        Whether the loss is a quadratic.
    problem : Problem, optional
        Where labels are known.
    """

    def __init__(self, X: Any, l2: float, gamma: float, quadratic: bool, problem: Problem | None = None):
        self._X, self._l2, self._gamma, self.quadratic, self._problem = X, l2, gamma, quadratic, problem

    # ------------------------------------------------------------ in the end
    @cached_property
    def band_D(self) -> Band:
        """Interval of the radius of one step of sdca."""
        return band(*_curvature_and_draws(self._X, self._shift))

    @cached_property
    def band_P(self) -> Band:
        """Interval of the radius of one step of rcd."""
        return band(*_curvature_and_draws(_transposed(self._X), self._shift))

    @property
    def _shift(self) -> float:
        return self._gamma * self._l2 * self._X.shape[0]

    @cached_property
    def passes_D(self) -> Interval:
        """Passes of sdca per factor e in the end."""
        return _passes(self.band_D, _nonempty(self._X))

    @cached_property
    def passes_P(self) -> Interval:
        """Passes of rcd per factor e in the end."""
        return _passes(self.band_P, _nonempty(_transposed(self._X)))

    @property
    def certified(self) -> bool:
        """Tell whether both bands are certain, but for rounding."""
        return self.band_P.certified and self.band_D.certified

    @property
    def ratio(self) -> Interval:
        """Passes of the primal over those of the dual in the end: above 1 for the dual."""
        P, D = self.passes_P, self.passes_D
        low = 0.0 if D.high == math.inf else P.low / D.high
        return Interval(low, math.inf if P.high == math.inf or D.low == 0 else P.high / D.low)

    @property
    def winner(self) -> str | None:
        """The side that is ahead in the end wherever the passes are in their intervals; None: that is not settled."""
        return "dual" if self.ratio.low > 1 else "primal" if self.ratio.high < 1 else None

    # ------------------------------------------------------------ from 0
    @cached_property
    def _from_zero(self) -> list[FromZero]:
        """Estimates; none where X is too large for two of them."""
        X = self._X
        starts = [1 + probes(N) if probes(N) else 0 for N in X.shape]
        visits = 2 * sum(starts) * (X.nnz if sp.issparse(X) else X.size)  # of a step
        return [self._settled(site, visits) for site in self._sites()] if 2 * FIRST_STEPS * visits <= MAX_VISITS else []

    def _settled(self, site: Site, visits: int) -> FromZero:
        """The estimates with steps doubled until they settle, as far as they say who is ahead."""
        steps, before = FIRST_STEPS, None
        while True:
            found = self._curves(site, steps)
            passes = np.array([found.passes(LEVEL * factor) for factor in (NEAR_LEVEL, 1, 1 / NEAR_LEVEL)])
            passes = np.minimum(passes, 2 * CLEAR_LEAD * passes.min(axis=1, keepdims=True))
            if not visits or (before is not None and np.allclose(passes, before, rtol=SETTLED)):
                return found._replace(settled=True)
            steps, before = 2 * steps, passes
            if steps * visits > MAX_VISITS:
                return found

    def _sites(self) -> list[Site]:
        n, d = self._X.shape
        P, everywhere = self._problem, np.full(n, 1 / self._gamma)
        if P is None:
            rng = np.random.default_rng(0)
            labels = rng.standard_normal(n), self._X @ rng.standard_normal(d)
            return [Site(everywhere, t / self._gamma, float(t @ t) / (2 * self._gamma * n)) for t in labels]
        w, decrease = np.zeros(d), None
        if not is_quadratic(P) and has_hessian(P.loss):
            passes = min(MAX_SITE_PASSES, max(1.0, MAX_SITE_VISITS / P.nnz))
            w = solve(P, "lbfgs", tol=SITE_TOLERANCE, max_passes=passes).w
            decrease = P.at_zero - P.primal(w)
        z = P.predict(w)
        h = per_example.curvatures(P.loss, z, P.loss_y) if has_hessian(P.loss) else everywhere
        if not h.any():  # on straight parts of the loss alone: then it is the largest curvature that is known
            h = everywhere
        alpha = P.alpha(w, z=z)
        pulls = [h * z + alpha]
        if ((h == 0) & (alpha != 0)).any():  # the way to straight parts is not in the quadratic, and leaves any error
            pulls.append(pulls[0] * np.random.default_rng(0).choice([-1.0, 1.0], n))
        return [Site(h, pull, P.at_zero, decrease) for pull in pulls]

    def _curves(self, site: Site, steps: int) -> FromZero:
        X, l2, P, n = self._X, self._l2, self._problem, self._X.shape[0]
        moving = np.flatnonzero(_nonempty(_transposed(X)))
        A = curvature_of(X, site.h, l2, "primal").of(moving)
        lengths = (
            P.coordinates("primal").smoothness / n if P else curvature_of(X, 1 / self._gamma, l2, "primal").diagonal
        )
        pull = X.T @ site.pull / n
        primal = expected_gaps(A, lengths[moving], pull[moving], np.full(moving.size, 0.5 / l2), steps)
        curved = np.flatnonzero(_nonempty(X) & (site.h > 0))
        h = site.h[curved]
        A = curvature_of(X[curved], h, l2 * n / curved.size, "dual")
        dual = expected_gaps(A, A.diagonal, site.pull[curved] / h, h / (2 * n), steps)
        decrease = primal.energy / 2 if site.decrease is None else site.decrease
        return FromZero(primal, dual, max(decrease, SMALLEST_DECREASE * site.at_zero))

    @property
    def _passes_from_zero(self) -> list[tuple[float, float]]:
        return [each.passes(LEVEL) for each in self._from_zero]

    @property
    def from_zero_P(self) -> Interval:
        """Passes of rcd from 0 to a relative gap of 1e-6, estimated: the ends of several estimates, NaN without one."""
        return _spanned(P for P, _ in self._passes_from_zero)

    @property
    def from_zero_D(self) -> Interval:
        """Passes of sdca from 0; see `from_zero_P`."""
        return _spanned(D for _, D in self._passes_from_zero)

    @property
    def ahead(self) -> str | None:
        """The side that is ahead from 0 by a clear factor, at the levels next to 1e-6, too; None: not settled."""
        return None if self.doubt else self._from_zero[0].ahead(LEVEL)

    @cached_property
    def doubt(self) -> str:
        """Why nobody is clearly ahead from 0; empty where somebody is."""
        sides = [
            {each.clearly_ahead(LEVEL), each.ahead(LEVEL / NEAR_LEVEL), each.ahead(LEVEL * NEAR_LEVEL)}
            for each in self._from_zero
        ]
        if not (self._from_zero and all(each.settled for each in self._from_zero)):
            return "the data are too large for a settled estimate of exact steps from 0"
        if any({"primal", "dual"} <= each for each in sides):
            return f"who is ahead changes near a relative gap of {LEVEL:g}"
        if any(None in each for each in sides):
            return "from 0 exact steps are estimated to take about as long on either side"
        if len(set.union(*sides)) > 1:
            return "estimates of exact steps from 0 do not agree on who is ahead"
        return ""

    # ------------------------------------------------------------ told
    def to_dict(self) -> dict[str, Any]:
        """All as plain numbers, words and lists."""
        names = ("passes_P", "passes_D", "ratio", "from_zero_P", "from_zero_D")
        plain: dict[str, Any] = {name: [x if math.isfinite(x) else None for x in getattr(self, name)] for name in names}
        return plain | {name: getattr(self, name) for name in ("winner", "ahead", "certified", "quadratic")}

    def sentence(self, predicted: str | None) -> str:
        """Sentences that tell what they do, beside the side that the bounds predict to win."""
        if not self._from_zero:
            return f"{self._in_the_end()}."
        P, D, of = self.from_zero_P, self.from_zero_D, ""
        if self._problem is None:
            of = " for labels of noise and for labels that some w fits"
        elif len(self._from_zero) > 1:
            of = " with and without errors that straight parts of the loss leave on the way"
        words = (
            f"From 0 exact steps with uniform draws come to a relative gap of {LEVEL:.0e} after about {P.rough} passes "
            f"on the primal and {D.rough} on the dual, by an estimate{of}"
        )
        if self.ahead is not None:
            beside = ", the opposite of what the bounds predict" if predicted not in (None, self.ahead) else ""
            leads = _spanned(max(each) * _inverse(min(each)) for each in self._passes_from_zero)
            words += f": the {self.ahead} is ahead by a factor of {leads.rough}{beside}"
        return f"{words}. {self._in_the_end()}."

    def _in_the_end(self) -> str:
        about = "" if self.quadratic else ", were the loss's curvature 1/gamma everywhere"
        chance = "" if self.certified else " (the upper ends but for a chance of 1e-4)"
        takes = (
            f"In the end exact steps take {self.passes_P} passes per factor e on the primal and {self.passes_D} on the "
            f"dual{about}, which the smallest eigenvalues of the data prove{chance}"
        )
        if self.winner is None:
            return takes
        low, high = self.ratio if self.winner == "dual" else map(_inverse, reversed(self.ratio))
        takes += f": there the {self.winner} is ahead by a factor of {Interval(low, high)}"
        if self.ahead in (None, self.winner) or not self.quadratic:
            return takes
        level = self._taken_over(self.ahead)
        where = f"below a relative gap of about {level:.0e}" if level > RESOLVED else "below what float64 resolves"
        return (
            f"{takes}, but the smallest eigenvalue of the {self.ahead} is that of a direction which a run from 0 "
            f"hardly enters, and decides {where}"
        )

    def _taken_over(self, side: str) -> float:
        """The relative gap below which the smallest eigenvalue of a side decides."""
        slow = TAKEN_OVER * (self.passes_D if side == "dual" else self.passes_P).low
        return max(getattr(each, side).slow_below(slow) / each.decrease for each in self._from_zero)


def _curvature_and_draws(lines: Any, shift: float) -> tuple[Curvature, np.ndarray]:
    """A, and uniform probabilities; empty lines are no coordinates, since they are optimal from the start."""
    moving = np.flatnonzero(_nonempty(lines))
    return Curvature(np.full(moving.size, shift), lines[moving]), np.full(moving.size, 1 / moving.size)


def _nonempty(lines: Any) -> np.ndarray:
    return np.diff(lines.indptr) > 0 if sp.issparse(lines) else lines.any(axis=1)


def _passes(of_step: Band, nonempty: np.ndarray) -> Interval:
    """1/(N (1 - rho)); infinite where rho rounds to 1."""
    N = int(np.count_nonzero(nonempty))
    low, high = (1 / (N * (1 - rho)) if rho < 1 else math.inf for rho in (of_step.low, of_step.high))
    return Interval(low, high)


def _spanned(values: Iterable[float]) -> Interval:
    found = list(values) or [math.nan]
    return Interval(min(found), max(found))


def _inverse(x: float) -> float:
    return 1 / x if x > 0 else math.inf


def _transposed(X: Any) -> Any:
    return sp.csr_matrix(X.T) if sp.issparse(X) else X.T
