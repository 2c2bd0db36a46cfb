"""Where the engine that was built for tests lies, and what its runs must be like."""

import hashlib
from functools import cache
from pathlib import Path

import pytest

import cdlab.dashboard
import cdlab.theory
from cdlab.dashboard.frontend.wasm import building
from cdlab.numerics.files import cache_folder
from cdlab.numerics.jit.sources import source_digest

SOURCES = Path(building.__file__).parent
SMALL = "^(sdca|rcd) sparse smooth_hinge L2$"  # cells that a push compiles
STATE = 1e-11  # of a state's largest entry, and of P and D
AMPLIFIED = 1e-9  # of sgd's state: its first steps c/(l2 t) amplify rounding


def kernels(only):
    """The folder of the kernels of some cells."""
    pytest.importorskip("ziglang", reason="the page's kernels are linked by the package ziglang")
    return building.kernels(only)


@cache
def whole():
    """The folder of all there is, built from exactly these sources."""
    kernels("")
    dashboard = Path(cdlab.dashboard.__file__).parent
    sources = sorted(
        [*dashboard.rglob("*.py"), *dashboard.glob("engine/*.json"), *Path(cdlab.theory.__file__).parent.rglob("*.py")]
    )
    digest = hashlib.sha256(b"".join([source_digest().encode(), *(s.read_bytes() for s in sources)]))
    folder = cache_folder() / "page" / f"whole-{digest.hexdigest()[:16]}"
    if not (folder / "presets").exists():
        building.build(folder)
    return folder


def check_runs(answers, cases):
    """Each run was that of Python."""
    assert len(answers) == len(cases) > 0
    off = {}
    for answer in answers:
        limit = AMPLIFIED if answer["name"].startswith("sgd") else STATE
        apart = [answer["values"], *answer["state"].values()]
        if answer["visits"] or None in apart or max(apart) > limit:  # None: not a number
            off[answer["name"]] = answer
    assert off == {}
