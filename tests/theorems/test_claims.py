"""Every theorem's bound holds: the measured mean less 3 standard errors, or the exact expectation, stays below it."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from claims import CLAIMS

for module in sorted(Path(__file__).parent.glob("*.py")):
    if module.stem not in ("claims", "table", "tightness") and not module.stem.startswith("test_"):
        importlib.import_module(module.stem)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_the_bound_holds(claim):
    assert 0 < claim.check() < 1.01


def test_names_are_unique():
    names = [claim.name for claim in CLAIMS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", ["exact", "mean"])
def test_a_false_claim_fails(kind):
    """The check itself: half of a bound that is tight to 0.55 or more is found out, exact or by means."""
    true = next(claim for claim in CLAIMS if claim.kind == kind and claim.check() > 0.55)

    def halved(seeds):
        measured, promised = true.measure(seeds)
        return measured, 0.5 * np.asarray(promised)

    with pytest.raises(AssertionError):
        replace(true, measure=halved).check()
