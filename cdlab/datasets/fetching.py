"""fetch: download a known data set into the cache folder, whole and checked, or not at all."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any, BinaryIO

from ..numerics import checks, files
from .catalogue import Download, cache_folder, entry_of

CHUNK_BYTES = 1 << 18
TIMEOUT_SECONDS = 30.0  # Seconds without a byte after which a download fails.


def fetch(name: str, *, force: bool = False) -> Path:
    """Download the known data set `name` into the cache folder and return the file.

    The file is written under another name, compared with the announced length and with the known sha256, and only then
    given its own name: an interrupted, short or wrong transfer leaves nothing behind. Where no sum is known, the one
    seen is printed. Progress goes to stderr. The folder is ``cdlab/data`` in
    $XDG_CACHE_HOME, or where the system keeps such files (on Linux ``~/.cache/cdlab/data``).

    Parameters
    ----------
    name : str
        A name of `names()` whose set has a public address.
    force : bool
        Download again even if the file is there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        Unknown name, or a set without a public address.
    OSError
        The download failed; the sentence says how.
    """
    entry = entry_of(name)
    if entry.download is None:
        raise ValueError(
            f"{name} is not published unchanged at a public address; it is available through CDLAB_DATA only"
        )
    target = cache_folder() / entry.download.filename
    if target.exists() and not force:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    _say(f"fetching {name} from {entry.download.url}")
    with files.atomic_write(target) as file:
        seen = _transfer(name, entry.download, file)
    checked = "as known" if entry.download.sha256 else "not verified against a known checksum"
    _say(f"{target} (sha256 {seen}, {checked})")
    return target


def _transfer(name: str, download: Download, file: BinaryIO) -> str:
    """Copy the body to `file` and return its sha256, checked."""
    import pooch
    from requests.exceptions import HTTPError, RequestException

    # A connection for each request: a server may close the one that a redirect would be followed on.
    headers = {"User-Agent": "cdlab", "Accept-Encoding": "identity", "Connection": "close"}
    with contextlib.closing(_Progress(name)) as progress:
        fetched = pooch.HTTPDownloader(progress, CHUNK_BYTES, timeout=TIMEOUT_SECONDS, headers=headers)
        try:
            fetched(download.url, file, None)
        except HTTPError as error:
            answer: Any = error.response  # there is one: its status is the error
            raise OSError(f"{download.url} was answered with {answer.status_code} {answer.reason}") from None
        except (RequestException, ValueError) as error:  # ValueError: a length that is not a number
            raise OSError(f"{download.url} could not be fetched ({checks.error_message(_root(error))})") from None
    if file.tell() == 0:
        raise OSError(f"{download.url} gave an empty file")
    seen = pooch.file_hash(file.name)
    if download.sha256 and seen != download.sha256:
        raise OSError(
            f"{download.url} gave a file with sha256 {seen}, not the known {download.sha256}: it was thrown away"
        )
    return seen


def _root(error: BaseException) -> BaseException:
    """The first error: requests and urllib3 each wrap it in one of their own, with addresses of objects."""
    while error.__context__ is not None:
        error = error.__context__
    return error


class _Progress:
    """The progress that pooch tells of, as one line that rewrites itself, on terminals only."""

    total = 0  # bytes; pooch sets it, and leaves 0 where the server does not say

    def __init__(self, name: str):
        self._name, self._received = name, 0

    def reset(self) -> None:
        self._received = 0

    def update(self, count: int) -> None:
        self._received += count
        share = f" of {self.total / 1e6:.1f}" if self.total else ""
        received = min(self._received, self.total or self._received)
        self._show(f"  {self._name}: {received / 1e6:.1f}{share} MB")

    def close(self) -> None:
        self._show("")

    def _show(self, line: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
