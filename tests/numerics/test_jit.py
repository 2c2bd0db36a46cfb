"""The bridge to numba: compiled and plain Python agree, and users' classes are compiled as cdlab's own are."""

from typing import NamedTuple

import numpy as np
import pytest
from forms import forms
from problems import LOSSES, SMOOTH, problem
from processes import python

import cdlab
from cdlab import methods, samplings
from cdlab.methods import quartz, rcd, sdca
from cdlab.numerics import jit

KERNELS = {
    "sdca": (methods.SDCA(), sdca.sdca_epoch),
    "quartz": (methods.Quartz(), quartz.quartz_epoch),
    "quartz averaged": (methods.Quartz(averaged_primal=True), quartz.quartz_averaged_epoch),
    "rcd": (methods.RCD(), rcd.rcd_epoch),
}


@pytest.mark.parametrize(
    ("name", "loss", "l1", "sparse"),
    [
        case
        for name, (method, _) in KERNELS.items()
        for case in forms(SMOOTH if "smooth" in method.needs else LOSSES, 0.05 if "l1" in method.takes else 0.0, name)
    ],
)
def test_a_kernel_is_its_python_twin(name, loss, l1, sparse):
    method, kernel = KERNELS[name]
    P = problem(loss, l1=l1, sparse=sparse)
    view = method.view(P)
    m = P.n if method.side == "dual" else P.d
    order = np.random.default_rng(0).integers(m, size=60, dtype=np.uint64)
    states = []
    for run in (kernel, getattr(kernel, "py_func", kernel)):
        S = method.init(P, np.full(m, 1 / m))
        moved = run(view, S, order)
        states.append((S, moved))
    (S, moved), (twin, twin_moved) = states
    for a, b in zip(S, twin, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-13)
    assert moved == twin_moved if moved is None else moved == pytest.approx(twin_moved, rel=1e-13)


GAPS = """
import json, numpy as np, cdlab
X = np.arange(24.).reshape(8, 3) % 5 - 2
P = cdlab.Problem(X, np.sign(np.arange(8) % 3 - .5), loss="logistic", l2=.1)
runs = [("sdca", {}), ("quartz", {}), ("quartz", {"averaged_primal": True}), ("rcd", {})]
print(json.dumps([cdlab.solve(P, m, tol=0, max_passes=5, **kw).gap for m, kw in runs]))
"""


@pytest.mark.parametrize("switch", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.full)])
def test_without_jit_and_with_bounds_checked_the_gaps_are_the_same(switch, tmp_path):
    plain = python(GAPS, **{switch: "1", "NUMBA_CACHE_DIR": str(tmp_path)})
    np.testing.assert_allclose(plain, python(GAPS), rtol=1e-12)


EVERY_METHOD = """
import json, numpy as np, cdlab
X = np.arange(24.).reshape(8, 3) % 5 - 2
classes = np.sign(np.arange(8) % 3 - .5)
problems = [
    cdlab.Problem(X, classes, loss="logistic", l2=.1),
    cdlab.Problem(X, classes, loss="logistic", l2=0, l1=.01, intercept=True),
    cdlab.Problem(X, classes, loss="squared_hinge", l2=.01, l1=.01),
    cdlab.Problem(X, classes, loss="hinge", l2=.1, intercept=True),
    cdlab.Problem(X, X @ [1, 2, 3], loss="squared", l2=0),
]
failed = {}
for name in ("auto", *cdlab.methods.METHODS):
    method = cdlab.methods.resolve(name)
    fit = [P for P in problems if method.refusal(P, cdlab.samplings.Uniform()) is None]
    for P in fit:
        try:
            s = cdlab.solve(P, method, tol=0, max_passes=20)
            first, last = s.trace.records[0], s.trace.records[-1]
            assert last.primal < first.primal or last.gap < first.gap
        except Exception as error:
            failed[f"{name} {P}"] = repr(error)
    if not fit:
        failed[name] = "fits no problem"
print(json.dumps(failed))
"""


def test_every_method_runs_without_the_compiler():
    assert python(EVERY_METHOD, NUMBA_DISABLE_JIT="1") == {}


@jit.scalar
def error_of(x: float, large: float) -> float:
    return (x + large) - large - x


