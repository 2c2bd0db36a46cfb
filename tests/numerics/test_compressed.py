"""Sparse matrices whose members contradict each other are refused before compiled code reads them."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

import cdlab
from cdlab.numerics import profiles

FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
ENTRIES = np.array([[0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [3.0, 0.0, -1.0, 0.0], [0.0, 5.0, 0.0, 4.0]])


def changed(format, **members):
    """A sound matrix whose members were then changed, as a program with an error in it would."""
    X = sp.csr_matrix(ENTRIES).asformat(format)
    for name, change in members.items():
        member = getattr(X, name)
        if callable(change):
            change(member)
        else:
            setattr(X, name, change)
    return X


def put(place, value):
    def change(member):
        member[place] = value

    return change


WRONG = {
    "csr, a column too far": (changed("csr", indices=put(1, 4)), "run from 0 to 4 along an axis of length 4"),
    "csr, a negative column": (changed("csr", indices=put(0, -1)), "run from -1 to"),
    "csr, far inside a row": (changed("csr", indices=put(0, 10**6)), "run from 0 to 1000000"),
    "csr, rows that fall": (changed("csr", indptr=put(1, 9)), "indptr does not rise"),
    "csr, rows beyond the end": (changed("csr", indptr=put(4, 99)), "indptr ends at 99"),
    "csr, rows that start late": (changed("csr", indptr=put(0, 1)), "indptr does not rise from 0"),
    "csr, a row missing": (changed("csr", indptr=np.array([0, 6])), "indptr has 2 entries for 4 lines"),
    "csr, fewer values": (changed("csr", data=np.ones(3)), "there are 6 indices and 3 values"),
    "csr, fewer columns": (changed("csr", indices=np.zeros(3, np.int32)), "there are 3 indices and 6 values"),
    "csr, columns in halves": (changed("csr", indices=np.linspace(0, 3, 6)), "its indices is not the kind of array"),
    "csr, a list": (changed("csr", indptr=[0, 2, 2, 4, 6]), "its indptr is not the kind of array"),
    "csr, far beyond 32 bits": (changed("csr", indices=np.full(6, 2**32 + 1)), "run from 4294967297"),
    "csc, a row too far": (changed("csc", indices=put(2, 7)), "run from 0 to 7"),
    "csc, columns that fall": (changed("csc", indptr=put(2, 50)), "indptr does not rise"),
    "bsr, a block too far": (changed("bsr", indices=put(0, 77)), "run from 0 to 77"),
    "bsr, data without blocks": (changed("bsr", data=np.ones(4)), "its data is not"),
    "bsr, blocks without rows": (changed("bsr", data=np.ones((4, 0, 1))), "its data is not"),
    "bsr, fewer blocks": (changed("bsr", data=np.ones((1, 1, 1))), "and 1 values"),
    "coo, a row too far": (changed("coo", row=put(1, 7)), "run from 0 to 7"),
    "coo, a negative column": (changed("coo", col=put(1, -3)), "run from -3 to"),
    "coo, fewer values": (changed("coo", data=np.ones(2)), "6 rows, 6 columns and 2 values"),
    "dia, a diagonal twice": (changed("dia", offsets=put(1, 1)), "a diagonal occurs twice"),
    "dia, a diagonal far out": (changed("dia", offsets=put(0, 2**31 - 1)), "its diagonals run from"),
    "dia, diagonals beyond 32 bits": (
        changed("dia", offsets=np.arange(4) + 2**32),
        "its diagonals run from 4294967296",
    ),
    "dia, fewer diagonals": (changed("dia", data=np.ones((1, 4))), "its data is not the kind of array"),
    "lil, a column too far": (changed("lil", rows=put(0, [1, 9])), "something else than numbers of its 4 columns"),
    "lil, fewer values": (changed("lil", data=put(0, [1.0])), "not as many values as indices"),
    "dok, a row too far": (changed("dok", _dict=lambda entries: entries.update({(9, 0): 1.0})), "cannot be listed"),
}


@each_of("case", WRONG)
@each_of("use", ["problem", "test data", "eso", "faceoff"])
def test_an_inconsistent_matrix_is_refused_in_one_sentence(case, use):
    X, sentence = WRONG[case]
    takes = {
        "problem": lambda: cdlab.Problem(X, [1, -1, 1, -1]),
        "test data": lambda: cdlab.Problem(ENTRIES, [1, -1, 1, -1]).test_data(X, [1, -1, 1, -1]),
        "eso": lambda: cdlab.eso(X, "uniform"),
        "faceoff": lambda: cdlab.faceoff(X),
    }
    with pytest.raises(ValueError, match=sentence) as error:
        takes[use]()
    assert str(error.value).startswith(f"X is an inconsistent sparse matrix (format {case[:3]})")
    assert "\n" not in str(error.value)


@each_of("format", ["csr", "csc", "coo", "bsr", "dia"])
@each_of("dtype", [object, complex])
def test_what_is_no_real_number_is_refused_before_it_is_converted(format, dtype):
    X = sp.csr_matrix(ENTRIES).asformat(format)
    X.data = X.data.astype(dtype)
    with pytest.raises(ValueError, match="X must hold real numbers; its dtype is"):
        profiles.validated_matrix(X)


@each_of("format", FORMATS)
@each_of("wide", [False, True])
def test_every_format_is_the_same_matrix(format, wide):
    X = sp.csr_matrix(ENTRIES).asformat(format)
    if wide:
        for name in {"indices", "indptr", "offsets"} & set(dir(X)):
            setattr(X, name, getattr(X, name).astype(np.int64))
    out = profiles.validated_matrix(X)
    np.testing.assert_array_equal(out.toarray(), ENTRIES)
    assert out.indices.dtype == out.indptr.dtype == np.int32


def test_an_order_that_changed_since_it_was_looked_at_is_seen():
    X = sp.csr_matrix(ENTRIES)
    assert X.has_canonical_format  # scipy remembers this
    X.indices[:2] = 3, 3
    np.testing.assert_array_equal(profiles.validated_matrix(X).toarray()[0], [0, 0, 0, 3])


def test_what_lies_beyond_the_last_row_plays_no_part():
    X = sp.csr_matrix(ENTRIES)
    X.indptr[-1] = X.indptr[-2]
    X.data[-1] = np.nan
    np.testing.assert_array_equal(profiles.validated_matrix(X).toarray(), ENTRIES * [[1], [1], [1], [0]])


@pytest.mark.parametrize("shape", [(1, 2**31 + 9), (2**31 + 9, 1)])
def test_more_lines_than_32_bits_count_are_refused(shape):
    X = sp.coo_matrix((np.ones(1), ([shape[0] - 1], [shape[1] - 1])), shape=shape)
    with pytest.raises(ValueError, match=r"X has 2147483657 (rows|columns); at most 2\^31 - 1 are supported"):
        cdlab.eso(X, "uniform")
