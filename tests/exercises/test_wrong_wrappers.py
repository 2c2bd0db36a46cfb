"""The sentence about each plausible mistake in a wrapper of one's own."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from problems import problem

import cdlab
from cdlab import methods, testing
from cdlab.methods import GD, RCD, SDCA, WRAPPERS, Wrapper

pytestmark = pytest.mark.full  # a push tries what is right, in test_exercises.py


class State(NamedTuple):
    core: Any
    before: np.ndarray  # (m,) the coordinates an epoch ago
    product: np.ndarray  # and their product with X


def steps_on(method, P, x, product, new, its_product):
    return True


def steps_down(method, P, x, product, new, its_product):
    return method.objective(P, new, its_product) <= method.objective(P, x, product)


def heavy_ball(may_step=steps_down):
    @dataclass(frozen=True)
    class HeavyBall(Wrapper):
        """After an epoch the point goes on by a share of the epoch's change."""

        heaviness: float = 0.5

        keyword: ClassVar[str] = "heaviness"

        def init(self, problem, sampling, start=None):
            core = self.method.init(problem, sampling, start)
            return State(core, *map(np.copy, self.method.coordinates(core)))

        def epoch(self, P, S, order):
            core = self.method.epoch(P, S.core, order)
            x, product = self.method.coordinates(core)
            new, its_product = x + self.heaviness * (x - S.before), product + self.heaviness * (product - S.product)
            if may_step(self.method, P, x, product, new, its_product):
                x[:], product[:] = new, its_product
            S.before[:], S.product[:] = x, product
            return S._replace(core=core)

    return HeavyBall


@pytest.fixture(autouse=True)
def restored():
    before = dict(WRAPPERS)
    yield
    WRAPPERS.clear()
    WRAPPERS.update(before)


@pytest.mark.parametrize("inner", [SDCA, RCD, GD])
def test_a_wrapper_that_keeps_its_promises_passes(inner):
    HeavyBall = heavy_ball()
    assert testing.check_method(HeavyBall(inner()), tol=1e-4) is None
    assert cdlab.solve(problem(), inner.name, heaviness=0.3, tol=1e-4).status == "tolerance reached"


def test_dual_variables_outside_their_domain_are_named():
    with pytest.raises(AssertionError, match=r"D\(alpha\) is -inf: alpha is outside the domain of phi\*, where"):
        testing.check_method(heavy_ball(steps_on)(SDCA(), heaviness=3.0))


@pytest.mark.parametrize("takes", [testing.check_method, methods.resolve])
def test_a_class_is_told_what_it_goes_around(takes):
    with pytest.raises(
        TypeError, match=r"HeavyBall goes around a method: pass an instance such as HeavyBall\(SDCA\(\)\)"
    ):
        takes(heavy_ball())
    with pytest.raises(TypeError, match=r"pass an instance such as WorkingSet\(RCD\(\)\)$"):
        takes(methods.WorkingSet)


def test_a_wrapper_without_keyword_is_refused():
    with pytest.raises(TypeError, match=r"wrapper Bare needs keyword: ClassVar\[str\], the name of its one field$"):

        class Bare(Wrapper):
            pass


def test_the_keyword_of_another_is_refused():
    with pytest.raises(TypeError, match="wrapper Mine needs a keyword of its own: 'anderson' is that of Anderson$"):

        class Mine(Wrapper):
            keyword: ClassVar[str] = "anderson"

    assert WRAPPERS["anderson"] is methods.Anderson
    assert heavy_ball() is not heavy_ball()  # the same cell of a notebook, run again
    assert WRAPPERS["heaviness"].__name__ == "HeavyBall"


def test_a_keyword_that_is_no_field_is_refused():
    @dataclass(frozen=True)
    class Misspelt(Wrapper):
        heaviness: float = 0.5

        keyword: ClassVar[str] = "momenta"

    with pytest.raises(TypeError, match="wrapper Misspelt has no field momenta, which its keyword names: add it below"):
        Misspelt(SDCA())
