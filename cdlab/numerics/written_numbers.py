"""Numbers as people write them: three digits, thousands apart, powers of ten, no 1e-07."""

from __future__ import annotations

import math

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


def spoken(x: float | str | None) -> str:
    """A number for a sentence: three digits from 10 on, two below; counts and text stay.

    >>> [spoken(x) for x in (4840.37, 105.7, 21.44, 4.86, 0.0123, 1e-6, 32561.0, None, "sdca")]
    ['4,840', '106', '21.4', '4.9', '0.012', '10⁻⁶', '32,561', '–', 'sdca']
    """
    if isinstance(x, str):
        return x
    return number(x, 2 if x is None or abs(x) < 10 else 3)
