"""From cells and peers to pieces of work with keys: what is finished, and what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache

from .. import losses
from ..runs.entries import entrant
from ..sweeps.data import digest_of_data
from ..sweeps.keys import key_of
from ..sweeps.numerics_digest import module_digest, numerics_digest
from .cells import Cell, load_arrays
from .path_tasks import PathTask
from .peers import find_peer
from .peers.ours import PREFIX
from .peers.peer import Peer
from .results import BenchStore, Result, Settings
from .tasks import Kind

PATH_CODE = ("paths", "runs/driven_paths.py", "runs/paths.py", "estimators")

Tell = Callable[[str], None]


@dataclass(frozen=True)
class CellTask:
    """A session in a cell: P* unless it is known, and all peers that are missing, timed in turn.

    Attributes
    ----------
    cell : Cell
    number : int
        Of the cell among those that have anything left.
    data : str
        The digest of its data.
    peers : dict
        For each peer that is missing the key of its result.
    """

    cell: Cell
    number: int
    data: str
    peers: dict[str, str]

    @property
    def key(self) -> str:
        """One process at a time is in a cell."""
        return self.cell.name

    kind = key


@dataclass(frozen=True)
class Plan:
    """What a command asks for.

    Attributes
    ----------
    tasks : list of CellTask
        What is left, cell by cell.
    keys : dict
        By cell and peer, of all that is asked for and can be measured.
    left_out : dict
        Why the data of a cell could not be read.
    """

    tasks: list[CellTask]
    keys: dict[tuple[str, str], str]
    left_out: dict[str, str]

    def results(self, store: BenchStore) -> list[Result]:
        """Those that are asked for and finished, by peer in the order asked for."""
        order = list(dict.fromkeys(peer for _, peer in self.keys))
        found = [each for each in map(store.result, self.keys.values()) if each is not None]
        return sorted(found, key=lambda each: order.index(each.peer))

    def is_complete(self, store: BenchStore) -> bool:
        """Whether nothing that was asked for is missing."""
        return not self.left_out and len(self.results(store)) == len(self.keys)


def plan_cells(cells: Sequence[Cell], peers: Sequence[str], store: BenchStore, settings: Settings, show: Tell) -> Plan:
    """What is left of some cells and peers; the data are read for their digests.

    Parameters
    ----------
    cells : sequence of Cell
        In the order in which they are to be measured.
    peers : sequence of str
        Names of `peers.find_peer`, ours among them.
    store : BenchStore
        Where finished results are.
    settings : Settings
        Those of the store.
    show : callable
        Called with a sentence about what happens.
    """
    tasks: list[CellTask] = []
    known: dict[tuple[str, str], str] = {}
    left_out: dict[str, str] = {}
    digests: dict[tuple[str, str], str] = {}
    for cell in cells:
        try:
            arrays = cell.data, cell.scale
            if arrays not in digests:
                show(f"reading {cell.data}")
                digests[arrays] = digest_of_data(load_arrays(cell))
        except (ValueError, OSError, MemoryError) as error:
            left_out[cell.name] = reason(error)
            continue
        data = digests[arrays]
        own = {name: result_key(cell, data, find_peer(name), settings) for name in peers}
        known |= {(cell.name, name): key for name, key in own.items()}
        missing = {name: key for name, key in own.items() if store.result(key) is None}
        if missing:
            tasks.append(CellTask(cell, len(tasks), data, missing))
    return Plan(tasks, known, left_out)


def reason(error: Exception) -> str:
    """Why a cell is left out."""
    if isinstance(error, EOFError):
        return "the process was ended from outside"
    return str(error) or "there is not enough memory"


def result_key(cell: Cell, data: str, peer: Peer, settings: Settings) -> str:
    """The key of the result of a peer in a cell, for data with this digest.

    Of ours the digest of the sources that can move its numbers belongs to it, of another package its version.
    """
    asked = {"cell": cell.name, "peer": peer.name, "version": peer.package.version, **asdict(settings)}
    return key_of(data, asked, 0, _code_digest(peer, cell.loss, cell.kind))


@cache
def _code_digest(peer: Peer, loss: str, kind: Kind) -> str:
    own = module_digest(getattr(peer.fit, "func", peer.fit)).hex()
    if kind is not Kind.WEIGHT:
        own += module_digest(PathTask).hex()
    if not peer.name.startswith(PREFIX):
        return own
    method, sampling = entrant(peer.name.removeprefix(PREFIX))
    beside = () if kind is Kind.WEIGHT else PATH_CODE
    return own + numerics_digest(*method.classes, type(sampling), type(losses.resolve(loss)), beside=beside)
