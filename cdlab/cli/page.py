"""``cdlab page``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..dashboard.frontend import page as page_files
from .output import VerbProgress
from .values import Folder, nonempty, read_by


def page(out: Folder, /, *, notebooks: Annotated[str | None, read_by(nonempty, "ADDRESS")] = None) -> tuple[int, str]:
    """Write the page that needs no Python: it races in the browser by itself.

    Methods run as WebAssembly, on data made under live sliders, real sets and the
    reader's own files, which never leave the machine; all stories are there.

    Parameters
    ----------
    out
        The folder, which is made if it is not there: index.html with its files for any
        web server, and cdlab.html, the same page as one file for a disk or a mail.
    notebooks
        Address of a folder with the course's notebooks as pages, such as those of the
        site: the stories of index.html link there. Else they name the notebook's file.

    Exit codes
    ----------
    0    written
    2    the page cannot be built: in a checkout without the package ziglang, say

    Examples
    --------
    cdlab page site
        then copy the folder to a web server, or open site/cdlab.html
    """
    VerbProgress(quiet=False).say("compiling the kernels, and solving each preset once")
    try:
        written = page_files.write(Path(out), notebooks or "")
    except RuntimeError as why:
        raise ValueError(str(why)) from None
    lines = [f"{Path(out, name).stat().st_size:>9,} bytes  {Path(out, name)}" for name in written]
    return 0, "\n".join(lines)
