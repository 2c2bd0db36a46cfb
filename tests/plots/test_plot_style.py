"""Colours that mean sides can be read, and told apart, on light and on dark paper, by every kind of colour vision."""

import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from cases import each_of

from cdlab.dashboard import frontend
from cdlab.plots import elements
from cdlab.plots.style import (
    MARKERS,
    PALETTE,
    PALETTE_MARKERS,
    PAPER,
    SHADES,
    look,
    looks_by_side,
    looks_for,
)

THEME = (Path(frontend.__file__).parent / "src/styles/base.css").read_text(encoding="utf-8")
TURNED = 0.92  # of the dashboard's figures in the dark: invert(0.92) hue-rotate(180deg)
SIDES = ("primal", "dual", "full")
EIGHT = range(8)


def linear(colour: str) -> np.ndarray:
    """Red, green and blue as amounts of light."""
    channels = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    """Of WCAG 2.2."""
    low, high = sorted(linear(each) @ [0.2126, 0.7152, 0.0722] for each in (a, b))
    return (high + 0.05) / (low + 0.05)


def turned_over(colour: str) -> str:
    """What a figure of a drawer has in the dark, where it is inverted and its hues turned back, as CSS defines them."""
    channels = TURNED + (1 - 2 * TURNED) * np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    rotated = 2 * (channels @ [0.213, 0.715, 0.072]) - channels
    return "#" + "".join(f"{round(255 * each):02x}" for each in np.clip(rotated, 0, 1))


# ---------------------------------------------------------------- contrast
def test_the_papers_are_those_of_the_page():
    assert re.findall(r"--bg: (#\w+)", THEME) == ["#fff", PAPER["dark"].lower()]


@each_of("side, paper", [*product(SHADES, PAPER)])
def test_every_shade_can_be_read_as_text(side, paper):
    assert min(contrast(shade, PAPER[paper]) for shade in SHADES[side][paper]) >= 4.5


@each_of("side", SHADES)
def test_every_shade_of_a_figure_can_be_read_where_the_figure_is_turned_over(side):
    assert min(contrast(turned_over(shade), PAPER["dark"]) for shade in SHADES[side]["light"]) >= 4.5


# ---------------------------------------------------------------- one side
@each_of("side", SHADES)
def test_any_two_of_eight_methods_of_a_side_differ_in_two_of_shade_dash_and_marker(side):
    for a, b in combinations([look(side, k) for k in EIGHT], 2):
        assert (a.light == b.light) == (a.dark == b.dark)
        assert (a.light != b.light) + (a.dash != b.dash) + (a.marker != b.marker) >= 2


@each_of("side", SHADES)
def test_the_first_three_of_a_side_differ_in_all_of_them(side):
    for a, b in combinations([look(side, k) for k in range(3)], 2):
        assert all(one != other for one, other in zip(a[:4], b[:4], strict=True))


def test_methods_are_counted_within_their_side():
    sides = {"sdca": "dual", "rcd": "primal", "quartz": "dual", "gd": "full"}
    looks = looks_for(sides)
    assert looks == looks_by_side(sides)
    assert looks == {"sdca": look("dual"), "rcd": look("primal"), "quartz": look("dual", 1), "gd": look("full")}


# ---------------------------------------------------------------- several sides
def test_no_two_sides_share_a_colour():
    shades = [shade for papers in SHADES.values() for each in papers.values() for shade in each]
    assert len(set(shades)) == len(shades)


def test_without_colours_eight_methods_of_every_side_differ():
    """By dash or marker: of 24 in one picture printed in grey, each is found in the legend."""
    drawn = [(each.dash, each.marker) for side in SIDES for each in (look(side, k) for k in EIGHT)]
    assert len(set(drawn)) == 24


# how light appears without one kind of cone, after Machado, Oliveira & Fernandes (2009), and to most people
SEEN = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    "all cones": np.eye(3),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def apart(a: str, b: str, vision: str) -> float:
    """CIE 1976 colour difference; 2 can just be noticed side by side."""
    seen = np.array(SEEN[vision]) @ np.transpose([linear(a), linear(b)])
    x, y, z = XYZ @ np.clip(seen, 0, 1) / XYZ.sum(axis=1)[:, None]
    x, y, z = (np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116) for t in (x, y, z))
    return float(np.linalg.norm([np.diff(116 * y), np.diff(500 * (x - y)), np.diff(200 * (y - z))]))


@each_of("vision, paper", [*product(SEEN, PAPER)])
def test_sides_differ_for_every_colour_vision(vision, paper):
    primal, dual = SHADES["primal"][paper], SHADES["dual"][paper]
    assert min(apart(a, b, vision) for a, b in product(primal, dual)) >= 30
    firsts = [SHADES[side][paper][0] for side in SIDES]
    assert min(apart(a, b, vision) for a, b in combinations(firsts, 2)) >= 15


# ---------------------------------------------------------------- a colour for each curve
@each_of("side", SHADES)
def test_where_all_curves_have_one_side_each_has_a_colour_of_its_own(side):
    looks = list(looks_for({f"curve {k}": side for k in EIGHT}).values())
    assert len({each.light for each in looks}) == len({(each.dash, each.marker) for each in looks}) == 8
    assert looks_for({"one": side}) == {"one": look(side)}


@each_of("vision", SEEN)
def test_the_colours_of_curves_can_be_told_apart_and_read(vision):
    enough = 45 if vision == "all cones" else 21
    assert min(apart(a, b, vision) for a, b in combinations(PALETTE, 2)) >= enough
    assert min(contrast(each, PAPER["light"]) for each in PALETTE) >= 3
    assert min(contrast(turned_over(each), PAPER["dark"]) for each in PALETTE) >= 3


def test_neighbours_in_the_legend_differ_in_lightness():
    light = [contrast(each, PAPER["light"]) for each in PALETTE]
    assert all(max(a, b) > 1.25 * min(a, b) for a, b in zip(light, light[1:], strict=False))


def test_what_is_no_side_is_refused_with_the_sides():
    with pytest.raises(ValueError, match="a side must be 'primal', 'dual', 'full' or '', not 'left'"):
        look("left")


@each_of("side", MARKERS)
def test_every_marker_is_known_to_files(side):
    assert {*MARKERS[side], *PALETTE_MARKERS} <= set(elements.MARKERS)
