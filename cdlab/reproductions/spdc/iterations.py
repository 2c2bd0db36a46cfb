"""What one iteration of SPDC costs, and what APCG needs beside: lazy updates, and the extra primal step."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...comparisons import loglog_slope
from ...comparisons.claims import Outcome
from ...plots.panels import Curve, Panel
from ...problems.problem import Problem
from ...runs.iterating import iterate
from ..cases import Case, Contender
from ..found import NotRun, Results
from ..items import Claim, Item, Picture
from ..judging import Judged
from . import parts
from .parts import PAPER

EPOCHS, FLAT = 40, 0.1
REGULARISERS = {"L2": 0.0, "L1 + L2": 1e-4}


def nanoseconds(problems: dict[int, Problem], epochs: int) -> dict[int, float]:
    """By key: the least time of an iteration over epochs, which the problems run in turns: all share the noise."""
    runs = {d: iterate(problem, "spdc", seed=0) for d, problem in problems.items()}
    for run in runs.values():
        next(run)
    before = dict.fromkeys(runs, 0.0)
    least = dict.fromkeys(runs, np.inf)
    for _ in range(epochs):
        for d, run in runs.items():
            now = next(run).seconds
            least[d], before[d] = min(least[d], now - before[d]), now
    return {d: 1e9 * least[d] / problems[d].n for d in runs}


def _times(mode: str) -> dict[str, dict[int, float]]:
    """By regulariser, then by d; empty without the data."""
    try:
        X, y, _ = parts.reuters().load()
    except OSError:
        return {}
    X, (n, d) = sp.csr_matrix(X), X.shape
    wider = (d, 10**5, 10**6) if mode == "quick" else (d, 10**5, 10**6, 10**7)
    padded = {each: sp.csr_matrix((X.data, X.indices, X.indptr), shape=(n, each)) for each in wider}
    return {
        name: nanoseconds({d: Problem(A, y, parts.LOSS, l2=1 / n, l1=l1) for d, A in padded.items()}, EPOCHS)
        for name, l1 in REGULARISERS.items()
    }


def _flat(results: Results) -> list[Judged]:
    if not results.computed:
        raise NotRun("the data are not here: reuters21578.earnacq")
    return [Judged(name, (), _slope(found)) for name, found in results.computed.items()]


def _slope(found: dict[int, float]) -> Outcome:
    slope = loglog_slope(list(found), list(found.values()))
    return Outcome(bool(abs(slope.value) <= FLAT), f"|slope| <= {FLAT:g}", *slope, False, threshold=FLAT)


def _drawn(results: Results) -> list[Panel]:
    curves = [Curve(name, "", [(list(found), list(found.values()))]) for name, found in results.computed.items()]
    return [Panel(curves, x_label="d", y_label="ns an iteration", x_log=True)] if curves else []


LAZY = Item(
    "spdc-lazy", PAPER, "section 4, lazy updates",
    shows="With sparse data the time of an iteration does not depend on d.",
    here="reuters with columns of zeros appended, up to d = 1e6 (in full 1e7); the sizes run in turns, the least time "
    f"of {EPOCHS} epochs.",
    compute=_times,
    claims=[
        Claim("C1", "an iteration costs as much as the nonzeros of a row, whatever d",
              "slope of its time in d between -0.1 and 0.1, with L2 and with L1 + L2", _flat),
    ],
    pictures=[Picture(_drawn, columns=1)],
    seconds=(10, 60),
)  # fmt: skip

APCG = Item(
    "spdc-apcg", PAPER, "section 1.3, on APCG",
    shows="APCG needs an extra primal step for its guarantee, SPDC does not.",
    here="news20.unigram, smoothed hinge, l2 = 1e-6: P at APCG's w(alpha), after its primal step, and at SPDC's x.",
    cases=[Case("news20.unigram", parts.text("news20.unigram"), parts.LOSS, 1e-6, stands_for=parts.RCV1,
                tags={"l2": 1e-6})],
    contenders=[
        parts.SPDC, Contender("APCG", "apcg"),
        Contender("APCG with its primal step", "apcg", settings={"primal_step": True}),
    ],
    max_passes={"quick": 70, "full": 100},
    claims=[
        Claim("C1", "APCG needs an extra primal step for its guarantee", "none",
              why="It is about guarantees; the picture shows P at both points."),
    ],
    pictures=[Picture(parts.curves, columns=1)],
    seconds=(40, 60),
)  # fmt: skip

ITEMS = (LAZY, APCG)
