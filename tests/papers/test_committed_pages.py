"""The pages in docs are what the results say, and each picture is there."""

import re
from pathlib import Path

from papers import PAPERS, pages

DOCS = Path(__file__).parents[2] / "docs" / "reproductions"
FOUND = pages.read_results(DOCS)
PAGES = {paper.id: (DOCS / f"{paper.id}.md").read_text() for paper in PAPERS}


def test_every_picture_of_a_page_is_there_as_svg_and_png():
    for paper in PAPERS:
        named = re.findall(r"\]\(([\w-]+\.svg)\)", PAGES[paper.id])
        assert named or not any(item.pictures for item in paper.items)
        for name in named:
            assert (DOCS / name).stat().st_size > 1000
            assert (DOCS / name).with_suffix(".png").is_file()


def with_keys_reversed(value):
    """The same with the keys of each dictionary in another order: as runs record them, not as the file has them."""
    if isinstance(value, dict):
        return {key: with_keys_reversed(value[key]) for key in reversed(value)}
    return list(map(with_keys_reversed, value)) if isinstance(value, list) else value


def test_the_pages_are_what_is_written_from_the_results(tmp_path):
    for picture in DOCS.glob("*.svg"):
        (tmp_path / picture.name).write_bytes(picture.read_bytes())
    pages.write_pages(tmp_path, with_keys_reversed(FOUND))
    for page in [*PAGES, "index"]:
        assert (tmp_path / f"{page}.md").read_text() == (DOCS / f"{page}.md").read_text(), (
            "run python -m papers --rewrite --out docs/reproductions"
        )


def test_the_readme_leads_to_the_claims():
    assert "(docs/reproductions/index.md)" in (DOCS.parents[1] / "README.md").read_text()
