"""Pages of which a part is written by a script: the script writes it, or says that it is old."""

import sys
from pathlib import Path


def write_or_check(page: Path, text: str, what: str) -> int:
    """Write a page; with --check in the command line change nothing. The exit code: 1 where it was not as written."""
    is_old = page.read_text() != text
    if "--check" not in sys.argv[1:]:
        page.write_text(text)
        return 0
    if is_old:
        print(f"{page.name}: {what}: python {sys.argv[0]} writes it")
    return int(is_old)
