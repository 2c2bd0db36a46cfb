"""files.whole: a file has all of its content, or is as it was."""

import os

import pytest

from cdlab.numerics.files import whole


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
