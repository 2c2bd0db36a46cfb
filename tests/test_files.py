"""files.whole: a file has all of its content, or is as it was; and where caches are."""

import os
import sys

import platformdirs
import pytest

from cdlab.numerics.files import cache_folder, whole


def written(path, content):
    with whole(path) as file:
        file.write(content)


def test_the_file_has_the_content_and_nothing_else_is_left(tmp_path):
    written(tmp_path / "a", b"1")
    written(str(tmp_path / "a"), b"22")
    assert (tmp_path / "a").read_bytes() == b"22"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_whatever_ends_the_writing_leaves_what_was_there(tmp_path, error):
    written(tmp_path / "a", b"1")
    with pytest.raises(error), whole(tmp_path / "a") as file:  # noqa: PT012
        file.write(b"2")
        raise error
    assert (tmp_path / "a").read_bytes() == b"1"
    assert os.listdir(tmp_path) == ["a"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    absent, folder = tmp_path / "absent" / "a", tmp_path / "folder"
    folder.mkdir()
    for path in (absent, folder):
        with pytest.raises(OSError) as refused:  # noqa: PT011
            written(path, b"1")
        assert refused.value.filename == str(path)
    assert os.listdir(tmp_path) == ["folder"]


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("a" * 255)
    written(path, b"1")
    assert path.read_bytes() == b"1"


def test_caches_are_where_the_system_or_the_person_wants_them(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "cdlab"
    for unset in ("", None):
        monkeypatch.setenv("XDG_CACHE_HOME", "") if unset == "" else monkeypatch.delenv("XDG_CACHE_HOME")
        assert cache_folder() == platformdirs.user_cache_path("cdlab", appauthor=False)


@pytest.mark.skipif(sys.platform != "linux", reason="each system has another folder")
def test_on_linux_the_folder_is_the_one_it_always_was(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "cdlab"
