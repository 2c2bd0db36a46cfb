"""The drawer of the bounds, in a real browser."""

import pytest
from browsing import PHONE

pytestmark = pytest.mark.ui


def bounds(visit, query="?methods=sdca,spdc&dual_sampling=uniform", **options):
    visitor = visit(query, **options)
    visitor.open("Bounds")
    visitor.wait_until(lambda: "What if?" in visitor.text)
    return visitor


def slide(visitor, label: str, power: float) -> None:
    slider = visitor.page.get_by_label(label, exact=True).and_(visitor.page.locator("#drawer input[type=range]"))
    slider.fill(str(power))


@pytest.mark.full
def test_a_slider_moves_the_bounds_and_the_words(visit):
    visitor = bounds(visit)
    assert "At n = 1,000, l2 = 0.001," in visitor.text
    slide(visitor, "L2 weight", -1)
    visitor.wait_until(lambda: "At n = 1,000, l2 = 0.1," in visitor.text)
    slide(visitor, "Batch size m", 8)
    visitor.wait_until(lambda: "and m = 8" in visitor.text)


@pytest.mark.full
def test_the_words_follow_a_slider_while_it_is_held(visit):
    visitor = bounds(visit)
    slider = visitor.page.get_by_label("L2 weight", exact=True).and_(visitor.page.locator("#drawer input[type=range]"))
    slider.scroll_into_view_if_needed()
    box, mouse = slider.bounding_box(), visitor.page.mouse
    middle = box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] / 2, middle)
    mouse.down()
    mouse.move(box["x"] + box["width"] * 0.9, middle, steps=5)
    visitor.wait_until(lambda: "At n = 1,000, l2 = 0.001," not in visitor.text)
    held = slider.input_value()
    visitor.page.wait_for_timeout(300)
    assert slider.input_value() == held  # answers to where it was do not move it back
    mouse.up()


@pytest.mark.full
def test_spdc_against_sdca_is_a_formula(visit):
    visitor = bounds(visit)
    visitor.wait_until(lambda: "they are equal at kappa" in visitor.text)
    assert "1,000 (where m = 1" in visitor.text


@pytest.mark.full
def test_the_papers_tables_can_be_chosen(visit):
    visitor = bounds(visit)
    chooser = visitor.page.get_by_label("Table", exact=True)
    chooser.select_option(index=1)
    visitor.wait_until(lambda: "smooth loss, strongly convex g" in visitor.text)
    assert r"\frac" not in visitor.page.locator("#main").inner_text()


@pytest.mark.full
def test_choices_change_the_bounds_and_sliders_start_anew(visit):
    visitor = bounds(visit)
    visitor.slide("n", -6)
    visitor.wait_until(lambda: "At n = 490, l2 = 0.00204," in visitor.text)


@pytest.mark.full
@pytest.mark.parametrize(
    "query",
    [
        "?loss=hinge&methods=sdca&dual_sampling=uniform",
        "?loss=squared&l2=0.0&methods=fista,gd&primal_sampling=uniform",
        "?l1=0.01&methods=sdca,quartz",
    ],
)
def test_problems_with_few_theorems_give_sentences(visit, query):
    visitor = bounds(visit, query)
    assert "smallest bound" in visitor.text


@pytest.mark.full
def test_where_the_start_is_optimal_the_page_says_so(visit):
    assert "w = 0 is optimal here" in bounds(visit, "?l1=0.1&methods=sdca,quartz").text


@pytest.mark.full
def test_it_fits_a_phone(visit):
    visitor = bounds(visit, size=PHONE)
    width = visitor.page.locator("#main").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert width[0] <= width[1]
