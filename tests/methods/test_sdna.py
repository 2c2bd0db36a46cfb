"""sdna and primal_sdna: exact blocks, by the golden numbers of their rates, and by one step on random states."""

import itertools

import numpy as np
import pytest
from cases import each_of
from problems import LOSSES, SMOOTH, optimum
from problems import problem as listed_problem

import cdlab
from cdlab.methods import RCD, SDCA, SDNA, Points, PrimalSDNA
from cdlab.samplings import Batches

X = np.array([[((3 * j + 5 * i) % 7 - 3) / 2 for j in range(4)] for i in range(5)])
y = np.array([1.0, -1, 1, 1, -1])


def golden(loss="squared", l1=0.0):
    return cdlab.Problem(X, y, loss=loss, l2=0.2, l1=l1)


def batch(*blocks):
    starts = np.cumsum([0, *map(len, blocks)])
    return Batches(np.array([i for block in blocks for i in block], np.uint64), starts.astype(np.uint64))


def after(P, method, point, *blocks):
    """The coordinates after a step on each block, from a point."""
    start = Points(point, np.zeros(P.n)) if method.side == "primal" else Points(np.zeros(P.d), point)
    S = method.init(P, cdlab.samplings.TauNice(len(blocks[0])), start)
    return method.coordinates(method.epoch(method.view(P), S, batch(*blocks)))[0].copy()


def expected_step(m):
    """E[T'MT] of a step on a block of m examples, as a matrix of (25, 25), T measured on the kernel; and A."""
    P = golden()
    A = np.eye(5) + X @ X.T
    best = np.linalg.solve(A, y)
    maps = []
    for block in itertools.combinations(range(5), m):
        T = np.column_stack([after(P, SDNA(), best + e, block) - best for e in np.eye(5)])
        maps.append(T)
    return maps, A


@pytest.mark.full
@each_of(
    "m, radius, passes, sigma",
    [
        (1, 0.9297711956, 2.746620823, 0.0376524559),
        (2, 0.7731233827, 1.554505061, 0.1453756772),
        (3, 0.5582796515, 1.029344423, 0.330343889),
    ],
)
def test_the_golden_rates_of_the_dual_on_the_squared_loss(m, radius, passes, sigma):
    """The radius of a step over all blocks, and sigma, by which the worst error falls in a step."""
    maps, A = expected_step(m)
    found = np.abs(np.linalg.eigvals(sum(np.kron(T.T, T.T) for T in maps) / len(maps))).max()
    assert found == pytest.approx(radius, rel=1e-9)
    assert -m / 5 / np.log(found) == pytest.approx(passes, rel=1e-9)
    values, vectors = np.linalg.eigh(A)
    root = (vectors / np.sqrt(values)) @ vectors.T  # A^-1/2
    falls = root @ (sum(T.T @ A @ T for T in maps) / len(maps)) @ root
    assert 1 - np.linalg.eigvalsh(falls)[-1] == pytest.approx(sigma, rel=1e-8)


def test_a_primal_step_on_the_squared_loss_minimises_over_its_block():
    P, w = golden(), np.array([1.0, -2.0, 0.3, 0.7])
    for block in itertools.chain(itertools.combinations(range(4), 2), itertools.combinations(range(4), 3)):
        new = after(P, PrimalSDNA(), w, block)
        gradient = X.T @ (X @ new - y) / 5 + 0.2 * new
        np.testing.assert_allclose(gradient[list(block)], 0, atol=1e-12)
        rest = [j for j in range(4) if j not in block]
        np.testing.assert_array_equal(new[rest], w[rest])


@each_of("m", [1, 2, 3])
def test_the_expected_primal_decrease_keeps_its_theorem(m):
    """E[P+ - P*] <= (1 - l2 lambda_min(E[(M_S)^-1])) (P - P*), for the logistic loss on random states."""
    P = golden("logistic")
    M = X.T @ X / (P.loss.gamma * 5) + 0.2 * np.eye(4)
    blocks = list(itertools.combinations(range(4), m))
    mean = np.zeros((4, 4))
    for block in blocks:
        mean[np.ix_(block, block)] += np.linalg.inv(M[np.ix_(block, block)]) / len(blocks)
    sigma = 0.2 * np.linalg.eigvalsh(mean)[0]
    best = P.primal(cdlab.solve(P, "newton_cd", tol=1e-14).w)
    for w in np.random.default_rng(0).standard_normal((5, 4)) * 2:
        expected = np.mean([P.primal(after(P, PrimalSDNA(), w, block)) for block in blocks])
        assert expected - best <= (1 - sigma) * (P.primal(w) - best) * (1 + 1e-12)


