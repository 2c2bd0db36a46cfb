"""What the build of the site does beside Sphinx: generated pages, pictures of the gallery, addresses of sections."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.slugs import github_slugify
from sphinx.errors import ExtensionError
from sphinx.util import logging

HERE = Path(__file__).parent
ROOT = HERE.parent
GENERATED = HERE / "generated"
ITEM = re.compile(r"((?:appa|asdca|faceoff|slides|spdc)-[\w-]+): ")  # an item of a paper, and its title
SERVED = "http://localhost:5006/faceoff"
log = logging.getLogger(__name__)


def section_address(title: str) -> str:
    """A code host's address of a section; for an item of a paper its id, which the page has as an anchor there."""
    item = ITEM.match(title)
    return item[1] if item else github_slugify(title)


class GeneratedPages:
    """Pages of theorems and methods, and the lab, unless those of the last build are newer than all code."""

    def __init__(self, lab: Path) -> None:
        self._lab = lab
        self._running: list[subprocess.Popen] = []
        index = GENERATED / "methods" / "index.md"
        sources = [*(ROOT / "cdlab").rglob("*.py"), *HERE.glob("*.py")]
        self._are_new = (
            index.exists()
            and (lab / "index.html").exists()
            and all(path.stat().st_mtime < index.stat().st_mtime for path in sources)
        )

    def begin(self, app: Any) -> None:
        """Theorems and the lab in processes of their own, beside the gallery: each takes half a minute or more."""
        if not self._are_new:
            log.info("writing pages of theorems, and the lab...")
            lab = ["-m", "cdlab", "page", str(self._lab), "--notebooks", "../notebooks"]
            for command in ([str(HERE / "theorem_pages.py")], lab):
                self._running.append(subprocess.Popen([sys.executable, *command]))

    def finish(self, app: Any) -> None:
        """Methods, whose pages lead to those of their theorems; before Sphinx looks for sources."""
        if self._are_new:
            return
        import method_pages

        log.info("writing pages of methods...")
        method_pages.write(GENERATED / "methods")
        for process in self._running:
            if process.wait() != 0:
                raise ExtensionError(f"{' '.join(process.args[1:])} failed; what it said is above")


def lead_to_site(app: Any, doctree: Any, page: str) -> None:
    """Turn links to a page that `cdlab serve` shows into links to the site's lab, and those to folders into words."""
    if app.builder.format != "html":
        return
    lab = app.builder.get_relative_uri(page, "lab/index")
    folder = Path(app.env.doc2path(page)).parent
    for link in list(doctree.findall(nodes.reference)):
        address = link.get("refuri", "")
        if address.startswith(SERVED):
            link["refuri"] = lab + address.removeprefix(SERVED)
        elif (place := link.get("refid")) and place not in doctree.ids and (folder / place).is_dir():
            link.replace_self(link.children)


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
