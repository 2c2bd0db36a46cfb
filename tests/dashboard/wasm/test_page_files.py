"""What `cdlab page` writes: all that the page needs, small, or a sentence that says what is missing."""

import base64
import gzip
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from engines import SMALL, built

from cdlab.cli import main
from cdlab.dashboard.engine import run_views
from cdlab.dashboard.frontend import page
from cdlab.dashboard.frontend.wasm import building, page_file

FOLDER_BYTES = 350_000  # compressed, without data sets, which are fetched when they are chosen
pytestmark = pytest.mark.timeout(900)  # the first test builds


def test_one_file_holds_every_file_of_the_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page, "BUILT", built(SMALL))  # as in a wheel
    assert main(["page", str(tmp_path / "site")]) == 0
    told = capsys.readouterr().out
    text = (tmp_path / "site/cdlab.html").read_text(encoding="utf-8")
    inside = dict(re.findall(r'data-file="([^"]+)">([^<]+)<', text))
    assert {"kernels.wasm", "kernels.json", "bounds.json", "page.json"} <= inside.keys()
    for name, packed in inside.items():
        assert name in told
        assert gzip.decompress(base64.b64decode(packed)) == (tmp_path / "site" / name).read_bytes()
    for name in page.SCRIPTS:
        assert (tmp_path / "site" / name).read_text(encoding="utf-8") in text
    assert set(re.findall(r"https?://[\w.]+", text)) <= {"http://www.w3.org"}  # names of SVG and MathML
    assert main(["page", str(tmp_path / "site"), "--notebooks", '../"course"']) == 0
    index = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert 'data-notebooks="../&quot;course&quot;/"' in index


def test_without_a_linker_one_sentence_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(building, "find_spec", lambda name: None)
    monkeypatch.setattr(building, "cache_folder", lambda: tmp_path / "cache")
    assert main(["page", str(tmp_path / "site")]) == 2
    told = capsys.readouterr()
    assert told.err.splitlines()[-1].endswith("pip install ziglang")
    assert not (tmp_path / "site").exists()


def test_a_name_that_javascript_reads_and_python_lacks_ends_the_build(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "kernels", lambda: built(SMALL))  # without those of svrg, for one
    monkeypatch.delitem(page_file.RULES, run_views)
    with pytest.raises(RuntimeError, match="reads what Python does not write: DIVERGED, .*svrg_epoch"):
        building.build(tmp_path / "page")
    assert not (tmp_path / "page").exists()


@pytest.mark.full
def test_folder_is_small(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "BUILT", built(""))
    files = [name for name in page.write(tmp_path) if name.parts[0] != "presets" and name.name != page.FILE_NAME]
    assert sum(len(gzip.compress((tmp_path / name).read_bytes())) for name in files) < FOLDER_BYTES


@pytest.mark.full
def test_two_builds_at_once_make_the_kernels_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with ThreadPoolExecutor(2) as two:
        first, second = two.map(building.kernels, ["^rcd dense squared L2$"] * 2)
    assert first == second
    assert sorted(path.name for path in first.iterdir()) == ["kernels.json", "kernels.wasm"]
    assert [path.name for path in first.parent.iterdir() if path.is_dir()] == [first.name]
