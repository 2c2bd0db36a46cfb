"""Where the engine that was built for tests lies, and what its runs must be like."""

import hashlib
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

from filelock import FileLock
from nodejs import node

import cdlab.dashboard
import cdlab.theory
from cdlab.dashboard.engine.data_sources import at_hand
from cdlab.dashboard.frontend.wasm import building, formulas, page_file
from cdlab.numerics.files import cache_folder
from cdlab.numerics.jit.sources import source_digest

HERE = Path(__file__).parent
SOURCES = Path(building.__file__).parent
# what a push compiles and exports, with what the first story asks for
SMALL = r"^(sdca|rcd|quartz) ((?!dense)\w+ smooth_hinge|(?!sparse)\w+ logistic) L2$"
EVERY_METHOD = r"^\w+( by 4)? sparse smooth_hinge L2$"  # on one problem, of which a push compares whole runs
STATE = 1e-11  # of a state's largest entry, and of P and D
CANCELLED = 1e-7  # of apcg's curvatures by importance, b_i n L_i - gamma, which are nearly 0 there
AMPLIFIED = 1e-9  # of sgd's state: its first steps c/(l2 t) amplify rounding


@cache
def built(only):
    """The folder of some cells, or with "" of all there is, built from exactly these sources."""
    of_kernels = building.kernels(only)
    dashboard = Path(cdlab.dashboard.__file__).parent
    sources = sorted(
        [*dashboard.rglob("*.py"), *dashboard.glob("engine/*.json"), *Path(cdlab.theory.__file__).parent.rglob("*.py")]
    )
    there = ",".join([only, *at_hand()])  # data sets
    digest = hashlib.sha256(b"".join([source_digest().encode(), there.encode(), *(s.read_bytes() for s in sources)]))
    folder = cache_folder() / "page" / f"tests-{digest.hexdigest()[:16]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):  # another worker may be building the same
        if not folder.exists():
            _build(only, of_kernels, folder)
    return folder


def _build(only, of_kernels, folder):
    made = folder.with_suffix(".making")
    if only:
        shutil.copytree(of_kernels, made, dirs_exist_ok=True)
        formulas.write(made / "bounds.json", only)
        page_file.write(made / "page.json")
    else:
        building.build(made)
    made.rename(folder)


def said(script, folder, cases, tmp_path):
    """What a script says of each case in node."""
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases, allow_nan=False))
    done = subprocess.run([node(), HERE / script, folder, file], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_runs(answers, cases):
    """Each run was that of Python."""
    assert len(answers) == len(cases) > 0
    off = {}
    for answer in answers:
        limit = AMPLIFIED if answer["name"].startswith("sgd") else STATE
        if answer["name"].startswith("apcg importance") and answer["state"]["c"] <= CANCELLED:
            del answer["state"]["c"]
        apart = [answer["values"], *answer["state"].values()]
        if answer["visits"] or None in apart or max(apart) > limit:  # None: not a number
            off[answer["name"]] = answer
    assert off == {}
