"""Files as people have them: suffixes in capitals or none, marks of other programs, columns that are no features."""

import bz2
import gzip
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from libsvm_files import PACK, write

from cdlab.datasets import describe, label_column, load, names, scan

LIBSVM, TABLE = "1 1:2.5 3:4\n-1 2:1\n", "2.5,0,4,1\n0,1,0,-1\n"
X, Y = [[2.5, 0, 4], [0, 1, 0]], [1, -1]


def read(path, **options):
    found = load(path, dense=True, **options)
    return found.X.tolist(), found.y.tolist()


# ---------------------------------------------------------------- which format
@each_of("packed", [*PACK, *(suffix.upper() for suffix in PACK)])
@each_of("suffix, text", [(".CSV", TABLE), (".Tsv", TABLE.replace(",", "\t")), (".SVM", LIBSVM), (".LibSVM", LIBSVM)])
def test_suffixes_may_be_in_capitals(tmp_path, monkeypatch, suffix, text, packed):
    path = write(tmp_path, PACK[packed.lower()](text.encode()), f"Data{suffix}{packed}")
    assert read(path) == (X, Y)
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    assert "Data" in [each.name for each in names()]
    assert read("Data") == (X, Y)
    assert describe("Data").n == 2
    path.unlink()


def test_a_test_part_beside_a_table_in_capitals(tmp_path):
    path = write(tmp_path, TABLE, "a.CSV")
    write(tmp_path, TABLE.replace("2.5", "7"), "a.t.CSV")
    assert read(path, split="test")[0][0] == [7, 0, 4]


@each_of("x, y", [("X_train", "y_train"), ("X_TRAIN", "Y_TRAIN"), ("x", "Y"), ("X", "y"), ("x_train", "y_train")])
def test_keys_of_an_npz_file_may_be_in_capitals(tmp_path, x, y):
    np.savez(tmp_path / "a.npz", **{x: X, y: Y})
    (tmp_path / "a.npz").rename(tmp_path / "a.NPZ")
    assert read(tmp_path / "a.NPZ") == (X, Y)
    sides = {"X_train": X, "y_train": Y, "X_test": [[9.0, 9, 9]], "Y_test": [1]}
    np.savez(tmp_path / "b.npz", **sides)
    assert read(tmp_path / "b.npz", split="test") == ([[9, 9, 9]], [1])
    matrix = sp.csr_matrix(X)
    parts = {"Data": matrix.data, "Indices": matrix.indices, "INDPTR": matrix.indptr, "Shape": matrix.shape}
    np.savez(tmp_path / "c.npz", **parts, Y=Y)
    assert read(tmp_path / "c.npz") == (X, Y)


def test_of_keys_that_differ_by_capitals_the_documented_one_counts(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, x=[[0.0]], y=Y, Y=[0])
    assert read(tmp_path / "a.npz") == (X, Y)


@each_of("name", ["a", "a.data", "a.txt", "a.train", "a.DATA.gz"])
@each_of(
    "text",
    [
        TABLE,
        TABLE.replace(",", "\t"),
        TABLE.replace(",", " "),
        TABLE.replace(",", ";"),
        "sep=;\r\na;b;c;y\r\n" + TABLE.replace(",", ";"),
        "a b c y\n" + TABLE.replace(",", " "),
    ],
)
def test_without_a_suffix_that_names_it_a_table_is_one_by_its_first_lines_and_that_is_told(tmp_path, name, text):
    path = write(tmp_path, gzip.compress(text.encode()) if name.endswith("gz") else text, name)
    assert read(path) == (X, Y)
    assert any("a table, by the first lines" in told for told in load(path).taken)
    assert label_column(path).position == 3
    with pytest.raises(ValueError, match="not LIBSVM text"):
        scan(path)


@each_of("name", ["a", "a.data", "a.txt", "a.t", "a.svm"])
@each_of("text", [LIBSVM, "# a, comment 1\n" + LIBSVM, "1\n" * 3 + LIBSVM, "1 qid:3 1:2\n", "0 1:2 # a,b\n"])
def test_libsvm_text_is_none(tmp_path, name, text):
    path = write(tmp_path, text, name)
    assert load(path, dense=True).X[-1].any()
    assert load(path).zero_based is False
    assert label_column(path) is None


