"""A random order: each of all orders is as likely as any other."""

import itertools

import numpy as np
from cases import each_of

from cdlab import samplings
from cdlab.samplings import Coordinates, serial


def order_of(u):
    order = np.empty(len(u), np.uint64)
    serial._fill_permutations(order, np.array(u), len(u))
    return tuple(order.tolist())


@each_of("m", [1, 2, 3, 5])
def test_the_m_factorial_ways_to_choose_places_lead_to_the_m_factorial_orders(m):
    """Place k is chosen among k + 1 by a uniform number: so all orders are equally likely."""
    places = itertools.product(*(range(k + 1) for k in range(m)))
    orders = [order_of([(j + 0.5) / (k + 1) for k, j in enumerate(chosen)]) for chosen in places]
    assert sorted(orders) == sorted(itertools.permutations(range(m)))


@each_of("m", [3, 1000, 2**16 - 1, 2**16 + 1])
def test_the_largest_uniform_number_chooses_the_last_place(m):
    """Rounding never leads beyond it: with k at place k nothing moves."""
    assert order_of([1 - 2.0**-53] * m) == tuple(range(m))


@each_of("m", [1, 2, 1000])
def test_it_takes_each_number_once_and_a_seed_repeats_it(m):
    first, again = (serial.random_permutations(np.random.default_rng(7), m) for _ in range(2))
    np.testing.assert_array_equal(np.sort(first), np.arange(m))
    np.testing.assert_array_equal(first, again)
    assert first.dtype == np.uint64


def test_pairs_of_epochs_are_orders_and_their_reverse():
    epochs = samplings.PairedPermutation().epochs(
        Coordinates(np.ones(7), 1.0, 1.0, np.ones(7)), np.random.default_rng(0)
    )
    orders = [next(epochs) for _ in range(400)]
    for there, back in zip(orders[::2], orders[1::2], strict=True):
        assert sorted(there) == list(range(7))
        np.testing.assert_array_equal(back, there[::-1])
    assert len({tuple(order) for order in orders[::2]}) > 190  # of 5,040, 200 draws
    first = np.bincount([order[0] for order in orders], minlength=7)
    assert (np.abs(first - 400 / 7) < 5 * np.sqrt(400 / 7)).all()