@pytest.mark.full
@each_of("loss", ["squared", "logistic"])
@each_of("m", [2, 3])
def test_the_expected_dual_increase_keeps_its_theorem(loss, m):
    """E[D+] - D >= theta gap, theta = (m/n) min gamma/(gamma + v_i/(l2 n)), v the ESO of the blocks."""
    P = golden(loss)
    v = cdlab.eso(X, cdlab.samplings.TauNice(m), "dual")
    theta = m / 5 * (P.loss.gamma / (P.loss.gamma + v)).min()  # l2 n = 1
    for alpha in np.random.default_rng(0).uniform(0, 1, (5, 5)) * y:
        blocks = itertools.combinations(range(5), m)
        expected = np.mean([P.dual(after(P, SDNA(), alpha, block)) for block in blocks])
        gap = P.primal(P.w(alpha)) - P.dual(alpha)
        assert expected - P.dual(alpha) >= theta * gap * (1 - 1e-12)


@pytest.mark.full
@each_of("loss, l1", [("squared", 0.0), ("squared", 0.1), ("logistic", 0.0), ("hinge", 0.1)])
def test_the_dual_never_falls_and_ends_at_its_maximum_over_all_coordinates(loss, l1):
    P = golden(loss, l1)
    run = cdlab.iterate(P, SDNA(batch_size=3), seed=0)
    duals = [next(run).dual for _ in range(12)]
    assert (np.diff(duals) >= -1e-13).all()
    whole = after(P, SDNA(), np.zeros(5), *[range(5)] * 200)
    assert P.dual(whole) == pytest.approx(P.dual(cdlab.solve(P, "sdca", tol=1e-12).alpha), abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("sparse", [False, True])
def test_it_comes_to_the_solutions_of_independent_solvers(sparse):
    for loss in LOSSES:
        for method in (SDNA(batch_size=4), PrimalSDNA(batch_size=3)):
            P = listed_problem(loss, l2=0.1, sparse=sparse)
            if P.outputs or (method.side == "primal" and loss not in SMOOTH):
                with pytest.raises(ValueError, match=method.name):
                    cdlab.solve(P, method)
                continue
            best, start = optimum(loss, 0.1, 0.0), P.primal(np.zeros(P.d))
            found = cdlab.solve(P, method, tol=1e-10, max_passes=3000)
            assert (P.primal(found.w) - best) / (start - best) <= 1e-9 if loss in SMOOTH else 1e-6, (loss, method)


@each_of("loss", ["squared", "logistic"])
def test_blocks_of_one_are_the_methods_of_one_coordinate(loss):
    P = golden(loss)
    order = np.array([3, 0, 1, 1, 4], np.uint64)
    sdca = SDCA()
    one = sdca.epoch(sdca.view(P), sdca.init(P, "uniform"), order)
    np.testing.assert_allclose(after(P, SDNA(), np.zeros(5), *[[i] for i in order]), one.alpha, rtol=1e-12)
    rcd, order = RCD(), np.array([3, 0, 1, 1], np.uint64)
    one = rcd.epoch(rcd.view(P), rcd.init(P, "uniform"), order)
    np.testing.assert_allclose(after(P, PrimalSDNA(), np.zeros(4), *[[j] for j in order]), one.w, rtol=1e-12)


def test_identical_rows_are_no_singular_system():
    """Of one example, ten times, at an l2 that rounding loses beside its norm."""
    P = cdlab.Problem(np.full((10, 3), 1e4), np.ones(10), loss="squared", l2=1e-12)
    found = cdlab.solve(P, SDNA(batch_size=5), max_passes=20, tol=0)
    assert np.isfinite(found.alpha).all()
    assert P.primal(found.w) < 1e-6


def test_nonzeros_are_counted_where_they_are_read():
    """Rows of 2, 3 and 1 nonzeros: 6 for steps, 3 + 1 for scratch, and the first two read 2 and 1 times, half each."""
    Z = np.array([[1.0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1]])
    P = cdlab.Problem(Z, np.ones(3), loss="squared", l2=0.1)
    method = SDNA()
    S = method.init(P, cdlab.samplings.TauNice(3))
    count = method.count(P, S, batch([0, 1, 2]))
    assert (count.iterations, count.visits, count.ideal) == (1, 6 + (3 + 1) + (2 * 2 + 3) / 2, 6)
    assert method.count(P, S, batch([0], [1], [2])).visits == 6


def test_a_block_that_would_take_gigabytes_is_refused():
    P = cdlab.Problem(np.ones((3000, 1)), np.ones(3000), loss="squared", l2=0.1)
    with pytest.raises(ValueError, match="there can be 2500 in one: take batch_size <= 2000"):
        cdlab.solve(P, SDNA(batch_size=2500))
