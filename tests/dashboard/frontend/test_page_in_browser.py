"""The page with recorded answers, in a browser: what a reader does first, by mouse, keyboard and on a phone."""

from xml.etree import ElementTree

import numpy as np
import pytest
from browsing import PHONE, Visitor
from playwright.sync_api import expect

import cdlab

pytestmark = pytest.mark.ui

OPENING = "?v=2"  # any query: not a first visit


def voice(visitor: Visitor) -> str:
    return visitor.page.locator(".voice").inner_text()


def wait_for(visitor: Visitor, words: str) -> None:
    visitor.page.locator(".voice", has_text=words).wait_for(timeout=10_000)


def test_free_play(visit):
    visitor = visit(OPENING)
    page = visitor.page
    wait_for(visitor, "sdca was first: 22.4 passes against rcd’s 109, 4.8 times fewer.")
    wait_for(visitor, "Why: It is 3 columns")
    assert page.locator(".figure svg").get_by_text("5,040", exact=True).count() == 1
    assert "after 109" in page.locator(".figure .hidden").inner_text()  # the figure in words
    page.keyboard.press(".")
    wait_for(visitor, "Step 1 of")
    page.keyboard.press("ArrowRight")
    wait_for(visitor, "of its start for sdca")


def test_what_is_no_answer_to_the_choices_is_dimmed(visit):
    visitor = visit(OPENING)
    wait_for(visitor, "was first")
    visitor.page.get_by_role("slider", name="rows").press("ArrowRight")  # not recorded
    wait_for(visitor, "could not answer")
    dims = visitor.page.locator(".dim")
    for k in range(3):
        expect(dims.nth(k)).to_have_css("opacity", "0.35")  # it fades
    assert dims.count() == 3


ANOTHER_RACE = """async () => {
  const {mount, recordedEngine} = await import("/page.js")
  const recordings = await (await fetch("/recorded.json")).json()
  const races = recordings.filter(({question}) => question.kind === "race").flatMap(({answers}) => answers)
  for (const {value} of races) value.digest = "of other choices"
  await mount(document.getElementById("page"), recordedEngine(recordings))
}"""


def test_a_race_of_another_digest_is_dimmed(visit):
    visitor = visit(OPENING)
    visitor.page.evaluate(ANOTHER_RACE)
    visitor.page.wait_for_timeout(600)
    assert "was first" not in voice(visitor)
    assert visitor.page.locator(".middle .dim").evaluate("each => getComputedStyle(each).opacity") == "0.35"


def test_a_story_asks_before_it_tells(visit):
    visitor = visit("?story=3", reduced_motion="reduce")
    page = visitor.page
    wait_for(visitor, "Who needs fewer passes to bring the gap to 10⁻⁶?")
    hidden = page.locator("main").inner_text() + page.locator("footer").inner_text()
    assert not any(number in hidden for number in ("407", "171", "2.4", "4.6", "42", "Likely best here: sdca"))
    assert visitor.page.evaluate("engine.asked.every(({kind}) => kind !== 'race')")
    page.locator(".voice").get_by_role("button", name="rcd").click()
    wait_for(visitor, "sdca was first: 22.5 passes against rcd’s 42, 1.9 times fewer. You guessed rcd")
    assert page.get_by_role("button", name="Make a few words frequent").is_enabled()


def test_a_change_leaves_the_story_and_one_button_goes_back(visit):
    visitor = visit("?story=3&step=2", reduced_motion="reduce")
    premise = visitor.page.locator(".tale").inner_text()
    visitor.page.get_by_role("slider", name="λ").press("ArrowRight")  # not recorded
    wait_for(visitor, "This is no longer story 3.")
    assert premise not in voice(visitor)
    visitor.page.get_by_role("button", name="Back to the story").click()
    wait_for(visitor, premise)


COURSE_HERE = """async () => {
  const {mount, recordedEngine} = await import("/page.js")
  const engine = recordedEngine(await (await fetch("/recorded.json")).json())
  await mount(document.getElementById("page"), engine, {notebooks: "course/"})
}"""


def test_a_story_links_to_its_notebook_or_names_the_file(visit):
    visitor = visit("?story=4")
    story = visitor.page.locator(".story")
    assert "cdlab’s notebook 04" in story.inner_text()
    assert story.get_by_role("link").count() == 0
    visitor.page.evaluate(COURSE_HERE)
    assert story.get_by_role("link", name="Notebook").get_attribute("href") == "course/04_sampling.html"


def test_the_pages_of_the_papers_are_a_link_where_the_site_is(visit):
    visitor = visit("?story=4")
    assert visitor.page.get_by_role("link", name="Papers").count() == 0
    visitor.page.evaluate(COURSE_HERE)
    link = visitor.page.get_by_role("link", name="Papers")
    assert link.get_attribute("href") == "course/../docs/reproductions/index.html"


def test_the_first_visit_is_the_first_story(visit):
    assert "The short side" in visit().page.locator(".story").inner_text()


def test_present_shows_one_slide_in_large_type(visit):
    visitor = visit(OPENING + "&present=picture", there="Present")
    wait_for(visitor, "was first")
    slide = visitor.page.locator(".present")
    assert "words, skew 1.3 · uniform · rcd against sdca · λ = 1/n" in slide.locator("footer").inner_text()
    visitor.page.keyboard.press("p")
    visitor.region("Data").wait_for()


