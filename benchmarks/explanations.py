"""Whether what `cdlab.explain` says of a race is so.

python benchmarks/explanations.py            all 60 races, some five minutes; CDLAB_DATA names the folder of real data
python benchmarks/explanations.py PATTERN    those whose line contains it

The races were written down before any of them had run: 20 with what `explain` once refused (losses that are not smooth,
l1, batches, methods of other kinds), 20 on real data, 20 drawn with `DRAWN_SEED`.

Every number of a sentence is computed again from what is outside `cdlab.explanations`:

measured   from the traces of the race
bound      from the theorems, `cdlab.theory`
exact      from `cdlab.theory.exact_rate`; of at most `MAX_DENSE` lines drawn independently also from the eigenvalues
           of two dense matrices, between which it must be
simulated  from runs with the seeds `SEEDS`: the median within a factor 1.5, or ranges that overlap
counted    from the matrix and the probabilities

Every cause is taken away with the same seeds, and what ln(lead) loses by it is compared with what the two numbers of
the sentence say: one sign, and within a factor 2. What is taken away:

draws, order       the coordinates are drawn uniformly
heavy lines        the data are without the lines, for both entries
momentum           the method without: `WITHOUT`
easier problems    sdca, which solves the problem at once
second order       fista, and gradient descent: the cause is between both
exact, damped      quartz for sdca, sdca for quartz
batch              one coordinate at a time
steps              of the longer side as many lines are drawn as the shorter one has, with l2 or l2 n as it was: the
                   cause is between both
slowest direction  the loser begins without the part of the error in directions slower than all of the winner

A cause that both entries have is taken from both, too, where runs without it arrive: what gains as much for the loser
does not explain the lead.
Steps and the slowest direction have no numbers of the lead in their sentences, which say that about half of its
logarithm goes: half of it is compared. Where the two entries differ in one thing, that is the cause by
construction, and it is told where another was named.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab.losses import per_example
from cdlab.runs import Race
from cdlab.samplings import TauNice
from cdlab.theory.promises import best_promise

RACE: dict[str, Any] = {"seeds": (0, 1, 2), "tol": 1e-6}
MAX_PASSES, MIN_PASSES, MAX_NONZEROS = 2000, 40, 1e8  # of each run of a race
DRAWN_SEED = 20261129
SEEDS = (201, 202, 203, 204, 205)
LONGER = 5  # times the passes of the race, for runs without a cause
MAX_RERUN_NONZEROS = 3e8  # of each run without a cause
MAX_DENSE = 600
NUMBER_FACTOR, CAUSE_FACTOR, EVEN_FACTOR = 1.5, 2.0, 1.5
WITHOUT = {
    "spdc": "sdca", "apcg": "sdca", "asdca": "sdca", "accprox_sdca": "sdca",
    "acc_rcd": "rcd", "agd": "gd", "fista": "gd",
}  # fmt: skip


class Case(NamedTuple):
    """Data (a set or a generator) and their scaling, loss, l2 times n, entries, l1 as a share of its largest."""

    data: str
    loss: str
    l2n: float
    entries: Sequence[Any]
    l1: float = 0.0

    def __str__(self) -> str:
        l1 = f" l1 {self.l1:g} of its largest" if self.l1 else ""
        return f"{self.data} {self.loss} {self.l2n:g}/n{l1} {' / '.join(map(_label, self.entries))}"

    def problem(self) -> cdlab.Problem:
        """Labels of a regression are standardised."""
        name, scale = self.data.split()
        X, y = cdlab.datasets.load(name)
        X = X if scale == "none" else cdlab.datasets.scaled(X, scale)
        if self.loss in ("squared", "huber") and np.unique(y).size > 2:
            y = (y - y.mean()) / y.std()
        P = cdlab.Problem(X, y, self.loss, l2=self.l2n / X.shape[0])
        if not self.l1:
            return P
        largest = np.abs(P.X.T @ P.alpha(np.zeros(P.d))).max() / P.n
        return cdlab.Problem(X, y, self.loss, l2=P.l2, l1=self.l1 * largest)


def _label(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    name, options = entry
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"


SQUARE = "synthetic:n=150,d=150,density=0.3,skew=1.0,row_spread=0.5,seed=11 none"
TALL = "synthetic:n=400,d=60,density=1.0,condition=100,seed=12 unit"
WIDE = "synthetic:n=80,d=400,density=0.2,skew=1.0,seed=13 unit"
UNEVEN = "synthetic:n=300,d=100,density=0.2,row_spread=1.0,seed=14 none"

REFUSED = (
    Case(TALL, "hinge", 1.0, ("sdca", "spdc")),
    Case(UNEVEN, "hinge", 1.0, ("sdca", "sdca@permutation")),
    Case(SQUARE, "squared", 0.3, ("rcd", "sdca"), 0.1),
    Case(WIDE, "logistic", 0.3, ("rcd", "sdca@importance"), 0.1),
    Case(SQUARE, "logistic", 1.0, ("sdca", ("quartz", {"sampling": TauNice(8)}))),
    Case(WIDE, "squared", 1.0, ("rcd", ("rcd", {"sampling": TauNice(8)}))),
    Case(TALL, "logistic", 0.1, ("sdca", "spdc")),
    Case(UNEVEN, "squared", 1.0, ("rcd", ("spdc", {"batch_size": 8}))),
    Case(TALL, "squared_hinge", 0.1, ("sdca", ("asdca", {"batch_size": 8}))),
    Case(SQUARE, "logistic", 1.0, ("svrg", "sdca")),
    Case(TALL, "squared", 0.3, ("svrg", "saga")),
    Case(UNEVEN, "logistic", 1.0, ("rcd", "saga")),
    Case(TALL, "logistic", 0.3, ("agd", "rcd")),
    Case(WIDE, "squared", 0.1, ("rcd", "acc_rcd")),
    Case(TALL, "squared", 0.1, ("sdca", "apcg")),
    Case(SQUARE, "smooth_hinge", 0.1, ("acc_rcd", "apcg")),
    Case(TALL, "squared", 0.1, ("sdca", "appa")),
    Case(TALL, "logistic", 0.3, ("rcd", "lbfgs")),
    Case(WIDE, "squared", 0.3, ("lbfgs", "agd", "sdca")),
    Case(UNEVEN, "squared", 0.3, ("sdca", ("sdna", {"batch_size": 8}))),
)

REAL = (
    Case("mushrooms unit", "logistic", 1.0, ("rcd", "sdca")),
    Case("mushrooms none", "squared", 1.0, ("rcd", "sdca@permutation")),
    Case("mushrooms unit", "hinge", 1.0, ("sdca", "sdca@cyclic")),
    Case("a9a.t unit", "logistic", 1.0, ("rcd", "sdca")),
    Case("a9a.t unit", "squared_hinge", 10.0, ("rcd@importance", "quartz")),
    Case("w8a none", "logistic", 10.0, ("sdca", "sdca@importance")),
    Case("w8a none", "logistic", 10.0, ("rcd", "rcd@importance")),
    Case("abalone_scale mean", "squared", 1.0, ("rcd", "sdca")),
    Case("abalone_scale mean", "huber", 10.0, ("rcd@cyclic", "sdca@permutation")),
    Case("housing_scale mean", "squared", 0.1, ("rcd", "apcg")),
    Case("housing_scale mean", "squared", 1.0, ("rcd", "sdca@importance"), 0.05),
    Case("bodyfat_scale mean", "squared", 1.0, ("acc_rcd", "sdca")),
    Case("space_ga_scale mean", "squared", 1.0, ("rcd", "lbfgs")),
    Case("leu mean", "logistic", 1.0, ("rcd", "sdca")),
    Case("leu.t mean", "squared", 0.1, ("rcd@permutation", "sdca@permutation")),
    Case("leu mean", "squared", 0.3, ("sdca", "spdc")),
    Case("rcv1_vw1000 unit", "logistic", 0.1, ("rcd", "sdca")),
    Case("rcv1_vw1000 unit", "squared_hinge", 1.0, ("sdca", "svrg")),
    Case("rcv1_vw1000 unit", "logistic", 1.0, ("rcd", "sdca@permutation"), 0.2),
    Case("reuters21578.earnacq unit", "smooth_hinge", 1.0, ("rcd", "sdca@permutation")),
)


def drawn() -> Iterator[Case]:
    """Twenty races on made data."""
    rng = np.random.default_rng(DRAWN_SEED)
    draws = ("uniform", "importance", "permutation", "cyclic")
    for k in range(20):
        n, d = rng.integers(30, 300, size=2)
        density, skew, spread = rng.choice([0.05, 0.3, 1.0]), rng.choice([0.0, 1.0]), rng.choice([0.0, 0.5, 1.0])
        data = f"synthetic:n={n},d={d},density={density},skew={skew},row_spread={spread},seed={k} none"
        loss = str(rng.choice(["squared", "logistic", "smooth_hinge", "squared_hinge"]))
        pairs = (("rcd", "sdca"), ("rcd", "quartz"), ("rcd", "rcd"), ("sdca", "sdca"))
        methods = pairs[rng.choice(4, p=[0.4, 0.2, 0.2, 0.2])]
        same = methods[0] == methods[1]
        taken = rng.choice(4, size=2, replace=not same)
        entries = tuple(f"{method}@{draws[i]}" for method, i in zip(methods, taken, strict=True))
        yield Case(data, loss, float(round(10 ** rng.uniform(-1, 1), 3)), entries)


GROUPS = {"refused before": REFUSED, "real": REAL, "drawn": tuple(drawn())}


class Judged(NamedTuple):
    """What came of a number or of a cause: whether it is right, and both numbers in words."""

    what: str
    right: bool | None  # None: not tested
    words: str


class Entrant(NamedTuple):
    """An entry of a race as it ran, with the passes of its runs."""

    method: Any
    sampling: Any
    passes: list[tuple[float, float]]  # of each run: at the record before the level, and at the one that reached it

    @property
    def entry(self) -> Any:
        return self.method, {} if self.method_draws_nothing else {"sampling": self.sampling}

    @property
    def method_draws_nothing(self) -> bool:
        return self.sampling is None

    @property
    def median(self) -> float:
        return float(np.median([at for _, at in self.passes]))


def crossing(trace: Any, level: Any) -> tuple[float, float]:
    """Passes at the last record above the level and at the first below; inf where there is none."""
    below = np.flatnonzero(trace.column("relative_best_gap") <= level)
    passes = trace.column("passes")
    if not below.size:
        return float(passes[-1]), math.inf
    k = int(below[0])
    return float(passes[max(k - 1, 0)]), float(passes[k])


def limit(P: cdlab.Problem, nonzeros: float, longer: int = 1) -> float:
    """Passes of a run that visits so many nonzeros at most."""
    return min(longer * MAX_PASSES, max(MIN_PASSES, nonzeros / P.nnz))


def rerun(P: cdlab.Problem, entry: Any, level: float, start: Any = None) -> list[tuple[float, float]]:
    """Passes to the level of runs with the seeds of this file."""
    most = limit(P, MAX_RERUN_NONZEROS, LONGER)
    race = cdlab.race(P, [entry], seeds=SEEDS, tol=level, max_passes=most, start=start)
    return [crossing(trace, level) for trace in race.traces]


def median(runs: Sequence[tuple[float, float]]) -> float:
    """Passes at the level, of the run in the middle."""
    return float(np.median([at for _, at in runs]))


class Explained:
    """A race, its explanation, and what is judged of both."""

    def __init__(self, case: Case) -> None:
        self.P = P = case.problem()
        self.race: Race = cdlab.race(P, list(case.entries), **RACE, max_passes=limit(P, MAX_NONZEROS))
        self.said = cdlab.explain(self.race)
        self.level: Any = self.said.winner.level
        setup: Any = self.race.setup
        self.entrants = [
            Entrant(method, sampling, [crossing(trace, self.level) for trace in traces])
            for (method, sampling), traces in zip(setup.contestants, self.race.groups, strict=True)
        ]
        self.winner, self.loser = self.of(self.said.winner), self.of(self.said.loser)
        self.lead = math.log(self.arrival(self.loser) / self.arrival(self.winner))

    def arrival(self, entrant: Entrant) -> float:
        """Passes to the level: of longer runs with other seeds, where the race ended above it; at most their limit."""
        found = entrant.median if math.isfinite(entrant.median) else median(rerun(self.P, entrant.entry, self.level))
        return found if math.isfinite(found) else limit(self.P, MAX_RERUN_NONZEROS, LONGER)

    def of(self, figure: Any) -> Entrant:
        """The entry that a figure is about: by its method and draws, of the same ones by its value."""
        name = figure.method.split()[0]
        found = [e for e in self.entrants if e.method.name == name]
        if len(found) > 1 and figure.draws:
            found = [e for e in found if figure.draws.split()[0] in str(e.sampling.name)] or found
        if not found:
            raise LookupError(f"nobody is {figure.subject}")
        return min(found, key=lambda e: abs(e.median - figure.value))

    def entry_of(self, figure: Any) -> Any:
        """What a figure says ran, as an entry."""
        name, _, batch = figure.method.partition(" in batches of ")
        options: dict[str, Any] = {"batch_size": int(batch)} if batch else {}
        try:
            entrant = self.of(figure)
            same_draws = not figure.draws or figure.draws.split()[0] in str(entrant.sampling.name)
        except LookupError:
            entrant, same_draws = None, False
        if entrant is not None and same_draws and bool(batch) == bool(getattr(entrant.method, "batch_size", None)):
            return entrant.entry
        if figure.draws:
            options["sampling"] = figure.draws
        return name, options

    def without_lines(self, words: str) -> list[cdlab.Problem]:
        """The data without the heaviest lines, by their squared norms, with l2 and with l2 n as they were."""
        k, kind = int(words.split()[-2].replace(",", "")), words.split()[-1]
        P, X = self.P, sp.csr_array(self.P.X)
        axis = 0 if kind.startswith("col") else 1
        keep = np.sort(np.argsort(-np.asarray(X.multiply(X).sum(axis=axis)).ravel())[k:])
        if axis == 0:
            return [like(P, X[:, keep], P.y, P.l2)]
        return [like(P, X[keep], P.y[keep], l2) for l2 in (P.l2, P.l2 * P.n / keep.size)]

    def far_heavier(self, words: str) -> Judged:
        """Whether the lightest of the lines that are called far heavier has twice the squared norm of the next one."""
        k, X = int(words.split()[-2].replace(",", "")), sp.csr_array(self.P.X)
        norms = np.sort(np.asarray(X.multiply(X).sum(axis=0 if words.split()[-1].startswith("col") else 1)).ravel())
        ratio = norms[-k] / norms[-k - 1]
        return Judged("far heavier", bool(ratio >= 2), f"squared norm of the last one over the next: {ratio:.3g}")

    def with_as_many_lines(self) -> list[cdlab.Problem]:
        """Random lines of the longer side, as many as the other has; of rows with l2 and with l2 n as they were."""
        n, d, X = self.P.n, self.P.d, sp.csr_array(self.P.X)
        keep = np.sort(np.random.default_rng(7).choice(max(n, d), min(n, d), replace=False))
        if n > d:
            return [like(self.P, X[keep], self.P.y[keep], l2) for l2 in (self.P.l2, self.P.l2 * n / d)]
        return [like(self.P, X[:, keep], self.P.y, self.P.l2)]

    # Numbers

    def numbers(self) -> Iterator[Judged]:
        """All printed numbers, computed again."""
        for figure in dict.fromkeys((self.said.winner, self.said.loser, *self.said.figures)):
            try:
                words, right = getattr(self, f"_{figure.source}")(figure)
            except (ValueError, LookupError, TypeError) as error:
                words, right = f"not computed: {error}", None
            yield Judged(f"{figure.source} {figure.quantity}", right, f"[{figure}] {words}")

    def _measured(self, figure: Any) -> tuple[str, bool]:
        runs = self.of(figure).passes
        before, at = (float(np.median(x)) for x in zip(*runs, strict=True))
        if not figure.reached:
            return f"traces: more than {before:.4g}", math.isinf(at) and figure.value <= before * (1 + 1e-9)
        lowest, highest = min(x for x, _ in runs), max(x for _, x in runs)
        right = (
            before - 1e-9 <= figure.value <= at * (1 + 1e-9)
            and lowest <= figure.low * (1 + 1e-9)
            and (figure.high <= highest * (1 + 1e-9))
        )
        return f"traces: {before:.4g} to {at:.4g}", right

    def _simulated(self, figure: Any) -> tuple[str, bool]:
        problems = self.without_lines(figure.data) if figure.data else [self.P]
        runs = [rerun(P, self.entry_of(figure), self.level) for P in problems]
        right = False
        for each in runs:
            lowest, highest = min(x for x, _ in each), max(x for _, x in each)
            if not figure.reached:
                right |= highest > figure.value / NUMBER_FACTOR
            else:
                near = max(median(each) / figure.value, figure.value / median(each)) <= NUMBER_FACTOR
                right |= near or (lowest <= figure.high and figure.low <= highest)
        return f"seeds 201 to 205: {' or '.join(f'{median(each):.4g}' for each in runs)}", right

    def _bound(self, figure: Any) -> tuple[str, bool]:
        entrant = self.of(figure)
        if figure.quantity == "passes":
            promise = best_promise(self.P, entrant.method, entrant.sampling, self.level)
            found = promise.passes if promise else math.nan
        else:
            bound = cdlab.theory.bound(entrant.method, "T", entrant.sampling)
            found = bound.for_problem(self.P) / self.P.nnz
        return f"theorem: {found:.4g}", abs(found / figure.value - 1) < 0.02

    def _exact(self, figure: Any) -> tuple[str, bool]:
        name, sampling = figure.method.split()[0], figure.draws or None
        words, right = [], True
        if name in ("sdca", "rcd", "quartz"):
            ends = self.slowest(name, sampling)
            if ends is not None:
                words.append(f"eigenvalues: {ends[0]:.4g} to {ends[1]:.4g}")
                right &= ends[0] / 1.02 <= figure.high and figure.low <= ends[1] * 1.02
        rate = cdlab.theory.exact_rate(self.P, name, sampling)
        fastest, slowest = (-rate.passes_per_epoch / math.log(x) for x in rate.interval)
        words.append(f"exact_rate: {fastest:.4g} to {slowest:.4g}")
        return "; ".join(words), right and fastest / 1.02 <= figure.high and figure.low <= slowest * 1.02

    def _counted(self, figure: Any) -> tuple[str, bool]:
        entrant = self.of(figure)
        side = entrant.method.side
        nonzeros = np.diff(sp.csr_array(self.P.X).indptr if side == "dual" else sp.csc_array(self.P.X).indptr)
        p = probabilities(self.P, side, entrant.sampling)
        work = p * nonzeros
        if figure.quantity == "steps":
            # an order visits every line once a pass, those without entries at no cost
            steps = self.P.nnz / work.sum()
            return f"{steps:.5g}, or {np.count_nonzero(nonzeros)} of lines with entries", bool(
                abs(steps / figure.value - 1) < 0.02 or abs(np.count_nonzero(nonzeros) / figure.value - 1) < 0.02
            )
        k = int(figure.lines.split()[0].replace(",", ""))
        X = self.P.X if side == "dual" else self.P.X.T
        norms = np.asarray(sp.csr_array(X).multiply(sp.csr_array(X)).sum(axis=1)).ravel()
        shares = [100 * work[np.argsort(-key)[:k]].sum() / work.sum() for key in (norms, p, work)]
        return " or ".join(f"{x:.3g}%" for x in shares), any(abs(x / figure.value - 1) < 0.05 for x in shares)

    # Eigenvalues

    def optimum(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """w, alpha, and the curvature of each example there."""
        if not hasattr(self, "_optimum"):
            w = cdlab.solve(self.P, tol=1e-11, max_passes=20_000, max_seconds=20).w
            z = self.P.predict(w)
            self._optimum = w, self.P.alpha(w), per_example.curvatures(self.P.loss, z, self.P.loss_y)
        return self._optimum

    def hessian(self, side: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Of one side at the optimum, and which of its lines move; None of more than `MAX_DENSE`."""
        P = self.P
        X = sp.csr_array(P.X).toarray()
        if (P.n if side == "dual" else P.d) > MAX_DENSE or P.l1 or not P.loss.gamma:
            return None
        _, _, h = self.optimum()
        if side == "primal":
            moves = np.abs(X).sum(axis=0) > 0
            A = X[:, moves]
            return A.T @ (h[:, None] * A) / P.n + P.l2 * np.eye(A.shape[1]), moves
        moves = h > 1e-9
        A = X[moves]
        return A @ A.T / (P.l2 * P.n) + np.diag(1 / h[moves]), moves

    def steps(self, name: str, sampling: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float] | None:
        """H of the lines that move, which these are, p_i and the 1/L_i of the method there, and the passes of a draw.

        None where no dense matrix is made.
        """
        side = "primal" if name == "rcd" else "dual"
        found = self.hessian(side) if sampling in ("uniform", "importance") and name in ("rcd", "sdca") else None
        if found is None:
            return None
        H, moves = found
        drawn = cdlab.samplings.Uniform() if sampling == "uniform" else cdlab.samplings.Importance()
        p, X, step = probabilities(self.P, side, drawn), sp.csr_array(self.P.X), 1 / np.diag(H)
        if side == "primal":
            step = 1 / (self.P.beta * np.asarray(X.multiply(X).sum(axis=0)).ravel()[moves] / self.P.n + self.P.l2)
        lines = X if side == "dual" else sp.csc_array(X)
        return H, moves, p[moves], step, float(p @ np.diff(lines.indptr)) / self.P.nnz

    def slowest(self, name: str, sampling: Any) -> tuple[float, float] | None:
        """Passes per factor e, at least and at most; None where no dense matrix is made.

        A step of 1/L_i takes p_i (2/L_i - H_ii/L_i^2) g_i^2 from the energy in expectation; the mean of the error,
        whose square is at most that of the error in expectation, falls by what p_i/L_i g_i takes.
        """
        if (found := self.steps(name, sampling)) is None:
            return None
        H, _, p, step, passes = found
        least, most = (
            -passes / power / math.log1p(-_eigenvalues(H, p * taken)[0][0])
            for taken, power in ((step, 2), (2 * step - np.diag(H) * step**2, 1))
        )
        return least, most

    def loser_without_slow_directions(self) -> Any:
        """A start of the loser without the part of the error in directions slower than all of the winner."""
        of_winner, of_loser = (self.steps(e.method.name, str(e.sampling.name)) for e in (self.winner, self.loser))
        if of_winner is None or of_loser is None:
            return None
        (H, _, p, step, passes), (other, moves, q, other_step, other_passes) = of_winner, of_loser
        fastest = _eigenvalues(H, p * step)[0][0] / passes
        values, vectors = _eigenvalues(other, q * other_step)
        w, alpha, _ = self.optimum()
        is_dual = self.loser.method.side == "dual"
        at, scale = (alpha if is_dual else w).copy(), np.sqrt(q * other_step)
        error = vectors.T @ (-at[moves] / scale)
        error[values / other_passes < fastest] = 0
        at[moves] += scale * (vectors @ error)
        return (None, at) if is_dual else (at, None)

    # Causes

    def causes(self) -> Iterator[Judged]:
        """What is said to be the cause, taken away; and the cause by construction, where another was named."""
        why = self.said.why
        if why.name == "even":
            yield Judged("even", self.lead < math.log(EVEN_FACTOR), f"lead {math.exp(self.lead):.3g}")
        elif why.name == "unknown":
            yield Judged("unexplained", None, f"ln lead {self.lead:.2f}{self.also_tried()}")
        elif why.name != "start":
            named, did = self.named(), self.did()
            if not did:
                yield Judged(why.name, None, f"lead {math.exp(self.lead):.3g}; no fair race without it")
            else:
                right = any(x * named > 0 for x in did) and within(named, did)
                words = " or ".join(f"{x:+.2f}" for x in did)
                yield Judged(why.name, right, f"ln lead {self.lead:.2f}, said to lose {named:+.2f}, lost {words}")
                if named > 2 * self.lead:
                    yield Judged("more than the lead", None, f"{named / self.lead:.1f} times its logarithm")
        if (both := self.did_to_both()) is not None:
            words = f"taken from both entries, ln lead loses {both:+.2f}, said to lose {self.named():+.2f}"
            yield Judged("both have it", within(self.named(), [both]), words)
        if why.name == "heavy lines":
            yield self.far_heavier(next(f.data for f in why.sentence.figures if f.data))
        only = self.by_construction()
        if only and why.name not in (*only, "even"):
            yield Judged("by construction", False, f"the entries differ in {' or '.join(only)} alone, not {why.name}")
        yield from self.looseness()

    def also_tried(self) -> str:
        """What ln(lead) of a race without an explanation loses without l1, and with as many rows as columns."""
        words, P = "", self.P
        if P.l1:
            smooth = cdlab.Problem(P.X, P.y, P.loss, l2=P.l2)
            words += f", lost without l1 {self.lead - self.lead_of(smooth):+.2f}"
        if self.winner.method.side != self.loser.method.side and P.n != P.d:
            lost = " or ".join(f"{self.lead - self.lead_of(each):+.2f}" for each in self.with_as_many_lines())
            words += f", lost with as many rows as columns {lost}"
        return words

    def looseness(self) -> Iterator[Judged]:
        """Why a bound is loose: without it a quarter of the logarithm of bound over measured goes, or more."""
        if (why_not := self.said.why_not) is None:
            return
        figures = why_not.sentence.figures
        bound = next(f for f in figures if f.source == "bound")
        other = next((f for f in figures if f.source != "bound"), None)
        entrant = self.of(bound)
        promise = best_promise(self.P, entrant.method, entrant.sampling, self.level)
        loose = math.log(promise.passes / self.arrival(entrant)) if promise else math.nan
        named = loose if other is None else math.log(bound.value / other.value)
        gone = {"damped steps": loose - named, "slowest direction": named}.get(why_not.name, loose)
        words = f"ln of the bound over what was measured {loose:.2f}, of which {gone:.2f}"
        yield Judged(f"bounds: {why_not.name}", gone >= loose / (2 * CAUSE_FACTOR) and loose > 0, words)

    def by_construction(self) -> tuple[str, ...]:
        """The names that the one difference of the two entries may have; none where there are several."""
        (one, draws), (other, other_draws) = [(e.method, e.sampling) for e in (self.winner, self.loser)]
        batches = [
            isinstance(d, TauNice) or bool(getattr(m, "batch_size", None))
            for m, d in ((one, draws), (other, other_draws))
        ]
        if one.name == other.name:
            if batches[0] != batches[1]:
                return ("batch",)
            orders = [str(d.name) in ("permutation", "cyclic") for d in (draws, other_draws)]
            return ("order",) if all(orders) else ("order", "draws") if any(orders) else ("draws", "heavy lines")
        if {one.name, other.name} == {"sdca", "sdna"}:  # the same steps, but in blocks
            return ("batch", "second order")
        if WITHOUT.get(one.name) == other.name or WITHOUT.get(other.name) == one.name:
            return ("momentum", "batch") if any(batches) else ("momentum",)
        return ()

    def named(self) -> float:
        """What the sentence says ln(lead) loses: by its two numbers of passes, or else half of it at least."""
        figures = [f for f in self.said.why.sentence.figures if f.quantity == "passes"]
        if len(figures) < 2:
            return self.lead / 2
        there, without = figures[:2]
        return abs(math.log(without.value / there.value)) * (
            1 if (self.of(there) is self.winner) == (without.value > there.value) else -1
        )

    def did(self) -> list[float]:
        """What ln(lead) loses by races without the cause; none where there is no fair one."""
        name, figures = self.said.why.name, self.said.why.sentence.figures
        passes = [f for f in figures if f.quantity == "passes"]
        if name == "heavy lines":
            words = next(f.data for f in figures if f.data)
            return [self.lead - self.lead_of(P) for P in self.without_lines(words)]
        if name == "steps":
            return [self.lead - self.lead_of(P) for P in self.with_as_many_lines()]
        if name == "slowest direction":
            start = self.loser_without_slow_directions()
            return [] if start is None else [self.lead - self.lead_of(self.P, start)]
        changed = self.of(passes[0])
        replaced: list[Any]
        method, options = changed.method.name, {"sampling": changed.sampling}
        if name in ("draws", "order"):
            replaced = [(changed.method, {"sampling": "uniform"})]
        elif name in ("exact steps", "damped steps"):
            replaced = [("quartz" if method != "quartz" else "sdca", options)]
        elif name == "momentum":
            replaced = [WITHOUT[method]]
        elif name == "easier problems":
            replaced = ["sdca"]
        elif name == "second order":
            replaced = ["fista", "gd"] if method in ("lbfgs", "newton_cd") else ["sdca" if method == "sdna" else "rcd"]
        elif name == "batch":
            replaced = [(method, {"sampling": "uniform"})]
        elif name == "noise":
            replaced = ["gd"]
        else:
            return []
        return [self.lost_by(changed, entry) for entry in replaced]

    def lost_by(self, changed: Entrant, entry: Any) -> float:
        """What ln(lead) loses where another entry runs for one; a run that does not arrive counts as its limit."""
        now = median(rerun(self.P, entry, self.level))
        now = now if math.isfinite(now) else limit(self.P, MAX_RERUN_NONZEROS, LONGER)
        return math.log(now / self.arrival(changed)) * (1 if changed is self.winner else -1)

    def did_to_both(self) -> float | None:
        """What ln(lead) loses where the cause is taken from both entries; None where only one has it."""
        name = self.said.why.name
        passes = [f for f in self.said.why.sentence.figures if f.quantity == "passes"]
        if name not in ("draws", "order", "momentum", "exact steps") or not passes:
            return None
        changed = self.of(passes[0])
        other = self.loser if changed is self.winner else self.winner
        method = other.method
        entry: Any = None
        if name in ("draws", "order") and other.sampling is not None and other.sampling.name == changed.sampling.name:
            entry = method, {"sampling": "uniform"}
        elif name == "momentum":
            entry = WITHOUT.get(method.name)
        elif name == "exact steps" and method.name == "sdna":
            entry = "quartz", {"sampling": TauNice(method.batch_size)}
        elif name == "exact steps" and method.name == "sdca":
            entry = "quartz", {"sampling": other.sampling}
        if entry is None or not any(f.reached for f in passes[1:]):
            return None
        return self.did()[0] + self.lost_by(other, entry)

    def lead_of(self, P: cdlab.Problem, start: Any = None) -> float:
        """ln(lead) on other data, or from another start of the loser; runs that did not arrive count as their limit."""
        found = []
        for e, at in ((self.loser, start), (self.winner, None)):
            passes = median(rerun(P, e.entry, self.level, at))
            found.append(passes if math.isfinite(passes) else limit(P, MAX_RERUN_NONZEROS, LONGER))
        return math.log(max(found[0], 1e-3) / max(found[1], 1e-3))


