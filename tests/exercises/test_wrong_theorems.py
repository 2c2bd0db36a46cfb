"""The sentence about each plausible mistake in a theorem of one's own."""

import pytest
import sympy
from block_greedy import BlockGreedy
from block_greedy_theorem import BLOCK_GREEDY
from cases import pushed

import cdlab
from cdlab import testing
from cdlab.testing.small import SMALL_PROBLEMS, hard_problems, small_problem
from cdlab.theory import SYMBOLS

pytestmark = pytest.mark.full  # a push tries what is right, in test_exercises.py


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
    with pytest.raises(AssertionError, match=r"it contains zeta, which is not in cdlab\.theory\.SYMBOLS"):
        testing.check_bound(theorem(K=sympy.Symbol("zeta", positive=True)), BlockGreedy)


def test_what_is_no_theorem_is_not_registered():
    with pytest.raises(TypeError, match="register takes bounds, .* not Add"):
        cdlab.theory.register(BLOCK_GREEDY.expr + 1)


def test_a_theorem_needs_a_method_to_run():
    with pytest.raises(AssertionError, match=r"there is no method named 'block_greedy' to run: pass it"):
        testing.check_bound(BLOCK_GREEDY)


@pytest.mark.parametrize("block", pushed([5, 8], 8))
def test_a_rate_that_forgets_how_many_coordinates_wait_is_refuted_where_none_helps_another(block):
    """The other problems do not tell it: there the steepest of many gains much more than the theorem says."""
    visited = sympy.Rational(block + 1, 2) * SYMBOLS["nnz"] / SYMBOLS["d"]
    without_d = theorem(K=BLOCK_GREEDY.K / SYMBOLS["d"], W=visited, parameters=(("block", block),))
    full = [P for P in hard_problems() if P.nnz == P.n * P.d]
    others = [small_problem(*setting) for setting in SMALL_PROBLEMS] + full
    assert testing.check_bound(without_d, BlockGreedy, problems=others) <= 1
    with pytest.raises(AssertionError, match="and the bound promises"):
        testing.check_bound(without_d, BlockGreedy)


@pytest.mark.parametrize(("share", "word"), [(1 / 4, "too few"), (4, "too many")])
def test_the_cost_of_a_step_is_what_the_runs_visit(share, word):
    """Of a W that is too small, or of a rate that hides behind one too large."""
    with pytest.raises(AssertionError, match=f"W is .* {word}: an iteration visits"):
        testing.check_bound(theorem(W=share * BLOCK_GREEDY.W, K=BLOCK_GREEDY.K * max(1, 1 / share)), BlockGreedy)
