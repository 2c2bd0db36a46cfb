"""Times on many nodes: arithmetic, what is sent, the channels that are opened, and the best batch."""

import numpy as np
import pytest
import sympy as sp
from cases import each_of

from cdlab import theory
from cdlab.theory.symbols import d, m, n, nnz, nodes, opening, unit


def test_one_node_sends_nothing_and_does_all_the_arithmetic():
    for method in ("sdca", "spdc", "asdca"):
        for partition in ("features", "examples"):
            for network in ("hypercube", "all-reduce"):
                t = theory.parallel_time(method, partition, network)
                serial = theory.bound(method, "T").expr
                assert sp.simplify(t.expr.subs(nodes, 1) - serial) == 0


def test_hypercube_communication_as_in_the_paper():
    rounds = sp.log(nodes, 2)
    expected = {
        ("sdca", "features"): nodes * rounds**2,
        ("asdca", "features"): m * nodes * rounds**2,
        ("asdca", "examples"): d * rounds,
        ("fista", "examples"): d * rounds,
    }
    for (method, partition), sent in expected.items():
        t = theory.parallel_time(method, partition)
        assert sp.simplify(t.communication - sent) == 0
    # by features iff m s log2(s) < d
    by_features, by_examples = (theory.parallel_time("asdca", p).communication for p in ("features", "examples"))
    assert sp.simplify(by_features / by_examples - m * nodes * rounds / d) == 0


@each_of("partition", ["features", "examples"])
@each_of("network", ["hypercube", "all-reduce"])
def test_an_iteration_opens_its_channels_one_after_another(partition, network):
    """Every round of a sum is a channel; where all tell all on a hypercube, every round has one for each dimension."""
    t = theory.parallel_time("asdca", partition, network)
    rounds = sp.log(nodes, 2)
    assert sp.simplify(t.channels - (rounds**2 if (partition, network) == ("features", "hypercube") else rounds)) == 0
    numbers = {"n": 400, "nnz": 4000, "d": 50, "R": 1.0, "gamma": 1.0, "l2": 1e-4, "nodes": 8, "unit": 0.5, "m": 20}
    iterations = theory.bound("asdca", "K").at(**numbers)
    opened = 9 if (partition, network) == ("features", "hypercube") else 3
    assert t.at(**numbers, opening=7.0) - t.at(**numbers) == pytest.approx(iterations * 7 * opened)


def test_by_features_only_channels_make_batches_pay():
    """What is sent grows with the batch, so without them the best batch is one example; with them it lies inside."""
    numbers = {"n": 10_000, "nnz": 200_000, "d": 50, "R": 1.0, "gamma": 1.0, "l2": 1e-4, "nodes": 4, "unit": 0.1}
    best = theory.best_batch("asdca", "features")
    sizes = [best.at(**numbers, opening=cost) for cost in (0.0, 1e3, 1e5)]
    assert sizes[0] == 1
    assert 1 < sizes[1] < sizes[2] <= 10_000


def test_sdca_by_examples_gains_nothing_from_more_nodes():
    assert theory.parallel_time("sdca", "examples").runtime == nnz / n


@pytest.mark.parametrize("method", ["spdc", "asdca"])
def test_on_one_machine_the_best_batch_is_one_example(method):
    best = theory.best_batch(method, serial=True)
    assert {piece.shape for piece in best.pieces} == {"rising"}
    assert best.at(n=50, nnz=500, d=20, R=1.0, gamma=1.0, l2=1e-3) == 1


@pytest.mark.parametrize("method", ["spdc", "asdca"])
def test_the_best_batch_minimises_the_time(method):
    numbers = {
        "n": 400,
        "nnz": 4000,
        "d": 50,
        "R": 1.0,
        "gamma": 1.0,
        "l2": 1e-4,
        "nodes": 8,
        "unit": 0.5,
        "opening": 40.0,
    }
    best = theory.best_batch(method)
    assert "balances" in best.why
    at = best.at(**numbers)
    time = theory.parallel_time(method)
    of_m = sp.lambdify(m, best.time.subs({s: numbers[s.name] for s in best.time.free_symbols - {m}}), "math")
    times = [of_m(k) for k in range(1, 401)]
    assert 1 < at < 400
    assert at == int(np.argmin(times)) + 1
    assert time.at(**numbers, m=at) <= min(time.at(**numbers, m=8), time.at(**numbers, m=400)) * (1 + 1e-12)


def test_in_the_accelerated_regime_sending_and_computing_take_equally_long():
    """K ~ 1/sqrt(m): d/dm (A m + B)/sqrt(m) = 0 at A m = B."""
    pieces = [piece for piece in theory.best_batch("asdca").pieces if piece.best is not None]
    balance = (d * unit + opening) * sp.log(nodes, 2) / (nnz / (n * nodes))
    assert any(sp.simplify(piece.best - balance) == 0 for piece in pieces)


def test_parallel_refusals():
    with pytest.raises(ValueError, match="takes no batches"):
        theory.best_batch("sdca")
    with pytest.raises(ValueError, match="no cost is known for partition 'rows'"):
        theory.parallel_time("sdca", "rows")
