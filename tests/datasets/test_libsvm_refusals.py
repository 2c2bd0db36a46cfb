"""LIBSVM text: every malformed file gets its sentence, and none takes all memory or time."""

import gzip
import io
import zipfile

import numpy as np
import pytest
from cases import each_of
from libsvm_files import PACK, text_of, write

from cdlab.datasets import libsvm, load, scan
from cdlab.datasets.parts import MAX_COLUMNS_BY_INDEX


@each_of(
    "line, sentence",
    [
        ("abc 1:2", "the label 'abc' is not a number"),
        ("1,2 1:2", "the label '1,2' is not a number"),
        ("1:2 2:3", "the label is missing (the line starts with '1:2')"),
        ("1 1:2 x", "'x' is not an index:value pair"),
        ("1 1: 2", "the value '' of '1:' is not a number"),
        ("1 1:two", "the value 'two' of '1:two' is not a number"),
        ("1 1:2,5", "the value '2,5' of '1:2,5' is not a number"),
        ("1 a:2", "the index 'a' of 'a:2' is not a whole number"),
        ("1 1.5:2", "the index '1.5' of '1.5:2' is not a whole number"),
        ("1 -1:2", "the index '-1' of '-1:2' is not a whole number from 0"),
        ("1 99999999999:2", "the index '99999999999' of '99999999999:2' is not a whole number from 0 to 2147483647"),
        ("1 9999999999999999999999:2", "is not a whole number from 0 to 2147483647"),
        ("1 3:1 2:1", "the index of '2:1' does not rise after 3"),
        ("1 3:1 3:1", "the index of '3:1' does not rise after 3"),
    ],
)
def test_a_malformed_line_is_named_with_its_token(tmp_path, line, sentence):
    with pytest.raises(ValueError, match="data.txt, line 3: ") as error:
        load(write(tmp_path, f"1 1:1\n# comment\n{line}\n1 1:1\n"))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@each_of("value", ["nan", "inf", "-inf", "1e400"])
def test_entries_and_labels_must_be_finite(tmp_path, value):
    with pytest.raises(ValueError, match=r"example 2, index 7 is (nan|-?inf); every entry must be a finite number"):
        load(write(tmp_path, f"1 1:1\n1 2:1 7:{value}\n"))
    with pytest.raises(ValueError, match=r"the label of example 2 is (nan|-?inf); it must be a finite number"):
        load(write(tmp_path, f"1 1:1\n{value} 2:1\n"))


@each_of("suffix", PACK)
def test_a_file_without_examples(tmp_path, suffix):
    for text in ("\n", "\n \n", "# only a comment\n"):
        with pytest.raises(ValueError, match="holds no examples"):
            load(write(tmp_path, PACK[suffix](text.encode()), "data.txt" + suffix))
    with pytest.raises(ValueError, match=r"is empty \(0 bytes\)"):
        load(write(tmp_path, b"", "data.txt" + suffix))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_truncated_compressed_file(tmp_path, suffix):
    rng = np.random.default_rng(0)
    whole = PACK[suffix](text_of(rng.standard_normal((3000, 4)), rng.standard_normal(3000)).encode())
    for share in (0.1, 0.5, 0.99):
        with pytest.raises(ValueError, match=r"data.txt.\w+ is cut short"):
            load(write(tmp_path, whole[: int(share * len(whole))], "data.txt" + suffix))


@each_of("suffix", [".gz", ".bz2", ".xz"])
def test_a_damaged_or_misnamed_compressed_file(tmp_path, suffix):
    whole = bytearray(PACK[suffix](b"1 1:2\n" * 5000))
    whole[len(whole) // 2] ^= 0xFF
    with pytest.raises(ValueError, match=r"(damaged, or is not a|cut short|line \d+)"):
        load(write(tmp_path, bytes(whole), "data.txt" + suffix))
    with pytest.raises(ValueError, match=rf"is damaged, or is not a {suffix} file"):
        load(write(tmp_path, b"1 1:2\n" * 50, "plain.txt" + suffix))


@each_of("suffix", [".gz", ".bz2", ".xz"])
def test_a_compressed_file_without_its_suffix(tmp_path, suffix):
    with pytest.raises(ValueError, match=rf"not LIBSVM text; its first bytes are those of a {suffix} file"):
        load(write(tmp_path, PACK[suffix](b"1 1:2\n" * 50)))


def test_a_binary_file(tmp_path):
    with pytest.raises(ValueError, match="line 1: this is not LIBSVM text"):
        load(write(tmp_path, b"\x7fELF\0\0\0"))


def zipped(*names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, b"text")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.xlsx", zipped("[Content_Types].xml", "xl/workbook.xml"), "x.xlsx is an Excel file: save its table as CSV"),
        ("x.csv", zipped("[Content_Types].xml", "xl/workbook.xml"), "x.csv is an Excel file: save its table as CSV"),
        ("x.parquet", b"PAR1" + bytes(20), "x.parquet is a Parquet file: save its table as CSV"),
        ("p.png", b"\x89PNG\r\n\x1a\n", "p.png is a picture"),
        ("x.zip", zipped("a.csv"), "x.zip is a ZIP archive"),
    ],
)
def test_a_file_of_another_format_is_called_what_it_is_with_the_formats_that_are_read(
    tmp_path, name, content, sentence
):
    with pytest.raises(ValueError, match=r"CSV, TSV, LIBSVM text and NPZ are read") as error:
        load(write(tmp_path, content, name))
    assert sentence in str(error.value)


