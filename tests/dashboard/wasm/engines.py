"""Where the engine that was built for tests lies, and what its runs must be like."""

import hashlib
import shutil
from pathlib import Path

import pytest

import cdlab.dashboard.frontend.wasm
from cdlab.dashboard.frontend.wasm import building
from cdlab.numerics.files import cache_folder
from cdlab.numerics.jit.sources import source_digest

SOURCES = Path(cdlab.dashboard.frontend.wasm.__file__).parent
SMALL = "^(sdca|rcd) sparse smooth_hinge L2$"  # cells that a push compiles
STATE = 1e-11  # of a state's largest entry, and of P and D
AMPLIFIED = 1e-9  # of sgd's state: its first steps c/(l2 t) amplify rounding


def built(only):
    """The folder of what was built from exactly these sources: kernels of some cells, or with "" all there is."""
    pytest.importorskip("ziglang", reason="the page's kernels are linked by the package ziglang")
    sources = sorted([*SOURCES.glob("*.py"), *Path(cdlab.theory.__file__).parent.rglob("*.py")])
    digest = hashlib.sha256(b"".join([source_digest().encode(), only.encode(), *(s.read_bytes() for s in sources)]))
    folder = cache_folder() / "page" / digest.hexdigest()[:16]
    if not (folder / "built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        building.build_kernels(folder, only) if only else building.build(folder)
        (folder / "built").touch()
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
