"""Solutions that predict, and that come back from a file as they were."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from multiclass import softmax_problem as classes
from problems import data, problem

import cdlab


@pytest.fixture(scope="module")
def solution():
    return cdlab.solve(problem(), "sdca", tol=1e-6)


def test_predictions_are_the_labels_of_the_training_data():
    X, y = data()
    for labels in ([2.0, 7.0], [0.0, 1.0], [-1.0, 1.0]):
        named = np.where(y > 0, labels[1], labels[0])
        s = cdlab.solve(cdlab.Problem(X, named, l2=0.01), tol=1e-6)
        assert set(s.predict(X)) == set(labels)
        assert np.mean(s.predict(X) != named) == cdlab.Problem(X, named).test_error(s.w, (X, y))
        np.testing.assert_array_equal(s.predict(sp.csr_matrix(X)), s.predict(X))


def test_regression_predicts_its_decision_values():
    s = cdlab.solve(problem("squared"), tol=1e-6)
    np.testing.assert_array_equal(s.predict(data()[0]), data()[0] @ s.w)
    np.testing.assert_array_equal(s.decision_function(data()[0]), data()[0] @ s.w)


def test_softmax_predicts_classes():
    P = classes()
    s = cdlab.solve(P, "sdca", tol=1e-6, max_passes=3000)
    predicted = s.predict(P.X)
    assert set(predicted) <= set(P.classes)
    np.testing.assert_array_equal(predicted, P.classes[np.argmax(P.X @ s.w, axis=1)])


def test_one_class_alone_knows_the_other():
    s = cdlab.solve(cdlab.Problem([[1.0], [2.0]], [1, 1], l2=0.1), tol=1e-6)
    np.testing.assert_array_equal(s.predict([[1.0], [-1.0]]), [1.0, -1.0])


def test_new_examples_of_another_width(solution):
    with pytest.raises(ValueError, match="X has 3 features, and this solution has 8"):
        solution.predict(np.ones((2, 3)))


@each_of("made", [problem, lambda: problem("squared"), classes])
def test_a_solution_comes_back_as_it_was(made, tmp_path):
    P = made()
    s = cdlab.solve(P, "sdca", tol=1e-4, max_passes=500)
    s.save(tmp_path / "s.npz")
    back = cdlab.load_solution(tmp_path / "s.npz")
    np.testing.assert_array_equal(back.w, s.w)
    np.testing.assert_array_equal(back.alpha, s.alpha)
    assert (back.gap, back.relative_gap, back.status) == (s.gap, s.relative_gap, s.status)
    np.testing.assert_array_equal(back.trace.column("gap"), s.trace.column("gap"))
    assert back.trace.meta == s.trace.meta
    np.testing.assert_array_equal(back.predict(P.X), s.predict(P.X))
    assert list(tmp_path.iterdir()) == [tmp_path / "s.npz"]
    again = cdlab.solve(P, "sdca", start=back, tol=1e-5, max_passes=3000)
    assert again.trace.records[0].dual >= s.trace.records[-1].dual - 1e-12
    with pytest.raises(ValueError, match="call solve again with start=solution"):
        back.resume()


def test_infinite_gaps_survive(tmp_path):
    s = cdlab.solve(problem(l2=0.0), "saga", max_passes=2)
    s.save(tmp_path / "s")
    assert cdlab.load_solution(tmp_path / "s").gap == np.inf


def rewritten(path, changed):
    """The archive with its description changed."""
    with np.load(path) as archive:
        parts = dict(archive)
    about = json.loads(parts["about"].tobytes())
    parts["about"] = np.frombuffer(json.dumps(changed(about)).encode(), np.uint8)
    with open(path, "wb") as file:
        np.savez(file, **parts)


def emptied(trace):
    return {**trace, "columns": {name: [] for name in trace["columns"]}}


NO_PAIRS = [
    [1],
    {"a": 1},
    "ab",
    [["a", "b"]],
    [["a"]],
    [["a", 1, 2]],
    [[["a"], 1]],
    [[None, 1]],
    [["a", 1], ["b", None]],
]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (lambda about: {**about, "file": "x"}, "it is something else"),
        (lambda about: {**about, "version": 2}, "it has version 2"),
        (lambda about: {**about, "status": "fine"}, "its status is 'fine'"),
        (lambda about: {**about, "gap": "small"}, "its gap is 'small', not a number"),
        *((lambda about, pairs=pairs: {**about, "labels": pairs}, "its labels are not pairs") for pairs in NO_PAIRS),
        (lambda about: {k: v for k, v in about.items() if k != "trace"}, "is not a solution"),
        (lambda about: [], "it is something else"),
        (lambda about: {**about, "gap": about["gap"] / 2}, "its gap is .*, and its best record makes them"),
        (lambda about: {**about, "gap": 0.0}, "its gap is 0 and .*, and its best record makes them"),
        (lambda about: {**about, "relative_gap": 1e-12}, "its relative_gap 1e-12, and its best record makes them"),
        (lambda about: {**about, "trace": emptied(about["trace"])}, "its best record makes them inf"),
        (lambda about: {**about, "labels": [[0, 0], [1, 1], [2, 2]]}, "its labels are not those of its w"),
        (lambda about: {**about, "intercept": [0.0, 1.0]}, "do not belong together"),
    ],
)
def test_a_description_that_is_wrong_is_refused(changed, sentence, solution, tmp_path):
    solution.save(tmp_path / "s.npz")
    rewritten(tmp_path / "s.npz", changed)
    with pytest.raises(ValueError, match=sentence):
        cdlab.load_solution(tmp_path / "s.npz")


def test_damaged_files_are_refused_in_a_sentence(solution, tmp_path):
    path = tmp_path / "s.npz"
    solution.save(path)
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    outcomes = []
    for k in range(150):
        bad = bytearray(good)
        for at in rng.integers(len(bad), size=3):
            bad[at] ^= int(rng.integers(1, 256))
        path.write_bytes(bad[: int(rng.integers(len(bad)))] if k % 3 == 0 else bad)
        try:
            outcomes.append(str(cdlab.load_solution(path).status))
        except ValueError as error:
            outcomes.append(str(error))
    assert all("is not a solution saved by cdlab" in told or told == solution.status for told in outcomes)
    assert outcomes.count(solution.status) < 50


def test_nothing_is_left_of_what_could_not_be_written(solution, tmp_path, monkeypatch):
    (tmp_path / "s.npz").write_text("before")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="no space is left in the folder"):
        solution.save(tmp_path / "s.npz")
    assert [f.name for f in tmp_path.iterdir()] == ["s.npz"]
    assert (tmp_path / "s.npz").read_text() == "before"


def test_other_archives_and_missing_files(tmp_path):
    np.savez(tmp_path / "other.npz", w=np.zeros(3))
    with pytest.raises(ValueError, match="is not a solution saved by cdlab: it has no part named about"):
        cdlab.load_solution(tmp_path / "other.npz")
    with zipfile.ZipFile(tmp_path / "empty.npz", "w"):
        pass
    with pytest.raises(ValueError, match="is not a solution"):
        cdlab.load_solution(tmp_path / "empty.npz")
    with pytest.raises(FileNotFoundError):
        cdlab.load_solution(tmp_path / "none.npz")


@pytest.mark.parametrize("where", ["a folder", "no folder"])
def test_a_place_that_cannot_be_written_is_named_as_it_was_given(where, solution, tmp_path):
    path = tmp_path if where == "a folder" else tmp_path / "nowhere" / "s.npz"
    with pytest.raises((IsADirectoryError, FileNotFoundError)) as caught:
        solution.save(path)
    assert caught.value.filename == str(path)
    assert "part" not in str(caught.value)


def test_a_file_of_another_kind_is_no_archive(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="is not a solution saved by cdlab: it is not an archive"):
        cdlab.load_solution(tmp_path / "data.csv")


@pytest.mark.parametrize("name", [3, True, None, np.array(3), b"s.npz", "", "a\0b", ["s.npz"]])
def test_what_is_no_name_of_a_file_is_refused_by_its_argument(name, solution):
    for use in (solution.save, cdlab.load_solution, solution.trace.save, cdlab.Trace.load):
        with pytest.raises((TypeError, ValueError), match="path must be the name of a file"):
            use(name)


def test_a_folder_is_neither_a_solution_nor_a_trace(tmp_path):
    for read in (cdlab.load_solution, cdlab.Trace.load):
        with pytest.raises(ValueError, match="is a folder, and a (saved solution|trace) is a file"):
            read(tmp_path)


def changed_archive(path, **arrays):
    """A saved solution with other bytes or arrays in it."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.save(stream, array)
        parts[f"{name}.npy"] = stream.getvalue() if array is not None else b""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("part", ["w", "alpha"])
@pytest.mark.parametrize("kind", ["no bytes", "no entries", "nan", "inf"])
def test_a_point_that_is_none_is_refused(part, kind, solution, tmp_path):
    solution.save(tmp_path / "s.npz")
    whole = getattr(solution, part)
    wrong = {"no bytes": None, "no entries": whole[:0], "nan": whole * np.nan, "inf": whole + np.inf}[kind]
    changed_archive(tmp_path / "s.npz", **{part: wrong})
    with pytest.raises(ValueError, match="is not a solution saved by cdlab: its (w|alpha)"):
        cdlab.load_solution(tmp_path / "s.npz")


@pytest.mark.parametrize("base", [True, False, "auto"])
def test_the_base_of_indices_is_kept(base, solution, tmp_path):
    replace(solution, zero_based=base).save(tmp_path / "s.npz")
    assert cdlab.load_solution(tmp_path / "s.npz").zero_based == base


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no devices with names")
def test_a_device_is_neither_a_solution_nor_a_trace(tmp_path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    for read in (cdlab.load_solution, cdlab.Trace.load):
        with pytest.raises(ValueError, match="zero is a device, and a (saved solution|trace) is a file"):
            read(tmp_path / "zero")
