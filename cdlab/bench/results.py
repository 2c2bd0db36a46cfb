"""What was measured, as files: for each cell a folder with P* and a file for each peer, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..numerics.files import atomic_write
from .cells import Cell
from .optimum import Optimum

SETTINGS = "settings.json"
OPTIMUM = "optimum.json"


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
        How long a call may take.
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
    session : str
        When its cell was timed. Only results of one session were taken in turn.
    key : str
        Of data, cell, settings, and the peer's version or sources (`planning.key_of`): with another one it is measured
        again.
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
    session: str = ""
    key: str = ""


class Folder:
    """The results in a folder, which is made where it is missing.

    Raises
    ------
    ValueError
        If its results were measured with other settings.
    OSError
        If it cannot be made or read.
    """

    def __init__(self, path: str | Path, settings: Settings):
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        if (known := self._read(self.path / SETTINGS)) is None:
            _write(self.path / SETTINGS, asdict(settings))
        elif known != asdict(settings):
            words = " ".join(f"--{name.replace('_', '-')} {_typed(value)}" for name, value in known.items())
            raise ValueError(
                f"{path} holds results with {words}: go on with these, or name another folder in --out, "
                "because times of different settings are not comparable"
            )

    def optimum(self, cell: Cell, data: str) -> Optimum | None:
        """P* of a cell, if it is kept here for data with this digest."""
        known = self._read(self.path / cell.folder / OPTIMUM)
        return None if known is None or known.get("data") != data else Optimum(known["value"], known["certificate"])

    def keep_optimum(self, cell: Cell, found: Optimum, data: str) -> None:
        """Keep P* of a cell, for data with this digest."""
        _write(self.path / cell.folder / OPTIMUM, {"cell": cell.name, "data": data, **found._asdict()})

    def result(self, cell: Cell, peer: str, key: str) -> Result | None:
        """The result of a peer in a cell, if it is finished and has this key."""
        known = self._read(self.path / cell.folder / f"{peer}.json")
        return None if known is None or known.get("key") != key else loaded(known)

    def keep(self, cell: Cell, result: Result) -> None:
        """Keep a finished result."""
        _write(self.path / cell.folder / f"{result.peer}.json", asdict(result))

    def results(self) -> Iterator[Result]:
        """All finished results, cell by cell."""
        for path in sorted(self.path.glob("*/*.json")):
            if path.name != OPTIMUM and (known := self._read(path)) is not None:
                yield loaded(known)

    def _read(self, path: Path) -> Any:
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise ValueError(f"{path} is damaged: remove it, and it is measured again") from None


def _typed(value: Any) -> str:
    """A setting as it is typed after its option."""
    return " ".join(f"{each:g}" for each in (value if isinstance(value, list) else [value]))


def loaded(known: dict[str, Any]) -> Result:
    """A result from what JSON made of it."""
    result = Result(**known)
    for name in ("budgets", "cpu", "wall", "reached"):  # JSON's keys are texts
        setattr(result, name, {float(target): value for target, value in getattr(result, name).items()})
    return result


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(json.dumps(value, indent=1, allow_nan=False).encode())


def falling(targets: Sequence[float]) -> list[float]:
    """The targets from loose to tight, each once.

    Raises
    ------
    ValueError
        If one is not between 1e-11, which P* allows to be measured, and 1.

    Examples
    --------
    >>> falling([1e-6, 1e-3, 1e-6])
    [0.001, 1e-06]
    """
    wrong = [target for target in targets if not 1e-11 <= target < 1]
    if wrong or not targets:
        raise ValueError(
            f"a target is a number from 1e-11 to below 1, such as 1e-6, not {wrong[0] if wrong else 'none'}"
        )
    return sorted(set(targets), reverse=True)
