"""Inner solvers of newton_cd: their names, the problems that they fit, and their creation.

Which of them is cheapest is counted in `methods/cost_model.py`.
"""

from __future__ import annotations

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from ..cost_model import cheapest_way, way_after_truncated
from .coordinate_descent import BoxDescent, ColumnDescent, GramDescent
from .gram import Dual, Gram
from .model import SAMPLED_SHARE, InnerSolver
from .preconditioned import Preconditioned
from .set_newton import SetNewton
from .truncated import Truncated
from .truncated_first import TruncatedFirst

PER_FEATURE = 300  # Examples of a sample for each feature, at least.

INNER = ("auto", "gram", "dual", "truncated", "preconditioned", "columns")


def samples(P: Problem, inner: InnerSolver) -> bool:
    """Tell whether the first models are of a tenth of the examples: where a tenth has many for each feature.

    Not for the squared loss, whose H is formed once, or in a box. Measured, to a suboptimality of 1e-6, over the time
    without samples: on 200,000 x 54 and 581,012 x 54 dense 0.73 and 0.67 (logistic), 0.96 and 1.0 (squared hinge);
    where a tenth is 16 examples a feature (w8a) 1.0 to 1.7, so it is not done there.
    """
    return (
        isinstance(inner, Gram | GramDescent)
        and P.n * SAMPLED_SHARE >= PER_FEATURE * P.d
        and hess_lipschitz(P.loss) > 0
        and not P.bounded
    )


def create_inner_solver(name: str, P: Problem) -> InnerSolver:
    """Create the inner solver of this name, ready for its first step; "auto" is the cheapest."""
    if name == "auto" and (exact := way_after_truncated(P)) is not None:
        return TruncatedFirst(P, create_inner_solver(exact.name, P), exact.products, exact.models)
    if name == "auto":
        name = cheapest_way(P)
    if P.bounded and name == "columns":
        return BoxDescent(P)
    if name == "dual":
        return Dual(P)
    if name == "truncated":
        return Truncated(P)
    if name == "preconditioned":
        return Preconditioned(P)
    if name == "columns":
        return ColumnDescent(P) if hess_lipschitz(P.loss) == 0 else SetNewton(P)
    return GramDescent(P) if P.l1 > 0 or P.bounded else Gram(P)


def refusal(name: str, P: Problem) -> str | None:
    """Return why this inner solver cannot minimise the models of this problem, and which can; None if it can."""
    if P.outputs and P.l1 > 0:
        return f"newton_cd takes {P.loss.name} with l1 = 0 only: use saga or fista, or set l1 = 0"
    if name == "auto":
        return None
    if P.outputs and name != "truncated":
        return f'newton_cd with inner="{name}" does not take {P.loss.name}: use inner="truncated"'
    if P.bounded and name not in ("gram", "columns"):
        return f'newton_cd with inner="{name}" does not handle bounds or penalty factors: use inner="gram" or "columns"'
    if P.l2 == P.l1 == 0 and name == "dual":
        return 'newton_cd with inner="dual" needs l2 > 0: use inner="gram" or "truncated"'
    if P.l1 > 0 and name not in ("gram", "columns"):
        return f'newton_cd with inner="{name}" does not handle l1 > 0: use inner="gram" or "columns", or set l1 = 0'
    if P.l1 == 0 and name == "columns" and not P.bounded:
        return 'newton_cd with inner="columns" is for l1 > 0: use inner="truncated", or "auto"'
    return None
