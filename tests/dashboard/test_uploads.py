"""Files of visitors: what is read, and what a person is told of one that cannot be."""

import asyncio
import gzip
import hashlib
import io
import zipfile

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.engine import Choices, predict
from cdlab.dashboard.engine.answering import Visitor, take_file
from cdlab.dashboard.engine.code import script
from cdlab.dashboard.engine.data_sources import UPLOAD
from cdlab.dashboard.engine.uploads import Upload, read_upload
from cdlab.dashboard.visitor_limits import set_limits

LIBSVM = b"+1 1:0.5 3:2\n-1 2:1 3:-1\n+1 1:1\n"
CSV = b"a,b,label\n1,2,1\n3,4,-1\n5,6,1\n"


def npz(**arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def afterwards_as_before():
    yield
    set_limits()


@each_of(
    "name, content",
    [
        ("rows.libsvm", LIBSVM),
        ("rows", LIBSVM),
        ("rows.txt.gz", gzip.compress(LIBSVM, mtime=0)),
        ("rows.csv", CSV),
        ("rows.npz", npz(X=np.arange(6.0).reshape(3, 2), y=np.array([1, -1, 1]))),
    ],
)
def test_a_file_is_what_load_makes_of_it(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    X, y = cdlab.datasets.load(path)
    file = read_upload(name, content)
    assert abs(file.X - X).sum() == 0
    np.testing.assert_array_equal(file.y, y)
    assert file.digest == hashlib.sha256(content).hexdigest()[:16]
    assert file.sentence().startswith(f"{name}: 3 examples, ")
    assert "labels -1, 1" in file.sentence()


@each_of(
    "name, content, words",
    [
        ("rows.txt", b"+1 1:0.5\n-1 x:1\n", "rows.txt, line 2: the index 'x'"),
        ("rows.txt", b"+1 1:0.5\nno 1:1\n", "rows.txt, line 2: the label 'no' is not a number"),
        ("rows.csv", b"a,b\n1,2\n3,four\n", "rows.csv, line 3, column b: 'four' is not a number"),
        ("rows.csv", b"1,2\n3,4,5\n", "rows.csv, line 2: 3 fields, where the first line has 2"),
        ("rows.npz", b"PK\x03\x04 nonsense", "rows.npz is not an NPZ file"),
        ("rows.npz", npz(Z=np.ones(3)), "expected X and y"),
        ("rows.gz", b"\x1f\x8b", "rows.gz is"),
        ("rows.csv", b"1,nan\n2,3\n", "rows.csv"),
        ("empty.txt", b"", "empty.txt is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_without_the_server_s_folders(name, content, words):
    with pytest.raises(ValueError, match="^(?!.*cdlab-upload)") as caught:
        read_upload(name, content)
    assert words in str(caught.value)


@each_of("name", ["../../etc/passwd", "C:\\data\\passwd", "/passwd", ".passwd"])
def test_a_name_is_only_a_name(name):
    assert read_upload(name, LIBSVM).name == "passwd"


def test_a_name_can_stand_in_an_address():
    assert read_upload("my data, 2:1?.txt", LIBSVM).name == "my_data_2_1_.txt"


# ---------------------------------------------------------------- limits
def test_a_file_above_the_limit_is_not_read():
    set_limits(upload=1e-5)
    with pytest.raises(ValueError, match="this dashboard takes at most"):
        read_upload("rows.txt", LIBSVM)


def test_a_file_with_too_many_numbers_is_refused():
    set_limits(entries=4)
    with pytest.raises(ValueError, match=r"rows\.csv would store 6 numbers"):
        read_upload("rows.csv", CSV)


def test_a_feature_far_out_is_refused():
    with pytest.raises(ValueError, match="a weight for each of 100000000 features"):
        read_upload("rows.txt", b"1 100000000:1\n-1 1:1\n")
    with pytest.raises(ValueError, match="rows.txt has an index 2000000000"):
        read_upload("rows.txt", b"1 2000000000:1\n-1 1:1\n")


@each_of("suffix", ["", ".txt", ".txt.gz"])
def test_a_name_that_no_file_system_holds_is_shortened(suffix):
    found = read_upload("a" * 300 + suffix, gzip.compress(LIBSVM, mtime=0) if suffix.endswith("gz") else LIBSVM)
    assert found.X.shape == (3, 3)
    assert len(found.name) == 100
    assert found.name.endswith(suffix)


def test_an_array_that_promises_more_than_it_holds_is_refused():
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**11, 10)})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("X.npy", header.getvalue())
    with pytest.raises(ValueError, match=r"^rows\.npz is not an NPZ file .* promises an array of shape"):
        read_upload("rows.npz", stream.getvalue())


def test_memory_that_is_not_there_is_said_to_the_visitor(monkeypatch):
    def hungry(*_, **__):
        raise MemoryError

    monkeypatch.setattr(cdlab.datasets, "load", hungry)
    with pytest.raises(ValueError, match="rows.txt needs more memory than this server has"):
        read_upload("rows.txt", LIBSVM)


def test_labels_of_words_are_told():
    assert "labels ham, spam;" in read_upload("rows.csv", b"1,ham\n2,spam\n").sentence()


def test_labels_of_words_bring_a_loss_of_classes():
    def losses(content: bytes) -> str | None:
        return asyncio.run(take_file("rows.csv", content, len(content), Visitor()))["value"].get("loss")

    assert losses(b"1,ham\n2,spam\n") == "logistic"
    assert losses(b"1,0\n2,1\n") is None


def test_the_column_that_was_taken_as_the_label_is_told():
    told = read_upload("rows.csv", b"age,ill,height\n1,2,3\n4,5,6\n").sentence()
    assert "label: height (the last column)" in told
    assert "label: " not in read_upload("rows.svm", b"+1 1:0.5\n-1 2:1\n").sentence()


def test_a_visitor_chooses_the_label_also_of_a_file_that_cannot_be_read_without():
    content = b"kind,a,b\ncat,1,2\ndog,3,4\ncat,5,7\n"

    def take(label: int | None):
        return asyncio.run(take_file("pets.csv", content, len(content), Visitor(), label))

    refused, taken = take(None), take(0)
    assert "column kind: 'cat' is not a number" in refused["error"]
    assert (list(refused["columns"]), refused["label"]) == (["kind", "a", "b"], None)
    assert (list(taken["columns"]), taken["label"]) == (["kind", "a", "b"], 0)
    assert "labels cat, dog; label: kind (as asked for)" in taken["words"]
    choices = on_file(read_upload("pets.csv", content, 0))
    assert choices.problem().d == 2
    assert 'load("pets.csv", scale="none", label=0)' in script(choices, "")
    assert choices.digest != on_file(read_upload("pets.csv", CSV)).digest


@each_of("scale, told", [(1.0, False), (900.0, False), (2000.0, True), (1e100, True)])
def test_columns_in_very_different_units_are_told_with_what_to_do(scale, told):
    rows = "".join(f"{k % 3 - 1},{scale * (k % 2)},{k % 2}\n" for k in range(12))
    words = read_upload("rows.csv", f"age,pay,ill\n{rows}".encode()).sentence()
    assert ("the entries of pay are" in words and "times those of age" in words) is told
    assert ("Divide each column by its standard deviation" in words) is told


# ---------------------------------------------------------------- in the choices
def on_file(file: Upload, **values) -> Choices:
    choices = Choices(data=UPLOAD, upload=file.key, **values)
    choices.file = file
    return choices


def test_choices_race_on_the_file():
    P = on_file(read_upload("rows.txt", LIBSVM), scale="mean").problem()
    assert (P.n, P.d) == (3, 3)
    assert isinstance(P.X, np.ndarray)  # more than half of its entries are not 0
    assert np.sqrt(P.row_profile.norms2).mean() == pytest.approx(1)


def test_choices_name_the_file_and_do_not_hold_its_content():
    choices = on_file(read_upload("rows.txt", LIBSVM))
    assert choices.values()["upload"] == f"rows.txt:{hashlib.sha256(LIBSVM).hexdigest()[:16]}"
    other = Choices(**choices.values())
    with pytest.raises(ValueError, match=r"about rows\.txt .SHA-256 .*: choose the file under Data"):
        other.problem()
    other.file = read_upload("rows.txt", LIBSVM)
    assert other.problem().digest == choices.problem().digest


def test_another_file_under_the_same_name_is_another_problem():
    first, second = (on_file(read_upload("rows.csv", content)) for content in (CSV, CSV.replace(b"6", b"7")))
    assert first.problem_key() != second.problem_key()


def test_without_a_file_the_person_is_asked_for_one():
    with pytest.raises(ValueError, match="a file of your own: choose the file under Data"):
        Choices(data=UPLOAD).problem()


def test_a_loss_that_does_not_suit_the_labels_says_why_and_which_would():
    choices = on_file(read_upload("rows.txt", b"1 1:1\n2 1:2\n3.5 1:1 2:1\n"))
    (refusal,) = predict(choices).refusals
    assert "y has 3 distinct labels and the logistic loss separates two classes" in refusal.why
    assert predict(choices.but(**refusal.repairs[0].choices)).theorems


def test_zeros_that_a_file_spells_out_are_no_nonzeros():
    assert ", 3 nonzeros, " in read_upload("rows.txt", b"+1 1:0.5 2:0 3:2\n-1 2:1 3:0\n").sentence()


def test_an_archive_whose_directory_is_damaged_is_refused_in_a_sentence():
    good = npz(X=np.arange(6.0).reshape(3, 2), y=np.array([1, -1, 1]))
    with pytest.raises(ValueError, match="rows.npz .*damaged|rows.npz is not"):
        read_upload("rows.npz", good.replace(b"PK\x01\x02", b"PK\x01\x07"))


def test_one_example_is_not_enough_for_a_race():
    with pytest.raises(ValueError, match=r"^one\.csv has just one example: a race needs two or more$"):
        read_upload("one.csv", b"a,b\n1,x\n")


@pytest.mark.parametrize(
    "rows", ["0,0,1\n0,0,-1\n", "1,2,1\n0,3,1\n", "1,2,no\n0,3,no\n"], ids=["zeros", "number", "word"]
)
def test_a_file_from_which_nothing_can_be_learned_is_refused(rows):
    with pytest.raises(ValueError, match=r"^own\.csv: every "):
        read_upload("own.csv", f"a,b,y\n{rows}".encode())


def test_a_file_that_the_command_line_refuses_as_too_large_is_refused_in_the_same_words():
    content = b"a,b,label\n1e200,2,1\n3e200,4,-1\n5e200,6,1\n"
    with pytest.raises(ValueError, match="X is too large for float64") as of_page:
        read_upload("rows.csv", content)
    X = np.array([[1e200, 2], [3e200, 4], [5e200, 6]])
    with pytest.raises(ValueError, match="X is too large") as of_command:
        cdlab.Problem(X, np.array([1, -1, 1.0]))
    assert str(of_page.value) == f"rows.csv: {of_command.value}"


def test_labels_of_one_word_are_refused_with_what_would_be_right():
    with pytest.raises(ValueError, match="every row of column label is 'yes'.* choose another label"):
        read_upload("rows.csv", b"a,b,label\n1,2,yes\n3,4,yes\n")


@each_of("labels", ["xyz", "xyx", ["1.5", "2.5", "7.25"], "123", "112"])
@each_of("loss", ["logistic", "softmax", "squared", "hinge"])
@each_of("methods", [["rcd", "sdca"], ["rcd"], ["sdca"]])
def test_a_repair_of_labels_helps_so_that_none_leads_in_a_circle(labels, loss, methods):
    rows = "".join(f"{k},{k * k},{labels[k % 3]}\n" for k in range(9))
    choices = on_file(read_upload("rows.csv", f"a,b,label\n{rows}".encode())).but(loss=loss, methods=methods)
    refusals = [each for each in predict(choices).refusals if each.what in ("data", *methods)]
    in_vain = [
        (refusal.why, repair.words)
        for refusal in refusals
        for repair in refusal.repairs
        if not predict(choices.but(**repair.choices)).theorems
    ]
    assert in_vain == []


def test_many_numbers_are_called_a_quantity_and_a_regression_loss_is_offered():
    rows = "".join(f"{k},{k * k % 7},{k / 3}\n" for k in range(40))
    choices = on_file(read_upload("rows.csv", f"a,b,price\n{rows}".encode()))
    (refusal,) = predict(choices).refusals
    assert "40 distinct numbers: that is a quantity" in refusal.why
    assert [repair.choices for repair in refusal.repairs] == [{"loss": "squared"}]


def test_a_shared_race_on_a_file_asks_for_the_file_and_for_no_other_loss():
    (refusal,) = predict(Choices(data=UPLOAD, upload="mine.csv:0123456789abcdef")).refusals
    assert refusal.what == "file"
    assert "mine.csv" in refusal.why
    assert refusal.repairs == []


def test_what_a_file_does_not_say_is_told():
    assert "; indices: from 1, since none is 0; SHA-256" in read_upload("rows", LIBSVM).sentence()
    assert "indices" not in read_upload("rows", LIBSVM.replace(b" 3:", b" 4:").replace(b" 1:", b" 0:")).sentence()
    told = read_upload("rows.DATA", CSV.replace(b",", b" ")).sentence()
    assert "3 examples, 2 features" in told
    assert "label: label (by its name); format: a table, by the first lines of rows.DATA; SHA-256" in told
