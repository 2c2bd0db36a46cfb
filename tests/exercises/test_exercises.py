"""What the README's "Make it yours" asks for: a loss, a sampling, a method and a theorem, each in one file of the
user's own, checked by `cdlab.testing` and found by name; and the sentence about each plausible mistake."""

from dataclasses import dataclass
from itertools import islice, repeat
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from block_greedy import BlockGreedy, block_epoch
from block_greedy_theorem import BLOCK_GREEDY
from by_nonzeros import ByNonzeros
from modified_huber import ModifiedHuber
from problems import problem

import cdlab
from cdlab import jit, testing
from cdlab.methods import METHODS, Method
from cdlab.samplings import SAMPLINGS, Sampling, normalised
from cdlab.theory.own import forget


@pytest.fixture
def registries(monkeypatch):
    """What a test registers is forgotten after it."""
    for registry in (METHODS, SAMPLINGS, cdlab.losses.LOSSES):
        for name in ("block_greedy", "by_nonzeros", "modified_huber"):
            monkeypatch.setitem(registry, name, None)
            monkeypatch.delitem(registry, name)
    yield
    forget("block_greedy")


# ------------------------------------------------------------ right ones
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


# ------------------------------------------------------------ wrong losses
def wrong_loss(**changed):
    return jit.struct(type("Wrong", (ModifiedHuber,), changed))()


LOSSES = {
    "the conjugate of the hinge": (
        {"phi_conj": lambda self, a, y: -y * a if -1e-12 <= y * a <= 1 else float("inf")},
        r"phi \+ phi_conj = -a u fails",
    ),
    "the conjugate at a in place of -a": (
        {"phi_conj": lambda self, a, y: a * a / 4 + y * a if -4 <= y * a <= 0 else float("inf")},
        r"phi_conj\(a, y\) is the conjugate at -a",
    ),
    "a domain without end": (
        {"phi_conj": lambda self, a, y: a * a / 4 - y * a},
        r"phi_conj must be inf at a = -?4\.000001, y = -1, as -phi' ends at -?4: it is ",
    ),
    "the derivative without the label": (
        {"grad_phi": lambda self, u, y: -2.0 * max(0.0, 1 - y * u) if y * u > -1 else -4.0},
        r"grad_phi\(u = .*, y = -1\) is .*, and the slope of phi there is between .* and ",
    ),
    "the step of a hinge": (
        {"dualprox": lambda self, u, y0, q, y: -y * min(max((1 - y * u - q * y * y0) / (0.5 + q), 0.0), 1.0)},
        r"dualprox\(.*\) = .* does not maximise",
    ),
    "not convex": ({"phi": lambda self, u, y: min(1.0, max(0.0, 1 - y * u) ** 2)}, "phi is not convex"),
    "too smooth": ({"gamma": 1.0}, r"gamma = 1 is too large"),
    "too flat": ({"lipschitz": 1.0}, r"lipschitz = 1 is too small"),
    "no kink": ({"gamma": 0.0}, "its derivative does not jump: give gamma > 0"),
}


@pytest.mark.parametrize("mistake", LOSSES)
def test_a_wrong_loss_is_told_what_is_wrong(mistake):
    changed, sentence = LOSSES[mistake]
    with pytest.raises(AssertionError, match=sentence) as error:
        testing.check_loss(wrong_loss(**changed))
    assert "\n" not in str(error.value)


def test_kinks_that_are_denied_are_found():
    hinge = jit.struct(type("Hinge", (cdlab.losses.SmoothHinge,), {"kinks": False}))
    with pytest.raises(AssertionError, match="it says kinks = False, and its derivative jumps"):
        testing.check_loss(hinge(gamma=0.0))


def test_a_loss_without_a_fact_is_told_which():
    @jit.struct
    class Bare(NamedTuple):
        c: float = 1.0

        def phi(self, u, y):
            return self.c * (u - y) ** 2

    with pytest.raises(
        TypeError, match="loss Bare.* has no name, classification, gamma, .*add `name = .*see cdlab.losses.Loss"
    ):
        cdlab.Problem(np.eye(2), [1, -1], loss=Bare())


# ------------------------------------------------------------ wrong samplings
class Wrong(ByNonzeros):
    name = "wrong"


def drawing(**changed):
    return type("Drawing", (Wrong,), changed)()


