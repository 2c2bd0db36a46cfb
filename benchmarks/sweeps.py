"""Whether sweeps survive: 1,000 runs with 100 kill -9 of workers and of the parent at random moments.

    python benchmarks/sweeps.py                  all of it: a quarter of an hour on two cores
    python benchmarks/sweeps.py --runs 100 --kills 10 --passes 300

An undisturbed sweep in this process comes first, and of it the overhead: the seconds before its first run (imports,
data, keys) beyond those that a loop over `cdlab.solve` takes for imports and data, and the seconds between runs (locks,
files that are brought to the disk), as a share of the seconds in runs. Then the same sweep in processes is killed and
started again, a kill for every so many finished runs, half of them of the parent; and last its grid is written in
another order. Told are: files that were damaged, runs that differ from the undisturbed ones, and runs that the
reordered grid finds.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from killing import disturbed

import cdlab
from cdlab.sweeps import work

DATA = "mushrooms"
METHODS = ["sdca", "rcd", "quartz", "svrg", "apcg"]
AGAIN = f"import runpy, sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); runpy.run_path({__file__!r})['sweep']"
LOOP = f"""
import time
import cdlab
began = time.perf_counter()
X, y = cdlab.datasets.load({DATA!r})
P = cdlab.Problem(X, y, l2=1 / len(y))
print(time.perf_counter() - began)
"""


def grid(runs, passes, turned=False):
    """So many runs of so many passes over a small data set."""
    seeds = range(-(-runs // (2 * len(METHODS))))
    axes = {
        "data": DATA,
        "l2": ["1/n", "10/n"],
        "method": METHODS,
        "seed": seeds,
        "tol": 0.0,
        "max_passes": passes,
    }
    if not turned:
        return axes
    return {name: value[::-1] if isinstance(value, list | range) else value for name, value in reversed(axes.items())}


def sweep(store, runs, passes, executor):
    return cdlab.sweep(grid(runs, passes), executor, store=store)


def numbers(store):
    """All columns but the seconds, by key."""
    names = ("iteration", "passes", "primal", "dual", "gap")
    return {key: [store[key].column(name).tolist() for name in names] for key in store.keys}


def timed(store, runs, passes):
    """An undisturbed sweep, and its seconds: before the first run, in runs, and between them."""
    spans = []
    carry_out = work.Workshop.carry_out

    def measured(self, task):
        began = time.perf_counter()
        try:
            return carry_out(self, task)
        finally:
            spans.append((began, time.perf_counter()))

    work.Workshop.carry_out = measured
    began = time.perf_counter()
    found = sweep(store, runs, passes, "serial")
    ended = time.perf_counter()
    work.Workshop.carry_out = carry_out
    before, inside = spans[0][0] - began, sum(end - start for start, end in spans)
    return found, before, inside, ended - began - before - inside


def start_of_a_loop():
    """Seconds after which a person who calls `solve` in a loop can call it first, in a process of its own."""
    return float(subprocess.run([sys.executable, "-c", LOOP], check=True, capture_output=True, text=True).stdout)


def finished(store):
    return sum(1 for _ in store.glob("??/*.json"))


def begun(store, runs, passes):
    """The sweep in a process of its own."""
    return subprocess.Popen([sys.executable, "-c", f"{AGAIN}({str(store)!r}, {runs}, {passes}, 'processes')"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--passes", type=int, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quiet, killed = Path(folder, "quiet"), Path(folder, "killed")
        whole, before, inside, between = timed(quiet, args.runs, args.passes)
        alone = start_of_a_loop()
        print(
            f"{len(whole)} runs undisturbed: {inside:.0f} s in runs; the first begins after {before:.1f} s, that of a "
            f"loop after {alone:.1f} s; {between:.1f} s between runs: "
            f"overhead {(before - alone + between) / inside:.2%}",
            flush=True,
        )
        began = time.perf_counter()
        parents, workers = disturbed(
            lambda: begun(killed, args.runs, args.passes),
            lambda: finished(killed),
            args.runs,
            args.kills,
            random.Random(0),
        )
        spent = time.perf_counter() - began
        print(
            f"killed {parents} parents and {workers} workers in {spent:.0f} s; {finished(killed)} runs finished",
            flush=True,
        )
        store = cdlab.Store(killed)
        expected, got = numbers(whole), numbers(store)
        differing = sum(expected[key] != got.get(key) for key in expected)
        print(f"{len(list(killed.rglob('*.bad')))} damaged files, {differing} runs missing or different")
        before = {path.name: path.stat().st_mtime_ns for path in killed.glob("??/*.json")}
        cdlab.sweep(grid(args.runs, args.passes, turned=True), store=killed)
        after = {path.name: path.stat().st_mtime_ns for path in killed.glob("??/*.json")}
        print(f"the reordered grid found {sum(before[name] == after[name] for name in before)} of {len(after)} runs")


if __name__ == "__main__":
    main()
