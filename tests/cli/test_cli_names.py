"""`cdlab data` lists what other verbs take as FILE."""

from commands import ran, strict_json

import cdlab
from cdlab.cli import data
from cdlab.datasets.generators import GENERATORS


def test_the_table_has_every_name_and_what_is_known_of_it(capsys):
    head, *lines = ran(capsys, "data").splitlines()
    assert head.split() == list(data.COLUMNS)
    assert [line.split()[0] for line in lines] == [each.name for each in cdlab.datasets.names()]
    rows = {line.split()[0]: line.split() for line in lines}
    assert rows["mushrooms"][1:6] == ["8124", "112", "170604", "binary", "bundled"]
    assert rows["real-sim"][3:6] == ["-", "binary", "fetch"]
    assert rows["sun_ye"][1:6] == ["-", "-", "-", "-", "made"]
    assert next(line for line in lines if line.startswith("sun_ye")).endswith("c 11' (n, c, seed)")


def test_json_says_the_same_and_what_each_is(capsys):
    found = strict_json(ran(capsys, "data", "--json"))
    assert found["verb"] == "data"
    rows = {row["name"]: row for row in found["sets"]}
    described = cdlab.datasets.describe("a9a")
    assert rows["a9a"] == {"where": "bundled"} | {
        key: getattr(described, key) for key in ("name", "n", "d", "stored", "task", "source", "about")
    }
    assert {name for name, row in rows.items() if row["where"] == "made"} == set(GENERATORS)


def test_files_of_the_data_folder_are_listed(capsys, tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("1,2,3\n")
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    assert ["mine", "-", "-", "-", "-", "CDLAB_DATA", "-"] in [
        line.split() for line in ran(capsys, "data").splitlines()
    ]
