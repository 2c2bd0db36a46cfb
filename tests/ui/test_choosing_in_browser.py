"""Files, code and colours as a visitor uses them, in a real browser."""

import io
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.ui

GOOD = "".join(f"{(-1) ** k} 1:{k % 5} 3:0.5 4:{k % 3}\n" for k in range(40)).encode()
BAD = b"+1 1:0.5\n-1 1:x\n"


def upload(visitor, path, content: bytes) -> None:
    path.write_bytes(content)
    visitor.region("Data").locator("input[type=file]").set_input_files(path)


def brightness(visitor) -> float:
    """Of the page, on average, 0 to 1."""
    from PIL import Image

    picture = Image.open(io.BytesIO(visitor.page.screenshot())).convert("L")
    return float(np.asarray(picture).mean() / 255)


# ---------------------------------------------------------------- files
@pytest.mark.full
def test_a_file_is_read_and_raced_on(visit, tmp_path):
    visitor = visit()
    upload(visitor, tmp_path / "mine.txt", GOOD)
    visitor.wait_until(lambda: "mine.txt: 40 examples, 4 features" in visitor.region("Data").inner_text())
    visitor.wait_until(lambda: "upload=mine.txt" in visitor.page.url)
    visitor.press("Run")
    visitor.wait_until(lambda: visitor.status == "All runs have ended.")
    visitor.wait_until(lambda: "40 × 4" in visitor.region("Matrix").inner_text())
    upload(visitor, tmp_path / "bad.txt", BAD)  # what is wrong is said, and the first file goes on being used
    words = "bad.txt, line 2: the value 'x' of '1:x' is not a number"
    visitor.wait_until(lambda: words in visitor.text and "Still using mine.txt" in visitor.text)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.csv", b"1,2\n3\n", "bad.csv, line 2: 1 fields"),
        ("bad.npz", b"PK\x03\x04", "bad.npz is not an NPZ file"),
        ("large.txt", b"0" * 51_000_000, "this dashboard takes at most 50 MB"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(visit, tmp_path, name, content, words):
    visitor = visit()
    upload(visitor, tmp_path / name, content)
    said = visitor.page.get_by_text(words)
    said.wait_for()
    upload(visitor, tmp_path / "mine.txt", GOOD)  # and the next one is read
    visitor.wait_until(lambda: "40 examples" in visitor.region("Data").inner_text())
    visitor.wait_until(lambda: not said.is_visible())


# ---------------------------------------------------------------- code
@pytest.mark.full
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
    visitor.slide("n", 1)
    visitor.wait_until(lambda: "n=1000" not in visitor.page.locator("pre").inner_text())


# ---------------------------------------------------------------- colours
@pytest.mark.full
def test_the_look_is_kept_in_the_address(visit):
    visitor = visit()
    assert brightness(visitor) > 0.7
    visitor.press("Dark")
    assert brightness(visitor) < 0.3
    assert visitor.page.url.endswith("?look=dark")
    visitor.card("dense")
    visitor.wait_until(lambda: "density=1.0" in visitor.page.url)
    assert "look=dark" in visitor.page.url
    again = visit("?" + visitor.page.url.partition("?")[2])
    assert brightness(again) < 0.3
    again.open("Race")
    again.page.locator(".bk-Figure").first.wait_for()
    assert brightness(again) < 0.3  # figures are turned over
    assert "left out" not in again.text
