"""Sums over shards are those of math.fsum, however the terms are divided."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

from cdlab.distributed.exact_sums import ExactSums


def terms_of(kind, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(400)
    if kind == "any exponent":
        return x * np.exp2(rng.integers(-1070, 1000, size=x.size).astype(float))
    if kind == "cancelling":
        return np.concatenate([x * 1e16, -x * 1e16, x])
    return x


@each_of("kind, seed", [(kind, seed) for kind in ("plain", "any exponent", "cancelling") for seed in range(5)])
def test_a_sum_is_rounded_once_in_any_order_and_parts(kind, seed):
    terms = terms_of(kind, seed)
    for parts in (1, 3, 7):
        shuffled = np.random.default_rng(parts).permutation(terms)
        sums = ExactSums(1)
        for part in np.array_split(shuffled, parts):
            other = ExactSums(1)
            other.add(part)
            sums.join(other)
        assert sums.values().tolist() == [math.fsum(terms)]
        assert sums.total() == math.fsum(terms)


@pytest.mark.parametrize("sparse", [False, True])
def test_columns_are_summed_one_by_one(sparse):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 7)) * (rng.random((50, 7)) < 0.4) * np.exp2(rng.integers(-200, 200, (50, 7)))
    c = rng.standard_normal(50)
    squares, products = ExactSums(7), ExactSums(7)
    squares.add_columns(sp.csr_matrix(X) if sparse else X)
    products.add_columns(sp.csr_matrix(X) if sparse else X, c)
    assert squares.values().tolist() == [math.fsum(x * x for x in X[:, j]) for j in range(7)]
    assert products.values().tolist() == [math.fsum(c * X[:, j]) for j in range(7)]


def test_what_float64_cannot_hold_is_refused():
    sums = ExactSums(1)
    sums.add(np.array([1.7e308, 1.7e308]))
    with pytest.raises(ValueError, match="float64"):
        sums.total()
