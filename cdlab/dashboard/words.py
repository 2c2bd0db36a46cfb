"""Sentences for a reader."""

from __future__ import annotations

from collections.abc import Sequence

from ..methods import METHODS


def sentence(text: str) -> str:
    """A reason as a sentence: a capital, unless it begins with a symbol or a method, and one full stop.

    >>> [sentence(text) for text in ("a name is missing", "y has no labels", "sdca needs l2 > 0.")]
    ['A name is missing.', 'y has no labels.', 'sdca needs l2 > 0.']
    """
    first = text.partition(" ")[0]
    a_word = first.isalpha() and (len(first) > 1 or first == "a") and first not in METHODS
    text = text[:1].upper() + text[1:] if a_word else text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def listed(names: Sequence[str]) -> str:
    """Names joined by commas and an "and".

    >>> listed(["sdca"]), listed(["sdca", "rcd", "saga"])
    ('sdca', 'sdca, rcd and saga')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
