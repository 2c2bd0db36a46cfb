"""Presets, files, code and colours as a visitor uses them, in a real browser."""

import io
import subprocess
import sys

import numpy as np
import pytest
from browsing import PHONE, TEXT

pytestmark = pytest.mark.ui

GOOD = "".join(f"{(-1) ** k} 1:{k % 5} 3:0.5 4:{k % 3}\n" for k in range(40)).encode()
BAD = b"+1 1:0.5\n-1 1:x\n"

# of each visible element with text: its contrast with what is behind it (WCAG 2), and its text
CONTRASTS = """elements => elements.filter((each) => each.checkVisibility() && each.innerText.trim()).map((element) => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number)
  let behind = element
  const opaque = (node) => (parse(getComputedStyle(node).backgroundColor)[3] ?? 1) > 0
  while (!opaque(behind)) behind = behind.parentElement ?? behind.getRootNode().host ?? document.documentElement
  const light = (text) => parse(text).slice(0, 3)
    .map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0)
  const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(behind).backgroundColor)]
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.innerText]
})"""
READ = "p, th, td, label, pre, button:enabled, .bk-tab, summary, .quiet, a, h2, li, code"


def chosen(visitor, label: str) -> str:
    return visitor.page.get_by_label(label, exact=True).input_value()


def sidebar(visitor) -> str:
    """All its text, also inside shadow roots."""
    return visitor.page.locator("#sidebar").evaluate(TEXT)


def upload(visitor, path, content: bytes) -> None:
    path.write_bytes(content)
    visitor.choose("Data", "upload")
    field = visitor.page.get_by_label("File", exact=True)
    field.wait_for()
    field.set_input_files(path)


def brightness(visitor) -> float:
    """Of the figure, on average, 0 to 1."""
    from PIL import Image

    picture = Image.open(io.BytesIO(visitor.page.locator(".bk-Figure").first.screenshot())).convert("L")
    return float(np.asarray(picture).mean() / 255)


# ---------------------------------------------------------------- presets
def test_a_preset_sets_the_choices_and_says_what_to_look_for(visit):
    visitor = visit()
    visitor.choose("Preset", "cyclic order can be terrible")
    visitor.wait_until(lambda: chosen(visitor, "Data") == "sun_ye")
    assert "each step undoes what the last one did" in sidebar(visitor)
    assert chosen(visitor, "Examples n") == "50"
    assert not visitor.page.get_by_label("Features d", exact=True).is_visible()
    visitor.wait_until(lambda: "data=sun_ye" in visitor.page.url and "against=uniform" in visitor.page.url)
    visitor.press("Run")
    visitor.wait_until(lambda: visitor.status == "Done.")
    assert "sdca, cyclic" in visitor.text
    visitor.choose("Examples n", "40")
    visitor.wait_until(lambda: chosen(visitor, "Preset") == "none")


@pytest.mark.full
def test_an_address_opens_the_preset(visit):
    visitor = visit()
    visitor.choose("Preset", "one heavy row")
    visitor.wait_until(lambda: "against=importance" in visitor.page.url)
    again = visit("?" + visitor.page.url.partition("?")[2])
    assert chosen(again, "Preset") == "one heavy row"


@pytest.mark.full
def test_methods_stand_in_groups_and_what_does_not_fit_is_grey(visit):
    visitor = visit("?loss=hinge&dual_sampling=uniform")
    for title in ("Dual coordinates", "Primal-dual", "Proximal point", "Gradient", "Linear systems"):
        visitor.page.get_by_role("group", name=title, exact=True).wait_for()
    label = visitor.page.locator("label", has=visitor.page.locator("input[value=quartz]"))
    assert "grey" in label.get_attribute("class")
    assert "quartz needs a smooth loss" in label.get_attribute("title")
    sampling = visitor.page.get_by_label("Sampling, dual", exact=True).locator("option[value=importance]")
    assert sampling.get_attribute("class") == "grey"
    assert sampling.get_attribute("title").startswith("Importance sampling needs a smooth loss")


