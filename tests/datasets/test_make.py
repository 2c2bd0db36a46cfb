"""make: each parameter does what its line in the docstring says."""

import inspect
import math

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import cdlab
from cdlab.datasets import make, synthetic
from cdlab.datasets.generators import GENERATORS, column_popularity

SHIPPED = [name for name, each in GENERATORS.items() if each.function.__module__.startswith("cdlab.")]
ARGUMENTS = {"n": 60, "d": 40, "density": 0.1, "a": 1.0, "b": 2.0, "c": 0.5, "alpha": 300}  # of any generator
ARGUMENTS |= {"m": 30, "q": 2.0, "Q": 9.0, "s0": 0.1}


@pytest.mark.parametrize(
    "name", [name for name, each in GENERATORS.items() if each.function.__module__[:6] == "cdlab."]
)
def test_stored_is_about_what_the_matrix_stores(name):
    """A visitor of the dashboard is refused data that are too large, before they are made."""
    made, known = GENERATORS[name], inspect.signature(GENERATORS[name].function).parameters
    missing = [p.name for p in known.values() if p.default is p.empty and p.name not in ARGUMENTS]
    assert not missing, f"give {missing} of {name} a value in ARGUMENTS"
    arguments = {key: value for key, value in ARGUMENTS.items() if key in known}
    X, _ = make(name, **arguments)
    stored = X.nnz if sp.issparse(X) else X.size
    assert stored / 2 <= made.stored(**arguments) <= 2 * stored


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@given(
    n=st.integers(1, 30),
    d=st.integers(1, 30),
    density=st.floats(0.01, 1),
    skew=st.floats(0, 10),
    row_spread=st.floats(0, 3),
    condition=st.floats(1, 1e6),
    noise=st.floats(0, 3),
    binary=st.booleans(),
    task=st.sampled_from(["classification", "regression"]),
    seed=st.integers(0, 2**40),
)
def test_shape_form_and_reproducibility(n, d, density, skew, row_spread, condition, noise, binary, task, seed):
    if binary or d == 1:
        condition = 1.0
    arguments = {
        "n": n, "d": d, "density": density, "skew": skew, "row_spread": 0.0 if binary else row_spread,
        "condition": condition, "noise": noise, "values": "binary" if binary else "real", "task": task, "seed": seed,
    }  # fmt: skip
    X, y = make(**arguments)
    assert X.shape == (n, d)
    assert y.shape == (n,)
    assert X.dtype == y.dtype == np.float64
    assert sp.issparse(X) == (density < 0.3)
    if sp.issparse(X):
        assert X.format == "csr"
        assert X.indices.dtype == X.indptr.dtype == np.int32
        assert X.has_canonical_format  # sorted, no duplicates
        X.check_format(full_check=True)
        assert (X.data != 0).all()
    else:
        assert X.flags.c_contiguous
    assert np.isfinite(dense(X)).all()
    if binary:
        assert set(np.unique(dense(X))) <= {0.0, 1.0}
    if task == "classification":
        assert set(y) <= {-1.0, 1.0}
        assert n == 1 or len(set(y)) == 2
    again, labels = make(**arguments)
    np.testing.assert_array_equal(dense(again), dense(X))
    np.testing.assert_array_equal(labels, y)


def test_seeds_differ_and_labels_do_not_change_the_matrix():
    X, y = make(50, 20, 0.2, seed=1)
    assert (dense(make(50, 20, 0.2, seed=2)[0]) != dense(X)).any()
    noisy, labels = make(50, 20, 0.2, noise=3.0, task="regression", seed=1)
    np.testing.assert_array_equal(dense(noisy), dense(X))
    assert (labels != y).any()


@given(st.integers(1, 200), st.floats(1e-3, 1), st.floats(0, 10))
def test_popularity_is_a_capped_zipf_law_with_the_right_mean(d, density, skew):
    pi = column_popularity(d, density, skew)
    assert pi.mean() == pytest.approx(density, rel=1e-12)
    assert (pi > 0).all()
    assert (pi <= 1).all()
    assert (np.diff(pi) <= 1e-15).all()
    free = np.flatnonzero(pi < 1)
    constant = pi[free] * (free + 1.0) ** skew
    np.testing.assert_allclose(constant, constant[0] if free.size else 1, rtol=1e-10)


