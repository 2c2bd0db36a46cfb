"""A visitor's own file: read once, kept for this page only, and written nowhere that outlives the reading."""

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ... import datasets
from ...datasets.csv_text import LAST_COLUMN
from ...datasets.text_files import COMPRESSED, open_bytes
from ...numerics.files import FULL_DISK_ERRNOS, atomic_write
from ...numerics.profiles import validated_with_profile
from ...problems.labels import are_words
from ..visitor_limits import limits
from ..words import number

BYTES_EACH = 25  # that a number may take in a file: "123456:-1.2345678901234567" is a long one
CHUNK = 1 << 20
SHOWN = 6  # labels in words
LONGEST = 100  # characters of a file's name


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
    """

    name: str
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    digest: str
    label: str = ""

    @property
    def key(self) -> str:
        """How addresses name the file: whoever has it can see the same race."""
        return f"{self.name}:{self.digest}"

    def sentence(self) -> str:
        """What was read."""
        n, d = self.X.shape
        nonzeros = int(np.count_nonzero(self.X.data if sp.issparse(self.X) else self.X))  # a file may spell out zeros
        labels = np.unique(self.y)
        if labels.size <= SHOWN:
            words = f"labels {', '.join(map(_label_text, labels.tolist()))}"
        else:
            words = f"{number(labels.size)} different labels"
        words += f"; label: {self.label}" if self.label else ""
        words += "; to take another column, name it y in the first line" if LAST_COLUMN in self.label else ""
        return (
            f"{self.name}: {number(n)} examples, {number(d)} features, {number(nonzeros)} nonzeros, {words}; "
            f"SHA-256 {self.digest}"
        )


def _label_text(label: float | str) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def _safe(name: str) -> str:
    """A file's name without what an address or a file system cannot hold; the suffix, which says the format, stays."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(name.replace("\\", "/")).name).lstrip(".") or "data"
    suffixes = "".join(Path(name).suffixes[-2:])
    return name if len(name) <= LONGEST else name[: LONGEST - len(suffixes[-16:])] + suffixes[-16:]


def read_upload(name: str, content: bytes) -> Upload:
    """Read LIBSVM text, CSV or NPZ, told apart by the suffix as in `cdlab.datasets.load`.

    Raises
    ------
    ValueError
        In a sentence for the visitor, with the line where the file is wrong.
    """
    limits().check_upload(len(content))
    name = _safe(name)
    with tempfile.TemporaryDirectory(prefix="cdlab-upload-") as folder:
        path = Path(folder, name)
        try:
            with atomic_write(path) as file:
                file.write(content)
            _check_unpacked(path)
            X, y = datasets.load(path)
            column = datasets.label_column(path)
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
    if are_words(y) and (y == y[0]).all():
        where = f"every row of column {column.name or column.position + 1}" if column else "every label"
        raise ValueError(
            f"{name}: {where} is {str(y[0])!r}, and a race needs two classes: choose a label with two values"
        )
    limits().check_entries(X.size, name, "take a part of its rows")
    # a vector of weights for features that nobody has would fill the memory too
    limits().check_entries(X.shape[1], f"a weight for each of {X.shape[1]} features", "leave no gaps in their numbers")
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Upload(name, X, y, digest, "" if column is None else str(column))


def _check_unpacked(path: Path) -> None:
    """Refuse a small file that would fill the memory once unpacked."""
    most = BYTES_EACH * limits().entries
    size = 0
    if path.suffix == ".npz":
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:  # the reader says what is wrong with it
            size = sum(member.file_size for member in archive.infolist())
    elif path.suffix in COMPRESSED:
        with open_bytes(path) as stream:
            while size <= most and (chunk := stream.read(CHUNK)):
                size += len(chunk)
    if size > most:
        raise ValueError(
            f"{path} would take more than {number(most / 1e6)} MB unpacked, which is more than this dashboard takes: "
            "take a part of its rows"
        )
