"""Methods, losses, regularisers and samplings that the page's engine offers, and a small problem of each kind."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from .... import datasets, losses, methods, samplings
from ....methods import Method
from ....problems.problem import Problem

METHODS = (
    *("sdca", "quartz", "rcd", "spdc", "apcg", "acc_rcd", "adasdca", "greedy", "saga", "svrg", "sgd", "gd", "agd"),
    *("appa", "asdca"),
)
IN_BATCHES = ("sdca", "quartz", "rcd", "asdca", "saga", "apcg", "acc_rcd")  # which take batch_size here
BATCH = 4  # of the cells
LOSSES = ("logistic", "smooth_hinge", "squared", "hinge")
SAMPLINGS = (
    *("uniform", "importance", "norms", "permutation", "paired_permutation", "fixed_permutation", "cyclic"),
    "symmetric",
)
DENSITIES = {"sparse": 0.05, "dense": 1.0}
WEIGHTS = {"L2": {"l2": 1e-3}, "ElasticNet": {"l2": 1e-3, "l1": 1e-4}}


def problem(storage: str, loss: str, weights: str, n: int = 60, d: int = 20, seed: int = 0) -> Problem:
    """A small problem of one kind."""
    task = "classification" if losses.resolve(loss).classification else "regression"
    X, y = datasets.make(n=n, d=d, density=DENSITIES[storage], skew=1.0, row_spread=0.5, task=task, seed=seed)
    return Problem(X, y, loss=loss, **WEIGHTS[weights])


def resolve(name: str, batch: int | None = None) -> Method:
    """The method that the page calls so."""
    return methods.resolve(name) if batch is None else methods.METHODS[name](batch_size=batch)


def cells(only: str = "", **size: Any) -> Iterator[tuple[str, Method, Problem]]:
    """(name, method, problem) of all that fit and whose name matches a regular expression.

    Names are "sdca sparse logistic L2", or "quartz by 4 sparse logistic L2" where it takes batches.
    """
    for storage, loss, weights in itertools.product(DENSITIES, LOSSES, WEIGHTS):
        named = [
            (f"{name}{'' if batch is None else f' by {batch}'} {storage} {loss} {weights}", name, batch)
            for name in METHODS
            for batch in (None, BATCH)[: 1 + (name in IN_BATCHES)]
        ]
        asked = [each for each in named if re.search(only, each[0])]
        P = problem(storage, loss, weights, **size) if asked else None
        for cell, name, batch in asked:
            method = resolve(name, batch)
            if method.refusal(P, samplings.resolve("uniform")) is None:
                yield cell, method, P
