"""All that the page's engine loads, in one folder: kernels.wasm, kernels.json, bounds.json and presets/NAME.json."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

PLAIN_LOOPS = {"NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0", "NUMBA_CPU_NAME": "generic"}  # for any machine


def build(out: Path, *, methods: tuple[str, ...] = (), losses: tuple[str, ...] = ()) -> dict[str, int]:
    """Write the files.

    Parameters
    ----------
    out : Path
        The folder; made if it is not there.
    methods, losses : tuple of str, optional
        Those whose kernels are compiled; by default all that the page offers, which takes a minute.

    Returns
    -------
    dict from str to int
        The bytes of each file.

    Raises
    ------
    RuntimeError
        If there is no linker, or a kernel cannot be a part of the module.
    """
    from . import formulas, presets  # sympy, pandas

    if find_spec("ziglang") is None:
        raise RuntimeError("the page's kernels are linked by ziglang's wasm-ld: pip install 'cdlab[page]'")
    out.mkdir(parents=True, exist_ok=True)
    # In a process of its own, without kernels from a cache: those have no LLVM code.
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | PLAIN_LOOPS | {"NUMBA_CACHE_DIR": empty}
        command = [sys.executable, "-m", f"{__package__}.compiling", out, ",".join(methods), ",".join(losses)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the kernels were not compiled: {done.stderr.strip()[-2000:]}")
    formulas.write(out / "bounds.json")
    presets.write(out / "presets")
    return {str(file.relative_to(out)): file.stat().st_size for file in sorted(out.rglob("*.*"))}
