"""Kinds of data, each a card with a name and a picture: a card sets what makes its kind, and leaves the rest alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .choices import Choices
from .data_sources import FAMILIES, SYNTHETIC, UPLOAD, at_hand

SPARSE = 0.05
SIDE = 24  # rows and columns of the matrices that are pictured
ARROW = {"corner": 1.0, "column": 1.0, "row": 1.0}


@dataclass(frozen=True)
class Card:
    """One kind of data.

    Attributes
    ----------
    title : str
    words : str
        What is special about it.
    sets : mapping
        The choices that make it.
    fits : callable
        Takes choices; whether they are of this kind.
    """

    title: str
    words: str
    sets: Mapping[str, Any]
    fits: Callable[[Choices], bool]


def _random(skewed: bool, dense: bool) -> Callable[[Choices], bool]:
    return lambda choices: (
        choices.data == SYNTHETIC and (choices.density == 1) == dense and (dense or (choices.skew >= 0.5) == skewed)
    )


def _family(name: str) -> Callable[[Choices], bool]:
    return lambda choices: choices.data == name


CARDS: dict[str, Card] = {
    "dense": Card(
        "dense",
        "No zeros: every example has every feature.",
        {"data": SYNTHETIC, "density": 1.0, "skew": 0.0},
        _random(skewed=False, dense=True),
    ),
    "sparse": Card(
        "sparse",
        "Mostly zeros, and no feature is more frequent than another.",
        {"data": SYNTHETIC, "density": SPARSE, "skew": 0.0},
        _random(skewed=False, dense=False),
    ),
    "words": Card(
        "skewed words",
        "Mostly zeros; a few features occur almost everywhere, like the words of a language.",
        {"data": SYNTHETIC, "density": SPARSE, "skew": 1.3},
        _random(skewed=True, dense=False),
    ),
    "row": Card(
        "heavy row",
        "One example has every feature and is much longer than the others, and one feature is in every example.",
        {"data": "arrow"} | ARROW,
        _family("arrow"),
    ),
    "long": Card(
        "long rows",
        "A few examples have every feature, all others just one: the worst for the dual.",
        {"data": "worst_dual"},
        _family("worst_dual"),
    ),
    "common": Card(
        "full columns",
        "A few features are in every example, all others in just one: the worst for the primal.",
        {"data": "worst_primal"},
        _family("worst_primal"),
    ),
    "alike": Card(
        "all alike",
        "Every two examples are equally alike: the worst for a fixed order.",
        {"data": "sun_ye"},
        _family("sun_ye"),
    ),
}


def card_of(choices: Choices) -> str:
    """The card whose kind these data are; "real" or "upload" for data that are not made here."""
    if choices.data == UPLOAD:
        return "upload"
    return next((name for name, card in CARDS.items() if card.fits(choices)), "real")


def real() -> tuple[str, ...]:
    """The real sets that need no download."""
    return at_hand()


@cache
def example(name: str) -> Any:
    """A small matrix of a card's kind, (SIDE, SIDE), to be pictured."""
    choices = Choices(n=SIDE, d=SIDE, **CARDS[name].sets)
    if "density" in FAMILIES[choices.data].asks and choices.density < 1:
        choices.density = 0.15  # few entries would be too few to see a pattern in
    return FAMILIES[choices.data].call(choices)()[0]
