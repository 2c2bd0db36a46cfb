"""Dense and sparse lines answer alike, and what users hand over is checked and never changed."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import data

from cdlab import losses
from cdlab.numerics import matrices, profiles
from cdlab.regularizers import ElasticNet

X, y = data()
FORMS = {"dense": X, "csr": sp.csr_matrix(X)}
LINES = {
    (form, axis): getattr(matrices, axis)(profiles.validated_matrix(Z))
    for form, Z in FORMS.items()
    for axis in ("rows", "columns")
}
every_form = pytest.mark.parametrize(("form", "axis"), LINES)


@given(st.data())
def test_the_nonzeros_that_an_order_visits(draw):
    counts = np.array(draw.draw(st.lists(st.integers(0, 2**40), min_size=1, max_size=20)), np.int64)
    order = np.array(draw.draw(st.lists(st.integers(0, counts.size - 1), max_size=50)), np.uint64)
    assert profiles.count_nonzeros(counts, order) == sum(int(counts[int(j)]) for j in order)


@every_form
def test_lines_are_rows_or_columns(form, axis):
    lines, A = LINES[form, axis], X if axis == "rows" else X.T
    reg, loss = ElasticNet(1.0, 0.3), losses.Logistic()
    rng = np.random.default_rng(1)
    v, labels = rng.standard_normal(A.shape[1]), np.sign(rng.standard_normal(A.shape[1]))
    for i in np.arange(A.shape[0], dtype=np.uint64):
        shrunk = np.sign(v) * np.maximum(np.abs(v) - 0.3, 0)
        assert lines.dot(i, v, reg) == pytest.approx(A[i] @ shrunk, abs=1e-13)
        slopes = np.array([loss.grad_phi(*pair) for pair in zip(v, labels, strict=True)])
        assert lines.slope(i, v, labels, loss) == pytest.approx(A[i] @ slopes, abs=1e-13)
        moved = v.copy()
        lines.add(i, 0.5, moved)
        np.testing.assert_allclose(moved, v + 0.5 * A[i], atol=1e-15)
        e = np.zeros(v.size)
        lines.add_shrunk(i, 2.0, v, reg, e)
        touched = A[i] != 0
        listed = {int(lines.index(i, p)): lines.value(i, p) for p in lines.line(i)}
        assert {j: x for j, x in listed.items() if x} == {j: A[i, j] for j in np.flatnonzero(touched)}
        np.testing.assert_allclose(e[touched], 2 * shrunk[touched], atol=1e-15)


@every_form
def test_looking_ahead_changes_nothing(form, axis):
    lines = LINES[form, axis]
    order = np.array([1, 0, 2], dtype=np.uint64)
    x = np.arange(lines[0].shape[0], dtype=float)
    before = x.copy()
    for k in range(3):
        assert lines._replace(ahead=1).pick(order, k, (x, x)) == order[k]
    np.testing.assert_array_equal(x, before)


@each_of("form", FORMS)
@each_of("axis", ["rows", "columns"])
def test_profile(form, axis):
    norms2, counts = profiles.line_profile(profiles.validated_matrix(FORMS[form]), axis)
    over = 1 if axis == "rows" else 0
    np.testing.assert_allclose(norms2, (X**2).sum(over), rtol=1e-14)
    np.testing.assert_array_equal(counts, (X != 0).sum(over))


def test_stored_zeros_and_duplicates_do_not_count():
    messy = sp.csr_matrix((np.array([1.0, 0.0, 2.0, 3.0]), np.array([1, 0, 1, 0]), np.array([0, 3, 4])), shape=(2, 2))
    clean = profiles.validated_matrix(messy)
    np.testing.assert_array_equal(clean.toarray(), [[0, 3], [3, 0]])
    assert clean.nnz == 2
    assert messy.nnz == 4  # the caller's matrix is as it was


def test_clean_input_is_not_copied():
    csr, dense = profiles.validated_matrix(FORMS["csr"]), profiles.validated_matrix(X)
    assert np.shares_memory(csr.data, FORMS["csr"].data)
    assert np.shares_memory(dense, X)


@given(dtype=st.sampled_from([np.float32, np.int8, np.uint8, np.int64, np.bool_]), sparse=st.booleans())
def test_any_real_dtype_becomes_float64(dtype, sparse):
    A = (X > 0).astype(dtype)
    out = profiles.validated_matrix(sp.coo_matrix(A) if sparse else np.asfortranarray(A))
    assert (out.data if sparse else out).dtype == np.float64
    np.testing.assert_array_equal(out.toarray() if sparse else out, A)


@each_of(
    "bad, sentence",
    [
        (np.ones(3), "two dimensions"),
        (np.ones((2, 0)), "at least one example and one feature"),
        (np.array([[1.0, np.nan]]), "NaN or infinity"),
        (sp.csr_matrix(np.array([[1.0, np.inf]])), "NaN or infinity"),
        (np.array([[1j, 2]]), "real numbers"),
        (np.array([["a", "b"]]), "real numbers"),
    ],
)
def test_what_is_refused(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        profiles.validated_matrix(bad)


def test_overflowing_norms_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"divide that column, and others as large, by 1.0e\+200"):
        profiles.line_profile(np.array([[1e200, 1.0]]), "rows")
