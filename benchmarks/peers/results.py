"""The store of what was measured: P* of each cell, and a result of each peer in it, by keys of what they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from cdlab import losses
from cdlab.numerics.json_numbers import parse_json
from cdlab.runs.entries import resolve_entry
from cdlab.sweeps.keys import key_of
from cdlab.sweeps.numerics_digest import module_digest, numerics_digest
from cdlab.sweeps.result_store import ResultStore

from .adapters.ours import PREFIX
from .adapters.peer import Peer
from .cells import Cell
from .optimum import CertifiedOptimum
from .tasks import Kind, PeerTask

OPTIMUM, MEASUREMENT = "optimum", "measurement"  # These are the kinds of rows in the store.
PATH_CODE = ("paths", "runs/driven_paths.py", "runs/paths.py", "estimators")


@dataclass(frozen=True)
class TimingSettings:
    """Settings that must be alike in all that is compared.

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
class PeerResult:
    """The result of a peer in a cell.

    Attributes
    ----------
    cell, peer, version : str
        The cell, the peer, and the version of its package.
    verdict, note : str
        See `searching.Verdict`, and what went wrong.
    budgets : dict
        For each target that was reached, the budget.
    cpu, reached : dict
        For each of them the CPU seconds and the suboptimality of every timed call, in the order of the rounds.
    defaults : dict
        ``cpu`` and ``reached`` of calls with the package's default tolerance, in the same rounds.
    session : str
        When its cell was timed. Only results of one session were taken in turn.
    key : str
        See `result_key`: with another one it is measured again.
    in_a_row : dict
        As ``cpu``, of calls with nothing between them, after those in turn.
    first : dict
        As ``cpu``, of a call in a new process that has imported cdlab; empty of other packages.
    """

    cell: str
    peer: str
    version: str
    verdict: str
    note: str = ""
    budgets: dict[float, float] = field(default_factory=dict)
    cpu: dict[float, list[float]] = field(default_factory=dict)
    reached: dict[float, list[float]] = field(default_factory=dict)
    defaults: dict[str, list[float]] = field(default_factory=dict)
    session: str = ""
    key: str = ""
    in_a_row: dict[float, list[float]] = field(default_factory=dict)
    first: dict[float, list[float]] = field(default_factory=dict)

    @property
    def ours(self) -> bool:
        """True for a method of cdlab."""
        return self.peer.startswith(PREFIX)


class PeerStore(ResultStore):
    """The results in a folder."""

    def optimum(self, cell: Cell, data: str) -> CertifiedOptimum | None:
        """P* of a cell, if it is kept here for data with this digest."""
        found = self._row(_optimum_key(cell, data), OPTIMUM)
        return None if found is None else CertifiedOptimum(found["value"], found["certificate"])

    def keep_optimum(self, cell: Cell, data: str, found: CertifiedOptimum) -> None:
        """Keep P* of a cell, for data with this digest."""
        self.put(_optimum_key(cell, data), OPTIMUM, {"cell": cell.name, **found._asdict()})

    def result(self, key: str) -> PeerResult | None:
        """The result with this key, if it is finished."""
        found = self._row(key, MEASUREMENT)
        if found is None:
            return None
        for name in ("budgets", "cpu", "reached", "in_a_row", "first"):  # The keys of JSON objects are texts.
            found[name] = {float(target): each for target, each in found.get(name, {}).items()}
        return PeerResult(**found)

    def keep(self, result: PeerResult) -> None:
        """Keep a finished result."""
        self.put(result.key, MEASUREMENT, asdict(result))

    def _row(self, key: str, kind: str) -> Any:
        found = self.get(key, kind)
        return None if found is None else parse_json(found.row)


def _optimum_key(cell: Cell, data: str) -> str:
    return key_of(data, {"cell": cell.name, "what": "P*"}, 0, "")


def result_key(cell: Cell, data: str, peer: Peer, settings: TimingSettings) -> str:
    """The key of the result of a peer in a cell, for data with this digest; a drawn cell's name has its seed.

    The settings belong to it: times of different ones are not comparable. Of ours the digest of the sources that can
    move its numbers belongs to it, of another package its version.
    """
    asked = {"cell": cell.name, "peer": peer.name, "version": peer.package.version, **asdict(settings)}
    return key_of(data, asked, 0, _code_digest(peer, cell.loss, cell.kind))


@cache
def _code_digest(peer: Peer, loss: str, kind: Kind) -> str:
    own = module_digest(getattr(peer.fit, "func", peer.fit)).hex()
    if kind is not Kind.WEIGHT:
        own += module_digest(PeerTask).hex()
    if not peer.name.startswith(PREFIX):
        return own
    method, sampling = resolve_entry(peer.name.removeprefix(PREFIX))
    beside = () if kind is Kind.WEIGHT else PATH_CODE
    return own + numerics_digest(*method.classes, type(sampling), type(losses.resolve(loss)), beside=beside)


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
