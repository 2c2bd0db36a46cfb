"""files.atomic_write: a file has all of its content, or is as it was; and where caches are."""

import errno
import os
import shutil
import sys

import numpy as np
import platformdirs
import pytest
from disks import FULL, disk
from problems import problem

import cdlab
from cdlab.numerics.files import atomic_write, cache_folder
from cdlab.sweeps.data import Data
from cdlab.sweeps.executors import SharedFiles


def written(path, content):
    with atomic_write(path) as file:
        file.write(content)


def test_the_file_has_the_content_and_nothing_else_is_left(tmp_path):
    written(tmp_path / "a", b"1")
    written(str(tmp_path / "a"), b"22")
    assert (tmp_path / "a").read_bytes() == b"22"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_whatever_ends_the_writing_leaves_what_was_there(tmp_path, error):
    written(tmp_path / "a", b"1")
    with pytest.raises(error), atomic_write(tmp_path / "a") as file:  # noqa: PT012
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


def test_what_is_no_file_is_written_to_and_stays_what_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    written(pipe, b"1")
    assert os.read(reader, 9) == b"1"
    os.close(reader)
    assert os.listdir(tmp_path) == ["pipe"]
    assert pipe.is_fifo()


def saved_everywhere(folder):
    """All that cdlab writes for others to read: what it is called, and how it is written into a folder."""
    s = cdlab.solve(problem(), "sdca", max_passes=3, tol=0)
    race = cdlab.race(problem(), ["sdca"], max_passes=3, tol=0)
    shared = SharedFiles(folder / "shared")
    return {
        "solution": lambda: s.save(folder / "a"),
        "trace": lambda: s.trace.save(folder / "a"),
        "picture": lambda: cdlab.plots.save(cdlab.plots.race(race), folder / "a.png"),
        "data": lambda: shared.mapped(Data("mushrooms", {}), (np.ones((500, 400)), np.ones(500))),
    }


@pytest.mark.parametrize("why", ["ENOSPC", "a count"])
def test_a_full_disk_is_told_with_the_folder_and_the_space_left(tmp_path, monkeypatch, why):
    """Whatever is written, by whichever function fails."""
    writes = saved_everywhere(tmp_path)
    real = open

    def full(path, mode="r", *rest, **named):
        if mode == "rb" or not str(path).startswith(str(tmp_path)) or "w" not in mode:
            return real(path, mode, *rest, **named)
        if why == "ENOSPC":
            raise OSError(errno.ENOSPC, "No space left on device")
        raise OSError("170604 requested and 31728 written")  # numpy's

    monkeypatch.setattr("builtins.open", full)
    for what, write in writes.items():
        with pytest.raises(OSError, match=r"no space is left in the folder .*: .* free, .* needed") as told:
            write()
        assert told.value.errno == errno.ENOSPC, what
        assert str(tmp_path) in told.value.strerror, what
        assert told.value.filename.startswith(str(tmp_path)), what


@pytest.fixture
def tiny():
    """A folder on a disk of 64 kB."""
    with disk("64k") as folder:
        yield folder


def test_on_a_disk_that_is_full_nothing_is_left_and_the_space_is_told(tiny):
    P = cdlab.Problem(np.random.default_rng(0).standard_normal((40, 40000)), np.arange(40) % 2)
    s = cdlab.solve(P, "sdca", max_passes=1, tol=0)
    written(tiny / "before", b"1")
    shared = SharedFiles(tiny / "shared")
    for write in (lambda: s.save(tiny / "before"), lambda: shared.mapped(Data("data", {}), (P.X, P.y))):
        with pytest.raises(OSError, match=FULL):
            write()
    shutil.rmtree(tiny / "shared")  # by the session that it belongs to
    assert (tiny / "before").read_bytes() == b"1"
    assert os.listdir(tiny) == ["before"]


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
