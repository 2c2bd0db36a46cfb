"""Which column of a table is the label, said and heard on the command line; and what `predict` makes of new data."""

import json

import numpy as np
import pandas as pd
import pytest
from cases import each_of
from commands import ran
from sklearn.linear_model import LassoCV
from sklearn.model_selection import KFold

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


def test_a_gap_in_a_column_that_is_not_used_does_not_matter(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["area", "age"])
    X.assign(label=np.where(X["area"] > X["age"], "yes", "no")).to_csv("t.csv", index=False)
    ran(capsys, "solve", "t.csv", "--l2", "0.1", "--solution", "s", "--quiet")
    wanted = predicted(capsys, "s", "t.csv")[0]
    notes = [""] * 39 + ["x"]
    for more in ({"note": notes}, {"y": notes}, {"note": notes, "label": [""] * 40}, {"y": [1.0, np.nan] * 20}):
        X.assign(**more).to_csv("new.csv", index=False)
        found, told = predicted(capsys, "s", "new.csv")
        assert found == wanted
        assert told.startswith("label: none")
        assert all(name in told for name in more)
    assert main(["predict", "s", "new.csv", "--label", "y", "--quiet"]) == 2
    assert "line 3, column y: '' is not a number" in capsys.readouterr().err
    X.assign(age=X["age"].where(X.index != 3)).to_csv("new.csv", index=False)
    assert main(["predict", "s", "new.csv", "--quiet"]) == 2
    assert "line 5, column age: '' is not a number" in capsys.readouterr().err


def test_columns_are_left_out_in_training_and_found_again(tmp_path, capsys):
    head, *rows = TABLE.splitlines()
    (tmp_path / "t.csv").write_text("id," + head + "\n" + "".join(f"p{k},{row}\n" for k, row in enumerate(rows)))
    (tmp_path / "other.csv").write_bytes((tmp_path / "t.csv").read_bytes())
    (tmp_path / "bare.csv").write_text("".join(f"p{k},{row}\n" for k, row in enumerate(rows)))
    (tmp_path / "plain.csv").write_text("\n".join(row.rpartition(",")[0].rpartition(",")[0] for row in rows) + "\n")
    drop = ["--drop", "id,is_member", "--label", "diagnosis"]
    found, _ = solved(capsys, "t.csv", *drop, "--solution", "s", "--test", "other.csv")
    assert found["problem"]["d"] == 2
    assert 0 <= found["result"]["test_error"] <= 1
    wanted = cdlab.load_solution("s").predict(np.loadtxt("plain.csv", delimiter=",")).tolist()
    for words in (["t.csv", "--label", "diagnosis"], ["bare.csv", "--drop", "0,-1", "--label", "3"], ["plain.csv"]):
        assert predicted(capsys, "s", *words)[0] == wanted
    for verb in ("faceoff", "advise --no-probe", "path", "race sdca --max-passes 2"):
        name, *options = verb.split()
        assert main([name, "t.csv", *options, *drop, "--l2", "0.1"]) in (0, 1)
        assert "12 x 2," in capsys.readouterr().out
    assert main(["solve", "t.csv", "--drop", "when"]) == 2
    assert "has no column 'when'" in capsys.readouterr().err


def test_a_table_without_a_suffix_is_read_and_told(tmp_path, capsys):
    (tmp_path / "t.data").write_text(TABLE.replace(",", " "))
    assert main(["solve", "./t.data", "--label", "diagnosis", "--l2", "0.1"]) == 0
    assert "format: a table, by the first lines of t.data" in capsys.readouterr().err


# ---------------------------------------------------------------- weights by cross-validation
def test_cross_validation_chooses_as_scikit_learn_on_the_same_folds(tmp_path, capsys):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 6))
    y = 50 + X @ [2.0, 0, 0, -1, 0, 0] + rng.standard_normal(80)
    np.savetxt("t.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    command = "solve t.csv --loss squared --intercept --cv 4 --l1-ratio 1 --seed 3 --json --quiet --tol 1e-9"
    found = json.loads(ran(capsys, *command.split()))
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 80
    folds = KFold(4, shuffle=True, random_state=3)
    lasso = LassoCV(alphas=np.geomspace(largest, 1e-3 * largest, 50), cv=folds, tol=1e-10, max_iter=10**6).fit(X, y)
    assert found["problem"]["l1"] == pytest.approx(lasso.alpha_)
    assert found["problem"]["l2"] == 0
    assert found["cv"]["error"] == pytest.approx(lasso.mse_path_.mean(axis=1).min(), rel=1e-4)
    residuals = y - lasso.predict(X)
    primal = residuals @ residuals / 160 + lasso.alpha_ * np.abs(lasso.coef_).sum()
    assert found["result"]["primal"] == pytest.approx(primal)


def test_cross_validation_of_classes_is_told_and_goes_on_as_solve(data, capsys):
    out = ran(capsys, "solve", "small.csv", "--cv", "3", "--test", "small.csv", "--solution", "s", "--quiet")
    told = next(line for line in out.splitlines() if line.startswith("cross-validation: "))
    l2, accuracy = (float(told.split(f"{name} ")[1].split(",")[0]) for name in ("l2", "accuracy"))
    assert f"l2 = {l2:.6g}" in out
    assert 0.5 < accuracy <= 1
    assert cdlab.load_solution("s").w.shape == (7,)
    np.savetxt("three.csv", np.column_stack([data[0], np.arange(60) % 3]), delimiter=",")
    assert "cross-validation: " in ran(capsys, "solve", "three.csv", "--loss", "softmax", "--cv", "3", "--quiet")


@each_of(
    "words, sentence",
    [
        (["--cv", "3", "--l2", "1/n"], "--cv chooses the weights: leave out --l2 and --l1"),
        (["--cv", "1"], "n_splits=2 or more"),
        (["--cv", "999"], "999"),
        (["--cv", "x"], "'x' is not a whole number"),
        (["--cv", "3", "--l1-ratio", "2"], "l1_ratio must be a number from 0 to 1"),
        (["--cv", "3", "--loss", "hinge"], "take smooth_hinge instead"),
    ],
)
def test_cross_validation_that_cannot_be_is_one_sentence(data, capsys, words, sentence):
    assert main(["solve", "small.csv", "--quiet", *words]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1
