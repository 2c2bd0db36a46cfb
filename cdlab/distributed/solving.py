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
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .. import losses, regularizers
from .._version import __version__
from ..datasets import Scan
from ..datasets.parts import check_n_features
from ..datasets.scaling import check_scale
from ..losses import Loss, is_vector
from ..methods.lbfgs import LBFGS, minimise, scales
from ..numerics import checks
from ..numerics.profiles import Profile
from ..problems.labels import make_label_map
from ..problems.rounding import EPS, gap_between, is_within_rounding, norm, rounding_of_sums, rounding_of_terms
from ..regularizers import Regularizer, regularizer, soft_threshold
from ..runs.interrupts import DeferInterrupt
from ..runs.limits import SOLVED, Status
from ..runs.measuring import REFRESH_EPOCHS
from ..runs.solution import Solution
from ..runs.trace import Record, Trace, share_of_gap
from . import checkpoints
from .part import Facts, Reading, Summary, joined_summaries
from .shards import shards_of
from .teams import PartsLost, Team, make_team

METHODS = ("cocoa", "lbfgs")
_Limits = namedtuple("_Limits", "tol rounds seconds progress stop")
MAX_NEWTON_STEPS = 30  # towards theta: with l1 the slope of L has kinks


# ------------------------------------------------------------ before a problem is solved
def scan(
    data: Any, *, scale: str = "none", n_features: int | None = None, engine: Any = "alone", parts: int | None = None
) -> Scan:
    """Read shards once, one in memory at a time, and keep what ``cdlab.faceoff`` needs to know of all of them.

    Sums are those of `math.fsum` over all entries, or of C_D over all rows, however the data are divided.

    Parameters
    ----------
    data, scale, n_features, engine, parts
        As of `solve`.

    Returns
    -------
    Scan

    Raises
    ------
    ValueError, OSError
        If a shard is empty, damaged, or does not fit to the others; the sentence names it.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> found = scan([(np.eye(2), [1, -1]), (2 * np.eye(2), [1, 1])])
    >>> found.n, found.F, found.columns.norms2.tolist()
    (4, 10.0, [5.0, 5.0])
    """
    with make_team(engine, shards_of(data), parts) as team:
        found, _ = _summary(team, scale, n_features)
    columns = Profile(found.squares.values(), found.counts)
    C_D, labels = found.C_D.total(), None if found.labels is None else tuple(sorted(found.labels))
    sums = found.squares.total(), C_D, found.largest, columns
    return Scan(found.n, found.d, found.nnz, found.n_nonempty, *sums, labels, True)


def l1_max(
    data: Any,
    *,
    loss: str | Loss = "logistic",
    scale: str = "none",
    n_features: int | None = None,
    engine: Any = "alone",
    parts: int | None = None,
) -> float:
    """The least l1 for which w = 0 is optimal, whatever l2: max_j |sum_i X_ij phi'(0; y_i)|/n, exactly summed.

    Parameters
    ----------
    data, loss, scale, n_features, engine, parts
        As of `solve`.

    Returns
    -------
    float

    Raises
    ------
    ValueError, OSError
        As of `scan`; if labels do not fit the loss.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> l1_max([(np.eye(2), [3.0, 0.0]), (np.eye(2), [1.0, 0.0])], loss="squared")
    1.0
    """
    chosen = losses.resolve(loss)
    if is_vector(chosen):
        raise ValueError(f"l1_max is for losses of one prediction, and {chosen.name} has several")
    with make_team(engine, shards_of(data), parts) as team:
        found, reading = _summary(team, scale, n_features)
        facts = Facts(found.n, reading, chosen, 1.0, 0.0, _label_map(found, chosen))
        sums, *others = team.each("slopes", facts)
    for each in others:
        sums.join(each)
    return float(np.abs(sums.values()).max()) / found.n


def _summary(team: Team, scale: str, n_features: int | None) -> tuple[Summary, Reading]:
    """The summary of all shards, scaled, and how they are to be read."""
    check_scale(scale)
    reading = Reading(check_n_features(n_features), "none" if scale == "mean" else scale)
    found = joined_summaries(team.each("scan", reading))
    mean = found.norms.total() / found.n
    if scale == "mean" and mean > 0:
        reading = replace(reading, scale=scale, mean=mean)
        found = joined_summaries(team.each("scan", reading))
    return found, replace(reading, d=found.d)


