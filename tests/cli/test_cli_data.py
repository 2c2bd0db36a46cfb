"""Which column of a table is the label, said and heard on the command line."""

import json

import pytest
from commands import ran

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


@pytest.mark.parametrize("column", ["diagnosis", "2", "-2"])
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
