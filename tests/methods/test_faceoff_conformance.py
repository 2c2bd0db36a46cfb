"""What every method owes, for the family around the face-off: acc_rcd, adasdca, adasdca_plus, greedy, and rcd and
quartz on blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from forms import FOUR, forms
from problems import problem

import cdlab
from cdlab import testing
from cdlab.methods import acc_rcd, adasdca, adasdca_plus, greedy, quartz, rcd
from cdlab.methods.acc_rcd import AccRCD
from cdlab.methods.adasdca import AdaSDCA
from cdlab.methods.adasdca_plus import AdaSDCAPlus
from cdlab.methods.greedy import Greedy
from cdlab.methods.quartz import Quartz
from cdlab.methods.rcd import RCD
from cdlab.samplings import Bucket, Distributed, Independent, Lipschitz, TauNice


def halves(m):
    return Bucket([np.arange(m // 2), np.arange(m // 2, m)])


RUNS = {
    "acc_rcd": (AccRCD(), "uniform"),
    "acc_rcd, sqrt(L)": (AccRCD(), Lipschitz(0.5)),
    "adasdca": (AdaSDCA(), "uniform"),
    "adasdca_plus": (AdaSDCAPlus(), "uniform"),
    "greedy gs": (Greedy(), "uniform"),
    "greedy gsl": (Greedy(rule="gsl"), "uniform"),
    "rcd, tau_nice": (RCD(), TauNice(3)),
    "rcd, batch_size": (RCD(batch_size=8), "uniform"),
    "rcd, independent": (RCD(), Independent(0.3)),
    "rcd, bucket": (RCD(), halves(8)),
    "rcd, distributed": (RCD(), Distributed(2, 2)),
    "quartz, tau_nice": (Quartz(), TauNice(3)),
    "quartz averaged, batch_size": (Quartz(averaged_primal=True, batch_size=4), "uniform"),
    "quartz local, independent": (Quartz(step="local"), Independent(0.1)),
    "quartz averaged, bucket": (Quartz(averaged_primal=True), halves(30)),
    "quartz local, distributed": (Quartz(step="local"), Distributed(5, 2)),
}
every_run = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())


@every_run
def test_it_keeps_what_a_method_promises(run):
    method, sampling = run
    assert testing.check_method(method, sampling, max_passes=20_000) is None


def whole(method, m):
    """A sampling for any number of coordinates."""
    return TauNice(m) if "blocks" in method.takes else "uniform"


@each_of("sparse", [False, True])
@each_of("method", [AccRCD(), AdaSDCA(), AdaSDCAPlus(), Greedy("gsl"), RCD(), Quartz(averaged_primal=True)])
@each_of(
    "X, y",
    [
        (np.diag([1.0, 0.0, 2.0]), [1.0, -1.0, -1.0]),
        ([[2.0]], [1.0]),
        ([[2.0, 0.0, -1.0]], [-1.0]),
        ([[2.0], [0.0], [-1.0]], [1.0, -1.0, -1.0]),
        (np.zeros((3, 2)), [1.0, -1.0, -1.0]),
    ],
    ids=["zero row and column", "n = d = 1", "n = 1", "d = 1", "X = 0"],
)
def test_extreme_shapes(X, y, method, sparse):
    P = cdlab.Problem(sp.csr_matrix(X) if sparse else np.asarray(X), y, l2=0.1)
    sampling = whole(method, P.n if method.side == "dual" else P.d)
    s = cdlab.solve(P, method, sampling=sampling, tol=1e-10 if np.any(X) else 1e-8, max_passes=5000)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) == pytest.approx(P.primal(cdlab.solve(P, "sdca", tol=1e-13, max_passes=1000).w), abs=1e-10)


@every_run
def test_losses_with_kinks_are_refused_and_l2_of_zero_where_a_step_needs_it(run):
    with pytest.raises(ValueError, match="needs a smooth loss and hinge is not: take smooth_hinge instead"):
        cdlab.solve(problem("hinge"), run[0], sampling=run[1] if not isinstance(run[1], Lipschitz) else "uniform")
    if "l2" not in run[0].needs:
        return
    with pytest.raises(ValueError, match="needs l2 > 0"):
        cdlab.solve(problem(l2=0.0), run[0], sampling=run[1])


def test_greedy_choices_are_refused_with_l1():
    with pytest.raises(ValueError, match="greedy does not handle l1 > 0: use sdca or quartz"):
        cdlab.solve(problem(l1=0.1), Greedy())


@each_of("method", [AdaSDCA(), AdaSDCAPlus(), Greedy()])
@each_of("sampling", ["importance", "permutation", "cyclic"])
def test_methods_that_choose_by_themselves_refuse_samplings(method, sampling):
    with pytest.raises(ValueError, match=f"{method.name} does not run with {sampling} sampling: use uniform"):
        cdlab.solve(problem(), method, sampling=sampling)


@each_of("method", [AccRCD(), AdaSDCA(), AdaSDCAPlus(), Greedy()])
def test_one_coordinate_methods_refuse_blocks(method):
    with pytest.raises(ValueError, match="updates one coordinate at a time"):
        cdlab.solve(problem(), method, sampling=TauNice(2))


@each_of(
    "make, words",
    [
        (lambda: AdaSDCA(step="long"), "step must be 'exact' or 'fixed'"),
        (lambda: AdaSDCAPlus(m=0.5), "a number >= 1"),
        (lambda: AdaSDCAPlus(m="10"), "a number >= 1"),
        (lambda: Greedy(rule="gslq"), "rule must be 'gs' or 'gsl'"),
        (lambda: RCD(batch_size=0), "batch_size must be a whole number >= 1"),
        (lambda: Quartz(batch_size=2.0), "batch_size must be a whole number >= 1"),
        (lambda: Quartz(step="exact"), "'fixed' or 'local'"),
    ],
)
def test_wrong_parameters_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


KERNELS = {
    "acc_rcd": acc_rcd.acc_rcd_epoch,
    "adasdca": adasdca.adasdca_epoch,
    "adasdca_plus": adasdca_plus.adasdca_plus_epoch,
    "greedy gsl": greedy.greedy_epoch,
    "rcd, tau_nice": rcd.rcd_block_epoch,
    "quartz local, independent": quartz.quartz_block_epoch,
    "quartz averaged, bucket": quartz.quartz_averaged_block_epoch,
}


@pytest.mark.parametrize(
    ("name", "loss", "l1", "sparse"),
    [
        case
        for name in KERNELS
        for case in forms(FOUR, 0.02 if "l1" in RUNS[name][0].takes and name != "acc_rcd" else 0.0, name)
    ],
)
def test_a_kernel_is_its_python_twin(name, loss, l1, sparse):
    (method, sampling), kernel = RUNS[name], KERNELS[name]
    P = problem(loss, l1=l1, sparse=sparse)
    order = next(method.orders(P, cdlab.samplings.resolve(sampling), np.random.default_rng(0)))
    S, twin = method.init(P, sampling), method.init(P, sampling)
    moved, twin_moved = (
        kernel(method.view(P), S, order),
        getattr(kernel, "py_func", kernel)(method.view(P), twin, order),
    )
    assert moved == (None if twin_moved is None else pytest.approx(twin_moved, rel=1e-12))
    for a, b in zip(S, twin, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
