"""A method of one's own, derived from Descent with `init` and `epoch` alone, has all else: checks and wrappers."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from problems import optimum, problem

import cdlab
from cdlab import methods, testing
from cdlab.methods import Descent
from cdlab.numerics.jit import kernel


class PrimalState(NamedTuple):
    w: np.ndarray
    z: np.ndarray
    L: np.ndarray


@kernel
def primal_epoch(P, S, order):
    for k in range(order.size):
        j = order[k]
        g = P.X.slope(j, S.z, P.y, P.loss) / P.y.size + P.reg.l2 * S.w[j]
        step = P.reg.l1_step(S.w[j], -g / S.L[j], S.L[j])
        S.w[j] += step
        P.X.add(j, step, S.z)


@dataclass(frozen=True)
class MyPrimal(Descent[PrimalState]):
    name: ClassVar[str] = "my_primal"
    side: ClassVar[str] = "primal"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)

    def init(self, problem, sampling, start=None):
        w = np.zeros(problem.d) if start is None else start.w.copy()
        return PrimalState(w, problem.predict(w), problem.coordinates("primal").smoothness / problem.n)

    def epoch(self, P, S, order):
        primal_epoch(P, S, order)
        return S


class DualState(NamedTuple):
    alpha: np.ndarray
    v: np.ndarray
    q: np.ndarray


@kernel
def dual_epoch(P, S, order):
    n = P.y.size
    for k in range(order.size):
        i = order[k]
        u = P.X.dot(i, S.v, P.reg) / P.reg.l2
        new = -P.loss.dualprox(u, -S.alpha[i], S.q[i], P.y[i])
        P.X.add(i, (new - S.alpha[i]) / n, S.v)
        S.alpha[i] = new


@dataclass(frozen=True)
class MyDual(Descent[DualState]):
    name: ClassVar[str] = "my_dual"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2",)

    def init(self, problem, sampling, start=None):
        alpha = np.zeros(problem.n) if start is None else start.alpha.copy()
        return DualState(alpha, problem.v(alpha), problem.row_profile.norms2 / (problem.l2 * problem.n))

    def epoch(self, P, S, order):
        dual_epoch(P, S, order)
        return S


@pytest.mark.parametrize("method", [MyPrimal, MyDual])
def test_it_passes_the_checks_of_every_method(method):
    assert testing.check_method(method) is None


@pytest.mark.parametrize(
    ("wrapped", "loss", "l2", "l1", "tol"),
    [
        (methods.Anderson(MyPrimal(), 4), "logistic", 0.01, 0.0, 1e-8),
        (methods.Screened(MyPrimal()), "logistic", 0.0, 0.02, 1e-8),
        (methods.Screened(MyPrimal(), "shrink"), "logistic", 0.01, 0.02, 1e-8),
        (methods.WorkingSet(MyPrimal()), "squared", 0.0, 0.05, 1e-8),
        (methods.Anderson(MyDual(), 4), "squared", 0.1, 0.0, 1e-8),
        (methods.Screened(MyDual()), "smooth_hinge", 0.1, 0.0, 1e-8),
        (methods.AddedL2(MyDual()), "squared", 0.0, 0.05, 1e-2),
        (methods.Averaged(MyDual(), "half"), "hinge", 1.0, 0.0, 1e-2),
    ],
    ids=lambda x: getattr(x, "label", None),
)
def test_it_is_wrapped_and_reaches_the_optimum(wrapped, loss, l2, l1, tol):
    P = problem(loss, l2=l2, l1=l1)
    s = cdlab.solve(P, wrapped, sampling="cyclic", tol=tol)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - optimum(loss, l2, l1) <= s.gap
    assert s.trace.meta["method"] == wrapped.label


def test_its_wrappers_are_had_by_its_name_and_named_where_they_are_mistaken_for_parameters(monkeypatch):
    monkeypatch.setitem(methods.METHODS, "my_primal", MyPrimal)
    P = problem("logistic", l1=0.02)
    by_name = cdlab.solve(P, "my_primal", sampling="cyclic", anderson=4)
    np.testing.assert_array_equal(by_name.w, cdlab.solve(P, methods.Anderson(MyPrimal(), 4), sampling="cyclic").w)
    with pytest.raises(TypeError, match=r"write cdlab\.methods\.Anderson\(MyPrimal\(\), anderson=4\)"):
        MyPrimal(anderson=4)


class LoopingState(NamedTuple):
    alpha: np.ndarray
    v: np.ndarray


@kernel
def looping_epoch(P, S, order):
    for k in range(order.size):
        i = order[k]
        u = 0.0
        for p in P.X.line(i):
            u += P.X.value(i, p) * P.reg.shrink(S.v[P.X.index(i, p)]) / P.reg.l2
        new = -P.loss.grad_phi(u, P.y[i])
        P.X.add(i, (new - S.alpha[i]) / P.y.size, S.v)
        S.alpha[i] = new


@dataclass(frozen=True)
class Looping(MyDual):
    def epoch(self, P, S, order):
        looping_epoch(P, LoopingState(S.alpha, S.v), order)
        return S


@dataclass(frozen=True)
class AskingTwice(MyDual):
    def epoch(self, P, S, order):
        dual_epoch(P, S, np.repeat(order[: order.size // 2], 3))
        return S


@pytest.mark.parametrize(("method", "reason"), [(Looping, "more than dot and add"), (AskingTwice, "dot once a step")])
def test_a_kernel_whose_sums_would_be_wrong_is_not_averaged(method, reason):
    with pytest.raises(ValueError, match=f"my_dual's kernel .*{reason}.*leave average out"):
        cdlab.solve(problem("hinge", l2=0.1), methods.Averaged(method(), "all"))