SAMPLED = {
    "weights": ({"probabilities": lambda self, c: c.counts + 1.0}, r"must sum to 1, not .*normalised"),
    "one too few": ({"probabilities": lambda self, c: np.ones(c.m - 1)}, r"shape \(6,\), one for each coordinate"),
    "never the last": (
        {"probabilities": lambda self, c: np.r_[np.ones(c.m - 1), 0] / max(1, c.m - 1)},
        "never drawn is never optimised",
    ),
    "never the shortest": (
        {"probabilities": lambda self, c: normalised(c.counts - c.counts.min() + (np.ptp(c.counts) == 0) * 1.0)},
        "never drawn is never optimised",
    ),
    "uniform draws": (
        {"epochs": lambda self, c, rng: (rng.integers(c.m, size=c.m, dtype=np.uint64) for _ in repeat(0))},
        r"was drawn with frequency 0\.\d+ .* its probability is",
    ),
    "a generator of its own": (
        {"epochs": lambda self, c, rng: Sampling.epochs(self, c, np.random.default_rng())},
        "the same seed gave other draws",
    ),
    "signed indices": (
        {"epochs": lambda self, c, rng: (rng.integers(c.m, size=c.m) for _ in repeat(0))},
        "dtype uint64",
    ),
    "from 1": (
        {"epochs": lambda self, c, rng: (rng.integers(c.m, size=c.m, dtype=np.uint64) + 1 for _ in repeat(0))},
        "drew coordinate 6 of 6",
    ),
}


@pytest.mark.parametrize("mistake", SAMPLED)
def test_a_wrong_sampling_is_told_what_is_wrong(mistake):
    changed, sentence = SAMPLED[mistake]
    with pytest.raises(AssertionError, match=sentence) as error:
        testing.check_sampling(drawing(**changed))
    assert "\n" not in str(error.value)


OF_DRAWS = {  # what a run would draw from other probabilities than its steps are for, or not at all
    "NaN": (lambda c: np.full(c.m, np.nan), "finite and at least 0; that of coordinate 0"),
    "negative": (lambda c: np.r_[-1.0, np.full(c.m - 1, 2 / (c.m - 1))], "at least 0; that of coordinate 0 .* is -1"),
    "divided by the largest": (lambda c: c.norms2 / c.norms2.max(), r"must sum to 1, not \d+.*normalised"),
    "a list": (lambda c: [1 / c.m] * c.m, "an array of float64, not a value of type list"),
    "float32": (lambda c: np.full(c.m, 1 / c.m, np.float32), "an array of float64, not an array of float32"),
    "nothing": (lambda c: None, "an array of float64, not None"),
    "one too few": (lambda c: np.full(c.m - 1, 1 / (c.m - 1)), "one for each coordinate; they have"),
}


@pytest.mark.parametrize("mistake", OF_DRAWS)
def test_no_run_draws_from_what_is_no_distribution(mistake):
    p, sentence = OF_DRAWS[mistake]
    own = drawing(probabilities=lambda self, c: p(c))
    with pytest.raises(ValueError, match=f"sampling wrong of .* coordinates: probabilities .*{sentence}"):
        cdlab.solve(problem(), "sdca", sampling=own)
    with pytest.raises(AssertionError, match=sentence):
        testing.check_sampling(own)


def test_weights_in_an_array_are_divided_by_their_sum():
    P = problem()
    weights = np.linspace(1, 7, P.n)
    a, b = (cdlab.solve(P, sampling=w, tol=0, max_passes=3).w for w in (weights, weights / weights.sum()))
    np.testing.assert_array_equal(a, b)


# ------------------------------------------------------------ names and classes
@dataclass(frozen=True)
class Power(Sampling):
    power: float

    name: ClassVar[str] = "power"


NOT_FOUND = {
    "a loss's class": (lambda: cdlab.Problem(np.eye(2), [1, -1], loss=ModifiedHuber), r"pass ModifiedHuber\(\), "),
    "a sampling's class": (lambda: cdlab.solve(problem(), sampling=ByNonzeros), r"pass ByNonzeros\(\), "),
    "a registered instance": (lambda: cdlab.losses.register(ModifiedHuber()), "takes the class of a loss"),
    "a parameter without default": (lambda: cdlab.samplings.register(Power), "sampling Power needs power"),
    "a loss in words": (lambda: cdlab.losses.resolve("huber(gamma=0.5)"), r"pass Huber\(gamma=0\.5\), not a string"),
    "a method in words": (lambda: cdlab.methods.resolve("rcd(batch_size=4)"), r"pass RCD\(batch_size=4\), not a"),
    "blocks in words": (lambda: cdlab.samplings.resolve("tau_nice(tau=2)"), r"pass TauNice\(tau=2\), not a string"),
}


@pytest.mark.parametrize("mistake", NOT_FOUND)
def test_a_class_an_instance_and_a_name_are_told_apart(mistake):
    call, sentence = NOT_FOUND[mistake]
    with pytest.raises((TypeError, ValueError), match=sentence):
        call()


