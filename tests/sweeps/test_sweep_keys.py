"""Two runs have one key if and only if they give the same trace."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from cases import each_of
from swept import X, grid, y

import cdlab
from cdlab.losses import Huber
from cdlab.methods import RCD, SDCA, DualAPPA
from cdlab.sweeps import numerics_digest as digests
from cdlab.sweeps.keys import canonical_json, to_plain
from cdlab.sweeps.numerics_digest import numerics_digest
from cdlab.sweeps.runner import Runner
from cdlab.sweeps.sweeping import plan_grid


def keys(*runs):
    return [task.key for task in plan_grid(list(runs), Runner(), None, None)]


ONE = {"X": X, "y": y, "loss": "squared", "l2": 1.0, "method": "sdca", "seed": 3}


@each_of(
    "same",
    [
        {"l2": 1},
        {"l2": "60/n"},
        {"l2": np.float32(1.0)},
        {"l1": 0},
        {"tol": 1e-6, "max_passes": 1000, "every": 1, "intercept": False, "start": None},
        {"method": SDCA()},
        {"method": "sdca@uniform"},
        {"method": ("sdca", {}), "sampling": "uniform"},
        {"loss": cdlab.losses.Squared()},
        {"seed": np.int64(3)},
        {"X": X.copy(), "y": y.tolist()},
    ],
)
def test_however_a_run_is_written_it_has_one_key(same):
    assert len(keys(ONE, ONE | same)) == 1
    assert len(keys(dict(reversed(ONE.items())), ONE)) == 1


@each_of("other",
    [
        {"l2": 1.0000001}, {"l1": 1e-9}, {"loss": "absolute"}, {"loss": Huber()}, {"intercept": True}, {"seed": 4},
        {"method": "rcd"}, {"sampling": "permutation"}, {"tol": 1e-7}, {"max_passes": 999}, {"every": 2},
        {"X": X * 1.0000001}, {"y": -y}, {"sample_weight": np.arange(60.0)}, {"start": (np.ones(12), None)},
        {"test": (X, y)}, {"strong_convexity": 0.5}, {"divergence_tol": 2},
    ])  # fmt: skip
def test_whatever_can_change_a_trace_changes_the_key(other):
    assert len(keys(ONE, ONE | other)) == 2


def test_numbers_are_typed_by_their_field_in_methods_and_losses():
    written = ({"loss": Huber(gamma=g), "method": "adasdca_plus", "m": m} for g, m in ((1, 10), (1.0, 10.0)))
    assert len(keys(*({"X": X, "y": y, **run} for run in written))) == 1


def test_a_named_set_and_its_arrays_are_the_same_data():
    mushrooms, labels = cdlab.datasets.load("mushrooms")
    assert len(keys({"data": "mushrooms"}, {"data": (mushrooms, labels)})) == 1


def test_a_method_that_draws_nothing_has_no_sampling_in_its_key():
    assert len(keys({"X": X, "y": y, "method": "lbfgs"}, {"X": X, "y": y, "method": "lbfgs", "sampling": "none"})) == 1


def test_auto_knows_its_tolerance():
    assert len(keys(*({"X": X, "y": y, "method": "auto", "tol": tol} for tol in (1e-3, 1e-4)))) == 2


def test_a_key_is_32_hexadecimal_digits():
    (key,) = keys(ONE)
    assert len(key) == 32
    assert int(key, 16) > 0


def test_what_has_no_plain_form_is_refused():
    assert canonical_json(to_plain({"a": (1, None, True, np.inf)})) == '{"a":[1,null,true,"inf"]}'
    with pytest.raises(TypeError, match="cannot be a setting of a sweep"):
        to_plain(object())


class TestSources:
    @pytest.fixture
    def root(self, tmp_path):
        """A copy of the package that can be edited."""
        return shutil.copytree(Path(cdlab.__file__).parent, tmp_path / "cdlab", ignore=lambda *_: {"dashboard"})

    @staticmethod
    def edit(root, file, old, new):
        path = root / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    def test_comments_docstrings_and_layout_are_no_numbers(self, root):
        before = numerics_digest(SDCA, root=root)
        self.edit(root, "methods/sdca.py", '"""', '"""In other words. ')
        self.edit(root, "methods/base.py", "\n\n", "\n# a comment\n\n\n")
        self.edit(root, "methods/sdca.py", "exact steps on", "whole steps on")  # what lists say of it
        self.edit(root, "runs/race_result.py", "np.inf", "-np.inf")  # made of finished runs
        assert numerics_digest(SDCA, root=root) == before

    @pytest.mark.parametrize(
        ("file", "old", "new"),
        [
            ("runs/measuring.py", "REFRESH_EPOCHS = 50", "REFRESH_EPOCHS = 51"),
            ("losses/scalar.py", "(0.5 - a0)", "(0.25 - a0)"),
            ("methods/base.py", "counts > 0", "counts > 1"),
            ("numerics/jit/flags.py", '"nogil": True', '"nogil": False'),
        ],
    )
    def test_an_edit_of_what_every_run_is_made_of_changes_all_digests(self, root, file, old, new):
        before = [numerics_digest(method, root=root) for method in (SDCA, RCD)]
        self.edit(root, file, old, new)
        after = [numerics_digest(method, root=root) for method in (SDCA, RCD)]
        assert not set(before) & set(after)

    def test_an_edit_of_one_method_leaves_the_others(self, root):
        before = [numerics_digest(method, root=root) for method in (SDCA, RCD)]
        (root / "methods/rcd.py").write_text((root / "methods/rcd.py").read_text() + "\nSLOWER = 2\n")
        after = [numerics_digest(method, root=root) for method in (SDCA, RCD)]
        assert [old == new for old, new in zip(before, after, strict=True)] == [True, False]

    def test_a_method_that_runs_another_depends_on_it(self, root):
        imported = digests._with_imports(root / "methods/auto.py", root / "methods")
        assert {root / "methods/rcd.py", root / "methods/newton_cd.py"} <= imported
        assert any(file.parent == root / "methods/newton" for file in imported)
        before = numerics_digest(DualAPPA, root=root)
        (root / "methods/shared/new.py").write_text("x = 1\n")
        assert numerics_digest(DualAPPA, root=root) != before

    def test_every_declared_module_is_there(self):
        declared = (*digests.SHARED, *digests.EXCEPT)
        assert all((digests.ROOT / name).exists() for name in declared)

    def test_a_class_of_ones_own_counts_with_its_module(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(tmp_path)
        text = "from cdlab.methods import SDCA\nclass Own(SDCA):\n    share = 1.0\n"
        digests = []
        for name, source in (("own_a", text), ("own_b", text), ("own_c", text.replace("1.0", "2.0"))):
            (tmp_path / f"{name}.py").write_text(source)
            digests.append(numerics_digest(__import__(name).Own))
        assert digests[0] == digests[1] != digests[2]


def test_a_grid_plans_each_run_once():
    plan = plan_grid([*[{"X": X, "y": y}] * 3, {"X": X, "y": y, "seed": 0}], Runner(), None, None)
    assert len(plan) == 1
    assert len(plan_grid(grid(), Runner(), None, None)) == 8
