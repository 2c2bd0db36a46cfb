"""The result: an exact rate, with what it is a rate of and how it was computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

import numpy as np

from ..numerics import checks
from .expected_errors import ExpectedErrors

QUANTITIES_OF_BOUNDS = {"P(w)-P*": "P-P*", "P-D": "gap"}  # as `cdlab.theory.Bound.bounded` spells them
MAX_EPOCHS = 100_000

WORDS = {  # of each `how`
    "subsets": "exactly, by the recursion over subsets",
    "counts": "exactly, by numbers of groups of equal coordinates",
    "Lanczos": "exactly, the largest eigenvalue of the operator of a step by Lanczos' method",
    "operator": "exactly, by the operator of the method's whole state",
    "order": "exactly, by the matrix of a sweep",
    "band": "to within the spectral band: one eigenvalue of the problem gives both ends",
    "probable band": "to within the spectral band, but for a chance of 1e-4 that a smaller eigenvalue was not seen",
    "simulated": "as an estimate from a population of simulated runs, plus and minus three standard errors",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExactRate:
    """Behaviour of a method on a problem in expectation: not a bound.

    ``print`` shows the rate in a sentence, with its interval and by what it was computed.

    An epoch is `steps_per_epoch` draws, as many as there are coordinates. It is a pass over the data where all are
    drawn alike; draws that prefer long lines visit more nonzeros, and a method with stages adds full gradients.
    `epochs`, `steps` and `passes` are one time in three units: that in which expected errors fall by a factor e.

    Attributes
    ----------
    method, sampling : str
        What was asked about, with parameters.
    radius : float
        The factor by which an epoch multiplies expected errors in the end: the spectral radius of its operator. One
        known to within a band is the geometric mean of its ends.
    interval : (float, float)
        Numbers between which the radius lies: proved up to rounding, but for "simulated", where it is a confidence
        interval, for "order", where it is the first-order error of an eigenvalue, and for "probable band", where it is
        wrong with a chance of 1e-4.
    worst_epoch : float or None
        The largest factor by which one epoch multiplies the expected energy, over all errors; None where not computed.
    steps_per_epoch : int
        Draws in an epoch.
    passes_per_epoch : float
        Expected visited nonzeros of an epoch, in passes.
    how : str
        Which computation: "subsets", "counts", "Lanczos", "operator", "order", "band", "probable band" or
        "simulated".
    local : bool
        Whether it is the rate near the solution, of a smooth loss that is not quadratic.
    flat_radius : float
        The factor by which an epoch multiplies, in expectation, what is left of the errors of flat examples that damped
        steps move: D* - D and the gap are linear in them and fall no faster; 0 where there are none.
    kind : "exact"
    """

    method: str
    sampling: str
    radius: float
    interval: tuple[float, float]
    worst_epoch: float | None
    steps_per_epoch: int
    passes_per_epoch: float
    how: str
    local: bool
    errors: ExpectedErrors | None = field(default=None)
    forms: Mapping[str, np.ndarray] = field(default_factory=dict)
    start: np.ndarray | None = field(default=None)
    flat_radius: float = 0.0

    kind: ClassVar[str] = "exact"

    @property
    def epochs(self) -> float:
        """Epochs, of `steps_per_epoch` draws each, per factor e: -1/ln(radius); inf where errors do not fall."""
        return per_factor_e(self.radius)

    @property
    def steps(self) -> float:
        """Draws per factor e."""
        return self.epochs * self.steps_per_epoch

    @property
    def passes(self) -> float:
        """Passes over the data per factor e: `epochs` times `passes_per_epoch`, visited nonzeros over all nonzeros."""
        return self.epochs * self.passes_per_epoch

    @property
    def passes_interval(self) -> tuple[float, float]:
        """Numbers between which `passes` lies."""
        low, high = (per_factor_e(radius) * self.passes_per_epoch for radius in self.interval)
        return low, high

    def curve(self, epochs: int | Sequence[int] | np.ndarray, quantity: str = "P-P*") -> np.ndarray:
        """The expectation of a quantity from the run's start on: not a straight line of the slope of the radius.

        Parameters
        ----------
        epochs : int or array of whole numbers
            After which epochs; an int stands for 0, 1, ..., that many.
        quantity : str, default "P-P*"
            "D*-D", "P-P*", "gap" or ``"|w-w*|^2"``, as far as the method has them; "P(w)-P*" and "P-D", as bounds call
            them, are "P-P*" and "gap".

        Returns
        -------
        array
            One value for each of the epochs.

        Raises
        ------
        ValueError
            For another quantity or another number of epochs, and where only the rate is known: in a band, or near a
            solution without a start near it.
        """
        if self.errors is None:
            raise ValueError(
                "this rate is known to within a band, and no curve belongs to it: on a part of the data, of at most "
                "200 coordinates, there is one"
            )
        if self.start is None:
            raise ValueError(
                f"the rate of {self.method} is that near the solution, and holds for a curve only from a start near "
                "it: pass start= to exact_rate"
            )
        quantity = QUANTITIES_OF_BOUNDS.get(quantity, quantity) if isinstance(quantity, str) else quantity
        checks.one_of("quantity", quantity, tuple(self.forms))
        at = _checked_epochs(epochs)
        values = self.errors.curve(self.forms[quantity], self.start, int(at.max(initial=0)))
        return np.maximum(values, 0.0)[at]

    @property
    def statement(self) -> str:
        """Sentence that tells the rate."""
        of = f"{self.method} with {self.sampling} sampling"
        where = "near the solution, to first order, " if self.local else ""
        low, high = self.interval
        return (
            f"{of}: {where}an epoch multiplies expected errors by {self.radius:.6g} in the end (between {low:.10g} and "
            f"{high:.10g}), {self.passes:.4g} passes per factor e; computed {WORDS[self.how]}."
            + f" D* - D and the gap fall by {self.flat_radius:.6g} at best."
            * (self.flat_radius > self.radius)
        )

    def __str__(self) -> str:
        rows = [("radius of an epoch", f"{self.radius:.10g}")]
        if self.worst_epoch is not None:
            rows.append(("worst single epoch", f"{self.worst_epoch:.6g}"))
        epochs, passes = f"{self.epochs:.6g}", f"{self.passes:.6g}"
        if epochs != passes:
            rows.append(("epochs per factor e", epochs))
        rows.append(("passes per factor e", passes))
        return "\n".join([self.statement, *(f"  {name:<22}{value}" for name, value in rows)])

    def __repr__(self) -> str:
        return f"<ExactRate of {self.method} with {self.sampling} sampling: {self.passes:.4g} passes per factor e>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def per_factor_e(radius: float) -> float:
    """Epochs per factor e where one multiplies errors by `radius`: -1/ln(radius), 0 if nothing is left."""
    if radius <= 0:
        return 0.0
    return float(-1 / np.log(radius)) if radius < 1 else float("inf")


def _checked_epochs(epochs: Any) -> np.ndarray:
    at = checks.array("epochs", epochs)
    whole = at.dtype.kind in "iuf" and at.ndim <= 1 and bool(np.all((at >= 0) & (at == np.round(at))))
    if not whole:
        raise ValueError(f"epochs must be a whole number >= 0, or an array of such, not {checks.short_repr(epochs)}")
    if at.max(initial=0) > MAX_EPOCHS:
        raise ValueError(f"epochs must be at most {MAX_EPOCHS}, not {at.max():g}")
    return np.arange(int(at) + 1) if at.ndim == 0 else at.astype(np.intp)
