"""The Runs drawer as a visitor uses it: races kept, compared, renamed, removed, saved and restored."""

import csv
import json

import pytest
from browsing import PHONE

pytestmark = pytest.mark.ui

QUICK = "?n=200&d=50&passes=30&tol=1e-6"
FIRST, SECOND = "first race", "l2 10/n instead of 1/n"


def run(visitor) -> None:
    visitor.press("Run")
    ended(visitor)


def ended(visitor) -> None:
    """Wait for the end of a race of the present choices: the status of others is not shown."""
    visitor.wait_until(lambda: visitor.status == "All runs have ended.", 60)


def labels(visitor) -> list[str]:
    """What the legend says."""
    return visitor.page.evaluate(
        """() => Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
          .find((model) => model.type === "Legend")?.items.map((item) => item.label.value) ?? []"""
    )


def on_stage(visitor) -> list[str]:
    """The names of the curves."""
    return [lane["label"] for lane in visitor.race["lanes"]]


def row(visitor, name: str):
    """The part of the table that is about this run."""
    visitor.wait_until(lambda: name in shown_names(visitor))
    return visitor.page.locator("tbody:has(input[type=text])").nth(shown_names(visitor).index(name))


def shown_names(visitor) -> list[str]:
    names = visitor.page.get_by_label("Name of the run")
    return names.evaluate_all("inputs => inputs.map((input) => input.value)")


def two_runs(visit, size=None):
    visitor = visit(QUICK, **({"size": size} if size else {}))
    ended(visitor)  # a link runs
    visitor.page.get_by_label("compare with earlier races").check()
    visitor.open("Advanced")
    visitor.choose("L2 weight", "10")
    visitor.wait_until(lambda: visitor.status == "")
    run(visitor)
    visitor.open("Race")
    visitor.wait_until(lambda: len(labels(visitor)) == 6)
    return visitor


@pytest.mark.full
def test_a_race_that_is_kept_in_the_picture_is_compared_with_the_next(visit):
    visitor = two_runs(visit)
    visitor.wait_until(lambda: len(labels(visitor)) == 6)
    assert labels(visitor)[0] == f"{FIRST}: sdca, importance"
    assert f"{SECOND} : " in visitor.text
    earlier = [f"l2 1/n: {method}" for method in ("sdca", "quartz", "rcd")]
    visitor.wait_until(lambda: on_stage(visitor)[3:] == earlier)
    assert "These races are on different problems" in visitor.text
    visitor.page.get_by_role("group", name="Curves").get_by_label("rcd").uncheck()  # in both races
    visitor.wait_until(lambda: [len(curve) > 0 for curve in visitor.curves] == [True, True, False] * 2)


@pytest.mark.full
def test_runs_are_renamed_muted_unpinned_and_removed(visit):
    visitor = two_runs(visit)
    visitor.open("Runs")
    first = row(visitor, FIRST)
    assert "1/n" in first.inner_text()
    assert "pass limit" in first.inner_text()
    name = first.get_by_label("Name of the run")
    name.fill("small l2")
    name.press("Tab")
    visitor.wait_until(lambda: "small l2: sdca" in on_stage(visitor))
    row(visitor, "small l2").get_by_label("mute").check()
    visitor.wait_until(lambda: len(on_stage(visitor)) == 3)
    row(visitor, "small l2").get_by_label("mute").uncheck()
    visitor.wait_until(lambda: len(on_stage(visitor)) == 6)
    row(visitor, "small l2").get_by_role("button", name="Remove").click()
    visitor.wait_until(lambda: shown_names(visitor) == [SECOND])
    visitor.wait_until(lambda: len(on_stage(visitor)) == 3)


@pytest.mark.full
def test_a_name_that_is_taken_is_refused_and_put_back(visit):
    visitor = visit()
    run(visitor)
    visitor.open("Runs")
    name = row(visitor, "the same again").get_by_label("Name of the run")
    name.fill("example")
    name.press("Tab")
    visitor.wait_until(lambda: "Another run is called example." in visitor.text)
    visitor.wait_until(lambda: shown_names(visitor) == ["the same again", "example"])


