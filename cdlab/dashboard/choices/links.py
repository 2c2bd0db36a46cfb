"""What a link asks for: choices, a step of a story, and whether the race is to be run when the page opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import datasets
from ..words import number
from . import address
from .choices import Choices
from .data_sources import FAMILIES, UPLOAD, too_large
from .repairs import why_not
from .story_steps import FIRST, Place

MOST_WORK = 5e9  # visited nonzeros of a race that starts by itself: about ten seconds
OWN = ("story", "step", "paper")  # of an address, besides the choices


@dataclass(frozen=True)
class Link:
    """What an address asks for.

    Attributes
    ----------
    values : dict
        The choices, those of the story's step among them.
    place : Place or None
    run : bool
        Whether the race is to be run at once.
    words : str
        Why it is not, though the address has choices: said over an empty picture. Else empty.
    complaints : tuple of str
        One sentence for each thing that could not be taken; of many, a few and their count.
    paper : str
        The item of a paper whose drawer is open, as it was written; else empty.
    """

    values: dict[str, Any]
    place: Place | None = None
    run: bool = False
    words: str = ""
    complaints: tuple[str, ...] = ()
    paper: str = ""


def read(query: Mapping[str, str]) -> Link:
    """What an address asks for. An address without choices asks for nothing: the page has a picture to show."""
    choices = Choices()
    place, wrong = _place(query)
    paper = query.get("paper", "")
    if place is not None:
        place.enter(choices)
    rest = {name: text for name, text in query.items() if name not in OWN}
    values, complaints = address.read(choices, rest)
    if why := too_large(values.get("data", "")):
        complaints.append(address.left_out("data", values.pop("data"), why))
    choices.param.update(**values)
    complaints = tuple(address.few([*wrong, *complaints]))
    if not choices.to_query():
        return Link(choices.values(), place, complaints=complaints, paper=paper)
    words = wait(choices)
    return Link(choices.values(), place, not words, words, complaints, paper)


def write(choices: Choices, place: Place | None = None, paper: str = "") -> dict[str, str]:
    """The address of choices, short where they are a step of a story, with the item of a paper that is open."""
    return _chosen(choices, place) | ({"paper": paper} if paper else {})


def _chosen(choices: Choices, place: Place | None) -> dict[str, str]:
    if place is None:
        return choices.to_query()
    told = {"story": place.name} | ({"step": str(place.step + 1)} if place.step else {})
    differ = place.variation(choices)
    if choices.data != UPLOAD:
        differ.pop("upload", None)
    return told | address.in_words(differ)


def wait(choices: Choices) -> str:
    """Why a race is not run unasked; empty if it may be."""
    if choices.data == UPLOAD and choices.file is None:
        name, _, digest = choices.upload.partition(":")
        file = f"{name} (SHA-256 {digest})" if name else "a file of your own"
        return f"This link is about {file}, which it does not carry: choose the file under Data, then press Run."
    if why_not(choices):
        return "These choices cannot run as they are: change them, then press Run."
    work = most_work(choices)
    if work > MOST_WORK:
        return f"This race may visit {number(work)} nonzeros: press Run to start it."
    return ""


def most_work(choices: Choices) -> float:
    """At most so many nonzeros are visited if all runs go on to the pass limit; of real sets n d stands for them."""
    if choices.data in FAMILIES:
        nonzeros = FAMILIES[choices.data].entries(choices)
    elif choices.file is not None:
        nonzeros = choices.file.X.size
    else:
        known = datasets.describe(choices.data)
        nonzeros = known.n * known.d
    return nonzeros * choices.passes * choices.seeds * len(choices.entries())


def _place(query: Mapping[str, str]) -> tuple[Place | None, list[str]]:
    """The step of a story that the address names, and what is wrong with it."""
    if "story" not in query:
        return None, [address.left_out("step", query["step"], "it names no story")] if "step" in query else []
    text = query.get("step", "1")
    try:
        return Place(query["story"], int(text) - 1 if text.isdecimal() else -1), []
    except ValueError as error:
        name = "step" if str(error).startswith("a story has") else "story"
        why = f"it must be 1 or 2, not {text}" if name == "step" else str(error)
        known = Place(query["story"], FIRST) if name == "step" else None
        return known, [address.left_out(name, query[name], why)]
