"""The verdict on tables whose smallest eigenvalue is that of a direction that runs from 0 hardly enter."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

import cdlab

EPS = 1e-6
ENTRIES = {"rcd@uniform": "primal", "sdca@uniform": "dual"}


def race(P, max_passes=1000):
    """Median passes of each side."""
    found = cdlab.race(P, list(ENTRIES), seeds=range(3), tol=EPS, max_passes=max_passes)
    return dict(zip(ENTRIES.values(), np.median(found.reached(EPS), axis=1), strict=True))


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def genes(seed=3, n=30, d=600):
    """Few rows of many correlated columns, and two classes of as many rows."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((n, 3))
    X = hidden @ rng.standard_normal((3, d)) + rng.standard_normal((n, d))
    return X, np.where(hidden[:, 0] > np.median(hidden[:, 0]), 1.0, -1.0)


def dummies(codes, drop_first=False):
    levels = [np.unique(each)[drop_first:] for each in codes.T]
    return np.hstack([each[:, None] == level for each, level in zip(codes.T, levels, strict=True)]).astype(float)


def words(seed=1, n=600):
    """Three columns of words as codes, and a quantity of mean 0."""
    rng = np.random.default_rng(seed)
    codes = np.c_[*(rng.integers(0, k, n) for k in (4, 3, 2))]
    y = sum(rng.standard_normal(k)[each] for k, each in zip((4, 3, 2), codes.T, strict=True)) + rng.standard_normal(n)
    return codes, y - y.mean()


@pytest.mark.full
@each_of("loss, l2n", [("squared", 0.01), ("squared", 0.1), ("logistic", 0.1), ("squared_hinge", 0.1)])
def test_centred_genes_are_the_dual_s_though_its_smallest_eigenvalue_is_centring_s(loss, l2n):
    X, y = genes()
    P = cdlab.Problem(standardised(X), y, loss=loss, l2=l2n / len(y))
    f = cdlab.faceoff(P)
    assert f.exact.winner == "primal"  # in the end
    assert f.recommended == "dual"
    passes = race(P)
    assert passes["primal"] > 2 * passes["dual"]


@pytest.mark.parametrize("centre", [False, True])
def test_dummies_of_all_levels_are_the_primal_s_though_its_smallest_eigenvalue_is_theirs(centre):
    codes, y = words()
    X = dummies(codes)
    P = cdlab.Problem(X - centre * X.mean(axis=0), y, loss="squared", l2=1e-6 / len(y))
    f = cdlab.faceoff(P)
    assert f.exact.winner == "dual"  # in the end
    assert f.recommended == "primal"
    passes = race(P, max_passes=300)
    assert passes["primal"] < 50
    assert passes["dual"] == np.inf


def test_dropping_a_level_of_each_takes_the_direction_away():
    codes, y = words()
    P = cdlab.Problem(dummies(codes, drop_first=True), y, loss="squared", l2=1e-6 / len(y))
    f = cdlab.faceoff(P)
    assert f.exact.winner == f.recommended == "primal"


def test_next_to_the_level_at_which_it_decides_nobody_is_recommended():
    codes, y = words()
    told = set()
    for l2n in 10.0 ** np.arange(-6, 1):
        f = cdlab.faceoff(cdlab.Problem(dummies(codes), y, loss="squared", l2=l2n / len(y)))
        told.add(f.recommended)
        assert (f.recommended is None) == bool(f.exact.doubt)
    assert told == {"primal", None, "dual"}


def attacks():
    """Tables at the edges, each with its labels."""
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((24, 6)), rng.standard_normal(24)
    few, classes = genes(5, 12, 60)
    yield "rows doubled", np.vstack([X, X]), np.r_[y, y]
    yield "columns doubled", np.hstack([X, X]), y
    yield "rows opposite", np.vstack([X, -X]), np.r_[y, -y]
    yield "one row", X[:1], y[:1]
    yield "one column", X[:, :1], y
    yield "n = d", rng.standard_normal((20, 20)), rng.standard_normal(20)
    yield "all rows equal", np.ones((15, 1)) * X[0], y[:15]
    yield "centred", standardised(X), y - y.mean()
    yield "centred, labels not", standardised(X), y + 5
    yield "centred wide", standardised(few), classes
    yield "centred in float32", standardised(few.astype(np.float32)).astype(float), classes
    yield "nearly centred", standardised(few) + 1e-9, classes
    yield "a constant column", np.c_[X, np.ones(24)], y
    yield "an empty row and column", np.pad(X, ((0, 1), (0, 1))), np.r_[y, 1.0]
    yield "labels that a w fits", X, X @ rng.standard_normal(6)
    yield "labels orthogonal to X", X, y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    yield "sparse", sp.random_array((40, 30), density=0.1, rng=rng).tocsr(), rng.standard_normal(40)
    yield "rows of uneven norms", X * np.logspace(-2, 2, 24)[:, None], y