@pytest.mark.full
def test_a_running_race_cannot_be_removed(visit):
    visitor = visit("?n=5000&d=500&passes=10000&tol=0.0")
    visitor.wait_until(lambda: visitor.status.startswith("Running"))
    visitor.open("Runs")
    name = "first race"
    remove = row(visitor, name).get_by_role("button", name="Remove")
    assert remove.is_disabled()
    assert "running" in row(visitor, name).inner_text()
    visitor.press("Stop")
    visitor.wait_until(lambda: "stopped" in row(visitor, name).inner_text())
    remove.click()
    visitor.wait_until(lambda: "is the only run: mute it, or run another." in visitor.text)


@pytest.fixture
def saved(visit, tmp_path):
    """A session file with two runs, the first of them pinned, and the choices of the second."""
    visitor = two_runs(visit)
    visitor.open("Runs")
    with visitor.page.expect_download() as download:
        visitor.press("Save the session")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.full
def test_a_session_is_restored_with_runs_and_choices(visit, saved):
    visitor = visit()
    visitor.open("Runs")
    visitor.page.get_by_label("Open a session").set_input_files(saved)
    visitor.wait_until(lambda: "2 runs and the choices have been restored." in visitor.text)
    assert shown_names(visitor) == [SECOND, FIRST, "example"]
    assert row(visitor, FIRST).get_by_label("pin").is_checked()
    visitor.wait_until(lambda: "d=50" in visitor.page.url and "l2=10.0" in visitor.page.url)
    visitor.wait_until(lambda: len(on_stage(visitor)) == 6)
    stale = visitor.region("Convergence").get_by_role("status")
    assert stale.inner_text() == ""  # they are those of the latest run
    run(visitor)  # and the page goes on


@pytest.mark.full
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x00\x01 no JSON", "This is not a session file: it is not JSON, or it is damaged."),
        (b'{"cells": []}', "This is not a session file: save one with the button Save the session."),
        (None, "This session file is damaged: the passes of a run fall."),
    ],
    ids=["binary", "another file", "damaged"],
)
def test_a_bad_file_is_refused_in_one_sentence(visit, saved, tmp_path, content, sentence):
    if content is None:
        changed = json.loads(saved.read_text())
        changed["races"][0]["lanes"][0]["columns"]["passes"][0] = 1e9
        content = json.dumps(changed).encode()
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    visitor = visit()
    visitor.open("Runs")
    visitor.page.get_by_label("Open a session").set_input_files(bad)
    visitor.wait_until(lambda: sentence in visitor.text)
    assert shown_names(visitor) == ["example"]


@pytest.mark.full
def test_a_file_that_is_too_large_is_not_even_sent(visit, tmp_path):
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(60_000_000)
    visitor = visit()
    visitor.open("Runs")
    visitor.page.get_by_label("Open a session").set_input_files(large)
    visitor.wait_until(lambda: "large.json has 60.0 MB; this dashboard takes at most 50 MB." in visitor.text)


@pytest.mark.full
def test_all_points_of_all_runs_can_be_saved(visit):
    visitor = visit()
    run(visitor)
    visitor.open("Runs")
    for button, names in (("Save all as CSV", {"example", "the same again"}), ("CSV", {"the same again"})):
        with visitor.page.expect_download() as download:
            visitor.page.get_by_role("button", name=button, exact=True).first.click()
        lines = download.value.path().read_text().splitlines()[1:]
        assert {line[0] for line in csv.reader(lines)} == names


@pytest.mark.full
def test_the_tab_is_readable_on_a_phone(visit):
    visitor = visit(size=PHONE)
    visitor.open("Runs")
    row(visitor, "example").wait_for()
    width = visitor.page.locator("#main").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert width[0] <= width[1]


@pytest.mark.full
def test_the_table_is_styled(visit):
    visitor = visit()
    visitor.open("Runs")
    row(visitor, "example").wait_for()
    table = visitor.page.locator("table", has=visitor.page.get_by_label("Name of the run"))
    assert table.evaluate("table => getComputedStyle(table).borderCollapse") == "collapse"
    button = visitor.page.get_by_role("button", name="Save the session")
    assert button.evaluate("button => getComputedStyle(button).borderRadius") == "4px"
