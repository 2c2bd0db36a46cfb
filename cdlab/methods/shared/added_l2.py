"""Pure L1, l2 = 0 < l1, through an added l2: SDCA on P(w) + (l2/2)||w||^2, certified for P itself.

A point within eps/2 of the perturbed optimum is within eps of P* if l2 <= eps/||w*||^2, and l2 = eps (l1/P(0))^2 is so
small because ||w*||_2 <= ||w*||_1 <= P(0)/l1 (Shalev-Shwartz & Zhang 2012). The certificate needs no such constant:
with v = X'alpha/n, alpha min(1, l1/||v||_inf) is feasible for the dual of P, see `Problem.dual`.

"auto" needs no eps. It begins with an l2 for which SDCA is fast, and halves it whenever the perturbed problem is solved
five times better than P: then what keeps the gap of P open is the perturbation. So every tolerance is reached, up to
logarithms in O(n + 1/eps) updates for smooth losses and O(n + 1/eps^2) for Lipschitz ones. For a small eps take
dual_appa, whose quadratic moves along with w and need not vanish.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...problems.problem import Problem
from ...problems.proximal import ProximalProblem

SOLVED = 0.2  # the perturbed gap is at most this share of the gap of P
SMALLER = 0.5  # what l2 is multiplied with then
WAIT = 1.25  # gaps are compared when the epochs at this l2 have grown by this factor: half a pass each time
ROUNDING = 1e-15  # a gap of P this small, relative to P(w), is rounding


class Added(NamedTuple):
    """A run of SDCA on the perturbed problem, and when gaps were last compared."""

    core: Any  # SDCA's state on the perturbed problem
    solved: ProximalProblem  # which it is
    epochs: int  # done with this l2
    compared: int  # of these, when gaps were last compared
    swept: float  # nonzeros visited for comparing, in the last epoch


def refusal(problem: Problem, l2: float | str | None) -> str | None:
    """Why l2 cannot be added to this problem, or has to be; None if all is well."""
    if l2 is None and problem.l2 == 0 < problem.l1:
        return "sdca needs l2 > 0 and this problem has l2 = 0 < l1: use added_l2='auto', which adds and then lowers it"
    if l2 is not None and not problem.l2 == 0 < problem.l1:
        here = f"this problem has l2 = {problem.l2:g}, l1 = {problem.l1:g}"
        return f"sdca's added_l2 is for l2 = 0 < l1 and {here}: use added_l2=None"
    return None


def solved(problem: Problem, l2: float | str | None) -> Problem:
    """The problem that a run begins with: the perturbed one, if an l2 is added."""
    if l2 is None:
        return problem
    return ProximalProblem(problem, _largest(problem) if l2 == "auto" else float(l2), problem.zeros(problem.d))


def _largest(problem: Problem) -> float:
    """R^2/(gamma n), where an epoch of SDCA contracts by a constant factor: n + R^2/(gamma l2) = 2n.

    L-Lipschitz losses that are not smooth are taken for smooth ones with gamma = P(0)/L^2. For X = 0 any l2 will do.
    """
    beta = problem.beta
    if problem.loss.gamma == 0:
        beta = problem.loss.lipschitz**2 / max(problem.primal(problem.zeros(problem.d)), ROUNDING)
    return beta * problem.R**2 / problem.n or 1.0


def lowered(S: Added) -> Added:
    """After an epoch: with a smaller l2 if it is time."""
    S = S._replace(epochs=S.epochs + 1, swept=0.0)
    if S.epochs < WAIT * S.compared:
        return S
    core, Q, P = S.core, S.solved, S.solved.outer
    w = Q.reg.grad_g_conj(core.v)
    z = P.X @ w
    primal = P.primal(w, z=z)
    gap = primal - P.dual(core.alpha, v=core.v)
    perturbed = Q.primal(w, z=z) - Q.dual(core.alpha, v=core.v)
    S = S._replace(compared=S.epochs, swept=P.nnz / 2)
    if perturbed > SOLVED * gap or gap <= ROUNDING * abs(primal):
        return S
    Q = ProximalProblem(P, SMALLER * Q.weight, Q.center)
    core = core._replace(q=P.row_profile.norms2 / (Q.l2 * P.n))
    return S._replace(core=core, solved=Q, epochs=0, compared=0)
