"""What docs/extending.md asks for: a loss, a sampling, a method and a theorem, each in one file of the
user's own, checked by `cdlab.testing` and found by name. Plausible mistakes are in the files beside this one."""

import pytest
from block_greedy import BlockGreedy
from block_greedy_theorem import BLOCK_GREEDY
from by_nonzeros import ByNonzeros
from modified_huber import ModifiedHuber
from problems import problem

import cdlab
from cdlab import jit, testing
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS
from cdlab.theory.registry import forget


@pytest.fixture
def registries(monkeypatch):
    """What a test registers is forgotten after it."""
    for registry in (METHODS, SAMPLINGS, cdlab.losses.LOSSES):
        for name in ("block_greedy", "by_nonzeros", "modified_huber"):
            monkeypatch.setitem(registry, name, None)
            monkeypatch.delitem(registry, name)
    yield
    forget("block_greedy")


def test_the_loss():
    assert testing.check_loss(ModifiedHuber()) is None
    assert testing.check_loss(ModifiedHuber(c=0.25)) is None


def test_the_sampling():
    assert testing.check_sampling(ByNonzeros()) is None


def test_the_method():
    assert testing.check_method(BlockGreedy) is None


def test_the_theorem():
    assert 0 < testing.check_bound(BLOCK_GREEDY, BlockGreedy) <= 1
    assert BLOCK_GREEDY.for_problem(problem(), eps=1e-6) > 0


def test_instances_run_without_being_registered():
    P = problem()
    own = cdlab.Problem(P.X, P.y, loss=ModifiedHuber(), l2=0.1)
    for method, sampling in (("sdca", ByNonzeros()), (BlockGreedy(block=2), None), ("rcd", ByNonzeros())):
        assert cdlab.solve(own, method, sampling=sampling, tol=1e-8, max_passes=5000).status == "tolerance reached"


@pytest.mark.full
def test_what_is_registered_is_found_by_its_name(registries):
    cdlab.losses.register(ModifiedHuber)
    cdlab.samplings.register(ByNonzeros)
    cdlab.methods.register(BlockGreedy)
    cdlab.theory.register(BLOCK_GREEDY)
    assert cdlab.theory.bound("block_greedy", "iterations").source == BLOCK_GREEDY.source
    assert cdlab.theory.bound(BlockGreedy()).quantity == "passes"
    assert {b.method for b in cdlab.theory.bounds()} >= {"block_greedy", "rcd"}
    P = cdlab.Problem(*(problem().X, problem().y), loss="modified_huber", l2=0.1)
    assert cdlab.solve(P, "sdca@by_nonzeros", tol=1e-6).status == "tolerance reached"
    assert cdlab.solve(P, "block_greedy", block=2, tol=1e-6, max_passes=5000).status == "tolerance reached"


@pytest.mark.parametrize(
    ("register", "name", "own"),
    [
        (cdlab.methods.register, "rcd", BlockGreedy),
        (cdlab.samplings.register, "uniform", ByNonzeros),
        (cdlab.losses.register, "squared", ModifiedHuber),
    ],
)
def test_a_name_of_cdlab_is_not_taken_away(register, name, own, registries):
    kind = (
        jit.struct(type("Own", (own,), {"name": name})) if own is ModifiedHuber else type("Own", (own,), {"name": name})
    )
    with pytest.raises(ValueError, match=f"there is a .* named '{name}' in cdlab already"):
        register(kind)