def test_a_misspelt_method_of_a_sampling_is_not_uniform_in_silence():
    @dataclass(frozen=True)
    class Misspelt(Sampling):
        name: ClassVar[str] = "misspelt"

        def probability(self, c):
            return normalised(c.counts + 1.0)

    with pytest.raises(AssertionError, match="misspelt draws uniformly: .*is probability meant to be probabilities?"):
        testing.check_sampling(Misspelt())


def test_a_sampling_by_smoothness_says_that_it_needs_it():
    with pytest.raises(AssertionError, match=r"not finite where the loss is not smooth .*needs_smooth: .* = True"):
        testing.check_sampling(drawing(probabilities=lambda self, c: normalised(c.smoothness)))
    smooth = {"probabilities": lambda self, c: normalised(c.smoothness), "needs_smooth": True}
    assert testing.check_sampling(drawing(**smooth)) is None


def test_a_sampling_says_its_name():
    with pytest.raises(TypeError, match="sampling Nameless does not say its name: add to the class name: ClassVar"):

        class Nameless(Sampling):
            pass


# ------------------------------------------------------------ wrong methods
def method(**changed):
    return type("WrongMethod", (BlockGreedy,), changed)


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
    block_epoch.py_func(P, S, order, self.block)
    return S


@jit.kernel
def without_z(P, S, order):
    for j in order:
        S.w[j] -= (P.X.slope(j, S.z, P.y, P.loss) / P.y.size + P.reg.l2 * S.w[j]) / S.L[j]


def forgets_z(self, P, S, order):
    without_z(P, S, order)
    return S


METHODS_WRONG = {
    "moves its start": ({"init": keeps_the_start}, r"its epoch writes into start\.w: it must work on a copy"),
    "sorts its order": ({"epoch": sorts_its_order}, "its epoch writes into order"),
    "ignores the start": ({"init": forgetful}, r"does not start at start\.w"),
    "diverges": ({"init": long_steps}, r"P\(w\) - P\* is .* times P\(0\) - P\*, more than"),
    "overflows": ({"init": uphill}, r"it diverges: after .* passes P\(w\) is (inf|nan)"),
    "stands still": ({"init": short_steps}, r"P\(w\) - P\* is 1 times P\(0\) - P\*, more than tol = 1e-06$"),
    "forgets X w": ({"epoch": forgets_z}, r"after three epochs z is not X w, .*: update z as coordinates move"),
    "takes l1": ({"takes_l1": True}, r"with l2 = 0\.1, l1 = 0\.02: .*; if it has no step for l1, say takes_l1: "),
    "takes kinks": (
        {"init": of_a_kink, "needs_smooth": False},
        r"on hinge .*; if it needs a smooth loss, say needs_sm",
    ),
    "certifies nothing": (
        {"points": lambda self, problem, S: cdlab.methods.Points(S.w, np.zeros(problem.n), z=S.z)},
        r"its gap is \d\.\d+ \(P\(0\) - P\*\), so that `solve` would not stop: points needs an alpha",
    ),
    "counts its updates alone": (
        {"count": lambda self, problem, S, order: (order.size, order.size / 10)},
        r"its kernels touch \d+ nonzeros .* and `count` says",
    ),
    "draws in its epoch": ({"epoch": by_chance}, "the same seed gives another trace"),
    "swaps its points": (
        {"points": lambda self, problem, S: cdlab.methods.Points(problem.alpha(S.w, z=S.z), S.w)},
        r"points must have w of shape \(8,\); it has \(30,\)",
    ),
    "a tuple of points": ({"points": lambda self, problem, S: (S.w, S.w)}, "points must return cdlab.methods.Points"),
    "refuses without a word": ({"refusal": lambda self, problem, sampling: False}, "refusal must return None or one"),
}


@pytest.mark.parametrize("mistake", METHODS_WRONG)
def test_a_wrong_method_is_told_what_is_wrong(mistake):
    changed, sentence = METHODS_WRONG[mistake]
    with pytest.raises(AssertionError, match=sentence) as error:
        testing.check_method(method(**changed), max_passes=200)
    assert "\n" not in str(error.value)


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


def test_an_epoch_returns_the_state():
    with pytest.raises(TypeError, match=r"WrongMethod\.epoch returned None: it must return the state"):
        cdlab.solve(problem(), method(epoch=lambda self, P, S, order: None)())


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


def test_an_abstract_method_is_not_registered():
    class Half(Method):
        name: ClassVar[str] = "half"

    with pytest.raises(TypeError, match="method Half has no epoch and no init and no points"):
        cdlab.methods.register(Half)


def test_a_class_is_no_instance():
    with pytest.raises(TypeError, match=r"pass BlockGreedy\(\)"):
        cdlab.methods.resolve(BlockGreedy)


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


# ------------------------------------------------------------ wrong theorems
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
