"""The bridge to numba: compiled and plain Python agree, the cache is used, and notices edits."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from problems import LOSSES, SMOOTH, problem

import cdlab
from cdlab import jit, methods, samplings
from cdlab.methods import quartz, rcd, sdca

KERNELS = {
    "sdca": (methods.SDCA(), sdca.sdca_epoch),
    "quartz": (methods.Quartz(), quartz.quartz_epoch),
    "quartz averaged": (methods.Quartz(averaged=True), quartz.quartz_averaged_epoch),
    "rcd": (methods.RCD(), rcd.rcd_epoch),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_its_python_twin(name, sparse, loss):
    method, kernel = KERNELS[name]
    if method.needs_smooth and loss not in SMOOTH:
        return
    P = problem(loss, l1=0.05 if method.takes_l1 else 0.0, sparse=sparse)
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


def python(code, cwd=None, **environment):
    """Run code in a fresh process and return what it printed, parsed as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


GAPS = """
import json, numpy as np, cdlab
X = np.arange(24.).reshape(8, 3) % 5 - 2
P = cdlab.Problem(X, np.sign(np.arange(8) % 3 - .5), loss="logistic", l2=.1)
runs = [("sdca", {}), ("quartz", {}), ("quartz", {"averaged": True}), ("rcd", {})]
print(json.dumps([cdlab.solve(P, m, tol=0, max_passes=5, **kw).gap for m, kw in runs]))
"""


@pytest.mark.parametrize("switch", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_without_jit_and_with_bounds_checked_the_gaps_are_the_same(switch, tmp_path):
    plain = python(GAPS, **{switch: "1", "NUMBA_CACHE_DIR": str(tmp_path)})
    np.testing.assert_allclose(plain, python(GAPS), rtol=1e-12)


IMPORTED = """
import json, sys, cdlab
heavy = ("sympy", "panel", "holoviews", "bokeh", "param", "pandas", "sklearn", "matplotlib")
print(json.dumps([m for m in heavy if m in sys.modules]))
"""


def test_importing_cdlab_is_light():
    assert python(IMPORTED) == []


HITS = """
import json, numpy as np, cdlab
from cdlab.methods import sdca
P = cdlab.Problem(np.eye(3), [1, -1, 1], l2=.1)
cdlab.solve(P, "sdca")
stats = sdca.sdca_epoch.stats
print(json.dumps([sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), stats.cache_path]))
"""


@pytest.mark.skipif(jit.CACHE_FOLDER is None, reason="kernels are not compiled, or no folder can be written")
def test_a_second_process_only_loads(tmp_path):
    """And an edited loss moves the cache to another folder: no stale machine code."""
    package = shutil.copytree(
        Path(cdlab.__file__).parent, tmp_path / "cdlab", ignore=shutil.ignore_patterns("__pycache__")
    )
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    cold, warm = python(HITS, tmp_path, **environment), python(HITS, tmp_path, **environment)
    assert cold[:2] == [0, 1]
    assert warm[:2] == [1, 0]
    with open(package / "losses.py", "a") as source:
        source.write("# edited\n")
    edited = python(HITS, tmp_path, **environment)
    assert edited[:2] == [0, 1]
    assert edited[2] != warm[2]


def test_where_nothing_can_be_written_kernels_still_run_and_one_warning_says_so(tmp_path):
    blocker = tmp_path / "file"
    blocker.touch()
    done = subprocess.run(
        [sys.executable, "-c", "import cdlab; print('imported')"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(blocker)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "imported\n"
    assert done.stderr.count("Set NUMBA_CACHE_DIR to a folder that can be written") == 1


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
    own = cdlab.solve(cdlab.Problem(P.X, P.y, loss=Scaled(), l2=0.1), tol=1e-10)
    built_in = cdlab.solve(cdlab.Problem(P.X, P.y, loss=cdlab.losses.Squared(c=1.5), l2=0.1), tol=1e-10)
    np.testing.assert_allclose(own.w, built_in.w, atol=1e-12)


def test_samplings_cost_no_compilation():
    P = problem("huber")
    for sampling in samplings.SAMPLINGS:
        cdlab.solve(P, "sdca", sampling=sampling, max_passes=1)
    if not jit.config.DISABLE_JIT:
        kinds = {signature[0] for signature in sdca.sdca_epoch.signatures if "Huber" in str(signature[0])}
        assert len(kinds) <= 4  # dense or sparse, L2 or elastic net


def test_every_file_with_machine_code_is_digested():
    """A decorated function in a file outside the digest could be run in a stale version."""
    package = Path(cdlab.__file__).parent
    decorated = {
        p
        for p in package.rglob("*.py")
        if any(line.startswith(("@kernel", "@struct", "@scalar", "@reduction")) for line in p.read_text().splitlines())
    }
    assert decorated <= set(jit._sources())
