"""What the page's engine offers: methods, losses, regularisers and samplings, and a small problem of each kind."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import cdlab
from cdlab import datasets, losses, methods, samplings
from cdlab.methods import Method
from cdlab.problems.problem import Problem

METHODS = (
    *("sdca", "quartz", "rcd", "spdc", "apcg", "acc_rcd", "adasdca", "greedy", "saga", "svrg", "sgd", "gd", "agd"),
    "appa",
)
IN_BATCHES = ("quartz", "rcd")  # which take batch_size here
LOSSES = ("logistic", "smooth_hinge", "squared", "hinge")
SAMPLINGS = ("uniform", "importance", "norms", "permutation", "fixed_permutation", "cyclic", "symmetric")
DENSITIES = {"sparse": 0.05, "dense": 1.0}
WEIGHTS = {"L2": {"l2": 1e-3}, "ElasticNet": {"l2": 1e-3, "l1": 1e-4}}


def problem(storage: str, loss: str, weights: str, n: int = 60, d: int = 20, seed: int = 0) -> Problem:
    """A small problem of one kind."""
    task = "classification" if losses.resolve(loss).classification else "regression"
    X, y = datasets.make(n=n, d=d, density=DENSITIES[storage], skew=1.0, row_spread=0.5, task=task, seed=seed)
    return cdlab.Problem(X, y, loss=loss, **WEIGHTS[weights])


def resolve(name: str, batch: int | None = None) -> Method:
    """The method that the page calls so."""
    return methods.resolve(name) if batch is None else methods.METHODS[name](batch_size=batch)


def cells(
    only_methods: tuple[str, ...] = (), only_losses: tuple[str, ...] = (), **size: Any
) -> Iterator[tuple[str, Method, Problem]]:
    """(name, method, problem) of all that fit; a method that takes batches comes with and without them."""
    uniform = samplings.resolve("uniform")
    for storage, loss, weights in itertools.product(DENSITIES, only_losses or LOSSES, WEIGHTS):
        P = problem(storage, loss, weights, **size)
        for name in only_methods or METHODS:
            for batch in (None, 4)[: 1 + (name in IN_BATCHES)]:
                method = resolve(name, batch)
                if method.refusal(P, uniform) is None:
                    in_batches = "" if batch is None else f" by {batch}"
                    yield f"{name}{in_batches} {storage} {loss} {weights}", method, P
