"""The sources that can end up inside a kernel, their digest, and the folder that is named by it.

numba's own cache is keyed by the kernel's file, and does not notice when a struct in another file changes (its issue
8359). Here every version of the sources has a folder of its own: a kernel found there was compiled from these very
formulas.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from .. import files

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parents[2]
# Above the kernels: an edit there must not recompile them. Whatever stands in none of these folders is digested.
FOLDERS_ABOVE_KERNELS = (
    "advice",
    "certificates",
    "cli",
    "comparisons",
    "dashboard",
    "datasets",
    "eso_parameters",
    "estimators",
    "explanations",
    "faceoffs",
    "plots",
    "runs",
    "sweeps",
    "testing",
    "theory",
)
FILES_IN_KERNELS = (  # of these folders, what kernels contain all the same
    "certificates/bounding.py",
    "dashboard/frontend/wasm/generator_kernels.py",
    "dashboard/frontend/wasm/page_kernels.py",
    "explanations/near_optimum.py",
    "faceoffs/derivative_cost.py",
    "testing/watched.py",
)


def source_files(root: Path = ROOT) -> list[Path]:
    """The files of the package whose code or constants kernels can contain."""
    above = FOLDERS_ABOVE_KERNELS
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir() and folder.name not in above)
    within = [root / name for name in FILES_IN_KERNELS if (root / name).is_file()]
    return [*sorted(root.glob("*.py")), *(file for folder in folders for file in sorted(folder.rglob("*.py"))), *within]


def source_digest(root: Path = ROOT) -> str:
    """Sixteen hexadecimal digits that change with every edit of these sources."""
    total = hashlib.sha256()
    for source in source_files(root):
        total.update(source.relative_to(root).as_posix().encode())
        total.update(hashlib.sha256(source.read_bytes()).digest())
    return total.hexdigest()[:16]


def kernel_cache_folder() -> Path:
    """The folder for kernels of exactly these sources; it is made when the first of them is kept."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(own) / PACKAGE if own else files.cache_folder()) / "kernels" / source_digest()


_defined_names: set[str] = set()


def is_first_definition(defined: type | Callable) -> bool:
    """Tell whether the digest describes this new class or function: it is the package's, and the first of its name.

    A second of the same name comes from a module that was loaded again, perhaps after an edit.
    """
    name = f"{defined.__module__}.{defined.__qualname__}"
    new = name not in _defined_names and defined.__module__.partition(".")[0] == PACKAGE
    if new:
        _defined_names.add(name)
    return new
