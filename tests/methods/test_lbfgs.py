"""lbfgs: scipy's iterates and evaluations, one at a time, from a thread that ends with the run."""

import threading
import time

import numpy as np
import pytest
from problems import problem
from sklearn.datasets import load_wine
from watched import Watched, states

import cdlab
from cdlab.methods.lbfgs import LBFGS, ThreadedItems, scales
from cdlab.numerics.clocks import cpu_seconds


def test_lbfgs_counts_scipys_evaluations():
    """scipy alone, for as many iterations, passes the same values and evaluates as often."""
    from scipy.optimize import minimize

    P, values = problem(), []
    records = cdlab.solve(P, LBFGS(), tol=0, max_passes=12, every=1).trace.records
    alone = minimize(
        lambda w: (P.primal(w), P.gradient(w)),
        np.zeros(P.d),
        jac=True,
        method="L-BFGS-B",
        callback=lambda intermediate_result: values.append(intermediate_result.fun),
        options={"maxcor": 30, "maxiter": records[-1].iteration, "ftol": 0, "gtol": 0},
    )
    np.testing.assert_allclose([r.primal for r in records[1:]], values, rtol=1e-14)
    assert records[-1].passes == alone.nfev


def threads():
    return {thread for thread in threading.enumerate() if thread.name == "cdlab-items"}


def test_scipys_thread_ends_with_the_run():
    before = threads()  # of runs that are not collected yet
    run = cdlab.iterate(problem(), LBFGS())
    for _ in range(4):
        next(run)
    (thread,) = threads() - before
    del run
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_the_time_of_scipys_thread_counts_as_that_of_the_thread_that_waits():
    def burn(emit):
        for k in range(3):
            end = time.thread_time() + 0.05
            while time.thread_time() < end:
                pass
            emit(k)

    items, spent = ThreadedItems(burn), []
    for _ in range(3):
        before = cpu_seconds()
        items.take(1)
        spent.append(cpu_seconds() - before)
    items.close()
    assert min(spent) >= 0.05
    assert sum(spent) < 1


def test_runs_side_by_side_do_not_mix():
    P, Q = problem("logistic"), problem("squared", l1=0.02)
    pairs = zip(cdlab.iterate(P, LBFGS()), cdlab.iterate(Q, LBFGS()), range(8), strict=False)
    mixed = [(a.primal, b.primal) for a, b, _ in pairs]
    alone = [[r.primal for r, _ in zip(cdlab.iterate(R, LBFGS()), range(8), strict=False)] for R in (P, Q)]
    np.testing.assert_array_equal(np.transpose(mixed), alone)


def test_what_fails_in_an_evaluation_is_raised():
    P = Watched(problem())
    P.primal = None  # not callable
    with pytest.raises(TypeError, match="not callable"):
        next(states(P, LBFGS(), 1))


def test_the_memory_matters():
    """memory = 30 exceeds d = 8: almost a full quasi-Newton method, and faster than memory = 1."""
    few, many = (cdlab.solve(problem(), LBFGS(memory=m), tol=1e-10).trace.records[-1].passes for m in (1, 30))
    assert many < few


def test_columns_of_unlike_scale_do_not_stop_it():
    """Raw wine, with columns from 0.1 to 1,000, took more than 20,000 passes, since proline's slopes hid all others."""
    X, y = load_wine(return_X_y=True)
    found = cdlab.solve(cdlab.Problem(X, y, "softmax", l2=0, l1=1e-3, intercept=True), "lbfgs", max_passes=2000)
    assert found.status == "tolerance reached"


@pytest.mark.parametrize(("l1", "l2"), [(0.0, 1e-3), (1e-3, 0.0)])
def test_its_variables_are_scaled_where_columns_differ_by_powers_of_two(l1, l2):
    P = problem(l1=l1, l2=l2)
    wide = cdlab.Problem(P.X * np.exp2(np.linspace(-14, 14, P.d).round()), P.y, P.loss, l2=l2, l1=l1)
    assert scales(P.column_profile.norms2 * P.beta / P.n + P.l2).tolist() == [1.0] * P.d
    curvatures = wide.column_profile.norms2 * wide.beta / wide.n + l2
    curvatures *= scales(curvatures) ** 2
    assert curvatures.max() <= 4 * curvatures.min()
