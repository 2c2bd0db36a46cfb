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


# ------------------------------------------------------------ seconds
CONSTANTS = {"mpi": (4e-6, 3e-10), "dask": (4e-4, 1.3e-3, 8e-10)}


def pings(engine, rng, noise=0.0):
    """Sums as the model has them, but for their noise."""
    network = theory.Network(engine, CONSTANTS[engine])
    sizes = [(nodes, size) for nodes in (2, 4, 8) for size in (8, 8e3, 8e5, 8e6)]
    return [(*each, network.seconds(each[1] / 8, each[0]) * np.exp(noise * rng.standard_normal())) for each in sizes]


@each_of("engine", CONSTANTS)
def test_the_constants_of_a_network_are_found_again(engine):
    found = theory.fit_network(pings(engine, np.random.default_rng(0)), engine)
    assert found.constants == pytest.approx(CONSTANTS[engine], rel=1e-6)


@each_of("engine", CONSTANTS)
@each_of("seed", range(5))
def test_a_fit_of_noisy_pings_is_the_best_without_negative_constants(engine, seed):
    """Of all scalings of its constants, one by one, none has a smaller sum of squared relative errors."""
    rows = np.array(pings(engine, np.random.default_rng(seed), noise=0.5))
    found = np.array(theory.fit_network(rows, engine).constants)
    assert (found >= 0).all()

    def error(constants):
        told = [theory.Network(engine, tuple(constants)).seconds(size / 8, nodes) for nodes, size, _ in rows]
        return np.sum((np.array(told) / rows[:, 2] - 1) ** 2)

    for k in range(found.size):
        for change in (-1e-3, 1e-3):
            other = found.copy()
            other[k] = max(0.0, other[k] + change * CONSTANTS[engine][k])
            assert error(found) <= error(other) + 1e-12


def test_a_round_is_its_passes_and_two_sums():
    network = theory.Network("mpi", (1e-5, 1e-9))
    found = theory.cocoa_time(network, 2e-9, nodes=np.array([1, 2, 16]), d=1000, nnz=1e7, local_epochs=3)
    expected = [3.5 * 0.02, 4 * 0.01 + 2 * (1e-5 + 8e-6), 4 * 0.00125 + 2 * (4e-5 + 8e-6)]
    assert found == pytest.approx(expected, rel=1e-14)


@each_of("method, m", [("spdc", 64), ("asdca", 8), ("cocoa", 1)])
def test_seconds_on_two_nodes_are_the_time_in_the_units_of_a_visit(method, m):
    """One channel and d numbers make a sum over two nodes."""
    alpha, beta, visit = 5e-5, 2e-9, 3e-9
    known = {"n": 1000, "nnz": 20_000, "d": 50, "nodes": 2} | ({"m": m} if m > 1 else {"local_epochs": 2})
    t = theory.parallel_time(method)
    visited = t.runtime.subs({s: known[s.name] for s in t.runtime.free_symbols})
    sent, opened = (e.subs({d: 50, nodes: 2}) for e in (t.communication, t.channels))
    expected = visit * (visited + 8 * beta / visit * sent + alpha / visit * opened)
    assert t.seconds(theory.Network("mpi", (alpha, beta)), visit, **known) == pytest.approx(float(expected), rel=1e-12)
    if method == "cocoa":
        given = {"nodes": 2, "d": 50, "nnz": 20_000, "local_epochs": 2}
        found = theory.cocoa_time(theory.Network("mpi", (alpha, beta)), visit, **given)
        assert found == pytest.approx(float(expected), rel=1e-12)


def test_more_machines_pay_until_sums_take_longer_than_what_they_save():
    """With rounds that do not grow: at K = sqrt-like balances of nnz/K and log2 K, by trying all."""
    network, rounds = theory.Network("mpi", (1e-4, 0.0)), dict.fromkeys(range(1, 400), 10)
    best = theory.best_nodes(rounds, network, 1e-9, d=10, nnz=1e7)
    seconds = {k: 2 * 1e-9 * 1e7 / k + 2 * 1e-4 * np.log2(k) for k in range(2, 400)} | {1: 1.5e-2}
    assert best == min(seconds, key=seconds.get)
    assert 1 < best < 399


@pytest.mark.parametrize("bad", [[], [(2, 8, 1e-6)], [(2, 8, -1e-6)] * 3, [(1, 2)] * 3, [(2, 8, np.nan)] * 3])
def test_pings_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="rows"):
        theory.fit_network(bad)
