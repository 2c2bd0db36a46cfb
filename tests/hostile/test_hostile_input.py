"""Odd and extreme data: a correct answer or a clear error, never a crash, a hang or a silent NaN."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hostile import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import LOSSES, SMOOTH, data

import cdlab

RUNS = [("sdca", {}), ("quartz", {}), ("quartz", {"averaged_primal": True}), ("rcd", {})]
every_run = pytest.mark.parametrize(("method", "parameters"), RUNS, ids=str)
both_forms = pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
SAMPLINGS = ["uniform", "permutation", "importance", "norms"]


def solved(X, y, method="sdca", loss="logistic", l2=0.1, sampling="uniform", tol=1e-6, max_passes=3000, **parameters):
    P = cdlab.Problem(X, y, loss=loss, l2=l2)
    s = cdlab.solve(P, method, sampling=sampling, tol=tol, max_passes=max_passes, **parameters)
    assert np.isfinite(s.w).all()
    assert np.isfinite(s.alpha).all()
    assert s.gap >= 0
    return P, s


@every_run
@both_forms
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_zero_rows_and_columns(method, parameters, form, sampling):
    X, y = (a.copy() for a in data())
    X[[0, 5]], X[:, [2, 7]] = 0, 0
    P, s = solved(form(X), y, method, sampling=sampling, **parameters)
    assert s.status == "tolerance reached"
    assert (s.w[[2, 7]] == 0).all()


@every_run
@both_forms
def test_a_zero_matrix(method, parameters, form):
    P, s = solved(form(np.zeros((3, 2))), [1, -1, 1], method, **parameters)
    assert s.status == "tolerance reached"
    assert s.trace.records[-1].passes == s.trace.records[-1].iteration / 3
    assert P.primal(s.w) == pytest.approx(np.log(2))


@every_run
@both_forms
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1)])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_single_example_or_feature(method, parameters, form, shape, sampling):
    X = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    assert solved(form(X), np.ones(shape[0]), method, sampling=sampling, **parameters)[1].status == "tolerance reached"


@every_run
@pytest.mark.parametrize("label", [1, -1, 0])
def test_constant_labels(method, parameters, label):
    assert solved(data()[0], np.full(30, label), method, **parameters)[1].status == "tolerance reached"


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1e150, 1e-150])
@both_forms
def test_extreme_scales_with_l2_to_match(loss, scale, form):
    """X scaled by c and l2 by c^2 is the same problem with w scaled by 1/c."""
    X, y = data()
    P, s = solved(form(X * scale), y, loss=loss, l2=0.1 * scale**2, tol=1e-4)
    plain = cdlab.solve(cdlab.Problem(X, y, loss=loss, l2=0.1), tol=1e-8 if loss in SMOOTH else 1e-4, max_passes=5000)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) == pytest.approx(plain.trace.records[-1].primal, rel=1e-3)


@each_of(
    "loss, method",
    [(loss, m) for loss in LOSSES for m in ("sdca", "quartz", "rcd") if loss in SMOOTH or m == "sdca"],
)
@each_of("scale", [1e150, 1e-150])
def test_extreme_scales_with_ordinary_l2(loss, scale, method):
    """Hopelessly conditioned, or w = 0 to rounding: ends at a limit or the tolerance, with a valid gap."""
    X, y = data()
    _, s = solved(X * scale, y, method, loss=loss, tol=1e-6, max_passes=50)
    assert s.status in ("tolerance reached", "pass limit")
    if scale < 1:
        assert s.status == "tolerance reached"


@each_of("l2", [1e-300, 1e300])
@each_of("method", ["sdca", "quartz", "rcd"])
def test_extreme_l2(l2, method):
    _, s = solved(*data(), method, l2=l2, max_passes=50)
    assert s.status in ("tolerance reached", "pass limit")


@settings(deadline=None, max_examples=30)
@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.5, 1e-8, 1e8]), min_size=3, max_size=3), min_size=1, max_size=6
    ),
    loss=st.sampled_from(LOSSES),
    sparse=st.booleans(),
)
def test_any_small_matrix(rows, loss, sparse):
    X = np.array(rows)
    y = np.where(np.arange(len(rows)) % 2, -1.0, 1.0)
    solved(sp.csr_matrix(X) if sparse else X, y, loss=loss, max_passes=100)


# ---------------------------------------------------------------- beyond float64
@each_of("name", cdlab.methods.METHODS)
@each_of("scale, l2", [(1.0, 1e-300), (1.0, 1e-320), (1e140, 0.1), (1e-140, 1e300)])
def test_numbers_at_the_ends_of_float64_are_refused_or_certified(name, scale, l2):
    """A method either says that its steps leave float64, or ends with a gap that is true: infinite, if it diverged."""
    X, y = data()
    P = cdlab.Problem(X * scale, y, l2=l2)
    was_refused, s = refused(lambda: cdlab.solve(P, name, max_passes=3), name, "sampling")
    if was_refused:
        return
    assert s.gap >= 0
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isfinite(P.primal(s.w)) or s.gap == np.inf


def test_blocks_that_are_nearly_all_empty_are_refused():
    """No pass would ever be over: what is visited is what counts."""
    P = cdlab.Problem(*data(), l2=0.1)
    with pytest.raises(ValueError, match="would hold .* on average, so that nearly all are empty; take p >="):
        cdlab.solve(P, "quartz", sampling=cdlab.samplings.Independent(1e-200), max_passes=3)
