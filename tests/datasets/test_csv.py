"""CSV: the conventions of the docstring, and a sentence for each way to break them."""

import bz2
import gzip
import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import cdlab
from cdlab.datasets import load

finite = st.floats(allow_nan=False, allow_infinity=False)


def csv(folder, text, name="t.csv"):
    path = Path(folder) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@given(hnp.arrays(float, st.tuples(st.integers(1, 5), st.integers(2, 5)), elements=finite), st.booleans())
def test_csv_is_read_back_to_the_last_bit(table, header):
    lines = [",".join(map(repr, row)) for row in table.tolist()]
    names = [",".join(f"f{j}" for j in range(table.shape[1]))] if header else []
    with tempfile.TemporaryDirectory() as folder:
        X, y = load(csv(folder, "\n".join(names + lines) + "\n"))
    np.testing.assert_array_equal(X, table[:, :-1])
    np.testing.assert_array_equal(y, table[:, -1])
    assert X.flags.c_contiguous
    assert X.dtype == y.dtype == np.float64


def test_a_named_label_column_is_the_label(tmp_path):
    for name, place in itertools.product(["y", "label", "Target", "CLASS"], [0, 1, 2]):
        rows = [["a", "b"], [10, 20], [30, 40]]
        for row, label in zip(rows, (name, 1, -1), strict=True):
            row.insert(place, label)
        X, y = load(csv(tmp_path, "\n".join(",".join(map(str, line)) for line in rows)))
        assert X.tolist() == [[10, 20], [30, 40]]
        assert y.tolist() == [1, -1]
        assert X.flags.c_contiguous


def test_csv_variants(tmp_path):
    expected = [[1, 2], [4, 5]]
    for text in ("1,2,3\n4,5,6\n", "\ufeffa,b,c\r\n1, 2, 3\r\n\r\n4, 5, 6\r\n", '"0","1","y"\n1,2,3\n4,5,6'):
        X, y = load(csv(tmp_path, text))
        assert (X.tolist(), y.tolist()) == (expected, [3, 6])
    X, _ = load(csv(tmp_path, bz2.compress(b"1,2,3\n4,5,6\n"), "t.csv.bz2"))
    assert X.tolist() == expected
    packed = bz2.compress(b"1,2,3\n4,5,6\n" * 100)
    with pytest.raises(ValueError, match="t.csv.bz2 is cut short"):
        load(csv(tmp_path, packed[:-5], "t.csv.bz2"))


def test_a_csv_with_a_test_part(tmp_path):
    path = csv(tmp_path, "1,2,3\n", "s.csv")
    csv(tmp_path, "4,5,6\n", "s.t.csv")
    assert load(path)[0].tolist() == [[1, 2]]
    assert load(path, split="test")[0].tolist() == [[4, 5]]
    assert load(path, split="all", n_features=3)[0].tolist() == [[1, 2, 0], [4, 5, 0]]
    csv(tmp_path, "4,5,5,6\n", "s.t.csv")
    with pytest.raises(ValueError, match="the train and test parts have 2 and 3 features: not one set"):
        load(path, split="all")


