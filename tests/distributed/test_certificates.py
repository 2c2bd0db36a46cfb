"""Certificates of folders: one manifest and a file for each shard, which the checker reads one after another."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from cases import each_of
from divided import MPIRUN

import cdlab
from cdlab import checker, distributed

LOSSES = ("logistic", "hinge", "smooth_hinge", "squared", "huber", "absolute", "squared_hinge", "pinball",
          "epsilon_insensitive", "squared_epsilon_insensitive")  # fmt: skip


def folder_of(tmp_path, *, labels=(-1, 1), shards=4, weighted=False, seed=0):
    """Shards of other sizes each, sparse and dense."""
    rng, folder = np.random.default_rng(seed), tmp_path / "shards"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for k in range(shards):
        n = 20 + 7 * k
        X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.6)
        y = rng.choice(labels, n)
        more = {"weights": rng.integers(0, 3, n) + 0.0} if weighted else {}
        np.savez(folder / f"{k}.npz", X=X, y=y, **more)
    return folder


def verdict(path, folder):
    return checker.main([str(path), str(folder)])


@pytest.mark.full
@each_of("loss, how", [
    *((loss, {}) for loss in LOSSES), ("hinge", {"l1": 0.02}), ("logistic", {"scale": "unit"}),
    ("logistic", {"scale": "mean", "parts": 3}), ("softmax", {"method": "lbfgs"}),
    ("logistic", {"method": "lbfgs", "intercept": True, "parts": 2}),
    ("squared", {"method": "lbfgs", "intercept": True}),
    ("huber", {"method": "lbfgs", "weighted": True, "intercept": True, "parts": 4}), ("logistic", {"weighted": True}),
    ("logistic", {"in_memory": False, "parts": 2}), ("logistic", {"max_rounds": 2, "parts": 4}),
])  # fmt: skip
def test_a_folder_is_proved_shard_by_shard(loss, how, tmp_path, capsys):
    how = dict(how)
    labels = (0, 1, 2) if loss == "softmax" else (-1, 1)
    folder = folder_of(tmp_path, labels=labels, weighted=how.pop("weighted", False))
    s = distributed.solve(folder, loss=loss, l2=0.05, tol=1e-7, certificate=tmp_path / "a.cert", **how)
    assert verdict(tmp_path / "a.cert", folder) == 0
    assert capsys.readouterr().out.startswith("ACCEPT")
    known = json.loads((tmp_path / "a.cert").read_text())
    assert known["claim"]["gap"] <= max(5 * s.gap, 1e-9)
    assert len(known["data"]["shards"]) == 4


def test_weights_that_are_all_alike_change_nothing(tmp_path, capsys):
    folder, files = folder_of(tmp_path), {}
    for name in ("plain", "alike"):
        for path in folder.glob("*") if name == "alike" else ():
            with np.load(path) as kept:
                np.savez(path, X=kept["X"], y=kept["y"], weights=np.full(kept["y"].size, 3.0))
        distributed.solve(folder, l2=0.05, parts=2, tol=1e-7, certificate=tmp_path / f"{name}.cert")
        assert verdict(tmp_path / f"{name}.cert", folder) == 0
        assert "From the certificate: nothing else" in capsys.readouterr().out
        files[name] = (tmp_path / f"{name}.cert").read_text()
    assert files["plain"] == files["alike"]


def test_what_is_changed_afterwards_is_rejected(tmp_path, capsys):
    folder = folder_of(tmp_path)
    distributed.solve(folder, loss="logistic", l2=0.05, certificate=tmp_path / "a.cert", parts=2)
    whole = tmp_path.with_name(f"{tmp_path.name}-whole")
    shutil.copytree(tmp_path, whole)

    def rejected(change):
        shutil.rmtree(folder)
        shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
        change()
        assert verdict(tmp_path / "a.cert", folder) in (1, 2)
        return capsys.readouterr().out

    own, last = tmp_path / "a.cert.2.npz", tmp_path / "a.cert.3.npz"
    assert "shard that was written" in rejected(lambda: shutil.copy(last, own))
    assert "seal" in rejected(lambda: own.write_text(own.read_text().replace('"examples": 34', '"examples": 33')))
    assert "REJECT" in rejected(lambda: shutil.copy(folder / "3.npz", folder / "2.npz"))
    assert "REJECT" in rejected(lambda: (folder / "1.npz").unlink())
    assert "UNREADABLE" in rejected(own.unlink)
    assert "and no others" in rejected(lambda: shutil.copy(folder / "1.npz", folder / "9.npz"))


@pytest.mark.full
def test_the_same_certificate_over_mpi_and_alone(tmp_path):
    folder = folder_of(tmp_path)
    words = "import sys; from cdlab import distributed; distributed.solve(sys.argv[1], l2=0.05, engine='mpi',"
    words += " certificate=sys.argv[2], tol=1e-6)"
    if MPIRUN is None:
        pytest.skip("this system has no mpirun")
    subprocess.run(
        [MPIRUN, "-n", "2", sys.executable, "-c", words, folder, tmp_path / "a.cert"], check=True, timeout=200
    )
    distributed.solve(folder, l2=0.05, parts=2, certificate=tmp_path / "b.cert", tol=1e-6)
    assert (tmp_path / "a.cert").read_text() == (tmp_path / "b.cert").read_text()
    assert verdict(tmp_path / "a.cert", folder) == 0


def test_what_has_no_certificate_is_refused_before_any_solving(tmp_path):
    X, y = cdlab.datasets.make(n=30, d=3, seed=0)
    with pytest.raises(ValueError, match="names the files"):
        distributed.solve([(X, y)], l2=0.1, certificate=tmp_path / "a.cert")
    folder = folder_of(tmp_path, labels=(0, 1, 2))
    with pytest.raises(ValueError, match="free intercept"):
        distributed.solve(
            folder, loss="softmax", l2=0.1, method="lbfgs", intercept=True, certificate=tmp_path / "a.cert"
        )
    assert not list(tmp_path.glob("*.cert*"))
