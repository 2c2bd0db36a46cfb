"""The screen as a visitor uses it: three choices, three results, Run, the replay and stories."""

import pytest
from browsing import PHONE

pytestmark = pytest.mark.ui

ENDLESS = "?n=5000&d=500&passes=10000&tol=0.0"  # a link runs by itself
SMALL = "?n=200&d=50&passes=30"
REGIONS = ("Data", "Sampling", "Algorithm", "Matrix", "Convergence", "Bound", "Face-off", "Outcome")
BUTTONS = ("Run", "Play", "Step")
SIZES = [(1280, 720), (1440, 900), (1920, 1080)]


def boxes(visitor) -> dict[str, dict]:
    return {name: visitor.region(name).bounding_box() for name in REGIONS}


def run(visitor) -> None:
    visitor.press("Run")
    visitor.wait_until(lambda: visitor.status == "All runs have ended.", 60)


def value(visitor, quantity: str) -> str:
    """Of C_P or C_D."""
    return visitor.region("Face-off").get_by_role("img", name=f"{quantity} = ").get_attribute("aria-label")


# ---------------------------------------------------------------- what is in view
def test_three_choices_and_three_results_are_in_view_on_every_screen(visit):
    visitor = visit()
    for width, height in SIZES:
        visitor.page.set_viewport_size({"width": width, "height": height})
        visitor.page.wait_for_timeout(200)
        for name, box in boxes(visitor).items():
            assert box["x"] >= 0, name
            assert box["x"] + box["width"] <= width, name
            assert box["y"] + box["height"] <= height, name
        for name in BUTTONS:
            button = visitor.page.get_by_role("button", name=name, exact=True).first
            assert button.bounding_box()["y"] < height, name
        scroll = visitor.page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
        assert scroll == [height, width]
    assert visitor.page.get_by_role("radio", name="tie").is_visible()
    assert "The dual won" in visitor.outcome
    assert visitor.status == ""


@pytest.mark.full
def test_the_prediction_follows_a_slider_and_the_old_race_says_that_it_is_old(visit):
    visitor = visit()
    before = value(visitor, "C_P")
    visitor.slide("density", 8)
    visitor.wait_until(lambda: "density=0.12" in visitor.page.url, 5)  # eight quick steps are eight steps
    visitor.wait_until(lambda: value(visitor, "C_P") != before)
    stale = visitor.region("Convergence").get_by_role("status")
    assert stale.inner_text() == ("This race was run with other choices: density 0.05 instead of 0.12. Press Run.")
    assert visitor.status == ""
    assert "not yet" in visitor.region("Face-off").inner_text()
    places = boxes(visitor)
    run(visitor)
    assert stale.inner_text() == ""
    visitor.wait_until(lambda: "not yet" not in visitor.region("Face-off").inner_text())
    moved = {name: box for name, box in boxes(visitor).items() if box != places[name]}
    assert moved == {}  # nothing jumps


@pytest.mark.full
def test_a_guess_is_judged_and_a_race_is_replayed(visit):
    visitor = visit()
    visitor.page.get_by_role("radio", name="primal", exact=True).check(force=True)
    run(visitor)
    playhead = visitor.page.get_by_role("slider", name="Playhead")
    visitor.wait_until(lambda: "one by one" in playhead.get_attribute("aria-valuetext"))
    assert (
        visitor.outcome
        == "A race of sdca, quartz and rcd. You guessed the primal: the outcome comes at the end of the replay."
    )
    assert "not yet" in visitor.region("Face-off").inner_text()
    visitor.press("Pause")  # who takes the clock need not wait
    visitor.wait_until(lambda: visitor.outcome.startswith("You guessed the primal. The dual won: "))
    assert "; the face-off predicted " in visitor.outcome
    assert "step" in visitor.region("Matrix").inner_text()
    at = int(playhead.input_value())
    visitor.page.get_by_role("button", name="Step", exact=True).first.click()  # that of the choices
    visitor.wait_until(lambda: int(playhead.input_value()) == at + 1)


@pytest.mark.full
def test_step_runs_the_race_first_where_there_is_none(visit):
    visitor = visit()
    visitor.card("dense")
    visitor.wait_until(lambda: "density=1.0" in visitor.page.url)
    visitor.page.get_by_role("button", name="Step", exact=True).first.click()
    visitor.wait_until(lambda: visitor.status == "All runs have ended.")
    playhead = visitor.page.get_by_role("slider", name="Playhead")
    visitor.wait_until(lambda: playhead.input_value() == "1")


def test_curves_grow_while_a_race_runs_and_stop_ends_it(visit):
    visitor = visit(ENDLESS)
    visitor.wait_until(lambda: visitor.passes > 0)
    reach = visitor.passes
    visitor.wait_until(lambda: visitor.passes > reach)
    visitor.press("Stop")
    visitor.wait_until(lambda: visitor.status == "Stopped.")
    visitor.wait_until(lambda: {lane["ended"] for lane in visitor.race["lanes"]} == {"stopped"})


@pytest.mark.full
def test_a_choice_changed_during_a_race_changes_the_next_one_only(visit):
    visitor = visit(ENDLESS)
    visitor.wait_until(lambda: visitor.status.startswith("Running"))
    visitor.page.get_by_role("combobox", name="Real data").select_option("mushrooms")
    visitor.wait_until(lambda: "8,124" in visitor.region("Matrix").inner_text())
    reach = visitor.passes
    visitor.wait_until(lambda: visitor.passes > reach)
    visitor.press("Stop")
    visitor.wait_until(lambda: "other choices: synthetic instead of mushrooms" in visitor.text)


