"""The promises of a loss: convexity, its conjugate, its derivative, its step, its constants, its domain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import losses
from ..losses import Loss
from ..losses.per_example import gradients, mean_conjugate, mean_loss
from ..numerics.jit.structs import base_name
from ..problems.problem import Problem
from ..runs import solve
from ..runs.limits import SOLVED
from .small import small_data
from .user_code import explain_user_errors

NUM_CLASSES = 3  # of a vector loss
DIFFERENCE_STEP = 1e-4  # of difference quotients
FAR_PREDICTION = 1e9  # where every bounded derivative has come to its end
UNBOUNDED_SLOPE = 200.0  # a derivative beyond it is taken for unbounded
STEP_CURVATURES = (0.0, 1e-3, 0.1, 1.0, 30.0, 1e3)  # q of dualprox
NEGATIVE_CURVATURES = (-0.5, -0.9)  # the same, in units of gamma: phi* is gamma-strongly convex


def check_loss(loss: str | Loss, labels: Sequence[float] | None = None) -> None:
    """Check that the formulas and facts of a loss fit each other.

    phi is convex, grad_phi is its slope and hess_phi, if there is one, that of grad_phi; phi_conj is its conjugate
    (Fenchel-Young: phi(u) + phi*(-a) >= -a u, with equality at a = -phi'(u)), finite where -phi' goes and inf beyond;
    dualprox maximises, of a smooth loss also for -gamma < q < 0, which apcg asks for; gamma, lipschitz, hess_lipschitz
    and kinks are true; compiled and plain Python agree; and sdca with it ends at a certificate.

    Parameters
    ----------
    loss : str or loss instance
        Also one with K predictions (``vector = True``): it is tried with three classes.
    labels : sequence of float, optional
        Labels to try it with. Default: -1 and 1 for classification, and a few real numbers otherwise; a loss of counts
        needs its own.

    Raises
    ------
    AssertionError
        In one sentence: which promise fails, and where; or which line of it fails.
    TypeError, ValueError
        If it is not a loss, see `cdlab.losses.resolve`; ``cdlab.jit.KernelError`` for what cannot be compiled.

    Examples
    --------
    >>> from cdlab import losses, testing
    >>> testing.check_loss(losses.SmoothHinge(gamma=0.5))
    """
    with explain_user_errors(f"loss {loss if isinstance(loss, str) else base_name(type(loss))}"):
        loss = losses.resolve(loss)
        _check_promises(loss, labels)


def _check_promises(loss: Loss, labels: Sequence[float] | None) -> None:
    at = list(sample_points(loss, labels))
    for point in at:
        _check_convexity(loss, point)
        _check_derivative(loss, point)
        if (wrong := _curvature_fault(loss, point)) is not None:
            _fail(loss, wrong)
        _check_conjugate(loss, point)
        _check_constants(loss, point)
        for q in step_curvatures(loss):
            _check_dual_step(loss, point, q)
    if not losses.is_vector(loss):
        for y in sorted({point.y for point in at}):
            _check_domain(loss, y)
        _check_kinks(loss, sorted({point.y for point in at}))
    _check_compiled(loss, at)
    _check_solution(loss, labels)


# ------------------------------------------------------------ formulas
def _check_convexity(loss: Loss, at: LossPoint) -> None:
    u, t, y, share = at
    middle = loss.phi(share * u + (1 - share) * t, y)
    chord = share * loss.phi(u, y) + (1 - share) * loss.phi(t, y)
    if not middle <= chord + _slack(chord):
        _fail(loss, f"phi is not convex: between u = {_text(u)} and {_text(t)} (y = {y:g}) it lies above its chord")


def _check_derivative(loss: Loss, at: LossPoint) -> None:
    """Every subgradient lies between the difference quotients, along the way from u to t."""
    u, t, y, _share = at
    way = (t - u) / max(1e-300, float(np.linalg.norm(t - u)))
    slope = float(np.dot(grad(loss, u, y), way))
    here = loss.phi(u, y)
    left, right = (
        (here - loss.phi(u - DIFFERENCE_STEP * way, y)) / DIFFERENCE_STEP,
        (loss.phi(u + DIFFERENCE_STEP * way, y) - here) / DIFFERENCE_STEP,
    )
    slack = 1e-7 + 1e-11 * abs(here) / DIFFERENCE_STEP
    if not left - slack <= slope <= right + slack:
        what = "grad_phi_into" if losses.is_vector(loss) else "grad_phi"
        _fail(
            loss,
            f"{what}(u = {_text(u)}, y = {y:g}) is {slope:g}, and the slope of phi there is between {left:g} and "
            f"{right:g}",
        )


def _check_conjugate(loss: Loss, at: LossPoint) -> None:
    u, t, y, share = at
    tangent = -grad(loss, u, y)
    for a, touches in ((share * tangent - (1 - share) * grad(loss, t, y), False), (tangent, True)):
        product = float(np.dot(a, u))
        total = loss.phi(u, y) + loss.phi_conj(a, y)
        slack = _slack(loss.phi(u, y), product)
        if not total + product >= -slack:
            _fail(
                loss,
                f"phi + phi_conj >= -a u fails at u = {_text(u)}, a = {_text(a)}, y = {y:g}: {total:g} < {-product:g}",
            )
        if touches and not total + product <= slack:
            _fail(
                loss,
                f"phi + phi_conj = -a u fails at u = {_text(u)}, y = {y:g} and a = -phi'(u) = {_text(a)}: the left "
                f"side is {total:g} and the right one {-product:g}; phi_conj(a, y) is the conjugate at -a",
            )


def _check_dual_step(loss: Loss, at: LossPoint, q: float) -> None:
    """beta is best if and only if it is a slope of phi at s = u - q (beta - y0): Fenchel-Young with equality there."""
    u, t, y, share = at
    y0 = share * grad(loss, t, y) + (1 - share) * grad(loss, u, y)
    beta = step(loss, u, y0, q, y)
    s = u - q * (beta - y0)
    product = float(np.dot(beta, s))
    excess = loss.phi(s, y) + loss.phi_conj(-beta, y) - product
    if not abs(excess) <= 1e-7 * (1 + abs(product) + abs(loss.phi(s, y)) + abs(q)):
        what = "dualprox_into" if losses.is_vector(loss) else "dualprox"
        _fail(
            loss,
            f"{what}(u = {_text(u)}, y0 = {_text(y0)}, q = {q:g}, y = {y:g}) = {_text(beta)} does not maximise u "
            "beta - phi*(beta) - (q/2)(beta - y0)^2"
            + ("; apcg asks a smooth loss for -gamma < q < 0, too" if q < 0 else ""),
        )


def _check_constants(loss: Loss, at: LossPoint) -> None:
    u, t, y, _share = at
    apart = float(np.linalg.norm(u - t))
    turned = float(np.linalg.norm(grad(loss, u, y) - grad(loss, t, y)))
    if loss.gamma > 0 and not turned <= apart / loss.gamma * (1 + 1e-9) + 1e-9:
        _fail(
            loss,
            f"gamma = {loss.gamma:g} is too large: from u = {_text(u)} to {_text(t)} (y = {y:g}) phi' changes by "
            f"{turned:g}, and |u - t|/gamma is {apart / loss.gamma:g}",
        )
    risen = abs(loss.phi(u, y) - loss.phi(t, y))
    if not risen <= loss.lipschitz * apart * (1 + 1e-9) + 1e-9:
        _fail(
            loss,
            f"lipschitz = {loss.lipschitz:g} is too small: from u = {_text(u)} to {_text(t)} (y = {y:g}) phi "
            f"changes by {risen:g} over {apart:g}",
        )


def _check_domain(loss: Loss, y: float) -> None:
    """phi*(-a) is finite where -phi' goes, and inf beyond."""
    ends = sorted(-slope_far_out(loss, u, y) for u in (-FAR_PREDICTION, FAR_PREDICTION))
    for end, outwards in zip(ends, (-1.0, 1.0), strict=True):
        inside = min(max(end, -UNBOUNDED_SLOPE), UNBOUNDED_SLOPE)
        if abs(end) <= UNBOUNDED_SLOPE and math.isfinite(loss.phi_conj(end + outwards * 1e-6, y)):
            _fail(
                loss,
                f"phi_conj must be inf at a = {end + outwards * 1e-6:.9g}, y = {y:g}, as -phi' ends at "
                f"{end:.9g}: it is {loss.phi_conj(end + outwards * 1e-6, y):g}",
            )
        near = inside - outwards * 1e-9 * (1 + abs(inside))
        if not math.isfinite(loss.phi_conj(near, y)):
            _fail(loss, f"phi_conj must be finite at a = {near:.10g}, y = {y:g}: -phi' takes values up to {end:.10g}")


def _check_kinks(loss: Loss, labels: Sequence[float]) -> None:
    """Check that the derivative jumps where gamma = 0, or the loss says that it does not."""
    if loss.gamma > 0:
        return
    jumps = max(_largest_jump(loss, y) for y in labels) > 1e-6
    if jumps and not losses.has_kinks(loss):
        _fail(loss, "it says kinks = False, and its derivative jumps")
    if not jumps and losses.has_kinks(loss):
        _fail(
            loss,
            "gamma = 0 means that it is not smooth, and its derivative does not jump: give gamma > 0 with "
            "|phi'(u) - phi'(t)| <= |u - t|/gamma, or kinks = False if there is none",
        )


def _largest_jump(loss: Any, y: float) -> float:
    """The rest of the largest change of phi' between two points as they close in on each other."""
    grid = np.linspace(-10.0, 10.0, 4001) + 1e-4 * math.sqrt(2)
    slopes = np.array([loss.grad_phi(u, y) for u in grid])
    k = int(np.argmax(np.abs(np.diff(slopes))))
    low, high = float(grid[k]), float(grid[k + 1])
    for _halving in range(40):
        middle = (low + high) / 2
        at = loss.grad_phi(middle, y)
        left = abs(at - loss.grad_phi(low, y)) >= abs(loss.grad_phi(high, y) - at)
        low, high = (low, middle) if left else (middle, high)
    return abs(loss.grad_phi(high, y) - loss.grad_phi(low, y))


# ------------------------------------------------------------ in kernels
def _check_compiled(loss: Loss, at: Sequence[LossPoint]) -> None:
    u, y = np.array([point.u for point in at]), np.array([point.y for point in at])
    slopes = np.array([grad(loss, point.u, point.y) for point in at])
    pairs: dict[str, tuple[Any, Any]] = {
        "phi": (mean_loss(loss, u, y), np.mean([loss.phi(*pair) for pair in zip(u, y, strict=True)])),
        "grad_phi": (gradients(loss, u, y), slopes),
        "phi_conj": (
            mean_conjugate(loss, -slopes, y),
            np.mean([loss.phi_conj(-a, b) for a, b in zip(slopes, y, strict=True)]),
        ),
    }
    for name, (compiled, plain) in pairs.items():
        if not np.allclose(compiled, plain, rtol=1e-9, atol=1e-12):
            _fail(loss, f"{name} is not the same compiled and in plain Python: write numbers as floats, 1.0 and not 1")


def _check_solution(loss: Loss, labels: Sequence[float] | None) -> None:
    """The whole of it: dual steps, both objectives and the gap between them."""
    X, y = small_data()
    if losses.is_vector(loss):
        y = np.arange(y.size) % NUM_CLASSES
    elif labels is not None:
        y = np.resize(np.asarray(labels, dtype=float), y.size)
    P = Problem(X, y, loss=loss, l2=0.1)
    tol = 1e-6 if loss.gamma > 0 else 1e-2
    solution = solve(P, "sdca", sampling="permutation", tol=tol, max_passes=5000)
    if solution.status not in SOLVED:
        _fail(loss, f"sdca ends with {solution.status!r} and a relative gap of {solution.relative_gap:.2g}, not {tol}")


# ------------------------------------------------------------ words
def _slack(*sizes: float) -> float:
    return 1e-9 * (1 + sum(map(abs, sizes)))


def _text(u: Any) -> str:
    return np.array2string(np.asarray(u), precision=4)


def _fail(loss: Loss, what: str) -> None:
    raise AssertionError(f"loss {loss}: {what}")


# ------------------------------------------------------------ the second derivative
def _curvature_fault(loss: Loss, at: LossPoint) -> str | None:
    """Tell what is wrong with phi'' or its Lipschitz constant, if anything; None also where there is no formula.

    Along the way from u to t, phi'' is a difference quotient of phi' on one of the two sides: where phi' bends, either.
    """
    if not losses.has_hessian(loss):
        return None
    u, t, y, _share = at
    apart = max(1e-300, float(np.linalg.norm(t - u)))
    way = (t - u) / apart
    what, slope = losses.hessian_formula(loss), grad(loss, u, y)
    here, there = (float(np.dot(hess(loss, x, y, way), way)) for x in (u, t))
    sides = [float(np.dot(grad(loss, u + h * way, y) - slope, way)) / h for h in (-DIFFERENCE_STEP, DIFFERENCE_STEP)]
    slack = 1e-6 + 1e-4 * max(map(abs, sides))
    if not (here >= -slack and min(abs(here - side) for side in sides) <= slack):
        return f"{what} at u = {u}, y = {y:g} is {here:g}, and the slope of phi' there is {sides[1]:g}"
    M = losses.hess_lipschitz(loss)
    if not abs(here - there) <= M * apart * (1 + 1e-9) + 1e-9:
        return f"hess_lipschitz = {M:g} is too small: from u = {u} to {t} (y = {y:g}) phi'' changes by {here - there:g}"
    return None


# ------------------------------------------------------------ values of a loss, of one prediction or several
class LossPoint(NamedTuple):
    """Two predictions, a label, and a share of the way between them."""

    u: Any
    t: Any
    y: float
    share: float


def sample_points(loss: Loss, labels: Sequence[float] | None) -> Iterator[LossPoint]:
    """Near 0, where hinges bend, and far."""
    rng = np.random.default_rng(0)
    shape = (NUM_CLASSES,) if losses.is_vector(loss) else ()
    if labels is None:
        labels = range(NUM_CLASSES) if shape else (-1.0, 1.0) if loss.classification else (-1.3, 0.0, 0.4, 2.0)
    for scale in (0.3, 3.0, 12.0):
        for y in labels:
            for _ in range(8):
                u, t = scale * rng.standard_normal((2, *shape))
                yield LossPoint(u, t, float(y), rng.random())


def grad(loss: Any, u: Any, y: float) -> Any:
    """phi'(u; y), a number or (K,)."""
    if not losses.is_vector(loss):
        return loss.grad_phi(u, y)
    out = np.empty(NUM_CLASSES)
    loss.grad_phi_into(u, y, out)
    return out


def hess(loss: Any, u: Any, y: float, s: Any) -> Any:
    """phi''(u; y) s, a number or (K,)."""
    if not losses.is_vector(loss):
        return loss.hess_phi(u, y) * s
    out = np.empty(NUM_CLASSES)
    loss.hess_phi_into(u, y, s, out)
    return out


def step_curvatures(loss: Loss) -> tuple[float, ...]:
    """The q that methods may ask for: apcg, of losses of one prediction, also for -gamma < q < 0."""
    if losses.is_vector(loss) or loss.gamma == 0:
        return STEP_CURVATURES
    return STEP_CURVATURES + tuple(share * loss.gamma for share in NEGATIVE_CURVATURES)


def step(loss: Any, u: Any, y0: Any, q: float, y: float) -> Any:
    """The step of every dual method, a number or (K,)."""
    if not losses.is_vector(loss):
        return loss.dualprox(u, y0, q, y)
    out = np.empty(NUM_CLASSES)
    loss.dualprox_into(u, y0, q, y, out)
    return out


def slope_far_out(loss: Any, u: float, y: float) -> float:
    """phi' far out, inf where it overflows."""
    try:
        return loss.grad_phi(u, y)
    except OverflowError:
        return math.copysign(math.inf, u)
