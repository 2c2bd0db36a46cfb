"""Text becomes shards once: the same rows and columns, whatever the files and shards."""

import numpy as np
import pytest
import scipy.sparse as sp
from divided import cut, made
from sklearn.datasets import dump_svmlight_file

from cdlab import distributed
from cdlab.distributed.shards import joined, shards_of


def whole(folder):
    X, y, _ = joined([shard.read() for shard in shards_of(folder)])
    return (X.toarray() if sp.issparse(X) else X), y


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("rows", [1, 50, 1000])
def test_libsvm_files_have_the_columns_of_all(rows, zero_based, tmp_path, monkeypatch):
    monkeypatch.setattr("cdlab.datasets.libsvm.BATCH_BYTES", 2000)
    X, y = made(sparse=True)
    X = X.toarray()
    X[:100, 8:] = 0.0  # the last columns are not in the first file
    (tmp_path / "text").mkdir()
    for k, (part, labels) in enumerate(cut(X, y, 3)):
        dump_svmlight_file(part, labels, str(tmp_path / "text" / f"{k}.libsvm"), zero_based=zero_based)
    written = distributed.convert(tmp_path / "text", tmp_path / "shards", rows=rows, zero_based=zero_based)
    found, labels = whole(tmp_path / "shards")
    assert found == pytest.approx(X, rel=1e-15)  # texts have 16 digits
    assert np.array_equal(labels, y)
    assert len(written) == len(list((tmp_path / "shards").iterdir())) >= min(3, 240 // rows)


def test_csv_files_are_read_as_load_reads_them(tmp_path):
    X, y = made()
    for k, (part, labels) in enumerate(cut(X, y, 2)):
        np.savetxt(
            tmp_path / f"{k}.csv",
            np.column_stack([labels, part]),
            delimiter=",",
            header="y,a,b,c,d,e,f,g,h,i,j,k,l",
            comments="",
        )
    distributed.convert(f"{tmp_path}/*.csv", tmp_path / "shards", rows=100)
    found, labels = whole(tmp_path / "shards")
    assert found == pytest.approx(X, rel=1e-15)
    assert np.array_equal(labels, y)
    assert distributed.solve(tmp_path / "shards", l2=0.1).status == "tolerance reached"


def test_what_cannot_be_converted_is_refused(tmp_path):
    (tmp_path / "a.libsvm").write_text("1 1:1\n")
    with pytest.raises(ValueError, match="not empty"):
        distributed.convert(tmp_path / "a.libsvm", tmp_path)
    with pytest.raises(ValueError, match="convert"):
        distributed.solve(tmp_path, l2=0.1)
    (tmp_path / "b.libsvm").write_text("1 9:1\n")
    with pytest.raises(ValueError, match="n_features"):
        distributed.convert(f"{tmp_path}/*.libsvm", tmp_path / "new", n_features=3)
