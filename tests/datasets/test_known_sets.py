"""Every known set of the CDLAB_DATA folder: size, nonzeros, labels, and the memory that reading it takes."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from cdlab.datasets import describe, load, names
from cdlab.datasets.catalogue import shipped

# n, d, stored entries and labels of all rows
WHOLE = {
    "covtype": (
        581012, 54, 6901775, {1: 211840, 2: 283301, 3: 35754, 4: 2747, 5: 9493, 6: 17367, 7: 20510},
    ),
    "covtype.binary": (581012, 54, 6901775, {-1: 297711, 1: 283301}),
    "covtype.libsvm.binary": (581012, 54, 6901775, {1: 297711, 2: 283301}),
    "news20.bigram": (18821, 1283064, 6996766, {-1: 9199, 1: 9622}),
    "news20.unigram": (18820, 55202, 1680911, {-1: 9025, 1: 9795}),
    "reuters21578.earnacq": (11367, 29840, 552518, {-1: 4951, 1: 6416}),
    "rcv1_vw1000": (1000, 47236, 77739, {-1: 541, 1: 459}),
    "leu": (72, 7129, 270902 + 242386, {-1: 25, 1: 47}),
    "leu.t": (34, 7129, 242386, {-1: 14, 1: 20}),
    "leukemia72.raw": (72, 7129, 511673, {-1: 25, 1: 47}),
    "w8a": (49749, 300, 579586, {-1: 48270, 1: 1479}),
    "a9a": (48842, 123, 451592 + 225732, {-1: 37155, 1: 11687}),
    "a9a.t": (16281, 123, 225732, {-1: 12435, 1: 3846}),
    "mushrooms": (8124, 112, 170604, {1: 3916, 2: 4208}),
    "abalone_scale": (4177, 8, 32080, (1, 29, 9.934)),
    "housing_scale": (506, 13, 6578, (5, 50, 22.53)),
    "bodyfat_scale": (252, 14, 3528, (0.995, 1.1089, 1.056)),
    "space_ga_scale": (3107, 6, 18642, (-3.05705, 0.100083, -0.5762)),
}  # fmt: skip
# train part: n, labels
TRAIN = {
    "mnist": (
        60000,
        {0: 5923, 1: 6742, 2: 5958, 3: 6131, 4: 5842, 5: 5421, 6: 5918, 7: 6265, 8: 5851, 9: 5949},
    ),
    "mnist.binary": (60000, {-1: 5923 + 6131 + 5918 + 5851 + 5949, 1: 6742 + 5958 + 5842 + 5421 + 6265}),
    "leu": (38, {-1: 11, 1: 27}),
    "a9a": (32561, {-1: 24720, 1: 7841}),
}


# reading these takes seconds each; the others show on a push that the readers work
LARGE = ["covtype", "covtype.binary", "covtype.libsvm.binary", "news20.bigram", "mnist", "mnist.binary"]


def tiered(names):
    """The large sets only before a release."""
    return [pytest.param(name, marks=pytest.mark.full) if name in LARGE else name for name in names]


def counts(y):
    return dict(zip(*np.unique(y, return_counts=True), strict=True))


@pytest.mark.parametrize("name", tiered(WHOLE))
def test_all_rows(real_data, name):
    n, d, nnz, labels = WHOLE[name]
    X, y = load(name, split="all")
    assert X.shape == (n, d)
    assert (X.nnz if sp.issparse(X) else np.count_nonzero(X)) == nnz
    assert X.dtype == y.dtype == np.float64
    if sp.issparse(X):
        assert X.indices.dtype == np.int32
        assert X.has_sorted_indices
    if isinstance(labels, dict):
        assert counts(y) == labels
    else:
        assert (y.min(), y.max(), y.mean()) == pytest.approx(labels, rel=1e-3)


@pytest.mark.parametrize("name", tiered(TRAIN))
def test_train_part(real_data, name):
    X, y = load(name)
    assert (X.shape[0], counts(y)) == TRAIN[name]
    if name.startswith("mnist"):
        assert np.count_nonzero(X) == 8994156
        assert X.flags.c_contiguous
        assert (X.min(), X.max()) == (0, 255)


LOCAL = [entry.name for entry in names() if entry.name in shipped() and entry.where in ("CDLAB_DATA", "bundled")]


@pytest.mark.parametrize("name", tiered(LOCAL))
def test_catalogue_sizes_are_those_of_the_parts(real_data, name):
    known = describe(name)
    X, y = load(name)
    assert X.shape == (known.n, known.d)
    assert (X.nnz if sp.issparse(X) else X.size) == known.stored
    if known.test:
        assert load(name, split="test")[0].shape == (known.test, known.d)
    else:
        with pytest.raises(ValueError, match="has no test part"):
            load(name, split="test")
    labels = np.unique(y)
    assert {"binary": labels.size == 2, "classes": 2 < labels.size < 20, "regression": labels.size > 20}[known.task]


@pytest.mark.full
def test_both_forms_of_covtype_agree(real_data):
    dense, classes = load("covtype")
    sparse, labels = load("covtype.libsvm.binary")
    np.testing.assert_array_equal(sparse[:1000].toarray(), dense[:1000])
    np.testing.assert_allclose(np.asarray(sparse.sum(axis=0)).ravel(), dense.sum(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(labels == 2, classes == 2)
    np.testing.assert_array_equal(load("covtype.binary")[1] == 1, classes == 2)


TEXTS = ["news20.bigram", "news20.unigram", "reuters21578.earnacq", "rcv1_vw1000"]


@pytest.mark.parametrize("name", tiered(TEXTS))
def test_text_sets_have_unit_rows(real_data, name):
    X, _ = load(name, split="all")
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1, rtol=1e-5)


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/status")
@pytest.mark.parametrize("scale", [pytest.param("none", marks=pytest.mark.full), "unit"])  # which reads, and scales
@pytest.mark.parametrize("name", [pytest.param("covtype.libsvm.binary", marks=pytest.mark.full), "news20.bigram"])
def test_reading_takes_little_more_memory_than_the_matrix(real_data, name, scale):
    """Peak growth of resident memory below twice the CSR matrix, scikit-learn's own import set aside."""
    code = f"""
import sklearn.datasets
from cdlab.datasets import load
memory = lambda key: next(int(line.split()[1]) * 1024 for line in open('/proc/self/status') if line.startswith(key))
before = memory('VmRSS')
X, y = load({name!r}, split='all', scale={scale!r})
print((memory('VmHWM') - before) / (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes))
"""
    run = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert float(run.stdout) < 2.0
