"""Addresses of pages of before version 2, as those of today."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from .stories import STORIES

GONE = ("x", "y", "look")  # the axes of a drawer, and light or dark, which the browser keeps now


def present_query(query: Mapping[str, str]) -> str:
    """The query of an address as the page reads it: without "?", and as it was if it is of today.

    Choices of old addresses stay: an address without ``v`` leaves out other defaults, see `schema`.

    >>> present_query({"story": "frequent words", "step": "2", "x": "seconds", "n": "77"})
    'story=3&step=2&n=77'
    >>> present_query({"paper": "spdc-fig1"})
    'drawer=Papers'
    """
    told = dict(query)
    if "v" not in told:
        names = list(STORIES)
        if told.get("story") in names:
            told["story"] = str(names.index(told["story"]) + 1)
        for name in GONE:
            told.pop(name, None)
        if told.pop("paper", ""):
            told["drawer"] = "Papers"
    return urlencode(told, safe=",")