def test_a_table_that_was_changed_is_looked_at_again(tmp_path):
    path = write(tmp_path, TABLE, "a")
    assert read(path) == (X, Y)
    write(tmp_path, LIBSVM, "a")
    os.utime(path, ns=(1, 1))
    assert read(path) == (X, Y)


# ---------------------------------------------------------------- marks of other programs
@each_of("encoding", ["utf-8-sig", "utf-16", "utf-8"])
@each_of("name, text", [("a.svm", LIBSVM), ("a.csv", TABLE), ("a", LIBSVM), ("b", "a,b,c,y\r\n" + TABLE)])
@each_of("packed", ["", ".bz2"])
def test_byte_order_marks(tmp_path, encoding, name, text, packed):
    content = text.encode(encoding)
    path = write(tmp_path, bz2.compress(content) if packed else content, name + packed)
    assert read(path) == (X, Y)


def test_utf_16_of_either_order_and_of_any_length_is_streamed(tmp_path):
    rows = [f"{(-1) ** k} {k % 7 + 1}:{k / 3!r} 9:1" for k in range(20000)]  # more than a buffer
    plain = write(tmp_path, "\n".join(rows), "plain.svm")
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        wide = write(tmp_path, mark + "\n".join(rows).encode(encoding), "wide.svm")
        assert abs(load(wide, dense=False).X - load(plain, dense=False).X).max() == 0
        assert scan(wide).F == scan(plain).F
        with pytest.raises(ValueError, match="wide.svm is not UTF-16.* text, as which it begins"):
            load(write(tmp_path, wide.read_bytes()[:-1], "wide.svm"))


@each_of("mark", [";", ",", "\t"])
@each_of("head", ["sep={}\r\n", "SEP={}\n", '"sep={}"\r\n'])
def test_the_first_line_of_excel_names_the_delimiter_and_is_no_example(tmp_path, mark, head):
    for header in ("", "a,b,c,y\r\n"):
        text = head.format(mark) + (header + TABLE).replace(",", mark)
        path = write(tmp_path, text, "a.csv")
        assert read(path) == (X, Y)
    with pytest.raises(ValueError, match="line 5, column c: 'x' is not a number"):
        load(write(tmp_path, text + mark.join(["1", "2", "x", "1"]) + "\n", "a.csv"))


@each_of("mark", [",", ";", "\t"])
def test_delimiters_at_the_ends_of_lines(tmp_path, mark):
    for text in (
        "a,b,c,y,\n2.5,0,4,1,\n0,1,0,-1,\n",
        "a,b,c,y\n2.5,0,4,1,\n0,1,0,-1,\n",
        "a,b,c,y,\n2.5,0,4,1\n0,1,0,-1\n",
        "2.5,0,4,1,\r\n0,1,0,-1,\r\n",
    ):
        assert read(write(tmp_path, text.replace(",", mark), "a.csv")) == (X, Y)
    with pytest.raises(ValueError, match="line 3: 3 fields, where the first line has 4"):
        load(write(tmp_path, "a,b,c,y,\n1,2,3,4,\n1,2,3,\n".replace(",", mark), "a.csv"))
    with pytest.raises(ValueError, match="line 3: 5 fields, where the first line has 4"):
        load(write(tmp_path, "a,b,c,y,\n1,2,3,4,\n1,2,3,4,5\n".replace(",", mark), "a.csv"))
    with pytest.raises(
        ValueError, match="line 2, column y: a label is a word of .* not ''"
    ):  # no delimiter more, but a gap
        load(write(tmp_path, "a,b,y\n1,2,\n3,4,\n".replace(",", mark), "a.csv"))


# ---------------------------------------------------------------- columns that are no features
def test_columns_are_left_out_by_name_or_position_whatever_they_hold(tmp_path):
    text = "id,day,a,y\np1,2024-01-05,3,1\np2,,4,-1\n"
    expected = ([[3], [4]], [1, -1])
    path = write(tmp_path, text, "a.csv")
    for drop in (["id", "day"], ("0", 1), [0, "day"], ["id", -3]):
        assert read(path, drop=drop) == expected
    bare = write(tmp_path, text.partition("\n")[2], "b.csv")
    for drop in ([0, 1], ["0", "-3"]):
        assert read(bare, drop=drop) == expected
    assert read(write(tmp_path, "a,y,note\n3,1,x\n4,-1,\n", "c.csv"), drop="note") == expected
    assert read(write(tmp_path, "3,1,x y\n4,-1,z\n", "d.csv"), drop=-1) == expected
    assert read(write(tmp_path, ",a,y\n0,3,1\n1,4,-1\n", "e.csv"), drop=0) == expected  # as pandas writes its index
    assert label_column(path, drop="y").name == "a"
    write(tmp_path, "id,day,a,y\nq,z,5,1\n", "a.t.csv")
    assert read(path, drop=["id", "day"], split="test") == ([[5]], [1])


