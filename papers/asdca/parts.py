"""Shared parts of the items of ASDCA: data in place of the paper's, contenders, batch sizes as shares of n."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cdlab import Problem
from cdlab.datasets import Derived, steps
from cdlab.methods import ASDCA

from ..items import Case, Contender

LOSS = "smooth_hinge"
PASSES = {"quick": 100.0, "full": 300.0}  # Runs of Figure 1 have so many passes.
TEXT = (steps.Permute(seed=0), steps.UnitRows())
NEWS = Derived("news20.train", "news20.unigram", TEXT, "parts")
REUTERS = Derived("reuters", "reuters21578.earnacq", TEXT, "parts")
FOREST = (steps.PositiveClasses((1.0,)), steps.Permute(seed=0), steps.HoldOut(58_101))
SCALED = (steps.ColumnsToUnitInterval(), steps.UnitRows())
COV1 = Derived("cov1", "covtype", (*FOREST, *SCALED))
COV1_TENTH = Derived("cov1/10", "covtype", (*FOREST, steps.FirstRows(52_291, 5_810), *SCALED))

SDCA = Contender("SDCA", "sdca", "uniform")
AGD = Contender("AGD", "agd")


def batch_by_share(label: str, share: float, factor: float = 1.0) -> Contender:
    """ASDCA with blocks of a share of n, rounded, at least 1; `factor` times the theorem's step.

    With all of n nothing is drawn, and the one run has the passes of full in both modes: it is the slowest.
    """

    def settings(problem: Problem) -> dict[str, Any]:
        limit = {} if share < 1 else {"max_passes": PASSES["full"]}
        return {"method": ASDCA(batch_size=max(1, round(share * problem.n)), factor=factor), **limit}

    return Contender(label, "asdca", "uniform", settings, draws=share < 1)


def batches_by_tag(sizes: Sequence[int]) -> list[Contender]:
    """ASDCA with blocks of m, on the cases with this tag m."""
    return [Contender(f"m = {m}", ASDCA(batch_size=m), "uniform", where=partial(_has_size, m)) for m in sizes]


def _has_size(m: int, case: Case) -> bool:
    return bool(case.tags["m"] == m)
