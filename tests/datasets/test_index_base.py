"""LIBSVM text that begins at 0 or at 1, and does not say so: what was taken is told, kept, and used for new data."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from commands import ran
from libsvm_files import text_of, write
from sklearn.datasets import dump_svmlight_file

import cdlab
from cdlab.cli import main
from cdlab.datasets import load, scan

FILES = 300


def drawn(rng, d):
    """Sparse examples, of which some are empty; in every other draw the first feature is absent."""
    X = sp.random(int(rng.integers(2, 12)), d, density=rng.uniform(0.05, 0.6), random_state=rng, format="lil")
    X[0, int(rng.integers(d))] = rng.standard_normal()
    if rng.random() < 0.5:
        X[:, 0] = 0
    if rng.random() < 0.3:
        X[int(rng.integers(X.shape[0]))] = 0
    X = X.tocsr()
    X.data = X.data.round(3)  # it writes 16 digits
    return X, rng.integers(0, 2, X.shape[0])


@pytest.mark.full
def test_what_scikit_learn_writes_is_read_right_with_its_base(tmp_path):
    """Given, or kept by whoever read the training data with it; also in passing, and as a test part."""
    rng, guessed = np.random.default_rng(0), 0
    for k in range(FILES):
        d, base = int(rng.integers(2, 15)), bool(k % 2)
        (X, y), (Z, z) = drawn(rng, d), drawn(rng, d)
        for name, (matrix, labels) in {"f": (X, y), "f.t": (Z, z)}.items():
            dump_svmlight_file(matrix, labels, str(tmp_path / name), zero_based=base)
        train = load(tmp_path / "f", n_features=d, zero_based=base, dense=True)
        test = load(tmp_path / "f.t", n_features=d, zero_based=train.zero_based, dense=True)
        own = load(tmp_path / "f", split="test", n_features=d, zero_based=base, dense=True)
        for found, right in ((train, X), (test, Z), (own, Z)):
            np.testing.assert_array_equal(found.X, right.toarray())
        np.testing.assert_array_equal(test.y, z)
        found = scan(tmp_path / "f.t", n_features=d, zero_based=base)
        np.testing.assert_array_equal(found.columns.counts, np.count_nonzero(Z.toarray(), axis=0))
        assert train.zero_based is base is found.zero_based
        assert train.taken == ()
        guess = load(tmp_path / "f.t", n_features=d + 1)
        guessed += guess.zero_based != base
        assert bool(guess.taken) == (not guess.zero_based)
    assert guessed > FILES / 8, "without the base many are read a column off, and that is told"


def saved_by_cli(capsys, folder, base):
    """A solution that `cdlab solve` saved for a training file, what it was trained on, and what stderr told."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 5)) * (rng.random((60, 5)) < 0.5)
    X[0, 0] = 1.0
    y = np.where(X @ [3.0, -2, 1, 0, 4] + 0.1 > 0, 1.0, -1.0)
    path = write(folder, text_of(X, y, base), "train.svm")
    assert main(["solve", str(path), "--l2", "0.01", "--solution", str(folder / "s.npz"), "--json"]) == 0
    out, err = capsys.readouterr()
    return X, y, json.loads(out), err


@each_of("base", [0, 1])
def test_a_solution_keeps_the_base_for_its_new_data(tmp_path, capsys, base):
    X, y, told, err = saved_by_cli(capsys, tmp_path, base)
    assert told["problem"]["zero_based"] is (base == 0)
    assert ("indices: from 1, since none is 0" in err) == (base == 1)
    solution = cdlab.load_solution(tmp_path / "s.npz")
    assert solution.zero_based is (base == 0)
    X[:, 0] = 0.0  # the new data lack the first feature
    new = write(tmp_path, text_of(X, y, base), "new.svm")
    predicted = [float(line) for line in ran(capsys, "predict", tmp_path / "s.npz", new, "--quiet").split()]
    np.testing.assert_array_equal(predicted, solution.predict(X))
    command = ["solve", tmp_path / "train.svm", "--l2", "0.01", "--json", "--quiet", "--test", new]
    error = json.loads(ran(capsys, *command))["result"]["test_error"]
    assert error == pytest.approx(np.mean(solution.predict(X) != y))
    certified = json.loads(ran(capsys, "certify", tmp_path / "s.npz", new, "--l2", "0.01", "--json", "--quiet"))
    assert certified["problem"]["zero_based"] is (base == 0)


