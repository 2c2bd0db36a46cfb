"""What is wrong with a grid is said in one sentence, before anything runs."""

import numpy as np
import pytest
from cases import each_of
from swept import X2, X, grid, y, y2

import cdlab
from cdlab.sweeps import sweep
from cdlab.sweeps.settings import expand_grid


@each_of(
    "wrong, sentence",
    [
        (
            {"method": "rcd", "toll": 1.0},
            "'toll' is neither a setting of a run nor a parameter of rcd (it has",
        ),
        ({"max_seconds": 3}, "give max_passes, and sweep's time_limit as a guard"),
        ({"max_passes": None}, "max_passes must be a number >= 0"),
        ({"max_passes": float("inf")}, "max_passes must be finite"),
        ({"tol": "small"}, "tol must be a number >= 0, not 'small'"),
        ({"l2": -1.0}, "l2 must be a finite number >= 0"),
        ({"l2": "n/2"}, "a weight is a number or c/n"),
        ({"seed": -1}, "seed must be a whole number >= 0"),
        ({"seed": 1.5}, "seed must be a whole number >= 0"),
        ({"every": 0}, "every must be a whole number of epochs >= 1 or None"),
        ({"method": "sdcaa"}, "did you mean 'sdca'?"),
        ({"loss": "hinges"}, "did you mean 'hinge'?"),
        ({"sampling": "uniforn"}, "did you mean 'uniform'?"),
        ({"intercept": "yes"}, "intercept must be True or False"),
        ({"data": "mushrooms"}, "the data of a run are either data, a name, a path or a pair (X, y), or X and y"),
        ({"y": None}, "the data of a run are either"),
        ({"split": "test"}, "split is for data sets by name or path"),
        ({"start": 3}, "start must be (w, alpha)"),
        ({"y": np.ones(3)}, "X has 60 rows and y has 3 labels"),
        ({"strong_convexity": "guess"}, 'strong_convexity must be a number > 0, "compute" or None'),
        ({"test": 3}, "test must be a name, a path, a Derived or a pair (X, y)"),
    ],
)
def test_a_wrong_setting_is_named_with_its_run(wrong, sentence, tmp_path):
    runs = [{"X": X, "y": y}, {"X": X, "y": y} | wrong]
    with pytest.raises((ValueError, TypeError)) as refused:
        sweep(runs, store=tmp_path / "store")
    text = str(refused.value)
    assert text.startswith("run 1 of the grid")
    assert sentence in text
    assert "\n" not in text


@each_of("wrong", [3, "mushrooms", [3], [], {}, {"seed": []}, None])
def test_a_grid_is_a_list_of_dicts_or_a_dict_of_lists(wrong, tmp_path):
    with pytest.raises((ValueError, TypeError), match=r"a grid is|no run in this grid|the data of a run"):
        sweep(wrong, store=tmp_path / "store")


@each_of(
    "options, sentence",
    [
        ({"executor": "threads"}, "the executor is serial, processes or dask or a distributed.Client, not 'threads'"),
        ({"jobs": 0}, "jobs must be a whole number of processes >= 1"),
        ({"time_limit": 0}, "time_limit must be a number > 0 or None"),
        ({"executor": "dask", "memory_limit": 1e9}, "Dask's workers have a limit of their own"),
        ({"retry": 1}, "retry must be True or False"),
    ],
)
def test_wrong_options_are_refused(options, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        sweep(grid(), store=tmp_path / "store", **options)


def test_every_run_of_the_first_seed_comes_first():
    runs = expand_grid({"l2": [1.0, 2.0], "seed": range(2), "method": ["sdca", "rcd"]})
    assert [run["seed"] for run in runs] == [0] * 4 + [1] * 4
    assert [(run["l2"], run["method"]) for run in runs[:4]] == [(a, b) for a in (1.0, 2.0) for b in ("sdca", "rcd")]


def test_labels_may_be_a_list(tmp_path):
    assert len(sweep({"X": X.tolist(), "y": y.tolist(), "l2": [0.1, 0.2], "tol": 0.1}, store=tmp_path)) == 2


def test_data_may_be_several_pairs_a_name_or_a_derived_set(tmp_path):
    small = cdlab.datasets.Derived("small", "mushrooms", [cdlab.datasets.steps.FirstRows(100)])
    runs = {"data": [(X, y), (X2, y2), small, "mushrooms"], "scale": "none", "tol": 0.1}
    with pytest.raises(ValueError, match="scale is for data sets by name or path: a derived set has steps for that"):
        sweep(runs, store=tmp_path)
    del runs["scale"]
    frame = sweep(runs, store=tmp_path).to_frame()
    assert frame["data"].tolist() == ["X (60, 12)", "X (40, 8)", "small", "mushrooms"]
    assert frame["n"].tolist() == [60, 40, 100, 8124]


def test_weights_and_scales_are_those_of_the_data(tmp_path):
    runs = {"data": [(X, y), (X2, y2)], "l2": "2/n", "scale": "unit", "tol": 0.1}
    store = sweep(runs, store=tmp_path)
    assert store.to_frame()["l2"].tolist() == [2 / 60, 2 / 40]
    P = cdlab.Problem(cdlab.datasets.scaled(X2, "unit"), y2, l2=0.05)
    assert store.to_frame()["digest"][1] == P.digest


def test_test_data_give_a_test_error(tmp_path):
    own = cdlab.datasets.Derived("halves", "mushrooms", [cdlab.datasets.steps.HoldOut(4000)])
    frame = sweep(
        [{"data": own, "test": own, "tol": 0.01}, {"X": X, "y": y, "test": (X, y), "tol": 0.01}], store=tmp_path
    ).to_frame()
    assert frame["test_error"].between(0, 0.5).all()
