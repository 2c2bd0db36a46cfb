"""No figure, table or claim is dropped: the items of the registry are the list that was fixed before them."""

import pytest

from cdlab.reproductions import PAPERS, select_items

LISTED = {
    "spdc": [
        "spdc-fig1", "spdc-fig2", "spdc-tab1", "spdc-tab2", "spdc-batch", "spdc-processors", "spdc-fullbatch",
        "spdc-kappa", "spdc-nonsmooth", "spdc-weighted", "spdc-norms", "spdc-lazy", "spdc-apcg",
    ],
    "slides": [
        "slides-losses", "slides-sdca-sgd", "slides-tuning", "slides-dca-order", "slides-smoothing-loss",
        "slides-smoothing-error", "slides-smoothing-time", "slides-good-dual-bad-primal", "slides-rates", "slides-gd",
        "slides-l1l2", "slides-l1", "slides-lemma",
    ],
    "faceoff": [
        "faceoff-fig1", "faceoff-fig2a", "faceoff-fig2b", "faceoff-fig2c", "faceoff-fig2d", "faceoff-fig3",
        "faceoff-tab1", "faceoff-bounds", "faceoff-dense", "faceoff-sampling", "faceoff-derivative", "faceoff-skew",
    ],
    "asdca": [
        "asdca-fig1", "asdca-data", "asdca-tab1", "asdca-tab2", "asdca-tab3", "asdca-s", "asdca-parallel",
        "asdca-naive",
    ],
    "appa": [
        "appa-fig1", "appa-fig2", "appa-fig3", "appa-warm", "appa-stage", "appa-recentre", "appa-decrease", "appa-tab1",
        "appa-tab1-ls", "appa-acc",
    ],
}  # fmt: skip
FACEOFF = list(next(paper for paper in PAPERS if paper.id == "faceoff").items)
ITEMS = [item for paper in PAPERS for item in paper.items]


def test_every_paper_has_the_items_of_the_list():
    assert {paper.id: [item.id for item in paper.items] for paper in PAPERS} == LISTED


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_every_item_says_what_it_shows_and_has_claims_with_rules(item):
    assert item.id.startswith(f"{item.paper}-")
    assert item.shows.endswith(".")
    assert item.setup.endswith(".")
    assert item.claims
    assert all(claim.words and claim.rule for claim in item.claims)
    assert all(claim.rule.judge is not None or claim.rule.why for claim in item.claims)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_runs_that_draw_have_five_seeds_at_least(item):
    assert len(item.seeds) >= 5


def test_items_are_chosen_by_their_id_by_their_paper_or_all():
    assert select_items(["all"]) == ITEMS
    assert select_items(["faceoff-fig3", "faceoff-fig1"]) == [FACEOFF[0], FACEOFF[5]]
    assert select_items(["faceoff", "faceoff-fig1"]) == FACEOFF


def test_an_unknown_id_is_named_with_a_near_one():
    with pytest.raises(ValueError, match=r"no item or paper 'faceof'; did you mean 'faceoff'\? \(papers: "):
        select_items(["faceof"])
