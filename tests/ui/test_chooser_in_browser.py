"""The chooser and the stories alone in a browser: by mouse, by keyboard, quickly."""

import pytest
from browsing import INSIDE

from cdlab.methods import METHODS

pytestmark = [pytest.mark.ui, pytest.mark.full]  # a push sees the same on the page


@pytest.fixture
def visit(at_chooser):
    return lambda: at_chooser().page


def chosen(page) -> str:
    """What the server holds."""
    return page.locator("#said").inner_text()


def wait(page, words: str) -> None:
    seen(page.get_by_text(words).first)


def story(page, words: str) -> None:
    seen(page.get_by_role("region", name="Story", exact=True).get_by_text(words))


def seen(part) -> None:
    part.wait_for(timeout=15_000)
    assert part.is_visible()


def press(page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


# ---------------------------------------------------------------- names and roles
def test_every_part_has_a_role_and_a_name(visit):
    page = visit()
    for name in ("Data", "Sampling", "Algorithm"):
        assert page.get_by_role("region", name=name, exact=True).count() == 1
    for name in ("Run", "Step", "+ add", "Share", "Present", "Dark", "Story 1: The short side"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
    for name in ("density", "skew", "n", "d"):
        assert page.get_by_role("slider", name=name, exact=True).count() == 1
    for name in ("Both sides draw by", "Your guess: who wins?"):
        assert page.get_by_role("radiogroup", name=name).count() == 1
    for name in ("primal method", "dual method", "Real data"):
        assert page.get_by_role("combobox", name=name).count() == 1
    assert page.get_by_role("button", name="skewed words").get_attribute("aria-pressed") == "true"


# ---------------------------------------------------------------- sliders
@pytest.mark.parametrize("name", ["density", *(pytest.param(name) for name in ("skew", "n", "d"))])
def test_eight_quick_arrows_on_a_slider_are_eight_steps(visit, name):
    page = visit()
    slider = page.get_by_role("slider", name=name, exact=True)
    slider.focus()
    seen = [slider.get_attribute("aria-valuetext")]
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        seen.append(slider.get_attribute("aria-valuetext"))
    assert len(set(seen)) == 9
    assert [float(text.replace(",", "")) for text in seen] == sorted(float(text.replace(",", "")) for text in seen)
    wait(page, f"'{name}': '{float(seen[-1].replace(',', '')):g}'")
    page.wait_for_timeout(500)  # late answers
    assert slider.get_attribute("aria-valuetext") == seen[-1]


def test_a_slider_that_is_dragged_is_followed_while_it_moves(visit):
    page = visit()
    box = page.get_by_role("slider", name="density", exact=True).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.57, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, y, steps=6)
    wait(page, "'density'")  # and it has not been let go
    page.mouse.up()


def test_choices_that_a_kind_of_data_does_not_have_are_hidden(visit):
    page = visit()
    page.get_by_role("region", name="Data").get_by_role("button", name="heavy row").click()
    wait(page, "'data': 'arrow'")
    page.get_by_role("slider", name="density").wait_for(state="hidden")
    assert page.get_by_role("slider", name="n", exact=True).is_visible()


def test_a_menu_closes_on_escape_by_a_choice_and_when_the_person_goes_elsewhere(visit):
    page = visit()
    menu = page.get_by_role("region", name="Data").locator("summary")
    card = page.get_by_role("button", name="all alike")
    menu.focus()
    press(page, "Enter")
    card.wait_for()
    press(page, "Escape")
    card.wait_for(state="hidden")
    menu.click()
    card.click()
    wait(page, "'data': 'sun_ye'")
    card.wait_for(state="hidden")
    menu.click()
    page.mouse.click(700, 600)
    card.wait_for(state="hidden")


# ---------------------------------------------------------------- by keyboard
def test_everything_is_reached_and_done_by_keyboard(visit):
    page = visit()
    page.get_by_role("button", name="dense").focus()
    press(page, "Enter")
    wait(page, "'density': '1.0'")
    page.get_by_role("radio", name="importance").focus()
    press(page, "ArrowLeft")
    wait(page, "'dual_sampling': 'uniform'")
    page.get_by_role("combobox", name="dual method").select_option("quartz")
    wait(page, "'methods': 'rcd,quartz'")
    page.get_by_role("radio", name="primal", exact=True).focus()
    press(page, "Space")
    wait(page, "} primal")
    press(page, "Tab", "Enter")  # Run
    page.get_by_role("button", name="Stop").wait_for()
    assert page.get_by_role("progressbar").is_visible()
    press(page, "Enter")
    page.get_by_role("button", name="Run", exact=True).wait_for()
    assert chosen(page).endswith("run stop")


def test_methods_are_found_by_what_they_do(visit):
    page = visit()
    page.get_by_role("button", name="+ add").focus()
    press(page, "Enter")
    field = page.get_by_role("combobox", name="Find a method by what it does")
    assert field.evaluate("node => node.getRootNode().activeElement === node")
    options = page.get_by_role("listbox", name="Methods").get_by_role("option")
    assert options.count() == len(METHODS)
    page.keyboard.type("memory stochastic")
    assert options.locator("strong").all_inner_texts() == ["sag", "saga"]
    press(page, "ArrowDown", "ArrowDown")
    assert field.get_attribute("aria-activedescendant") == "chooser-method-saga"
    press(page, "Enter")
    wait(page, "'methods': 'sdca,quartz,rcd,saga'")
    assert [each.get_attribute("aria-selected") for each in options.all()] == ["false", "true"]
    press(page, "Escape")
    assert not field.is_visible()
    page.get_by_role("button", name="Remove quartz").click()
    wait(page, "'methods': 'sdca,rcd,saga'")


def test_what_no_method_does_is_said(visit):
    page = visit()
    page.get_by_role("button", name="+ add").click()
    page.keyboard.type("makes coffee")
    seen(page.get_by_role("dialog").get_by_text("No method is described by these words."))


# ---------------------------------------------------------------- repairs
def test_a_repair_is_told_beside_its_undo(visit):
    page = visit()
    before = page.evaluate(INSIDE, "chooser")
    page.get_by_role("combobox", name="dual method").select_option("apcg")
    wait(page, "apcg does not run with importance sampling: dual sampling importance became uniform.")
    wait(page, "primal importance, dual uniform")
    assert page.evaluate(INSIDE, "chooser")["height"] == before["height"]  # nothing jumps
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").wait_for(state="hidden")
    page.wait_for_timeout(300)
    assert chosen(page).strip() == "{}"
    assert page.get_by_role("combobox", name="dual method").input_value() == "sdca"
    assert page.get_by_role("radio", name="importance").is_checked()


# ---------------------------------------------------------------- stories
def test_a_story_is_told(visit):
    page = visit()
    page.get_by_role("button", name="Story 1: The short side").click()
    story(page, "Who needs fewer passes?")
    page.get_by_role("button", name="New data, n and d exchanged").click()
    story(page, "20 examples, 400 features. And now?")
    page.get_by_role("slider", name="skew").focus()
    press(page, "ArrowRight")
    wait(page, "Your variation.")
    page.get_by_role("button", name="Back to the story").click()
    page.get_by_text("Your variation.").wait_for(state="hidden")
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("region", name="Story", exact=True).wait_for(state="hidden")


def test_a_presenter_walks_the_stories_by_key(visit):
    page = visit()
    page.get_by_role("button", name="Present").click()
    press(page, "PageDown")
    story(page, "Who needs fewer passes?")
    press(page, "PageDown")
    story(page, "20 examples, 400 features. And now?")
    press(page, "PageUp")
    story(page, "Who needs fewer passes?")
