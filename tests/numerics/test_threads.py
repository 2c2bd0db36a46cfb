"""Threads that share one run: the bits of one thread, and what is no number of threads."""

import multiprocessing
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp
from cases import pushed
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.methods.newton import gram
from cdlab.numerics import clocks, threads
from cdlab.problems import products

JOBS = (2, 3, 7)
RUNS = (
    ("auto", {}),
    ("newton_cd", {"inner": "gram"}),
    ("newton_cd", {"inner": "dual"}),
    ("newton_cd", {"inner": "truncated"}),
    ("lbfgs", {}),
    ("sdca", {"max_passes": 5000}),
)


@pytest.fixture
def eager(monkeypatch):
    """Threads share work however little it is."""
    for module, name in (
        (products, "NONZEROS_PER_THREAD"),
        (products, "NONZEROS_OF_CURVATURE"),
        (gram, "VISITS_PER_THREAD"),
    ):
        monkeypatch.setattr(module, name, 1.0)


def data(sparse: bool):
    X, y = cdlab.datasets.make(n=120, d=40, density=0.3, seed=5)
    return (sp.csr_matrix(X) if sparse else np.asarray(X.toarray() if sp.issparse(X) else X)), y


def same(a, b) -> bool:
    """Whether two solutions are the same bits, and were found along the same points."""
    records = [[r._replace(seconds=0.0) for r in s.trace.records] for s in (a, b)]
    return np.array_equal(a.w, b.w) and np.array_equal(a.alpha, b.alpha) and repr(records[0]) == repr(records[1])


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize("sparse", [False, True])
def test_products_and_curvature_are_the_same_bits(eager, sparse, jobs):
    X, y = data(sparse)
    one, many = cdlab.Problem(X, y), cdlab.Problem(X, y, n_jobs=jobs)
    rng = np.random.default_rng(0)
    w, h = rng.standard_normal(one.d), rng.standard_normal(one.n)
    assert np.array_equal(one.predict(w), many.predict(w))
    for examples in (np.arange(one.n), np.array([3, 4, 90]), np.array([], int)):
        sums = np.ones((2, one.d))
        for P, out in zip((one, many), sums, strict=True):
            P.products.add_curvature(examples.astype(np.uint64), h, w, out)
        assert np.array_equal(*sums)
        assert sums[0] == pytest.approx(1 + X[examples].T @ (h[examples] * (X[examples] @ w)), rel=1e-12)


@pytest.mark.parametrize("jobs", JOBS)
def test_gram_matrices_are_the_same_bits(eager, jobs):
    X, y = data(sparse=True)
    P, rng = cdlab.Problem(X, y), np.random.default_rng(0)
    examples, h, G = np.arange(P.n, dtype=np.uint64), rng.standard_normal(P.n), np.zeros((2, P.d, P.d))
    for n_jobs, out in zip((1, jobs), G, strict=True):
        gram.share_outer_products(P.rows, examples, h, P.row_pairs, n_jobs, out, P.d)
    assert np.array_equal(*G)
    assert G[0] == pytest.approx(np.tril((X.T @ (sp.diags(h) @ X)).toarray()), abs=1e-12)


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize(("method", "parameters"), RUNS)
@pytest.mark.parametrize("loss", ["squared", "logistic", "squared_hinge"])
def test_runs_are_the_same_bits(eager, loss, method, parameters, jobs):
    X, y = data(sparse=True)
    found = [
        cdlab.solve(cdlab.Problem(X, y, loss, l2=1e-3, n_jobs=n), method, tol=1e-8, **parameters) for n in (1, jobs)
    ]
    assert same(*found)
    assert found[0].relative_gap <= 1e-8


@pytest.mark.parametrize("loss", pushed(["squared", "logistic"], "squared"))
def test_lassos_and_paths_are_the_same_bits(eager, loss):
    X, y = data(sparse=True)
    problems = [cdlab.Problem(X, y, loss, l2=0.0, l1=1e-3, intercept=True, n_jobs=n) for n in (1, 2)]
    assert same(*(cdlab.solve(P) for P in problems))
    for pair in zip(*(cdlab.path(P, l1=[0.03, 0.01, 0.003], l2=0.0) for P in problems), strict=True):
        assert same(*pair)


def test_estimators_are_the_same_bits(eager):
    X, y = data(sparse=True)
    for make in (
        lambda n: cdlab.CDClassifier(n_jobs=n),
        lambda n: cdlab.CDRegressor(n_jobs=n),
        lambda n: cdlab.CDRegressorCV(weights=5, cv=3, n_jobs=n),
    ):
        one, two = (make(n).fit(X, y) for n in (None, 2))
        assert np.array_equal(one.coef_, two.coef_)


def test_other_weights_keep_the_threads():
    P = cdlab.Problem(*data(sparse=True), n_jobs=3)
    assert P.with_(l2=0.5).n_jobs == 3
    assert P.with_(n_jobs=1).n_jobs == 1


@pytest.mark.parametrize("wrong", [0, 1.5, "two", True])
def test_what_is_no_number_of_threads_is_refused(wrong):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads >= 1, or -1 for all cores"):
        cdlab.Problem(np.eye(2), [1, -1], n_jobs=wrong)


def test_all_cores_are_at_least_one():
    assert cdlab.Problem(np.eye(2), [1, -1], n_jobs=-1).n_jobs >= 1
    assert cdlab.Problem(np.eye(2), [1, -1], n_jobs=-1000).n_jobs == 1


@given(sizes=st.lists(st.integers(0, 50), max_size=40), parts=st.integers(1, 6))
def test_cuts_follow_on_each_other_and_none_is_larger_than_its_share_and_one_more(sizes, parts):
    found = threads.cuts(np.array(sizes, float), parts)
    assert [i for part in found for i in range(part.start, part.stop)] == list(range(len(sizes)))
    assert len(found) <= parts
    for part in found:
        assert sum(sizes[part]) <= sum(sizes) / parts + 2 * max(sizes)


def test_an_error_in_any_part_is_raised_once_all_have_ended():
    ended = []

    def fails():
        raise ZeroDivisionError

    for parts in ([fails, lambda: ended.append(1)], [lambda: ended.append(1), fails]):
        with pytest.raises(ZeroDivisionError):
            threads.run_at_once(parts)
    assert ended == [1, 1]


def test_the_time_of_other_threads_counts_as_that_of_the_one_that_waits():
    def work():
        begun = time.thread_time()
        while time.thread_time() < begun + 0.02:
            pass

    before = clocks.cpu_seconds()
    threads.run_at_once([work, work, work])
    assert clocks.cpu_seconds() - before >= 0.06


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that forks of threads may deadlock
def test_a_forked_process_starts_threads_of_its_own():
    threads.run_at_once([lambda: None] * 2)
    child = multiprocessing.get_context("fork").Process(target=threads.run_at_once, args=([int, int],))
    child.start()
    child.join(20)
    assert child.exitcode == 0
