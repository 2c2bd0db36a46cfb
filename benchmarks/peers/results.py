"""What was measured, in a store: P* of each cell, and a result for each cell and peer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..numerics.json_numbers import parse_json
from ..sweeps.keys import key_of
from ..sweeps.result_store import ResultStore
from ..sweeps.session import Session
from .cells import Cell
from .optimum import Optimum

SETTINGS, OPTIMUM, MEASUREMENT = "settings", "optimum", "measurement"  # kinds of results


@dataclass(frozen=True)
class Settings:
    """What must be alike in all that is compared.

    Attributes
    ----------
    targets : list of float
        Relative suboptimalities, falling.
    repeats : int
        Timed calls for each target.
    max_seconds : float
        CPU seconds that a call may take.
    """

    targets: list[float]
    repeats: int
    max_seconds: float


@dataclass
class Result:
    """One peer in one cell.

    Attributes
    ----------
    cell, peer, version : str
        Who, where, and of which version.
    ours, certified : bool
        Whether it is a method of cdlab; whether its answers carry a certificate.
    verdict, note : str
        See `searching.Verdict`, and what went wrong.
    first : float
        CPU seconds of its first call, which imports and compiles.
    budgets : dict
        For each target that was reached, the budget.
    cpu, wall, reached : dict
        For each of them the seconds and the suboptimality of every timed call, in the order of the rounds.
    defaults : dict
        ``cpu``, ``wall`` and ``reached`` of calls with the package's default tolerance, in the same rounds.
    session : str
        When its cell was timed. Only results of one session were taken in turn.
    key : str
        Of data, cell, settings, and the peer's version or sources (`planning.result_key`): with another one it is
        measured again.
    """

    cell: str
    peer: str
    version: str
    ours: bool
    certified: bool
    verdict: str
    note: str = ""
    first: float = 0.0
    budgets: dict[float, float] = field(default_factory=dict)
    cpu: dict[float, list[float]] = field(default_factory=dict)
    wall: dict[float, list[float]] = field(default_factory=dict)
    reached: dict[float, list[float]] = field(default_factory=dict)
    defaults: dict[str, list[float]] = field(default_factory=dict)
    session: str = ""
    key: str = ""


class BenchStore:
    """The results in a folder, which is made where it is missing.

    Parameters
    ----------
    path : str or Path
        The folder.
    settings : Settings
        Those of all its results.

    Raises
    ------
    ValueError
        If its results were measured with other settings.
    OSError
        If it cannot be made or read.
    """

    def __init__(self, path: str | Path, settings: Settings) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        with Session(self.path) as session:
            known = session.get(SETTINGS, SETTINGS)
            if known is None:
                session.put(SETTINGS, SETTINGS, asdict(settings))
        self._store = ResultStore(self.path)
        if known is not None and parse_json(known.row) != asdict(settings):
            words = " ".join(
                f"--{name.replace('_', '-')} {_option_text(value)}" for name, value in parse_json(known.row).items()
            )
            raise ValueError(
                f"{path} holds results with {words}: go on with these, or name another folder in --out, "
                "because times of different settings are not comparable"
            )

    def optimum(self, cell: Cell, data: str) -> Optimum | None:
        """P* of a cell, if it is kept here for data with this digest."""
        found = self._row(optimum_key(cell, data), OPTIMUM)
        return None if found is None else Optimum(found["value"], found["certificate"])

    def keep_optimum(self, cell: Cell, found: Optimum, data: str) -> None:
        """Keep P* of a cell, for data with this digest."""
        self._store.put(optimum_key(cell, data), OPTIMUM, {"cell": cell.name, **found._asdict()})

    def result(self, key: str) -> Result | None:
        """The result with this key, if it is finished."""
        found = self._row(key, MEASUREMENT)
        return None if found is None else result_from(found)

    def keep(self, result: Result) -> None:
        """Keep a finished result."""
        self._store.put(result.key, MEASUREMENT, asdict(result))

    def results(self) -> Iterator[Result]:
        """The finished results, of each peer in each cell the newest."""
        newest = {}
        for key, _ in self._store.rows(MEASUREMENT):
            if (result := self.result(key)) is not None:
                newest[result.cell, result.peer] = result
        yield from newest.values()

    def _row(self, key: str, kind: str) -> Any:
        found = self._store.get(key, kind)
        if found is None:
            return None
        try:
            return parse_json(found.row)
        except ValueError as error:
            warnings.warn(self._store.set_aside(key, str(error)), stacklevel=3)
            return None


def optimum_key(cell: Cell, data: str) -> str:
    """The key of P* of a cell, for data with this digest."""
    return key_of(data, {"cell": cell.name, "what": "P*"}, 0, "")


def _option_text(value: Any) -> str:
    """A setting as it is typed after its option."""
    return " ".join(f"{each:g}" for each in (value if isinstance(value, list) else [value]))


def result_from(known: dict[str, Any]) -> Result:
    """A result from what JSON made of it."""
    result = Result(**known)
    for name in ("budgets", "cpu", "wall", "reached"):  # JSON's keys are texts
        setattr(result, name, {float(target): value for target, value in getattr(result, name).items()})
    return result


def check_targets(targets: Sequence[float]) -> list[float]:
    """The targets from loose to tight, each once.

    Raises
    ------
    ValueError
        If one is not between 1e-11, which P* allows to be measured, and 1.

    Examples
    --------
    >>> check_targets([1e-6, 1e-3, 1e-6])
    [0.001, 1e-06]
    """
    wrong = [target for target in targets if not 1e-11 <= target < 1]
    if wrong or not targets:
        raise ValueError(
            f"a target is a number from 1e-11 to below 1, such as 1e-6, not {wrong[0] if wrong else 'none'}"
        )
    return sorted(set(targets), reverse=True)
