"""The sentence about each plausible mistake in a method of one's own."""

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from block_greedy import BlockGreedy, State, block_epoch
from cases import each_of
from problems import problem

import cdlab
from cdlab import jit, testing
from cdlab.methods import METHODS, Method
from cdlab.samplings import TauNice, Uniform
from cdlab.testing.small import small_problem
from cdlab.testing.visit_checks import check_visits

pytestmark = pytest.mark.full  # a push tries what is right, in test_exercises.py


def method(**changed):
    return dataclass(frozen=True)(type("WrongMethod", (BlockGreedy,), changed))


def forgetful(self, problem, sampling, start=None):
    return BlockGreedy.init(self, problem, sampling)


def long_steps(self, problem, sampling, start=None):
    S = BlockGreedy.init(self, problem, sampling, start)
    return S._replace(L=S.L / 20)


def uphill(self, problem, sampling, start=None):
    S = BlockGreedy.init(self, problem, sampling, start)
    return S._replace(L=S.L * -1e-9)


def short_steps(self, problem, sampling, start=None):
    S = BlockGreedy.init(self, problem, sampling, start)
    return S._replace(L=S.L * 1e9)


def by_chance(self, P, S, order):
    return BlockGreedy.epoch(self, P, S, np.random.default_rng().permutation(order))


def keeps_the_start(self, problem, sampling, start=None):
    S = BlockGreedy.init(self, problem, sampling, start)
    return S if start is None else S._replace(w=start.w)


def sorts_its_order(self, P, S, order):
    order.sort()
    return BlockGreedy.epoch(self, P, S, order)


def of_a_kink(self, problem, sampling, start=None):
    S = BlockGreedy.init(self, problem, sampling, start)
    return S if problem.loss.gamma > 0 else S._replace(L=problem.column_profile.norms2 + problem.l2)


def in_python(self, P, S, order):
    return S._replace(visited=block_epoch.py_func(P, S, order, self.block))


@jit.kernel
def without_z(P, S, order):
    for j in order:
        S.w[j] -= (P.X.slope(j, S.z, P.y, P.loss) / P.y.size + P.reg.l2 * S.w[j]) / S.L[j]


def forgets_z(self, P, S, order):
    without_z(P, S, order)
    return S


def scaled(base, iterations, nonzeros):
    """The count of a method, times these."""

    def count(self, problem, S, order):
        done, visits, *_ = base.count(self, problem, S, order)
        return iterations * done, nonzeros * visits

    return count


def of_smoothness(share):
    """An init whose steps are for this share of the smoothness."""

    def init(self, problem, sampling, start=None):
        S = BlockGreedy.init(self, problem, sampling, start)
        return S._replace(L=share * S.L)

    return init


@jit.kernel
def blocks_epoch(P, S, order):
    for b in range(order.starts.size - 1):
        for k in range(order.starts[b], order.starts[b + 1]):
            P.X.add(order.indices[k], 0.0, S.z)


def on_blocks(self, P, S, order):
    blocks_epoch(P, S, order)
    return S


@jit.kernel
def without_l2(P, S, order):
    visited = 0.0
    for j in order:
        step = -P.X.slope(j, S.z, P.y, P.loss) / P.y.size / S.L[j]
        S.w[j] += step
        P.X.add(j, step, S.z)
        visited += S.counts[j]
    return visited


