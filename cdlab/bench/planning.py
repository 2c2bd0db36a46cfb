"""From cells and peers to pieces of work with keys: what is finished, and what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache

from .. import losses
from ..runs.entries import entrant
from ..sweeps import keys, sources
from ..sweeps.data import digest_of_data
from .cells import Cell
from .peers import named
from .peers.ours import PREFIX
from .peers.peer import Peer
from .recipes import arrays
from .results import Folder, Result, Settings

Told = Callable[[str], None]


@dataclass(frozen=True)
class Piece:
    """P* of a cell, or one session in it: all that is missing, timed in turn.

    Attributes
    ----------
    key : str
    cell : Cell
    number : int
        Of the cell among those that have anything left.
    data : str
        The digest of its data.
    peers : dict
        For each peer that is missing the key of its result; empty for P*.
    """

    key: str
    cell: Cell
    number: int
    data: str
    peers: dict[str, str]

    def there(self, folder: Folder) -> bool:
        """Whether a folder has it."""
        if not self.peers:
            return folder.optimum(self.cell, self.data) is not None
        return all(folder.result(self.cell, name, key) is not None for name, key in self.peers.items())


@dataclass(frozen=True)
class Plan:
    """What a command asks for.

    Attributes
    ----------
    pieces : list of Piece
        What is left, cell by cell.
    keys : dict
        By cell and peer, of all that is asked for and can be measured.
    left_out : dict
        Why the data of a cell could not be read.
    """

    pieces: list[Piece]
    keys: dict[tuple[str, str], str]
    left_out: dict[str, str]

    def results(self, folder: Folder) -> list[Result]:
        """Those that are asked for and finished, by peer in the order asked for."""
        order = list(dict.fromkeys(peer for _, peer in self.keys))
        found = [each for each in folder.results() if self.keys.get((each.cell, each.peer)) == each.key]
        return sorted(found, key=lambda each: order.index(each.peer))

    def complete(self, folder: Folder) -> bool:
        """Whether nothing that was asked for is missing."""
        return not self.left_out and len(self.results(folder)) == len(self.keys)


def planned(cells: Sequence[Cell], peers: Sequence[str], folder: Folder, settings: Settings, show: Told) -> Plan:
    """What is left of some cells and peers; the data are read for their digests.

    Parameters
    ----------
    cells : sequence of Cell
        In the order in which they are to be measured.
    peers : sequence of str
        Names of `peers.named`, ours among them.
    folder : Folder
        Where finished results are.
    settings : Settings
        Those of the folder.
    show : callable
        Is told what happens.
    """
    pieces: list[Piece] = []
    known: dict[tuple[str, str], str] = {}
    left_out: dict[str, str] = {}
    digests: dict[str, str] = {}
    number = 0
    for cell in cells:
        try:
            if cell.data not in digests:
                show(f"reading {cell.data}")
                digests[cell.data] = digest_of_data(arrays(cell))
        except (ValueError, OSError, MemoryError) as error:
            left_out[cell.name] = reason(error)
            continue
        data = digests[cell.data]
        own = {name: key_of(cell, data, named(name), settings) for name in peers}
        known |= {(cell.name, name): key for name, key in own.items()}
        missing = {name: key for name, key in own.items() if folder.result(cell, name, key) is None}
        if missing:
            pieces.append(Piece(keys.key(data, {"cell": cell.name, "what": "P*"}, 0, ""), cell, number, data, {}))
            pieces.append(Piece(keys.key(data, {"peers": missing}, 0, ""), cell, number, data, missing))
            number += 1
    return Plan(pieces, known, left_out)


def reason(error: Exception) -> str:
    """Why a cell is left out."""
    if isinstance(error, EOFError):
        return "the process was ended from outside"
    return str(error) or "there is not enough memory"


def key_of(cell: Cell, data: str, peer: Peer, settings: Settings) -> str:
    """The key of the result of a peer in a cell, for data with this digest.

    Of ours the digest of the sources that can move its numbers belongs to it, of another package its version.
    """
    told = {"cell": cell.name, "peer": peer.name, "version": peer.package.version, **asdict(settings)}
    return keys.key(data, told, 0, _sources(peer, cell.loss))


@cache
def _sources(peer: Peer, loss: str) -> str:
    own = sources.of_module(getattr(peer.fit, "func", peer.fit)).hex()
    if not peer.name.startswith(PREFIX):
        return own
    method, sampling = entrant(peer.name.removeprefix(PREFIX))
    return own + sources.digest(type(method), type(sampling), type(losses.resolve(loss)))
