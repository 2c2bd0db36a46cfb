"""Other bandwidths of the random Fourier features than the median distance: the paper gives none."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..cases import Case, Contender
from ..found import NotRun, Results
from ..items import Table
from ..wording import short
from . import parts
from .parts import APPA, SDCA, best, ending, misclassified, trial

WIDTHS = (0.5, 2.0)  # times the median distance, which the paper does not give either
BESIDE = {trial(method, k) for method in (APPA, SDCA) for k in range(-6, -1)}  # trials with these bandwidths


def cases() -> list[Case]:
    """The random features of the squared loss with other bandwidths, in full."""
    made = []
    for name, make in (("mnist.rff", parts.mnist), ("covtype.rff", parts.covtype)):
        rows, test = parts.SIZES[name]["full"]
        made += [
            Case(f"{name}, {width:g} s, squared, n = {rows}", make(rows, test, width), "squared", 0.0, test=True,
                 stands_for=parts.MAKE[name][1], modes=("full",), judged=False,
                 tags={"set": name, "loss": "squared", "test": test, "width": width})
            for width in WIDTHS
        ]  # fmt: skip
    return made


def few_beside(each: Contender) -> Contender:
    """The contender, not run with other bandwidths unless it is one of the few that are."""
    return each if each.label in BESIDE else replace(each, where=lambda case: "width" not in case.tags and (
        each.where is None or each.where(case)))  # fmt: skip


def tables(results: Results) -> list[Table]:
    """The best trials with other bandwidths."""
    rows: list[list[Any]] = []
    for found, method in product([each for each in results.founds.values() if "width" in each.tags], (APPA, SDCA)):
        try:
            power, label = best(found, method, range(-6, -1))
            error = np.median(ending(found, label, misclassified(found)))
        except NotRun:
            continue
        rows.append([found.name, method, short(10.0**power), float(np.median(found.last(label))), f"{error:.2%}"])
    columns = ["problem", "method", "lambda", "final e", "test error"]
    return [Table("Other bandwidths of the features, lambda = 1e-6 to 1e-2", columns, rows)] if rows else []
