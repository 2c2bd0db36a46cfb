"""CoCoA+ and L-BFGS over parts: SDCA on one part, certified on many, and D that never falls."""

import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from cases import each_of
from divided import cut, made, optimum, write

import cdlab
from cdlab import distributed
from cdlab.distributed import solving

LOSSES = ("logistic", "smooth_hinge", "hinge", "squared")


@pytest.fixture
def teams(monkeypatch):
    """The teams that are made."""
    made_teams, make = [], solving.make_team
    monkeypatch.setattr(solving, "make_team", lambda *given: made_teams.append(make(*given)) or made_teams[-1])
    return made_teams


# ------------------------------------------------------------ one part
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("sparse", "l1"), [(False, 0.0), (True, 0.01)])
def test_one_part_is_sdca_bit_for_bit(loss, sparse, l1, teams):
    """The w of 60 rounds, past the 50th, where products are computed afresh, and alpha after them."""
    X, y = made(sparse=sparse, loss=loss)
    run = cdlab.iterate(cdlab.Problem(X, y, loss, l2=0.01, l1=l1), "sdca", seed=3)
    points = [run.w for _ in islice(run, 61)]
    s = distributed.solve(cut(X, y, 3), loss=loss, l2=0.01, l1=l1, seed=3, tol=0, max_rounds=60)
    assert np.array_equal(teams[0].parts[0].alpha, run.alpha)
    assert np.array_equal(s.w, points[s.trace.records.index(s.record)])
    assert s.trace.column("primal") == pytest.approx(run.trace.column("primal"), rel=1e-13)
    assert s.trace.column("dual") == pytest.approx(run.trace.column("dual"), rel=1e-12, abs=1e-15)


def test_shards_in_order_are_exact_steps_of_the_part(tmp_path, teams):
    """Steps on a block with n_b of n_k examples are those of SDCA on the part, along the drawn examples."""
    X, y = made()
    shards = cut(X, y, 4)
    distributed.solve(write(tmp_path / "s", shards), l2=0.01, seed=5, tol=0, max_rounds=1, in_memory=False)
    P, rng = cdlab.Problem(X, y, l2=0.01), np.random.default_rng(5)
    alpha, begin = P.alpha(np.zeros(12)) * (P.row_profile.counts == 0), 0
    for part, _ in shards:
        for i in begin + rng.integers(len(part), size=len(part), dtype=np.uint64).astype(int):
            w, q = X.T @ alpha / 240 / 0.01, X[i] @ X[i] / (0.01 * 240)
            alpha[i] = -P.loss.dualprox(X[i] @ w, -alpha[i], q, P.y[i])
        begin += len(part)
    assert teams[0].parts[0].alpha == pytest.approx(alpha, rel=1e-9, abs=1e-12)


# ------------------------------------------------------------ several parts
@pytest.mark.parametrize("sorted_by_label", [False, True])
@pytest.mark.parametrize(("loss", "rounds"), [("logistic", 20), ("smooth_hinge", 75), ("squared", 60)])
@pytest.mark.parametrize("parts", [2, 4, 8])
@pytest.mark.parametrize("l1", [0.0, 3e-3])
def test_the_gap_is_certified_within_few_rounds(parts, loss, rounds, sorted_by_label, l1):
    X, y = made(loss=loss)
    order = np.argsort(y, kind="stable") if sorted_by_label else np.arange(y.size)
    P, lower = optimum(X, y, loss=loss, l2=0.01, l1=l1)
    s = distributed.solve(cut(X[order], y[order], 8), loss=loss, l2=0.01, l1=l1, parts=parts)
    assert s.status == "tolerance reached"
    assert len(s.trace.records) - 1 <= rounds
    assert P.primal(s.w) - lower <= s.gap * (1 + 1e-9) + 1e-12
    assert s.relative_gap <= 1e-6
    duals = s.trace.column("dual")
    assert (np.diff(duals) >= -1e-12).all()
    assert duals.max() <= lower + 1e-10 + P.gap(s.w, P.alpha(s.w))


def test_the_global_step_saves_rounds_where_parts_share_large_directions():
    X, y = made(n=2000, d=30)
    with_step, without = (
        distributed.solve(cut(X, y, 8), l2="1/n", parts=8, global_step=step, max_rounds=100) for step in (True, False)
    )
    assert with_step.status == "tolerance reached"
    assert len(without.trace.records) > 5 * len(with_step.trace.records)


