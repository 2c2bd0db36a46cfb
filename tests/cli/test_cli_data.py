"""Which column of a table is the label, said and heard on the command line; and what `predict` makes of new data."""

import json

import numpy as np
import pandas as pd
import pytest
from cases import each_of
from commands import ran

import cdlab
from cdlab.cli import main

ROWS = "".join(f"{k},{k * k % 7},{('benign', 'malignant')[k % 2]},{(1, -1)[k % 3 > 0]}\n" for k in range(12))
TABLE = f"age,size,diagnosis,is_member\n{ROWS}"


def solved(capsys, *words):
    """The JSON of `solve`, and what stderr says of the label."""
    assert main(["solve", *words, "--l2", "0.1", "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), [line for line in err.splitlines() if line.startswith("label: ")]


def test_the_column_that_was_taken_is_told_and_recorded(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(TABLE.replace("benign", "0").replace("malignant", "1"))
    found, told = solved(capsys, "t.csv")
    assert told == ["label: is_member (the last column)"]
    assert found["problem"]["label"] == "is_member (the last column)"
    found, told = solved(capsys, "t.csv", "--label", "diagnosis")
    assert told == ["label: diagnosis (as asked for)"]
    found, told = solved(capsys, "mushrooms")
    assert (told, found["problem"]["label"]) == ([], None)


@each_of("column", ["diagnosis", "2", "-2"])
def test_of_two_words_it_is_told_which_one_is_positive(tmp_path, capsys, column):
    (tmp_path / "t.tsv").write_text(TABLE.replace(",", "\t"))
    (tmp_path / "t.t.tsv").write_text(TABLE.replace(",", "\t"))
    found, told = solved(capsys, "t.tsv", "--label", column, "--test", "t.tsv")
    assert told == ["label: diagnosis (as asked for), +1 is 'malignant', -1 is 'benign'"]
    assert (found["problem"]["n"], found["problem"]["d"]) == (12, 3)


def test_every_verb_that_reads_a_table_takes_the_label(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "t.toml").write_text(
        'store = "s"\nexecutor = "serial"\n[grid]\ndata = "t.csv"\nlabel = "diagnosis"\nl2 = 0.1\ntol = 0.1\n'
    )
    ran(capsys, "sweep", "t.toml", "--quiet")
    for words in (
        ["faceoff", "t.csv"],
        ["path", "t.csv", "--l2", "1,0.1"],
        ["advise", "t.csv", "--no-probe"],
        ["race", "t.csv", "sdca"],
    ):
        main([*words, "--label", "diagnosis"])
        assert "label: diagnosis (as asked for)" in capsys.readouterr().err
    assert main(["faceoff", "t.csv", "--label", "diagnosis", "--stream"]) == 2
    assert "leave out --label" in capsys.readouterr().err


# ---------------------------------------------------------------- predict
@pytest.fixture
def point(data, capsys):
    """What `solve` left in the file "point", and the data that it was solved for."""
    ran(capsys, "solve", "small.csv", "--l2", "0.1", "--solution", "point", "--quiet")
    return cdlab.load_solution("point"), *data


def predicted(capsys, *words):
    """The lines of stdout, and the last line of stderr."""
    assert main(["predict", *words]) == 0
    out, err = capsys.readouterr()
    return out.splitlines(), err.splitlines()[-1]


def test_what_solve_and_the_api_write_is_one_file(point, tmp_path, capsys):
    s, X, y = point
    solved = cdlab.solve(cdlab.Problem(X, y, l2=0.1), "auto")
    solved.save(tmp_path / "api")
    for name in ("point", "api"):
        found, told = predicted(capsys, name, "small.csv")
        assert [float(line) for line in found] == solved.predict(X).tolist()
    assert s.trace.meta == solved.trace.meta
    np.testing.assert_array_equal(s.predict_proba(X), solved.predict_proba(X))


def test_the_labels_that_are_there_are_compared(point, capsys):
    s, X, y = point
    found, told = predicted(capsys, "point", "small.csv")
    assert {*found} == {"1", "-1"}
    wrong = int(np.sum(s.predict(X) != y))
    assert told.startswith(f"error {wrong / y.size:.6g}: {wrong} of {y.size} wrong")
    held_out = cdlab.datasets.load("small.csv", split="test")
    found, told = predicted(capsys, "point", "small.csv", "--split", "test")
    assert told.startswith(f"error {np.mean(s.predict(held_out[0]) != held_out[1]):.6g}")


def test_a_table_without_labels_and_text_with_fewer_columns(point, tmp_path, capsys):
    s, X, y = point
    np.savetxt("bare.csv", X, delimiter=",", fmt="%.17g")
    found, told = predicted(capsys, "point", "bare.csv")
    assert [float(line) for line in found] == s.predict(X).tolist()
    assert told == "label: none, all 7 columns are features"
    (tmp_path / "t.svm").write_text("5 1:1\n5 2:-1\n")
    found, told = predicted(capsys, "point", "t.svm")
    assert [float(line) for line in found] == s.predict(np.eye(2, 7) * [[1], [-1]]).tolist()
    assert told == "no error is known: label 5 is not among the training labels [-1, 1]; use the same classes"


def test_words_values_and_probabilities(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(TABLE)
    ran(capsys, "solve", "t.csv", "--label", "diagnosis", "--l2", "0.1", "--solution", "s", "--quiet")
    s = cdlab.load_solution("s")
    X, y = cdlab.datasets.load("t.csv", label="diagnosis")
    found, _ = predicted(capsys, "s", "t.csv", "--label", "diagnosis")
    assert found == s.predict(X).tolist()
    found, _ = predicted(capsys, "s", "t.csv", "--label", "diagnosis", "--proba")
    assert [[float(x) for x in line.split()] for line in found] == s.predict_proba(X).tolist()
    np.testing.assert_allclose(s.predict_proba(X)[:, 1], 1 / (1 + np.exp(-s.decision_function(X))))


def test_columns_are_found_by_their_names(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["area", "rooms", "age"])
    X.assign(label=np.where(X["area"] > X["age"], "yes", "no")).to_csv("t.csv", index=False)
    ran(capsys, "solve", "t.csv", "--l2", "0.1", "--solution", "s", "--quiet")
    wanted = predicted(capsys, "s", "t.csv")[0]
    table = pd.read_csv("t.csv")
    for columns in (["label", "age", "area", "rooms"], ["age", "area", "rooms"], ["name", "age", "area", "rooms"]):
        table.assign(name="x")[columns].to_csv("other.csv", index=False)
        assert predicted(capsys, "s", "other.csv")[0] == wanted
    table[["age", "area", "label"]].to_csv("other.csv", index=False)
    assert main(["predict", "s", "other.csv", "--quiet"]) == 2
    assert "lacks the columns rooms" in capsys.readouterr().err


def test_a_regression_predicts_values_and_no_probabilities(data, capsys):
    X, y = data
    ran(capsys, "solve", "small.csv", "--loss", "squared", "--l2", "0.1", "--solution", "s", "--quiet")
    s = cdlab.load_solution("s")
    found, told = predicted(capsys, "s", "small.csv")
    assert [float(line) for line in found] == s.predict(X).tolist()
    assert told.startswith(f"mean squared error {np.mean((X @ s.w - y) ** 2):.6g} (R^2 ")
    assert main(["predict", "s", "small.csv", "--proba", "--quiet"]) == 2
    assert "and this is a solution with the squared loss" in capsys.readouterr().err


def test_bad_predictions_are_one_sentence(point, tmp_path, capsys):
    np.savetxt("wide.csv", np.ones((2, 9)), delimiter=",")
    for words, sentence in (
        (["point", "wide.csv"], "wide.csv has 8 features, and the solution point has 7"),
        (["small.csv", "point"], "small.csv is not a solution saved by cdlab: it is not an archive"),
        (["absent", "small.csv"], "there is no file absent"),
        ([str(tmp_path), "small.csv"], "is a folder, and a saved solution is a file"),
        (["point", "small.csv", "--out", str(tmp_path)], "it must be a file in a folder that exists"),
        (["point", "small.csv", "--label", "y"], "has no header"),
    ):
        assert main(["predict", *words, "--quiet"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert sentence in err
        assert err.startswith("cdlab: ")
        assert err.count("\n") == 1


def test_predictions_go_to_a_file(point, tmp_path, capsys):
    found, _ = predicted(capsys, "point", "small.csv")
    assert ran(capsys, "predict", "point", "small.csv", "--out", "p.txt", "--quiet") == ""
    assert (tmp_path / "p.txt").read_text().splitlines() == found
