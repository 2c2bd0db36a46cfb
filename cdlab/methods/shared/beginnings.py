"""What auto may begin with and go on with."""

from __future__ import annotations

from collections.abc import Iterator

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from ...samplings import Permutation, Sampling, Uniform
from ..apcg import APCG
from ..base import Method
from ..dual_appa import DualAPPA
from ..lbfgs import LBFGS
from ..newton_cd import NewtonCD
from ..rcd import RCD
from ..sdca import SDCA
from ..spdc import SPDC

PERMUTED, UNIFORM = Permutation(), Uniform()
SHRINKING = SDCA(screening="shrink")  # for losses with straight parts
DESCENT, NEWTON, ON_FEW = SDCA(), NewtonCD(), RCD(working_set=True)
# To begin with, the first that fits
FIELD: tuple[Method, ...] = (SHRINKING, DESCENT, NEWTON, ON_FEW, LBFGS(), RCD(), DualAPPA(), SPDC())
# To go on with
OTHERS: tuple[Method, ...] = (NEWTON, APCG())


def fitting(problem: Problem) -> Iterator[Method]:
    """The methods that auto may begin with, the best first: of the Lasso and the elastic net few features matter."""
    quadratic = problem.l1 > 0 and hess_lipschitz(problem.loss) == 0
    field = (ON_FEW, *FIELD) if quadratic else FIELD
    return (m for m in field if m.refusal(problem, sampled(m)) is None)


def sampled(method: Method) -> Sampling:
    """How auto draws for a method: in a random permutation where it can."""
    return PERMUTED if method.samplings is None or PERMUTED.name in method.samplings else UNIFORM
