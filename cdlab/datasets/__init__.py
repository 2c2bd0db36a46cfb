"""Data sets: known ones by name, files by path, and synthetic ones.

`load` reads a known set or a LIBSVM, CSV or NPZ file, and `label_column` says which column of a CSV file is its label;
`names` lists the known sets and where each would come from,
`describe` says what one is, `fetch` downloads one. `make` draws random data; `arrow`, `worst_primal` and `worst_dual`
build the extreme matrices of the primal-dual face-off, `sun_ye` examples on which cyclic order is terrible. `scaled`
divides rows by their norms as `load` does. All data come as ``(X, y)``, rows are examples. `scan` reads a
LIBSVM file that is too large for memory, in passing, and gives what ``cdlab.faceoff`` needs to know of it. `Derived` is
a set made from another one by `steps`: other classes, fewer rows, random Fourier features.
"""

from . import steps
from .catalogue import DataSet, describe
from .correlated import sun_ye
from .csv_text import LabelColumn
from .derived import Derived
from .extremes import arrow, worst_dual, worst_primal
from .fetching import fetch
from .loading import label_column, load
from .places import names
from .scaling import scaled
from .steps import Prepared
from .streaming import Scan, Scanned, scan
from .synthetic import make

__all__ = [
    "DataSet", "Derived", "LabelColumn", "Prepared", "Scan", "Scanned",
    "arrow", "describe", "fetch", "label_column", "load", "make", "names", "scaled", "scan", "steps", "sun_ye",
    "worst_dual", "worst_primal",
]  # fmt: skip
