"""Tables 1 and 2 of ASDCA: iterations and examples in three regimes, by algebra and measured."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cdlab import theory
from cdlab.comparisons import loglog_slope
from cdlab.methods.asdca import theta
from cdlab.theory.evaluate import evaluate

from .. import claims
from ..claims import RuleOutcome, decide
from ..items import Case, Claim, Item, Table
from ..judging import across_cases, judge_computed
from ..number_text import short_number
from ..results import CaseResult, Results, Undecided
from .parts import LOSS, REUTERS, batches_by_tag

LEVEL = 1e-3
REUTERS_ROWS = 7780  # Reuters has so many examples.
QUICK_SIZES = (4, 16, 64)
REGIMES: dict[str, tuple[Callable[[int], float], float, tuple[int, ...]]] = {  # k = gamma l2 n/R^2, its exponent, sizes
    "1": (lambda m: 1.0, -0.5, (*QUICK_SIZES, 256, 1024, REUTERS_ROWS // 4)),
    "1/m": (lambda m: 1 / m, 0.0, (*QUICK_SIZES, 256)),
    "m": (lambda m: float(m), -1.0, (*QUICK_SIZES, 256, 1024, REUTERS_ROWS // 4)),
}
ROUNDING = 1e-12


def _case(regime: str, m: int) -> Case:
    k, exponent, _ = REGIMES[regime]
    predicted = 1 / theta(k(m), m)  # passes, without the logarithm
    return Case(
        f"k = {regime}, m = {m}",
        REUTERS,
        LOSS,
        f"{k(m)}/n",
        stands_for="a set of the paper",
        tags={"m": m, "k": regime, "exponent": exponent, "run": f"m = {m}"},
        max_passes=max(100.0, float(np.ceil(12 * predicted))),
        modes=("quick", "full") if m in QUICK_SIZES else ("full",),
    )


CASES = [_case(regime, m) for regime, (_, _, sizes) in REGIMES.items() for m in sizes]


def _algebra_errors(mode: str) -> dict[str, float]:
    """Largest relative errors of n/(m theta) against (5), and of (5) against its two ends."""
    K = theory.bound("asdca", "K")
    equal, one, all_of_them = [], [], []
    for n, k in product((10, 1000, 10**6), np.geomspace(1e-6, 1e6, 25)):
        values = {"n": n, "R": 1.0, "gamma": 1.0, "l2": k / n}
        for m in np.unique(np.geomspace(1, n, 13).astype(int)):
            equal.append(float(K.at(m=int(m), **values)) * m * theta(k, int(m)) / n)
        one.append(float(K.at(m=1, **values)) / (4 * max(n, n / k)))
        if k / n >= n**-2.0:
            all_of_them.append(float(K.at(m=n, **values)) / (4 * max(1.0, (n / k) ** 0.5)))
    names = ("(4) = (5)", "m = 1: 4 max(n, 1/(gamma l2))", "m = n: 4 max(1, 1/sqrt(gamma l2))")
    return {name: max(abs(x - 1) for x in each) for name, each in zip(names, (equal, one, all_of_them), strict=True)}


def _small_errors(result: dict[str, float]) -> dict[str, RuleOutcome]:
    rule = f"relative error <= {ROUNDING:g}"
    return {name: decide(error <= ROUNDING, rule, error, threshold=ROUNDING) for name, error in result.items()}


def _slope(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
    """How iterations to a level grow with m: like m to the case's exponent."""
    reached = {result.tags["m"]: result.reach(result.tags["run"], LEVEL, "iteration") for result in cases}
    if late := [f"m = {m}" for m, each in reached.items() if not each.reached]:
        raise Undecided(f"{', '.join(late)} did not reach e = {LEVEL:g}")
    sizes = np.repeat(list(reached), [each.low.size for each in reached.values()])
    slope = loglog_slope(sizes, np.concatenate([each.low for each in reached.values()]))
    outcome = claims.grows_like(slope, cases[0].tags["exponent"])
    return outcome, f"to e = {LEVEL:g}, m = {min(reached)} to {max(reached)}"