def test_the_way_back_leads_through_steps_and_slides_as_they_were_left(visit):
    visitor = visit("?story=3", reduced_motion="reduce")
    page = visitor.page
    first = "sdca was first: 22.5 passes against rcd’s 42, 1.9 times fewer. You guessed rcd"
    page.locator(".voice").get_by_role("button", name="rcd").click()
    wait_for(visitor, first)
    page.get_by_role("button", name="Make a few words frequent").click()
    wait_for(visitor, "Who needs fewer passes")
    page.keyboard.press("p")
    visitor.region("Present").wait_for()
    page.go_back()
    visitor.region("Data").wait_for()
    wait_for(visitor, "Who needs fewer passes")
    page.go_back()
    wait_for(visitor, first)
    page.go_forward()
    wait_for(visitor, "Who needs fewer passes")
    assert "step=2" in page.url


def test_a_saved_picture_says_what_it_shows_without_the_page(visit, tmp_path):
    visitor = visit(OPENING)
    wait_for(visitor, "Why:")
    for kind in ("PNG", "SVG"):
        with visitor.page.expect_download() as started:
            visitor.page.get_by_role("button", name=f"the picture as {kind}").click()
        started.value.save_as(tmp_path / kind)
    assert (tmp_path / "PNG").read_bytes().startswith(b"\x89PNG")
    picture = ElementTree.parse(tmp_path / "SVG").getroot()
    words = " ".join("".join(each.itertext()) for each in picture.iter("{http://www.w3.org/2000/svg}text"))
    for said in (
        "sdca was first: 22.4 passes",
        "Why:",
        "bound, rcd",
        "5,040",
        "1,000 × 200",
        "λ = 1/n",
        "medians of 5 draws",
    ):
        assert said in words
    assert not list(picture.iterfind(".//*[@class]"))  # no style sheet is needed
    assert float(picture.get("width")) > 500


def test_a_phone_changes_choices_under_the_figure(visit):
    visitor = visit(OPENING, size=PHONE)
    wait_for(visitor, "was first")
    visitor.press("Change…")
    sheet = visitor.page.get_by_role("dialog", name="Change something")
    sheet.get_by_role("slider", name="λ").wait_for()
    visitor.page.wait_for_timeout(300)
    top = sheet.bounding_box()["y"]
    figure = visitor.page.locator(".figure").bounding_box()
    assert figure["y"] >= 0
    assert figure["y"] + figure["height"] <= top + 1
    visitor.press("Done")


def test_a_later_step_opened_by_its_address_tells_of_those_before(visit):
    visitor = visit("?story=3&step=2", reduced_motion="reduce")
    visitor.page.locator(".voice").get_by_role("button", name="sdca").click()
    wait_for(visitor, "rcd needed 1.9 times sdca's passes, now 4.8 times")
    visitor.page.get_by_role("button", name="Story 1: The short side").click()
    visitor.page.get_by_role("button", name="Story 3: Frequent words").click()
    assert "1.9 times" not in voice(visitor)


def test_a_phone_shows_the_premise_of_the_next_step_and_closes_what_explains(visit):
    visitor = visit("?story=3", size=PHONE, there="Story", reduced_motion="reduce", has_touch=True)
    page = visitor.page
    bar = page.get_by_role("region", name="Replay")
    bar.get_by_role("button", name="rcd").tap()
    bar.get_by_role("button", name="Make a few words frequent").wait_for()
    page.evaluate("scrollTo(0, 600)")
    bar.get_by_role("button", name="Make a few words frequent").tap()
    premise = page.get_by_text("Now a few words stand in almost every example")
    premise.wait_for()
    page.wait_for_timeout(200)  # until it has scrolled
    assert premise.bounding_box()["y"] >= 0
    tip, term = page.locator(".tip"), page.locator(".voice .term").first
    term.tap()
    first = tip.inner_text()
    page.locator(".voice .term").nth(1).tap()
    page.wait_for_timeout(100)
    assert tip.inner_text() != first
    premise.tap()
    for close in (term.tap, premise.tap, lambda: page.mouse.wheel(0, 200)):
        term.tap()
        tip.wait_for()
        close()
        tip.wait_for(state="detached")


def test_the_drawer_proof_checks_a_certificate_and_its_data(visit, tmp_path):
    visitor = visit("?v=2&drawer=Proof")
    drawer = visitor.page.locator(".drawer")
    verdict = drawer.get_by_role("status")
    for name, words, steps in (
        ("an example", "Accepted", 7), ("half the gap claimed", "Rejected", 7),
        ("the gap changed, but not the seal", "Rejected", 1), ("another label in the data", "Rejected", 2),
    ):  # fmt: skip
        drawer.get_by_role("button", name=name, exact=True).click()
        expect(verdict).to_contain_text(words)
        expect(drawer.locator("li")).to_have_count(steps)
        expect(drawer.locator("li.false")).to_have_count(int(words == "Rejected"))
    X, y = cdlab.datasets.make(n=60, d=4, seed=1)
    cdlab.solve(cdlab.Problem(X, y, "hinge", l2=0.1)).save_certificate(tmp_path / "own.cert")
    np.savez(tmp_path / "own.npz", X=X, y=y)
    chooser = drawer.locator("input[type=file]")
    chooser.set_input_files(tmp_path / "own.npz")
    expect(verdict).to_contain_text("Rejected")  # the certificate is still that of the five rows
    chooser.set_input_files([tmp_path / "own.cert", tmp_path / "own.npz"])
    expect(verdict).to_contain_text("Accepted")
    assert "60 examples, 4 features" in drawer.inner_text()
