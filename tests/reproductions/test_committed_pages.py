"""The pages in docs: each item has its section, each claim its verdict, each picture its file, a difference its why."""

import re
from pathlib import Path

import pytest

from cdlab.reproductions import PAPERS, pages

DOCS = Path(__file__).parents[2] / "docs" / "reproductions"
FOUND = pages.read_results(DOCS)
PAGES = {paper.id: (DOCS / f"{paper.id}.md").read_text() for paper in PAPERS}
ITEMS = [pytest.param(paper, item, id=item.id) for paper in PAPERS for item in paper.items]


@pytest.mark.parametrize(("paper", "item"), ITEMS)
def test_an_item_has_its_section_with_its_claims_and_its_command(paper, item):
    section = PAGES[paper.id].partition(f"\n## {item.id}: ")[2].partition("\n## ")[0]
    assert section.startswith(item.place)
    for claim in item.claims:
        assert f"**{claim.id}** {claim.text}: **" in section
    assert f"cdlab reproduce {item.id} --" in section


@pytest.mark.parametrize(("paper", "item"), ITEMS)
def test_what_is_reproduced_has_its_number_and_what_differs_its_reason(paper, item):
    mode = "full" if "full" in FOUND[item.id] else "quick"
    for claim in FOUND[item.id][mode]["claims"]:
        assert claim["verdict"] in ("reproduced", "differs", "not testable")
        if claim["verdict"] == "not testable":
            assert claim["why"] or claim["state"] == "undecided"
        else:
            assert re.search(r"\d", claim["number"])
            assert claim["panels"]
    for row in pages.claim_rows(item, FOUND[item.id]):
        if row["best"]["verdict"] in ("differs", "depends on the reading"):
            assert row["best"]["why"]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
def test_every_picture_of_a_page_is_there_as_svg_and_png(paper):
    named = re.findall(r"\]\(([\w-]+\.svg)\)", PAGES[paper.id])
    assert named or not any(item.pictures for item in paper.items)
    for name in named:
        assert (DOCS / name).stat().st_size > 1000
        assert (DOCS / name).with_suffix(".png").is_file()


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
def test_what_stands_in_for_a_papers_data_is_never_named_alone(paper):
    for item in paper.items:
        known = {case.data_text for mode in ("quick", "full") for case in item.cases_in(mode)}
        told = {name for of in FOUND[item.id].values() for claim in of["claims"] for name in claim["on"]}
        assert told <= known


def test_the_pages_are_what_is_written_from_the_results(tmp_path):
    for picture in DOCS.glob("*.svg"):
        (tmp_path / picture.name).write_bytes(picture.read_bytes())
    pages.write_pages(tmp_path, FOUND)
    for page in [*PAGES, "index"]:
        assert (tmp_path / f"{page}.md").read_text() == (DOCS / f"{page}.md").read_text(), (
            "run python -m cdlab.reproductions.shipped docs/reproductions"
        )


def test_the_readme_leads_to_the_claims():
    assert "(docs/reproductions/index.md)" in (DOCS.parents[1] / "README.md").read_text()
