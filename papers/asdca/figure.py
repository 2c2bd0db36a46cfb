"""Figure 1 of ASDCA, with its table of data: SDCA, AGD, and ASDCA with batches between them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from cdlab import Problem
from cdlab.methods.asdca import theta
from cdlab.plots import Panel

from .. import claims
from ..claims import PanelOutcome, RuleOutcome, decide
from ..items import Case, Claim, Contender, Item, Picture, Table
from ..judging import compare_passes, per_case, per_case_and_judge, reads, require_decision
from ..number_text import short_number
from ..results import CaseResult, Results, Undecided, case_panels
from . import parts
from .parts import AGD, COV1, COV1_TENTH, LOSS, NEWS, REUTERS, SDCA, batch_by_share

BATCH_SHARES = {"m = 1e-4 n": 1e-4, "m = 1e-3 n": 1e-3, "m = 0.01 n": 1e-2, "m = 0.1 n": 0.1, "m = n": 1.0}
SINGLE = batch_by_share("m = 1", 0.0)
BATCHES = [SINGLE, *(batch_by_share(label, share) for label, share in BATCH_SHARES.items())]
LONGER_STEPS = [
    replace(batch_by_share(f"{label}, step x 4", share, factor=4.0), modes=("full",))
    for label, share in {"m = 1": 0.0, **BATCH_SHARES}.items()
]
LEVEL, FOLLOW_LEVEL, ERROR_TOLERANCE = 1e-4, 1e-3, 0.002
MEASURES = {"": "e", "test_loss": "test loss", "test_error": "test 0-1 error"}
CASES = (
    Case("news20.train", NEWS, LOSS, stands_for="astro-ph", test=True, tags={"test": 7_527}),
    Case("reuters", REUTERS, LOSS, stands_for="CCAT", test=True, tags={"test": 3_022}),
    Case("cov1/10", COV1_TENTH, LOSS, test=True, modes=("quick",), tags={"test": 5_810}),
    Case("cov1", COV1, LOSS, test=True, modes=("full",), tags={"test": 58_101}),
)
PAPER_SIZES = [
    ("astro-ph", 29_882, 32_487, 99_757, 0.0008),
    ("CCAT", 781_265, 23_149, 47_236, 0.0016),
    ("cov1", 522_911, 58_101, 54, 0.2222),
]


@reads(SDCA.label, AGD.label, list(BATCH_SHARES)[:3])
def _examples_between(result: CaseResult) -> tuple[RuleOutcome, str]:
    """Examples to the level for the paper's own batches: monotone in m, and between SDCA's and AGD's."""
    labels = list(BATCH_SHARES)[:3]
    sizes = [result.reach(label, LEVEL, "examples") for label in labels]
    ends = [result.reach(each.label, LEVEL, "examples") for each in (SDCA, AGD)]
    outcome = require_decision(claims.rises([ends[0], *sizes, ends[1]], claims.MONOTONE_SLACK), LEVEL)
    return outcome, f"examples to e = {short_number(LEVEL)}: SDCA, {', '.join(labels)}, AGD"


def _smoothness(problem: Problem) -> dict[str, float]:
    """k = gamma l2 n/R^2, of which the theorem's theta is a function."""
    R2 = float(problem.row_profile.norms2.max())
    return {"k": problem.loss.gamma * problem.l2 * problem.n / R2, "n": problem.n}


def _theorem1(result: CaseResult, contender: Contender) -> tuple[RuleOutcome, str]:
    """m (P - P*) + n (D* - D), the mean over seeds, divided by the bound of Theorem 1, where that is largest."""
    traces = result.traces(contender.label)
    n, m = int(result.facts["n"]), int(traces[0].meta["settings"]["method"]["batch_size"])
    length = min(trace.column("iteration").size for trace in traces)
    best, slack = result.optimum.primal, result.optimum.certificate
    t = traces[0].column("iteration")[:length]
    left = np.mean(
        [m * (one.column("primal")[:length] - best) + n * (best - one.column("dual")[:length]) for one in traces],
        axis=0,
    )
    bound = left[0] * (1 - theta(result.facts["k"], m) * m / n) ** t
    known = bound > 100 * (m + n) * slack
    shares = (left / bound)[known]
    if shares.size < 3:
        raise Undecided("P* is not known well enough for it")
    outcome = decide(shares.max() <= 1 + 1e-9, "mean/bound <= 1", shares[1:].max(), shares.min(), shares[1:].max(), 1.0)
    return outcome, f"largest of {shares.size} epochs, mean over {len(traces)} seed{'s' if len(traces) > 1 else ''}"


def _error_follows(result: CaseResult, label: str) -> tuple[RuleOutcome, str]:
    """Epochs until the test error is near the optimum's, against those until e is small."""
    best = result.at_optimum("test_error")
    late = []
    for (_, e), trace in zip(result.curves(label), result.traces(label), strict=True):
        near = np.flatnonzero(np.abs(trace.column("test_error") - best) <= ERROR_TOLERANCE)
        small = np.flatnonzero(e <= FOLLOW_LEVEL)
        if near.size:
            late.append(float(near[0] - (small[0] if small.size else e.size)))
        elif small.size:
            late.append(float(e.size - small[0]))
    if not late:
        raise Undecided(f"{label} reached neither e = {FOLLOW_LEVEL:g} nor that test error")
    delay = float(np.median(late))
    outcome = decide(delay <= 0, "delay in epochs <= 0", delay, min(late), max(late), 0.0)
    return outcome, f"delay after e = {FOLLOW_LEVEL:g} (negative: before it); test error of the optimum {best:.2%}"


