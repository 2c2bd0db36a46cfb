"""Data in Python, which node must give, too."""

from __future__ import annotations

import itertools
from typing import Any

import races

import cdlab
from cdlab import datasets
from cdlab.dashboard.frontend.wasm import presets

MADE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("synthetic", {"n": 300, "d": 60, "density": 0.05, "skew": 1.3, "row_spread": 0.7, "condition": 9.0, "seed": 4}),
    ("synthetic", {"n": 2000, "d": 40, "density": 0.2, "skew": 3.0, "seed": 5}),
    ("synthetic", {"n": 90, "d": 20, "condition": 100.0, "task": "regression", "seed": 1}),
    ("synthetic", {"n": 90, "d": 20, "density": 0.6, "seed": 2}),
    ("synthetic", {"n": 50, "d": 20, "density": 0.2, "values": "binary", "seed": 3}),
    ("arrow", {"n": 30, "d": 12, "a": 1.0, "b": 2.0, "c": 0.5, "seed": 1}),
    ("worst_dual", {"n": 30, "d": 12, "alpha": 77, "seed": 1}),
    ("worst_primal", {"n": 30, "d": 12, "alpha": 77, "seed": 1}),
    ("sun_ye", {"n": 25, "c": 0.9, "seed": 1}),
)
TEXT = "+1 1:0.5 3:-2e-3 # a comment\n-1 2:7\n\n+1 1:1 2:0 3:1\n"
TABLE = "a;b;label\n1;2.5;0\n0;-3;1\n"


def datasets_made() -> list[dict[str, Any]]:
    found = []
    for scale, (name, given) in itertools.product(("none", "mean"), MADE):
        X, y = datasets.make(name, **given)
        plain = races.data_of(cdlab.Problem(datasets.scaled(X, scale), y, loss="squared"))
        found.append(
            {"name": f"{name} {given} {scale}", "generator": name, "given": given, "scale": scale, "data": plain}
        )
    X, y = datasets.load("mushrooms")
    file = presets.packed_set("mushrooms")
    found.append({"name": "mushrooms", "file": file, "data": races.data_of(cdlab.Problem(X, y, loss="squared"))})
    sparse = {"n": 3, "d": 3, "values": [0.5, -2e-3, 7, 1, 1], "indices": [0, 2, 1, 0, 2], "indptr": [0, 2, 3, 5]}
    dense = {"n": 2, "d": 2, "values": [1, 2.5, 0, -3]}
    found.append({"name": "text", "text": TEXT, "data": sparse | {"y": [1, -1, 1]}})
    found.append({"name": "table", "text": TABLE, "data": dense | {"y": [0, 1]}})
    return found


def datasets_packed() -> list[dict[str, Any]]:
    return [
        {"name": name, "file": presets.packed_set(name), "data": races.data_of(cdlab.Problem(X, y, loss="squared"))}
        for name in ("mushrooms", "abalone_scale")
        for X, y in [datasets.load(name)]
    ]
