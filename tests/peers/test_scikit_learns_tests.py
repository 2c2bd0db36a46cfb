"""scikit-learn's own tests of linear models and of its LIBSVM reader pass with cdlab behind its constructors.

They are run from the installed package, in a process of its own, with `adapter` in place of what they import. Those
that reach cdlab and fail are listed in differences.toml, with reasons; a release looks at all of them, a push at a
choice. `python tests/peers/test_scikit_learns_tests.py [MODULE ...]` prints what they count, and failures that are not
listed.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sklearn

HERE = Path(__file__).parent
TRIED_WITH = "1.9"  # versions of scikit-learn have other tests
MODULES = {  # and how many of their tests reach cdlab and pass, at least
    "datasets.tests.test_svmlight_format": 20,
    "feature_selection.tests.test_from_model": 12,
    "linear_model.tests.test_common": 38,
    "linear_model.tests.test_coordinate_descent": 125,
    "linear_model.tests.test_logistic": 175,
    "linear_model.tests.test_quantile": 40,
    "linear_model.tests.test_ridge": 587,
    "linear_model.tests.test_sparse_coordinate_descent": 93,
    "svm.tests.test_bounds": 12,
    "svm.tests.test_sparse": 6,
    "svm.tests.test_svm": 25,
}
PUSHED = {  # of modules a push takes these, as many
    "linear_model.tests.test_logistic": (
        "binary or dtype_match or predict or sample_weight or sparsify or warm_start",
        64,
    ),
}


def outcomes(module: str, folder: Path, *options: str) -> dict[str, dict]:
    """Of each test of a module its outcome, what reached cdlab, and what an error said."""
    report = folder / f"{module}.json"
    env = os.environ | {
        "CDLAB_PEERS_REPORT": str(report), "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])]),
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-c", str(HERE / "scikit_learn.ini"), f"--rootdir={HERE}", "--pyargs"]
    done = subprocess.run([*command, f"sklearn.{module}", *options], env=env, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(report.read_text())


def listed(module: str) -> dict[str, str]:
    """The reason for each pattern of a module's tests that differ."""
    table = tomllib.loads((HERE / "differences.toml").read_text())
    of_module = table.get(module.rsplit(".", 1)[1], [])
    return {pattern: group["why"] for group in of_module for pattern in group["tests"]}


def failures(found: dict[str, dict], patterns) -> dict[str, str]:
    """Tests that fail and match none of these patterns, with what they said."""
    failed = {name: each["said"] for name, each in found.items() if each["outcome"] == "failed"}
    return {name: said for name, said in failed.items() if not any(fnmatchcase(name, p) for p in patterns)}


def passed(found: dict[str, dict]) -> int:
    """How many tests reached cdlab and passed."""
    return sum(each["outcome"] == "passed" and bool(each["served"]) for each in found.values())


other_version = pytest.mark.skipif(
    not sklearn.__version__.startswith(f"{TRIED_WITH}."), reason=f"the list is of scikit-learn {TRIED_WITH}"
)


@other_version
@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("module", MODULES)
def test_all_that_reach_cdlab_pass_but_for_those_listed(module, tmp_path):
    found, patterns = outcomes(module, tmp_path), listed(module)
    assert failures(found, patterns) == {}
    assert passed(found) >= MODULES[module]
    failed = [name for name, each in found.items() if each["outcome"] == "failed"]
    stale = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in failed)]
    assert stale == []


@pytest.mark.full
@other_version
@pytest.mark.timeout(900)  # for seconds of a core that others may use
@pytest.mark.parametrize("module", PUSHED)
def test_a_choice_of_them_passes(module, tmp_path):
    choice, least = PUSHED[module]
    found = outcomes(module, tmp_path, "-k", choice)
    assert failures(found, listed(module)) == {}
    assert passed(found) >= least


def main(modules: list[str], folder: Path) -> None:
    total: Counter = Counter()
    for module in modules or MODULES:
        found = outcomes(module, folder)
        counts = Counter(each["outcome"] for each in found.values() if each["served"])
        total.update(counts)
        print(module, len(found), dict(counts))
        for name, said in failures(found, listed(module)).items():
            print("   ", name, "|", said)
    print("in all", dict(total))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(sys.argv[1:], Path(folder))