@each_of(
    "text, sentence",
    [
        ("\n\n", "holds no examples"),
        ("a,b\n", "holds a header and no examples"),
        ("1\n2\n", "needs at least one feature and the label; it has one column"),
        ("a;y\n1,5;2\n", "line 2, column a: '1,5' is not a number; write decimals with a point"),
        ("1_0,2\n3,4\n", "first line mixes numbers and words"),
        ("1,2\n3_0,4\n", "line 2, column 1: '3_0' is not a number"),
        ("a,b,c\n1,2,3\n4,x,6\n", r"t.csv, line 3, column b: 'x' is not a number"),
        ("a,b,class\n1,p,2\n4,e,5\n", "line 2, column b: 'p' is not a number; encode words as numbers"),
        ("a,b,class\n1,2,p\n4,5,\n", "line 3, column class: a label is a word of 1 to 100 characters, not ''"),
        (
            "1,2,p\n4,5," + "e" * 101 + "\n",
            r"line 2, column 3: a label is a word of 1 to 100 characters, not 'e+\.\.\.",
        ),
        ("1,2,p\n3,4,5\n", "first line mixes numbers and words"),
        ("1,2,3\n3,4,p\n", "line 2, column 3: 'p' is not a number"),
        ("1,2,3\n4,x,6\n", "line 2, column 2: 'x' is not a number"),
        ("1,x,3\n4,5,6\n", "first line mixes numbers and words"),
        ("a,y,label\n1,2,3\n", "more than one label column: y, label"),
        (",a,y\n0,1,2\n", r"column 1 has no name"),
        ("a,b,c\n1,2,3,4\n", "the header has 3 fields and the examples have 4"),
        ("1,2,3\n4,5,6,7\n", "line 2: 4 fields, where the first line has 3"),
        ("1,2,3\n\n4,,6\n", "line 3, column 2: '' is not a number"),
        ("1,2,3\n4,NA,6\n", "column 2: 'NA' is not a number; encode words as numbers .* fill in missing values"),
        ("1,2,3\n4,5\n", "line 2: 2 fields, where the first line has 3"),
        ("1,2,3\n4,5,nan\n", "the label of example 2 is nan"),
        ("a,b,c\n1,2,3\n4,5\n", "line 3: 2 fields, where the first line has 3"),
        ("1,2,3\n4,inf,6\n", "example 2, feature 2 is inf"),
        (b"1,2\n\xff\xfe,3\n", "not UTF-8"),
        (b"\xff\xfe,3\n", "not UTF-16"),
    ],
)
def test_a_malformed_csv_gets_a_sentence(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        load(csv(tmp_path, text))
    assert "t.csv" in str(error.value)


@pytest.mark.parametrize("head", ["", "a,b,class\n"])
def test_labels_may_be_words(tmp_path, head):
    X, y = load(csv(tmp_path, head + '1,2, spam\n3,4,ham\n5,6,"spam"\n'))
    assert X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert y.tolist() == ["spam", "ham", "spam"]
    P = cdlab.Problem(X, y)
    assert P.label_map == {"ham": -1.0, "spam": 1.0}


def test_words_stand_in_the_label_column_whatever_its_place(tmp_path):
    X, y = load(csv(tmp_path, "label,a\np,1\nq,2\n"))
    assert (X.tolist(), y.tolist()) == ([[1], [2]], ["p", "q"])


def test_words_in_one_part_and_numbers_in_the_other_are_not_one_set(tmp_path):
    csv(tmp_path, "1,2\n", "t.t.csv")
    with pytest.raises(ValueError, match="the labels of the train and test parts are numbers here and words there"):
        load(csv(tmp_path, "1,p\n"), split="all")


def test_dense_data_are_widened_but_never_cut(tmp_path):
    path = csv(tmp_path, "1,2,3\n")
    assert load(path, n_features=4)[0].tolist() == [[1, 2, 0, 0]]
    with pytest.raises(ValueError, match="has 2 features, so n_features must be at least 2, not 1"):
        load(path, n_features=1)


@each_of("mark", [";", "\t", " ", "   ", ", ", " \t"])
def test_whatever_separates_the_columns_the_table_is_the_same(tmp_path, mark):
    for name, head in itertools.product(["t.csv", "t.tsv", "t.tsv.gz"], ["", '"a"{0}b{0}class\n']):
        text = (head + "1{0}2.5{0}no\n\n3{0}-4e1{0}yes\n").format(mark).encode()
        X, y = load(csv(tmp_path, gzip.compress(text) if name.endswith(".gz") else text, name))
        assert (X.tolist(), y.tolist()) == ([[1, 2.5], [3, -40]], ["no", "yes"])


@each_of("label, at", [("b", 1), (1, 1), ("1", 1), (-3, 0), (np.int64(2), 2), (None, 2)])
def test_the_label_is_the_column_that_is_asked_for_and_what_was_taken_is_told(tmp_path, label, at):
    path = csv(tmp_path, "a,b,c\n1,2,3\n4,5,6\n")
    X, y = load(path, label=label)
    table = np.array([[1.0, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(y, table[:, at])
    np.testing.assert_array_equal(X, np.delete(table, at, axis=1))
    taken = cdlab.datasets.label_column(path, label=label)
    assert (taken.name, taken.position) == ("abc"[at], at)
    assert str(taken) == f"{'abc'[at]} ({'the last column' if label is None else 'as asked for'})"


def test_a_name_that_is_a_number_is_a_name_first(tmp_path):
    assert cdlab.datasets.label_column(csv(tmp_path, "a,b,0\n1,2,3\n4,5,6\n"), label="0").position == 2


def test_words_in_the_first_column_are_labels_once_that_is_said(tmp_path):
    path = csv(tmp_path, "M,17.9,10\nB,20,11\n")
    X, y = load(path, label=0)
    assert (X.tolist(), y.tolist()) == ([[17.9, 10], [20, 11]], ["M", "B"])
    assert str(cdlab.datasets.label_column(path, label=0)) == "column 0 from 0 (as asked for)"


def test_where_the_format_says_what_the_labels_are_no_column_is_told_or_taken(tmp_path):
    assert cdlab.datasets.label_column("mushrooms") is None
    with pytest.raises(ValueError, match="label names a column of a CSV or TSV file"):
        load("mushrooms", label=0)


@each_of(
    "label, sentence",
    [
        ("heights", r"has no column 'heights'; did you mean 'height'\? \(columns: height, age, y\)"),
        (3, "has 3 columns, 0 to 2, and label is 3"),
        ("-4", "has 3 columns, 0 to 2, and label is '-4'"),
        (10**400, "has 3 columns, 0 to 2, and label is a value of type int"),
        (True, "label must be the name or the position of a column, not True"),
        (1.0, "label must be the name or the position of a column, not 1.0"),
        ("", "has no column ''"),
    ],
)
def test_a_label_that_is_no_column_gets_a_sentence(tmp_path, label, sentence):
    path = csv(tmp_path, "height,age,y\n1,2,3\n4,5,6\n")
    for read in (load, cdlab.datasets.label_column):
        with pytest.raises((TypeError, ValueError), match=sentence):
            read(path, label=label)
    with pytest.raises(ValueError, match="has no header, so label takes positions from 0"):
        load(csv(tmp_path, "1,2,3\n"), label="height")
    with pytest.raises(ValueError, match="2 columns called 'a'"):
        load(csv(tmp_path, "a,a,y\n1,2,3\n"), label="a")


def test_a_position_written_as_text_makes_no_header_of_an_example(tmp_path):
    path = csv(tmp_path, "0,0.5,1\n1,0.25,0\n")
    for label in ("0", 0, "-3"):
        X, y = load(path, label=label)
        assert (X.tolist(), y.tolist()) == ([[0.5, 1], [0.25, 0]], [0, 1])
    X, y = load(csv(tmp_path, "0,1,y\n7,8,9\n"), label="0")  # names that are numbers stay names
    assert (X.tolist(), y.tolist()) == ([[8, 9]], [7])
