"""Files that the page's engine loads, in one folder: kernels.wasm, and kernels, bounds, page, presets/NAME as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

from ....numerics.files import cache_folder
from ....numerics.jit.sources import source_digest
from .names import DECLARED, read_by_javascript

PLAIN_LOOPS = {"NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0", "NUMBA_CPU_NAME": "generic"}  # for any machine
OF_KERNELS = ("cells", "compiling", "generator_kernels", "page_kernels", "signatures")  # modules that make kernels
COMPLAINT_CHARACTERS = 2000


def build(out: Path) -> None:
    """Write all files into a folder, which is made if it is not there: a minute or two the first time.

    Raises
    ------
    RuntimeError
        If there is no linker, something that the page offers cannot be a part of it, or its JavaScript reads a name
        that is not there.
    """
    from . import formulas, page_file, presets  # sympy and data sets

    compiled = kernels()
    names = {key.partition("(")[0] for key in json.loads((compiled / "kernels.json").read_text())["kernels"]}
    names |= page_file.contents()["rules"].keys()
    if missing := (read_by_javascript("KernelName") | read_by_javascript("RuleName")) - names:
        raise RuntimeError(f"the page's JavaScript reads what Python does not write: {', '.join(sorted(missing))}")
    shutil.copytree(compiled, out, dirs_exist_ok=True)
    formulas.write(out / "bounds.json")
    page_file.write(out / "page.json")
    presets.write(out / "presets")


def kernels(only: str = "") -> Path:
    """The folder of kernels.wasm and kernels.json: of all cells, or of those whose names match a regular expression.

    The folder is in the cache; where the sources have changed, it is compiled anew.

    Raises
    ------
    RuntimeError
        If there is no linker, or a kernel does not compile.
    """
    sources = [DECLARED, *(Path(__file__).with_name(f"{name}.py") for name in OF_KERNELS)]
    digest = hashlib.sha256(b"".join([source_digest().encode(), only.encode(), *(s.read_bytes() for s in sources)]))
    folder = cache_folder() / "page" / digest.hexdigest()[:16]
    if folder.exists():
        return folder
    if find_spec("ziglang") is None:
        raise RuntimeError("the page's kernels are linked by the package ziglang: pip install ziglang")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):  # another process may be compiling the same
        if not folder.exists():
            _compile(folder, only)
    return folder


def _compile(folder: Path, only: str) -> None:
    # in a process of its own, without kernels from a cache: those have no LLVM code
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory(dir=folder.parent) as parent:
        compiled = Path(parent, "kernels")
        compiled.mkdir()
        environment = os.environ | PLAIN_LOOPS | {"NUMBA_CACHE_DIR": empty}
        command = [sys.executable, "-m", f"{__package__}.compiling", str(compiled), only]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            complaint = done.stderr.strip()[-COMPLAINT_CHARACTERS:]
            raise RuntimeError(f"the page's kernels do not compile: {complaint}")
        compiled.rename(folder)  # whole, or not at all