@pytest.mark.parametrize(
    ("density", "skew"), [(0.05, 0.0), (0.05, 1.1), (0.2, 2.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)]
)
def test_entries_are_present_independently_with_probability_pi(density, skew):
    """Counts of each column over many matrices are binomial: mean and variance within 5 standard errors."""
    n, d, repeats = 40, 30, 400
    pi = column_popularity(d, density, skew)
    counts = np.array([(dense(make(n, d, density, skew, seed=s)[0]) != 0).sum(axis=0) for s in range(repeats)])
    variance = n * pi * (1 - pi)
    assert (np.abs(counts.mean(axis=0) - n * pi) <= 5 * np.sqrt(variance / repeats) + 1e-12).all()
    total = counts.sum(axis=1)
    assert abs(total.mean() - n * d * density) <= 5 * np.sqrt(variance.sum() / repeats) + 1e-12
    spread = total.var(ddof=1) / max(variance.sum(), 1e-300) if density < 1 else 1.0
    assert abs(spread - 1) <= 5 * np.sqrt(2 / repeats)


@pytest.mark.parametrize("density", [0.1, 0.6])
def test_iid_entries_have_the_expected_face_off_constants(density):
    """E C_P = d n m2 (1 + (n-1) pi), E C_D = d n m2 (1 + (d-1) pi), m2 the second moment of an entry."""
    n, d, repeats = 12, 20, 600
    found = []
    for seed in range(repeats):
        X = dense(make(n, d, density, seed=seed)[0])
        found.append([((X != 0).sum(axis=k) * (X**2).sum(axis=k)).sum() for k in (0, 1)])
    expected = d * n * density * (1 + (np.array([n, d]) - 1) * density)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(repeats)
    assert (np.abs(np.mean(found, axis=0) - expected) <= 5 * error).all()


def test_every_row_and_column_is_drawn():
    for density in (0.29, 0.3):
        X = dense(make(60, 40, density, seed=0)[0]) != 0
        assert X.any(axis=0).all()
        assert X.any(axis=1).all()


@each_of("skew", [0.5, 1.1, 2.0])
def test_skew_is_the_slope_of_the_column_counts(skew):
    X, _ = make(20000, 1000, 0.01, skew=skew, seed=3)
    counts, rank = X.getnnz(axis=0), np.arange(1, 1001)
    use = (counts < 20000) & (counts > 100)
    slope = np.polyfit(np.log(rank[use]), np.log(counts[use]), 1)[0]
    assert slope == pytest.approx(-skew, abs=0.05)


def test_row_spread_is_the_standard_deviation_of_the_log_norms():
    for density in (1.0, 0.2):
        X, _ = make(2000, 500, density, row_spread=1.5, seed=0)
        logs = np.log(np.sqrt((dense(X) ** 2).sum(axis=1)))
        assert logs.std() == pytest.approx(1.5, rel=0.08)


def test_condition_is_that_of_the_covariance_and_no_coordinate_is_an_eigenvector():
    X, _ = make(100_000, 6, condition=100.0, seed=0)
    covariance = X.T @ X / len(X)
    values, vectors = np.linalg.eigh(covariance)
    np.testing.assert_allclose(values, 100.0 ** (np.arange(6) / 5 - 1), rtol=0.05)
    assert np.abs(vectors).max() < 0.95


def test_condition_of_sparse_data_is_that_of_the_squared_column_scales():
    X, _ = make(200_000, 5, 0.2, condition=1e4, seed=0)
    squares = np.sort(X.power(2).sum(axis=0).A1 / X.getnnz(axis=0))
    np.testing.assert_allclose(squares, 1e4 ** (np.arange(5) / 4 - 1), rtol=0.05)
    assert (np.diff(X.power(2).sum(axis=0).A1) > 0).any()  # in random order


