"""fetch: download a known data set into the cache folder, whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

from .catalogue import Download, describe
from .places import cache_folder

_CHUNK = 1 << 18
TIMEOUT = 30.0  # seconds without a byte


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

    Raises
    ------
    ValueError
        Unknown name, or a set without a public address.
    OSError
        The download failed; the sentence says how.
    """
    entry = describe(name)
    if entry.download is None:
        raise ValueError(
            f"{name} is not published unchanged at a public address; it is available through CDLAB_DATA only"
        )
    target = cache_folder() / entry.download.filename
    if target.exists() and not force:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    _say(f"fetching {name} from {entry.download.url}")
    handle, part = tempfile.mkstemp(prefix=target.name + ".", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            seen = _transfer(name, entry.download, file)
        if entry.download.sha256 and seen != entry.download.sha256:
            raise OSError(
                f"{entry.download.url} gave a file with sha256 {seen}, not the known {entry.download.sha256}: "
                "it was thrown away"
            )
        os.replace(part, target)
    except BaseException:  # an interrupt, too, leaves nothing behind
        Path(part).unlink(missing_ok=True)
        raise
    checked = "as known" if entry.download.sha256 else "not verified against a known checksum"
    _say(f"{target} (sha256 {seen}, {checked})")
    return target


def _transfer(name: str, download: Download, file: BinaryIO) -> str:
    """Copy the body to `file` and return its sha256."""
    import http.client
    import urllib.error
    import urllib.request

    # Spelt out, because urllib's usual opener would also follow an address to ftp: or file:.
    opener = urllib.request.OpenerDirector()
    for handler in ("Proxy", "HTTP", "HTTPS", "HTTPRedirect", "HTTPDefaultError", "Unknown"):
        opener.add_handler(getattr(urllib.request, handler + "Handler")())
    opener.add_handler(urllib.request.HTTPErrorProcessor())
    request = urllib.request.Request(download.url, headers={"User-Agent": "cdlab", "Accept-Encoding": "identity"})
    digest, received = hashlib.sha256(), 0
    try:
        with opener.open(request, timeout=TIMEOUT) as response:
            length = response.headers.get("Content-Length", "")
            expected = int(length) if length.isdigit() else None
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                received += len(chunk)
                _progress(name, received, expected)
    except urllib.error.HTTPError as error:
        with error:
            raise OSError(f"{download.url} was answered with {error.code} {error.reason}") from None
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        reason = str(getattr(error, "reason", error)) or type(error).__name__
        raise OSError(f"{download.url} could not be fetched ({reason})") from None
    finally:
        _progress(name, None, None)
    if expected is not None and received != expected:
        raise OSError(f"{download.url} broke off after {received} of {expected} bytes; try again")
    if received == 0:
        raise OSError(f"{download.url} gave an empty file")
    return digest.hexdigest()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _progress(name: str, received: int | None, expected: int | None) -> None:
    """One line that rewrites itself, on terminals only; None clears it."""
    if sys.stderr.isatty():
        share = f" of {expected / 1e6:.1f}" if expected else ""
        line = "" if received is None else f"  {name}: {received / 1e6:.1f}{share} MB"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