@each_of("l1, seed", [(l1, seed) for l1 in (0.0, 0.1, 0.5) for seed in range(8)])
def test_the_step_is_the_best_of_a_fine_grid(l1, seed):
    rng = np.random.default_rng(seed)
    v, change, gain, bend = *rng.standard_normal((2, 20)) * 0.4, rng.normal() * 3, rng.random()
    reg = cdlab.regularizers.regularizer(0.7, l1)
    grid = np.linspace(0, 1, 2001)
    values = [t * gain + t * (1 - t) * bend / 2 - reg.g_conj(v + t * change) for t in grid]
    theta, value = solving.best_step(0.7, l1, v, change, gain, bend)
    assert value >= max(values) - 1e-12
    assert abs(theta - grid[np.argmax(values)]) <= 1e-3


@each_of("loss, l1", [("logistic", 0.0), ("logistic", 0.01), ("squared", 0.0)])
def test_lbfgs_on_parts_is_certified(loss, l1):
    X, y = made(loss=loss)
    P, lower = optimum(X, y, loss=loss, l2=0.01, l1=l1)
    s = distributed.solve(cut(X, y, 4), loss=loss, l2=0.01, l1=l1, parts=4, method="lbfgs")
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - lower <= s.gap * (1 + 1e-9)


def test_softmax_takes_the_classes_of_all_shards():
    X, _ = made()
    y = np.repeat([0.0, 1.0, 2.0], 80)  # no shard has all of them
    s = distributed.solve(cut(X, y, 4), loss="softmax", l2=0.01, parts=4, method="lbfgs")
    P = cdlab.Problem(X, y, "softmax", l2=0.01)
    best = cdlab.solve(P, "lbfgs", tol=1e-10)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - best.record.primal <= s.gap
    assert s.predict(X).tolist() == best.predict(X).tolist()


def outcomes(X, loss, rng):
    """Labels of a loss: of three classes, of two, or numbers far from 0."""
    z = X @ rng.standard_normal(X.shape[1]) + 0.3 * rng.standard_normal(X.shape[0])
    if loss == "softmax":
        return np.digitize(z, np.quantile(z, [0.2, 0.7])).astype(float)
    return 3 * z + 20 if loss in ("squared", "huber") else np.where(z > np.quantile(z, 0.7), 1.0, -1.0)


@pytest.mark.every_pair("each loss with and without each")
@pytest.mark.parametrize("loss", ["logistic", "smooth_hinge", "huber", "squared", "softmax"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 4])
def test_free_intercepts_and_weights_are_those_of_one_machine(parts, weighed, sparse, loss):
    """P* is that of the joined data, and so is P(0), from which relative gaps are measured."""
    rng = np.random.default_rng(7)
    X, _ = made(sparse=sparse)
    X = X if sparse else X + 4 * np.arange(12)  # far from centred
    y, s = outcomes(X, loss, rng), rng.integers(0, 4, 240) * 1.0 if weighed else None
    P = cdlab.Problem(X, y, loss, l2=0.01, sample_weight=s, intercept=True)
    best = cdlab.solve(P, tol=1e-11)
    shards = cut(X, y, 4, s)
    found = distributed.solve(shards, loss=loss, l2=0.01, intercept=True, method="auto", parts=parts, tol=1e-9)
    assert found.status == "tolerance reached"
    point = np.concatenate([found.w, np.broadcast_to(found.intercept, (1, *found.w.shape[1:]))])
    assert P.primal(point) - best.record.dual <= found.gap + best.gap
    assert found.trace.meta["P0"] == pytest.approx(P.at_zero, rel=1e-7)
    assert np.linalg.norm(found.w - best.w) <= np.sqrt(2 * found.gap / 0.01) + np.sqrt(2 * best.gap / 0.01)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
@pytest.mark.parametrize("parts", [1, 4])
def test_whole_weights_are_rows_that_often(parts, loss):
    X, y = made(loss=loss)
    s = np.random.default_rng(0).integers(1, 4, 240)
    mine = distributed.solve(cut(X, y, 4, s), loss=loss, l2=0.01, parts=parts, tol=1e-5, max_rounds=500)
    P, lower = optimum(np.repeat(X, s, axis=0), np.repeat(y, s), loss=loss, l2=0.01)
    assert mine.status == "tolerance reached"
    assert P.primal(mine.w) - lower <= mine.gap * (1 + 1e-9)
    assert P.primal(mine.w) == pytest.approx(mine.record.primal, rel=1e-12)


def test_more_classes_than_twenty_are_solved():
    X, _ = made()
    y = np.arange(240) % 30
    assert distributed.solve(cut(X, y, 4), loss="softmax", l2=0.1, parts=2, method="lbfgs").w.shape == (12, 30)