def test_without_noise_labels_are_a_linear_function():
    X, y = make(200, 10, noise=0.0, task="regression", seed=0)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(X @ w, y, atol=1e-12)
    X, y = make(200, 10, noise=0.0, seed=0)
    separable = linprog(np.zeros(10), A_ub=-y[:, None] * X, b_ub=-np.ones(200), bounds=(None, None))
    assert separable.status == 0


def test_noise_is_relative_to_the_signal():
    X, y = make(50_000, 10, noise=0.5, task="regression", seed=0)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    assert np.std(y - X @ w) / np.sqrt(np.mean((X @ w) ** 2)) == pytest.approx(0.5, rel=0.02)


def test_an_empty_matrix_is_a_matrix():
    X, y = make(4, 3, 1e-9, noise=0.0, seed=0)
    assert X.nnz == 0
    assert set(y) == {-1.0, 1.0}


def test_a_large_sparse_matrix_costs_its_nonzeros():
    X, _ = make(2000, 1_000_000, 1e-4, skew=1.0, seed=0)
    assert X.nnz == pytest.approx(200_000, rel=0.02)


@each_of(
    "arguments, sentence",
    [
        ({"n": 0}, "n must be a whole number >= 1, not 0"),
        ({"d": 2.0}, r"d must be a whole number >= 1, not 2\.0"),
        ({"n": True}, "n must be a whole number"),
        ({"seed": -1}, "seed must be a whole number >= 0"),
        ({"seed": None}, "seed must be a whole number"),
        ({"density": 0}, "density must be a number above 0, up to 1, not 0"),
        ({"density": 1.1}, r"density must be a number above 0, up to 1, not 1\.1"),
        ({"density": float("nan")}, "density must be a number"),
        ({"density": "0.1"}, "density must be a number"),
        ({"skew": -1}, "skew must be a number from 0 to 10"),
        ({"row_spread": 21}, "row_spread must be"),
        ({"condition": 0.5}, "condition must be a number from 1"),
        ({"condition": 2.0, "d": 1}, "condition > 1 needs at least two features"),
        ({"noise": -1}, "noise must be a finite number >= 0, not -1"),
        ({"noise": float("inf")}, "noise must be a finite number"),
        ({"values": "ternary"}, "values must be 'real' or 'binary'"),
        ({"task": "ranking"}, "task must be 'classification' or 'regression'"),
        ({"values": "binary", "condition": 2.0}, "row_spread must be 0 and condition 1"),
        ({"values": "binary", "row_spread": 1.0}, "row_spread must be 0 and condition 1"),
    ],
)
def test_arguments_out_of_range(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        make(**arguments)


@each_of("value", [None, True, "x", -1, math.nan, 10**400, -(10**400), [], {}, np.array([1, 2]), 1j, b"x"])
def test_whatever_is_no_argument_is_refused_by_its_name(value):
    for name in inspect.signature(synthetic).parameters:
        with pytest.raises((TypeError, ValueError), match=rf"^{name} must be .{{,150}}$"):
            make(**{"n": 5, "d": 3, name: value})
    for name in ("a", "b", "c"):
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 1:
            with pytest.raises((TypeError, ValueError), match=rf"^{name} must be .{{,150}}$"):
                cdlab.datasets.arrow(**{"d": 3, "n": 4, "a": 1, "b": 1, "c": 1, name: value})


def test_a_whole_number_of_numpy_is_one():
    X, y = make(np.int64(5), np.array(3), seed=np.array(1))
    np.testing.assert_array_equal(X, make(5, 3, seed=1)[0])


@each_of("name", [["mushrooms"], {}, 3, None, "9" * 400])
def test_what_is_no_name_is_unknown_in_a_sentence(name):
    with pytest.raises((TypeError, ValueError), match=r"name|unknown data set") as refused:
        cdlab.datasets.describe(name)
    assert "9" * 100 not in str(refused.value)


def test_a_scan_tells_a_function_of_its_progress():
    with pytest.raises(TypeError, match="progress must be a function of a Scanned, or None, not 5"):
        cdlab.datasets.scan("mushrooms", progress=5)
