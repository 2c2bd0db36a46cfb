"""Seconds and memory of certificates: to write and to check, by the number of nonzeros.

python benchmarks/proofs.py                 1e3 to 1e6 nonzeros
python benchmarks/proofs.py 1e7             so many
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import scipy.sparse as sp

import cdlab
from cdlab import checker
from cdlab.datasets.npz import write_npz

PER_ROW = 40  # nonzeros
CHECK = """
import runpy, sys, time
name, *sys.argv[1:] = sys.argv[1:]
try:
    runpy.run_path(name, run_name="__main__")
except SystemExit:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(time.process_time(), peak.split()[1])
"""


def measured(losses: tuple[str, ...], nonzeros: float, folder: Path) -> None:
    """Print a line for each loss."""
    n = max(20, int(nonzeros / PER_ROW))
    d = max(100, n // 10)
    X, y = cdlab.datasets.make(n=n, d=d, density=PER_ROW / d, seed=0)
    X = sp.csr_matrix(X)
    write_npz(folder / "data.npz", X, y)
    for loss in losses:
        s = cdlab.solve(cdlab.Problem(X, y, loss, l2=1 / n), tol=1e-6)
        began = time.process_time()
        s.save_certificate(folder / "a.cert")
        written = time.process_time() - began
        words = [sys.executable, "-I", "-S", "-c", CHECK, checker.__file__, folder / "a.cert", folder / "data.npz"]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert said.startswith("ACCEPT"), said
        seconds, peak = map(float, said.splitlines()[-1].split())
        size = (folder / "a.cert").stat().st_size / 1e6
        print(
            f"| {loss} | {X.nnz:,} | {n:,} | {size:.3f} | {written:.2f} | {seconds:.2f} |",
            f"{peak / 1024:.0f} |",
            flush=True,
        )


def main() -> None:
    """A table, as docs/proofs.md has it."""
    sizes = [float(each) for each in sys.argv[1:]] or [1e3, 1e4, 1e5, 1e6]
    print("| loss | nonzeros | examples | MB of the file | CPU s to write | CPU s to check | MB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for nonzeros in sizes:
            measured(("hinge", "logistic"), nonzeros, Path(folder))


if __name__ == "__main__":
    main()
