"""Both engines answer alike: the same numbers, the same rules with the same numbers, the same sentences."""

from itertools import combinations

import pytest
from both_engines import check
from engines import SMALL, built

from cdlab.dashboard.engine.stories import STORIES
from cdlab.dashboard.frontend.wasm import cells

TINY = {"n": 60, "d": 20, "density": 0.25, "passes": 100, "tol": 1e-4}
HINGED = TINY | {"loss": "smooth_hinge"}
PAIRS = list(combinations(cells.METHODS, 2))
pytestmark = pytest.mark.timeout(1800)  # the first test builds


def test_answers_are_those_of_python(tmp_path):
    """Of one kind of problem: two sides, an order, importance draws, refusals, another data seed."""
    check(
        built(SMALL),
        [
            HINGED,
            HINGED | {"methods": ["rcd@importance", "sdca@permutation", "sdca"], "gamma": 0.3, "scale": "mean"},
            HINGED | {"data": "worst_dual", "density": 0.1, "row": 3.0, "data_seed": 3, "methods": ["quartz", "rcd"]},
            HINGED | {"methods": ["sdca", "rcd"], "primal_sampling": "cyclic", "dual_sampling": "cyclic"},
        ],
        tmp_path,
    )


@pytest.mark.full
@pytest.mark.parametrize("loss", cells.LOSSES)
@pytest.mark.parametrize("weights", ["L2", "ElasticNet"])
@pytest.mark.parametrize("density", [0.25, 1.0])
def test_every_cell(loss, weights, density, tmp_path):
    """Every method with every sampling."""
    choices = TINY | {"loss": loss, "density": density, "l1": 1e-3 * (weights == "ElasticNet")}
    entries = [f"{method}@{sampling}" for sampling in cells.SAMPLINGS for method in cells.METHODS]
    entries += [f"{method}({size})" for method in cells.IN_BATCHES for size in (3, 8)]
    check(
        built(""), [choices | {"methods": list(few)} for few in batched_by(entries, 4)], tmp_path, ("predict", "race")
    )


def batched_by(entries, count):
    return [entries[k : k + count] for k in range(0, len(entries), count)]


@pytest.mark.full
@pytest.mark.parametrize("k", range(7))
def test_every_pair(k, tmp_path):
    """Prediction, race, outcome and reasons of every two methods."""
    pairs = PAIRS[k * 13 : (k + 1) * 13]
    check(built(""), [TINY | {"methods": list(pair), "n": 40, "d": 12} for pair in pairs], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", STORIES)
def test_every_story(name, tmp_path):
    steps = STORIES[name].steps
    asked = [{key: value for step in steps[: k + 1] for key, value in step.choices.items()} for k in range(len(steps))]
    check(built(""), asked, tmp_path)
