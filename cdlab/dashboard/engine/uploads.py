"""A visitor's own file: read once, kept for this page only, and written nowhere that outlives the reading."""

from __future__ import annotations

import hashlib
import io
import lzma
import re
import tempfile
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ... import datasets
from ...datasets.csv_text import Columns, layout_of
from ...datasets.formats import is_table
from ...datasets.text_files import COMPRESSED, openers, suffix_of_content
from ...numerics.files import FULL_DISK_ERRNOS, atomic_write
from ...numerics.profiles import line_profile, validated_with_profile
from ...numerics.written_numbers import number
from ...problems.labels import are_words
from ..visitor_limits import limits
from .sentences import sentence_of

PLAIN_ZIP = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Python unpacks archives of other kinds without bounds.
CHUNK = 1 << 20
SHOWN = 6  # A sentence names so many labels.
LONGEST = 100  # A file's name has at most so many characters.
TINY = 1e-150  # The square of this number is still a double.
UNITS_APART = 1e3  # Columns are in different units where the entries of one are so many times those of another.


@dataclass(frozen=True)
class Upload:
    """The data of one file.

    Attributes
    ----------
    name : str
        Of the file, without what an address cannot hold.
    X, y : as `cdlab.datasets.load` gives them
    digest : str
        The first sixteen hexadecimal digits of the file's SHA-256: what `sha256sum` prints.
    label : str
        The column that was taken as the label, of a table.
    columns : tuple of str
        The names of all columns of a table.
    at : int
        The position of the label among them.
    is_chosen : bool
        Whether the visitor chose the label.
    taken : tuple of str
        What else was guessed, as `cdlab.datasets.load` says it.
    """

    name: str
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    digest: str
    label: str = ""
    columns: tuple[str, ...] = ()
    at: int = 0
    is_chosen: bool = False
    taken: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name of the file in addresses: whoever has it can see the same race."""
        return f"{self.name}:{self.digest}" + (f":{self.at}" if self.is_chosen else "")

    def sentence(self) -> str:
        """A sentence that says what was read."""
        n, d = self.X.shape
        nonzeros = int(np.count_nonzero(self.X.data if sp.issparse(self.X) else self.X))  # a file may spell out zeros
        labels = np.unique(self.y)
        if labels.size <= SHOWN:
            words = f"labels {', '.join(map(_label_text, labels.tolist()))}"
        else:
            words = f"{number(labels.size)} different labels"
        words += f"; label: {self.label}" if self.label else ""
        words += "".join(f"; {told.partition(';')[0]}" for told in self.taken)
        about = f"{self.name}: {number(n)} examples, {number(d)} features, {number(nonzeros)} nonzeros, {words}"
        return " ".join(filter(None, [f"{about}; SHA-256 {self.digest}.", self.units()]))

    def units(self) -> str:
        """Which columns are in very different units, by the root mean square of their entries; "" if none are."""
        top = max(float(abs(self.X).max()), TINY)  # squares of large entries would overflow
        norms2, counts = line_profile(self.X / top, "columns")
        filled = np.flatnonzero(counts)
        if filled.size == 0:
            return ""
        sizes = np.maximum(np.sqrt(norms2[filled] / counts[filled]), TINY)
        large, small = int(np.argmax(sizes)), int(np.argmin(sizes))
        if sizes[large] <= UNITS_APART * sizes[small]:
            return ""
        names = [name for k, name in enumerate(self.columns) if k != self.at]
        of_large, of_small = (names[filled[k]] if names else f"feature {filled[k] + 1}" for k in (large, small))
        ratio = float(sizes[large] / sizes[small])
        return sentence_of("label.units", {"large": of_large, "small": of_small, "times": ratio})


def _label_text(label: float | str) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def _safe(name: str) -> str:
    """A file's name without what an address or a file system cannot hold; the suffix, which says the format, stays."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(name.replace("\\", "/")).name).lstrip(".") or "data"
    suffixes = "".join(Path(name).suffixes[-2:])
    return name if len(name) <= LONGEST else name[: LONGEST - len(suffixes[-16:])] + suffixes[-16:]


