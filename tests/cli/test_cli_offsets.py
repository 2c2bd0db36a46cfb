"""--offset names a column of a table or an array of an NPZ file: it is the API's offset on every verb."""

import numpy as np
import pytest
from cases import pushed
from commands import ran, strict_json

import cdlab
from cdlab.cli import main

rng = np.random.default_rng(8)
X, BASE = rng.standard_normal((50, 3)).round(3), rng.standard_normal(50).round(3)
Y = np.where(X @ [1, -1, 0] + 2 * BASE + rng.logistic(size=50) > 0, 1, -1)
PROBLEM = ["--l2", 0.1, "--intercept", "--offset", "base"]


@pytest.fixture
def files(nowhere):
    rows = "".join(f"{a},{base},{b},{c},{y}\n" for (a, b, c), base, y in zip(X, BASE, Y, strict=True))
    for name, lines in (("t.csv", rows), ("t.t.csv", "".join(rows.splitlines(keepends=True)[:9]))):
        with open(name, "w") as file:
            file.write(f"a,base,b,c,y\n{lines}")
    np.savez("t.npz", X=X, y=Y, Base=BASE)
    np.savez("split.npz", X=X, y=Y, base=BASE, is_test=np.arange(50) >= 40)


def known(rows=slice(None)):
    return cdlab.Problem(X[rows], Y[rows], "logistic", 0.1, offset=BASE[rows], intercept=True)


@pytest.mark.parametrize("name", pushed(["t.csv", "t.npz"], "t.csv"))
def test_verbs_solve_the_problem_of_the_api(files, capsys, name):
    drop = ["--drop", "base"] if name == "t.csv" else []
    found = strict_json(ran(capsys, "solve", name, *PROBLEM, "--json", "--quiet", "--solution", "s.npz"))
    assert found["problem"]["digest"] == known().digest
    assert found["problem"]["loss"] == {"name": "logistic", "tol": 1e-8}
    assert "logistic loss, l2 = 0.1, l1 = 0, intercept (the last column), offset base" in ran(
        capsys, "certify", "s.npz", name, *PROBLEM, "--tol", 1e-6, "--quiet"
    )
    ran(capsys, "certify", "s.npz", name, *PROBLEM[:3], "--tol", 1e-6, "--quiet", *drop, code=1)  # of another problem
    rows = strict_json(ran(capsys, "path", name, *PROBLEM[2:], "--l2", "1,0.1", "--json", "--quiet"))
    assert rows["path"][1]["primal"] == pytest.approx(found["result"]["primal"], rel=1e-6)
    model = cdlab.CDClassifierCV(l1_ratio=0, cv=4).fit(X, Y, offset=BASE)
    by_folds = strict_json(ran(capsys, "solve", name, *PROBLEM[2:], "--cv", 4, "--json", "--quiet"))[
        "cv"
    ]  # drawn otherwise, from the same weights
    assert any(by_folds["l2"] == pytest.approx(a, rel=1e-9) for a in model.weights_)


@pytest.mark.parametrize("name", ["t.csv", "t.npz"])
def test_predict_adds_the_offset_or_is_told_that_there_is_none(files, capsys, name):
    ran(capsys, "solve", "t.csv", *PROBLEM, "--quiet", "--solution", "s.npz", "--tol", 1e-10)
    s = cdlab.solve(known(), tol=1e-10)
    for word, offset in (("base", BASE), ("none", 0)):
        drop = ["--drop", "base"] if (name, word) == ("t.csv", "none") else []
        text = ran(capsys, "predict", "s.npz", name, "--offset", word, "--proba", "--quiet", *drop)
        assert np.array(text.split(), float) == pytest.approx(s.predict_proba(X, offset).ravel(), abs=1e-5)
    assert main(["predict", "s.npz", name]) == 2
    assert "--offset names that of" in capsys.readouterr().err


def test_tables_without_labels_and_test_parts_have_offsets(files, capsys):
    ran(capsys, "solve", "t.csv", *PROBLEM, "--quiet", "--solution", "s.npz", "--tol", 1e-10)
    np.savetxt("new.csv", np.column_stack([BASE, X]), delimiter=",", header="base,a,b,c", comments="")
    text = ran(capsys, "predict", "s.npz", "new.csv", "--offset", "base", "--proba", "--quiet")
    s = cdlab.solve(known(), tol=1e-10)
    assert np.array(text.split(), float) == pytest.approx(s.predict_proba(X, BASE).ravel(), abs=1e-5)
    for name, test in (("t.csv", slice(9)), ("split.npz", slice(40, 50))):
        found = strict_json(ran(capsys, "solve", name, *PROBLEM, "--test", name, "--json", "--quiet"))
        P = known(slice(40) if name == "split.npz" else slice(None))
        s = cdlab.solve(P, test=(X[test], Y[test], BASE[test]))
        assert found["result"]["test_loss"] == pytest.approx(s.trace.records[-1].test_loss, rel=1e-4)


def test_a_certificate_of_an_archive_is_accepted(files, capsys):
    ran(capsys, "solve", "t.npz", *PROBLEM, "--quiet", "--certificate", "c.cert")
    assert "ACCEPT" in ran(capsys, "check", "c.cert", "t.npz")
    np.savez("moved.npz", X=X + 1e-3, y=Y)
    assert "REJECT" in ran(capsys, "check", "c.cert", "moved.npz", code=1)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["t.csv", "--offset", "bass"], "has no column 'bass'; did you mean 'base'?"),
        (["t.csv", "--offset", "y", "--label", "y"], "is the label, and cannot be the offset, too"),
        (["t.csv", "--offset", "base", "--drop", "base"], "is the offset, and cannot be left out by drop"),
        (["t.npz", "--offset", "bass"], "has no array 'bass' beside X and y (arrays: Base, X, y)"),
        (["t.svm", "--offset", "base"], "offset names a column of a CSV or TSV file or an array of an NPZ file"),
        (["synthetic:n=9", "--offset", "base"], "offset names a column of a CSV or TSV file or an array"),
        (["t.csv", "--offset", "base", "--certificate", "c"], "--certificate does not go with --offset of a table"),
        ([".", "--offset", "base", "--engine", "alone"], "--offset is not for --engine"),
    ],
)
def test_refusals(files, capsys, words, sentence):
    with open("t.svm", "w") as file:
        file.write("1 1:1\n-1 1:2\n")
    assert main(["solve", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_load_gives_offsets_and_the_pair_stays_a_pair(files):
    for name in ("t.csv", "t.npz"):
        data = cdlab.datasets.load(f"./{name}", offset="base")
        assert len(data) == 2
        assert np.array_equal(data.offset, BASE)
        assert np.array_equal(data.X, X)
        assert cdlab.datasets.load(f"./{name}", **({"drop": ["base"]} if name == "t.csv" else {})).offset is None
    both = cdlab.datasets.load("./split.npz", split="all", offset="base")
    assert np.array_equal(both.offset, BASE)
