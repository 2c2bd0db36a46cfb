"""A test that sweeps survive: 1,000 runs with 100 kill -9 of workers and of the parent at random moments.

    python benchmarks/sweeps.py                  all of it: a quarter of an hour on two cores
    python benchmarks/sweeps.py --runs 100 --kills 10 --passes 300

An undisturbed sweep in this process comes first, and its overhead: the seconds before its first run (imports,
data, keys) beyond those that a loop over `cdlab.solve` takes for imports and data, and the seconds between runs
(claims, results that are brought to the disk), as a share of the seconds in runs. Then the same sweep in processes is
killed and started again, a kill for every so many finished runs, half of them of the parent; and last its grid is
written in another order. It prints how many results were damaged, how many runs differ from the undisturbed ones
or were written more than once, and how many the reordered grid finds.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from killing import count_set_aside, count_writes, disturbed, finished

import cdlab
from cdlab.sweeps import runner

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
    """A grid of this many runs of this many passes over a small data set."""
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
    run = runner.Runner.run

    def measured(self, task):
        began = time.perf_counter()
        try:
            return run(self, task)
        finally:
            spans.append((began, time.perf_counter()))

    runner.Runner.run = measured
    began = time.perf_counter()
    found = sweep(store, runs, passes, "serial")
    ended = time.perf_counter()
    runner.Runner.run = run
    before, inside = spans[0][0] - began, sum(end - start for start, end in spans)
    return found, before, inside, ended - began - before - inside


def start_of_a_loop():
    """Seconds after which a person who calls `solve` in a loop can call it first, in a process of its own."""
    return float(subprocess.run([sys.executable, "-c", LOOP], check=True, capture_output=True, text=True).stdout)


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
        writes = count_writes(killed)
        print(
            f"{count_set_aside(killed)} damaged results, {differing} runs missing or different, "
            f"{writes - len(store)} written more than once"
        )
        cdlab.sweep(grid(args.runs, args.passes, turned=True), store=killed)
        print(f"the reordered grid found {len(store) - (count_writes(killed) - writes)} of {len(store)} runs")


if __name__ == "__main__":
    main()