def _all_follow(results: Results) -> list[PanelOutcome]:
    labels = (SDCA.label, AGD.label, *(each.label for each in BATCHES))
    return per_case_and_judge({label: partial(_error_follows, label=label) for label in labels})(results)


def _plot_rows_by(results: Results, by: str) -> list[Panel]:
    """A row for each measure, a column for each set."""
    rows = [case_panels(by, column, y_label=label, x_log=True, y_log=not column) for column, label in MEASURES.items()]
    return [panel for row in rows for panel in row(results)]


FIG1 = Item(
    "asdca-fig1",
    "Figure 1",
    shows="Three data sets; suboptimality, test loss and test error against examples processed: SDCA is far ahead of "
    "the accelerated gradient method, and ASDCA with several batch sizes lies between them.",
    setup="Smoothed hinge, l2 = 1/n, w = 0; batches of 1e-4 n, 1e-3 n and 0.01 n (recollected), and added ones of 1, "
    "0.1 n and n. The paper's lambda and batch sizes are missing from our copy.",
    cases=CASES,
    contenders=[SDCA, AGD, *BATCHES, *LONGER_STEPS],
    facts=_smoothness,
    max_passes=parts.PASSES,
    claims=[
        Claim(
            "C1",
            "SDCA is much better than AGD",
            "AGD needs at least twice the passes, and twice the examples, of SDCA to e = 1e-4",
            per_case_and_judge(
                {by: compare_passes("SDCA", "AGD", claims.much_faster, LEVEL, by) for by in ("passes", "examples")}
            ),
        ),
        Claim(
            "C2",
            "ASDCA is quite similar to SDCA when m is not very large",
            "passes to e = 1e-4 within a factor 2 of SDCA's at m = 1e-4 n and at m = 1e-3 n",
            per_case_and_judge(
                {label: compare_passes(label, "SDCA", claims.comparable, LEVEL) for label in list(BATCH_SHARES)[:2]}
            ),
            why="At m = 1e-3 n on text the ratio is 0.27 and 0.29, and with four times the theorem's step "
            "(shown) 0.80 and 0.78; but at m = 1e-4 n, which is m = 1 there, that step gives 0.03 and 0.04. On "
            "cov1 it gives 0.48 and 0.24 in place of 0.18 and 0.10.",
        ),
        Claim(
            "C3",
            "ASDCA interpolates between SDCA and AGD",
            "examples to e = 1e-4 rise within 10% from SDCA over m = 1e-4 n, 1e-3 n and 0.01 n to AGD",
            per_case(_examples_between),
            why="At AGD's end: m = 0.01 n takes 4 times the examples of AGD on text. With four times the "
            "theorem's step (shown) it takes 1.1 times as many.",
        ),
        Claim(
            "C4",
            "(ours) the test losses follow",
            "the test 0-1 error is within 0.002 of the optimum's no later than e = 1e-3; every method",
            _all_follow,
        ),
        Claim(
            "C5",
            "(ours), of runs: Theorem 1: E[m (P - P*) + n (D* - D)] <= (1 - theta m/n)^t times its value at t = 0",
            "the mean over seeds is at most the bound, at every epoch where P* is known well enough; every m",
            per_case_and_judge({each.label: partial(_theorem1, contender=each) for each in BATCHES}),
        ),
    ],
    pictures=[
        Picture(
            lambda results: _plot_rows_by(results, "examples"),
            caption="Against examples processed, as in the paper: an iteration of AGD counts n.",
        ),
        Picture(
            lambda results: _plot_rows_by(results, "passes"),
            "passes",
            "Against passes, which count what AGD's line search visits.",
        ),
    ],
    notes=[
        "The gamma of the step is that of w -> phi(x_i'w), which is gamma/R^2. With rows longer than 1 the loss's "
        "own gamma makes ASDCA diverge, and one long row makes all steps small; rows here have norm 1 "
        "(tests/methods/test_asdca.py).",
        "The paper's alpha starts as alpha^(0) = 0, which is printed with a superscript t.",
        "The smoothed hinge is garbled in the paper: it is the one with gamma = 1 (tests/losses/test_losses.py).",
        "Cover type's positive class is 1 in cov1, and not 2 as in covtype.binary.",
        "On news20.train and reuters m = 1e-4 n rounds to 1: their panels of C2 with it say nothing about batches.",
        "The curves 'step x 4' leave out the 1/4 of the theorem's step; no theorem covers them, and no verdict uses "
        "them.",
    ],
    seconds=(75, 1000),
)


def _sizes(results: Results) -> list[Table]:
    rows: list[list[str | float]] = [
        [name, "the paper's, from memory", n, test, d, f"{share:.2%}"] for name, n, test, d, share in PAPER_SIZES
    ]
    for result in results.cases.values():
        conditions = result.conditions
        if conditions:
            share = conditions["nnz"] / (conditions["n"] * conditions["d"])
            which = f"here, for {result.case.stands_for}" if result.case.stands_for else "here"
            rows.append([result.name, which, conditions["n"], result.tags["test"], conditions["d"], f"{share:.2%}"])
    return [Table("Sizes", ["set", "which", "n", "test examples", "d", "nonzeros"], rows)]


DATA = Item(
    "asdca-data",
    "the table of data",
    shows="Sizes and sparsity of the three sets.",
    setup="The same of the sets in their place, beside the paper's from memory.",
    cases=[replace(case, test=False) for case in CASES],
    claims=[
        Claim(
            "C1",
            "sizes and sparsity of astro-ph, CCAT and cov1",
            "none: the table is shown",
            why="The table's numbers are missing from our copy, and two of the sets are not available; the sizes "
            "here are those of the sets in their place.",
        ),
    ],
    tables=_sizes,
    seconds=(15, 20),
)
