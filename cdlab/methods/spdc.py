"""SPDC, the stochastic primal-dual coordinate method: dual steps at random examples, a primal step, extrapolation.

Problem     min_x max_y (1/n) sum_i (y_i a_i'x - phi*(y_i)) + g(x),  g = (l2/2)||.||^2 + l1||.||_1
Algorithm   draw m examples K, without replacement;
            y_k <- argmax_b { b a_k'xbar - phi*(b) - (b - y_k)^2/(2s) } for k in K;  Delta = sum_K (change of y_k) a_k;
            x' = prox_{tau g}(x - tau (u + Delta/m));  u += Delta/n, so u = X'y/n;  xbar = x' + theta (x' - x);  x = x'
            tau = sqrt(m gamma/(n l2))/(2M),  s = sqrt(n l2/(m gamma))/(2M),  theta = 1 - 1/(N + M sqrt(n/(m l2 gamma)))
            with M = R = max ||a_i||, N = n/m.  sampling="norms" is Algorithm 2: one k with probability
            p_k = 1/(2n) + ||a_k||/(2 sum ||a_i||), with p_k n in place of m in x' and of 1 in 1/s; M = 2 Rbar, N = 2n
Batches     sampling="norms" with batch_size=m is our own extension: K is m independent draws by p, each example once,
            so pi_k = Prob(k in K) = 1 - (1 - p_k)^m; pi_k n in place of m in x', pi_k n/m in place of 1 in 1/s;
            M = 2 Rbar + (m - 1) R/n, N = (2n + m - 1)/m
Guarantee   E[(1/(2 tau) + l2)||x_t - x*||^2 + (1/(4s) + gamma)||y_t - y*||^2/m] <= theta^t times the same at 0 with
            1/(2s) for 1/(4s); for norms with 7/(16 s), gamma/(p_i n) for each i; for batches by norms with
            1/(4 s m), 1/(2 s m), gamma/(pi_i n). Of this last, in no paper, the proof is theirs for any blocks of at
            most m examples: with Delta the changes of y, ||sum_K Delta_k a_k/(pi_k n)||^2 <= (M^2/m) sum_K Delta_k^2
            and ||X'(y - y*)/n||^2 <= (M^2/m) ||y - y*||^2 if M >= m ||a_k||/(pi_k n) for all k, and y_k comes closer by
            1 - 1/(1/pi_k + n/(2 m s gamma)). (Bernoulli: pi >= m p/(1 + (m - 1) p), whence M and N)
Perturbed   gamma = 0 and l2 = 0 get delta added (phi* + (delta/2)b^2, g + (delta/2)||x||^2): the perturbed problem's
            solution is eps = (delta/2)(||x*||^2 + L^2)-optimal. See SPDC's `delta`.
Reference   Zhang & Xiao, Stochastic primal-dual coordinate method for regularized empirical risk minimization (2015),
            Algorithms 1 and 2, Theorems 1 and 2, Corollary 2
            With softmax (spdc_vectors_epoch) y_k and a_k'x are in R^K, x (d, K), and the proofs are the same with
            Euclidean norms: ||y_k'(x'a_k)|| <= ||a_k|| ||x|| ||y_k||. The paper writes of one prediction
Notation    x is our w and y our -alpha; a_i is a row of X and b_i its label; their sigma is s; R, Rbar: row norms

An iteration moves all of x, and costs O(nonzeros of its examples): where they have zeros, u_j rests, and all that
happens to x_j until it is read again are steps F(x) = prox_{tau g}(x - tau u), which lazy_prox.py makes at once.
To visit a coordinate is to add to u_j, and to shift x_j such that F is this iteration's own step too: with
u' = u + change a/n, the step from x along u + change a/(p n) is the step from x - tau (1/p - 1)/n change a along u'.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import samplings
from ..numerics import checks
from ..numerics.checks import set_number_field
from ..numerics.jit import kernel, prefetch, scalar
from ..numerics.lazy_prox import StepTable, step_table
from ..numerics.matrix_lines import Lines
from ..problems.certificates import objectives, points_of
from ..problems.points import View
from ..problems.problem import Problem
from ..regularizers import Regularizer, plus
from ..samplings import Batches, Blocks, NormsBlocks, Sampling, SamplingLike
from .base import Points
from .blocks import MiniBatch

X, BEFORE, U, LAST = range(4)  # Columns of State.rows.


class State(NamedTuple):
    """Primal and dual points, coordinates at rest, and the steps of the (perturbed) problem."""

    rows: np.ndarray  # (d, 4) x_j, shifted; x_j before the shift; u_j; when they were exact; (d, K, 4)
    y: np.ndarray  # (n,) dual variables, -alpha; (n, K) with softmax
    p: np.ndarray  # (n,) probabilities that an iteration picks each example
    xbar: np.ndarray  # (d,) scratch for m > 1, else (0,): xbar of the coordinates that a block touches; (d, K)
    change: np.ndarray  # (m,) scratch for m > 1, else (0,): changes of y in the current block; (m, K)
    m: int  # most examples in a block
    M: float  # tau s = 1/(4 M^2), see the module
    N: float  # iterations that pick an example once, see the module
    t: float = 0.0  # iterations done
    reg: Regularizer = None  # type: ignore[assignment]  # set by _with_steps: g, perturbed where l2 = 0
    table: StepTable = None  # type: ignore[assignment]  # set by _with_steps: tau, and many steps F at once
    s: float = 0.0  # dual step
    theta: float = 0.0  # extrapolation
    rate: float = 0.0  # what theory multiplies the distance from (x*, y*) with in an iteration
    delta: float = 0.0  # added to the curvature of phi*
    fall: float = 1.0  # what delta is to be multiplied with, once it is 1/2


@scalar
def arrive(rows: np.ndarray, j: int, t: float, theta: float, reg: Regularizer, table: StepTable) -> float:
    """Bring x_j to iteration t, and return xbar_j."""
    rest = t - rows[j, LAST]
    if rest == 0:  # only at the start, where xbar = x
        return rows[j, X]
    x, before, u = rows[j, X], rows[j, BEFORE], rows[j, U]
    if rest > 1:
        x = table.steps(rest - 1, x, u, reg.of_coordinate(j))
        before = x
    x = reg.of_coordinate(j).prox_at(x - table.tau * u, table.tau)
    rows[j, X] = x
    rows[j, BEFORE] = x
    rows[j, LAST] = t
    return x + theta * (x - before)


@kernel
def arrive_all(S: State, rows: np.ndarray) -> None:
    """Bring all of x to iteration S.t, in `rows`."""
    for j in range(rows.shape[0]):
        arrive(rows, j, S.t, S.theta, S.reg, S.table)


@scalar
def expect(X: Lines, order: np.ndarray, k: int, rows: np.ndarray) -> None:
    """Ask for the rows that the next example touches: a sixth faster, where X does not fit the cache."""
    if X.ahead > 0 and k + 1 < order.size:
        i = order[k + 1]
        for e in X.line(i):
            prefetch(rows, np.uint64(4) * np.uint64(X.index(i, e)))


@kernel
def spdc_epoch(P: View, S: State, order: np.ndarray) -> float:
    """Algorithm 2; with p_i = 1/n it is Algorithm 1 for m = 1. Returns t."""
    rows, y, p, b, n, t = S.rows, S.y, S.p, P.y, P.y.size, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (y, p, b))
        expect(P.X, order, k, rows)
        z = 0.0  # a_i'xbar
        for e in P.X.line(i):
            z += P.X.value(i, e) * arrive(rows, P.X.index(i, e), t, S.theta, S.reg, S.table)
        q = p[i] * n / S.s
        change = P.loss.dualprox(z, q / (q + S.delta) * y[i], q + S.delta, b[i]) - y[i]
        if change != 0:
            y[i] += change
            shift = S.table.tau * (1 / p[i] - 1) / n * change
            for e in P.X.line(i):
                j, a = P.X.index(i, e), P.X.value(i, e)
                rows[j, X] -= shift * a  # x - tau (u + change a/(p n)), the rest of it on arrival
                rows[j, U] += change / n * a  # u = A'y/n
        t += 1
    return t


@kernel
def spdc_block_epoch(P: View, S: State, batches: Batches) -> float:
    """A whole block from the same xbar, of which its examples may share coordinates. Returns t.

    1/s_i is p_i n/(m s). With p_i = m/n it is Algorithm 1 for m > 1.
    """
    rows, y, p, xbar, change, b, n, t = S.rows, S.y, S.p, S.xbar, S.change, P.y, P.y.size, S.t
    starts, order, per_p = batches.starts, batches.indices, n / (S.m * S.s)
    for block in range(starts.size - 1):
        first, last = starts[block], starts[block + 1]
        for k in range(first, last):
            i = P.X.pick(order, k, (y, p, b))  # pick K
            expect(P.X, order, k, rows)
            z = 0.0  # a_i'xbar
            for e in P.X.line(i):
                j = P.X.index(i, e)
                if rows[j, LAST] != t:
                    xbar[j] = arrive(rows, j, t, S.theta, S.reg, S.table)
                z += P.X.value(i, e) * xbar[j]
            q = p[i] * per_p
            change[k - first] = P.loss.dualprox(z, q / (q + S.delta) * y[i], q + S.delta, b[i]) - y[i]
        for k in range(first, last):
            i, c = order[k], change[k - first]
            y[i] += c
            shift = S.table.tau * (1 / p[i] - 1) / n * c
            for e in P.X.line(i):
                j, a = P.X.index(i, e), P.X.value(i, e)
                rows[j, X] -= shift * a  # x - tau (u + sum change a/(p n)), the rest on arrival
                rows[j, U] += c / n * a  # u = A'y/n
        t += 1
    return t


@kernel
def spdc_vectors_epoch(P: View, S: State, batches: Batches, room: np.ndarray) -> float:
    """The same for a loss of K predictions, any m and a g alike for all coordinates, given room (2, K). Returns t."""
    rows, y, p, xbar, change, b, n, t = S.rows, S.y, S.p, S.xbar, S.change, P.y, P.y.size, S.t
    starts, order, per_p, z, old = batches.starts, batches.indices, n / (S.m * S.s), room[0], room[1]
    for block in range(starts.size - 1):
        first, last = starts[block], starts[block + 1]
        for m in range(first, last):
            i = P.X.pick(order, m, (p, b))  # pick K
            q = p[i] * per_p
            for k in range(z.size):
                z[k], old[k] = 0.0, q / (q + S.delta) * y[i, k]
            for e in P.X.line(i):  # z = xbar'a_i
                j, a = P.X.index(i, e), P.X.value(i, e)
                row = rows[j]
                for k in range(z.size):
                    if row[k, LAST] != t:
                        xbar[j, k] = arrive(row, k, t, S.theta, S.reg, S.table)
                    z[k] += a * xbar[j, k]
            P.loss.dualprox_into(z, old, q + S.delta, b[i], change[m - first])
            for k in range(z.size):
                change[m - first, k] -= y[i, k]
        for m in range(first, last):
            i, c = order[m], change[m - first]
            shift = S.table.tau * (1 / p[i] - 1) / n
            for k in range(z.size):
                y[i, k] += c[k]
            for e in P.X.line(i):
                row, a = rows[P.X.index(i, e)], P.X.value(i, e)
                for k in range(z.size):
                    row[k, X] -= shift * c[k] * a
                    row[k, U] += c[k] / n * a
        t += 1
    return t


@dataclass(frozen=True)
class SPDC(MiniBatch[State]):
    """Stochastic primal-dual coordinate, mini-batch or weighted, smoothed where needed: O(nonzeros drawn) an iteration.

    With sampling="norms" it is Algorithm 2, else Algorithm 1; Algorithm 2 in batches is an extension that is not in the
    paper. No theorem covers orders. The certificate is the dual point -y with a primal one, see `primal_point`.

    Parameters
    ----------
    batch_size : int, optional
        m: with uniform sampling the same as ``TauNice(batch_size)``, with norms as many draws. Default: one example at
        a time.
    delta : "auto", float or None, default "auto"
        Perturbation of what is not smooth (gamma = 0) or not strongly convex (l2 = 0); no other problem is changed.
        A number stays as it is, and the run ends up to eps = (delta/2)(||x*||^2 + L^2) above the optimum. None: such
        problems are refused. "auto" suits any eps: delta falls as fast as sqrt(theta^t), since distances of order eps^2
        make the accuracy eps (Corollary 2). It starts at P(0)/L^2 in the loss, and in both no larger than what costs
        nothing, M sqrt(n/(m l2 gamma)) = N. Each time it has halved, the steps are set anew, at O(d); where both are
        perturbed, their deltas are also shared anew such that both cost the same, delta L^2 = delta ||x||^2.
    step : float, optional
        tau. Alone it sets s = 1/(4 M^2 tau) and theta, and is covered by Theorem 1's proof. Default: see the algorithm.
    dual_step : float, optional
        s; alone it sets tau = 1/(4 M^2 s). Together with a step above 1/(4 M^2 dual_step): not covered.
    theta : float in [0, 1], optional
        Extrapolation; another than the default is not covered.
    primal_point : "better" or "iterate", default "better"
        What is reported: the better of x and grad g*(-u), or x as the paper's pictures show it.

    References
    ----------
    Zhang & Xiao, Stochastic primal-dual coordinate method for regularized empirical risk minimization (2015),
    Algorithms 1 and 2, Theorems 1 and 2, Corollary 2.
    """

    delta: float | str | None = "auto"
    step: float | None = None
    dual_step: float | None = None
    theta: float | None = None
    primal_point: str = "better"

    name: ClassVar[str] = "spdc"
    can_split_epoch: ClassVar[bool] = True
    group: ClassVar[str] = "Primal-dual"
    summary: ClassVar[str] = "accelerated, keeps a primal and a dual point side by side"
    guarantee: ClassVar[str] = "(n/m + √(nκ/m)) log"
    reference: ClassVar[str] = "Zhang & Xiao 2015"
    side: ClassVar[str] = "dual"
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "blocks", "bounds")
    samplings: ClassVar[tuple[str, ...]] = (
        *("uniform", "norms", "tau_nice", "norms_blocks"),
        *("permutation", "paired_permutation", "fixed_permutation", "cyclic"),
    )
    blocks_of: ClassVar[dict[str, Callable[[int], Blocks]]] = MiniBatch.blocks_of | {"norms": NormsBlocks}

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "delta", '"auto", a number > 0 or None', ("auto", None))
        set_number_field(self, "step", "a number > 0 or None")
        set_number_field(self, "dual_step", "a number > 0 or None")
        set_number_field(self, "theta", "a number in [0, 1] or None", high=1, ends="[]")
        checks.one_of("spdc's primal_point", self.primal_point, ("better", "iterate"))

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        drawn = self.draws(samplings.resolve(sampling))
        n, norms = problem.n, np.sqrt(problem.row_profile.norms2)
        m = int(getattr(drawn, "tau", 1))
        if drawn.name in ("norms", "norms_blocks"):
            M, N = 2 * norms.mean() + (m - 1) / n * norms.max(), (2 * n + m - 1) / m
        else:
            M, N = norms.max(), n / m
        M = float(M) or 1.0  # X = 0: any step will do
        x = problem.zeros(problem.d) if start is None else start.w.copy()
        alpha = problem.zeros(n) if start is None else start.alpha.copy()
        rows = np.stack([x, x, -problem.v(alpha), np.zeros_like(x)], axis=-1)
        scratch: tuple[np.ndarray, np.ndarray] = (np.empty(0), np.empty(0))
        if m > 1 or problem.outputs:
            scratch = x, problem.zeros(m)
        S = State(rows, -alpha, self.probabilities(problem, sampling), *scratch, m=m, M=M, N=float(N))
        return self._with_steps(problem.by_rows, S, *self._perturbation(problem, S))

    def _perturbation(self, problem: Problem, S: State) -> tuple[float, float]:
        """The first delta in the loss and in the regulariser; 0 where there is nothing to perturb."""
        gamma, l2, L = problem.loss.gamma, problem.mu, problem.loss.lipschitz
        if self.delta != "auto":
            return float(self.delta or 0) * (gamma == 0), float(self.delta or 0) * (l2 == 0)
        free = S.M**2 * problem.n / (S.m * S.N**2)  # l2 gamma that costs nothing
        in_loss = 0.0
        if gamma == 0:
            wide = (problem.primal(problem.zeros(problem.d)) or 1.0) / L**2
            in_loss = min(wide, free / l2) if l2 > 0 else wide
        return in_loss, free / (gamma + in_loss) if l2 == 0 else 0.0

    def _with_steps(self, P: View, S: State, in_loss: float, in_reg: float) -> State:
        """S with the steps of the problem perturbed by so much."""
        n, gamma, l2 = P.y.size, P.loss.gamma + in_loss, P.reg.l2 + in_reg
        tau, s = self.step, self.dual_step
        if tau is None:
            tau = 1 / (4 * S.M**2 * s) if s else math.sqrt(S.m * gamma / (n * l2)) / (2 * S.M)
        if s is None:
            s = 1 / (4 * S.M**2 * tau)
        # an iteration brings x closer by 1 - 1/(1 + 1/(2 tau l2)), y by 1 - 1/(N + n/(2 m s gamma))
        rate = 1 - 1 / max(1 + 1 / (2 * tau * l2), S.N + n / (2 * S.m * s * gamma))
        theta = rate if self.theta is None else float(self.theta)
        reg, table = plus(P.reg, in_reg), step_table(tau, l2)
        return S._replace(reg=reg, table=table, s=float(s), theta=theta, rate=rate, delta=in_loss, fall=1.0)

    def epoch(self, P: View, S: State, order: Any) -> State:
        if S.y.ndim > 1:
            t = spdc_vectors_epoch(P, S, order, np.empty((2, S.y.shape[1])))
        else:
            t = spdc_block_epoch(P, S, order) if S.m > 1 else spdc_epoch(P, S, order.indices)
        S = S._replace(t=t, fall=S.fall * S.rate ** ((t - S.t) / 2))
        return self._closer(P, S) if self._falls(P) and S.fall <= 0.5 else S

    def epochs_together(self, problem: Problem, S: State) -> float:
        return 1 if self._falls(problem.by_rows) else np.inf  # where delta falls, it is looked at after each

    def _falls(self, P: View) -> bool:
        return self.delta == "auto" and (P.loss.gamma == 0 or P.reg.l2 == 0)

    def _closer(self, P: View, S: State) -> State:
        """Start anew from x and y, with xbar = x, on a problem that is less perturbed."""
        arrive_all(S, S.rows.reshape(-1, 4))
        S.xbar[:] = S.rows[: len(S.xbar), ..., X]
        in_loss, in_reg = S.fall * S.delta, S.fall * (S.reg.l2 - P.reg.l2)
        if in_loss > 0 and in_reg > 0:
            even = np.linalg.norm(S.rows[..., X]) / P.loss.lipschitz * math.sqrt(in_reg / in_loss)
            share = min(max(even, 0.5), 2.0)  # x = 0 says little
            in_loss, in_reg = in_loss * share, in_reg / share
        return self._with_steps(P, S, in_loss, in_reg)

    def points(self, problem: Problem, S: State) -> Points:
        v = -S.rows[..., U]
        found = [self._x(S)]
        if self.primal_point == "better":
            found.append(S.reg.grad_g_conj(v))
        points = [Points(w, -S.y, z=problem.predict(w), v=v, fresh=("z",), products=len(found)) for w in found]
        return min(points, key=lambda at: objectives(problem, at)[0])

    def bounded_points(self, problem: Problem, S: State) -> Points:
        """x, which the theorems are about: of the gap between what `points` shows and -y they say nothing."""
        return points_of(problem, self._x(S))

    def _x(self, S: State) -> np.ndarray:
        """x at iteration S.t, of which S.rows keeps what it was."""
        rows = S.rows.copy()
        arrive_all(S, rows.reshape(-1, 4))
        return rows[..., X].copy()

    def refresh(self, problem: Problem, S: State) -> None:
        S.rows[..., U] = -problem.v(-S.y)

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if sampling.name in (
            "importance",
            "lipschitz",
            "clipped",
            "mixture",
            "given",
        ):  # the names it is made for would not say why
            return (
                "spdc with unequal probabilities (Algorithm 2) needs p_i >= ||x_i||/(2 sum ||x||) and p_i >= 1/(2n), "
                f"which {sampling.name} sampling does not promise: use norms or uniform"
            )
        return super().refusal(problem, sampling)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        yield from super().objections(problem, sampling)
        if self.delta is None and (problem.loss.gamma == 0 or problem.mu == 0):
            yield 'spdc with delta=None needs a smooth loss and l2 > 0: use delta="auto", or a number'
        if problem.loss.gamma == 0 and math.isinf(problem.loss.lipschitz):
            yield f"spdc perturbs Lipschitz losses only, and {problem.loss.name} is neither smooth nor that: use sdca"
