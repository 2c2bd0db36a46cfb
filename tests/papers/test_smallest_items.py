"""The smallest items of the papers, as they are: on every push what they claim still holds."""

import pytest

from papers import reproduce, select_items

SMALL = (
    *("spdc-norms", "spdc-processors", "slides-losses", "slides-good-dual-bad-primal", "slides-lemma"),
    *("slides-frank-wolfe", "asdca-tab3"),
)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    return reproduce(select_items(SMALL), out=folder / "out", store=folder / "store", executor="serial")


def test_all_that_is_testable_is_decided(done):
    assert done.complete


@pytest.mark.parametrize("item", SMALL)
def test_every_claim_that_can_be_tested_is_reproduced(done, item):
    claims = {claim.id: claim for claim in select_items([item])[0].claims}
    for told in done.found[item]["quick"]["claims"]:
        testable = claims[told["id"]].testable
        assert told["verdict"] == ("reproduced" if testable else "not testable"), told["number"]
