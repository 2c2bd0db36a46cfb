"""How curves look: colours, markers and dashes that differ for every kind of colour vision, and without colour."""

from __future__ import annotations

# Okabe & Ito's colours, which differ for every kind of colour vision; their yellow is too pale for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# one more than there are colours, so that pairs repeat late
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "square_pin")
DASHES = {"dual": "solid", "primal": "12 5"}
BOUND_DASH = [6, 9]  # of two equal bounds, one shows in the gaps of the other
BOUND_SHIFT = 5


def colour(k: int) -> str:
    """Colour of the k-th curve of a picture."""
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    """Marker of the k-th curve of a picture."""
    return MARKERS[k % len(MARKERS)]
