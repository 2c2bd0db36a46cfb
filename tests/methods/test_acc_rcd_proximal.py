"""acc_rcd with l1, and without l2: its boxes in numpy, its answers, and what it refuses."""

import math

import numpy as np
import pytest
from problems import SMOOTH, optimum, problem

import cdlab
from cdlab.methods import Points
from cdlab.methods.acc_rcd import AccRCD


def moved(P, y, z, j, weight):
    """z with its j-th entry at argmin_t { grad_j f(y) t + (weight/2)(t - z_j)^2 + l1 |t| }."""
    to = z[j] - P.gradient(y)[j] / weight
    z = z.copy()
    z[j] = np.sign(to) * max(abs(to) - P.l1 / weight, 0)
    return z


def box_with_l2(P, w, order):
    """APCG in full vectors."""
    L = P.coordinates("primal").smoothness / P.n
    b = math.sqrt(P.l2 / L.max())
    a, x, z = b / P.d, w.copy(), w.copy()
    for j in order:
        y = (x + a * z) / (1 + a)
        carried = (1 - a) * z + a * y
        z = moved(P, y, carried, j, b * L[j])
        x = y + b * (z - carried)
    return x


def box_without_l2(P, w, order):
    """APPROX in full vectors."""
    L = P.coordinates("primal").smoothness / P.n
    theta, x, z = 1 / P.d, w.copy(), w.copy()
    for j in order:
        y = (1 - theta) * x + theta * z
        after = moved(P, y, z, j, P.d * theta * L[j])
        x, z = y + P.d * theta * (after - z), after
        theta = (math.sqrt(theta**4 + 4 * theta**2) - theta**2) / 2
    return x


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("l2", "l1"), [(0.1, 0.02), (0.0, 0.02), (0.0, 0.0)])
def test_its_steps_are_the_boxes(l2, l1, sparse):
    P, method, rng = problem("logistic", l2=l2, l1=l1, sparse=sparse), AccRCD(), np.random.default_rng(0)
    w, order = rng.standard_normal(P.d), rng.integers(P.d, size=200, dtype=np.uint64)
    S = method.init(P, "uniform", Points(w, None))
    for part in np.split(order, 4):
        S = method.epoch(method.view(P), S, part)
    points = method.points(P, S)
    expected = (box_with_l2 if l2 > 0 else box_without_l2)(P, w, order)
    np.testing.assert_allclose(points.w, expected, atol=1e-11)
    np.testing.assert_allclose(points.z, P.X @ expected, atol=1e-11)


@pytest.mark.full
@pytest.mark.parametrize("l2", [0.0, 0.05])
@pytest.mark.parametrize("loss", SMOOTH)
def test_a_run_ends_at_the_optimum_with_a_certificate(loss, l2):
    P, best = problem(loss, l2=l2, l1=0.05), optimum(loss, l2, 0.05)
    s = cdlab.solve(P, "acc_rcd", tol=1e-6, max_passes=20_000)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - best) < 1e-5
    assert all(record.dual <= best + 1e-8 for record in s.trace.records)


def test_long_runs_fold_what_underflows():
    """One feature that is nearly all there is: r shrinks fast."""
    P = cdlab.Problem(np.array([[1e-3], [1e-3]]), [1.0, -1.0], loss="squared", l2=10.0, l1=1e-6)
    method = AccRCD()
    S = method.init(P, "uniform", Points(np.array([1.0]), None))
    S = method.epoch(method.view(P), S, np.zeros(2000, np.uint64))
    assert np.isfinite(method.points(P, S).w).all()
    assert P.primal(method.points(P, S).w) == pytest.approx(P.primal(np.zeros(1)), abs=1e-12)