def read_upload(name: str, content: bytes, label: int | None = None) -> Upload:
    """Read LIBSVM text, CSV or NPZ, told apart by the suffix as in `cdlab.datasets.load`.

    Parameters
    ----------
    name : str
        Of the file.
    content : bytes
        What it holds.
    label : int, optional
        The position of a table's label; by default as in `cdlab.datasets.load`.

    Raises
    ------
    ValueError
        In a sentence for the visitor, with the line where the file is wrong.
    """
    limits().check_upload(len(content))
    name = _safe(name)
    _check_unpacked(name, content)
    with tempfile.TemporaryDirectory(prefix="cdlab-upload-") as folder:
        path = Path(folder, name)
        try:
            with atomic_write(path) as file:
                file.write(content)
            X, y = data = datasets.load(path, label=label)
            column = datasets.label_column(path, label=label)
            columns = tuple(layout_of(path, Columns()).names) if column else ()
        except (ValueError, OSError) as error:
            if getattr(error, "errno", None) in FULL_DISK_ERRNOS:
                raise ValueError(f"{name} was not taken: the disk of this server is full") from None
            raise ValueError(str(error).replace(str(path), name)) from None
        except MemoryError:
            raise ValueError(f"{name} needs more memory than this server has: take a part of its rows") from None
    if X.shape[0] < 2:
        raise ValueError(f"{name} has just one example: a race needs two or more")
    try:
        validated_with_profile(X)  # as `cdlab.Problem` does before any scaling, by which all other columns would vanish
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if (y == y[0]).all():
        where = f"every row of column {column.name or column.position + 1}" if column else "every label"
        value = repr(str(y[0])) if are_words(y) else _label_text(y[0])
        raise ValueError(f"{name}: {where} is {value}, and a race needs labels that differ: choose another label")
    if not abs(X).max() > 0:
        raise ValueError(sentence_of("refusal.zeros", {"name": name}))
    limits().check_entries(X.size, name, "take a part of its rows")
    # a vector of weights for features that nobody has would fill the memory too
    limits().check_entries(X.shape[1], f"a weight for each of {X.shape[1]} features", "leave no gaps in their numbers")
    digest = hashlib.sha256(content).hexdigest()[:16]
    if column is None:
        return Upload(name, X, y, digest, taken=data.taken)
    return Upload(name, X, y, digest, str(column), columns, column.position, label is not None, data.taken)


def columns_in(name: str, content: bytes) -> list[str]:
    """The columns among which a visitor may choose the label of a file that is no table as it is; [] if it has none."""
    with tempfile.TemporaryDirectory(prefix="cdlab-upload-") as folder:
        path = Path(folder, _safe(name))
        path.write_bytes(content)
        with suppress(ValueError, OSError):
            return layout_of(path, Columns()).names if is_table(path) else []
    return []


def _check_unpacked(name: str, content: bytes) -> None:
    """Refuse a file that is too large unpacked, as soon as that is seen; what is damaged, the reader names."""
    most, size = 1e6 * limits().upload, 0
    kind, stream = suffix_of_content(content) or Path(name).suffix.lower(), io.BytesIO(content)
    with suppress(EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError):
        if kind == ".npz":
            members = zipfile.ZipFile(stream).infolist()
            if any(member.compress_type not in PLAIN_ZIP for member in members):
                raise ValueError(f"{name} is compressed in a way that is not read here: numpy.savez_compressed's is")
            size = sum(member.file_size for member in members)  # of which no more is read
        elif kind in COMPRESSED:
            unpacked = openers()[kind](stream)
            while size <= most and (chunk := unpacked.read(CHUNK)):
                size += len(chunk)
    limits().check_upload(size, " or more, unpacked")
