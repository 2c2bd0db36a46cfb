"""Data sets: known ones by name, files by path, and made ones.

`load` reads a known set or a LIBSVM, CSV or NPZ file, and `label_column` says which column of a CSV file is its label;
`names` lists the known sets and where each would come from, `describe` says what one is, `fetch` downloads one.
`make` draws random data; `arrow`, `worst_primal` and `worst_dual` build the extreme matrices of the primal-dual
face-off, `sun_ye` examples on which cyclic order is terrible; on `equicorrelated`, `identical`, `clusters`,
`orthogonal` and `chain` data all rates are known; and `generator` makes a function of your own known beside them.
`scaled` divides rows by their norms as `load` does. All data come as ``(X, y)``, rows are examples. `scan` reads a
LIBSVM file that is too large for memory, in passing, and gives what ``cdlab.faceoff`` needs to know of it. `Derived`
is a set made from another one by `steps`: other classes, fewer rows, random Fourier features.

catalogue.toml  the known sets: a new one is an entry there, or in a file of this name in the folder CDLAB_DATA
catalogue.py    reads it, and finds the file of a set
generators.py   made data, with closed_forms.py for data on which the rates are known in closed form
loading.py      from a name or a file to X and y, with csv_text.py, libsvm.py and npz.py for the formats
formats.py      which format a file has
"""

from . import steps
from .catalogue import DataSet, names
from .closed_forms import chain, clusters, equicorrelated, identical, orthogonal, sun_ye
from .csv_text import LabelColumn
from .derived import Derived
from .fetching import fetch
from .generators import arrow, generator, make, synthetic, worst_dual, worst_primal
from .loading import describe, file_of, label_column, load
from .parts import Loaded
from .scaling import scaled
from .steps import PreparedData
from .streaming import Scan, Scanned, scan

__all__ = [
    "DataSet",
    "Derived",
    "LabelColumn",
    "Loaded",
    "PreparedData",
    "Scan",
    "Scanned",
    "arrow",
    "chain",
    "clusters",
    "describe",
    "equicorrelated",
    "fetch",
    "generator",
    "identical",
    "file_of",
    "label_column",
    "load",
    "make",
    "names",
    "orthogonal",
    "scaled",
    "scan",
    "steps",
    "sun_ye",
    "synthetic",
    "worst_dual",
    "worst_primal",
]
