"""Whether sweeps survive: 1,000 runs with 100 kill -9 of workers and of the parent at random moments.

    python benchmarks/sweeps.py                  all of it: a quarter of an hour on two cores
    python benchmarks/sweeps.py --runs 100 --kills 10 --passes 300

First the overhead of an undisturbed sweep: its seconds beside those of a loop over `cdlab.solve` with the same records,
each in a process of its own and in turn, from the start of the interpreter to its end. Then the sweep in processes is
killed and started again, a kill for every so many finished runs, half of them of the parent; and last its grid is
written in another order. Told are: files that were damaged, runs that differ from the undisturbed ones, and runs that
the reordered grid finds.
"""

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from killing import disturbed

import cdlab

METHODS = ["sdca", "rcd", "quartz", "svrg", "apcg"]
HERE = f"import runpy, sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); runpy.run_path({__file__!r})"


def grid(runs, passes, turned=False):
    """So many runs of so many passes over a small data set."""
    seeds = range(-(-runs // (2 * len(METHODS))))
    axes = {
        "data": "mushrooms",
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


def loop(runs, passes):
    """The same runs, as a person without sweeps would write them."""
    axes = grid(runs, passes)
    X, y = cdlab.datasets.load(axes["data"])
    found = []
    for l2 in axes["l2"]:
        P = cdlab.Problem(X, y, l2=float(l2.partition("/")[0]) / len(y))
        for method in METHODS:
            for seed in axes["seed"]:
                found.append(cdlab.solve(P, method, seed=seed, tol=0, max_passes=passes, every=1))
    return found


def seconds(call):
    """Of a process that calls a function of this file."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"{HERE}{call}"], check=True)
    return time.perf_counter() - began


def overhead(store, args):
    """Seconds of loops and of sweeps, in turn; the last sweep stays."""
    loops, sweeps = [], []
    seconds(f"['loop'](10, {args.passes})")  # compiles
    for _ in range(args.rounds):
        shutil.rmtree(store, ignore_errors=True)
        loops.append(seconds(f"['loop']({args.runs}, {args.passes})"))
        sweeps.append(seconds(f"['sweep']({str(store)!r}, {args.runs}, {args.passes}, 'serial')"))
    return loops, sweeps


def finished(store):
    return sum(1 for _ in store.glob("??/*.json"))


def begun(store, runs, passes):
    """The sweep in a process of its own."""
    return subprocess.Popen([sys.executable, "-c", f"{HERE}['sweep']({str(store)!r}, {runs}, {passes}, 'processes')"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--passes", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3, help="loops and sweeps that are timed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quiet, killed = Path(folder, "quiet"), Path(folder, "killed")
        loops, sweeps = overhead(quiet, args)
        ratios = [b / a - 1 for a, b in zip(loops, sweeps, strict=True)]
        whole = cdlab.Store(quiet)
        print(
            f"{len(whole)} runs undisturbed: {statistics.median(loops):.1f} s in a loop, "
            f"{statistics.median(sweeps):.1f} s as a sweep: "
            f"overhead {statistics.median(ratios):.2%} ({min(ratios):.2%} to {max(ratios):.2%})",
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
