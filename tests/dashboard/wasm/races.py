"""Runs in Python that node must repeat from the same data and seed, as plain values."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from cdlab import samplings
from cdlab.dashboard.frontend.wasm import cells
from cdlab.methods import Method
from cdlab.problems.certificates import certificate
from cdlab.problems.problem import Problem

KEPT_BY_PYTHON = {"passes", "epochs", "gradients", "extra", "L_f", "words"}  # what the page keeps in another way
SCRATCH = {"gd": {"v"}, "agd": {"v", "y", "zy", "T", "slope_y", "slope_T"}}  # arrays of Python's kernels alone


def data_of(problem: Problem) -> dict[str, Any]:
    """X and y as `Data` of types.d.ts, with lists."""
    n, d = problem.n, problem.d
    if isinstance(problem.X, np.ndarray):
        return {"n": n, "d": d, "values": problem.X.ravel().tolist(), "y": problem.y.tolist()}
    lists = {name: getattr(problem.X, name).tolist() for name in ("indices", "indptr")}
    return {"n": n, "d": d, "values": problem.X.data.tolist(), "y": problem.y.tolist()} | lists


def weights_of(problem: Problem) -> dict[str, Any]:
    return {"loss": problem.loss.name, "l2": problem.l2, "l1": problem.l1}


def run(method: Method, problem: Problem, sampling: str, epochs: int, seed: int) -> dict[str, Any]:
    """What a run by seed has after every epoch, and its last state."""
    drawn = samplings.resolve(sampling)
    P, S = method.view(problem), method.init(problem, drawn)
    orders = method.orders(problem, drawn, np.random.default_rng(seed))
    records = []
    for _ in range(epochs):
        order = next(orders)
        S = method.epoch(P, S, order)
        c = certificate(problem, method.points(problem, S), None)
        records.append({"P": c.primal, "D": c.dual, "visits": float(method.count(problem, S, order).visits)})
    if method.name == "appa":
        S = S.stage.state
    return {
        "method": method.name,
        "batch": method.parameters.get("batch_size"),
        "sampling": sampling,
        "seed": seed,
        "data": data_of(problem),
        "weights": weights_of(problem),
        "records": records,
        "state": {path: np.ravel(value).tolist() for path, value in leaves(S, SCRATCH.get(method.name, set())).items()},
    }


def leaves(value: Any, scratch: Set[str] = frozenset()) -> dict[str, Any]:
    """Arrays and numbers of a state but for scratch, by path."""
    if not hasattr(value, "_fields"):
        return {"": value}
    return {
        f"{name}.{path}".rstrip("."): leaf
        for name in value._fields
        if name not in KEPT_BY_PYTHON | scratch
        for path, leaf in leaves(getattr(value, name)).items()
        if isinstance(leaf, np.ndarray | float | int) and np.size(leaf)
    }


def cell_runs(only: str = "", epochs: int = 20) -> list[dict[str, Any]]:
    """Every cell whose name matches, drawn uniformly."""
    return [
        {"name": name} | run(method, problem, "uniform", epochs, seed=0)
        for name, method, problem in cells.cells(only, n=80, d=30)
    ]


def sampling_runs(methods: tuple[str, ...], losses: tuple[str, ...], batches: tuple[int, ...]) -> list[dict[str, Any]]:
    """Every sampling that a method takes, on sparse data with an empty row and column; and batches."""
    found = []
    for seed, loss in enumerate(losses, 3):
        problem = cells.problem("sparse", loss, "L2", n=120, d=60, seed=2)
        for name in methods:
            method = cells.resolve(name)
            for sampling in cells.SAMPLINGS:
                if method.refusal(problem, samplings.resolve(sampling)) is None:
                    found.append({"name": f"{name} {sampling} {loss}"} | run(method, problem, sampling, 12, seed))
            for batch in batches if name in cells.IN_BATCHES else ():
                of_many = cells.resolve(name, batch)
                found.append({"name": f"{name} by {batch} {loss}"} | run(of_many, problem, "uniform", 12, seed))
    return found