def _label_map(found: Summary, loss: Loss) -> Any:
    """The map of all labels, see `labels.make_label_map`; a refusal names the shard in which a third class came."""
    if not loss.classification and not found.has_words:
        return None
    distinct = found.labels
    if distinct is None:
        raise ValueError(f"there are more than 1000 distinct labels, and the {loss.name} loss is one of classes")
    try:
        return make_label_map(np.array(sorted(distinct)), loss)
    except ValueError as error:
        shards = list(dict.fromkeys(distinct.values()))
        if len(shards) == 1:
            raise
        late = next(label for label, shard in distinct.items() if shard == shards[-1])
        raise ValueError(f"{shards[-1]} has the label {late!r}, which no shard before it has: {error}") from None


# ------------------------------------------------------------ solving
def solve(
    data: Any,
    *,
    loss: str | Loss = "logistic",
    l2: float | str,
    l1: float | str = 0.0,
    method: str = "cocoa",
    engine: Any = "alone",
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
    progress: Callable[[Record], Any] | None = None,
    stop: Callable[[Record], bool] | None = None,
) -> Solution:
    """Minimise P(w) over data in parts, until the duality gap is small or a limit is reached.

    Parameters
    ----------
    data : folder, pattern, file, or list of pairs (X, y)
        The shards, in the order of their names: NPZ files as ``cdlab.datasets.load`` takes them, or Parquet, whose row
        groups are shards and whose label is the column y, label, target or class. All have the same columns.
    loss, l2, l1
        As of a `Problem`, with l2 > 0; weights may be texts such as "1/n".
    method : "cocoa" or "lbfgs"
        CoCoA+ with a global step, for losses of one prediction, or L-BFGS, for smooth ones.
    engine : "alone", "mpi", "dask", address or Client
        Who holds the parts: this process; each process that mpirun has started with this call one part; or each worker
        of Dask one: of this machine, of the scheduler at this address (tcp://...), or of a ``distributed.Client``. A
        worker that dies is survived: its part is made anew elsewhere, and the trace's ``meta["lost"]`` tells.
    parts : int, default 1
        Into how many parts "alone" divides the shards.
    local_epochs : int, default 1
        Of a round of cocoa.
    global_step : bool, default True
        Whether cocoa takes its step towards -phi'(X w) in each round; one part gains nothing by it, and has none.
    in_memory : bool, default True
        Whether parts keep their shards in memory, as one. Else each is read anew whenever it is needed, and an epoch
        takes the shards one after another.
    scale, n_features
        As of ``cdlab.datasets.load``, of all shards.
    tol : float, default 1e-6
        On the relative gap, as of ``cdlab.solve``; 0: run to a limit.
    max_rounds : int, default 200
        Rounds of cocoa, or iterations of lbfgs.
    max_seconds : float, optional
        From the start of the first round.
    seed : int, default 0
        The same seed gives the same run with the same parts.
    checkpoint : path, optional
        A folder in which cocoa keeps where it is after each round. Where it has this run already, with the same parts
        and other limits perhaps, the run goes on from there as if it had never ended, to the same bits.
    progress : callable, optional
        Called with each Record, by one process.
    stop : callable, optional
        The same; the run ends where it returns True.

    Returns
    -------
    Solution
        Its alpha is None: the parts hold it.

    Raises
    ------
    ValueError, TypeError, OSError
        If a shard is empty, damaged, or does not fit to the others, in a sentence that names it; if loss, weights and
        method do not fit.

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
    limits = _Limits(
        checks.number("tol", tol, "a number >= 0", ends="[)"),
        checks.integer("max_rounds", max_rounds, "a whole number of rounds >= 1"),
        None if max_seconds is None else checks.number("max_seconds", max_seconds, "a number >= 0 or None", ends="[)"),
        progress,
        stop,
    )
    for name, given in (("progress", progress), ("stop", stop)):
        checks.callable_or_none(name, given, "a Record")
    seed = checks.integer("seed", seed, "a whole number >= 0", low=0)
    epochs = checks.integer("local_epochs", local_epochs, "a whole number of epochs >= 1")
    if method == "cocoa" and is_vector(chosen):
        raise ValueError(f"cocoa is for losses of one prediction, and {chosen.name} has several: use method='lbfgs'")
    if method == "lbfgs" and not chosen.gamma > 0:
        raise ValueError(f"lbfgs needs a smooth loss, and {chosen.name} has kinks: use method='cocoa'")
    if checkpoint is not None and method != "cocoa":
        raise ValueError("checkpoint is for method='cocoa': scipy keeps the memory of lbfgs to itself")
    with make_team(engine, shards_of(data), parts) as team:
        found, reading = _summary(team, scale, n_features)
        weights = {
            name: regularizers.checked_weight(name, regularizers.parse_weight(x)(found.n) if isinstance(x, str) else x)
            for name, x in (("l2", l2), ("l1", l1))
        }
        facts = Facts(
            found.n, reading, chosen, label_map=_label_map(found, chosen), seed=seed,
            local_epochs=epochs, in_memory=checks.flag("in_memory", in_memory), **weights,
        )  # fmt: skip
        if not facts.l2 > 0:
            raise ValueError("l2 must be above 0: without it the parts have no certificate in common")
        course, steps = _Course(team, facts, found, limits), global_step and team.size > 1
        folder = None if checkpoint is None else Path(checkpoint)
        if folder is not None:
            course.restore(folder, steps)
        with team.in_step(), DeferInterrupt() as course.interrupts, np.errstate(over="ignore", invalid="ignore"):
            if method == "cocoa":
                _cocoa(course, steps, folder)
            else:
                _lbfgs(course)
        return course.solution(method)


class _Course:
    """What has been measured, whether it goes on, and the best point so far."""

    def __init__(self, team: Team, facts: Facts, found: Summary, limits: _Limits) -> None:
        self.team, self.facts, self.found, self.limits = team, facts, found, limits
        self.reg: Regularizer = regularizer(facts.l2, facts.l1)
        self.v, numbers = team.sum("begin", facts)
        self.v = self.v / facts.n
        n, self.nnz, at_zero, conjugates, self.squares = numbers.tolist()
        assert n == facts.n, "the shards have changed since the scan"
        self.at_zero, self.dual_at_zero = at_zero / n, -conjugates / n
        self.records: list[Record] = []
        self.lost: list[list[int]] = []  # rounds, and the parts that were lost in them
        self.status: Status | None = None
        self.best: tuple[Record, np.ndarray] | None = None  # of the smallest gap, with its w
        self.interrupts: Any = None
        self.iterations, self.passes, self.began = 0.0, 0.0, time.perf_counter()
        team.bytes = team.computing = 0.0

    def record(self, w: np.ndarray, primal: float, dual: float, weighted: float) -> Record:
        """A measurement of w and of a dual point, with what they may be off, given sum |alpha_i| ||x_i||."""
        facts = self.facts
        of_sums = (1 + (self.team.size - 1) / 4) * rounding_of_sums(self.at_zero, primal, dual)  # those of parts, too
        rounding = of_sums + self._of_primal(w, primal)
        dv = (rounding_of_terms(facts.n) + EPS * self.team.size) * weighted / facts.n
        if not dual >= self.dual_at_zero:  # then D(0) is the better bound
            dual = self.dual_at_zero
        else:
            rounding += dv * (norm(w) + dv / (2 * facts.l2))
        gap = gap_between(primal, dual, rounding)
        seconds, computing = time.perf_counter() - self.began, self.team.computing
        return Record(
            int(self.iterations), self.passes, seconds, primal, dual, gap, math.nan, rounding=rounding,
            rounds=len(self.records), bytes=self.team.bytes, computing=computing, waiting=max(0.0, seconds - computing),
        )  # fmt: skip

    def _of_primal(self, w: np.ndarray, primal: float) -> float:
        """Bound of what P(w) is off because z = X w is rounded, as `Problem.rounding_of_primal` has it."""
        loss, reach = self.facts.loss, rounding_of_terms(w.shape[0]) * norm(w) * math.sqrt(self.squares / self.facts.n)
        if reach == 0:
            return 0.0
        slope = loss.lipschitz
        if loss.gamma > 0 and primal < math.inf:
            excess = max(0.0, primal - self.dual_at_zero)
            slope = min(slope, math.sqrt(2 * excess / loss.gamma) + reach / loss.gamma)
        return reach * slope

    def solved(self, record: Record) -> Status | None:
        """The status of a record at the tolerance, or as low as rounding lets it be."""
        tol = self.limits.tol
        if tol > 0 and share_of_gap(record.gap, record.dual, self.at_zero) <= tol:
            return Status.TOLERANCE
        return Status.ROUNDING_LIMIT if tol > 0 and is_within_rounding(record.gap, record.rounding) else None

    def goes_on(self, record: Record, w: np.ndarray) -> bool:
        """Keep a record of w, and tell whether another round follows."""
        self.records.append(record)
        if self.best is None or not self.best[0].gap <= record.gap:
            self.best = record, w
        limits, call, status = self.limits, self.interrupts.call_interruptible, self.solved(record)
        if self.team.leads and limits.progress is not None:
            call(limits.progress, record)
        self.interrupts.deliver_pending()
        if not math.isfinite(record.primal):
            status = Status.DIVERGED
        elif status is None and len(self.records) > limits.rounds:
            status = Status.ROUND_LIMIT
        elif status is None and limits.seconds is not None and record.seconds >= limits.seconds:
            status = Status.TIME_LIMIT
        elif status is None and self.team.leads and limits.stop is not None and call(limits.stop, record):
            status = Status.STOPPED
        self.status = self.team.agreed(status)
        return self.status is None

    def _key(self, with_step: bool) -> str:
        """Words for all that a checkpoint must agree on."""
        facts, team = self.facts, self.team
        settings = f"local_epochs={facts.local_epochs}, global_step={with_step}, in_memory={facts.in_memory}"
        return f"{self.words}, {team.size} parts, seed={facts.seed}, {settings}"

    def save(self, folder: Path, v: np.ndarray, with_step: bool) -> None:
        """Keep where the run is after a round."""
        at, team = len(self.records), self.team
        for _ in team.each("save", folder, at):
            pass
        if team.leads and self.best is not None:
            seconds, rows = time.perf_counter() - self.began, np.array(self.records, dtype=float)
            counts = [self.iterations, self.passes, seconds, team.bytes, team.computing]
            about = {"key": self._key(with_step), "counts": counts, "best": self.records.index(self.best[0])}
            checkpoints.write(folder, checkpoints.COMMON, at, about, v=v, w=self.best[1], records=rows)

    def restore(self, folder: Path, with_step: bool) -> None:
        """Go on after the newest round that all have kept, if there is one.

        Raises
        ------
        ValueError
            If they are of another run.
        """
        lead = checkpoints.rounds(folder, checkpoints.COMMON) if self.team.leads else None
        kept = self.team.agreed(lead).intersection(*self.team.each("saved", folder))
        if not kept:
            return
        about, arrays = self.team.agreed(checkpoints.read(folder, checkpoints.COMMON, max(kept)) if lead else None)
        if about["key"] != (key := self._key(with_step)):
            raise ValueError(f"{folder} holds another run ({about['key']}, not {key}): give another folder")
        for _ in self.team.each("restore", folder, max(kept)):
            pass
        self.records = [Record(int(row[0]), *row[1:]) for row in arrays["records"].tolist()]
        self.best = self.records[about["best"]], arrays["w"]
        self.iterations, self.passes, seconds, self.team.bytes, self.team.computing = about["counts"]
        self.began = time.perf_counter() - seconds
        self.v = arrays["v"]

    def recovered(self, v: np.ndarray, lost: frozenset[int]) -> np.ndarray:
        """The v of all parts, after some were lost and made anew."""
        self.lost.append([len(self.records), *sorted(lost)])
        try:
            return self.team.sum("recover", v, lost).vector / self.facts.n
        except PartsLost as more:
            return self.recovered(v, lost | more.parts)

    @cached_property
    def words(self) -> str:
        """The problem, in a line."""
        facts, found = self.facts, self.found
        size = f"{found.n} x {found.d}, nnz={found.nnz}, F={found.squares.total()!r}"
        return f"{size}, loss={facts.loss}, l2={facts.l2!r}, l1={facts.l1!r}"

    def solution(self, method: str) -> Solution:
        """The best point, with its certificate and the trace."""
        facts = self.facts
        assert self.best is not None, "a run has a record"
        assert self.status is not None, "a run ends for a reason"
        record, w = self.best if self.status not in SOLVED else (self.records[-1], self.best[1])
        trace = Trace(
            self.records,
            {
                "label": f"{method}, {self.team.size} parts", "method": method,
                "side": "dual" if method == "cocoa" else "primal",
                "sampling": "uniform" if method == "cocoa" else "none", "seed": facts.seed, "every": 1,
                "problem": self.words, "parts": self.team.size, "local_epochs": facts.local_epochs,
                "versions": {"cdlab": __version__, "numpy": np.__version__}, "P0": self.at_zero,
                "D0": self.dual_at_zero, "status": self.status.value, **({"lost": self.lost} if self.lost else {}),
            },
        )  # fmt: skip
        relative = share_of_gap(record.gap, record.dual, self.at_zero)
        return Solution(w, None, record.gap, relative, self.status, trace, facts.label_map, loss=facts.loss.name)


def _cocoa(course: _Course, with_step: bool, folder: Path | None) -> None:
    """The rounds of CoCoA+."""
    v, goes_on = course.v, True
    while goes_on:
        try:
            v, goes_on = _round(course, v, with_step)
            if goes_on and folder is not None:
                course.save(folder, v, with_step)
        except PartsLost as error:
            v = course.recovered(v, error.parts)


def _round(course: _Course, v: np.ndarray, with_step: bool) -> tuple[np.ndarray, bool]:
    """The v after a round, and whether another one follows."""
    team, facts, reg, n = course.team, course.facts, course.reg, course.facts.n
    w = reg.grad_g_conj(v)
    total, numbers = team.sum("measure", v, with_step)
    phi, conjugates, weighted, new_conjugates, S = numbers.tolist()
    primal, theta, dual = phi / n + reg.g(w), 0.0, -conjugates / n - reg.g_conj(v)
    if with_step:
        course.passes += 1
        change, gain = total / n - v, (conjugates - new_conjugates) / n
        theta, lower = best_step(facts.l2, facts.l1, v, change, gain, facts.loss.gamma * S / n)
        dual, v = lower - conjugates / n, v + theta * change
        weighted += theta * math.sqrt(S * course.squares)
    record = course.record(w, primal, dual, weighted)
    if course.solved(record) is not None:  # only products computed afresh can show that
        (v, dual, weighted), theta = _afresh(course, theta), 0.0
        record = course.record(w, primal, dual, weighted)
    if not course.goes_on(record, w):
        return v, False
    v, numbers = team.sum("descend", v, theta)
    course.iterations += numbers.item()
    course.passes += facts.local_epochs
    if len(course.records) * facts.local_epochs % REFRESH_EPOCHS < facts.local_epochs:
        v = _afresh(course, 0.0)[0]
    return v, True


def _afresh(course: _Course, theta: float) -> tuple[np.ndarray, float, float]:
    """v, D(alpha) and sum |alpha_i| ||x_i|| from alpha itself, after the step to the target."""
    total, numbers = course.team.sum("certify", theta)
    conjugates, weighted = numbers.tolist()
    v = total / course.facts.n
    return v, -conjugates / course.facts.n - course.reg.g_conj(v), weighted


def best_step(l2: float, l1: float, v: np.ndarray, change: np.ndarray, gain: float, bend: float) -> tuple[float, float]:
    """The theta in [0, 1] for which theta gain + theta (1 - theta) bend/2 - g*(v + theta change) is largest, with that.

    It is concave with a piecewise linear slope: Newton's method between the ends finds it, without l1 at once.
    """
    reg = regularizer(l2, l1)

    def value(theta: float) -> float:
        return theta * gain + theta * (1 - theta) * bend / 2 - reg.g_conj(v + theta * change)

    if not (math.isfinite(gain) and math.isfinite(bend)):  # alpha left the domain by rounding, or w is far out
        return 0.0, -reg.g_conj(v)
    low, high, theta = 0.0, 1.0, 0.0
    for _ in range(MAX_NEWTON_STEPS):
        shrunk = soft_threshold(v + theta * change, l1)
        slope = gain + (0.5 - theta) * bend - float(shrunk @ change) / l2
        moving = change[shrunk != 0] if l1 > 0 else change
        curvature = bend + float(moving @ moving) / l2
        low, high = (theta, high) if slope > 0 else (low, theta)
        wanted = theta + slope / curvature if curvature > 0 else high
        wanted = min(max(wanted, 0.0), 1.0)
        if not low <= wanted <= high:
            wanted = (low + high) / 2
        if abs(wanted - theta) <= EPS:
            break
        theta = wanted
    found, least = value(theta), value(0.0)
    return (theta, found) if found > least else (0.0, least)


class _Ended(Exception):
    """The end of scipy's loop."""


def _lbfgs(course: _Course) -> None:
    """The iterations of L-BFGS: a gradient certifies w and alpha_i = -phi'(x_i'w)."""
    team, facts, reg, n = course.team, course.facts, course.reg, course.facts.n
    last: list[Any] = [None, None]

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        total, numbers = team.sum("gradient", w)
        phi, conjugates, weighted = numbers.tolist()
        course.passes += 1
        primal, v = phi / n + reg.g(w), total / n
        last[:] = w.copy(), course.record(w, primal, -conjugates / n - reg.g_conj(v), weighted)
        return primal, facts.l2 * w - v

    def emit(item: tuple[np.ndarray, int]) -> None:
        w, _ = item
        if not np.array_equal(last[0], w):
            objective(w)
        course.iterations += 1
        if not course.goes_on(last[1], last[0]):
            raise _Ended

    curvatures = course.found.squares.values() / (facts.loss.gamma * n) + facts.l2
    try:
        w = np.zeros_like(course.v)
        objective(w)
        emit((w, 1))
        minimise(objective, facts.l1, 1.0, w, scales(curvatures), LBFGS().memory, emit)
    except _Ended:
        pass
