"""Csiba & Richtarik 2016, Theorem 2: importance sampling minimises K W, for any costs."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from cdlab import theory

positive = st.floats(1e-3, 1e3)


@given(st.integers(1, 8).flatmap(lambda m: st.tuples(*(st.lists(positive, min_size=m, max_size=m) for _ in "scp"))))
def test_no_probabilities_beat_importance_sampling(lists):
    s, c, p = (np.array(values) for values in lists)
    p = p / p.sum()
    minimum = s @ c
    assert np.max(s / p) * (p @ c) >= minimum * (1 - 1e-12)
    best = s / s.sum()
    assert np.max(s / best) * (best @ c) == pytest.approx(minimum, rel=1e-12)


@pytest.mark.parametrize("m", [2, 3])
def test_the_excess_is_a_sum_of_terms_that_cannot_be_negative(m):
    theorem = theory.theorem2_small(m)
    assert len(theorem.pieces) == m
    s, p = sp.symbols(f"s1:{m + 1}", positive=True), sp.symbols(f"p1:{m + 1}", positive=True)
    assert sum(theorem.minimiser.values()).simplify() == 1
    for piece in theorem.pieces:
        assert sp.simplify(piece.excess - piece.nonnegative) == 0
        # with d_j = s_k/p_k - s_j/p_j >= 0 on the piece's region, every coefficient is positive
        k = piece.largest - 1
        gaps = sp.symbols(f"d1:{m + 1}", nonnegative=True)
        rewritten = piece.nonnegative
        for j in range(m):
            rewritten = rewritten.subs(s[j] / p[j], s[k] / p[k] - gaps[j]) if j != k else rewritten
        assert rewritten.is_nonnegative
        assert sp.simplify(piece.excess.subs(theorem.minimiser)) == 0


def test_two_coordinates_fall_towards_importance_and_rise_after_it():
    first, second = theory.theorem2_small(2).pieces
    p1, p2, s1, s2 = sp.symbols("p1 p2 s1 s2", positive=True)
    p = sp.Symbol("p", positive=True)
    # coordinate 1 has the largest ratio for p1 <= s1/(s1 + s2); there the excess falls, elsewhere it rises
    x = sp.Symbol("x", positive=True)
    inside = {p: 1 / (1 + x)}  # a parametrisation of (0, 1) by x > 0
    falling = sp.diff(first.excess.subs({p1: p, p2: 1 - p}), p).subs(inside)
    rising = sp.diff(second.excess.subs({p1: p, p2: 1 - p}), p).subs(inside)
    assert sp.factor(sp.simplify(falling)).is_negative
    assert sp.factor(sp.simplify(rising)).is_positive


@pytest.mark.parametrize("m", [2, 3])
def test_importance_sampling_is_a_stationary_kink(m):
    theorem = theory.theorem2_small(m)
    rng = np.random.default_rng(m)
    for _ in range(50):
        direction = rng.standard_normal(m)
        direction -= direction.mean()
        values = {f"s{j + 1}": x for j, x in enumerate(rng.uniform(0.1, 2, m))}
        values |= {f"c{j + 1}": x for j, x in enumerate(rng.uniform(0.1, 2, m))}
        values |= {f"h{j + 1}": x for j, x in enumerate(direction)}
        slopes = [
            float(piece.slope.subs({symbol: values[symbol.name] for symbol in piece.slope.free_symbols}))
            for piece in theorem.pieces
        ]
        assert max(slopes) >= -1e-12  # the directional derivative of the maximum is the largest slope


def test_the_proof_holds_step_by_step_for_numbers():
    rng = np.random.default_rng(0)
    s, c, p = rng.uniform(0.1, 2, (3, 4))
    p /= p.sum()
    values = {"M": max(s / p), "m": 4}
    for relation, why in theory.theorem2_proof():
        assert why
        for j in range(1, 5):
            sides = []
            for side in (relation.lhs, relation.rhs):
                side = side if side.has(sp.Sum) else side.subs(sp.Symbol("j", integer=True), j)
                side = side.subs({x: values[x.name] for x in side.free_symbols if x.name in values}).doit()
                for name, array in (("s", s), ("c", c), ("p", p)):
                    base = sp.IndexedBase(name, nonnegative=True)
                    side = side.subs({base[k]: array[k - 1] for k in range(1, 5)})
                sides.append(float(side))
            assert sides[0] >= sides[1] - 1e-12, why
