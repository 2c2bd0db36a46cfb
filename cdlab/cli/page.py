"""``cdlab page``."""

from __future__ import annotations

from pathlib import Path

from ..dashboard.frontend import page as page_files
from .values import Folder


def page(out: Folder, /) -> tuple[int, str]:
    """Write the page that needs no Python: races in the browser, from a web server, a disk or a mail.

    It has the kernels of 14 methods as WebAssembly, cards with live sliders, stories
    and six real data sets. Nothing that a reader does in it leaves the reader's machine.

    Parameters
    ----------
    out
        The folder, which is made if it is not there: index.html with its files for any
        web server, and cdlab.html, the same page as one file.

    Exit codes
    ----------
    0    written
    2    bad input, or a checkout without the package ziglang, which links the kernels

    Examples
    --------
    cdlab page site
        then copy the folder to a web server, or open site/cdlab.html
    """
    try:
        written = page_files.write(Path(out))
    except RuntimeError as why:
        raise ValueError(str(why)) from None
    lines = [f"{Path(out, name).stat().st_size:>9,} bytes  {Path(out, name)}" for name in written]
    return 0, "\n".join(lines)
