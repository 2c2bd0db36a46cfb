"""What the items of APPA share: data, and the trials of each method over lambda = 10^-8 to 10^8."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from ...comparisons import Ratio
from ...datasets import Derived, steps
from ...datasets.steps import Step
from ...methods.dual_appa import DualAPPA
from ...methods.sgd import SGD
from ...methods.svrg import SVRG
from ..cases import Case, Contender
from ..found import Found, NotRun
from ..items import Table
from ..wording import short

PAPER = "appa"
STAGES, STOP = 20, 1e6
MNIST_TEST = 10_000  # rows of its test part
ENDLESS = 10**9  # epochs: more than any run has
POWERS = tuple(range(-8, 9))
FINE = tuple(k / 4 for k in range(-24, -7) if k % 4)  # quarters of decades about the best of covtype.rff
LOSSES = ("squared", "logistic")


def trial(method: str, power: float) -> str:
    """The label of a method's trial with lambda = 10^power."""
    return f"{method}, lambda = {short(10.0**power)}"


def appa(power: float, **options: Any) -> DualAPPA:
    """Dual APPA with a pass of SDCA a stage."""
    return DualAPPA(prox_weight=10.0**power, **{"epochs": 1, **options})


def family(
    name: str, make: Callable[[float], Any], powers: Iterable[float] = POWERS, passes: float = STAGES, **options: Any
) -> list[Contender]:
    """A trial for each lambda; `make` takes its power of 10."""
    limits = {"max_passes": float(passes), "divergence_tol": STOP}
    return [Contender(trial(name, k), make(k), "uniform", limits, **options) for k in powers]


def svrg(name: str, stage: int, passes: float) -> list[Contender]:
    """SVRG with the step lambda and stages of so many times n updates."""

    def settings(power: float) -> Callable[[Any], Mapping[str, Any]]:
        return lambda problem: {
            "method": SVRG(step=10.0**power, m=stage * problem.n), "max_passes": float(passes), "divergence_tol": STOP
        }  # fmt: skip

    return [Contender(trial(name, k), "svrg", "uniform", settings(k)) for k in POWERS]


APPA, ZERO, SDCA = "APPA", "APPA from alpha = 0", "SDCA"
APPA_TRIALS = family(APPA, lambda k: appa(k, first_dual="primal"))
ZERO_TRIALS = family(ZERO, appa)
# SDCA with l2 = lambda is a single stage of dual APPA around 0, whose P is the one without l2
SDCA_TRIALS = family(SDCA, lambda k: appa(k, epochs=ENDLESS))
SVRG_TRIALS = svrg("SVRG", 1, 2 * STAGES)  # a full gradient a stage
SGD_TRIALS = family("SGD", lambda k: SGD(step=10.0**k, average=None))
METHODS = (APPA, SDCA, "SVRG", "SGD")
ALL = [*APPA_TRIALS, *ZERO_TRIALS, *SDCA_TRIALS, *SVRG_TRIALS, *SGD_TRIALS]


def best(found: Found, method: str, powers: Iterable[float] = POWERS) -> tuple[float, str]:
    """The power and the label of the trial with the smallest final P, in the median over seeds."""
    ends = {k: float(np.median(ending(found, trial(method, k)))) for k in powers}
    power = min(ends, key=lambda k: ends[k])
    return power, trial(method, power)


def from_zero(found: Found, label: str, by: str = "passes", column: str = "") -> list[tuple[np.ndarray, np.ndarray]]:
    """The curves of a contender from x_0 = 0 on, in place of its first record.

    That of APPA is x_hat(y_hat(x_0)), which is no iterate of the paper.
    """
    start = {"": 1.0, "primal": found.optimum.at_zero}
    curves = found.curves(label, by, column)
    if column not in start:
        return curves
    return [(x, np.concatenate([[start[column]], y[1:]])) for x, y in curves]


def ending(found: Found, label: str, column: str = "primal") -> np.ndarray:
    """A column at the end of each run; what is not a number counts as infinite."""
    return np.nan_to_num(found.last(label, column), nan=np.inf, posinf=np.inf)


