"""All that the page's engine loads, in one folder: kernels.wasm, and kernels, bounds, page, presets/NAME as JSON."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

PLAIN_LOOPS = {"NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0", "NUMBA_CPU_NAME": "generic"}  # for any machine
COMPLAINT_CHARACTERS = 2000


def build(out: Path) -> dict[str, int]:
    """Write all files into a folder, which is made if it is not there: a minute or two.

    Returns
    -------
    dict from str to int
        The bytes of each file.

    Raises
    ------
    RuntimeError
        If there is no linker, or something that the page offers cannot be a part of it.
    """
    from . import formulas, page_file, presets  # sympy and data sets

    build_kernels(out)
    formulas.write(out / "bounds.json")
    page_file.write(out / "page.json")
    presets.write(out / "presets")
    return {str(file.relative_to(out)): file.stat().st_size for file in sorted(out.rglob("*.*"))}


def build_kernels(out: Path, only: str = "") -> None:
    """Write kernels.wasm and kernels.json: of all cells, or of those whose names match a regular expression.

    Raises
    ------
    RuntimeError
        If there is no linker, or a kernel does not compile.
    """
    if find_spec("ziglang") is None:
        raise RuntimeError("the page's kernels are linked by the package ziglang: pip install 'cdlab[page]'")
    out.mkdir(parents=True, exist_ok=True)
    # in a process of its own, without kernels from a cache: those have no LLVM code
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | PLAIN_LOOPS | {"NUMBA_CACHE_DIR": empty}
        command = [sys.executable, "-m", f"{__package__}.compiling", str(out), only]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the page's kernels do not compile: {done.stderr.strip()[-COMPLAINT_CHARACTERS:]}")
