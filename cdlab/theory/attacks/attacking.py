"""attack: the search, with its limits, its file and its result."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ...numerics import checks, files
from ...problems.problem import Problem
from ..bound import Bound
from .climbing import Point, Search
from .instances import Instance, KappaRange
from .rates import statement_of
from .statements import Statement

MAX_ROWS = MAX_COLUMNS = 8
LEAST_KAPPA, MOST_KAPPA = 1e-3, 1e3  # Range of kappa/n.
ROUNDING = 1e-6  # A ratio above 1 by more than this refutes a statement.
TIGHT = 0.99  # Ratio from which on nothing is left to gain.
SECONDS_BETWEEN_SAVES = 5.0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Attack:
    """The most that a search found against a statement; ``print`` says it in a sentence.

    Attributes
    ----------
    statement : Statement
        What was attacked.
    ratio : float
        The largest ratio of exact to promised: near 1 the statement is tight, above 1 it is false; inf where errors do
        not fall at all.
    X : (n, d) array
        The rows of the record instance, the largest of norm 1.
    kappa : float
        Its R^2/(l2 gamma), which is 1/l2.
    state : mapping of str to array
        Its state, in a statement that has one.
    evaluations, restarts : int
        Instances tried, and climbs that ended, over all sessions of the search.
    seed : int
    interrupted : bool
        Whether Ctrl-C ended this session.
    """

    statement: Statement
    ratio: float
    X: np.ndarray
    kappa: float
    state: Mapping[str, np.ndarray]
    evaluations: int
    restarts: int
    seed: int
    interrupted: bool

    @property
    def refuted(self) -> bool:
        """Tell whether the record instance contradicts the statement, beyond rounding."""
        return self.ratio > 1 + ROUNDING

    @property
    def problem(self) -> Problem:
        """The record instance."""
        return Instance(self.X, self.kappa, self.state).problem(self.statement.loss)

    @property
    def l2(self) -> float:
        """The l2 of the record instance."""
        return 1 / self.kappa

    @property
    def verdict(self) -> str:
        """Sentence that tells what the record shows."""
        if self.refuted:
            return "this instance refutes it"
        if self.ratio >= TIGHT:
            return "it stands, and is tight"
        if self.ratio <= 0:
            return "it says nothing about any of them"
        return f"it stands, within a factor {1 / self.ratio:.4g} of this instance"

    def __str__(self) -> str:
        n, d = self.X.shape
        tried = f"{self.evaluations:,} instances of {n} x {d} and {self.restarts} restarts"
        stopped = " when it was interrupted" if self.interrupted else ""
        return f"{self.statement.name}: the largest ratio of {tried}{stopped} is {self.ratio:.6g}; {self.verdict}."

    def __repr__(self) -> str:
        return f"<Attack on {self.statement.name}: {self.ratio:.6g}>"


def attack(
    statement: Bound | Statement,
    n: int,
    d: int,
    *,
    kappa: Any = None,
    evaluations: int = 1000,
    seconds: float | None = None,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
) -> Attack:
    """Search small data for the instance on which a bound is tightest, or false.

    Parameters
    ----------
    statement : Bound or Statement
        A theorem with a rate K about a method with an exact rate ("sdca", "rcd", "quartz", "saga", "svrg", "spdc",
        "apcg", "asdca", "acc_rcd"), the lemma "one step" of "asdca" or "spdc", a `conjecture`, or one of your own.
    n, d : int
        Rows and columns of the data, at most 8 each.
    kappa : float or (float, float), optional
        R^2/(l2 gamma) of all instances, or between which it is: n/1000 and 1000 n by default. Most bounds are tight in
        a trivial way where it is small.
    evaluations : int, default 1000
        Instances to try, those of earlier sessions counted.
    seconds : float, optional
        After which to stop, if evaluations have not run out.
    seed : int, default 0
        The same seed finds the same.
    path : str or path, optional
        A JSON file that keeps the record and the state of the search. Where it exists the search goes on from there,
        as if it had never stopped; Ctrl-C loses nothing.

    Returns
    -------
    Attack
        The best instance so far, after Ctrl-C, too, if an instance was tried.

    Raises
    ------
    ValueError, TypeError
        For a statement that cannot be attacked, data that are too large, or the file of another search.

    Examples
    --------
    >>> from cdlab import theory
    >>> found = theory.attack(theory.bound("saga"), n=3, d=2, evaluations=50)
    >>> found.refuted, found.problem.X.shape
    (False, (3, 2))
    """
    if isinstance(statement, Bound):
        statement = statement_of(statement)
    if not isinstance(statement, Statement):
        raise TypeError(
            "an attack is on a bound, such as cdlab.theory.bound('saga'), or on a statement, such as "
            f"cdlab.theory.conjecture('J1'), not on {checks.short_repr(statement)}"
        )
    n, d = _size("n", n, MAX_ROWS), _size("d", d, MAX_COLUMNS)
    if n < statement.least_rows:
        raise ValueError(f"{statement.name} is about at least {statement.least_rows} rows, and n = {n}")
    checks.integer("evaluations", evaluations, "a whole number >= 1")
    checks.integer("seed", seed, "a whole number >= 0", low=0)
    stop = math.inf if seconds is None else time.monotonic() + checks.number("seconds", seconds, "a number > 0 or None")
    file = None if path is None else Path(path)
    if file is not None and not file.parent.is_dir():
        raise ValueError(f"the attack cannot be kept in {file}: it must be a file in a folder that exists")
    search = Search(n, d, _limits(kappa, n), int(seed))
    if file is not None and file.exists():
        search = _read(file, statement, search)
    search, interrupted = _searched(search, statement, evaluations, stop, file)
    record = search.record
    if record is None:
        raise ValueError("no instance was tried within the seconds given: give more")
    return Attack(
        statement=statement,
        ratio=record.ratio,
        X=record.instance.X,
        kappa=record.instance.kappa,
        state=record.instance.state,
        evaluations=search.evaluations,
        restarts=search.restarts,
        seed=search.seed,
        interrupted=interrupted,
    )


def _searched(
    search: Search, statement: Statement, evaluations: int, stop: float, file: Path | None
) -> tuple[Search, bool]:
    """The search after that many evaluations, or at the time `stop`, and whether Ctrl-C ended it before."""
    saved, shapes = time.monotonic(), statement.shapes(search.n, search.d)
    with threadpool_limits(1):  # threads of BLAS cost more than they gain on a few rows
        try:
            while search.evaluations < evaluations and time.monotonic() < stop and not _unbounded(search.record):
                search = search.after_one(statement.at, shapes)
                if file is not None and time.monotonic() > saved + SECONDS_BETWEEN_SAVES:
                    _write(file, statement, search)
                    saved = time.monotonic()
        except KeyboardInterrupt:
            if search.record is None:
                raise
            return search, True
        finally:
            if file is not None and search.record is not None:
                _write(file, statement, search)
    return search, False


def _unbounded(record: Point | None) -> bool:
    return record is not None and math.isinf(record.ratio)


def _size(name: str, value: Any, most: int) -> int:
    if checks.is_integer(value) and 1 <= int(value) <= most:
        return int(value)
    raise ValueError(f"{name} must be a whole number from 1 to {most}, not {checks.short_repr(value)}")


def _limits(kappa: Any, n: int) -> KappaRange:
    if kappa is None:
        return KappaRange(LEAST_KAPPA * n, MOST_KAPPA * n)
    ends = kappa if isinstance(kappa, tuple | list) else (kappa, kappa)
    if len(ends) == 2 and all(map(checks.is_number, ends)):
        low, high = map(float, ends)
        if LEAST_KAPPA * n <= low <= high <= MOST_KAPPA * n:
            return KappaRange(low, high)
    raise ValueError(
        f"kappa must be a number from n/1000 to 1000 n, or a pair of such, the smaller one first, not "
        f"{checks.short_repr(kappa)}"
    )


def _write(file: Path, statement: Statement, search: Search) -> None:
    text = json.dumps({"statement": statement.name, **search.to_json()}, indent=1, allow_nan=False)
    with files.atomic_write(file) as out:
        out.write(text.encode())


def _read(file: Path, statement: Statement, asked: Search) -> Search:
    """The search that a file keeps.

    Raises
    ------
    ValueError
        If it keeps none, or another one.
    """
    found: Any = None
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        data = json.loads(file.read_text(encoding="utf-8"))
        found = data["statement"], Search.from_json(data)
    if found is None:
        raise ValueError(f"{file} keeps no attack: give a path that does not exist, or one that an attack wrote")
    name, search = found
    if (name, search.n, search.d, search.limits, search.seed) != (
        statement.name,
        asked.n,
        asked.d,
        asked.limits,
        asked.seed,
    ):
        raise ValueError(
            f"{file} keeps another attack, on {name} with n = {search.n}, d = {search.d}, seed = {search.seed} and "
            f"kappa from {search.limits.low:g} to {search.limits.high:g}: give another path"
        )
    return search
