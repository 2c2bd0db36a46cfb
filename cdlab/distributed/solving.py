"""Solving over parts: the rounds of CoCoA+ and of L-BFGS, and the certificate of each.

A round of CoCoA+ in weights n_k/n, with v = X'alpha/n:

    1 measure   w = grad g*(v), z = X_k w, new_i = -phi'(z_i); the sums of X'new, phi(z_i), phi*(-alpha_i),
                phi*(-new_i) and S = sum (new_i - alpha_i)^2 over all parts
    2 step      (of several parts) alpha += theta (new - alpha), theta in [0, 1] the largest of
                L(theta) = -[(1-theta) c0 + theta c1 - gamma theta (1-theta) S/2]/n - g*(v + theta (X'new/n - v)),
                which is at most D there, because phi* is gamma-strongly convex
    3 descend   each part takes epochs of SDCA on its own examples, with the same l2 and l1, from this v in place of its
                own; then v = sum_k (n_k/n) v_k

The parts of step 3 maximise -(1/n_k) sum phi*(-alpha_i) - g*(v + X_k'delta_k/n_k). By convexity of g* the mean of these
with weights n_k/n is at most D(alpha + delta): D never falls. On one part it is SDCA itself.

Sources: step 3 Ma et al. 2015, Adding vs. averaging in distributed primal-dual optimization (sigma' = n/n_k, its
quadratic sharpened to g* itself, for any g*); step 2 is ours: where parts share large directions it saves most rounds.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from .. import losses, regularizers
from .._version import __version__
from ..losses import Loss, is_vector
from ..methods.lbfgs import LBFGS, ThreadedItems, minimise, scales
from ..numerics import checks
from ..problems import weights
from ..problems.centring import HALF_FULL, moved_constant
from ..problems.points import Points
from ..problems.rounding import EPS, gap_between, norm, rounding_of_sums, rounding_of_terms, steepest_slope
from ..regularizers import beside_intercept, regularizer
from ..runs.interrupts import DeferInterrupt
from ..runs.limits import Limits, Status, drive
from ..runs.measuring import REFRESH_EPOCHS, BestPoint, Measured
from ..runs.progress_line import check_progress, drive_with_progress
from ..runs.solution import Solution, record_of
from ..runs.trace import Record, Trace, share_of_gap
from .certificates import check_certificate, write_certificate
from .dask_collections import Collection, is_collection
from .part import Facts, Summed
from .scanning import summary
from .summaries import Summary
from .teams import PartsLost, Team, make_team

METHODS = ("cocoa", "lbfgs", "auto")
IN_PARTS = np.empty(0)  # in place of an alpha that parts hold


def solve(
    data: Any,
    y: Any = None,
    *,
    loss: str | Loss = "logistic",
    l2: float | str,
    l1: float | str = 0.0,
    sample_weight: Any = None,
    intercept: bool = False,
    method: str = "cocoa",
    engine: Any = None,
    parts: int | None = None,
    local_epochs: int = 1,
    global_step: bool = True,
    in_memory: bool = True,
    scale: str = "none",
    n_features: int | None = None,
    tol: float = 1e-6,
    max_rounds: int = 200,
    max_seconds: float | None = None,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    certificate: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[Record], Any] | None = None,
    stop: Callable[[Record], bool] | None = None,
) -> Solution:
    """Minimise P(w) over data in parts, until the duality gap is small or a limit is reached.

    Parameters
    ----------
    data : folder, pattern, file, list of (X, y) or (X, y, weights), or Dask array or frame
        The shards, in the order of their names: NPZ files as ``cdlab.datasets.load`` takes them, with ``weights`` if
        examples have some, or Parquet, whose row groups are shards and whose label is the column y, label, target or
        class. All have the same columns. Of a Dask collection they are the chunks of rows, which stay where workers
        hold them.
    y, sample_weight : Dask array or column
        The labels, and the weights of examples, of a Dask collection, in the same chunks.
    loss, l2, l1, intercept
        As of a `Problem`, with l2 > 0, which may be a text such as "1/n", and so may l1.
    method : "cocoa", "lbfgs" or "auto"
        CoCoA+ with a global step, for losses of one prediction; L-BFGS, for smooth ones, also softmax and with an
        intercept; or the first of them that fits.
    engine : "alone", "mpi", "dask", address or Client
        Who holds the parts: this process; each process that mpirun has started with this call one part; or each worker
        of Dask one: of the current client or this machine, of the scheduler at this address (tcp://...), or of a
        ``distributed.Client``. A worker that dies is survived: its part is made anew elsewhere, and the trace's
        ``meta["lost"]`` tells. By default "alone", and "dask" for Dask collections.
    parts : int, default 1
        Into how many parts "alone" divides the shards.
    local_epochs, global_step
        Of a round of cocoa: its epochs (default 1), and whether it takes its step towards -phi'(X w) (default True; one
        part gains nothing by it, and has none).
    in_memory : bool, default True
        Whether parts keep their shards in memory, as one. Else each is read anew whenever it is needed, and an epoch
        takes the shards one after another.
    scale, n_features
        As of ``cdlab.datasets.load``, of all shards.
    tol, max_seconds, seed, progress, stop
        As of ``cdlab.solve``: seconds from the start of the first round, the same run with the same parts, and what is
        called is called by one process.
    max_rounds : int, default 200
        Rounds of cocoa, or iterations of lbfgs.
    checkpoint : path, optional
        A folder in which cocoa keeps where it is after each round. Where it has this run already, with the same parts
        and other limits perhaps, the run goes on from there to the same bits.
    certificate : path, optional
        A file that proves how far w is from the optimum, of NPZ shards, beside which a file of alpha for each shard is
        written: ``cdlab check CERTIFICATE FOLDER`` checks them against the data.

    Returns
    -------
    Solution
        Its alpha is None: the parts hold it.

    Raises
    ------
    ValueError, TypeError, OSError
        If a shard is damaged or does not fit to the others, which is named; if loss, weights and method do not fit.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> X, y = cdlab.datasets.make(n=200, d=10, seed=0)
    >>> s = solve([(X[:80], y[:80]), (X[80:], y[80:])], l2="1/n", parts=2)
    >>> s.status, s.relative_gap <= 1e-6
    ('tolerance reached', True)
    """
    checks.one_of("method", method, METHODS)
    chosen = losses.resolve(loss)
    rounds = checks.integer("max_rounds", max_rounds, "a whole number of rounds >= 1")
    limits = Limits(tol, None, max_seconds, max_rounds=rounds)
    checks.callable_or_none("stop", stop, "a Record")
    check_progress(progress, "a Record")
    seed = checks.integer("seed", seed, "a whole number >= 0", low=0)
    epochs = checks.integer("local_epochs", local_epochs, "a whole number of epochs >= 1")
    intercept = checks.flag("intercept", intercept)
    if method == "auto":
        method = "lbfgs" if intercept or is_vector(chosen) else "cocoa"
    if method == "cocoa" and is_vector(chosen):
        raise ValueError(f"cocoa is for losses of one prediction, and {chosen.name} has several: use method='lbfgs'")
    if method == "cocoa" and intercept:
        other = "use method='lbfgs'" if chosen.gamma > 0 else "leave it out, or append a column of ones to the data"
        raise ValueError(f"cocoa has no free intercept, which ties all dual variables together: {other}")
    if method == "lbfgs" and not chosen.gamma > 0:
        free = ", so a free intercept has no method over parts: leave it out, and use" if intercept else ": use"
        raise ValueError(f"lbfgs needs a smooth loss, and {chosen.name} has kinks{free} method='cocoa'")
    if checkpoint is not None and method != "cocoa":
        raise ValueError("checkpoint is for method='cocoa': scipy keeps the memory of lbfgs to itself")
    if is_collection(data):
        data = Collection(data, y, sample_weight)
    elif y is not None or sample_weight is not None:
        raise TypeError("y and sample_weight are those of Dask collections; shards hold their own")
    if certificate is not None:
        check_certificate(data, chosen, intercept)
    with make_team(engine, data, parts) as team:
        found, reading = summary(team, scale, n_features)
        weights.checked(found.largest[1:2], 1)
        strengths = {
            name: regularizers.checked_weight(name, regularizers.parse_weight(x)(found.n) if isinstance(x, str) else x)
            for name, x in (("l2", l2), ("l1", l1))
        }
        means = np.where(found.counts >= HALF_FULL * found.n, found.columns / found.n, 0.0)
        facts = Facts(
            found.n, reading, chosen, label_map=found.label_map(chosen), mean_weight=found.mean_weight,
            means=means if intercept else None, seed=seed, local_epochs=epochs if method == "cocoa" else 0,
            in_memory=checks.flag("in_memory", in_memory), **strengths,
        )  # fmt: skip
        if not facts.l2 > 0:
            raise ValueError("l2 must be above 0: without it the parts have no certificate in common")
        folder = None if checkpoint is None else Path(checkpoint)
        given = team, facts, found
        run: Any = _Cocoa(*given, global_step, folder) if method == "cocoa" else _Lbfgs(*given)
        asked = None if stop is None else lambda record: team.agreed(team.leads and stop(record))
        with team.in_step():
            if progress and team.leads:
                drive_with_progress(run, limits, progress, asked)
            else:
                drive(run, limits, stop=asked)
            solution: Solution = run.solution()
            if certificate is not None:
                run.settle()
                write_certificate(certificate, team, facts, (found.n, found.d), solution.w, solution.intercept)
        return solution


class _Rounds:
    """A run over parts, which `drive` takes in place of a `Run`."""

    start = None
    name: str
    theta: float  # of the way to the target, which the dual point of the last measurement is beyond that of the parts
    side: str
    sampling = "none"

    def __init__(self, team: Team, facts: Facts, found: Summary) -> None:
        self.team, self.facts, n = team, facts, found.n
        self.free = int(facts.means is not None)
        self.reg = regularizer(facts.l2, facts.l1)
        if self.free:
            self.reg = beside_intercept(self.reg, found.d, 1 + len(facts.outputs))
        self.loss = facts.loss
        if facts.mean_weight is not None:  # its smoothness is that of the heaviest example
            self.loss, _ = losses.weighted(self.loss, np.zeros(1), found.largest[1:2] / facts.mean_weight)
        self.columns2, numbers = team.sum("begin", facts)
        self.at_zero, conjugates, mean_square = (numbers / n).tolist()
        self.dual_at_zero, self.rms = -conjugates, math.sqrt(mean_square)
        self.zeros = np.zeros((found.d + self.free, *facts.outputs))
        self.unit_of_z = rounding_of_terms(len(self.zeros)) + self.free * EPS / 2  # as of `Problem`
        self.unit_of_v = rounding_of_terms(n) + (team.size + self.free / 2) * EPS
        self.seen: Measured | None = None
        self.best, self.status, self.lost = BestPoint(), "", list[list[int]]()
        size = f"{n} x {found.d}, nnz={found.sizes[1]}, F={found.squares.total()!r}"
        self.words = f"{size}, loss={facts.loss}, l2={facts.l2!r}, l1={facts.l1!r}{', intercept' * self.free}"
        self.trace = Trace([], {
            "label": f"{self.name}, {team.size} part{'s' * (team.size > 1)}", "method": self.name, "side": self.side,
            "sampling": self.sampling, "seed": facts.seed, "every": 1, "problem": self.words, "parts": team.size,
            "local_epochs": facts.local_epochs, "versions": {"cdlab": __version__, "numpy": np.__version__},
        })  # fmt: skip
        self.iterations, self.passes, self.began = 0, 0.0, time.perf_counter()
        team.bytes = team.computing = 0.0

    def advance(self: Any, *_: Any) -> Measured:
        """Measure after a round, the first time at the start; limits are looked at between rounds."""
        with DeferInterrupt() as interrupts, np.errstate(over="ignore", invalid="ignore"):
            interrupts.deliver_pending()
            if self.seen is None:
                return self.record_step(self.measure)
            self.best.keep(self.seen)
            return self.record_step(self.go_on)

    def record_step(self: Any, step: Callable[[], Measured]) -> Measured:
        """What a step measures, as a record; where parts are lost in it, what is measured without what they had."""
        while True:
            try:
                self.seen = step()
                self.trace.records.append(self.seen.record)
                return self.seen
            except PartsLost as error:
                self.note_lost(error.parts)
                step = partial(self.recover, error.parts)

    def note_lost(self, parts: frozenset[int]) -> None:
        """Keep in which round parts were lost."""
        self.lost.append([len(self.trace.records), *sorted(parts)])

    def measured(self, w: np.ndarray, primal: float, dual: float, v: np.ndarray, weighted: float) -> Measured:
        """A measurement of w and of a dual point with this v, given P, D and sum |alpha_i| ||x_i||."""
        reach = self.unit_of_z * norm(w) * self.rms
        if self.facts.means is not None:  # b = b' - m'w is rounded
            reach += EPS * norm(w) * (1 + norm(self.facts.means))
        slope = steepest_slope(self.loss, primal - self.dual_at_zero, reach)
        of_sums = (1 + (self.team.size - 1) / 4) * rounding_of_sums(self.at_zero, primal, dual)  # those of parts, too
        rounding = of_sums + (reach * slope if reach > 0 else 0.0)
        if not dual >= self.dual_at_zero:  # then D(0) is the better bound
            dual = self.dual_at_zero
        else:
            dv = self.unit_of_v * weighted / self.facts.n
            size = norm(regularizer(self.facts.l2, self.facts.l1).grad_g_conj(v[: len(v) - self.free]))
            sums_of_0 = self.unit_of_v if self.free else EPS * sum(self.facts.outputs)
            rounding += dv * (size + dv / (2 * self.facts.l2)) + sums_of_0 * (2 * self.at_zero + abs(dual))
        seconds, computing = time.perf_counter() - self.began, self.team.computing
        record = self.team.agreed(Record(
            self.iterations, self.passes, seconds, primal, dual, gap_between(primal, dual, rounding), math.nan,
            rounding=rounding, rounds=len(self.trace.records), bytes=self.team.bytes, computing=computing,
            waiting=max(0.0, seconds - computing),
        ))  # fmt: skip
        return self.seen_as(record, w)

    def seen_as(self, record: Record, w: np.ndarray) -> Measured:
        """A measurement, as `drive` reads it."""
        relative = share_of_gap(record.gap, record.dual, self.at_zero)
        return Measured(record, relative, math.nan, Points(w, IN_PARTS), 0, False, False, 0, ())

    def settle(self) -> None:
        """Have the parts hold the dual point of the last measurement."""
        self.team.sum("certify", self.theta)

    def solution(self) -> Solution:
        """The best point, with its certificate and the trace; parts hold alpha."""
        status, facts = Status(self.status), self.facts
        record = record_of(self.trace, status)
        at = self.best.points if record is self.best.record else self.seen and self.seen.points
        assert at is not None, "a run has a record, and its point"
        w, b = at.w, cast(Any, 0.0)
        if facts.means is not None:
            columns = np.atleast_2d(w.T)
            moved = [moved_constant(c[-1], facts.means, np.ascontiguousarray(c[:-1]), 0.0, -1.0)[0] for c in columns]
            w, b = w[:-1], np.array(moved) if facts.outputs else float(moved[0])
        self.trace.note(P0=self.at_zero, D0=self.dual_at_zero, **({"lost": self.lost} if self.lost else {}))
        relative = share_of_gap(record.gap, record.dual, self.at_zero)
        known = facts.label_map, None, b, facts.loss.name
        return Solution(w, None, record.gap, relative, status, self.trace, *known)


class _Cocoa(_Rounds):
    """The rounds of CoCoA+, kept in a folder, and gone on from there."""

    name, side, sampling = "cocoa", "dual", "uniform"

    def __init__(self, team: Team, facts: Facts, found: Summary, global_step: bool, folder: Path | None) -> None:
        super().__init__(team, facts, found)
        self.v, self.theta, self.folder = self.zeros, 0.0, folder
        self.with_step = global_step and team.size > 1
        if folder is not None:
            self._restore(folder)

    def measure(self) -> Measured:
        n, facts = self.facts.n, self.facts
        w = self.reg.grad_g_conj(self.v)
        total, numbers = self.team.sum("measure", w, True, self.with_step)
        phi, conjugates, weighted, new_conjugates, new_weighted, S = numbers.tolist()
        primal, dual = phi / n + self.reg.g(w), -conjugates / n - self.reg.g_conj(self.v)
        self.theta = 0.0
        if self.with_step:
            self.passes += 1
            change, gain = total / n - self.v, (conjugates - new_conjugates) / n
            self.theta, lower = best_step(facts.l2, facts.l1, self.v, change, gain, self.loss.gamma * S / n)
            dual, self.v = lower - conjugates / n, self.v + self.theta * change
            weighted += self.theta * (new_weighted - weighted)
        return self.measured(w, primal, dual, self.v, weighted)

    def certify(self) -> Measured:
        """Replace the last record by one of products that are computed afresh."""
        self.trace.records.pop()
        return self.record_step(self._afresh)

    def _afresh(self) -> Measured:
        assert self.seen is not None, "there is a measurement"
        conjugates, weighted = self._refresh()
        dual = -conjugates / self.facts.n - self.reg.g_conj(self.v)
        found = self.measured(self.seen.points.w, self.seen.record.primal, dual, self.v, weighted)
        return found._replace(is_fresh=True)

    def _refresh(self) -> list[float]:
        """The sums of phi*(-alpha_i) and |alpha_i| ||x_i|| after the step to the target; and v from alpha itself."""
        total, numbers = self.team.sum("certify", self.theta)
        self.v, self.theta = total / self.facts.n, 0.0
        return numbers.tolist()

    def go_on(self) -> Measured:
        self.v, numbers = self.team.sum("descend", self.v, self.theta)
        self.theta, epochs = 0.0, self.facts.local_epochs
        self.iterations += int(numbers.item())
        self.passes += epochs
        if len(self.trace.records) * epochs % REFRESH_EPOCHS < epochs:
            self._refresh()
        if self.folder is not None:
            self._save(self.folder)
        return self.measure()

    def recover(self, lost: frozenset[int]) -> Measured:
        """The measurement after some parts were lost and made anew."""
        w = self.reg.grad_g_conj(self.v)
        self.v = self.team.sum("recover", w, lost).vector / self.facts.n
        return self.measure()

    def _key(self) -> str:
        """Words for all that a checkpoint must agree on."""
        facts = self.facts
        settings = f"local_epochs={facts.local_epochs}, global_step={self.with_step}, in_memory={facts.in_memory}"
        return f"{self.words}, {self.team.size} parts, seed={facts.seed}, {settings}"

    def _save(self, folder: Path) -> None:
        """Keep where the run is before it measures."""
        assert self.best.points is not None, "a run that descends has left a point"
        counts = [self.iterations, self.passes, time.perf_counter() - self.began, self.team.bytes, self.team.computing]
        arrays = {"v": self.v, "w": self.best.points.w, "records": np.array(self.trace.records, dtype=float)}
        list(self.team.each("save", folder, len(self.trace.records), {"key": self._key(), "counts": counts}, arrays))

    def _restore(self, folder: Path) -> None:
        """Go on after the newest round that all parts have kept, if there is one; refuse what is of another run."""
        kept = set.intersection(*self.team.each("saved", folder))
        if not kept:
            return
        (about, arrays), *_ = self.team.each("restore", folder, max(kept))
        if about["key"] != self._key():
            raise ValueError(f"{folder} holds another run ({about['key']}, not {self._key()}): give another folder")
        for row in arrays["records"].tolist():
            self.trace.records.append(Record(int(row[0]), *row[1:]))
            self.best.keep(self.seen_as(self.trace.records[-1], arrays["w"]))
        self.iterations, self.passes, seconds, self.team.bytes, self.team.computing = about["counts"]
        self.began, self.v = time.perf_counter() - seconds, arrays["v"]


def best_step(l2: float, l1: float, v: np.ndarray, change: np.ndarray, gain: float, bend: float) -> tuple[float, float]:
    """The theta in [0, 1] for which theta gain + theta (1 - theta) bend/2 - g*(v + theta change) is largest, with that.

    It is concave; without l1 its slope is linear, so that two of them tell.
    """
    from scipy.optimize import brentq

    reg = regularizer(l2, l1)

    def value(theta: float) -> float:
        return theta * gain + theta * (1 - theta) * bend / 2 - reg.g_conj(v + theta * change)

    def slope(theta: float) -> float:
        return gain + (0.5 - theta) * bend - float(reg.grad_g_conj(v + theta * change) @ change)

    at_0, at_1 = slope(0.0), slope(1.0)
    if not (math.isfinite(at_0) and math.isfinite(at_1)):  # alpha left the domain by rounding, or w is far out
        return 0.0, -reg.g_conj(v)
    theta = 1.0 if at_1 >= 0 else 0.0
    if at_0 > 0 > at_1:
        theta = brentq(slope, 0.0, 1.0, xtol=EPS) if l1 > 0 else at_0 / (at_0 - at_1)
    found, least = value(theta), value(0.0)
    return (theta, found) if found > least else (0.0, least)


class _Lbfgs(_Rounds):
    """The iterations of L-BFGS: a gradient certifies w and alpha_i = -phi'(x_i'w), balanced where b is free."""

    name, side = "lbfgs", "primal"

    def __init__(self, team: Team, facts: Facts, found: Summary) -> None:
        super().__init__(team, facts, found)
        self.w, self.theta = self.zeros, 0.0 if self.free else 1.0
        self._found: Summed | None = None
        if self.free and (found.labels is None or len(found.labels) > 1):
            self._start_at_best_constant()
        s = scales(self.columns2 / (self.loss.gamma * facts.n) + facts.l2)
        given = self._objective, self.reg, self.w, s, LBFGS().memory
        self._iterates = ThreadedItems(lambda emit: minimise(*given, emit))

    def _start_at_best_constant(self) -> None:
        """Start from w = 0 with the intercept that is best with it: relative gaps are measured from P there."""
        from scipy.optimize import minimize

        def objective(b: np.ndarray) -> tuple[float, np.ndarray]:
            w = self.zeros.copy()
            w[-1:] = b
            value, gradient = self._objective(w)
            return value, gradient[-1:].ravel()

        found = minimize(objective, np.zeros(self.zeros[-1:].size), jac=True, method="L-BFGS-B")
        self.at_zero, _ = objective(found.x)

    def _objective(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        while self._found is None or not np.array_equal(w, self.w):
            try:
                self.w, self._found = w.copy(), self.team.sum("gradient", w)
            except PartsLost as error:
                self.note_lost(error.parts)
            self.passes += 1
        total, n = self._found.vector, self.facts.n
        return self._found.numbers[0].item() / n + self.reg.g(w), self.reg.l2s * w - total / n

    def measure(self) -> Measured:
        primal, _ = self._objective(self.w)
        assert self._found is not None, "the objective has been evaluated there"
        total, sums, n = self._found.vector, self._found.numbers[3:5], self.facts.n
        if self.free:
            masses = self._found.numbers[6:].reshape(2, *self.facts.outputs)
            total, sums = self.team.sum("certify", 0.0, masses)
            self.passes += 0.5
        conjugates, weighted = sums.tolist()
        dual = -conjugates / n - self.reg.g_conj(total / n)
        return self.measured(self.w, primal, dual, total / n, weighted)._replace(is_fresh=True)

    def go_on(self) -> Measured:
        ((w, _),) = self._iterates.take(1)
        self.iterations += 1
        self._objective(w)
        return self.measure()

    def recover(self, lost: frozenset[int]) -> Measured:
        self._found = None
        return self.measure()
