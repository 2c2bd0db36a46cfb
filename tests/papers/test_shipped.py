"""The package ships verdicts taken from results, and copes without them."""

import json

import pytest
from made_up import paper

from cdlab.reproductions import PAPERS
from cdlab.reproductions.shipped import shipped_verdicts, verdicts_from, write_verdicts

FULL = {"id": "C1", "verdict": "differs", "state": "", "panels": [], "number": "holds in 1 of 2", "on": ["a", "b"]}
PREVIEW = FULL | {"verdict": "reproduced", "state": "so far", "number": "holds in 1 of 1", "on": ["a"]}


def test_of_each_claim_both_verdicts_are_taken_and_what_decides_the_full_one():
    recorded = {"small-tab": {"quick": {"claims": [PREVIEW]}, "full": {"claims": [FULL]}}, "no such item": {}}
    found = verdicts_from(recorded, [paper()])
    assert found == {
        "small-tab": {
            "C1": {
                "quick": "reproduced (so far)",
                "full": "differs",
                "first": "differs",
                "number": "holds in 1 of 2",
                "on": "a; b",
            }  # fmt: skip
        }
    }


def test_what_is_written_is_read(tmp_path):
    item = PAPERS[0].items[0].id
    (tmp_path / "r.json").write_text(json.dumps({"items": {item: {"quick": {"claims": [PREVIEW]}}}}))
    write_verdicts(tmp_path / "r.json", tmp_path / "verdicts.json")
    assert shipped_verdicts(tmp_path / "verdicts.json")[item]["C1"]["quick"] == "reproduced (so far)"


def test_without_a_file_or_in_an_empty_one_nothing_has_been_run(tmp_path):
    assert shipped_verdicts(tmp_path / "none.json") == {}
    (tmp_path / "empty.json").write_text("")
    assert shipped_verdicts(tmp_path / "empty.json") == {}


def test_what_is_no_result_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there are no results of cdlab reproduce in"):
        write_verdicts(tmp_path / "none.json", tmp_path / "verdicts.json")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ValueError, match=r"other.json is no file of cdlab reproduce"):
        write_verdicts(tmp_path / "other.json", tmp_path / "verdicts.json")