def test_a_base_that_is_given_counts_more_than_the_kept_one(tmp_path, capsys):
    saved_by_cli(capsys, tmp_path, 1)
    shifted = write(tmp_path, "1 0:1 4:1\n", "new.svm")
    assert main(["predict", str(tmp_path / "s.npz"), str(shifted)]) == 2
    assert "has an index 0, and its indices should start at 1" in capsys.readouterr().err
    kept = cdlab.load_solution(tmp_path / "s.npz")
    assert float(ran(capsys, "predict", tmp_path / "s.npz", shifted, "--zero-based")) == kept.predict([[1, 0, 0, 0, 1]])
    replace(kept, zero_based=True).save(tmp_path / "t.npz")
    assert float(ran(capsys, "predict", tmp_path / "t.npz", shifted)) == kept.predict([[1, 0, 0, 0, 1]])
    one = write(tmp_path, "1 1:1 5:1\n", "one.svm")
    assert float(ran(capsys, "predict", tmp_path / "t.npz", one, "--one-based")) == kept.predict([[1, 0, 0, 0, 1]])


@each_of("verb", ["faceoff --stream", "faceoff", "advise --no-probe", "race sdca --max-passes 2", "path", "solve"])
def test_every_verb_takes_the_base_and_tells_what_it_took(tmp_path, capsys, verb):
    write(tmp_path, "1 1:1 3:2\n-1 2:1\n1 3:1\n", "a.svm")
    name, *options = verb.split()
    words = [name, str(tmp_path / "a.svm"), *options, "--l2", "0.1"]
    for option, told in (([], True), (["--zero-based"], False), (["--one-based"], False)):
        assert main([*words, *option]) in (0, 1)
        out, err = capsys.readouterr()
        assert f"3 x {4 if option == ['--zero-based'] else 3}," in out
        assert ("indices: from 1, since none is 0" in err) == told
    assert main([*words, "--zero-based", "--one-based"]) == 2
    assert main([*words, "--quiet"]) in (0, 1)
    assert capsys.readouterr().err.count("indices") == 0


@each_of("read", [load, scan])
@each_of(
    "options, sentence",
    [
        ({"zero_based": True, "n_features": 3}, "index 3 needs n_features >= 4, not 3, as indices start at 0"),
        ({"zero_based": False, "n_features": 2}, "index 3 needs n_features >= 3, not 2, as indices start at 1"),
        ({"zero_based": "no"}, "zero_based must be True, False or 'auto', not 'no'"),
        ({"zero_based": 1}, "zero_based must be True, False or 'auto', not 1"),
    ],
)
def test_a_base_that_does_not_fit_is_refused_in_a_sentence(tmp_path, read, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(write(tmp_path, "1 1:1 3:2\n", "a.svm"), **options)
    with pytest.raises(ValueError, match="has an index 0, and its indices should start at 1"):
        read(write(tmp_path, "1 0:1 3:2\n", "a.svm"), zero_based=False)


def test_a_shipped_set_begins_at_1(capsys):
    assert main(["faceoff", "mushrooms", "--stream"]) == 0
    assert "indices" not in capsys.readouterr().err
    assert load("mushrooms").zero_based is False
    assert load("mushrooms").taken == ()
    with pytest.raises(ValueError, match="the indices of .*mushrooms.* start at 1, and zero_based is True"):
        load("mushrooms", zero_based=True)


def test_other_formats_have_no_base(tmp_path):
    path = write(tmp_path, "1,2,3\n4,5,6\n", "a.csv")
    for base in (True, False, "auto"):  # what was asked for goes on to other files
        assert load(path, zero_based=base).zero_based == base
        assert load("synthetic:n=5,d=2", zero_based=base).zero_based == base


def test_test_data_of_a_sweep_are_read_with_the_base_of_its_data(tmp_path):
    X = np.eye(4)
    train = write(tmp_path, text_of(X, [1, -1, 1, -1], 0), "train.svm")
    test = write(tmp_path, text_of(X[1:], [-1, 1, -1], 0), "new.svm")
    grid = {"data": [str(train)], "test": [str(test)], "l2": [0.1], "method": ["sdca"], "max_passes": [50]}
    errors = [
        cdlab.sweep(grid | more, store=tmp_path / f"store{k}", executor="serial").to_frame()["test_error"].iloc[-1]
        for k, more in enumerate(({}, {"zero_based": [True]}))
    ]
    assert errors == [0, 0]
