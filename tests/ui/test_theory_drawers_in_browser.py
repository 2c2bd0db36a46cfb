"""The drawers Face-off and Sampling, in a real browser."""

import pytest
from browsing import PHONE

pytestmark = pytest.mark.ui

DEGENERATE = [
    "?loss=hinge&dual_sampling=uniform",
    "?l1=0.1",
    "?loss=softmax&dual_sampling=uniform",
    "?n=2&d=1",
    "?l2=0.0",
]


def opened(visit, drawer, words, query="", **options):
    visitor = visit(query, **options)
    visitor.open(drawer)
    visitor.wait_until(lambda: words in visitor.text)
    return visitor


@pytest.mark.full
def test_the_sampling_drawer_compares_both_sides(visit):
    visitor = opened(visit, "Sampling", "Primal methods draw features")
    for words in ("adaptive at the start", "adaptive after 5 passes", "importance sampling has the smallest bound"):
        assert words in visitor.text
    visitor.page.get_by_label("Coordinates sorted").select_option(label="by squared norm")
    visitor.wait_until(lambda: axis(visitor, "squared norm"))


def axis(visitor, label: str) -> bool:
    script = """label => Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
      .some((model) => model.axis_label === label)"""
    return visitor.page.evaluate(script, label)


@pytest.mark.full
def test_the_map_and_the_cost_follow_their_sliders(visit):
    visitor = opened(visit, "Face-off", "With derivatives", "?loss=logistic")
    visitor.page.get_by_label("as dense as the data").uncheck()
    visitor.page.get_by_label("Density of the map", exact=True).fill("-1")
    visitor.wait_until(lambda: "The map is that of density 0.1;" in visitor.text)
    visitor.page.get_by_label("Cost of a loss derivative", exact=True).select_option(label="set by the slider")
    visitor.page.get_by_label("as set", exact=True).fill("2")
    visitor.wait_until(lambda: "With derivatives (given)" in visitor.text)  # before the slider's number has come
    visitor.wait_until(lambda: "nonzeros 100 100" in visitor.text)


@pytest.mark.full
def test_a_derivative_can_be_measured(visit):
    visitor = opened(visit, "Face-off", "With derivatives", "?loss=logistic")
    visitor.page.get_by_label("Cost of a loss derivative", exact=True).select_option(label="measured on this machine")
    visitor.wait_until(lambda: "With derivatives (measured" in visitor.text)


@pytest.mark.full
@pytest.mark.parametrize("query", DEGENERATE)
def test_degenerate_problems_give_sentences(visit, query):
    visitor = opened(visit, "Sampling", "Primal methods draw features", query)
    visitor.open("Face-off")
    visitor.wait_until(lambda: "What decides" in visitor.text)


@pytest.mark.full
@pytest.mark.parametrize(("drawer", "words"), [("Sampling", "Primal methods draw"), ("Face-off", "With derivatives")])
def test_they_fit_a_phone(visit, drawer, words):
    visitor = opened(visit, drawer, words, size=PHONE)
    width = visitor.page.locator("#main").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert width[0] <= width[1]
