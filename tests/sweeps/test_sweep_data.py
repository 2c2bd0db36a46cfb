"""Data of runs: read when they are needed, once for all sets that are made from one file."""

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from swept import X, y

from cdlab import datasets
from cdlab.datasets import Derived, steps
from cdlab.sweeps import data
from cdlab.sweeps.data import Data, DataCache


@pytest.fixture
def reads(tmp_path, monkeypatch):
    """A file, and the calls of `load` so far."""
    path, calls, load = tmp_path / "set.svm", [], datasets.load
    dump_svmlight_file(X, y, str(path))

    def counted(*args, **options):
        calls.append((args, options))
        return load(*args, **options)

    monkeypatch.setattr(datasets, "load", counted)
    return path, calls


def derived(path, rows, name="part"):
    return Data(Derived(f"{name}{rows}", str(path), [steps.Permute(), steps.FirstRows(rows)]), {})


def test_sets_that_are_made_from_one_file_read_it_once(reads):
    path, calls = reads
    hand = DataCache()
    found = [hand.arrays(derived(path, rows))[0] for rows in (10, 20)]
    assert len(calls) == 1
    for rows, X_ in zip((10, 20), found, strict=True):
        np.testing.assert_array_equal(X_, derived(path, rows).arrays()[0])


def test_what_does_not_fit_is_read_again(reads, monkeypatch):
    path, calls = reads
    monkeypatch.setattr(data, "CACHED_BYTES", 1)
    hand = DataCache()
    for rows in (10, 20):
        hand.arrays(derived(path, rows))
    assert len(calls) == 2
