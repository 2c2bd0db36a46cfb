"""The page without Python: a folder for any web server, and the same as one file that opens from a disk."""

from __future__ import annotations

import gzip
import shutil
from base64 import b64encode
from html import escape
from pathlib import Path
from string import Template

BUNDLE = Path(__file__).with_name("bundle")
BUILT = Path(__file__).with_name("built")  # A wheel has this folder, which hatch_build.py makes.
SCRIPTS = ("page.js", "worker.js")
FOLDER_NAME, FILE_NAME = "index.html", "cdlab.html"
HTML = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Primal or dual?</title><link rel="icon" href="data:,">
<style>body {margin: 0}</style>
</head>
<body>
<div id="cdlab-page"$about><noscript>This page races algorithms in the browser: it needs JavaScript.</noscript></div>
$scripts
</body>
</html>
""")
BESIDE = """<script id="worker" type="text/plain" data-address="worker.js"></script>
<script>if (location.protocol === "file:") document.getElementById("cdlab-page").textContent =
"This page is for a web server. From a disk, open cdlab.html beside it: the same page as one file."</script>
<script type="module" src="page.js"></script>"""


def write(out: Path, notebooks: str = "") -> list[Path]:
    """Write the page into a folder, which is made if it is not there.

    Parameters
    ----------
    out : Path
        The folder. It receives index.html with its files, for a web server, and cdlab.html, all in one.
    notebooks : str, default ""
        The address of a folder with the course's notebooks as pages, to which the stories of index.html link; without
        it, and in cdlab.html, stories name the notebook's file.

    Returns
    -------
    list of Path
        The files written, relative to the folder.

    Raises
    ------
    RuntimeError
        In a checkout, if the kernels cannot be compiled: without the package ziglang, say.
    """
    if BUILT.exists():
        shutil.copytree(BUILT, out, dirs_exist_ok=True)
    else:
        from .wasm import build

        build(out)
    files = sorted(each.relative_to(out) for each in [*out.glob("*.wasm"), *out.rglob("*.json")])
    for name in SCRIPTS:
        shutil.copy(BUNDLE / name, out)
    about = f' data-notebooks="{escape(notebooks.rstrip("/"))}/"' if notebooks else ""
    (out / FOLDER_NAME).write_text(HTML.substitute(about=about, scripts=BESIDE), encoding="utf-8")
    (out / FILE_NAME).write_text(HTML.substitute(about="", scripts=_inside(out, files)), encoding="utf-8")
    return [Path(FILE_NAME), Path(FOLDER_NAME), *map(Path, SCRIPTS), *files]


def _inside(out: Path, files: list[Path]) -> str:
    """The scripts and files as elements of one page; files are compressed, as they would be on their way."""
    packed = [
        f'<script type="application/gzip" data-file="{name.as_posix()}">'
        f"{b64encode(gzip.compress((out / name).read_bytes(), 9, mtime=0)).decode()}</script>"
        for name in files
    ]
    page, worker = ((BUNDLE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return "\n".join(
        [f'<script id="worker" type="text/plain">{worker}</script>', *packed, f'<script type="module">{page}</script>']
    )
