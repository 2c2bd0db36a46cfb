"""Other bandwidths of the random Fourier features than the median distance: the paper gives none."""

from __future__ import annotations

from dataclasses import replace

from ..cases import Case, Contender
from ..found import Results
from ..items import Table
from . import parts
from .parts import APPA, SDCA, trial

WIDTHS = (0.5, 2.0)  # times the median distance, which the paper does not give either
TRIED = range(-6, -1)  # powers of 10
BESIDE = {trial(method, k) for method in (APPA, SDCA) for k in TRIED}  # trials with these bandwidths


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
    other = [found for found in results.founds.values() if "width" in found.tags]
    title = "Other bandwidths of the features, lambda = 1e-6 to 1e-2"
    table = parts.best_trials(title, other, (APPA, SDCA), TRIED)
    return [table] if table.rows else []
