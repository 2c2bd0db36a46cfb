"""Without the data of an item its claims are not run, for a reason that names the set, and nothing else fails."""

from dataclasses import replace

import pytest

from papers import PAPERS, reproduce

ABSENT = "nowhere/absent.svm"
ITEMS = [(paper, item) for paper in PAPERS for item in paper.items if item.cases]


def without_data(item):
    """The item on data that are not here; what it computes without runs is left out."""
    cases = [replace(case, data=ABSENT) for case in item.cases]
    return replace(item, cases=cases, compute=item.compute and (lambda mode: {}))


@pytest.mark.parametrize(("paper", "item"), ITEMS, ids=[item.id for _, item in ITEMS])
def test_an_item_without_its_data_is_not_run_and_says_which(tmp_path, paper, item):
    item = without_data(item)
    papers = [replace(paper, items=[item])]
    done = reproduce([item], out=tmp_path / "out", store=tmp_path / "store", executor="serial", papers=papers)
    found = done.found[item.id]["quick"]
    assert not done.complete
    assert found["curves"] == [0, 0]
    assert all(ABSENT in reason for reason in found["missing"])
    for claim, told in zip(item.claims, found["claims"], strict=True):
        assert told["verdict"] == "not testable"
        assert told["state"] == ("not run" if claim.testable else "")
