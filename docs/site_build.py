"""What the build of the site does beside Sphinx: generated pages, pictures of the gallery, addresses and links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.slugs import github_slugify
from sphinx.util import logging

HERE = Path(__file__).parent
ROOT = HERE.parent
GENERATED = HERE / "generated"
ITEM = re.compile(r"((?:appa|asdca|faceoff|slides|spdc)-[\w-]+): ")  # an item of a paper, and its title
log = logging.getLogger(__name__)


def section_address(title: str) -> str:
    """A code host's address of a section; for an item of a paper its id, which the page has as an anchor there."""
    item = ITEM.match(title)
    return item[1] if item else github_slugify(title)


def write_generated_pages(app: Any) -> None:
    """Pages of theorems and methods, unless those of the last build are newer than all code."""
    index = GENERATED / "methods" / "index.md"
    sources = [*(ROOT / "cdlab").rglob("*.py"), *HERE.glob("*.py")]
    if index.exists() and all(path.stat().st_mtime < index.stat().st_mtime for path in sources):
        return
    import method_pages
    import theorem_pages

    log.info("writing pages of theorems...")
    theorem_pages.write(GENERATED / "theorems")
    log.info("writing pages of methods...")
    method_pages.write(GENERATED / "methods")


def scrape_picture(block: tuple, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The reStructuredText of what a block of an example calls `picture`, drawn as a file; "" where it makes none."""
    from sphinx_gallery.scrapers import figure_rst

    from cdlab import plots

    picture = block_vars["example_globals"].pop("picture", None)
    if picture is None:
        return ""
    path = next(block_vars["image_path_iterator"])
    plots.save(picture, path)
    return figure_rst([path], gallery_conf["src_dir"])


def leave_out_link(app: Any, env: Any, node: Any, content: Any) -> nodes.Node | None:
    """Only the words of a link to a folder of the repository: the site has no page of it, and no host is known."""
    target = node.get("reftarget", "").partition("#")[0]
    page = ROOT / env.doc2path(node["refdoc"], base=False)
    return nodes.literal("", content.astext()) if target and (page.parent / target).is_dir() else None