def test_progress_is_a_line_or_a_function(capsys):
    shards, seen = cut(*made(), 4), []
    distributed.solve(shards, l2=0.01, parts=2, progress=True)
    assert "cocoa, 2 parts: tolerance reached" in capsys.readouterr().err
    s = distributed.solve(shards, l2=0.01, parts=2, progress=seen.append)
    assert seen == s.trace.records


# ------------------------------------------------------------ limits, and what cannot be solved
def test_a_run_ends_at_its_limits():
    X, y = made()
    shards = cut(X, y, 4)
    few = distributed.solve(shards, l2=1e-4, parts=4, max_rounds=2, tol=1e-12)
    assert (few.status, len(few.trace.records)) == ("round limit", 3)
    assert distributed.solve(shards, l2=1e-4, parts=4, max_seconds=0, tol=1e-12).status == "time limit"
    assert few.gap == few.trace.column("gap").min()


def test_a_solution_in_parts_is_saved_and_loaded(tmp_path):
    X, y = made()
    s = distributed.solve(cut(X, y, 2), l2=0.01, parts=2)
    s.save(tmp_path / "s.npz")
    again = cdlab.load_solution(tmp_path / "s.npz")
    assert again.alpha is None
    assert np.array_equal(again.w, s.w)
    assert again.predict(X).tolist() == s.predict(X).tolist()
    assert len(again.trace.records) == len(s.trace.records)


@each_of(
    "given, words",
    [
        ({"l2": 0.0}, "l2 must be above 0"),
        ({"method": "lbfgs", "loss": "hinge"}, "kinks"),
        ({"loss": "softmax"}, "lbfgs"),
        ({"engine": "spark"}, "engine"),
        ({"l2": "n"}, "a weight is"),
        ({"method": "auto", "loss": "hinge", "intercept": True}, "kinks, so a free intercept has no method over parts"),
        ({"intercept": True}, "ties all dual variables"),
    ],
)
def test_what_has_no_method_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        distributed.solve(cut(*made(), 2), **({"l2": 0.1} | given))


def test_no_engine_is_loaded_before_it_is_asked_for():
    code = (
        "import sys, cdlab, cdlab.distributed as d; d.scan; print({'mpi4py', 'distributed', 'dask'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("parts", [2, 4])
def test_a_trace_tells_rounds_bytes_and_who_waited(parts):
    """In a round v goes to each part twice; X'new with 6 sums, and v_k with the updates, come back."""
    s = distributed.solve(cut(*made(), 4), l2=0.01, parts=parts, tol=0, max_rounds=8)
    assert s.trace.column("rounds").tolist() == list(range(9))
    assert np.diff(s.trace.column("bytes")).tolist() == [parts * 8 * (4 * 12 + 7)] * 8
    computing, waiting = s.trace.column("computing"), s.trace.column("waiting")
    assert (np.diff(computing) > 0).all()
    assert computing + waiting == pytest.approx(s.trace.column("seconds"), rel=1e-6)
    assert (waiting >= (parts - 1) * computing * 0.5).all()  # each waits while the others compute


def test_other_traces_say_nothing_of_parts():
    s = cdlab.solve(cdlab.Problem(*made(), l2=0.01))
    assert not {"rounds", "bytes", "computing", "waiting"} & set(s.trace.names)


# ------------------------------------------------------------ real data
@pytest.mark.full
@pytest.mark.parametrize("parts", [2, 4, 8])
@pytest.mark.parametrize(
    ("name", "loss", "sorted_by_label", "rounds"),
    [
        ("a9a", "logistic", False, 20),
        ("a9a", "smooth_hinge", False, 75),
        ("w8a", "logistic", False, 20),
        ("w8a", "logistic", True, 20),
        ("reuters21578.earnacq", "logistic", False, 10),
        ("reuters21578.earnacq", "logistic", True, 10),
        ("mushrooms", "smooth_hinge", True, 75),
    ],
)
def test_the_rounds_of_real_data(parts, name, loss, sorted_by_label, rounds):
    """What docs/scale.md tells: parts in the order of the file, or sorted by label."""
    if name != "mushrooms" and "CDLAB_DATA" not in os.environ:
        pytest.skip("needs the folder of real data, CDLAB_DATA")
    X, y = cdlab.datasets.load(name, scale="unit")
    order = np.argsort(y, kind="stable") if sorted_by_label else np.arange(y.size)
    shards = [(X[rows], y[rows]) for rows in np.array_split(order, parts)]
    s = distributed.solve(shards, loss=loss, l2="1/n", parts=parts)
    P = cdlab.Problem(X, y, loss, l2=1 / y.size)
    best = cdlab.solve(P, tol=1e-9)
    assert len(s.trace.records) - 1 <= rounds
    assert s.relative_gap <= 1e-6
    assert P.primal(s.w) - best.record.primal <= s.gap + best.gap