def _paper_and_measured(results: Results) -> list[Table]:
    """Tables 1 and 2, each with what was measured."""
    tables = []
    for name, by in (("asdca 1", "iteration"), ("asdca 2", "examples")):
        measured = [
            [result.tags["k"], result.tags["m"], result.reach(result.tags["run"], LEVEL, by).median[0]]
            for result in results.cases.values()
            if result.tags["run"] in result.by_label
        ]
        columns = ["gamma l2 n/R^2", "m", f"{by}, median"]
        tables += [Table.of_theory(theory.table(name)), Table(f"ASDCA, to e = {LEVEL:g}", columns, measured)]
    return tables


TAB1 = Item(
    "asdca-tab1",
    "Tables 1 and 2",
    shows="Iterations of SDCA, ASDCA and AGD where gamma lambda n is about 1, 1/m and m; and the examples that "
    "they process.",
    setup="The tables are rebuilt from (5): their numbers are missing from our copy. Runs on reuters, smoothed hinge, "
    "m = 4 to n/4 (to 256 where k = 1/m, which takes 4 m passes per unit of ln(1/e)), with k = gamma l2 n/R^2.",
    cases=CASES,
    contenders=batches_by_tag(sorted({m for _, _, sizes in REGIMES.values() for m in sizes})),
    levels=(1e-1, 1e-2, LEVEL),
    tol=LEVEL / 2,
    compute=_algebra_errors,
    claims=[
        Claim(
            "C1",
            "(4) equals (5); m = 1 is like SDCA, m = n like AGD",
            "relative errors <= 1e-12 on a grid of n, m and k; m = n for gamma l2 >= n^-2",
            judge_computed(_small_errors),
        ),
        Claim(
            "C2",
            "(ours), of runs: ASDCA's iterations: n/sqrt(m), n, n/m",
            "log-log slopes in m of the iterations to e = 1e-3 within 0.15 of -1/2, 0 and -1",
            across_cases(_slope, by="k"),
            why="With k = 1/m it took 2.6, 1.0, 3.0 and 6.4 n iterations at m = 4, 16, 64 and 256, where the bound has "
            "4 n ln(1/e) for every m. The cause is not known.",
        ),
    ],
    tables=_paper_and_measured,
    notes=[
        "The last term of the step is (gamma lambda n)^(2/3)/m^(1/3); in two places of (5) it is unclear what stands "
        "under the printed root (tests/theory/test_asdca_bounds.py).",
        "m = n equals the accelerated gradient method only if gamma lambda >= n^-2; the paper does not say so "
        "(tests/theory/test_asdca_bounds.py).",
        "C1 is nearly unfalsifiable: it checks algebra of formulas that are rebuilt.",
    ],
    seconds=(15, 300),
)

# ------------------------------------------------------------ parallel nodes
# These facts are recollected.
CCAT = {"n": 781_265, "d": 47_236, "nnz": 59_048_008, "R": 1.0, "gamma": 1.0, "l2": 1 / 781_265}
NODES, NUMBER_COSTS, CHANNEL_COSTS = (4, 16, 64), (0.1, 1.0, 10.0), (0.0, 1e3, 1e5, 1e7)
CUBE_NODES = (2, 4, 8, 16, 32, 64)


class TimeCell(NamedTuple):
    """Times of one cell of the model, in visited nonzeros of one machine."""

    nodes: int
    unit: float
    opening: float
    sdca: float
    asdca: float
    agd: float
    m: int  # the best batch of the better partition
    partition: str
    m_features: int  # the best batch by features

    @property
    def first(self) -> str:
        """The fastest distributed method."""
        times = {"SDCA": self.sdca, "ASDCA": self.asdca, "AGD": self.agd}
        return min(times, key=lambda name: times[name])


def rounds(s: int, task: str) -> int:
    """Rounds that s nodes of a hypercube take until all know everything, or the first the sum.

    In round r each node exchanges what it has with its neighbour along dimension r.

    Parameters
    ----------
    s : int
        A power of 2.
    task : {"broadcast", "all-to-all", "sum"}
        What must be known at the end: one node's message by all, all messages by all, all by the first.
    """
    known = [{i} if task != "broadcast" or i == 0 else set() for i in range(s)]
    wanted = {0} if task == "broadcast" else set(range(s))
    who = range(1) if task == "sum" else range(s)
    done = 0
    while not all(known[i] >= wanted for i in who):
        known = [known[i] | known[i ^ (1 << done)] for i in range(s)]
        done += 1
    return done


