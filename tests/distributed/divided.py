"""Data in parts, for tests."""

import shutil
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import cdlab

MPIRUN = shutil.which("mpirun", path=str(Path(sys.executable).parent)) or shutil.which("mpirun")


def made(n=240, d=12, seed=0, sparse=False, loss="logistic"):
    """Examples and labels; the rows have norm 1, but for one that is empty."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < (0.4 if sparse else 1.0))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)
    X[n // 3] = 0.0
    z = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    y = z if loss in ("squared", "huber") else np.sign(z)
    return (sp.csr_matrix(X) if sparse else X), y


def cut(X, y, shards, s=None):
    """The shards of X, y and perhaps weights: runs of rows of unlike length."""
    ends = np.unique(np.round(np.linspace(0, 1, shards + 1) ** 1.3 * y.size).astype(int))
    assert ends.size == shards + 1
    arrays = (X, y) if s is None else (X, y, s)
    return [tuple(each[a:b] for each in arrays) for a, b in zip(ends, ends[1:], strict=False)]


def write(folder, pairs):
    """NPZ files of the shards, in their order."""
    folder.mkdir(exist_ok=True)
    for k, (X, y, *s) in enumerate(pairs):
        arrays = (
            {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape} if sp.issparse(X) else {"X": X}
        )
        np.savez(folder / f"{k:03}.npz", y=y, **arrays, **({"weights": s[0]} if s else {}))
    return folder


def optimum(X, y, **weights):
    """A lower bound of P*, from one machine."""
    P = cdlab.Problem(X, y, **weights)
    s = cdlab.solve(P, "sdca", tol=1e-11, max_passes=3000)
    return P, s.record.dual
