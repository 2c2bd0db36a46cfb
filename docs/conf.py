"""The site: Sphinx reads the whole repository, so that links between its pages lead where they do on a code host.

.venv/bin/sphinx-build -W -c docs . build/site
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import cdlab  # noqa: E402

project = "cdlab"
author = copyright = "The cdlab developers"
release = version = cdlab.__version__
language = "en"

# ------------------------------------------------------------ what is read
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/**.rst",
    "notebooks/*.md",
    "notebooks/*.ipynb",
    "cdlab/datasets/bundled/LICENCES.md",
]
exclude_patterns = [".*", "build", "dist", "node_modules", "docs/gallery", "docs/templates", "paper.md"]
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # MathJax and its fonts become part of the site
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "site_build.section_address"
nitpick_ignore_regex = [
    ("myst", r"(\.\./)?(benchmarks|cdlab|docs|papers|tests|\.github)[\w/]*")
]  # folders, which are no pages
nb_execution_mode = "off"  # notebooks show what they store
templates_path = [str(HERE / "templates")]
autosummary_ignore_module_all = False
autosummary_imported_members = True
_ROUTED = ("decision_function", "fit", "predict", "predict_log_proba", "predict_proba", "score")
autodoc_default_options = {  # scikit-learn's own
    "exclude-members": ", ".join(f"set_{name}_request" for name in _ROUTED)
}
autodoc_typehints = "none"  # numpydoc's sections say more
numpydoc_show_class_members = False  # the templates do, with their whole text
sphinx_gallery_conf = {
    "examples_dirs": "docs/gallery",
    "gallery_dirs": "docs/generated/gallery",
    "image_scrapers": ("site_build.scrape_picture",),
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "min_reported_time": 1e9,
    "write_computation_times": False,
}

# ------------------------------------------------------------ how it looks
html_theme = "pydata_sphinx_theme"
html_title = "cdlab"
html_favicon = "static/icon.svg"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_sidebars = {"README": [], "docs/choosing": []}  # they have no pages below them
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_extra_path = ["site_root"]
html_theme_options = {
    "collapse_navigation": True,  # else each of 550 pages lists them all
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

# ------------------------------------------------------------ the lab on the front page
LAB = ROOT / "build" / "site_lab"  # its folder "lab", which `cdlab page` writes, becomes that of the site
LAB.mkdir(parents=True, exist_ok=True)
html_extra_path.append(str(LAB))


def setup(app):
    """Sphinx calls it: pages are generated before sources are read."""
    from site_build import GeneratedPages, lead_to_site

    pages = GeneratedPages(LAB / "lab")
    app.connect("builder-inited", pages.begin, priority=100)  # before the gallery
    app.connect("builder-inited", pages.finish, priority=900)
    app.connect("doctree-resolved", lead_to_site)