def _log2_rounds(result: dict[str, dict[int, int]]) -> dict[str, RuleOutcome]:
    return {
        task: decide(
            all(2**r == s for s, r in each.items()),
            "rounds - log2 s = 0",
            max(abs(r - (s.bit_length() - 1)) for s, r in each.items()),
        )
        for task, each in result.items()
    }


def _table3(results: Results) -> list[Table]:
    return [
        Table.of_theory(theory.table("asdca 3")),
        Table(
            "Rounds on a hypercube",
            ["nodes", *results.computed],
            [[s, *(each[s] for each in results.computed.values())] for s in CUBE_NODES],
        ),
    ]


TAB3 = Item(
    "asdca-tab3",
    "Table 3",
    shows="Runtime and communication of an iteration on s nodes that hold features or examples.",
    setup="Rebuilt from the paper's prose: its numbers are missing from our copy. Broadcasts and sums on a hypercube "
    "are simulated.",
    compute=lambda mode: {t: {s: rounds(s, t) for s in CUBE_NODES} for t in ("broadcast", "all-to-all", "sum")},
    notes=["C1 is nearly unfalsifiable: it is what a hypercube is."],
    claims=[
        Claim(
            "C1",
            "broadcasting and summing on a hypercube take log s rounds",
            "simulated rounds equal log2 s for s = 2 to 64: broadcast, all-to-all, sum",
            judge_computed(_log2_rounds),
        ),
    ],
    tables=_table3,
)


def time_cell(s: int, unit: float, opening: float) -> TimeCell:
    """One cell: best batches by differentiation, K = 2n, 4n/sqrt(m) and 2 sqrt(n)."""
    on = {**CCAT, "nodes": s, "unit": unit, "opening": opening}
    sizes = {p: min(CCAT["n"], theory.best_batch("asdca", p).at(**on)) for p in ("features", "examples")}
    times = {p: float(theory.parallel_time("asdca", p).at(m=m, **on)) for p, m in sizes.items()}
    better = min(times, key=lambda p: times[p])
    gradient = theory.parallel_time("fista", "examples")
    iteration = evaluate(gradient.runtime + gradient.overhead, on, "an iteration of AGD")
    sdca = float(theory.parallel_time("sdca", "features").at(**on))
    agd = 2 * CCAT["n"] ** 0.5 * float(iteration)
    return TimeCell(s, unit, opening, sdca, times[better], agd, int(sizes[better]), better, int(sizes["features"]))


def _all_cells(mode: str) -> list[TimeCell]:
    return [time_cell(*each) for each in product(NODES, NUMBER_COSTS, CHANNEL_COSTS)]


def _asdca_first_somewhere(cells: list[TimeCell]) -> dict[str, RuleOutcome]:
    first = [c for c in cells if c.asdca < min(c.sdca, c.agd) and 1 < c.m < CCAT["n"]]
    return {f"{len(cells)} cells": decide(bool(first), "cells with ASDCA first >= 1", len(first), threshold=1.0)}


def _without_opening(cells: list[TimeCell]) -> dict[str, RuleOutcome]:
    largest = max(c.m_features for c in cells if c.opening == 0)
    return {"opening = 0": decide(largest == 1, "best m by features = 1", largest)}


