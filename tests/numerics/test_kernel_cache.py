"""Compiled kernels on disk: found by the next process, never stale, and never in the way."""

import errno
import hashlib
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from cases import pushed
from numba.core.compiler import CompileResult
from processes import finish, python, start

import cdlab
from cdlab.numerics import files, jit
from cdlab.numerics.jit import functions, kernel_cache

PACKAGE = Path(cdlab.__file__).parent
pytestmark = pytest.mark.skipif(jit.config.DISABLE_JIT, reason="kernels are not compiled")


# ---------------------------------------------------------------- processes
LOSSES = """
import json, sys, numpy as np
from cdlab import losses
from cdlab.losses import per_example
values = [per_example.mean_loss(getattr(losses, name)(), np.arange(3.0), np.ones(3)) for name in {names}]
stats = per_example._losses.stats
print(json.dumps([*values, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), stats.cache_path]))
"""
SQUARED = LOSSES.format(names=["Squared"])
MEAN = 1 / 3  # of (u - 1)^2/2 at u = 0, 1, 2


def test_a_second_process_only_loads_and_an_edited_formula_is_compiled(tmp_path):
    package = shutil.copytree(PACKAGE, tmp_path / "cdlab", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    cold, warm = python(SQUARED, tmp_path, **environment), python(SQUARED, tmp_path, **environment)
    assert cold[:3] == [pytest.approx(MEAN), 0, 1]
    assert warm == [pytest.approx(MEAN), 1, 0, cold[3]]
    source = package / "losses" / "scalar.py"
    formula = "return self.c * (u - y) ** 2\n"
    assert formula in source.read_text()
    source.write_text(source.read_text().replace(formula, "return 10 * self.c * (u - y) ** 2\n"))
    assert python(SQUARED, tmp_path, **environment)[:3] == [pytest.approx(10 * MEAN), 0, 1]


@pytest.mark.full
def test_processes_that_compile_at_once_agree_and_leave_all_their_kernels(tmp_path):
    names, environment = ["Squared", "Huber", "Squared"], {"NUMBA_CACHE_DIR": str(tmp_path)}
    started = [start(LOSSES.format(names=[name]), **environment) for name in names]
    together = [finish(process) for process in started]
    assert [errors for _, errors in together] == [""] * 3
    squared, huber, again = (value for (value, *_), _ in together)
    assert again == squared
    *later, folder = python(LOSSES.format(names=names[:2]), **environment)
    assert later == [squared, huber, 2, 0]
    assert len(list(Path(folder).iterdir())) == 2


def test_where_nothing_can_be_written_kernels_still_run_and_one_warning_says_so(tmp_path):
    blocker = tmp_path / "file"
    blocker.touch()
    more = "per_example.mean_loss(losses.Huber(), np.arange(3.0), np.ones(3))"
    (value, *_), errors = finish(start(SQUARED + more, NUMBA_CACHE_DIR=str(blocker)))
    assert value == pytest.approx(MEAN)
    assert errors.count("RuntimeWarning") == errors.count(str(blocker)) == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in errors


@pytest.mark.full
def test_a_disk_that_fills_up_costs_one_warning(tmp_path):
    """A limit on the size of files stands for the full disk: both end a write in its middle."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    (value, *_), errors = finish(start(limit + SQUARED, NUMBA_CACHE_DIR=str(tmp_path)))
    assert value == pytest.approx(MEAN)
    assert errors.count("RuntimeWarning") == errors.count(str(tmp_path)) == 1
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]  # nor is half a file left for the next process


# ---------------------------------------------------------------- private names of numba
HIDDEN = """
import sys
from numba.core import caching, compiler, cpu, dispatcher

def from_cdlab():
    return sys._getframe(2).f_globals["__name__"].startswith("cdlab.numerics.jit")

class Hidden:  # an attribute that numba itself has and cdlab finds missing, as if numba called it otherwise
    def __init__(self, own=None):
        self.own = own

    def __get__(self, holder, kind):
        if from_cdlab():
            raise AttributeError("hidden")
        return holder.__dict__["hidden"] if self.own is None else self.own.__get__(holder, kind)

    def __set__(self, holder, value):
        if not from_cdlab():
            holder.__dict__["hidden"] = value

"""
REMOVED = {
    "_Cache": "del caching._Cache",
    "_Cache, with another method": "caching._Cache.__abstractmethods__ |= {'touch'}",
    "_Cache, with another parameter": "caching._Cache.load_overload = lambda self, sig, context, flags: None",
    "_cache": "dispatcher.Dispatcher._cache = Hidden()",
    "_reduce": "del compiler.CompileResult._reduce",
    "_rebuild": "del compiler.CompileResult._rebuild",
    "_compile_for_args": "own = dispatcher.Dispatcher._compile_for_args\n"
    "dispatcher.Dispatcher._compile_for_args = Hidden(own)",
    "_nrt": "del cpu._options_mixin._nrt",
}
LOST = {"_compile_for_args": "numba's own error", "_nrt": "a third slower"}


@pytest.mark.parametrize("name", pushed(REMOVED, "_Cache"))
def test_without_a_private_name_of_numba_kernels_run_and_one_warning_says_what_is_lost(name, tmp_path):
    lost, program = LOST.get(name, "each process compiles its own"), HIDDEN + REMOVED[name] + "\n" + SQUARED
    for _ in range(2):
        (value, hits, misses, _), errors = finish(start(program, NUMBA_CACHE_DIR=str(tmp_path)))
        assert value == pytest.approx(MEAN)
        assert errors.count("RuntimeWarning") == errors.count(lost) == 1, errors
        assert "lacks private names" in errors
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert (hits == 1 and misses == 0 and kept) if name in LOST else not kept


@pytest.mark.parametrize("name", ["_reduce", "_rebuild"])
def test_a_private_name_that_fails_costs_a_warning_and_no_result(folder, name, monkeypatch):
    def fails(*_):
        raise RuntimeError("not in this version")

    monkeypatch.setattr(CompileResult, name, fails)
    with pytest.warns(RuntimeWarning, match="not in this version"):
        assert loaded(folder, 2.5 if name == "_reduce" else 21) == (0, 1)


# ---------------------------------------------------------------- entries
def double(x):
    return 2 * x


def loaded(folder, x=21):
    """How often a new kernel was found there, and how often not, after it has run."""
    compiled = functions.cached_kernel(double, folder)
    assert compiled(x) == 2 * x
    return sum(compiled.stats.cache_hits.values()), sum(compiled.stats.cache_misses.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """One in which a kernel is kept; nothing has been warned of in this process."""
    monkeypatch.setattr(kernel_cache, "_has_warned", False)
    assert loaded(tmp_path / "kernels") == (0, 1)
    assert loaded(tmp_path / "kernels") == (1, 0)
    return tmp_path / "kernels"


def whole(content):
    return hashlib.sha256(content).digest() + content


DAMAGES = {
    "empty": lambda content: b"",
    "cut off in the checksum": lambda content: content[:10],
    "cut off": lambda content: content[: len(content) // 2],
    "one bit": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "random": lambda content: np.random.default_rng(0).bytes(len(content)),
    "whole, but not a kernel": lambda content: whole(b"not a kernel"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_kernel_is_compiled_and_replaced_and_one_warning_says_where(folder, damage):
    (entry,) = folder.iterdir()
    entry.write_bytes(DAMAGES[damage](entry.read_bytes()))
    with pytest.warns(RuntimeWarning) as told:
        assert loaded(folder) == (0, 1)
    assert len(told) == 1
    assert f"kernels in {folder} failed" in str(told[0].message)
    assert "Delete that folder" in str(told[0].message)
    assert loaded(folder) == (1, 0)
    assert list(folder.iterdir()) == [entry]


def test_one_warning_a_process_is_enough(folder, monkeypatch):
    (entry,) = folder.iterdir()
    entry.write_bytes(b"")
    monkeypatch.setattr(files, "atomic_write", refused)
    with pytest.warns(RuntimeWarning) as told:
        assert [loaded(folder), loaded(folder)] == [(0, 1), (0, 1)]
    assert len(told) == 1


def refused(*_):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def test_a_filled_folder_that_cannot_be_written_is_read_in_silence(folder, monkeypatch):
    monkeypatch.setattr(files, "atomic_write", refused)
    monkeypatch.setattr(os, "utime", refused)
    assert loaded(folder) == (1, 0)
    with pytest.warns(RuntimeWarning, match="Read-only file system"):
        assert loaded(folder, 2.5) == (0, 1)  # of another type: not there


def test_other_types_are_other_entries_and_recompiling_forgets_them(folder):
    assert loaded(folder, 2.5) == (0, 1)
    assert loaded(folder, np.float32(2.5)) == (0, 1)
    assert len(list(folder.iterdir())) == 3
    functions.cached_kernel(double, folder)._cache.flush()
    assert not list(folder.iterdir())


def test_kernels_of_other_sources_go_when_nobody_has_used_them_for_a_month(tmp_path):
    old, recent = tmp_path / "old", tmp_path / "recent"
    old.mkdir()
    recent.mkdir()
    os.utime(old, (0, 0))
    assert loaded(tmp_path / "own") == (0, 1)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["own", "recent"]
    os.utime(tmp_path / "own", (0, 0))
    assert loaded(tmp_path / "own") == (1, 0)
    assert loaded(tmp_path / "another") == (0, 1)
    assert (tmp_path / "own").is_dir()  # it has just been used


def test_a_kernel_with_a_class_from_outside_is_not_kept(folder):
    @jit.struct
    class Pair(NamedTuple):
        a: float
        b: float

    def total(pair):
        return pair.a + pair.b

    compiled = functions.cached_kernel(total, folder)
    assert compiled(Pair(1.0, 2.0)) == 3
    nested = functions.cached_kernel(lambda pairs: pairs[1].a, folder)
    assert nested((0.0, Pair(1.0, 2.0))) == 1
    assert len(list(folder.iterdir())) == 1
