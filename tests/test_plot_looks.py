"""Colours that mean sides can be read, and told apart, on light and on dark paper."""

import re
from itertools import combinations
from pathlib import Path

import pytest

import cdlab.dashboard
from cdlab.plots.looks import SHADES, side_look

THEME = (Path(cdlab.dashboard.__file__).parent / "theme.css").read_text(encoding="utf-8")
PAPER = dict(zip(("light", "dark"), re.findall(r"--cd-paper: (#\w{6})", THEME), strict=True))


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("paper", PAPER)
@pytest.mark.parametrize("side", SHADES)
def test_every_shade_can_be_read_as_text(side, paper):
    assert min(contrast(shade, PAPER[paper]) for shade in SHADES[side][paper]) >= 4.5


@pytest.mark.parametrize("side", SHADES)
def test_methods_of_a_side_differ_by_shade_dash_and_marker(side):
    looks = [side_look(side, k) for k in range(3)]
    for a, b in combinations(looks, 2):
        assert a.light != b.light
        assert a.dark != b.dark
        assert a.dash != b.dash
        assert a.marker != b.marker
    assert side_look(side, 3) == looks[0]  # then it begins again


def test_no_two_sides_share_a_colour():
    shades = [shade for papers in SHADES.values() for each in papers.values() for shade in each]
    assert len(set(shades)) == len(shades)