@pytest.mark.full
def test_two_visitors_do_not_see_each_other(visit):
    first, second = visit(ENDLESS), visit()
    first.wait_until(lambda: first.status.startswith("Running"))
    run(second)  # although the first one's race goes on
    assert first.status.startswith("Running")


# ---------------------------------------------------------------- stories
@pytest.mark.full
def test_a_story_is_told_to_its_end(visit):
    visitor = visit()
    visitor.press("Story 2: Long rows")
    story, theory = visitor.region("Story"), visitor.page.get_by_text("for the primal")
    story.wait_for()
    look = visitor.page.get_by_role("button", name="Show what theory says")
    look.wait_for()
    assert not theory.is_visible()  # nobody guesses with the answer in view
    visitor.page.get_by_role("radio", name="primal", exact=True).check(force=True)
    theory.wait_for()
    run(visitor)
    visitor.press("fast")
    visitor.wait_until(lambda: " won" in visitor.outcome)
    visitor.press("Spread the entries evenly")
    visitor.wait_until(lambda: "step=2" in visitor.page.url)
    look.press("Enter")
    look.wait_for(state="hidden")
    run(visitor)
    visitor.wait_until(lambda: "A long row is an expensive dual step" in story.inner_text())
    visitor.wait_until(lambda: [lane["earlier"] for lane in visitor.race["lanes"]] == [False, False, True, True])
    visitor.slide("n", 2)  # the story survives
    visitor.wait_until(lambda: "Your variation." in story.inner_text())
    visitor.press("Back to the story")
    visitor.wait_until(lambda: "Your variation." not in story.inner_text())
    visitor.card("heavy row")  # other data end it, and what it set goes
    visitor.wait_until(lambda: "story" not in visitor.page.url and "passes" not in visitor.page.url)


@pytest.mark.full
def test_earlier_races_stay_in_the_picture_once_that_is_asked_for(visit):
    visitor = visit(SMALL)
    visitor.wait_until(lambda: visitor.status == "All runs have ended.")
    visitor.page.get_by_label("compare with earlier races").check()
    for steps in (2, 4):
        visitor.slide("density", steps)
        visitor.wait_until(lambda: visitor.status == "")
        run(visitor)

    def names() -> set[str]:
        return {lane["label"].partition(":")[0] for lane in visitor.race["lanes"] if lane["earlier"]}

    visitor.wait_until(lambda: len(names()) == 2)
    assert any(name.startswith("density 0.0") for name in names())  # named by what differs
    visitor.page.get_by_label("compare with earlier races").uncheck()
    visitor.wait_until(lambda: not any(lane["earlier"] for lane in visitor.race["lanes"]))


# ---------------------------------------------------------------- repairs, advice, target
@pytest.mark.full
def test_what_does_not_fit_is_repaired_and_told_and_undone(visit):
    visitor = visit()
    visitor.open("Advanced")
    visitor.page.get_by_label("Loss", exact=True).select_option("hinge")
    visitor.wait_until(lambda: "became" in visitor.text)
    assert visitor.page.get_by_role("combobox", name="dual method").input_value() == "sdca"
    visitor.press("Undo")
    visitor.wait_until(lambda: "loss=hinge" not in visitor.page.url)


@pytest.mark.full
def test_advice_is_in_view_and_can_be_tried(visit):
    visitor = visit()
    button = visitor.page.get_by_role("button", name="Try it")
    assert "Advice: quartz, importance" in visitor.region("Outcome").inner_text()
    assert not button.is_visible()  # it is in the race already
    visitor.press("Remove quartz")
    button.click()
    visitor.wait_until(lambda: "methods=quartz,rcd" in visitor.page.url)
    visitor.page.get_by_role("combobox", name="Real data").select_option("mushrooms")
    visitor.wait_until(lambda: "quartz, importance" not in visitor.region("Outcome").inner_text())


@pytest.mark.full
def test_one_target_everywhere(visit):
    visitor = visit()
    visitor.open("Advanced")
    visitor.choose("Target", "10⁻⁴")
    visitor.wait_until(lambda: "10⁻⁴" in visitor.region("Bound").inner_text())
    run(visitor)
    visitor.page.get_by_role("button", name="Step", exact=True).first.click()
    visitor.wait_until(lambda: "to a relative gap of 10⁻⁴" in visitor.outcome)
    visitor.open("Runs")
    visitor.wait_until(lambda: "passes to a relative gap of 10⁻⁴" in visitor.text)


@pytest.mark.full
def test_the_keyboard_alone_runs_a_race_and_a_phone_has_run_in_view(visit):
    visitor = visit(size=PHONE)
    button = visitor.page.get_by_role("button", name="Run", exact=True)
    for _ in range(2):  # at the top of the page, and at its end
        box = button.bounding_box()
        assert 0 < box["y"] < PHONE["height"] - box["height"]
        assert visitor.page.get_by_role("radio", name="dual", exact=True).is_visible()
        visitor.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    button.focus()
    visitor.page.keyboard.press("Enter")
    visitor.wait_until(lambda: visitor.status == "All runs have ended.")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.full
def test_a_race_replayed_with_less_motion_shows_its_end(visit):
    visitor = visit()
    visitor.page.emulate_media(reduced_motion="reduce")
    run(visitor)
    playhead = visitor.page.get_by_role("slider", name="Playhead")
    visitor.wait_until(lambda: "The dual won" in visitor.outcome, 3)  # at once
    assert playhead.input_value() == playhead.get_attribute("max")
    assert visitor.page.get_by_role("button", name="Play", exact=True).is_visible()
