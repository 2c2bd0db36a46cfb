"""What every method owes to the loop, by `cdlab.testing.check_method`, with its defaults, with each of its parameters
changed, and on blocks; and a record is measured as it is defined."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from cases import pushed
from problems import data, problem
from variants import VARIANTS, drawn_by

import cdlab
from cdlab import samplings, testing
from cdlab.methods import METHODS
from cdlab.samplings import Uniform
from cdlab.testing import small


def taken(name):
    """A small problem that the method takes: logistic with l2 > 0, or a linear system, or one with kinks."""
    for loss, l2 in (("logistic", 0.1), ("squared", 0.0), ("hinge", 0.1)):
        if METHODS[name]().refusal(problem(loss, l2=l2), Uniform()) is None:
            return {"loss": loss, "l2": l2}
    raise AssertionError(f"{name} takes none of these problems: give it one here")


def columns(trace):
    """Everything of a trace but its seconds."""
    return np.array([(r.iteration, r.passes, r.primal, r.dual, r.gap) for r in trace.records])


SUBLINEAR = {"sgd": 5e-2, "rda": 5e-2}
# Parameters that are for other problems than these, and are refused here; they have their own tests.
ELSEWHERE = {"sdca(added_l2=0.01)", "rda(gamma_r=2.0)", "sgd(step=0.05)"}
SLOW = {
    "adasdca(step='fixed')": 0.9,  # its step shrinks with the smallest residual, as the file says
    "spdc(delta=1e-06)": 1e-3,  # so little smoothing of the hinge
    "spdc(step=0.02)": 1e-4,
}
REPEATED = {"sdca(anderson=3)", "rcd(working_set=True)", "rcd(anderson=3)"}  # these follow an order
ON_BLOCKS = [name for name, cls in METHODS.items() if "blocks" in cls.takes and cls.samplings is None]

every_method = pytest.mark.parametrize("method", METHODS)


@every_method
def test_it_keeps_what_a_method_promises(method):
    """Its optimum is scipy's, no record claims too much, dense and sparse agree, a seed repeats it, it goes on as if it
    had never stopped, and it counts what it touches."""
    assert testing.check_method(method, tol=SUBLINEAR.get(method, 1e-6)) is None


TRIED = [label for label in VARIANTS if label not in ELSEWHERE]
FIRST = {VARIANTS[label].name: label for label in reversed(TRIED)}  # of each method


@pytest.mark.parametrize("label", pushed(TRIED, *FIRST.values()))
def test_so_it_does_with_other_parameters(label):
    method = VARIANTS[label]
    tol = SLOW.get(label, SUBLINEAR.get(method.name, 1e-6))
    sampling = "symmetric" if label in REPEATED else None
    assert testing.check_method(method, sampling, tol=tol, max_passes=20_000) is None


@pytest.mark.parametrize("sampling", samplings.BLOCKS)
@pytest.mark.parametrize("name", ON_BLOCKS)
def test_so_it_does_on_blocks(name, sampling):
    method = METHODS[name]()
    size = small.small_data()[0].shape[0 if method.side == "dual" else 1]
    assert testing.check_method(method, drawn_by(sampling, size), max_passes=20_000) is None


ODD = {
    "zeros": np.zeros((3, 2)),
    "a zero row and a zero column": np.array([[0.0, 1.0], [0.0, 0.0], [0.0, -2.0]]),
    "one example": np.array([[2.0, 0.0, -1.0]]),
    "one feature": np.array([[2.0], [0.0], [-1.0]]),
    "one number": np.array([[2.0]]),
}


WAYS = ["apcg(primal_step=True)", "apcg(smoothness='uniform')", "greedy(rule='gsl')", "quartz(averaged_primal=True)"]
COARSE = {"sag": 1e-3, "saga": 1e-3, "svrg": 1e-3, "lsvrg": 1e-3, **SUBLINEAR}


@pytest.mark.parametrize("label", [name for name in METHODS if taken(name)["l2"] > 0] + WAYS)
def test_data_of_odd_shapes_are_solved(label):
    """Also where a large l2 leaves nothing to do, which takes rates of acceleration to their ends; and by one block."""
    method = VARIANTS[label] if label in WAYS else METHODS[label]()
    loss = taken(method.name)["loss"]
    for (shape, X), (l2, l1) in product(ODD.items(), [(0.1, 0.0), (1e12, 0.0), (0.1, 0.01)]):
        if l1 > 0 and "l1" not in method.takes:
            continue
        for form in [np.asarray, sp.csr_matrix][: 2 if l1 == 0 and label not in WAYS else 1]:
            P = cdlab.Problem(form(X), np.r_[1.0, -np.ones(len(X) - 1)], loss, l2=l2, l1=l1)
            whole = samplings.TauNice(P.n if method.side == "dual" else P.d)
            for sampling in ["uniform", whole] if method.name in ON_BLOCKS else ["uniform"]:
                tol = COARSE.get(method.name, 1e-8)
                s = cdlab.solve(P, method, sampling=sampling, tol=tol, max_passes=5000, every=20)
                assert s.status == "tolerance reached", (shape, l2, l1, sampling)
                assert not s.w[np.abs(X).sum(axis=0) == 0].any(), (shape, l2, l1, sampling)


@every_method
def test_another_seed_gives_other_records_where_there_is_chance(method):
    P = problem(**taken(method))
    a, other = (columns(cdlab.solve(P, method, tol=0, max_passes=4, seed=seed).trace) for seed in (3, 4))
    chance = METHODS[method]().draws(Uniform()) is not None
    differs = a.shape != other.shape or not np.array_equal(a[:, 2], other[:, 2])
    assert differs or not chance, f"no seed changes a run of {method}: its draws must return None"


@every_method
def test_a_record_is_what_its_points_are_worth(method):
    """P and D of a record are those of the run's w and alpha, and the gap is their difference."""
    P = problem(**taken(method))
    run = cdlab.iterate(P, method, seed=0, test=data())
    for _ in range(5):
        record = next(run)
    assert record.primal == pytest.approx(P.primal(run.w), rel=1e-12)
    assert record.test_error == P.test_error(run.w, data())
    if P.l2 > 0:
        assert record.dual == pytest.approx(P.dual(run.alpha), rel=1e-9)
        assert record.gap == pytest.approx(P.gap(run.w, run.alpha), rel=1e-9, abs=1e-14)
    assert record.gap >= 0
