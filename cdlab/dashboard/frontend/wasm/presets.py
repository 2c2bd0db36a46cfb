"""presets/NAME.json: real data sets as arrays, those of PRESETS that need no download where the page is built."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .... import datasets
from ...engine.data_sources import at_hand

PRESETS = ("mushrooms", "a9a", "abalone_scale", "w8a", "housing_scale", "bodyfat_scale")
SMALL = ("int8", "uint8", "uint16", "float32")  # dtypes that may hold an array without loss, the smallest first


def packed(x: np.ndarray) -> dict[str, str]:
    """An array as base64, in the smallest dtype that holds it exactly."""
    kinds = (kind for kind in (*SMALL, str(x.dtype)) if np.array_equal(x.astype(kind).astype(x.dtype), x))
    with np.errstate(over="ignore", invalid="ignore"):
        kind = next(kinds)
    return {"dtype": kind, "bytes": base64.b64encode(x.astype(kind).tobytes()).decode()}


def packed_set(name: str) -> dict[str, Any]:
    """A data set as `PresetFile` of types.d.ts."""
    X, y = datasets.load(name)
    plain = {"name": name, "n": X.shape[0], "d": X.shape[1], "y": packed(np.asarray(y, dtype=float))}
    if not sp.issparse(X):
        return plain | {"values": packed(X.ravel())}
    indices, lengths = X.indices.astype(np.uint32), np.diff(X.indptr).astype(np.uint32)
    return plain | {"values": packed(X.data), "indices": packed(indices), "lengths": packed(lengths)}


def write(folder: Path) -> None:
    """Write those that are at hand."""
    folder.mkdir(exist_ok=True)
    for name in PRESETS:
        if name in at_hand():
            (folder / f"{name}.json").write_text(json.dumps(packed_set(name), separators=(",", ":")))
