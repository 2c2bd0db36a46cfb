"""Samplings that draw blocks: their marginals, their draws and their refusals."""

from itertools import islice

import numpy as np
import pytest
from cases import each_of, pushed

import cdlab
from cdlab import samplings, testing
from cdlab.samplings import Bucket, BySize, Coordinates, Distributed, Independent, NormsBlocks, TauNice

SKEWED = np.array([0.1, 0.5, 1.0, 0.3, 0.8, 0.05])
INSTANCES = {
    "tau_nice": (TauNice(3), 3),
    "coin": (Independent(0.3), None),
    "coins": (Independent(SKEWED), None),
    "bucket": (Bucket([[5, 1], [0, 2, 4], [3]]), 3),
    "bucket with p": (Bucket([[5, 1], [0, 2, 4], [3]], [1, 3, 2, 9, 5, 1]), 3),
    "distributed": (Distributed(2, 2), 4),
}


def coordinates(m=6):
    return Coordinates(np.ones(m), 1.0, 1.0, np.ones(m))


@pytest.fixture(params=INSTANCES)
def instance(request):
    return INSTANCES[request.param]


def test_blocks_are_subsets_of_the_announced_size(instance):
    sampling, size = instance
    for block in islice(sampling.blocks(coordinates(), np.random.default_rng(0)), 200):
        assert block.dtype == np.uint64
        assert np.unique(block).size == block.size <= 6
        assert (block < 6).all()
        assert size is None or block.size == size


@pytest.mark.parametrize("name", pushed(INSTANCES, "tau_nice", "bucket with p"))
def test_it_keeps_what_a_sampling_promises(name):
    """Its frequencies are its marginals, a block holds no coordinate twice, and a seed repeats it."""
    sampling, size = INSTANCES[name]
    assert testing.check_sampling(sampling, m=6) is None
    assert size is None or sampling.probabilities(coordinates()).sum() == pytest.approx(size)


def test_marginals_by_hand():
    c = coordinates()
    np.testing.assert_allclose(TauNice(3).probabilities(c), 0.5)
    np.testing.assert_allclose(Independent(SKEWED).probabilities(c), SKEWED)
    np.testing.assert_allclose(Bucket([[5, 1], [0, 2, 4], [3]]).probabilities(c), np.array([2, 3, 2, 6, 2, 3]) / 6)
    weighted = Bucket([[5, 1], [0, 2, 4], [3]], [1, 3, 2, 9, 5, 1])
    np.testing.assert_allclose(weighted.probabilities(c), [1 / 8, 3 / 4, 2 / 8, 1, 5 / 8, 1 / 4])
    np.testing.assert_allclose(Distributed(2, 2).probabilities(c), 2 / 3)


def test_distributed_draws_tau_from_each_part():
    for block in islice(Distributed(2, 2).blocks(coordinates(), np.random.default_rng(2)), 50):
        assert (block < 3).sum() == (block >= 3).sum() == 2


def test_every_subset_is_equally_likely_under_tau_nice():
    blocks = islice(TauNice(2).blocks(coordinates(4), np.random.default_rng(3)), 12_000)
    counts = {}
    for block in blocks:
        key = tuple(sorted(block))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 6
    assert all(abs(count - 2000) <= 5 * np.sqrt(2000 * 5 / 6) for count in counts.values())


def test_one_coordinate_methods_refuse_blocks():
    P = cdlab.Problem(np.eye(4), [1, -1, 1, -1], l2=0.1)
    with pytest.raises(ValueError, match="svrg updates one coordinate at a time and tau_nice draws blocks"):
        cdlab.solve(P, "svrg", sampling=TauNice(2))


@each_of("method", ["sdca", "quartz", "saga", "lsvrg", "rcd", "acc_rcd", "sdna"])
def test_blocks_by_norms_are_refused_where_no_step_is_known(method):
    P = cdlab.Problem(np.eye(4), [1, -1, 1, -1], l2=0.1)
    with pytest.raises(ValueError, match="norms_blocks blocks, which are spdc's: use tau_nice or bucket"):
        cdlab.solve(P, method, sampling=NormsBlocks(2))


@each_of("kind", ["independent", "bucket", "distributed"])
def test_blocks_by_size_take_an_empty_row_and_a_kink(kind):
    P = cdlab.Problem(np.vstack([np.eye(3), np.zeros(3)]), [1, -1, 1, -1], loss="hinge", l2=0.1)
    s = cdlab.solve(P, "sdca", sampling=BySize(kind, 2), tol=1e-8)
    assert s.gap <= 1e-8


@each_of("method", ["sdca", "rcd", "quartz", "saga", "lsvrg", "apcg", "acc_rcd"])
def test_a_batch_size_with_importance_draws_one_of_each_bucket(method):
    X, y = cdlab.datasets.make(24, 8, seed=0)
    P, method = (
        cdlab.Problem(X * np.linspace(0.2, 3, 24)[:, None], y, l2=0.1),
        cdlab.methods.resolve(method, batch_size=4),
    )
    assert method.draws(cdlab.samplings.resolve("importance")) == BySize("bucket", 4, by="importance")
    assert cdlab.solve(P, method, sampling="importance", tol=1e-6, max_passes=20_000).gap <= 1e-6


def test_blocks_have_no_serial_order():
    with pytest.raises(TypeError, match="take them from blocks"):
        TauNice(2).epochs(coordinates(), np.random.default_rng(0))


