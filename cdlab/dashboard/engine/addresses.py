"""Addresses of pages of before version 2, as those of today."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from .stories import STORIES

GONE = ("x", "y", "look", "paper")  # the axes of a drawer; light or dark, which the browser keeps now; a drawer


def present_query(query: Mapping[str, str]) -> str:
    """The query of an address as the page reads it: without "?", and as it was if it is of today.

    Choices of old addresses stay: an address without ``v`` leaves out other defaults, see `schema`.

    >>> present_query({"story": "frequent words", "step": "2", "x": "seconds", "n": "77"})
    'story=3&step=2&n=77'
    """
    found = dict(query)
    if "v" not in found:
        names = list(STORIES)
        if found.get("story") in names:
            found["story"] = str(names.index(found["story"]) + 1)
        for name in GONE:
            found.pop(name, None)
    return urlencode(found, safe=",")