def test_not_a_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(tmp_path / "absent.txt")
    with pytest.raises(ValueError, match="is a folder"):
        load(tmp_path)


@pytest.mark.parametrize("batch", [50, 1 << 20])
@pytest.mark.parametrize("before", [0, 1, 40])
def test_an_error_names_its_line_whatever_stands_before(tmp_path, monkeypatch, batch, before):
    monkeypatch.setattr(libsvm, "BATCH_BYTES", batch)
    text = "1 1:1\n\n# comment\n" * before + "\n   -1 2:x  # here\n1 1:1\n"
    with pytest.raises(ValueError, match=rf"line {3 * before + 2}: the value 'x' of '2:x' is not a number"):
        load(write(tmp_path, text))


@pytest.mark.parametrize("read", [load, scan])
def test_an_index_that_alone_would_take_all_memory_must_be_meant(tmp_path, read):
    path = write(tmp_path, f"1 {MAX_COLUMNS_BY_INDEX + 2}:1\n-1 1:1\n")
    with pytest.raises(
        ValueError, match=r"data.txt has an index \d+: so many columns would take 1.07 GB .* n_features="
    ):
        read(path)
    with pytest.raises(ValueError, match=f"needs n_features >= {MAX_COLUMNS_BY_INDEX + 2}, not 7"):
        read(path, n_features=7)


def test_a_wide_sparse_file_is_read_if_it_is_meant(tmp_path):
    X, _ = load(write(tmp_path, "1 2147483646:1\n-1 1:1\n"), n_features=2**31 - 1)
    assert X.shape == (2, 2**31 - 1)
    assert X.nnz == 2
    assert load(write(tmp_path, f"1 {MAX_COLUMNS_BY_INDEX}:1\n-1 1:1\n"))[0].shape == (2, MAX_COLUMNS_BY_INDEX)


@pytest.mark.parametrize("empty", ["\n", "  \r\n", "#\n", "# text\n\n", "\n\t\n"])
def test_lines_without_examples_reach_no_parser(tmp_path, monkeypatch, empty):
    """A few hundred kilobytes of .gz can hold hundreds of megabytes of them."""
    import sklearn.datasets

    parsed = []

    def reader(stream, **options):
        parsed.append(len(stream.getbuffer()))
        return sklearn_reader(stream, **options)

    sklearn_reader = sklearn.datasets.load_svmlight_file
    monkeypatch.setattr(sklearn.datasets, "load_svmlight_file", reader)
    path = write(tmp_path, gzip.compress(("1 1:1\n" + empty * 500_000 + "-1 2:1\n").encode()), "data.gz")
    X, y = load(path)
    assert X.toarray().tolist() == [[1, 0], [0, 1]]
    assert y.tolist() == [1, -1]
    assert sum(parsed) < 100


@each_of(
    "line, sentence",
    [
        ("1 1:1_0", "the value '1_0' of '1:1_0' is not a number"),
        ("1 1_0:1", "the index '1_0' of '1_0:1' is not a whole number"),
        ("1_0 1:1", "the label '1_0' is not a number"),
    ],
)
def test_a_number_that_only_python_reads_is_refused_where_it_stands(tmp_path, line, sentence):
    for end in ("", "\n", "\n1 x\n", " # and more\n1 1:1\n"):
        with pytest.raises(ValueError, match="data.txt, line 3: ") as error:
            load(write(tmp_path, f"1 1:1 # an_underscore\n\n{line}{end}"))
        assert sentence in str(error.value)
        with pytest.raises(ValueError, match="line 1: 'x'"):  # the first fault is told
            load(write(tmp_path, f"1 x\n{line}{end}"))


@each_of("text", ["1,2,3\n4,5,6\n", "1 2 3\n4 5 6\n", "1\t2\n", "1;2\n"])
def test_a_table_that_is_not_called_one_is_told_what_to_be_called(tmp_path, text):
    with pytest.raises(ValueError, match=r"line 1: this is not LIBSVM text.*the suffix \.csv"):
        load(write(tmp_path, text, "data.svm"))
