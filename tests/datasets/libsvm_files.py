"""LIBSVM files that tests write, as text and compressed."""

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def text_of(X, y, base=1):
    rows = ([f"{j + base}:{float(X[i, j])!r}" for j in np.flatnonzero(X[i])] for i in range(len(y)))
    return "".join(" ".join([repr(float(label)), *row]) + "\n" for label, row in zip(y, rows, strict=True))


def write(folder, text, name="data.txt"):
    path = Path(folder) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