def misclassified(found: Found) -> str:
    """The column with the test 0-1 error; that of the squared loss is of signs."""
    return "test_sign_error" if found.case.loss == "squared" else "test_error"


def best_trials(title: str, founds: Iterable[Found], methods: Iterable[str], powers: Iterable[float] = POWERS) -> Table:
    """The best trial of each method on each problem, of those that were run."""
    rows: list[list[Any]] = []
    for found, method in product(founds, methods):
        try:
            power, label = best(found, method, powers)
            e, error = np.median(found.last(label)), np.median(ending(found, label, misclassified(found)))
        except NotRun:
            continue
        rows.append([found.name, method, short(10.0**power), float(e), f"{error:.2%}"])
    return Table(title, ["problem", "method", "lambda", "final e", "test error"], rows)


def quotient(found: Found, a: str, b: str, column: str = "") -> Ratio:
    """The last e of b divided by that of a, or a column's last value, seed by seed."""
    values = ending(found, b, column) / ending(found, a, column)
    return Ratio(values, values)


def _features(name: str, source: str, before: list[Step], rows: int, factor: float, split: str = "all") -> Derived:
    scaled = [*before, steps.MeanRowNormOne(), steps.RandomFourierFeatures(rows // 5, factor=factor)]
    told = "" if factor == 1 else f", {factor:g} s"
    return Derived(f"{name}{told}, n = {rows}", source, scaled, split)


def mnist(rows: int, test: int, factor: float = 1.0) -> Derived:
    """Random Fourier features of MNIST, the digits 1, 2, 4, 5 and 7 against the others."""
    mixed = steps.Permute(seed=0, test=test < MNIST_TEST)
    before = [steps.PositiveClasses((1.0, 2.0, 4.0, 5.0, 7.0)), mixed, steps.FirstRows(rows, test)]
    return _features("mnist.rff", "mnist", before, rows, factor, "parts")


def _forest(rows: int, test: int) -> list[Step]:
    return [steps.PositiveClasses((2.0,)), steps.Permute(seed=0), steps.FirstRows(rows + test), steps.HoldOut(test)]


def covtype(rows: int, test: int, factor: float = 1.0) -> Derived:
    """Random Fourier features of cover type, in place of CIFAR-10."""
    return _features("covtype.rff", "covtype", [*_forest(rows, test), steps.ColumnsToUnitInterval()], rows, factor)


def _affine(rows: int, test: int) -> Derived:
    after = [steps.ColumnsToUnitInterval(), steps.UnitRows(), steps.AppendOnes()]
    return Derived(f"covtype.affine, n = {rows}", "covtype", [*_forest(rows, test), *after])


MAKE: dict[str, tuple[Callable[[int, int], Derived], str]] = {
    "mnist.rff": (mnist, ""), "covtype.rff": (covtype, "CIFAR-10"), "covtype.affine": (_affine, "Protein"),
}  # fmt: skip
# Rows and test rows. The paper's own sizes belong to no mode: they are declared, and not run. covtype.rff is left to
# full, to save time.
SIZES = {
    "mnist.rff": {"quick": (3_000, 2_000), "full": (12_000, 10_000), "paper": (60_000, 10_000)},
    "covtype.rff": {"full": (10_000, 10_000), "paper": (50_000, 10_000)},
    "covtype.affine": {"quick": (14_575, 3_643), "full": (116_600, 29_151)},
}


def cases(losses: Iterable[str] = LOSSES, sets: Iterable[str] = tuple(MAKE)) -> list[Case]:
    """Each set with each loss, without a regulariser, at the sizes of each mode."""
    return [
        Case(f"{name}, {loss}, n = {rows}", MAKE[name][0](rows, test), loss, 0.0, stands_for=MAKE[name][1], test=True,
             modes=(mode,), tags={"set": name, "loss": loss, "test": test})
        for name in sets for mode, (rows, test) in SIZES[name].items() for loss in losses
    ]  # fmt: skip


def dense(case: Case) -> bool:
    """MNIST and what stands for CIFAR-10."""
    return str(case.tags["set"]).endswith(".rff")