def _cell_table(results: Results) -> list[Table]:
    alone = 2 * CCAT["nnz"]  # SDCA with K = 2n on one node
    rows: list[list[Any]] = []
    for c in results.computed:
        best = min(c.sdca, c.asdca, c.agd)
        times = [short_number(t / 1e9) for t in (c.sdca, c.asdca, c.agd)]
        rows.append(
            [
                c.nodes,
                c.unit,
                c.opening,
                *times,
                c.m,
                c.partition,
                c.first,
                short_number(alone / 1e9),
                "one node" if alone < best else "distributed",
            ]
        )
    beaten = sum(row[-1] == "one node" for row in rows)
    title = (
        "Times per unit of ln(1/e), in 1e9 visited nonzeros. SDCA on one node that holds all data is faster than "
        f"every distributed method in {beaten} of {len(rows)} cells"
    )
    columns = [
        "nodes",
        "cost of a number",
        "of a channel",
        "SDCA by features",
        "ASDCA",
        "AGD",
        "m of ASDCA",
        "split by",
        "fastest distributed",
        "SDCA on one node",
        "fastest overall",
    ]
    return [Table(title, columns, rows)]


PARALLEL = Item(
    "asdca-parallel",
    "parallel time",
    shows="SDCA by features pays only if s log^2 s is far below the nonzeros of a row (recollected). With a cost of "
    "opening channels, ASDCA with a suitable m may outperform both SDCA and AGD.",
    setup="The model of time of the paper's prose with CCAT's recollected sizes at gamma lambda n = 1, for data that "
    "fit on no single node; costs in visited nonzeros; 4, 16 and 64 nodes.",
    compute=_all_cells,
    claims=[
        Claim(
            "C1",
            "with a cost of opening channels ASDCA with a suitable m may outperform both",
            "ASDCA is strictly first with 1 < m < n in at least one cell",
            judge_computed(_asdca_first_somewhere),
        ),
        Claim(
            "C2",
            "(ours) without such a cost, a batch by features gains nothing",
            "with opening = 0 the best m by features is 1 in every cell",
            judge_computed(_without_opening),
        ),
    ],
    tables=_cell_table,
    notes=["'One node' breaks the paper's premise that the data do not fit on one."],
    seconds=(20, 20),
)

ROW_NONZEROS = (10, 76, 1_000, 10_000, 100_000)  # Rows have so many nonzeros; 76 are CCAT's.
MORE_NODES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def _speed_ups(mode: str) -> dict[int, dict[int, float]]:
    """By the nonzeros of a row and the number of nodes, how much faster SDCA by features is than one node."""
    time = theory.parallel_time("sdca", "features")
    result: dict[int, dict[int, float]] = {}
    for row in ROW_NONZEROS:
        on = {**CCAT, "nnz": row * CCAT["n"], "unit": 1.0}
        times = {s: float(time.at(nodes=s, opening=0.0, **on)) for s in (1, *MORE_NODES)}
        result[row] = {s: times[1] / times[s] for s in MORE_NODES}
    return result


def _pays(row: int, s: int) -> bool:
    return bool(s * (s.bit_length() - 1) ** 2 < row)


def _no_speed_up_beyond(result: dict[int, dict[int, float]]) -> dict[str, RuleOutcome]:
    outcomes = {}
    for row, gains in result.items():
        largest = max(gain for s, gain in gains.items() if not _pays(row, s))
        outcomes[f"{row} nonzeros a row"] = decide(largest <= 1, "largest speed-up <= 1", largest, threshold=1.0)
    return outcomes


def _speed_up_table(results: Results) -> list[Table]:
    rows = [
        [s, *(short_number(gains[s]) + ("" if _pays(row, s) else " *") for row, gains in results.computed.items())]
        for s in MORE_NODES
    ]
    title = "Speed-ups by s nodes that hold features; * where s log^2 s is at least the nonzeros of a row"
    return [Table(title, ["s", *(f"{row} nonzeros a row" for row in results.computed)], rows)]


NODES_PAY = Item(
    "asdca-s",
    "speed-up by s nodes",
    shows="SDCA by features gains from s nodes only if s log^2 s is far below the nonzeros of a row (formula missing "
    "from our copy).",
    setup="The model of time of asdca-parallel with a unit of 1 a number and no cost of opening channels.",
    compute=_speed_ups,
    claims=[
        Claim(
            "C1",
            "(ours) no speed-up where s log^2 s is at least the nonzeros of a row",
            "largest speed-up there <= 1, for 10 to 100,000 nonzeros a row and 2 to 1,024 nodes",
            judge_computed(_no_speed_up_beyond),
        ),
    ],
    tables=_speed_up_table,
)
