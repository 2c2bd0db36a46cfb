"""Formulas are readable in every browser: fractions stand above each other, nothing is small or over the edge."""

import pytest
from every_browser import BROWSERS, opened
from serving_front import front_end

SMALLEST, LINE = 12, 10  # pixels


def middle(box):
    return (box["top"] + box["bottom"]) / 2


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_formulas_are_set(browser):
    with front_end() as site, opened(browser, f"{site.address}measured?v=2"):
        assert site.said.wait(60), "the browser said nothing"
        (found,) = site.heard
    assert len(found) >= 5  # P, D, w(α) and a theorem for each side
    assert sum(len(each["fractions"]) for each in found) >= 8
    for each in found:
        assert each["size"] >= SMALLEST, each["words"]
        assert each["box"]["right"] <= each["room"]["right"] + 1, each["words"]
        for above, below in each["fractions"]:
            assert middle(below) - middle(above) >= LINE, each["words"]
        for letter, index in each["indices"]:
            assert index["bottom"] > letter["bottom"], each["words"]
