"""Made-up results, of which every passes-to-a-level is known; and a paper of a moment."""

import math

import cdlab
from cdlab.runs.trace import Record, Trace
from papers import Case, Claim, Contender, GeneratedData, Item, Paper, Picture, claims
from papers.judging import compare_passes, per_case
from papers.planning import REFERENCE, CasePlan
from papers.results import CaseResult, Results

X, y = cdlab.datasets.make(n=40, d=8, seed=0)


def falling(passes_to_1e4, last=1e-8, dual=-math.inf):
    """A trace whose e falls from 1 to `last` on a straight line on a log scale; P(0) = 1, P* = 0."""
    decades = -math.log10(last)
    steps = [k / 4 for k in range(int(4 * decades) + 1)]
    values = [(k, passes_to_1e4 * x / 4, 10.0**-x) for k, x in enumerate(steps)]
    records = [Record(k, passes, 0.0, primal, dual, primal - dual, math.nan) for k, passes, primal in values]
    meta = {"label": "made up", "side": "dual", "status": "pass limit", "settings": {"max_passes": 1.0, "method": {}}}
    return Trace(records, meta)


def found(case="one", dual=0.0, item=None, **by_label):
    """A case with these runs: lists of passes to e = 1e-4, or of traces, one for each seed; None: not run."""
    traces = {
        label: {k: run if isinstance(run, Trace) else falling(run) for k, run in enumerate(runs) if run is not None}
        for label, runs in by_label.items()
    }
    optimum = Trace([Record(0, 0.0, 0.0, 1.0, dual, 1.0, math.nan), Record(1, 1.0, 0.0, 0.0, dual, 0.0, math.nan)], {})
    case = case if isinstance(case, Case) else Case(case, "mushrooms", stands_for="toadstools")
    plan = CasePlan(case, seeds={REFERENCE: [0]} | {label: list(range(len(runs))) for label, runs in by_label.items()})
    plan.runs = {(label, seed): None for label, seeds in plan.seeds.items() for seed in seeds}
    return CaseResult(item or Item("i", "", "", "", []), plan, {REFERENCE: {0: optimum}, **traces})


def results(*founds):
    return Results(founds[0].item, "quick", {each.name: each for each in founds})


def _much_faster(a, b):
    return per_case(compare_passes(a, b, claims.much_faster))


def _panels(results):
    return [
        cdlab.plots.Panel(curves, each.name) for each in results.cases.values() if (curves := each.labelled_curves())
    ]


def paper(**changed):
    """A figure of two problems and two methods, and a table without runs."""
    data = GeneratedData("small", lambda: (X, y), "datasets.make(n=40, d=8, seed=0)")
    figure = {
        "cases": [Case("strong", data, l2=0.1), Case("weak", data, l2="1/n", stands_for="large")],
        "contenders": [Contender("sdca", "sdca", "permutation"), Contender("gd", "gd")],
        "seeds": [0, 1], "max_passes": 60, "tol": 1e-6, "levels": (1e-1, 1e-2, 1e-3),
        "claims": [
            Claim("C1", "much faster", "ratio >= 2", _much_faster("sdca", "gd")),
            Claim("C2", "much slower", "ratio <= 1/2", _much_faster("gd", "sdca"), why="No."),
            Claim("C3", "beautiful", "none", why="There is no measure of beauty."),
        ],
        "pictures": [Picture(_panels)],
    }  # fmt: skip
    items = [
        Item("small-fig", "Figure 1", "Curves.", "The same.", **(figure | changed)),
        Item("small-tab", "Table 1", "One.", "One.", [Claim("C1", "1 = 1", "equal")]),
    ]
    return Paper("small", "A small paper", "Nobody (2000).", items, untested=[("it is short", "No experiment.")])
