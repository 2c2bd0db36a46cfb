"""A user's classes in kernels: each definition runs its own formulas, and leaves nothing on the disk."""

from typing import NamedTuple

import numpy as np
import pytest
from processes import python

import cdlab
from cdlab.losses import per_example
from cdlab.numerics import jit, matrices
from cdlab.regularizers import L2


# ---------------------------------------------------------------- in one process
def scaled(factor):
    """The squared loss times a factor that stands in the formulas, not in a field: the same name each time."""

    @jit.struct
    class Scaled(NamedTuple):
        c: float = 1.0
        classification = False
        lipschitz = float("inf")
        name = "scaled"

        @property
        def gamma(self):
            return 1 / (factor * self.c)

        def phi(self, u, y):
            return factor * self.c * (u - y) ** 2 / 2

        def grad_phi(self, u, y):
            return factor * self.c * (u - y)

        def phi_conj(self, a, y):
            return a * a / (2 * factor * self.c) - a * y

        def dualprox(self, u, y0, q, y):
            return (u - y + q * y0) / (1 / (factor * self.c) + q)

    return Scaled


def ridge(X, y, factor, l2):
    n, d = X.shape
    return np.linalg.solve(factor * X.T @ X / n + l2 * np.eye(d), factor * X.T @ y / n)


def test_a_loss_that_is_defined_again_runs_its_new_formulas():
    """As a cell of a notebook that is edited and run twice, and as two modules with a loss of one name."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    for factor in (1.0, 2.0):
        P = cdlab.Problem(X, y, loss=scaled(factor)(), l2=0.1)
        w = cdlab.solve(P, "sdca", tol=1e-12, seed=0).w
        np.testing.assert_allclose(w, ridge(X, y, factor, 0.1), atol=1e-6)


def test_formulas_may_say_their_types():
    """numba compares the signatures of all that it finds by one name: types in one of them must not matter."""

    @jit.struct
    class Typed(NamedTuple):
        c: float

        def shrink(self, v: float) -> float:
            return self.c * v

    @jit.kernel
    def shrunk(reg, x):
        return reg.shrink(x[0])

    assert shrunk(Typed(3.0), np.array([2.0])) == 6.0
    assert shrunk(L2(3.0), np.array([2.0])) == 2.0


def test_a_loss_with_the_name_of_a_built_in_one_runs_its_own_formulas():
    @jit.struct
    class Squared(NamedTuple):
        c: float

        def phi(self, u, y):
            return 100.0

    z, y = np.zeros(3), np.ones(3)
    assert per_example.mean_loss(cdlab.losses.Squared(0.5), z, y) == 0.5
    assert per_example.mean_loss(Squared(0.5), z, y) == 100
    assert per_example.mean_loss(cdlab.losses.Squared(0.5), z, y) == 0.5


def regularizer(factor):
    @jit.struct
    class Shrunk(NamedTuple):
        l2: float

        def shrink_at(self, j, v):
            return factor * v

    return matrices.rows(np.eye(3)), Shrunk(1.0)


def matrix(factor):
    @jit.struct
    class Rows(NamedTuple):
        entries: np.ndarray

        def dot(self, i, v, reg):
            return factor * reg.shrink(v[i])

    return Rows(np.eye(3)), L2(1.0)


@jit.kernel
def dots(X, v, reg):
    total = 0.0
    for i in range(v.size):
        total += X.dot(i, v, reg)
    return total


@pytest.mark.parametrize("parts", [regularizer, matrix])
def test_so_do_a_regularizer_and_a_matrix_that_are_defined_again(parts):
    for factor in (1.0, 2.0):
        X, reg = parts(factor)
        assert dots(X, np.ones(3), reg) == 3 * factor


def test_a_class_is_printed_by_its_name_however_often_it_is_defined():
    assert [repr(scaled(factor)(3.0)) for factor in (1, 2)] == ["Scaled(c=3.0)"] * 2

    @jit.struct
    class Own(NamedTuple):
        c: float

        def __repr__(self):
            return "my own"

    assert repr(Own(1.0)) == "my own"


@pytest.mark.skipif(jit.config.DISABLE_JIT, reason="plain Python needs no decorator")
def test_a_class_that_inherits_must_be_decorated_itself():
    class Mine(cdlab.losses.Squared):
        def phi(self, u, y):
            return 7.0

    u, y = np.zeros(3), np.ones(3)
    with pytest.raises(TypeError, match=r"Mine is not decorated with cdlab\.jit\.struct"):
        per_example.mean_loss(Mine(1.0), u, y)
    assert per_example.mean_loss(jit.struct(Mine)(1.0), u, y) == 7


# ---------------------------------------------------------------- across processes
MY_LOSSES = """
from typing import NamedTuple
from cdlab import jit

@jit.struct
class Scaled(NamedTuple):
    c: float = 1.0
    classification = False
    lipschitz = float("inf")
    name = "scaled"
    gamma = 1 / {factor}

    def phi(self, u, y):
        return {factor} * (u - y) ** 2 / 2

    def grad_phi(self, u, y):
        return {factor} * (u - y)

    def phi_conj(self, a, y):
        return a * a / (2 * {factor}) - a * y

    def dualprox(self, u, y0, q, y):
        return (u - y + q * y0) / (1 / {factor} + q)
"""
RUN = """
import json, numpy as np, cdlab
{loss}
rng = np.random.default_rng(0)
P = cdlab.Problem(rng.standard_normal((20, 3)), rng.standard_normal(20), loss=loss, l2=0.1)
s = cdlab.solve(P, "sdca", tol=1e-12, seed=0)
print(json.dumps([s.status, s.w.tolist()]))
"""
OWN = RUN.format(loss="import my_losses\nloss = my_losses.Scaled()")
BUILT_IN = RUN.format(loss="loss = 'squared'")


@pytest.mark.full
def test_an_edited_file_of_losses_runs_its_new_formulas_and_hinders_nobody_elsewhere(tmp_path):
    """The edit, then a built-in loss in a folder where the file of losses cannot be imported."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    here, elsewhere, environment = tmp_path / "here", tmp_path / "elsewhere", {"NUMBA_CACHE_DIR": str(tmp_path)}
    here.mkdir()
    elsewhere.mkdir()
    for factor in (1.0, 2.0):
        (here / "my_losses.py").write_text(MY_LOSSES.format(factor=factor))
        status, w = python(OWN, here, **environment, PYTHONDONTWRITEBYTECODE="1")
        assert status == "tolerance reached"
        np.testing.assert_allclose(w, ridge(X, y, factor, 0.1), atol=1e-6)
    if not jit.config.DISABLE_JIT:
        kept = [path.name for path in tmp_path.glob("cdlab/kernels/*/*")]
        assert not [name for name in kept if name.startswith(("losses.", "methods."))]  # they take a loss
    status, w = python(BUILT_IN, elsewhere, **environment)
    np.testing.assert_allclose(w, ridge(X, y, 1.0, 0.1), atol=1e-6)