@each_of("name", samplings.BLOCKS)
def test_a_name_that_needs_arguments_shows_the_constructor(name):
    with pytest.raises(ValueError, match=f"{name} needs arguments") as caught:
        samplings.resolve(name)
    words = str(caught.value)
    shown = words[words.index("cdlab.") : words.index(" or the like")]
    assert eval(shown).name == name


def test_serial_or_not():
    assert not any(cls.serial for cls in samplings.BLOCKS.values())
    assert all(cls.serial for cls in samplings.SAMPLINGS.values())
    assert samplings.resolve(TauNice(2)) == TauNice(2)


@each_of(
    "call, words",
    [
        (lambda: TauNice(0), "tau must be a whole number >= 1"),
        (lambda: TauNice(2.5), "tau must be a whole number >= 1"),
        (lambda: TauNice(True), "tau must be a whole number >= 1"),
        (lambda: TauNice(7).probabilities(coordinates()), "tau <= 6"),
        (lambda: TauNice(7).blocks(coordinates(), np.random.default_rng(0)), "tau <= 6"),
        (lambda: Independent(0.0), r"\(0, 1\]"),
        (lambda: Independent(np.nan), r"\(0, 1\]"),
        (lambda: Independent([0.5, 1.5]), r"\(0, 1\]"),
        (lambda: Independent(np.ones((2, 2))), "1-D"),
        (lambda: Independent([0.5, 0.5]).probabilities(coordinates()), "6 coordinates"),
        (lambda: Bucket([]), "at least one bucket"),
        (lambda: Bucket([[0, 1], []]), "non-empty"),
        (lambda: Bucket([[0, 1], [1, 2]]), "exactly one bucket"),
        (lambda: Bucket([[0, 1], [3]]), "exactly one bucket"),
        (lambda: Bucket([[0, 1], [2]], [1, 0, 1]), "positive"),
        (lambda: Bucket([[0, 1], [2]], [1, 1]), "positive"),
        (lambda: Bucket([[0, 1], [2]]).probabilities(coordinates()), "does not fit 6"),
        (lambda: Distributed(0, 1), "c must be"),
        (lambda: Distributed(4, 1).probabilities(coordinates()), "take c = 3"),
        (lambda: Distributed(2, 4).probabilities(coordinates()), "tau <= 3"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("tau", [1, 2, 3, 5, 6])
def test_an_epoch_of_tau_nice_blocks_is_a_matrix_of_uniform_subsets(tau):
    """However they are drawn (in bulk for small tau, one by one for large), all subsets are equally likely."""
    from math import comb

    from scipy.stats import chisquare

    m, drawn = 6, []
    epochs = TauNice(tau).batches(coordinates(m), np.random.default_rng(0))
    for batch in islice(epochs, 4000):
        assert batch.size == -(-m // tau)
        assert batch.indices.dtype == batch.starts.dtype == np.uint64
        drawn += [tuple(sorted(block)) for block in batch.indices.reshape(-1, tau).tolist()]
    assert all(len(set(block)) == tau for block in drawn)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert counts.size == comb(m, tau)
    assert chisquare(counts).pvalue > 1e-3 if counts.size > 1 else True


def test_a_serial_sampling_in_blocks_of_one():
    uniform = samplings.resolve("uniform")
    batch = next(uniform.batches(coordinates(), np.random.default_rng(3)))
    order = next(uniform.epochs(coordinates(), np.random.default_rng(3)))
    np.testing.assert_array_equal(batch.indices, order)
    np.testing.assert_array_equal(batch.starts, np.arange(7))


def test_batches_hold_their_blocks(instance):
    sampling, _ = instance
    batch = next(sampling.batches(coordinates(), np.random.default_rng(3)))
    assert batch.starts[0] == 0
    assert batch.starts[-1] == batch.indices.size
    assert batch.indices.size >= 6 or sampling.name == "independent"


@pytest.mark.parametrize("tau", [1, 3, 12])
def test_blocks_by_norms_are_draws_of_which_each_coordinate_counts_once(tau):
    norms = np.array([0.0, 1.0, 1.0, 2.0, 5.0, 0.5, 9.0])
    c = samplings.Coordinates(norms**2, 1.0, 0.1, np.ones(norms.size))
    blocks, p = samplings.NormsBlocks(tau), samplings.Norms().probabilities(c)
    promised = blocks.probabilities(c)
    np.testing.assert_allclose(promised, 1 - (1 - p) ** tau, rtol=1e-12)
    assert (promised >= tau * p / (1 + (tau - 1) * p) * (1 - 1e-12)).all()
    drawn, seen, count = blocks.blocks(c, np.random.default_rng(0)), np.zeros(7), 20_000
    for _ in range(count):
        block = next(drawn)
        assert 1 <= block.size <= tau
        assert np.unique(block).size == block.size
        seen[block.astype(int)] += 1
    assert (abs(seen / count - promised) < 5 * np.sqrt(promised * (1 - promised) / count) + 1e-9).all()


def test_blocks_by_norms_of_one_coordinate_and_of_wrong_sizes():
    c = samplings.Coordinates(np.ones(1), 1.0, 0.1, np.ones(1))
    assert samplings.NormsBlocks(3).probabilities(c) == 1
    with pytest.raises(ValueError, match="norms_blocks's tau must be a whole number >= 1"):
        samplings.NormsBlocks(0)
