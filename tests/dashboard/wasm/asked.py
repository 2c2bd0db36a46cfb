"""Data, bounds and refusals in Python, which node must give, too."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import races

import cdlab
from cdlab import datasets, methods, samplings, theory
from cdlab.dashboard.frontend.wasm import cells, presets

PASSES = [0.0, 0.5, 1.0, 7.0, 40.0, 300.0]
PROBLEMS = (
    ("logistic", {"loss": "logistic", "l2": 1e-3}),
    ("elastic", {"loss": "smooth_hinge", "l2": 1e-2, "l1": 1e-4}),
    ("hinge", {"loss": "hinge", "l2": 1e-2}),
    ("squared", {"loss": "squared", "l2": 1e-4}),
)
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


def problems() -> list[tuple[str, cdlab.Problem]]:
    sparse = datasets.make(n=400, d=100, density=0.05, skew=1.0, row_spread=0.5, seed=1)
    dense = datasets.make(n=60, d=30, seed=1)
    return [
        (f"{storage} {name}", cdlab.Problem(*data, **weights))
        for storage, data in (("sparse", sparse), ("dense", dense))
        for name, weights in PROBLEMS
    ]


def questions() -> list[dict[str, Any]]:
    single = [
        {"method": method, "sampling": sampling, "on": on, "passes": PASSES}
        for method, sampling, on in itertools.product(cells.METHODS, cells.SAMPLINGS, ("own", "gap"))
    ]
    return single + [
        {"method": method, "sampling": "uniform", "on": on, "batch": 8, "passes": PASSES}
        for method, on in itertools.product(cells.IN_BATCHES, ("own", "gap"))
    ]


def answer(problem: cdlab.Problem, method: str, sampling: str, on: str, passes: list[float], batch: int | None = None):
    drawn = sampling if batch is None else samplings.TauNice(batch)
    refusal = methods.resolve(method).refusal(problem, samplings.resolve(sampling))
    try:
        b = theory.bound(method, "passes", sampling=drawn).per("passes")
        b = b.on_gap() if on == "gap" else b
        value = b.for_problem(problem, 1e-6)
    except ValueError as error:
        return {"value": None, "refused": str(error), "curve": None, "refusal": refusal}
    try:
        curve = np.asarray(b.curve(problem, np.array(passes))).tolist()
    except ValueError:
        curve = None
    return {"value": value, "refused": "", "curve": curve, "refusal": refusal}


def asked() -> list[dict[str, Any]]:
    return [
        {"name": name, "data": races.data_of(P), "weights": races.weights_of(P), "questions": questions()}
        for name, P in problems()
    ]