@pytest.mark.filterwarnings("ignore:the columns of X have mean 0")
@pytest.mark.parametrize("loss", ["squared", "logistic", "smooth_hinge"])
@pytest.mark.parametrize("l2n", [1e-6, 1e-2, 1.0, 1e4])
def test_at_the_edges_a_recommended_side_is_not_behind_in_a_race(loss, l2n):
    behind, told = [], 0
    for name, X, y in attacks():
        labels = y if loss == "squared" else np.where(y > 0, 1.0, -1.0)
        P = cdlab.Problem(X, labels, loss=loss, l2=l2n / X.shape[0])
        f = cdlab.faceoff(P)
        json.dumps(f.to_dict(), allow_nan=False)
        assert "nan" not in f.verdict
        if f.recommended is None:
            continue
        told += 1
        passes = race(P, max_passes=100)
        other = {"primal": "dual", "dual": "primal"}[f.recommended]
        if passes[f.recommended] > 1.25 * passes[other]:
            behind.append((name, f.recommended, passes, f.verdict))
    assert not behind
    assert told or l2n > 1


def test_a_verdict_without_labels_is_about_both_kinds_of_them():
    X, _ = genes()
    f = cdlab.faceoff(standardised(X), loss="squared", l2=0.1 / 30)
    assert f.exact.from_zero_D.low < f.exact.from_zero_D.high  # noise has a mean, which a centred X cannot fit
    assert f.recommended is None
    wide = cdlab.faceoff(np.random.default_rng(0).standard_normal((20, 400)), loss="squared", l2=1 / 20)
    assert wide.recommended == wide.exact.ahead is not None


@pytest.mark.parametrize("visits", [0, 5e5])
def test_without_a_settled_estimate_nobody_is_recommended(monkeypatch, visits):
    """Too large for any, and for one that has settled."""
    monkeypatch.setattr("cdlab.faceoffs.exact_steps.MAX_VISITS", visits)
    monkeypatch.setattr("cdlab.faceoffs.exact_steps.FIRST_STEPS", 2)
    monkeypatch.setattr("cdlab.exact_rates.gap_estimates.MAX_DENSE_SIZE", 10)
    X, y = genes(n=20, d=300)
    f = cdlab.faceoff(cdlab.Problem(standardised(X), y, loss="squared", l2=0.001))
    assert f.recommended is None
    assert "too large" in f.exact.doubt
    assert (f.to_dict()["exact"]["from_zero_P"] == [None, None]) == (visits == 0)
    json.dumps(f.to_dict(), allow_nan=False)


@each_of("factor", [2.0**-20, 3.0, 1e6])
def test_units_of_the_data_do_not_change_the_estimates(factor):
    X, y = genes(n=20, d=50)
    plain, scaled = (cdlab.faceoff(cdlab.Problem(c * X, y, loss="squared", l2=c**2 / 20)).exact for c in (1.0, factor))
    assert scaled.from_zero_P == pytest.approx(plain.from_zero_P, rel=1e-6)
    assert scaled.from_zero_D == pytest.approx(plain.from_zero_D, rel=1e-6)


def test_sample_weights_count():
    rng = np.random.default_rng(0)
    X, y, s = rng.standard_normal((40, 5)), rng.standard_normal(40), np.r_[np.ones(20), np.full(20, 1e-12)]
    weighted = cdlab.faceoff(cdlab.Problem(X, y, loss="squared", l2=1 / 40, sample_weight=s * 2)).exact
    half = cdlab.faceoff(cdlab.Problem(X[:20], y[:20], loss="squared", l2=1 / 40)).exact
    assert weighted.from_zero_P.low == pytest.approx(half.from_zero_P.low, rel=0.05)


def test_a_file_that_is_only_scanned_recommends_no_primal(tmp_path):
    """The bounds alone know nothing of sdca's steps, which are longer than theirs."""
    X, y = genes()
    path = tmp_path / "genes.svm"
    path.write_text(
        "".join(f"{t} {' '.join(f'{j}:{x}' for j, x in enumerate(x, 1))}\n" for t, x in zip(y, X, strict=True))
    )
    f = cdlab.faceoff(cdlab.datasets.scan(path), loss="squared", l2=0.01 / 30)
    assert f.winner == "primal"
    assert f.recommended is None