@each_of(
    "options, sentence",
    [
        ({"drop": "when"}, "has no column 'when'; did you mean 'then'"),
        ({"drop": 9}, "has 3 columns, 0 to 2, and drop is 9"),
        ({"drop": "y", "label": "y"}, "y .as asked for. is the label, and cannot be left out by drop"),
        ({"drop": ["a", "then"]}, "needs at least one feature beside the label, and drop leaves none"),
        ({"drop": ["a", "then", "y"]}, "cannot be left out|leaves none"),
        ({"drop": 1.5}, "drop must be names or positions of columns, not 1.5"),
    ],
)
def test_what_cannot_be_left_out_gets_a_sentence(tmp_path, options, sentence):
    path = write(tmp_path, "a,then,y\n1,2,3\n4,5,6\n", "a.csv")
    with pytest.raises((ValueError, TypeError), match=sentence):
        load(path, **options)


def test_only_tables_have_columns_to_leave_out(tmp_path):
    with pytest.raises(ValueError, match="drop names columns of a CSV or TSV file, and .* is neither"):
        load(write(tmp_path, LIBSVM, "a.svm"), drop="a")


@each_of("day", ["2024-01-05", "05.01.2024", "1/5/24", "2024-01-05 12:30", "2024-01-05T12:30:00Z"])
def test_a_date_is_called_one_with_what_makes_it_a_number(tmp_path, day):
    with pytest.raises(
        ValueError, match=r"line 2, column day: .* make numbers of dates, .*pandas.to_datetime, or leave .* drop"
    ):
        load(write(tmp_path, f"day,a,y\n{day},1,2\n", "a.csv"))


@each_of("text", ["1,234", "1,234.5", "1 234", "12 %", "$3.5", "1,5"])
def test_numbers_as_people_write_them_are_told_from_words(tmp_path, text):
    with pytest.raises(ValueError, match="decimals with a point, without commas that group digits"):
        load(write(tmp_path, f'a,b,y\n1,"{text}",2\n', "a.csv"))


def test_a_label_in_the_first_column_is_named_by_its_position(tmp_path):
    rng = np.random.default_rng(0)
    table = np.column_stack([np.arange(30) % 2, rng.standard_normal((30, 3))])
    path = tmp_path / "binary.train"
    np.savetxt(path, table, delimiter="\t")
    found = load(path, label=0)
    np.testing.assert_array_equal(found.X, table[:, 1:])
    np.testing.assert_array_equal(found.y, table[:, 0])
    assert any("label=0" in told for told in load(path).taken)
    assert not any("label=0" in told for told in found.taken)


# ---------------------------------------------------------------- no files
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_devices_and_tables_from_pipes_are_refused_at_once(tmp_path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    for path in (tmp_path / "zero", "/dev/zero", "/dev/null"):
        for function in (load, scan, label_column):
            with pytest.raises(ValueError, match="is a device, and a data set is a file"):
                function(path)
    for name in ("a.csv", "a.npz"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(ValueError, match="is a pipe, which gives LIBSVM text"):
            load(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@each_of("content", [LIBSVM.encode(), LIBSVM.encode("utf-8-sig"), LIBSVM.encode("utf-16")])
def test_a_pipe_gives_libsvm_text(tmp_path, content):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert read(path) == (X, Y)
    writer.join()
    path.unlink()


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /dev/stdin")
def test_standard_input(tmp_path):
    program = "import cdlab; print(cdlab.datasets.load('/dev/stdin', dense=True).X.sum())"
    with write(tmp_path, LIBSVM).open() as file:
        for given in ({"input": LIBSVM.encode()}, {"stdin": file}):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=100, **given)
            assert float(done.stdout) == np.sum(X)
