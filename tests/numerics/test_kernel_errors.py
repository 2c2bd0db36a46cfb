"""What cannot be compiled is refused in one sentence that says what is wrong, where, and what would be right."""

from typing import NamedTuple

import numpy as np
import pytest
from problems import problem

import cdlab
from cdlab.numerics import jit

pytestmark = pytest.mark.skipif(bool(jit.config.DISABLE_JIT), reason="nothing is compiled")


class State(NamedTuple):
    x: np.ndarray
    t: float


@jit.kernel
def sets_a_field(P, S, order):
    S.t = 3.0


@jit.kernel
def adds_to_a_field(P, S, order):
    S.t += 3.0


@jit.kernel
def makes_zeros(P, S, order):
    x = np.zeros(3)
    S.x[0] = x[0]


@jit.kernel
def adds_arrays(P, S, order):
    x = S.x + S.x
    S.x[0] = x[0]


@jit.kernel
def asks_for_nothing(P, S, order):
    S.x[0] = S.y


@jit.kernel
def asks_for_nobody(P, S, order):
    S.x[0] = 0.0
    S.x[0] = PP  # noqa: F821


SENTENCES = {
    sets_a_field: r"kernel sets_a_field assigns to S\.t in line \d+.*return S\._replace",
    adds_to_a_field: r"kernel adds_to_a_field assigns to S\.t in line \d+",
    makes_zeros: r"kernel makes_zeros makes a new array at test_kernel_errors\.py, line \d+ .*make it in `init`",
    adds_arrays: r"kernel adds_arrays makes a new array at test_kernel_errors\.py, line \d+",
    asks_for_nothing: r"kernel asks_for_nothing does not compile at .*, line \d+: State has no 'y'; .* are x, t",
    asks_for_nobody: r"kernel asks_for_nobody does not compile at test_kernel_errors\.py, line \d+: NameError: .*'PP'",
}


@pytest.mark.parametrize("kernel", SENTENCES, ids=lambda kernel: kernel.__name__)
def test_a_kernel_that_cannot_be_compiled_says_why_in_one_line(kernel):
    with pytest.raises(jit.KernelError, match=SENTENCES[kernel]) as error:
        kernel(1.0, State(np.ones(3), 1.0), np.zeros(1, np.uint64))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_a_list_in_a_state_is_named():
    with pytest.raises(
        jit.KernelError, match=r"kernel sets_one cannot take State\.x, which is a list: make it an array"
    ):
        sets_one(1.0, State([1.0], 1.0), np.zeros(1, np.uint64))


@jit.kernel
def sets_one(P, S, order):
    S.x[0] = "one"


def test_a_field_named_like_a_method_of_structs_is_refused():
    class Named(NamedTuple):
        g: np.ndarray

    with pytest.raises(jit.KernelError, match="Named has a field 'g'.*rename the field"):
        makes_zeros(1.0, Named(np.ones(3)), np.zeros(1, np.uint64))


def test_a_field_of_a_struct_named_like_a_method_of_another_is_refused():
    @jit.struct
    class Valued(NamedTuple):
        value: float  # a method of matrices

        def valued_at(self, x: np.ndarray, i: int) -> float:
            return self.value * x[i]

    with pytest.raises(jit.KernelError, match="Valued has a field 'value'.*rename the field"):
        makes_zeros(1.0, Valued(2.0), np.zeros(1, np.uint64))


def test_a_formula_of_a_loss_that_cannot_be_compiled_is_found_in_its_own_file():
    @jit.struct
    class Misspelt(NamedTuple):
        c: float = 1.0
        classification = False
        lipschitz = float("inf")
        gamma = 1.0
        name = "misspelt"

        def phi(self, u, y):
            return self.cc * (u - y) ** 2 / 2

        def grad_phi(self, u, y):
            return u - y

        def phi_conj(self, a, y):
            return a * a / 2 - a * y

        def dualprox(self, u, y0, q, y):
            return (u - y + q * y0) / (1 + q)

    P = problem("squared")
    with pytest.raises(jit.KernelError, match=r"at test_kernel_errors\.py, line \d+: Misspelt has no 'cc'; .* c$"):
        cdlab.solve(cdlab.Problem(P.X, P.y, loss=Misspelt()))


def test_a_struct_is_a_named_tuple():
    with pytest.raises(TypeError, match=r"struct Plain is not a NamedTuple; write class Plain\(typing\.NamedTuple\)"):

        @jit.struct
        class Plain:
            c: float = 1.0
