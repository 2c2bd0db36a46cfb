"""What every method owes, for the family around the face-off: acc_rcd, adasdca, adasdca_plus, greedy, and rcd and
quartz on blocks."""

import numpy as np
import pytest
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
    "greedy gsl": (Greedy(rule="gsl"), "uniform"),
    "rcd, tau_nice": (RCD(), TauNice(3)),
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


@each_of(
    "make, words",
    [
        (lambda: AdaSDCA(step="long"), "step must be 'exact' or 'fixed'"),
        (lambda: AdaSDCAPlus(m=0.5), "a number >= 1"),
        (lambda: AdaSDCAPlus(m="10"), "a number >= 1"),
        (lambda: Greedy(rule="gslq"), "rule must be 'gs' or 'gsl'"),
        (lambda: RCD(batch_size=0), "batch_size must be a whole number >= 1"),
        (lambda: Quartz(batch_size=2.0), "batch_size must be a whole number >= 1"),
        (lambda: Quartz(step="exact"), "'fixed', 'local' or 'long'"),
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
