"""Samplings draw what they say: every index, with its probability, the same for the same seed."""

import sys
from itertools import islice

import numpy as np
import pytest
from cases import each_of, pushed
from hypothesis import given
from hypothesis import strategies as st

from cdlab import samplings, testing
from cdlab.numerics.jit import config
from cdlab.samplings import Coordinates
from cdlab.samplings.alias import AliasTable

C = Coordinates(norms2=np.array([0.0, 0.5, 1.0, 2.0, 9.0]), beta=0.25, l2n=0.3, counts=np.array([0, 1, 1, 2, 3]))
ORDERS = [name for name, cls in samplings.SAMPLINGS.items() if not cls.has_theorem]


@pytest.mark.parametrize("name", pushed(samplings.SAMPLINGS, "importance", "permutation"))
def test_it_keeps_what_a_sampling_promises(name):
    """Its frequencies are its probabilities, orders take each coordinate once, and a seed repeats it."""
    assert testing.check_sampling(name) is None


def test_so_do_probabilities_that_are_given():
    assert testing.check_sampling(samplings.Given([0.1, 0.1, 0.2, 0.3, 0.3]), m=5) is None


def test_what_tells_the_orders_apart():
    first, second = (
        {name: list(islice(samplings.resolve(name).epochs(C, np.random.default_rng(1)), 2)) for name in ORDERS}[n]
        for n in ("permutation", "fixed_permutation")
    )
    assert not np.array_equal(*first)
    assert np.array_equal(*second)


def test_the_formulas():
    s = 0.25 * C.norms2 + 0.3
    norms = np.sqrt(C.norms2)
    np.testing.assert_allclose(samplings.resolve("importance").probabilities(C), s / s.sum())
    np.testing.assert_allclose(samplings.resolve("norms").probabilities(C), 0.1 + norms / (2 * norms.sum()))
    np.testing.assert_allclose(samplings.Lipschitz(power=0.5).probabilities(C), s**0.5 / (s**0.5).sum())


def test_lipschitz_joins_uniform_and_importance():
    np.testing.assert_allclose(samplings.Lipschitz(0.0).probabilities(C), 0.2)
    np.testing.assert_allclose(
        samplings.Lipschitz(1.0).probabilities(C), samplings.resolve("importance").probabilities(C)
    )


def test_norms_is_uniform_on_a_zero_matrix():
    np.testing.assert_array_equal(samplings.resolve("norms").probabilities(C._replace(norms2=np.zeros(5))), 0.2)


def _share(table, m):
    """What each index gets of all slots together."""
    return np.bincount(np.arange(m), table._keep, m) + np.bincount(table._alias.astype(int), 1 - table._keep, m)


@given(st.lists(st.just(0.0) | st.floats(1e-6, 1e6), min_size=1, max_size=40).filter(any))
def test_the_alias_table_is_exact(weights):
    """Summing what each slot gives to each index restores p, and what has probability 0 gets nothing at all."""
    p = np.array(weights) / np.sum(weights)
    share = _share(AliasTable(p), p.size)
    np.testing.assert_allclose(share / p.size, p, atol=1e-12)
    assert not share[p == 0].any()


def test_the_alias_table_of_many_indices_is_exact_and_not_made_in_python():
    p = np.random.default_rng(0).lognormal(size=20_000)
    p[::3] = 0
    p /= p.sum()
    AliasTable.compile()
    lines, before = [], sys.gettrace()

    def count(frame, event, argument):
        lines.append(frame.f_lineno)
        return count

    sys.settrace(count)
    try:
        table = AliasTable(p)
    finally:
        sys.settrace(before)
    np.testing.assert_allclose(_share(table, p.size) / p.size, p, atol=1e-14)
    assert not _share(table, p.size)[::3].any()
    if not config.DISABLE_JIT:
        assert len(lines) < p.size / 10, "a loop over indices in Python takes longer than an epoch"


def test_a_draw_is_the_slot_or_its_alias():
    p = np.random.default_rng(0).lognormal(size=50)
    table, rng = AliasTable(p), np.random.default_rng(1)
    slots, u = rng.integers(50, size=1000, dtype=np.uint64), rng.random(1000)
    plain = np.where(u < table._keep[slots], slots, table._alias[slots])
    np.testing.assert_array_equal(table.draw(np.random.default_rng(1), 1000), plain)


@each_of(
    "bad, sentence",
    [
        ("unifrom", "did you mean 'uniform'"),
        ([0.5, -0.1, 0.5], "of coordinate 1"),
        ([0.5, np.nan], "finite and positive"),
        ([0.0, 0.0], "all sampling probabilities are 0"),
        ([[0.5, 0.5]], "1-D array"),
    ],
)
def test_what_is_refused(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        samplings.resolve(bad)


def test_probabilities_of_the_wrong_length():
    with pytest.raises(ValueError, match="2 sampling probabilities were given for 5 coordinates"):
        samplings.resolve([0.5, 0.5]).probabilities(C)


@each_of("power", [-0.5, np.inf, np.nan])
def test_a_power_prefers_the_heavy_coordinates(power):
    with pytest.raises(ValueError, match="power must be a number >= 0"):
        samplings.Lipschitz(power=power)


def test_weights_that_are_not_numbers_do_not_become_uniform():
    c = Coordinates(np.array([1.0, np.nan]), 1.0, 0.5, np.ones(2))
    assert np.isnan(samplings.Importance().probabilities(c)).any()