# ---------------------------------------------------------------- files
def test_a_file_is_read_and_raced_on(visit, tmp_path):
    visitor = visit()
    upload(visitor, tmp_path / "mine.txt", GOOD)
    visitor.wait_until(lambda: "mine.txt: 40 examples, 4 features" in sidebar(visitor))
    visitor.wait_until(lambda: "upload=mine.txt" in visitor.page.url)
    visitor.press("Run")
    visitor.wait_until(lambda: visitor.status == "Done.")
    assert "dense 40 x 4" in visitor.text  # a text file without zeros becomes an array
    again = visit("?" + visitor.page.url.partition("?")[2])
    assert "choose that file to see the same" in sidebar(again)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.txt", BAD, "bad.txt, line 2: the value 'x' of '1:x' is not a number"),
        ("bad.csv", b"1,2\n3\n", "bad.csv, line 2: 1 fields"),
        ("bad.npz", b"PK\x03\x04", "bad.npz is not an NPZ file"),
        ("large.txt", b"0" * 51_000_000, "this dashboard takes at most 50 MB"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_beneath_the_field(visit, tmp_path, name, content, words):
    visitor = visit()
    upload(visitor, tmp_path / name, content)
    visitor.wait_until(lambda: words in sidebar(visitor))
    upload(visitor, tmp_path / "mine.txt", GOOD)  # and the next one is read
    visitor.wait_until(lambda: "40 examples" in sidebar(visitor))
    assert words not in sidebar(visitor)


@pytest.mark.full
# ---------------------------------------------------------------- code
def test_the_copied_script_gives_the_same_curves(visit, tmp_path):
    visitor = visit("?n=200&d=30&passes=20&against=uniform&methods=sdca&seeds=2")
    visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor.open("Code")
    visitor.page.get_by_role("button", name="Copy", exact=True).focus()
    visitor.page.keyboard.press("Enter")
    visitor.wait_until(lambda: "Copied." in visitor.text)
    script = visitor.page.evaluate("navigator.clipboard.readText()")
    assert script == visitor.page.locator("pre").inner_text()
    path = tmp_path / "race.py"
    path.write_text(script)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=100, check=True)
    ends = [line for line in run.stdout.splitlines() if "seed" not in line]
    assert run.stdout.count("sdca, importance seed") == run.stdout.count("sdca, uniform seed") == 2
    assert len(ends) > 10
    with visitor.page.expect_download() as download:
        visitor.press("Save as race.py")
    assert download.value.path().read_text() == script


@pytest.mark.full
def test_the_script_follows_the_choices(visit):
    visitor = visit()
    visitor.open("Code")
    visitor.wait_until(lambda: "n=1000" in visitor.page.locator("pre").inner_text())
    visitor.choose("Examples n", "500")
    visitor.wait_until(lambda: "n=500" in visitor.page.locator("pre").inner_text())


@pytest.mark.full
# ---------------------------------------------------------------- colours
@pytest.mark.parametrize(
    ("look", "size"),
    [
        ("dark", {"width": 1280, "height": 900}),
        ("light", PHONE),
        ("light", {"width": 1280, "height": 900}),
        ("dark", PHONE),
    ],
    ids=["dark-desktop", "light-phone", "light-desktop", "dark-phone"],
)
def test_both_looks_are_readable_everywhere(visit, look, size):
    visitor = visit(f"?look={look}", size=size)
    assert (brightness(visitor) < 0.3) == (look == "dark")
    for tab in visitor.tabs:
        visitor.open(tab)
        visitor.wait_until(lambda: "Working it out." not in visitor.text)
        visitor.page.wait_for_timeout(300)
        contrasts = visitor.page.locator(READ).evaluate_all(CONTRASTS)
        assert len(contrasts) > 20
        assert min(contrasts)[0] >= 4.5, (tab, min(contrasts))
        width = visitor.page.locator("#main").evaluate("main => [main.scrollWidth, main.clientWidth]")
        assert width[0] <= width[1], tab


@pytest.mark.full
def test_the_look_is_kept_in_the_address(visit):
    visitor = visit()
    assert brightness(visitor) > 0.7
    visitor.page.get_by_role("button", name="Dark", exact=True).click()
    assert brightness(visitor) < 0.3
    assert visitor.page.url.endswith("?look=dark")
    visitor.choose("Examples n", "500")
    visitor.wait_until(lambda: "n=500" in visitor.page.url)
    assert "look=dark" in visitor.page.url
    again = visit("?" + visitor.page.url.partition("?")[2])
    assert brightness(again) < 0.3
    assert chosen(again, "Examples n") == "500"
    assert "left out" not in again.text


@pytest.mark.full
def test_on_a_phone_the_sidebar_has_the_whole_width(visit):
    visitor = visit(size=PHONE)
    visitor.page.locator("#sidebar-toggle").click()
    visitor.page.wait_for_timeout(600)
    assert visitor.page.locator("#sidebar").bounding_box()["width"] == PHONE["width"]
    assert visitor.page.locator("#sidebar").evaluate("bar => bar.scrollWidth <= bar.clientWidth")
