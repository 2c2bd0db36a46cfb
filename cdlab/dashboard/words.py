"""Numbers and sentences for a reader: three digits, powers of ten as people write them, no 1e-07."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..methods import METHODS

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
EMPTY_CELL = "–"


def number(x: float | None, digits: int = 3) -> str:
    """A number as a person would write it.

    >>> [number(x) for x in (8124, 13.4054, 0.05, 1.2345e-7, 1e-8, 12345678.9, float("inf"), None)]
    ['8,124', '13.4', '0.05', '1.23·10⁻⁷', '10⁻⁸', '1.23·10⁷', '∞', '–']
    """
    if x is None or math.isnan(x):
        return EMPTY_CELL
    if math.isinf(x):
        return "∞" if x > 0 else "-∞"
    if x == int(x) and abs(x) < 1e7:
        return f"{int(x):,}"
    rounded = float(f"{x:.{digits - 1}e}")
    if 1e-3 <= abs(rounded) < 1e7:
        places = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
        text = f"{rounded:,.{places}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, power = _scientific(rounded, digits)
    raised = f"10{str(power).translate(_RAISED)}"
    return raised if mantissa == "1" else f"{mantissa}·{raised}"


def _scientific(x: float, digits: int) -> tuple[str, int]:
    mantissa, power = f"{x:.{digits - 1}e}".split("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa), int(power)


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
