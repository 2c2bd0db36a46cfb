"""Derived data sets: a name, a source and steps, which say all that the data depend on."""

import json

import numpy as np
import pytest
from cases import each_of

from cdlab import datasets
from cdlab.datasets import Derived, steps


@pytest.fixture
def source(tmp_path):
    """Ten train rows and four test rows, labels 0, 1 and 2."""
    rng, path = np.random.default_rng(1), tmp_path / "three.npz"
    test = np.arange(14) >= 10
    np.savez(path, X=rng.integers(1, 9, (14, 3)), y=np.arange(14) % 3, is_test=test)
    return path


def test_steps_run_in_their_order(source):
    X, _ = datasets.load(source, split="all")
    first = Derived("a", source, [steps.UnitRows(), steps.AppendOnes()]).load().X
    last = Derived("b", source, [steps.AppendOnes(), steps.UnitRows()]).load().X
    norms = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), np.sqrt(2))
    np.testing.assert_allclose(last[:, -1], 1 / np.sqrt(1 + norms**2))


def test_the_split_says_which_rows_it_begins_with(source):
    all_rows, train, parts = (Derived("a", source, [], split).load() for split in ("all", "train", "parts"))
    assert [each.y.size for each in (all_rows, train, parts)] == [14, 10, 10]
    assert all_rows.test is None
    assert train.test is None
    np.testing.assert_array_equal(np.vstack([parts.X, parts.test[0]]), all_rows.X)


def test_the_same_recipe_gives_the_same_data(source):
    derived = Derived("a", source, [steps.Permute(seed=3), steps.RandomFourierFeatures(5, seed=2)])
    np.testing.assert_array_equal(derived.load().X, derived.load().X)


def test_the_recipe_tells_every_parameter(source):
    derived = Derived("a", source, [steps.Permute(seed=3), steps.PositiveClasses((2,))], "train")
    assert derived.recipe == f"{source}, train rows; Permute(seed=3, test=False); PositiveClasses(classes=(2,))"
    assert json.loads(json.dumps(derived.to_plain()))["steps"] == [
        {"step": "Permute", "seed": 3, "test": False},
        {"step": "PositiveClasses", "classes": [2]},
    ]


def test_the_digest_changes_with_any_parameter_and_order_and_not_with_the_name(source):
    def digest(*given, name="a", split="all"):
        return Derived(name, source, given, split).digest

    permute, first = steps.Permute(), steps.FirstRows(3)
    assert digest(permute, first) == digest(permute, first, name="b")
    others = [
        digest(first, permute),
        digest(permute, steps.FirstRows(4)),
        digest(steps.Permute(1), first),
        digest(permute),
        digest(permute, first, split="train"),
    ]
    assert len({digest(permute, first), *others}) == 6


@each_of("name", ["", "mushrooms", None])
def test_a_derived_set_has_a_name_of_its_own(name):
    with pytest.raises(ValueError, match="name of its own"):
        Derived(name, "mushrooms", [])


def test_what_is_no_step_and_no_split_is_refused():
    with pytest.raises(TypeError, match="a step is one of"):
        Derived("a", "mushrooms", [str])
    with pytest.raises(ValueError, match="split of a derived data set"):
        Derived("a", "mushrooms", [], "test")


def test_a_step_that_does_not_fit_is_named(source):
    with pytest.raises(ValueError, match=r"small, FirstRows\(rows=99, .*: there are 14 rows, not 99"):
        Derived("small", source, [steps.FirstRows(99)]).load()


@pytest.mark.parametrize("test_rows", [None, 2])
def test_the_first_rows_of_a_permutation_are_those_of_all_its_rows(source, test_rows):
    """Though the rows that are left out are not copied."""
    permute, first = steps.Permute(seed=5, test=True), steps.FirstRows(4, test_rows)
    whole = Derived("whole", source, [permute], "parts").load()
    thinned = Derived("thinned", source, [permute, first, steps.AppendOnes()], "parts").load()
    np.testing.assert_array_equal(thinned.X[:, :-1], whole.X[:4])
    np.testing.assert_array_equal(thinned.y, whole.y[:4])
    np.testing.assert_array_equal(thinned.test[0][:, :-1], whole.test[0][:test_rows])
    np.testing.assert_array_equal(thinned.test[1], whole.test[1][:test_rows])


def test_too_few_rows_after_a_permutation_are_named(source):
    with pytest.raises(ValueError, match=r"small, FirstRows\(rows=99, .*: there are 14 rows, not 99"):
        Derived("small", source, [steps.Permute(), steps.FirstRows(99)]).load()