def like(P: cdlab.Problem, X: Any, y: np.ndarray, l2: float) -> cdlab.Problem:
    """The problem on other data."""
    return cdlab.Problem(X if sp.issparse(P.X) else X.toarray(), y, P.loss, l2=l2, l1=P.l1)


def _eigenvalues(H: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = np.sqrt(weights)
    values, vectors = np.linalg.eigh(scale[:, None] * H * scale)
    return values, vectors


def probabilities(P: cdlab.Problem, side: str, sampling: Any) -> np.ndarray:
    """Of the coordinates of a side, by the sampling; uniform in an order."""
    N = P.n if side == "dual" else P.d
    if str(sampling.name) in ("importance", "norms", "lipschitz"):
        return np.asarray(sampling.probabilities(P.coordinates(side)))
    return np.full(N, 1 / N)


def within(named: float, did: Sequence[float]) -> bool:
    """Whether what was said is within a factor 2 of a number between what was found."""
    low, high = min(did), max(did)
    return low / CAUSE_FACTOR <= named <= high * CAUSE_FACTOR if low > 0 else 0 < named <= high * CAUSE_FACTOR


def main(pattern: str = "") -> None:
    """Print a line for each race and what is wrong with it, and a summary."""
    warnings.simplefilter("ignore")
    begun, numbers, causes = time.perf_counter(), Counter[tuple[str, bool | None]](), Counter[tuple[str, bool | None]]()
    for group, cases in GROUPS.items():
        for case in cases:
            if pattern not in str(case):
                continue
            clock = time.perf_counter()
            try:
                explained = Explained(case)
            except ValueError as error:
                print(f"{case}: {error}", flush=True)
                causes["refused", None] += 1
                continue
            judged = [(numbers, each) for each in explained.numbers()] + [(causes, each) for each in explained.causes()]
            for counter, each in judged:
                counter[each.what, each.right] += 1
            of_numbers = [each.right for counter, each in judged if counter is numbers]
            words = "; ".join(
                f"{each.what} {'ok' if each.right else 'not tested' if each.right is None else 'WRONG'} ({each.words})"
                for counter, each in judged
                if counter is causes
            )
            seconds = time.perf_counter() - clock
            print(
                f"{group}: {case}: {sum(map(bool, of_numbers))} of {len(of_numbers)} numbers; {words}; {seconds:.0f} s"
            )
            for each in (each for counter, each in judged if counter is numbers and not each.right):
                print(f"    {'WRONG' if each.right is False else 'not tested'}: {each.what}: {each.words}")
            if any(each.right is False for _, each in judged):
                print(*(f"    {line}" for line in str(explained.said).splitlines()), sep="\n")
            sys.stdout.flush()
    for title, counter in (("numbers", numbers), ("causes", causes)):
        print(f"== {title}")
        for what in sorted({what for what, _ in counter}):
            right, wrong, untested = (counter[what, x] for x in (True, False, None))
            print(f"{what}: {right} right, {wrong} wrong, {untested} not tested")
    print(f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
