"""The items of ASDCA: naive mini-batches, the hypercube and the model of time, and the figure end to end."""

import math
from dataclasses import replace

import numpy as np
import pytest
from cases import each_of

from cdlab import Problem, datasets, solve
from cdlab.datasets import Derived, steps
from cdlab.methods import METHODS
from cdlab.samplings import Batches
from cdlab.sweeps.numerics_digest import numerics_digest
from papers import Case, reproduce
from papers.asdca import PAPER, figure, naive, tables
from papers.asdca.naive_sdca import NaiveSDCA

X, y = datasets.make(n=30, d=6, seed=0)
P = Problem(X, y, "smooth_hinge", l2=1 / 30)


def test_naive_batches_add_the_exact_steps_of_single_examples():
    method = NaiveSDCA(batch_size=4)
    S = method.init(P, "uniform")
    before, block = P.w(S.alpha), np.array([3, 7, 11, 20], dtype=np.uint64)
    method.epoch(method.view(P), S, Batches(block, np.array([0, 4], dtype=np.uint64)))
    for i in block:
        q, u = P.row_profile.norms2[i] / (P.l2 * P.n), P.predict(before)[i]
        assert S.alpha[i] == pytest.approx(-P.loss.dualprox(u, 0.0, q, P.y[i]))
    assert np.count_nonzero(S.alpha) <= 4
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-15)


def test_naive_batches_of_one_are_sdca():
    ours, theirs = (
        [r.primal for r in solve(P, method, seed=1, max_passes=5, tol=0, every=1).trace.records]
        for method in (NaiveSDCA(), "sdca")
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_naive_batches_of_equal_examples_overshoot_by_the_size_of_the_batch():
    same = Problem(np.ones((8, 1)), np.ones(8), "squared", l2=1e-3)
    s = solve(same, NaiveSDCA(batch_size=8), max_passes=20, tol=0)
    assert s.trace.records[-1].primal > 10 * s.trace.at_zero


def test_the_naive_method_is_nowhere_but_here_and_its_code_is_in_its_keys():
    assert "naive_sdca" not in METHODS
    assert numerics_digest(NaiveSDCA) != numerics_digest()


@each_of("task", ["broadcast", "all-to-all", "sum"])
def test_a_hypercube_of_s_nodes_takes_log2_s_rounds(task):
    assert [tables.rounds(s, task) for s in tables.CUBE_NODES] == [math.log2(s) for s in tables.CUBE_NODES]


@pytest.mark.full
@pytest.mark.parametrize(("s", "unit", "opening"), [(4, 0.1, 1e3), (16, 10.0, 1e5)])
def test_times_are_iterations_times_work_numbers_and_channels(s, unit, opening):
    n, d, row, log = tables.CCAT["n"], tables.CCAT["d"], tables.CCAT["nnz"] / tables.CCAT["n"], math.log2(s)
    found = tables.time_cell(s, unit, opening)
    assert found.sdca == pytest.approx(2 * n * (row / s + unit * s * log**2 + opening * log**2))
    assert found.agd == pytest.approx(2 * n**0.5 * (n * row / s + unit * d * log + opening * log))

    def by(features, m):
        sent = m * s * log**2 if features else d * log
        return 4 * n / m**0.5 * (m * row / s + unit * sent + opening * (log**2 if features else log))

    sizes = np.unique(np.geomspace(s, n, 4000).astype(int))
    best = min(by(features, m) for features in (True, False) for m in sizes)
    assert found.asdca == pytest.approx(best, rel=1e-3)
    assert found.asdca == pytest.approx(by(found.partition == "features", found.m))


@pytest.mark.full
def test_one_node_that_holds_all_is_beaten_in_three_cells_only():
    cells, alone = tables.PARALLEL.compute("quick"), 2 * tables.CCAT["nnz"]
    beaten = [(c.nodes, c.unit, c.opening) for c in cells if min(c.sdca, c.asdca, c.agd) < alone]
    assert beaten == [(4, 0.1, 0.0), (4, 1.0, 0.0), (16, 0.1, 0.0)]


def test_the_algebra_of_the_step_holds_to_rounding():
    assert max(tables.TAB1.compute("quick").values()) < 1e-12


def run(item, folder):
    made = replace(PAPER, items=[item])
    return reproduce([item], out=folder / "o", store=folder / "s", executor="serial", papers=[made])


@pytest.mark.full
def test_figure_1_on_a_few_examples_gives_each_claim_its_verdict(tmp_path):
    data = Derived(
        "few", "mushrooms", [steps.Permute(seed=0), steps.FirstRows(300), steps.HoldOut(100), steps.UnitRows()]
    )
    cases = (Case("few", data, "smooth_hinge", stands_for="many", test=True),)
    item = replace(figure.FIG1, cases=cases, seeds=[0, 1], max_passes=60)
    done = reproduce(
        [item], out=tmp_path / "o", store=tmp_path / "s", executor="serial", papers=[replace(PAPER, items=[item])]
    )
    claims = {claim["id"]: claim for claim in done.found["asdca-fig1"]["quick"]["claims"]}
    assert claims["C1"]["verdict"] == "reproduced"
    assert len(claims["C2"]["panels"]) == 2
    assert len(claims["C4"]["panels"]) == 8  # without the step that no theorem covers
    assert (tmp_path / "o" / "asdca-fig1-passes-quick.svg").is_file()


@pytest.mark.full
def test_naive_growth_is_infinite_where_the_batch_diverges(tmp_path):
    data = Derived("same", "mushrooms", [steps.Permute(seed=0), steps.FirstRows(300)])
    item = replace(naive.NAIVE, cases=[Case("same", data, "smooth_hinge")], seeds=[0, 1], max_passes=30)
    done = reproduce(
        [item], out=tmp_path / "o", store=tmp_path / "s", executor="serial", papers=[replace(PAPER, items=[item])]
    )
    found = done.results[0]["same"]
    assert math.isinf(naive.iteration_growth(found, 256))
    assert naive.iteration_growth(found, 2) < 2


@pytest.mark.parametrize("case", [case for case in figure.CASES if "quick" in case.modes], ids=lambda case: case.name)
def test_the_sizes_of_test_parts_are_those_that_the_table_tells(case):
    try:
        _, _, test = case.data.load()
    except OSError as reason:
        pytest.skip(str(reason))
    assert test[1].size == case.tags["test"]