METHODS_WRONG = {
    "takes a quarter of the smoothness": ({"init": of_smoothness(1 / 4)}, "its steps are too long"),
    "takes a thousand times the smoothness": ({"init": of_smoothness(1000)}, "its steps are too short"),
    "forgets l2 in its slope": (
        {"epoch": lambda self, P, S, order: S._replace(visited=without_l2(P, S, order)), "block": 1},
        "gradient of the mean loss alone is 0: add l2 w",
    ),
    "forgets that it takes blocks": ({"epoch": on_blocks}, "say takes: .* = .*blocks"),
    "takes no blocks and says so": ({"takes": ("blocks",)}, "leave 'blocks' out of its `takes`"),
    "moves its start": ({"init": keeps_the_start}, r"its epoch writes into start\.w: it must work on a copy"),
    "sorts its order": ({"epoch": sorts_its_order}, "its epoch writes into order"),
    "ignores the start": ({"init": forgetful}, r"does not start at start\.w"),
    "diverges": ({"init": long_steps}, "it diverges: .* steps are too long"),
    "overflows": ({"init": uphill}, r"it diverges: after .* passes P\(w\) is (inf|nan)"),
    "stands still": ({"init": short_steps}, r"P\(w\) - P\* is 1 times P\(0\) - P\*, more than tol = 1e-06; it rests"),
    "forgets X w": ({"epoch": forgets_z}, r"after three epochs z is not X w, .*: update z as coordinates move"),
    "takes l1": (
        {"takes": ("l1",)},
        r"with l2 = 0\.1, l1 = 0\.02: .*; if it has no step for l1, leave it out",
    ),
    "takes kinks": (
        {"init": of_a_kink, "needs": ("l2",)},
        r"on hinge .*; if it needs a smooth loss, say needs: ",
    ),
    "certifies nothing": (
        {"points": lambda self, problem, S: cdlab.methods.Points(S.w, np.zeros(problem.n), z=S.z)},
        r"its gap is \d\.\d+ \(P\(0\) - P\*\), so that `solve` would not stop: points needs an alpha",
    ),
    "counts its updates alone": (
        {"count": lambda self, problem, S, order: (order.size, order.size / 10)},
        r"its kernels visit .* nonzeros .* and `count` says",
    ),
    "draws in its epoch": ({"epoch": by_chance}, "the same seed gives another trace"),
    "counts half of its updates": (
        {"count": lambda self, problem, S, order: (order.size, self.visits(problem)[order].sum() / 4)},
        r"its kernels visit .* nonzeros .* says .* too few: a line that is read and written is visited once",
    ),
    "counts zeros": (
        {"count": lambda self, problem, S, order: (1, order.size * problem.X[:, :1].size)},
        "too many: .*, and zeros are none",
    ),
    "counts 30 times its nonzeros": ({"count": scaled(BlockGreedy, 1, 30)}, "visit .* says .* too many"),
    "counts every column it reads as a visit": (
        {"count": lambda self, problem, S, order: (-(-order.size // self.block), self.visits(problem)[order].sum())},
        "visit .* says .* too many",
    ),
    "counts 7 iterations for each": ({"count": scaled(BlockGreedy, 7, 1)}, "says 21 iterations .* at most"),
    "counts a block as its coordinates": (
        {"count": lambda self, problem, S, order: (order.size, S.visited)},
        "says 8 iterations .* at most",
    ),
    "has no count": ({"count": Method.count}, "`count` says .* at most"),
    "swaps its points": (
        {"points": lambda self, problem, S: cdlab.methods.Points(problem.alpha(S.w, z=S.z), S.w)},
        r"points must have w of shape \(8,\); it has \(30,\)",
    ),
    "a tuple of points": ({"points": lambda self, problem, S: (S.w, S.w)}, "points must return cdlab.methods.Points"),
    "points without alpha": (
        {"points": lambda self, problem, S: cdlab.methods.Points(S.w)},
        r"method block_greedy: <lambda> \(test_wrong_methods\.py, line \d+\) fails: Points is made without 'alpha'",
    ),
    "a state that is not whole": (
        {"init": lambda self, problem, sampling, start=None: State(np.zeros(problem.d), np.zeros(problem.n))},
        r"fails: State is made without 'L', 'counts', and 'visited', which it needs",
    ),
    "a name that a state has not": (
        {"points": lambda self, problem, S: cdlab.methods.Points(S.x, S.z)},
        r"fails: State has no 'x'; it has L, counts, visited, w, z$",
    ),
    "divides by nothing": (
        {"count": lambda self, problem, S, order: (order.size, 1 / len(()))},
        "fails: ZeroDivisionError: division by zero",
    ),
    "no self": (
        {"count": lambda problem, S, order: (1, 1.0)},
        r"its count takes \(problem, S, order\) and is called with \(self, problem, S, order\): write def count\(self",
    ),
    "an init without start": (
        {"init": lambda self, problem, sampling: BlockGreedy.init(self, problem, sampling)},
        r"its init takes \(self, problem, sampling\) and is called with \(self, problem, sampling, start\): write",
    ),
    "refuses without a word": ({"refusal": lambda self, problem, sampling: False}, "refusal must return None or one"),
}


@pytest.mark.parametrize("mistake", METHODS_WRONG)
def test_a_wrong_method_is_told_what_is_wrong(mistake):
    changed, sentence = METHODS_WRONG[mistake]
    with pytest.raises(AssertionError, match=sentence) as error:
        testing.check_method(method(**changed), max_passes=200)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("iterations", "nonzeros"), [(1, 30), (7, 1), (1, 0.1)])
@pytest.mark.parametrize("name", ["rcd", "sdca", "apcg", "svrg", "appa", "gd"])
def test_a_count_that_is_wrong_is_found_in_methods_of_every_kind(name, iterations, nonzeros):
    """By lines, by loops over their entries, with full gradients between, around others, and with X as a whole."""
    if (name, iterations) == ("gd", 7):
        pytest.skip("what one iteration over all examples is, nothing but the method tells")
    right = METHODS[name]
    wrong = dataclass(frozen=True)(type("Wrong", (right,), {"count": scaled(right, iterations, nonzeros)}))
    check_visits(right(), Uniform(), small_problem("logistic", 0.1, sparse=True))
    with pytest.raises(AssertionError, match="`count` says"):
        check_visits(wrong(), Uniform(), small_problem("logistic", 0.1, sparse=True))


def test_blocks_for_a_method_that_forgets_to_say_that_it_takes_them():
    with pytest.raises(AssertionError, match="say takes: .* = .*blocks"):
        testing.check_method(method(epoch=on_blocks), TauNice(3))


@pytest.mark.skipif(bool(jit.config.DISABLE_JIT), reason="nothing is compiled")
def test_an_epoch_without_a_kernel_is_found():
    place = r"block_epoch \(block_greedy\.py, line \d+\) asks X for a line; write @cdlab\.jit\.kernel"
    with pytest.raises(AssertionError, match=f"its epoch runs in plain Python, .*: {place}"):
        testing.check_method(method(epoch=in_python))


def test_orders_go_on_without_end():
    def twice(self, problem, sampling, rng):
        return islice(BlockGreedy.orders(self, problem, sampling, rng), 2)

    with pytest.raises(RuntimeError, match=r"block_greedy's orders ended: .* go on without end, as in `while True"):
        cdlab.solve(problem(), method(orders=twice)())


@each_of("run", [lambda wrong: cdlab.solve(problem(), wrong()), testing.check_method])
def test_orders_are_many(run):
    def one(self, problem, sampling, rng):
        return next(BlockGreedy.orders(self, problem, sampling, rng))

    with pytest.raises(TypeError, match=r"block_greedy's orders are one ndarray: .* as in `while True: yield"):
        run(method(orders=one))


def test_an_epoch_returns_the_state():
    with pytest.raises(TypeError, match=r"WrongMethod\.epoch returned None: it must return the state"):
        cdlab.solve(problem(), method(epoch=lambda self, P, S, order: None)())


def test_a_state_is_a_named_tuple():
    words = r"WrongMethod\.init returned a dict: it must return the state, a NamedTuple"
    with pytest.raises(TypeError, match=words):
        cdlab.solve(problem(), method(init=lambda self, problem, sampling, start=None: {"w": np.zeros(problem.d)})())


@each_of("part", ["init", "epoch", "points"])
def test_a_method_that_lacks_a_part_is_not_made(part):
    parts = {name: vars(BlockGreedy)[name] for name in ("init", "epoch", "points", "side", "name") if name != part}
    half = dataclass(frozen=True)(type("Half", (Method,), parts))
    for make in (half, lambda: testing.check_method(half)):
        with pytest.raises(TypeError, match=rf"method Half has no {part}: add to the class def {part}\(self, "):
            make()


def test_a_method_is_a_dataclass():
    bare = type("Bare", (BlockGreedy,), {"__annotations__": {"share": float}, "share": 0.5})
    with pytest.raises(AssertionError, match=r"method block_greedy is not a dataclass, .*: write @dataclass\(frozen=T"):
        testing.check_method(bare)
    with pytest.raises(
        TypeError, match=r"method Bare is not a dataclass .*: write @dataclass\(frozen=True\) above class"
    ):
        bare(share=0.9)


def test_what_cdlab_says_itself_is_passed_on():
    """An error of cdlab's own is a sentence already."""
    wrong = method(points=lambda self, problem, S: problem.predict(np.zeros(problem.d + 1)))
    with pytest.raises(ValueError, match=r"w must have shape \(8,\)"):
        testing.check_method(wrong)


@pytest.mark.parametrize("fact", ["name", "side"])
def test_a_method_says_its_name_and_side(fact):
    facts = {"name": "own", "side": "primal"}
    del facts[fact]
    parts = {part: vars(BlockGreedy)[part] for part in ("init", "epoch", "points")}
    with pytest.raises(TypeError, match=f"method Own does not say its {fact}: add to the class {fact}: ClassVar"):
        type("Own", (Method,), facts | parts)


def test_a_side_is_primal_or_dual():
    with pytest.raises(TypeError, match="side must be 'primal' or 'dual', not 'rows'"):
        method(side="rows")


def test_a_state_with_a_field_named_like_a_formula_is_told_to_rename_it():
    class Own(NamedTuple):
        g: np.ndarray

    @dataclass(frozen=True)
    class Gradient(BlockGreedy):
        name: ClassVar[str] = "gradient"

        def init(self, problem, sampling, start=None):
            return Own(np.zeros(problem.d))

        def epoch(self, P, S, order):
            fill(P, S, order)
            return S

    if jit.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    with pytest.raises(jit.KernelError, match="Own has a field 'g'.*rename the field"):
        cdlab.solve(problem(), Gradient())


@jit.kernel
def fill(P, S, order):
    S.g[0] = P.y[0]
