"""One file holds all results, whatever ends the processes that fill it and wherever it lies."""

import contextlib
import signal
import sqlite3
import sys
import threading
from types import SimpleNamespace

import pytest
from disks import FULL, disk, remount
from processes import start
from stores import claims, query, sessions
from swept import contents, grid

import cdlab
from cdlab.sweeps import session as session_module
from cdlab.sweeps import store_file
from cdlab.sweeps.result_store import ResultStore
from cdlab.sweeps.session import Session

CLAIM = """
import sys, time
from pathlib import Path
from cdlab.sweeps.session import Session
with Session(Path({folder!r})) as session:
    session.put("finished", "run", {{}})
    print(session.claim("one"), flush=True)
    time.sleep(600)
"""


def test_what_is_put_is_found_until_it_is_deleted(tmp_path):
    store = ResultStore(tmp_path)
    assert store.index() == {}
    assert store.get("a") is None
    store.put("a", "run", {"x": 1}, "trace")
    store.put("b", "other", {})
    store.put("a", "run", {"x": 2}, "another")
    assert list(store.index()) == ["b", "a"]
    assert store.index("run").keys() == {"a"}
    assert store.get("a", "run") == ('{"x": 2}', "another")
    assert store.get("a", "other") is None
    assert store.rows("run", "other") == [("b", "{}"), ("a", '{"x": 2}')]
    store.delete(["a"])
    assert list(store.index()) == ["b"]


def test_a_key_is_claimed_once_until_it_is_released(tmp_path):
    with Session(tmp_path) as one, Session(tmp_path) as other:
        assert one.claim("a")
        assert one.claim("a")
        assert not other.claim("a")
        assert other.claim("b")
        one.release("a")
        assert other.claim("a")
        other.release("a")
        assert one.claim("a")
    assert claims(tmp_path) == []
    assert sessions(tmp_path) == []


def test_the_end_of_a_session_releases_what_it_claimed(tmp_path):
    with Session(tmp_path) as other:
        assert other.claim("b")
        with Session(tmp_path) as one:
            assert one.claim("a")
            assert not other.claim("a")
        assert other.claim("a")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_the_claims_of_a_process_that_was_killed_are_free_at_once(tmp_path):
    process = start(CLAIM.format(folder=str(tmp_path)))
    assert process.stdout.readline() == "True\n"
    with Session(tmp_path) as session:
        assert not session.claim("one")
        assert not session.claim("one")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert session.claim("one")
        assert list(session.index()) == ["finished"]
        (left,) = (path for path in sessions(tmp_path) if path != session.session_folder)
    with Session(tmp_path) as session:
        assert session.claim("one")
        assert not left.exists()


@pytest.mark.parametrize("size", ["64k", "1m"])
def test_on_a_disk_that_is_full_the_space_is_told_and_what_is_there_stays(size):
    """At once, or after some results."""
    kept = []

    def fill(folder):
        with Session(folder) as session:
            for k in range(1000):
                session.put(str(k), "run", {"k": k}, "7" * 10000)
                kept.append(str(k))

    with disk(size) as folder:
        with pytest.raises(OSError, match=FULL):
            fill(folder)
        assert (len(kept) > 5) == (size == "1m")
        remount(folder, "size=9m")
        assert list(ResultStore(folder).index("run")) == kept
        ResultStore(folder).put("more", "run", {})
        assert list(ResultStore(folder).index("run")) == [*kept, "more"]


def test_a_store_that_cannot_be_written_is_read_and_found_complete(tmp_path):
    with disk("9m") as folder:
        whole = contents(cdlab.sweep(grid(), store=folder))
        remount(folder, "ro")
        store = cdlab.Store(folder)
        assert contents(store) == whole
        assert len(store.where(method="rcd").to_frame()) == 4
        assert contents(cdlab.sweep(grid(), store=folder)) == whole
        with pytest.raises(OSError, match="Read-only file system"):
            cdlab.sweep(grid(seed=[2]), store=folder)
        remount(folder, "rw")
        query(folder, "UPDATE results SET trace = '{'")
        remount(folder, "ro")
        with pytest.warns(UserWarning, match="cannot be set aside: Read-only file system"):
            assert cdlab.Store(folder).traces() == []


def test_a_store_that_was_not_closed_on_a_disk_that_cannot_be_written_says_what_to_do():
    with disk("9m") as folder:
        process = start(CLAIM.format(folder=str(folder)))
        assert process.stdout.readline() == "True\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        (folder / "store.sqlite-shm").unlink()  # as on another machine
        remount(folder, "ro")
        with pytest.raises(OSError, match="its last results are in store.sqlite-wal, .*: copy both to"):
            cdlab.Store(folder).to_frame()
        remount(folder, "rw")
        assert list(ResultStore(folder).index()) == ["finished"]


def test_on_a_network_folder_the_journal_is_one_that_works_there_and_that_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(store_file, "network_file_system", lambda folder: "nfs4")
    with pytest.warns(UserWarning, match=r"is on a network \(nfs4\), .*only one machine should write to it at a time"):
        whole = contents(cdlab.sweep(grid(), store=tmp_path))
    assert query(tmp_path, "PRAGMA journal_mode") == [("delete",)]
    monkeypatch.undo()
    assert contents(cdlab.sweep(grid(), store=tmp_path)) == whole


def test_the_kind_of_a_disk_is_that_of_its_mount(tmp_path, monkeypatch):
    mounts = [
        SimpleNamespace(mountpoint=str(tmp_path / "net"), fstype="NFS4", opts="rw"),
        SimpleNamespace(mountpoint="/", fstype="ext4", opts="rw"),
    ]
    monkeypatch.setattr(store_file.psutil, "disk_partitions", lambda **_: mounts)
    (tmp_path / "net" / "below").mkdir(parents=True)
    assert store_file.network_file_system(tmp_path / "net" / "below") == "NFS4"
    assert store_file.network_file_system(tmp_path) == ""


def test_a_file_that_was_never_written_to_is_an_empty_store(tmp_path):
    """Its process was killed as it made it."""
    sqlite3.connect(tmp_path / "store.sqlite").close()
    (tmp_path / "store.sqlite").touch()
    assert len(cdlab.Store(tmp_path).to_frame()) == 0
    assert len(cdlab.sweep(grid(), store=tmp_path)) == 8


def test_a_result_that_is_put_during_a_checkpoint_has_another_one_after_it(tmp_path, monkeypatch):
    begun, go_on, there = threading.Event(), threading.Event(), []

    def open_slowly(path, options):
        there.append(list(ResultStore(tmp_path).index()))
        begun.set()
        go_on.wait(60)
        return store_file.open_file(path, options)

    monkeypatch.setattr(session_module, "open_file", open_slowly)
    with Session(tmp_path) as session:
        session.put("a", "run", {})
        assert begun.wait(60)
        session.put("b", "run", {})
        session.put("c", "run", {})
        go_on.set()
    assert there == [["a"], ["a", "b", "c"]]


def test_a_result_that_cannot_be_set_aside_says_why(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)
    store.put("a", "run", {})
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.05)
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        words = store.set_aside("a", "no JSON")
    assert words.endswith("and cannot be set aside: another process has kept it locked for 0.05 s")