@jit.struct
class Large(NamedTuple):
    large: float

    def rounding_error(self, x: float) -> float:
        return error_of(x, self.large)

    def error_of_sum(self, x: float) -> float:
        return (x + self.large) - self.large - x


@jit.reduction
def _in_a_sum(large, x):
    total = 0.0
    for k in range(x.size):
        total += large.rounding_error(x[k]) + large.error_of_sum(x[k])
    return total


@jit.kernel
def in_a_sum(large, x):
    return _in_a_sum(large, x)


@jit.kernel
def by_itself(large, x):
    return large.rounding_error(x[0]), large.error_of_sum(x[0])


def test_formulas_that_a_sum_calls_first_are_not_reordered_with_it():
    """In doubles 1/2 + 1e16 is 1e16; reordered, the error would vanish, as it did for all later kernels."""
    in_a_sum(Large(1e16), np.array([0.5]))
    assert by_itself(Large(1e16), np.array([0.5])) == (-0.5, -0.5)


ORDERS = """
import json, numpy as np, cdlab
X = np.random.default_rng(0).normal(size=(61, 53))
P = cdlab.Problem(X, np.sign(X[:, 0]), loss="logistic", l2=1/61)
ws = {m: cdlab.solve(P, m, seed=0, tol=0, max_passes=9).w.tolist() for m in METHODS}
print(json.dumps(ws["rcd"]))
"""


@pytest.mark.full
def test_the_kernels_compiled_before_do_not_change_a_result(tmp_path):
    runs = [
        python(ORDERS.replace("METHODS", repr(order)), NUMBA_CACHE_DIR=str(tmp_path / order[0]))
        for order in (["rcd"], ["sdca", "rcd"], ["gd", "rcd"])
    ]
    assert runs[0] == runs[1] == runs[2]


IMPORTED = """
import json, sys, cdlab
heavy = ("sympy", "panel", "holoviews", "bokeh", "param", "pandas", "sklearn", "matplotlib")
print(json.dumps([m for m in heavy if m in sys.modules]))
"""


def test_importing_cdlab_is_light():
    assert python(IMPORTED) == []


def test_structs_need_a_field_and_one_signature_per_name():
    with pytest.raises(TypeError, match="has no field"):

        @jit.struct
        class Empty(NamedTuple):
            pass

    with pytest.raises(TypeError, match="one signature"):

        @jit.struct
        class Other(NamedTuple):
            x: float

            def phi(self, u):
                return u


def test_a_user_defined_loss_is_six_lines():
    """The Cauchy-free example of the documentation: a scaled squared loss, checked against the built-in one."""

    @jit.struct
    class Scaled(NamedTuple):
        scale: float = 3.0
        classification = False
        lipschitz = float("inf")
        name = "scaled"

        @property
        def gamma(self):
            return 1 / self.scale

        def phi(self, u, y):
            return self.scale * (u - y) ** 2 / 2

        def grad_phi(self, u, y):
            return self.scale * (u - y)

        def phi_conj(self, a, y):
            return a * a / (2 * self.scale) - a * y

        def dualprox(self, u, y0, q, y):
            return (u - y + q * y0) / (1 / self.scale + q)

    P = problem("squared")
    own = cdlab.solve(cdlab.Problem(P.X, P.y, loss=Scaled(), l2=0.1), "sdca", tol=1e-10)
    built_in = cdlab.solve(cdlab.Problem(P.X, P.y, loss=cdlab.losses.Squared(c=1.5), l2=0.1), "sdca", tol=1e-10)
    np.testing.assert_allclose(own.w, built_in.w, atol=1e-12)


@pytest.mark.skipif(bool(jit.config.DISABLE_JIT), reason="nothing is compiled")
def test_samplings_cost_no_compilation():
    P = problem("huber")
    first, *others = samplings.SAMPLINGS
    cdlab.solve(P, "sdca", sampling=first, max_passes=1)
    compiled = set(sdca.sdca_epoch.signatures)
    for sampling in others:
        cdlab.solve(P, "sdca", sampling=sampling, max_passes=1)
    assert set(sdca.sdca_epoch.signatures) == compiled
