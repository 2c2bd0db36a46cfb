"""The protocols of losses: formulas that kernels call, and facts that methods and theorems read.

Nothing needs to inherit from these protocols: they say what a ``cdlab.jit.struct`` must have to be taken for a loss.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..numerics.jit import scalar

INFINITY = math.inf
ROUNDING = 1e-12  # a dual variable this far outside its domain got there by rounding


@runtime_checkable
class Loss(Protocol):
    """The facts and formulas that all losses have.

    Attributes
    ----------
    kinks : bool, optional
        Of a loss with gamma = 0: whether phi' jumps (hinge; the default), or is continuous and only grows faster than
        any multiple of u (Poisson regression).
    residual : bool, optional
        Whether phi depends on u - y alone, so that an offset or a shift may be taken from the labels; default False.
    vector : bool, optional
        Whether predictions are K-vectors; default False.
    ranges : dict from str to str, optional
        The interval that a parameter is in, such as ``{"quantile": "(0, 1)"}``; default "(0, inf)".
    """

    @property
    def name(self) -> str:
        """The name it is found by, and that messages and tables show."""

    @property
    def classification(self) -> bool:
        """Tell whether labels are classes, mapped to -1 and +1 (to 0, ..., K - 1 if the loss is a vector one)."""

    @property
    def gamma(self) -> float:
        """phi is (1/gamma)-smooth; 0: not smooth, see `smoothness_hint`."""

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of phi itself; inf if there is none."""

    def phi(self, u: Any, y: float) -> float:
        """The loss phi(u; y)."""

    def phi_conj(self, a: Any, y: float) -> float:
        """The conjugate at -a, phi*(-a; y); inf outside its domain."""


@runtime_checkable
class ScalarLoss(Loss, Protocol):
    """A loss of one prediction u."""

    def grad_phi(self, u: float, y: float) -> float:
        """The derivative phi'(u; y); a subgradient at a kink."""

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:
        """The step of dual methods, argmax_beta u beta - phi*(beta) - (q/2)(beta - y0)^2.

        For q >= 0; of a smooth loss also for -gamma < q < 0, which apcg asks for: there it is still concave.
        """


@runtime_checkable
class VectorLoss(Loss, Protocol):
    """A loss of K predictions u (K,), and y the index of the class."""

    def grad_phi_into(self, u: np.ndarray, y: float, out: np.ndarray) -> None:
        """Write the gradient of phi at u into `out` (K,)."""

    def dualprox_into(self, u: np.ndarray, y0: np.ndarray, q: float, y: float, out: np.ndarray) -> None:
        """Write into `out` (K,) the argmax_beta of u'beta - phi*(beta) - (q/2)||beta - y0||^2."""


class TwiceDifferentiable(Protocol):
    """Second derivative of a loss, of one or of K predictions, which it may have and `newton_cd` needs."""

    @property
    def hess_lipschitz(self) -> float:
        """The Lipschitz constant of phi''; left out: inf, because phi'' jumps, or nobody knows."""

    def hess_phi(self, u: float, y: float) -> float:
        """The second derivative phi''(u; y) >= 0; where phi' bends, that of one side (a generalised derivative)."""

    def hess_phi_into(self, u: np.ndarray, y: float, s: np.ndarray, out: np.ndarray) -> None:
        """Of a vector loss: write the matrix of second derivatives at u, times s (K,), into `out` (K,)."""


class Bounded(Protocol):
    """Domain of phi*, which a loss of one prediction may have: which rounding cannot lead out of then."""

    def domain(self, y: float) -> tuple[float, float]:
        """The ends (low, high) of the interval of dual variables a with a finite phi*(-a; y)."""


def is_vector(loss: Loss) -> bool:
    """Tell whether predictions and dual variables of this loss are K-vectors."""
    return getattr(loss, "vector", False)


def is_of_residual(loss: Loss) -> bool:
    """Tell whether phi depends on the residual u - y alone."""
    return getattr(loss, "residual", False)


def hessian_formula(loss: Loss) -> str:
    """The name of the formula of the second derivative, which losses may do without."""
    return "hess_phi_into" if is_vector(loss) else "hess_phi"


def has_hessian(loss: Loss) -> bool:
    """Tell whether the loss has a formula of its (generalised) second derivative."""
    return hasattr(type(loss), hessian_formula(loss))


def hess_lipschitz(loss: Loss) -> float:
    """The Lipschitz constant of phi''; inf where the loss says nothing about it."""
    return float(getattr(loss, "hess_lipschitz", math.inf))


def has_kinks(loss: Loss) -> bool:
    """Tell whether phi' jumps somewhere: the reason why gamma = 0, unless the loss says otherwise."""
    return loss.gamma == 0 and getattr(loss, "kinks", True)


# The same far out, round where the other has its kink.
SMOOTH_SUBSTITUTES = {
    "hinge": "smooth_hinge", "absolute": "huber", "pinball": "pinball with gamma > 0",
    "epsilon_insensitive": "epsilon_insensitive with gamma > 0",
}  # fmt: skip


def smoothness_hint(loss: Loss) -> str:
    """The end of a sentence: why a loss with gamma = 0 is not smooth, and which losses are."""
    if has_kinks(loss):
        return f"{loss.name} is not: take {SMOOTH_SUBSTITUTES.get(loss.name, 'smooth_hinge or huber')} instead"
    return f"the slope of {loss.name} grows without bound: take a loss whose second derivative is bounded"


def missing_parts(loss: Any) -> list[str]:
    """The attributes and formulas that a loss has to have and this object has not."""
    protocol = VectorLoss if is_vector(loss) else ScalarLoss
    parts = [name for base in reversed(protocol.__mro__) for name in vars(base) if not name.startswith("_")]
    return [part for part in dict.fromkeys(parts) if not hasattr(type(loss), part)]


# ------------------------------------------------------------ formulas that several losses share
@scalar
def clip(x: float, low: float, high: float) -> float:
    """x, or the end of [low, high] that it lies beyond."""
    # x stands first: min and max of Python and numba keep a NaN there, and lose it elsewhere
    return min(max(x, low), high)


@scalar
def beyond(x: float, eps: float) -> float:
    """x moved towards 0 by eps >= 0, or to 0 where that is nearer."""
    return x - clip(x, -eps, eps)


@scalar
def sigmoid(t: float) -> float:
    """1/(1 + exp(-t)), without overflow."""
    e = math.exp(-abs(t))
    return 1.0 / (1.0 + e) if t >= 0 else e / (1.0 + e)


@scalar
def entropy(b: float) -> float:
    """b ln b, and 0 at 0."""
    return 0.0 if b <= 0 else b * math.log(b)  # NaN stays NaN
