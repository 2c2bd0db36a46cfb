"""The sentence about each plausible mistake in a theorem of one's own."""

import pytest
from block_greedy import BlockGreedy
from block_greedy_theorem import BLOCK_GREEDY

import cdlab
from cdlab import testing


def theorem(**changed):
    from cdlab.theory import contraction

    parts = {name: getattr(BLOCK_GREEDY, name) for name in ("K", "W", "assumptions", "source", "side", "bounded")}
    return contraction("block_greedy", "wrong", **({"constant": cdlab.theory.SYMBOLS["P0"]} | parts | changed))


def test_a_rate_that_is_too_good_is_measured():
    with pytest.raises(AssertionError, match=r"P\(w\)-P\* is .* on average over 40 seeds, and the bound promises"):
        testing.check_bound(theorem(K=BLOCK_GREEDY.K / 40), BlockGreedy)


def test_a_theorem_without_a_source_is_none():
    with pytest.raises(AssertionError, match="it has no source"):
        testing.check_bound(theorem(source=""), BlockGreedy)


def test_a_symbol_must_have_a_meaning():
    import sympy as sp

    with pytest.raises(AssertionError, match=r"it contains zeta, which is not in cdlab\.theory\.SYMBOLS"):
        testing.check_bound(theorem(K=sp.Symbol("zeta", positive=True)), BlockGreedy)


def test_what_is_no_theorem_is_not_registered():
    with pytest.raises(TypeError, match="register takes bounds, .* not Add"):
        cdlab.theory.register(BLOCK_GREEDY.expr + 1)


def test_a_theorem_needs_a_method_to_run():
    with pytest.raises(AssertionError, match=r"there is no method named 'block_greedy' to run: pass it"):
        testing.check_bound(BLOCK_GREEDY)
