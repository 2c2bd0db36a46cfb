"""A scan of shards: exact sums, whatever the parts, in memory that one shard bounds; bad shards are refused by name."""

import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from divided import cut, made, write

import cdlab
from cdlab import distributed


def by_fsum(X):
    X = X.toarray() if sp.issparse(X) else X
    norms2 = cdlab.Problem(X, np.ones(len(X))).row_profile.norms2
    counts = np.count_nonzero(X, axis=1)
    return {
        "F": math.fsum((X**2).ravel()),
        "C_D": math.fsum(counts * norms2),
        "columns": [math.fsum(X[:, j] ** 2) for j in range(X.shape[1])],
        "counts": np.count_nonzero(X, axis=0).tolist(),
        "nnz": np.count_nonzero(X),
    }


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_sums_are_those_of_fsum_for_any_number_of_parts(parts, sparse, tmp_path):
    X, y = made(sparse=sparse)
    found = distributed.scan(write(tmp_path / "s", cut(X, y, 6)), parts=parts)
    told = {
        "F": found.F, "C_D": found.C_D, "columns": found.columns.norms2.tolist(),
        "counts": found.columns.counts.tolist(), "nnz": found.nnz,
    }  # fmt: skip
    assert told == by_fsum(X)
    assert (found.n, found.d, found.labels) == (240, 12, (-1.0, 1.0))
    assert found.n_nonempty == np.count_nonzero(np.diff(sp.csr_matrix(X).indptr))


def test_the_face_off_of_shards_is_that_of_the_whole():
    X, y = made()
    mine = cdlab.faceoff(distributed.scan(cut(X, y, 5)), loss="logistic", l2=0.01)
    whole = cdlab.faceoff(cdlab.Problem(X, y, l2=0.01))
    for name in ("T_P", "T_D", "C_P", "C_D", "ratio_table", "T_P_acc"):
        assert getattr(mine, name) == pytest.approx(getattr(whole, name), rel=1e-13)


@each_of("scale", ["unit", "mean"])
def test_rows_are_scaled_as_load_scales_them(scale):
    X, y = made()
    X = 3.0 * X * np.arange(1, 241)[:, None]
    whole = cdlab.datasets.scaled(X, scale)
    found = distributed.scan(cut(X, y, 4), scale=scale)
    assert found.columns.norms2 == pytest.approx((whole**2).sum(axis=0), rel=1e-12)
    s = distributed.solve(cut(X, y, 4), scale=scale, l2=0.01, parts=2)
    P, lower = cdlab.Problem(whole, y, l2=0.01), s.record.dual
    assert P.primal(s.w) == pytest.approx(s.record.primal, rel=1e-12)
    assert P.primal(s.w) - lower <= s.gap * (1 + 1e-9)


@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
def test_from_l1_max_on_no_feature_is_chosen(loss):
    X, y = made(loss=loss)
    least = [distributed.l1_max(cut(X, y, 6), loss=loss, parts=parts) for parts in (1, 3)]
    assert least[0] == least[1]
    P = cdlab.Problem(X, y, loss)
    slopes = P.gradient(np.zeros(12))
    assert least[0] == pytest.approx(np.abs(slopes).max(), rel=1e-13)
    above, below = (cdlab.solve(P.with_(l1=c * least[0], l2=1e-3), tol=1e-9) for c in (1.0001, 0.999))
    assert not above.w.any()
    assert below.w.any()


def test_row_groups_of_parquet_are_shards(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X, y = made()
    table = pyarrow.table({f"x{j}": X[:, j] for j in range(12)} | {"Label": y})
    parquet.write_table(table, tmp_path / "data.parquet", row_group_size=50)
    found, whole = distributed.scan(tmp_path / "data.parquet", parts=5), distributed.scan([(X, y)])
    assert found[:7] == whole[:7]
    assert found.labels == whole.labels
    assert found.columns.norms2.tolist() == whole.columns.norms2.tolist()


# ------------------------------------------------------------ bad shards
def npz(**arrays):
    return lambda path: np.savez(path, **arrays)


BAD = {
    "another d": npz(X=np.ones((3, 11)), y=np.ones(3)),
    "a third label": npz(X=np.ones((3, 12)), y=np.array([1.0, -1.0, 7.0])),
    "words": npz(X=np.ones((3, 12)), y=np.array(["a", "b", "a"])),
    "no examples": npz(X=np.ones((0, 12)), y=np.ones(0)),
    "no labels": npz(X=np.ones((3, 12))),
    "not finite": npz(X=np.full((3, 12), np.nan), y=np.ones(3)),
    "too large": npz(X=np.full((3, 12), 1e200), y=np.ones(3)),
    "damaged": lambda path: path.write_bytes((path.parent / "000.npz").read_bytes()[:-400]),
    "empty": lambda path: path.write_bytes(b""),
    "too few weights": npz(X=np.ones((3, 12)), y=np.ones(3), weights=np.ones(2)),
    "negative weights": npz(X=np.ones((3, 12)), y=np.ones(3), weights=-np.ones(3)),
    "text": lambda path: path.with_suffix(".libsvm").write_text("1 1:1\n"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_shard_is_refused_by_its_name(kind, tmp_path):
    folder = write(tmp_path / "s", cut(*made(), 3))
    path = folder / "bad.npz"
    BAD[kind](path)
    with pytest.raises(ValueError, match="bad") as refused:
        distributed.solve(folder, l2=0.1, parts=2)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_the_shard_with_a_third_label_is_named(parts):
    X, y = made()
    pairs = cut(X, y, 4)
    pairs[2] = pairs[2][0], np.full(pairs[2][1].size, 7.0)
    with pytest.raises(ValueError, match="shard 2 has the label 7.0, which no shard before it has"):
        distributed.solve(pairs, l2=0.1, parts=parts)


def test_too_few_shards_and_no_shards_are_refused(tmp_path):
    with pytest.raises(ValueError, match="2 shards"):
        distributed.solve(cut(*made(), 2), l2=0.1, parts=3)
    with pytest.raises(FileNotFoundError, match="holds no files"):
        distributed.scan(tmp_path)


# ------------------------------------------------------------ memory
LIMITED = """
import resource, sys
import numpy as np, cdlab
from cdlab import distributed
small = [(np.eye(3, {d}), [1.0, -1.0, 1.0])] * 2
arguments = dict(l2=1e-3, in_memory=False, parts=2, tol=1e-2, max_rounds=2)
distributed.scan(small), distributed.solve(small, **arguments)  # imports and kernels
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + {room}, used + {room}))
found = distributed.scan(sys.argv[1])
s = distributed.solve(sys.argv[1], **arguments)
print(found.n, s.gap, s.record.primal)
"""


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc/self/statm is of Linux")
def test_memory_is_that_of_a_shard_and_not_of_the_data(tmp_path):
    """20 shards of 8 MB in 80 MB, by a limit of the system: the data are twice as large."""
    n, d = 20_000, 50
    rng = np.random.default_rng(0)
    shards = []
    for _ in range(20):
        X = rng.standard_normal((n, d)) / 7
        shards.append((X, np.sign(X[:, 0] + 0.1)))
    folder = write(tmp_path / "s", shards)
    code = LIMITED.format(d=d, room=80 << 20)
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    total, gap, primal = map(float, done.stdout.split())
    assert total == 20 * n
    assert 0 < gap < primal
